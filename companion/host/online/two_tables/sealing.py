# SPDX-License-Identifier: Apache-2.0
"""Messages between two tables, sealed by ChaCha20-Poly1305 and numbered.

A message is the sender's session (8 random bytes of each start of the program), its number, and the
box. Each session has a key of its own, so a number is never used twice with a key. The box also
covers the receiver's session: a recorded message is of no use after a restart. Only a greeting
comes before that session is known.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from companion.host.online.two_tables.code import Code

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

_SESSION: Final = 8
_NUMBER: Final = 8
_HEAD: Final = _SESSION + _NUMBER
_NOBODY: Final = bytes(_SESSION)
"""The session of a receiver that is not known yet."""
LONGEST: Final = 64_000
"""Length limit of a message: a long game has 10 kB."""


class Opened(NamedTuple):
    """A message that was opened."""

    data: bytes
    session: bytes
    """That of its sender."""
    is_greeting: bool
    """True if the sender did not know our session."""


@dataclass
class Sealer:
    """One end of the exchange under *code*; *role* tells the two ends apart."""

    code: Code
    role: bytes
    peer_role: bytes
    session: bytes = field(default_factory=lambda: secrets.token_bytes(_SESSION))
    peer: bytes = _NOBODY
    """The session of the other end."""
    _sent: int = 0
    _received: int = -1
    _past: set[bytes] = field(default_factory=set)
    """Sessions of the other end that are over."""

    def encrypt(self, data: bytes, to: bytes | None = None) -> bytes:
        """Seal *data* for the session *to*, that of the other end if it is None."""
        number = self._sent.to_bytes(_NUMBER, "big")
        self._sent += 1
        head = self.session + number
        to = self.peer if to is None else to
        return head + self._box(self.role, self.session).encrypt(_nonce(number), data, head + to)

    def encrypt_greeting(self, data: bytes) -> bytes:
        """Seal *data* for any session of the other end: it may have been started again."""
        return self.encrypt(data, _NOBODY)

    def decrypt(self, message: bytes) -> Opened | None:
        """Return what is in *message*; None unless it is fresh and from the other end."""
        from cryptography.exceptions import InvalidTag

        session, number, box = message[:_SESSION], message[_SESSION:_HEAD], message[_HEAD:]
        if len(message) > LONGEST or len(number) < _NUMBER or session in self._past:
            return None
        if session == self.peer and int.from_bytes(number, "big") <= self._received:
            return None
        for to in (self.session, _NOBODY):
            try:
                data = self._box(self.peer_role, session).decrypt(_nonce(number), box, message[:_HEAD] + to)
            except InvalidTag:
                continue
            if to == self.session:
                self._bind(session, int.from_bytes(number, "big"))
            return Opened(data, session, to == _NOBODY)
        return None

    def _bind(self, session: bytes, number: int) -> None:
        """Take *session* for that of the other end, which has sent *number*."""
        if session != self.peer:
            self._past |= {self.peer} - {_NOBODY}
        self.peer, self._received = session, number

    def _box(self, role: bytes, session: bytes) -> ChaCha20Poly1305:
        """Return what seals and opens the messages of *role* in its *session*."""
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

        return ChaCha20Poly1305(self.code.derived(role + session))


def _nonce(number: bytes) -> bytes:
    return bytes(12 - _NUMBER) + number

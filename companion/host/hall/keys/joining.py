# SPDX-License-Identifier: Apache-2.0
"""Joining of tables: a code gives a table its board's key over a public broker.

A code has 80 random bits, serves one table, and ends after ten minutes or five wrong attempts. The
messages are lines:

- `join SHARE PROOF` from the table: an X25519 share, and an HMAC of it with a key that scrypt
  derives from the code;
- `joined ASKED SHARE BOX` from the hall: its own share, and the key of the board, encrypted by
  ChaCha20-Poly1305 with a key derived from the code and both shares. ASKED is the table's share.
- `refused ASKED REASON` from the hall.

The code is not in these messages. A recording together with the code does not reveal the key later,
since both private shares are discarded. A table that lost the answer repeats its request and gets
the same answer.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from companion.host.clock import Clock
from companion.host.hall.keys.keyring import HallKeys
from companion.host.hall.keys.message_auth import HallLines
from companion.model.errors import HallUnreachable, SettingsError
from companion.model.phrase import Phrase, as_data, from_data

VALID_MS: Final = 10 * 60 * 1000
"""Lifetime of a code."""
TRIES: Final = 5
"""Wrong attempts after which a code ends."""
_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two letters look alike."""
_MISREAD: Final = str.maketrans("OIL", "011")
_RANDOM: Final = 16
"""Random letters of a code before its check letter: 80 bits."""
_MOST: Final = 300
"""Length limit of a message to a hall; ours are shorter."""


def draw_code(board: str) -> str:
    """Return a new code for *board*."""
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return "-".join((drawn[:4], drawn[4:8], drawn[8:12], drawn[12:] + _check(drawn, board)))


def read_code(text: str, board: str) -> str:
    """Parse the code *text*. Raises `SettingsError` if it cannot be for *board*."""
    letters = "".join(text.split()).replace("-", "").upper().translate(_MISREAD)
    drawn, check = letters[:_RANDOM], letters[_RANDOM:]
    if not set(letters) <= set(_LETTERS) or check != _check(drawn, board):
        raise SettingsError(
            "{text!r} is not a code for the board {board}: compare each letter, and the board's "
            "name, with the arbiter's desk",
            text=text,
            board=board,
        )
    return letters


def _check(drawn: str, board: str) -> str:
    """Return the check letter, which detects typing errors and most codes for another board.

    Board and letters are the coefficients of a polynomial over GF(32), evaluated at a generator. So
    each position has another weight: no wrong letter and no swap of two letters remains unnoticed,
    in the code as in the board's name (of which five bits of each character count).
    """
    total = 0
    for value in (*(ord(each) % 32 for each in board), *map(_LETTERS.index, drawn)):
        total = _doubled(total ^ value)
    return _LETTERS[total]


def _doubled(value: int) -> int:
    """Multiply by the generator x of GF(32), modulo x^5 + x^2 + 1."""
    return value << 1 if value < 16 else value << 1 ^ 0b100101


def _stretched(letters: str, hall: str, board: str) -> bytes:
    """Derive the key of a code in about 50 ms and 16 MiB, against guessing."""
    salt = f"companion join {hall}/{board}".encode()
    return hashlib.scrypt(letters.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)


def _proof(code_key: bytes, share: str) -> str:
    return hmac.new(code_key, f"join {share}".encode(), hashlib.sha256).hexdigest()


def _box(code_key: bytes, own: X25519PrivateKey, theirs: str, asked: str, answered: str) -> ChaCha20Poly1305:
    """Return the cipher for a board's key, used once. Raises `ValueError` for an invalid share."""
    shared = own.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(theirs)))
    text = f"key {asked} {answered} {shared.hex()}"
    return ChaCha20Poly1305(hmac.new(code_key, text.encode(), hashlib.sha256).digest())


_NONCE: Final = bytes(12)
"""Each key is used once."""


def _share(of: X25519PrivateKey) -> str:
    return of.public_key().public_bytes_raw().hex()


def _reason(content: str) -> str:
    """The reason in a refusal, which older halls write as plain text."""
    try:
        return from_data(json.loads(content))
    except ValueError:
        return content


class JoinRefused(HallUnreachable):
    """The hall rejects the code."""


class Applicant:
    """A table that joins a hall."""

    def __init__(self, code: str, hall: str, board: str) -> None:
        """*code* is as typed. Raises `SettingsError` if it cannot be for *board*."""
        self._code_key = _stretched(read_code(code, board), hall, board)
        self._own = X25519PrivateKey.generate()
        self._asked = _share(self._own)

    def ask(self) -> str:
        """Return the request, to be repeated until answered."""
        return f"join {self._asked} {_proof(self._code_key, self._asked)}"

    def receive(self, text: str) -> str | None:
        """Return the board's key; None if *text* is not our answer. Raises `JoinRefused`."""
        kind, _, rest = text.partition(" ")
        asked, _, content = rest.partition(" ")
        if asked != self._asked:
            return None
        if kind == "refused":
            raise JoinRefused("{reason}", reason=_reason(content))
        share, _, box = content.partition(" ")
        try:
            opened = _box(self._code_key, self._own, share, asked, share).decrypt(
                _NONCE, bytes.fromhex(box), None
            )
        except (ValueError, InvalidTag):
            return None  # sent by another client of the broker
        return opened.decode()


class Ended(StrEnum):
    """Why a code has ended."""

    JOINED = "joined"
    TRIED = "tried"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"


@dataclass(slots=True)
class Invitation:
    """A code and its state."""

    board: str
    code: str
    until_ms: int
    code_key: bytes
    tries: int = 0
    """Wrong attempts."""
    ended: Ended | None = None
    asked: str = ""
    """Request of the table that has joined with it."""
    answer: str = ""

    def end_if_due(self, now_ms: int) -> None:
        """Expire the code if its time is over."""
        if self.ended is None and now_ms >= self.until_ms:
            self.ended = Ended.EXPIRED


class Admission:
    """Admission of tables by key; issues keys for codes."""

    def __init__(
        self, hall: str, keys: HallKeys, clock: Clock, notify: Callable[[], None] = lambda: None
    ) -> None:
        """*hall* is its name at the broker; *notify* is called on changes of invitations."""
        self.lines = HallLines(keys)
        self.notify = notify
        self._hall = hall
        self._keys = keys
        self._clock = clock
        self._invited: dict[str, Invitation] = {}

    def draw(self, board: str) -> Invitation:
        """Return a new code for *board*, not valid yet.

        Takes about 50 ms: call it in a thread.
        """
        code = draw_code(board)
        code_key = _stretched(read_code(code, board), self._hall, board)
        return Invitation(board, code, self._clock() + VALID_MS, code_key)

    def invite(self, drawn: Invitation) -> None:
        """Make *drawn* valid; it replaces an earlier code for the same board."""
        self._invited[drawn.board] = drawn
        self.notify()

    def invitations(self) -> tuple[Invitation, ...]:
        """Return the latest invitation of each board, also for some time after its end."""
        now_ms = self._clock()
        for each in tuple(self._invited.values()):
            each.end_if_due(now_ms)
            if now_ms > each.until_ms + VALID_MS:
                del self._invited[each.board]
        return tuple(self._invited.values())

    def revoke(self, board: str) -> None:
        """Invalidate key and code of *board*. Raises `SettingsError`."""
        self._keys.renew(board)
        invitation = self._invited.get(board)
        if invitation is not None:
            invitation.ended = invitation.ended or Ended.WITHDRAWN
            invitation.asked = ""  # so that the issued key is not repeated
        self.notify()

    def answer(self, board: str, text: str) -> str:
        """Answer a request to join as *board*. Raises `ValueError` for another message."""
        kind, asked, proof = text.split(" ") if len(text) <= _MOST else ("", "", "")
        if kind != "join" or len(bytes.fromhex(asked)) != 32:
            raise ValueError("this does not ask to join")
        invitation = self._invited.get(board)
        if invitation is not None:
            invitation.end_if_due(self._clock())
            if invitation.ended is Ended.JOINED and hmac.compare_digest(
                text.encode(), invitation.asked.encode()
            ):
                return invitation.answer
        if invitation is None or invitation.ended is not None:
            return _refusal(
                asked,
                Phrase(
                    "no code for the board {board} is open: it was used, has expired or ended after wrong "
                    "tries; ask the arbiter for a new one",
                    board=board,
                ),
            )
        if not hmac.compare_digest(proof.encode(), _proof(invitation.code_key, asked).encode()):
            return self._miss(invitation, asked)
        return self._take(invitation, text, asked)

    def _miss(self, invitation: Invitation, asked: str) -> str:
        """Count a wrong attempt and return the refusal."""
        invitation.tries += 1
        left = TRIES - invitation.tries
        if left == 0:
            invitation.ended = Ended.TRIED
        self.notify()
        return _refusal(
            asked,
            Phrase(
                "this is not the code for the board {board}; it ends after so many more wrong tries: {left}",
                board=invitation.board,
                left=left,
            ),
        )

    def _take(self, invitation: Invitation, text: str, asked: str) -> str:
        """Issue a new key to the table; it replaces the board's former one."""
        own = X25519PrivateKey.generate()
        share = _share(own)
        box = _box(invitation.code_key, own, asked, asked, share)
        try:
            self._keys.renew(invitation.board)
        except SettingsError as fault:
            return _refusal(asked, Phrase("the hall cannot keep its keys: {reason}", reason=fault))
        encrypted = box.encrypt(_NONCE, self._keys.key(invitation.board).encode(), None)
        invitation.ended, invitation.asked = Ended.JOINED, text
        invitation.answer = f"joined {asked} {share} {encrypted.hex()}"
        self.notify()
        return invitation.answer


def _refusal(asked: str, reason: str) -> str:
    """Return the refusal of a request."""
    return f"refused {asked} {json.dumps(as_data(reason))}"

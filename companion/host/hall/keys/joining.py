# SPDX-License-Identifier: Apache-2.0
"""Joining of tables: a code gives a table its station's key over a public broker.

A code has 80 random bits, serves one table, and ends after ten minutes or five wrong attempts. The
messages are lines:

- `join SHARE PROOF` from the table: an X25519 share, and an HMAC of it with a key that scrypt
  derives from the code;
- `joined ASKED SHARE BOX` from the hall: its own share, and the key of the station, encrypted by
  ChaCha20-Poly1305 with a key derived from the code and both shares. ASKED is the table's share.
- `refused ASKED PROOF REASON` from the hall, if the code is right but has ended. PROOF is an HMAC
  of the rest with the code's key, so that nobody else can refuse, nor repeat a refusal to another
  request.
- `unknown ASKED` from the hall for a wrong code. They share no key then, so anybody can send it:
  the table waits for a better answer until its patience ends, and says it in its own words.

The code is not in these messages. A recording together with the code does not reveal the key later,
since both private shares are discarded. A table that lost the answer repeats its request and gets
the same answer, also from a hall that was restarted: codes are in a file (see `codes`), which is
written before an answer is sent.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from companion.host.clock import Clock, unix_ms
from companion.host.hall.keys.codes import VALID_MS, CodeFile, Ended, Invitation
from companion.host.hall.keys.keyring import HallKeys
from companion.host.hall.keys.message_auth import HallLines
from companion.model.errors import HallUnreachable, SettingsError
from companion.model.phrase import Phrase, as_data, from_data

_LOG = logging.getLogger(__name__)

TRIES: Final = 5
"""Wrong attempts after which a code ends."""
_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two letters look alike."""
_MISREAD: Final = str.maketrans("OIL", "011")
_RANDOM: Final = 16
"""Random letters of a code before its check letter: 80 bits."""
_MOST: Final = 300
"""Length limit of a message to a hall; ours are shorter."""


def draw_code(station: str) -> str:
    """Return a new code for *station*."""
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return "-".join((drawn[:4], drawn[4:8], drawn[8:12], drawn[12:] + _check(drawn, station)))


def read_code(text: str, station: str) -> str:
    """Parse the code *text*. Raises `SettingsError` if it cannot be for *station*."""
    letters = "".join(text.split()).replace("-", "").upper().translate(_MISREAD)
    drawn, check = letters[:_RANDOM], letters[_RANDOM:]
    if not set(letters) <= set(_LETTERS) or check != _check(drawn, station):
        raise SettingsError(
            "{text!r} is not a code for the board {board}: compare each letter, and the board's "
            "name, with the arbiter's desk",
            text=text,
            board=station,
        )
    return letters


def _check(drawn: str, station: str) -> str:
    """Return the check letter, which detects typing errors and most codes for another station.

    Station and letters are the coefficients of a polynomial over GF(32), evaluated at a generator.
    So each position has another weight: no wrong letter, no swap of two letters remains unnoticed,
    in the code as in the station's name (of which five bits of each character count).
    """
    total = 0
    for value in (*(ord(each) % 32 for each in station), *map(_LETTERS.index, drawn)):
        total = _doubled(total ^ value)
    return _LETTERS[total]


def _doubled(value: int) -> int:
    """Multiply by the generator x of GF(32), modulo x^5 + x^2 + 1."""
    return value << 1 if value < 16 else value << 1 ^ 0b100101


def _stretched(letters: str, hall: str, station: str) -> bytes:
    """Derive the key of a code in about 50 ms and 16 MiB, against guessing."""
    salt = f"companion join {hall}/{station}".encode()
    return hashlib.scrypt(letters.encode(), salt=salt, n=1 << 14, r=8, p=1, dklen=32)


def _proof(code_key: bytes, share: str) -> str:
    return hmac.new(code_key, f"join {share}".encode(), hashlib.sha256).hexdigest()


def _refusal_proof(code_key: bytes, asked: str, reason: str) -> str:
    return hmac.new(code_key, f"refused {asked} {reason}".encode(), hashlib.sha256).hexdigest()


def _box(code_key: bytes, own: X25519PrivateKey, theirs: str, asked: str, answered: str) -> ChaCha20Poly1305:
    """Return the cipher for a station's key, used once.

    Raises `ValueError` for an invalid share.
    """
    shared = own.exchange(X25519PublicKey.from_public_bytes(bytes.fromhex(theirs)))
    text = f"key {asked} {answered} {shared.hex()}"
    return ChaCha20Poly1305(hmac.new(code_key, text.encode(), hashlib.sha256).digest())


_NONCE: Final = bytes(12)
"""Each key is used once."""


def _share(of: X25519PrivateKey) -> str:
    return of.public_key().public_bytes_raw().hex()


class JoinRefused(HallUnreachable):
    """The hall rejects the code."""


class Applicant:
    """A table that joins a hall."""

    def __init__(self, code: str, hall: str, station: str) -> None:
        """*code* is as typed. Raises `SettingsError` if it cannot be for *station*."""
        self._code_key = _stretched(read_code(code, station), hall, station)
        self._own = X25519PrivateKey.generate()
        self._asked = _share(self._own)
        self.is_unknown = False
        """True if somebody at the broker, perhaps the hall, says that the code is unknown."""

    def ask(self) -> str:
        """Return the request, to be repeated until answered."""
        return f"join {self._asked} {_proof(self._code_key, self._asked)}"

    def receive(self, text: str) -> str | None:
        """Return the station's key; None if the hall has not answered. Raises `JoinRefused`."""
        kind, _, rest = text.partition(" ")
        asked, _, content = rest.partition(" ")
        if asked != self._asked:
            return None
        if kind == "unknown":
            self.is_unknown = True
        elif kind == "refused":
            self._end_if_refused(content)
        elif kind == "joined":
            return self._open(content)
        return None

    def _end_if_refused(self, content: str) -> None:
        """Raise `JoinRefused` if *content* is an authentic refusal."""
        proof, _, reason = content.partition(" ")
        if hmac.compare_digest(proof.encode(), _refusal_proof(self._code_key, self._asked, reason).encode()):
            raise JoinRefused("{reason}", reason=from_data(json.loads(reason)))

    def _open(self, content: str) -> str | None:
        """Decrypt the station's key."""
        share, _, box = content.partition(" ")
        asked = self._asked
        try:
            opened = _box(self._code_key, self._own, share, asked, share).decrypt(
                _NONCE, bytes.fromhex(box), None
            )
        except (ValueError, InvalidTag):
            return None  # sent by another client of the broker
        return opened.decode()


class Admission:
    """Admission of tables by key; issues keys for codes."""

    def __init__(
        self,
        hall: str,
        keys: HallKeys,
        clock: Clock,
        notify: Callable[[], None] = lambda: None,
        wall_ms: Clock = unix_ms,
    ) -> None:
        """*hall* is its name at the broker; *notify* is called on changes of invitations.

        Raises `SettingsError` if the file of codes is damaged.
        """
        self.lines = HallLines(keys)
        self.notify = notify
        self._hall = hall
        self._keys = keys
        self._clock = clock
        self._file = CodeFile(keys.codes, clock, wall_ms)
        self._invited = self._file.read()

    def draw(self, station: str) -> Invitation:
        """Return a new code for *station*, not valid yet.

        Takes about 50 ms: call it in a thread.
        """
        code = draw_code(station)
        code_key = _stretched(read_code(code, station), self._hall, station)
        return Invitation(station, self._clock() + VALID_MS, code_key.hex(), code)

    def invite(self, drawn: Invitation) -> None:
        """Make *drawn* valid; it replaces an earlier code for the same station.

        Raises `SettingsError` if it cannot be kept; it is not valid then.
        """
        self._keep(drawn)

    def invitations(self) -> tuple[Invitation, ...]:
        """Return the latest invitation of each station, also for some time after its end."""
        now_ms = self._clock()
        for each in tuple(self._invited.values()):
            self._invited[each.board] = each.at(now_ms)
            if now_ms > each.until_ms + VALID_MS:
                del self._invited[each.board]
        return tuple(self._invited.values())

    def revoke(self, station: str) -> None:
        """Invalidate key and code of *station*. Raises `SettingsError`."""
        invitation = self._invited.get(station)
        if invitation is not None:  # without a request, the issued key is not repeated
            self._keep(replace(invitation.end(Ended.WITHDRAWN), asked="", answer=""))
        self._keys.renew(station)
        self.notify()

    def answer(self, station: str, text: str) -> str:
        """Answer a request to join as *station*.

        Return an empty text if nobody may be told. Raises `ValueError` for another message.
        """
        kind, asked, proof = text.split(" ") if len(text) <= _MOST else ("", "", "")
        if kind != "join" or len(bytes.fromhex(asked)) != 32:
            raise ValueError("this does not ask to join")
        invitation = next((each for each in self.invitations() if each.board == station), None)
        if invitation is None:
            return f"unknown {asked}"
        code_key = bytes.fromhex(invitation.code_key)
        if not hmac.compare_digest(proof.encode(), _proof(code_key, asked).encode()):
            return f"unknown {asked}" if self._count(invitation, text) else ""
        if invitation.ended is Ended.JOINED and invitation.asked == text:
            return invitation.answer
        if invitation.ended is not None:
            return _refusal(code_key, asked, _why_ended(invitation.ended, station))
        return self._take(invitation, code_key, text, asked)

    def _count(self, invitation: Invitation, text: str) -> bool:
        """Count a wrong attempt; False if it could not be written."""
        if invitation.ended is not None or text in invitation.missed:
            return True
        missed = replace(invitation, missed=(*invitation.missed, text))
        if len(missed.missed) == TRIES:
            missed = missed.end(Ended.TRIED)
        try:
            self._keep(missed)
        except SettingsError as fault:
            _LOG.warning("%s", fault)
            return False
        return True

    def _take(self, invitation: Invitation, code_key: bytes, text: str, asked: str) -> str:
        """Issue a new key to the table; it replaces the station's former one."""
        own = X25519PrivateKey.generate()
        share, station = _share(own), invitation.board
        box = _box(code_key, own, asked, asked, share)
        try:
            self._keys.renew(station)
            encrypted = box.encrypt(_NONCE, self._keys.key(station).encode(), None)
            answer = f"joined {asked} {share} {encrypted.hex()}"
            self._keep(replace(invitation.end(Ended.JOINED), asked=text, answer=answer))
        except SettingsError as fault:
            return _refusal(code_key, asked, Phrase("the hall cannot keep its keys: {reason}", reason=fault))
        return answer

    def _keep(self, invitation: Invitation) -> None:
        """Write *invitation*, and then use it. Raises `SettingsError`."""
        after = {**self._invited, invitation.board: invitation}
        self._file.write(after.values())
        self._invited = after
        self.notify()


def _refusal(code_key: bytes, asked: str, reason: Phrase) -> str:
    """Return the authentic refusal of a request."""
    text = json.dumps(as_data(reason))
    return f"refused {asked} {_refusal_proof(code_key, asked, text)} {text}"


def _why_ended(ended: Ended, station: str) -> Phrase:
    match ended:
        case Ended.JOINED:
            return Phrase(
                "the code for the board {board} was used already; ask the arbiter for a new one",
                board=station,
            )
        case Ended.TRIED:
            return Phrase(
                "the code for the board {board} ended after five wrong tries; ask the arbiter for a new one",
                board=station,
            )
        case Ended.EXPIRED:
            return Phrase(
                "the code for the board {board} ended after ten minutes; ask the arbiter for a new one",
                board=station,
            )
        case Ended.WITHDRAWN:
            return Phrase(
                "the arbiter has withdrawn the code for the board {board}; ask for a new one", board=station
            )

# SPDX-License-Identifier: Apache-2.0
"""The code by which two tables find each other, and what is derived from it.

A code has 80 random bits: on a public broker anybody can record messages and try codes. It is never
sent. Room and keys are derived from it by HKDF-SHA256.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Final

from companion.model.errors import InvalidArgument
from companion.model.installation import importing

_LETTERS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no two letters look alike."""
_MISREAD: Final = str.maketrans("OIL", "011")
_RANDOM: Final = 16
"""Random letters of a code before its check letter: 80 bits."""
_GROUP: Final = 4


@dataclass(frozen=True, slots=True)
class Code:
    """A code without hyphens."""

    letters: str

    def __str__(self) -> str:
        groups = [self.letters[at : at + _GROUP] for at in range(0, _RANDOM, _GROUP)]
        return "-".join(groups) + self.letters[_RANDOM:]

    @property
    def room(self) -> str:
        """The name under which the tables meet; it does not reveal the code."""
        return self.derived(b"room", 16).hex()

    def of_board(self, number: int) -> Code:
        """Return the code of board *number* of a match that has this one."""
        drawn = self.derived(f"board {number}".encode(), _RANDOM)
        letters = "".join(_LETTERS[byte % len(_LETTERS)] for byte in drawn)
        return Code(letters + _check(letters))

    def derived(self, purpose: bytes, length: int = 32) -> bytes:
        """Return *length* bytes for *purpose*. Raises `ExtraMissing` without the library."""
        with importing("two tables need {library}, which is not installed: {install}", extra="online"):
            from cryptography.hazmat.primitives.hashes import SHA256
            from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        return HKDF(SHA256(), length, b"companion two tables", purpose).derive(self.letters.encode())


def draw_code() -> Code:
    """Return a new code."""
    drawn = "".join(secrets.choice(_LETTERS) for _ in range(_RANDOM))
    return Code(drawn + _check(drawn))


def read_code(text: str) -> Code:
    """Parse *text*, as people type it. Raises `InvalidArgument`.

    >>> str(read_code("0000 0000 0000 0000 0"))
    '0000-0000-0000-00000'
    """
    letters = "".join(text.split()).replace("-", "").upper().translate(_MISREAD)
    drawn, check = letters[:_RANDOM], letters[_RANDOM:]
    if len(drawn) != _RANDOM or not set(letters) <= set(_LETTERS) or check != _check(drawn):
        raise InvalidArgument(
            "{text!r} is neither a place to play, such as lichess, nor a code of another table: "
            "compare each letter with the other table's",
            text=text,
        )
    return Code(letters)


def _check(drawn: str) -> str:
    """Return the check letter: every wrong letter and every swap of two changes it.

    The letters are the coefficients of a polynomial over GF(32), evaluated at a generator.
    """
    total = 0
    for letter in drawn:
        total = (total << 1) ^ (0b100101 if total & 16 else 0) ^ _LETTERS.index(letter)
    return _LETTERS[total]

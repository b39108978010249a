# SPDX-License-Identifier: Apache-2.0
"""The solution of Close Quarters under one choice of options, as bytes.

One byte for each position: the distance in plies, or a draw. The board looks the same from all four
corners, so only positions with the Sword on a1 to b4 are stored; others are mirrored.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

from companion.model.grid import OFF, Cell
from companion.model.pieces import Side
from companion.opponent.close_quarters.numbers import BASE
from companion.opponent.close_quarters.paths import FILES, RANKS, MoveOptions

VERSION: Final = 1
DRAWN: Final = 254
INVALID: Final = 255
"""Two pieces on one cell, or a finished game with the winner to move."""

QUARTER: Final = tuple(rank * FILES + file for rank in range(RANKS // 2) for file in range(FILES // 2))
"""Cells of the Sword with stored positions."""
SIZE: Final = 2 * len(QUARTER) * BASE**3
SHIPPED: Final = MoveOptions("one-or-two", "no", "straight-first")
"""The options of the solution that the program brings along: the default ones."""


class DamagedTablebase(ValueError):
    """Bytes are not a tablebase of this version for these options."""


class Tablebase:
    """The value of all positions under *options*."""

    def __init__(self, options: MoveOptions, plies: bytes) -> None:
        """*plies* has a byte for each position: side to move, Sword in `QUARTER`, other pieces."""
        if len(plies) != SIZE:
            raise DamagedTablebase(f"{len(plies)} bytes instead of {SIZE}")
        self.options = options
        self.plies = plies

    def distance(self, turn: Side, cells: Sequence[Cell]) -> int | None:
        """The plies to the end of the game with best play; None in a draw.

        If it is odd, the side to move wins; if it is even, it loses.
        *cells* are those of Sword, Spear, Mace and Axe, or OFF. The game is not over yet.
        Raises `ValueError` for a position that is not stored.
        """
        plies = INVALID if cells[0] == OFF else self.plies[_index(turn, cells)]
        if plies == INVALID:
            raise ValueError(f"no position with {cells} and side {turn} to move is stored")
        return None if plies == DRAWN else plies

    def packed(self) -> bytes:
        """The contents of a file: version and options, checksum, compressed distances."""
        head, body = _head(self.options), zlib.compress(self.plies, 9)
        return head + hashlib.sha256(head + body).digest() + body


def unpack(data: bytes, options: MoveOptions) -> Tablebase:
    """The tablebase in the file contents *data*. Raises `DamagedTablebase`."""
    head = _head(options)
    if not data.startswith(head):
        raise DamagedTablebase("it is of another version, or of other options")
    end = len(head) + hashlib.sha256().digest_size
    body = data[end:]
    if hashlib.sha256(head + body).digest() != data[len(head) : end]:
        raise DamagedTablebase("its checksum differs")
    return Tablebase(options, zlib.decompress(body))


@cache
def shipped() -> Tablebase:
    """The solution under the default options."""
    file = resources.files(__package__) / f"{name_of(SHIPPED)}"
    return unpack(file.read_bytes(), SHIPPED)


def name_of(options: MoveOptions) -> str:
    """The name of the file with the solution under *options*."""
    return f"close-quarters.{'.'.join(options)}.tablebase"


def _index(turn: Side, cells: Sequence[Cell]) -> int:
    """The place of a position in `Tablebase.plies`, mirrored so that the Sword is in `QUARTER`."""
    rank, file = divmod(cells[0], FILES)
    mirror = (FILES - 1 if file >= FILES // 2 else 0) + (FILES * (RANKS - 1) if rank >= RANKS // 2 else 0)
    index = turn * len(QUARTER) + QUARTER.index(cells[0] ^ mirror)
    for cell in cells[1:]:
        index = index * BASE + (BASE - 1 if cell == OFF else cell ^ mirror)
    return index


def _head(options: MoveOptions) -> bytes:
    """The first line of the file for *options*."""
    return f"Companion tablebase {VERSION} close-quarters {' '.join(options)}\n".encode()

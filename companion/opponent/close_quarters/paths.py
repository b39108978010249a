# SPDX-License-Identifier: Apache-2.0
"""How the pieces of Close Quarters move, as tables of cells and bit masks.

The tables are derived from the geometry of the board, not from `companion.games`: the tests
compare both.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

FILES: Final = 4
RANKS: Final = 8
CELLS: Final = FILES * RANKS

SWORD, SPEAR, MACE, AXE = range(4)
"""The pieces, in the order of the fields of a position."""

_STRAIGHT: Final = ((0, 1), (1, 0), (0, -1), (-1, 0))
_DIAGONAL: Final = ((1, 1), (1, -1), (-1, -1), (-1, 1))


class Path(NamedTuple):
    """A way from one cell to another."""

    target: int
    masks: tuple[int, ...]
    """Sets of cells, as bits; all cells of one of them must be empty."""


class MoveOptions(NamedTuple):
    """The options of the game that decide how pieces move."""

    sword: str
    sword_jumps: str
    mace_path: str

    @classmethod
    def of(cls, options: Mapping[str, str]) -> MoveOptions:
        """Those among the *options* of a game."""
        return cls(options["sword"], options["sword_jumps"], options["mace_path"])


def paths(piece: int, cell: int, options: MoveOptions) -> list[Path]:
    """The paths of *piece* from *cell* on the empty board, one for each target."""
    if piece == MACE:
        return list(_mace_paths(cell, is_either=options.mace_path == "either"))
    directions = {SWORD: _STRAIGHT + _DIAGONAL, SPEAR: _STRAIGHT, AXE: _DIAGONAL}[piece]
    reach = RANKS if piece != SWORD else 1 if options.sword == "king" else 2
    is_jumping = piece == SWORD and options.sword_jumps == "yes"
    return list(_rays(cell, directions, reach, is_jumping=is_jumping))


def _rays(
    cell: int, directions: tuple[tuple[int, int], ...], reach: int, *, is_jumping: bool
) -> Iterator[Path]:
    """The paths along *directions*; pieces on the way block them unless the piece jumps."""
    rank, file = divmod(cell, FILES)
    for right, ahead in directions:
        between = 0
        for distance in range(1, reach + 1):
            target = _cell(file + right * distance, rank + ahead * distance)
            if target is None:
                break
            yield Path(target, (0 if is_jumping else between,))
            between |= 1 << target


def _mace_paths(cell: int, *, is_either: bool) -> Iterator[Path]:
    """The L of the Mace: the long leg first, with *is_either* also the short one."""
    rank, file = divmod(cell, FILES)
    for long in _STRAIGHT:
        for short in _STRAIGHT:
            target = _cell(file + 2 * long[0] + short[0], rank + 2 * long[1] + short[1])
            if target is None or long[0] * short[0] + long[1] * short[1] != 0:
                continue
            legs = [(long, long)] + ([(short, long)] if is_either else [])
            yield Path(target, tuple(_mask(file, rank, way) for way in legs))


def _mask(file: int, rank: int, way: tuple[tuple[int, int], ...]) -> int:
    """The cells that *way* enters, as bits; they are on the board."""
    mask = 0
    for right, ahead in way:
        file, rank = file + right, rank + ahead
        mask |= 1 << (rank * FILES + file)
    return mask


def _cell(file: int, rank: int) -> int | None:
    """The number of a cell; None beyond the edge."""
    return rank * FILES + file if 0 <= file < FILES and 0 <= rank < RANKS else None

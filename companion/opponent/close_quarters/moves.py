# SPDX-License-Identifier: Apache-2.0
"""Moves of many positions of Close Quarters at once, with NumPy, forwards and backwards.

Positions are numbers as in `numbers`; the side to move is not part of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from companion.opponent.close_quarters.numbers import BASE, GONE, WEIGHTS
from companion.opponent.close_quarters.paths import AXE, CELLS, MACE, SPEAR, SWORD, MoveOptions, paths

Numbers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]

WEAPONS: Final = (SPEAR, MACE, AXE)
MOVERS: Final = ((SWORD,), WEAPONS)
"""The pieces of each side."""

_BITS: Final = np.array([1 << cell for cell in range(CELLS)] + [0], np.int64)
_BLOCKED: Final = (1 << CELLS) - 1
"""A mask that is never free of pieces, for cells without the path."""


class _Slot(NamedTuple):
    """For each cell one path from it or to it, in arrays by cell."""

    ends: Numbers
    """The cell at the other end."""
    masks: tuple[Numbers, Numbers]
    """Two ways, of which one must be empty; both are the same for most pieces."""

    def is_free(self, at: Numbers, occupied: Numbers) -> Flags:
        """Where no piece is between *at* and the other end."""
        first, second = self.masks
        is_free: Flags = ((first[at] & occupied) == 0) | ((second[at] & occupied) == 0)
        return is_free


class Moves:
    """The moves of both sides under *options*."""

    def __init__(self, options: MoveOptions) -> None:
        self._leaving: list[list[_Slot]] = []
        self._arriving: list[list[_Slot]] = []
        for piece in (SWORD, *WEAPONS):
            leaving: list[list[tuple[int, Sequence[int]]]] = [[] for _ in range(CELLS)]
            arriving: list[list[tuple[int, Sequence[int]]]] = [[] for _ in range(CELLS)]
            for cell in range(CELLS):
                for path in paths(piece, cell, options):
                    leaving[cell].append((path.target, path.masks))
                    arriving[path.target].append((cell, path.masks))
            self._leaving.append(_slots(leaving))
            self._arriving.append(_slots(arriving))

    def successors(self, side: int, numbers: Numbers) -> Iterator[tuple[Flags, Numbers]]:
        """For each kind of move: where it is legal in *numbers*, and the resulting positions.

        The positions must be valid, and the game must not have ended in them.
        """
        cells = cells_of(numbers)
        occupied = _occupied(cells)
        for piece in MOVERS[side]:
            at = cells[piece]
            for slot in self._leaving[piece]:
                target = slot.ends[at]
                is_legal = slot.is_free(at, occupied)
                for own in MOVERS[side]:
                    is_legal &= cells[own] != target
                after = numbers + (target - at) * WEIGHTS[piece]
                for enemy in MOVERS[1 - side]:
                    after += (cells[enemy] == target) * (GONE - target) * WEIGHTS[enemy]
                yield is_legal, after

    def predecessors(self, side: int, numbers: Numbers) -> Iterator[Numbers]:
        """The positions from which a move of *side* leads to one of *numbers*.

        A position occurs once for each of these moves.
        """
        cells = cells_of(numbers)
        occupied = _occupied(cells)
        is_going = is_alive(cells, 0) & is_alive(cells, 1)
        for piece in MOVERS[side]:
            at = cells[piece]
            for slot in self._arriving[piece]:
                source = slot.ends[at]
                is_legal = slot.is_free(at, occupied) & ((_BITS[source] & occupied) == 0)
                before = numbers + (source - at) * WEIGHTS[piece]
                yield before[is_legal & is_going]
                for enemy in MOVERS[1 - side]:
                    is_capture = is_legal & (cells[enemy] == GONE)
                    yield before[is_capture] + (at[is_capture] - GONE) * WEIGHTS[enemy]


def cells_of(numbers: Numbers) -> list[Numbers]:
    """The cell of each piece."""
    return [numbers // weight % BASE for weight in WEIGHTS]


def is_alive(cells: Sequence[Numbers], side: int) -> Flags:
    """Where *side* has a piece."""
    found: Flags = np.logical_or.reduce([cells[piece] != GONE for piece in MOVERS[side]])
    return found


def is_apart(cells: Sequence[Numbers]) -> Flags:
    """Where no two pieces share a cell."""
    found: Flags = _occupied(cells) == np.add.reduce([_BITS[at] for at in cells])
    return found


def _occupied(cells: Sequence[Numbers]) -> Numbers:
    """The occupied cells, as bits."""
    found: Numbers = np.bitwise_or.reduce([_BITS[at] for at in cells])
    return found


def _slots(found: list[list[tuple[int, Sequence[int]]]]) -> list[_Slot]:
    """Arrange the paths *found* at each cell; a cell with fewer paths has blocked ones."""
    slots = []
    for index in range(max(map(len, found))):
        ends, first, second = (np.full(BASE, filler, np.int64) for filler in (0, _BLOCKED, _BLOCKED))
        for cell, each in enumerate(found):
            if index < len(each):
                end, masks = each[index]
                ends[cell], first[cell], second[cell] = end, masks[0], masks[-1]
        slots.append(_Slot(ends, (first, second)))
    return slots

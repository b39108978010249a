# SPDX-License-Identifier: Apache-2.0
"""Retrograde analysis of Close Quarters with NumPy, from the final positions backwards.

A distance counts plies with best play: the winner wants few, the loser many. If it is odd, the side
to move wins; if it is even, it loses. A position without a distance is a draw: each side can
prevent the other from winning for ever. The rules have no draw by repetition: such a game does not
end.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from companion.opponent.close_quarters.moves import Flags, Moves, Numbers, cells_of, is_alive, is_apart
from companion.opponent.close_quarters.numbers import BASE, POSITIONS, WEIGHTS
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import DRAWN, INVALID, QUARTER, Tablebase


class Progress(NamedTuple):
    """How far an analysis is."""

    plies: int
    decided: int
    """Positions of both sides with a distance so far."""


class Solver:
    """The analysis of all positions under *options*; `steps` carries it out."""

    def __init__(self, options: MoveOptions) -> None:
        self.options = options
        self.moves = Moves(options)
        self.plies = np.full((2, POSITIONS), DRAWN, np.uint8)
        """Distances with the Sword and with the weapons to move, by number."""
        self._open = np.zeros((2, POSITIONS), np.int8)
        """How many moves may still be better than losing."""

    def steps(self) -> Iterator[Progress]:
        """Analyse; each step decides the positions with a distance of one more ply."""
        frontier = [self._final(side) for side in range(2)]
        decided = plies = 0
        while any(map(len, frontier)):
            decided += sum(map(len, frontier))
            yield Progress(plies, decided)
            plies += 1
            if plies == DRAWN:
                raise OverflowError("a distance does not fit into a byte: use two in `Tablebase`")
            frontier = [self._decide(side, plies, frontier[1 - side]) for side in range(2)]

    def tablebase(self) -> Tablebase:
        """The result, when all steps are done."""
        quarter = self.plies.reshape(2, BASE, BASE**3)[:, QUARTER]
        return Tablebase(self.options, quarter.tobytes())

    def _final(self, side: int) -> Numbers:
        """Mark invalid positions, count the moves of the others; return the lost ones."""
        plies, moves = self.plies[side], self._open[side]
        for first in range(0, POSITIONS, WEIGHTS[0]):
            numbers = np.arange(first, first + WEIGHTS[0])
            cells = cells_of(numbers)
            is_valid = is_apart(cells) & is_alive(cells, 1 - side)
            plies[numbers[~is_valid]] = INVALID
            going = numbers[is_valid & is_alive(cells, side)]
            for is_legal, _ in self.moves.successors(side, going):
                moves[going] += is_legal
        lost = np.flatnonzero((plies == DRAWN) & (moves == 0))
        plies[lost] = 0
        return lost

    def _decide(self, side: int, plies: int, decided: Numbers) -> Numbers:
        """Find positions with *side* to move at a distance of *plies*.

        *decided* are the positions after the move, at one ply less.
        """
        distances, moves = self.plies[side], self._open[side]
        is_found: Flags
        if plies % 2:
            is_found = np.zeros(POSITIONS, np.bool_)
            for numbers in self.moves.predecessors(side, decided):
                is_found[numbers] = True
            is_found &= distances == DRAWN
        else:
            for numbers in self.moves.predecessors(side, decided):
                moves -= np.bincount(numbers, minlength=POSITIONS).astype(np.int8)
            is_found = (distances == DRAWN) & (moves == 0)
        found = np.flatnonzero(is_found)
        distances[found] = plies
        return found

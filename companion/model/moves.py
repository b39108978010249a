# SPDX-License-Identifier: Apache-2.0
"""Physical effect of a move on the pieces: steps, and the footprint derived from them.

A game's own move value is compact and opaque; hands and sensors know its steps only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class Step:
    """Effect of a move on one piece: it moves, enters, leaves, turns or is flipped."""

    piece: Piece
    """The piece before the step, on the board or in the hand."""
    source: tuple[Cell, ...]
    """The cells it covers before; () if it enters the board."""
    target: tuple[Cell, ...]
    """The cells it covers after; () if it leaves the board."""
    becomes: Piece
    """The piece after the step; equal to *piece* for a plain move."""

    @classmethod
    def move(cls, piece: Piece, source: Cell, target: Cell) -> Step:
        """A one-cell piece moves from *source* to *target* unchanged."""
        return cls(piece, (source,), (target,), piece)

    @classmethod
    def remove(cls, piece: Piece, *cells: Cell) -> Step:
        """A piece leaves the board."""
        return cls(piece, cells, (), piece)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Changes that a sensor may find after a move, as occupancies.

    Derived from the steps; independent of the order in which hands make them.
    """

    steps: tuple[Step, ...]
    emptied: Occupancy
    """Occupied before, empty after."""
    filled: Occupancy
    """Empty before, occupied after."""
    exchanged: Occupancy
    """Occupied before and after by different pieces: a capture or a swap."""
    lifted: Occupancy
    """Cells whose piece must be lifted:
    `emptied`, `exchanged` and the kept cells of a long piece.
    """
    altered: Occupancy
    """Cells whose piece stays and is turned, flipped or laid down."""

    @classmethod
    def of(cls, steps: Iterable[Step]) -> Footprint:
        """The footprint of *steps*."""
        steps = tuple(steps)
        before = after = lifted = altered = 0
        for step in steps:
            source, target = occupancy_of(step.source), occupancy_of(step.target)
            if source == target:
                altered |= source
            else:
                before |= source
                after |= target
                lifted |= source
        exchanged = 0
        for step in steps:
            if step.source != step.target:
                others = occupancy_of(
                    cell
                    for other in steps
                    if other is not step and other.source != other.target
                    for cell in other.source
                )
                exchanged |= occupancy_of(step.target) & others
        return cls(
            steps=steps,
            emptied=before & ~after,
            filled=after & ~before,
            exchanged=exchanged,
            lifted=lifted,
            altered=altered,
        )

    @property
    def only_empties(self) -> bool:
        """True if an occupancy sensor sees lifted pieces only, none put down."""
        return not self.filled and not self.exchanged and bool(self.emptied)

    @property
    def is_traceless(self) -> bool:
        """True if an occupancy sensor sees nothing of this move."""
        return not (self.filled or self.emptied or self.exchanged)

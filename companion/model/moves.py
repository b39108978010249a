# SPDX-License-Identifier: Apache-2.0
"""What a move does to the wood: steps, and the footprint derived from them.

A game's own move value is compact and opaque; hands and sensors know only its steps.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class Step:
    """What a move does to one piece: it moves, enters, leaves, turns or is flipped."""

    piece: Piece
    """The piece as it stands before, or as it lies in the hand."""
    source: tuple[Cell, ...]
    """The cells it covers before; () if it enters the board."""
    target: tuple[Cell, ...]
    """The cells it covers after; () if it leaves the board."""
    becomes: Piece
    """The piece as it stands after; the same as *piece* for a plain move."""

    @classmethod
    def move(cls, piece: Piece, source: Cell, target: Cell) -> Step:
        """A one-cell piece goes from *source* to *target* and stays as it is."""
        return cls(piece, (source,), (target,), piece)

    @classmethod
    def remove(cls, piece: Piece, *cells: Cell) -> Step:
        """A piece leaves the board."""
        return cls(piece, cells, (), piece)


@dataclass(frozen=True, slots=True)
class Footprint:
    """What a sensor may find changed by a move, as occupancies; derived from the steps, in any order of hands."""

    steps: tuple[Step, ...]
    emptied: Occupancy
    """Occupied before, empty after."""
    filled: Occupancy
    """Empty before, occupied after."""
    exchanged: Occupancy
    """Occupied before and after, by different pieces: the cells where a capture or a swap happened."""
    lifted: Occupancy
    """Cells whose piece a hand must move or take off: `emptied`, `exchanged` and what a long piece keeps."""
    altered: Occupancy
    """Cells whose piece stays and only turns, is flipped or laid down."""

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
        """True if to an occupancy sensor this move looks like pieces lifted and not yet put down."""
        return not self.filled and not self.exchanged and bool(self.emptied)

    @property
    def is_traceless(self) -> bool:
        """True if an occupancy sensor sees nothing of this move."""
        return not (self.filled or self.emptied or self.exchanged)

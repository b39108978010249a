# SPDX-License-Identifier: Apache-2.0
"""The pieces of a virtual table: which stand on the board, which is in the hand, which lie in the box.

Pure, and it knows no rules: like wood, anything can be put anywhere.
Of what happens here a panel sees only which cells are covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy
from companion.model.pieces import Piece
from companion.model.placement import Placement


@dataclass(frozen=True, slots=True)
class Held:
    """The piece in the hand."""

    piece: Piece
    came_from: Cell | None
    """The cell it was lifted from; None if it came from the box."""


@dataclass(frozen=True, slots=True)
class Wood:
    """All pieces of a table, each covering one cell when it stands on the board."""

    standing: Placement
    hand: Held | None = None
    box: tuple[Piece, ...] = ()
    """Captured and not yet set up, in the order in which they came."""

    @property
    def occupied(self) -> Occupancy:
        """The covered cells."""
        return self.standing.occupancy

    def lift(self, cell: Cell) -> Wood:
        """With the piece from *cell* in the hand; unchanged if there is none, or if the hand is full."""
        piece = self.standing.at(cell)
        if piece is None or self.hand is not None:
            return self
        return replace(self, standing=self._without(cell), hand=Held(piece, cell))

    def clear(self, cell: Cell) -> Wood:
        """With the piece from *cell* in the box, whatever the hand holds; unchanged if there is none."""
        piece = self.standing.at(cell)
        if piece is None:
            return self
        return replace(self, standing=self._without(cell), box=(*self.box, piece))

    def drop(self, cell: Cell) -> Wood:
        """With the piece in the hand on *cell*; unchanged if the hand is empty or the cell covered."""
        if self.hand is None or self.standing.at(cell) is not None:
            return self
        standing = Placement((*self.standing.entries, (self.hand.piece, (cell,))))
        return replace(self, standing=standing, hand=None)

    def put_away(self) -> Wood:
        """With the piece in the hand in the box; unchanged if the hand is empty."""
        if self.hand is None:
            return self
        return replace(self, hand=None, box=(*self.box, self.hand.piece))

    def take(self, index: int) -> Wood:
        """With piece *index* of the box in the hand; unchanged if there is none, or if the hand is full."""
        if self.hand is not None or not 0 <= index < len(self.box):
            return self
        box = (*self.box[:index], *self.box[index + 1 :])
        return replace(self, hand=Held(self.box[index], None), box=box)

    def _without(self, cell: Cell) -> Placement:
        """The placement without what stands on *cell*."""
        return Placement(tuple(entry for entry in self.standing.entries if cell not in entry[1]))

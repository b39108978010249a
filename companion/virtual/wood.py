# SPDX-License-Identifier: Apache-2.0
"""The pieces of a virtual table: which stand on the board, which is in the hand, which lie in the box.

Pure, and it knows no rules: like wood, anything can be put anywhere.
Of what happens here a panel sees only which cells are covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from companion.model.grid import Cell, Grid
from companion.model.occupancy import Occupancy
from companion.model.pieces import Piece
from companion.model.placement import Placement

Shape: TypeAlias = tuple[tuple[int, int], ...]
"""The cells that a piece covers: files to the right and ranks ahead of the cell under the hand."""

SINGLE: Final[Shape] = ((0, 0),)


@dataclass(frozen=True, slots=True)
class Loose:
    """A piece in the hand or in the box."""

    piece: Piece
    came_from: Cell | None = None
    """Where the hand took hold of it; None if it comes from the box."""
    shape: Shape = SINGLE


@dataclass(frozen=True, slots=True)
class Wood:
    """All pieces of a table."""

    standing: Placement
    hand: Loose | None = None
    box: tuple[Loose, ...] = ()
    """Captured and not yet set up, in the order in which they came."""
    grid: Grid | None = None
    """Known where pieces may be turned, or cover several cells."""

    @property
    def occupied(self) -> Occupancy:
        """The covered cells."""
        return self.standing.occupancy

    def reach(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells that the piece in the hand would cover on *cell*; () if it would stick out of the board."""
        if self.hand is None or self.grid is None or self.hand.shape == SINGLE:
            return (cell,)
        files, ranks = self.grid.files, self.grid.ranks
        spots = [(cell % files + right, cell // files + ahead) for right, ahead in self.hand.shape]
        is_within = all(0 <= file < files and 0 <= rank < ranks for file, rank in spots)
        return tuple(rank * files + file for file, rank in spots) if is_within else ()

    def lift(self, cell: Cell) -> Wood:
        """With the piece from *cell* in the hand; unchanged if there is none, or if the hand is full."""
        entry = self.standing.entry_at(cell)
        if entry is None or self.hand is not None:
            return self
        return replace(
            self, standing=self._without(cell), hand=Loose(entry[0], cell, self._shape(entry[1], cell))
        )

    def clear(self, *cells: Cell) -> Wood:
        """With all pieces from *cells* in the box, whatever the hand holds."""
        wood = self
        for cell in cells:
            entry = wood.standing.entry_at(cell)
            if entry is not None:
                loose = Loose(entry[0], shape=self._shape(entry[1], entry[1][0]))
                wood = replace(wood, standing=wood._without(cell), box=(*wood.box, loose))
        return wood

    def drop(self, cell: Cell) -> Wood:
        """With the piece in the hand on *cell*; unchanged if it has no room there, or if the hand is empty."""
        cells = self.reach(cell)
        if self.hand is None or not cells or any(self.standing.at(each) for each in cells):
            return self
        standing = Placement((*self.standing.entries, (self.hand.piece, tuple(sorted(cells)))))
        return replace(self, standing=standing, hand=None)

    def turn(self) -> Wood:
        """With the piece in the hand turned clockwise: a long one by a quarter, another by one step of its facing."""
        if self.hand is None or self.grid is None:
            return self
        hand, steps = self.hand, len(self.grid.steps)
        by = 1 if hand.shape == SINGLE else steps // 4
        facing = None if hand.piece.facing is None else (hand.piece.facing + by) % steps
        shape = tuple((ahead, -right) for right, ahead in hand.shape)
        return replace(self, hand=replace(hand, piece=replace(hand.piece, facing=facing), shape=shape))

    def put_away(self) -> Wood:
        """With the piece in the hand in the box; unchanged if the hand is empty."""
        if self.hand is None:
            return self
        return replace(self, hand=None, box=(*self.box, replace(self.hand, came_from=None)))

    def take(self, index: int) -> Wood:
        """With piece *index* of the box in the hand; unchanged if there is none, or if the hand is full."""
        if self.hand is not None or not 0 <= index < len(self.box):
            return self
        return replace(self, hand=self.box[index], box=(*self.box[:index], *self.box[index + 1 :]))

    def stand(self, piece: Piece, cells: tuple[Cell, ...]) -> Wood:
        """With *piece* on *cells*: one of its kind and side from the box, or a spare one that was not on the table."""
        box = list(self.box)
        likes = (loose for loose in box if (loose.piece.kind, loose.piece.side) == (piece.kind, piece.side))
        if like := next(likes, None):
            box.remove(like)
        return replace(self, standing=Placement((*self.standing.entries, (piece, cells))), box=tuple(box))

    def _shape(self, cells: tuple[Cell, ...], grip: Cell) -> Shape:
        """How *cells* lie around *grip*."""
        if len(cells) == 1 or self.grid is None:
            return SINGLE
        files = self.grid.files
        return tuple((cell % files - grip % files, cell // files - grip // files) for cell in cells)

    def _without(self, cell: Cell) -> Placement:
        """The placement without what stands on *cell*."""
        return Placement(tuple(entry for entry in self.standing.entries if cell not in entry[1]))

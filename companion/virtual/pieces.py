# SPDX-License-Identifier: Apache-2.0
"""Pieces of a virtual table: on the board, in the hand, in the box.

Pure and without rules: any piece can be put on any cell.
A panel sees covered cells only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from companion.model.grid import Cell, Grid
from companion.model.occupancy import Occupancy
from companion.model.pieces import Figure, Piece
from companion.model.placement import Placement

Shape: TypeAlias = tuple[tuple[int, int], ...]
"""Cells of a piece, relative to the cell under the hand.

Each is (files to the right, ranks ahead).
"""

SINGLE: Final[Shape] = ((0, 0),)


@dataclass(frozen=True, slots=True)
class UnplacedPiece:
    """A piece in the hand or in the box."""

    piece: Piece
    came_from: Cell | None = None
    """The cell at which the hand took it; None if it comes from the box."""
    shape: Shape = SINGLE
    taken: Piece | None = field(default=None, compare=False)
    """The piece as the hand took it; None in the box."""

    @property
    def is_turned(self) -> bool:
        """True if the hand has rotated it or turned it over."""
        return self.taken is not None and self.taken != self.piece


@dataclass(frozen=True, slots=True)
class PieceSet:
    """All pieces of a table."""

    standing: Placement
    hand: UnplacedPiece | None = None
    box: tuple[UnplacedPiece, ...] = ()
    """Captured or not yet placed, in the order of arrival."""
    grid: Grid | None = None
    """Needed where pieces may be turned, or cover several cells."""
    figures: tuple[Figure, ...] = ()
    """The known pieces with several faces."""

    @property
    def occupied(self) -> Occupancy:
        """The covered cells."""
        return self.standing.occupancy

    def reach(self, cell: Cell) -> tuple[Cell, ...]:
        """The cells that the held piece would cover on *cell*; () if off board."""
        if self.hand is None or self.grid is None or self.hand.shape == SINGLE:
            return (cell,)
        files, ranks = self.grid.files, self.grid.ranks
        spots = [(cell % files + right, cell // files + ahead) for right, ahead in self.hand.shape]
        is_within = all(0 <= file < files and 0 <= rank < ranks for file, rank in spots)
        return tuple(rank * files + file for file, rank in spots) if is_within else ()

    def lift(self, cell: Cell) -> PieceSet:
        """With the piece from *cell* in the hand.

        Unchanged without a piece, or with a full hand.
        """
        entry = self.standing.entry_at(cell)
        if entry is None or self.hand is not None:
            return self
        return replace(
            self,
            standing=self._without(cell),
            hand=UnplacedPiece(entry[0], cell, self._shape(entry[1], cell), entry[0]),
        )

    def clear(self, *cells: Cell) -> PieceSet:
        """With all pieces from *cells* in the box, whether or not the hand is full."""
        pieces = self
        for cell in cells:
            entry = pieces.standing.entry_at(cell)
            if entry is not None:
                loose = UnplacedPiece(entry[0], shape=self._shape(entry[1], entry[1][0]))
                pieces = replace(pieces, standing=pieces._without(cell), box=(*pieces.box, loose))
        return pieces

    def drop(self, cell: Cell) -> PieceSet:
        """With the piece in the hand on *cell*; unchanged without space or piece."""
        cells = self.reach(cell)
        if self.hand is None or not cells or any(self.standing.at(each) for each in cells):
            return self
        standing = Placement((*self.standing.entries, (self.hand.piece, tuple(sorted(cells)))))
        return replace(self, standing=standing, hand=None)

    def turn(self, *, back: bool = False) -> PieceSet:
        """With the piece in the hand turned clockwise, or *back*.

        A long piece by a quarter, others by one step.
        """
        if self.hand is None or self.grid is None:
            return self
        hand, steps, way = self.hand, len(self.grid.steps), -1 if back else 1
        by = way if hand.shape == SINGLE else way * steps // 4
        facing = None if hand.piece.facing is None else (hand.piece.facing + by) % steps
        shape = tuple((way * ahead, -way * right) for right, ahead in hand.shape)
        return replace(self, hand=replace(hand, piece=replace(hand.piece, facing=facing), shape=shape))

    def turn_on(self, cell: Cell, *, back: bool = False) -> PieceSet:
        """With the piece on *cell* turned by one step.

        Unchanged if it is long or has no front.
        """
        entry = self.standing.entry_at(cell)
        if entry is None or self.grid is None or entry[0].facing is None or len(entry[1]) > 1:
            return self
        facing = (entry[0].facing + (-1 if back else 1)) % len(self.grid.steps)
        return self._instead(cell, replace(entry[0], facing=facing))

    def faces(self, piece: Piece) -> tuple[Piece, ...]:
        """All faces of *piece*, the upper one included; () if it has only one."""
        alike = (piece.kind, piece.side, piece.pose)
        found = (
            figure.faces
            for figure in self.figures
            if alike in {(face.kind, face.side, face.pose) for face in figure.faces}
        )
        return next(found, ())

    def flipped(self, piece: Piece) -> Piece:
        """*piece* with its next face up and the same facing, if that face has one."""
        faces = self.faces(piece)
        if not faces:
            return piece
        up = next(number for number, face in enumerate(faces) if face.pose == piece.pose)
        turned = faces[(up + 1) % len(faces)]
        has_facing = turned.facing is not None and piece.facing is not None
        return replace(turned, facing=piece.facing) if has_facing else turned

    def flip(self, cell: Cell | None = None) -> PieceSet:
        """With the next face up of the piece on *cell*, or in the hand.

        Unchanged without such a piece.
        """
        if cell is not None:
            piece = self.standing.at(cell)
            return self if piece is None else self._instead(cell, self.flipped(piece))
        if self.hand is None:
            return self
        return replace(self, hand=replace(self.hand, piece=self.flipped(self.hand.piece)))

    def put_away(self) -> PieceSet:
        """With the piece in the hand in the box; unchanged if the hand is empty."""
        if self.hand is None:
            return self
        return replace(self, hand=None, box=(*self.box, replace(self.hand, came_from=None, taken=None)))

    def take(self, index: int) -> PieceSet:
        """With piece *index* of the box in the hand.

        Unchanged without such a piece, or with a full hand.
        """
        if self.hand is not None or not 0 <= index < len(self.box):
            return self
        hand = replace(self.box[index], taken=self.box[index].piece)
        return replace(self, hand=hand, box=(*self.box[:index], *self.box[index + 1 :]))

    def stand(self, piece: Piece, cells: tuple[Cell, ...]) -> PieceSet:
        """With *piece* on *cells*: an equal one from the box, or else a new one."""
        box = list(self.box)
        likes = (loose for loose in box if (loose.piece.kind, loose.piece.side) == (piece.kind, piece.side))
        if like := next(likes, None):
            box.remove(like)
        return replace(self, standing=Placement((*self.standing.entries, (piece, cells))), box=tuple(box))

    def put(self, piece: Piece, cells: tuple[Cell, ...]) -> PieceSet:
        """With *piece* on *cells*: the held one if it is alike, or as `stand`."""
        held = None if self.hand is None else self.hand.piece
        if held is None or (held.kind, held.side) != (piece.kind, piece.side):
            return self.put_away().stand(piece, cells)
        return replace(self, standing=Placement((*self.standing.entries, (piece, cells))), hand=None)

    def supply(self, pieces: Iterable[Piece]) -> PieceSet:
        """With those of *pieces* in the box that are nowhere on the table."""
        lying = [piece for piece, _ in self.standing.entries] + [loose.piece for loose in self.box]
        lying += [self.hand.piece] if self.hand is not None else []
        known = Counter((piece.kind, piece.side) for piece in lying)
        missing = []
        for piece in pieces:
            known[piece.kind, piece.side] -= 1
            if known[piece.kind, piece.side] < 0:
                missing.append(UnplacedPiece(piece))
        return replace(self, box=(*self.box, *missing)) if missing else self

    def agree(self, believed: Placement) -> PieceSet:
        """With pieces of *believed* in place of others of the same side on their cells."""
        pieces = self
        for piece, cells in believed.entries:
            entry = pieces.standing.entry_at(cells[0])
            if entry is not None and entry[1] == cells and entry[0] != piece and entry[0].side == piece.side:
                pieces = pieces.clear(cells[0]).stand(piece, cells)
        return pieces

    def stacked(self, believed: Placement) -> PieceSet:
        """With the stacks of *believed* on the cells of their upper pieces.

        The lower piece of a stack moves with the upper one.
        """
        pieces = self
        for piece, (cell, *_) in believed.entries:
            upper = pieces.standing.at(cell) if piece.shows is not None else None
            if upper is not None and (upper.kind, upper.shows, upper.side) == (piece.shows, None, piece.side):
                pieces = pieces._instead(cell, piece)
        return pieces

    def _instead(self, cell: Cell, piece: Piece) -> PieceSet:
        """With *piece* in place of the one on *cell*."""
        entry = self.standing.entry_at(cell)
        assert entry is not None
        return replace(self, standing=Placement((*self._without(cell).entries, (piece, entry[1]))))

    def _shape(self, cells: tuple[Cell, ...], grip: Cell) -> Shape:
        """Offsets of *cells* from *grip*."""
        if len(cells) == 1 or self.grid is None:
            return SINGLE
        files = self.grid.files
        return tuple((cell % files - grip % files, cell // files - grip // files) for cell in cells)

    def _without(self, cell: Cell) -> Placement:
        """The placement without the piece on *cell*."""
        return Placement(tuple(entry for entry in self.standing.entries if cell not in entry[1]))

# SPDX-License-Identifier: Apache-2.0
"""A board and pieces from `companion tools print`, a virtual camera, and hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from companion.games import find
from companion.model.grid import Cell
from companion.model.tags import Mark, family
from companion.sensing.tagged_table import printed
from companion.sensing.vision.codes import Grey
from companion.sheets.board import usual_cell_mm
from tests.virtual.optics import Optics
from tests.virtual.scene import Arm, Scene, Thing

ABOVE = Optics(
    (1280, 720), (100.0, -120.0, 620.0), (100.0, 195.0), focal_px=800.0, noise=2.0, jpeg=None, gradient=0.2
)
"""Above the first player's edge of a board of 4 by 8 cells (50 mm)."""
HEIGHT_MM = 10.0


class PrintedTable:
    """A game's board under a camera; pieces differ by kind and side only."""

    def __init__(
        self, slug: str = "close-quarters", optics: Optics = ABOVE, corners: Sequence[int] = ()
    ) -> None:
        """Set up the start position; the board has the tags *corners* instead of its own."""
        game = find(slug)
        self.rules = game.rules()
        self.outfit = printed(game, None, HEIGHT_MM, cell_mm=usual_cell_mm(self.rules.grid))
        flat = [
            Thing(family().rows(tag), at_mm, 0.0, self.outfit.corner_mm, 0.0)
            for tag, at_mm in zip(corners or self.outfit.corners, self.outfit.corners.values(), strict=True)
        ]
        self.scene = Scene(self.outfit.grid, optics, flat)
        self.standing: dict[Cell, Mark] = {}
        box = list(self.outfit.marks.values())
        for cell, piece in self.rules.placement(self.rules.initial()).by_cell().items():
            mark = next(one for one in box if (one.piece.kind, one.piece.side) == (piece.kind, piece.side))
            box.remove(mark)
            self.put(cell, mark)

    def put(self, cell: Cell, mark: Mark) -> None:
        """Put *mark* on *cell*."""
        self.standing[cell] = mark
        at_mm = self.outfit.grid.centre_mm(cell)
        self.scene.put(mark.tag, Thing(family().rows(mark.tag), at_mm, 2.0, self.outfit.tag_mm, HEIGHT_MM))

    def take(self, cell: Cell) -> Mark:
        """Remove the piece on *cell*."""
        mark = self.standing.pop(cell)
        self.scene.put(mark.tag, None)
        return mark

    def see(self, hand: Cell | None = None) -> Grey:
        """The next image, with a hand over the cell *hand*."""
        if hand is None:
            return self.scene.photograph()
        x, y = self.outfit.grid.centre_mm(hand)
        return self.scene.photograph(arms=[Arm((x, y), (x + 60, -250.0))])

    def carry(self, move: str) -> Iterator[Grey]:
        """The images while a hand makes *move*, written `a1-b2`.

        A piece on the target is taken off first.
        """
        source, target = self.outfit.grid.cells(move.replace("-", " "))
        if target in self.standing:
            yield self.see(target)
            self.take(target)
        yield self.see(source)
        yield self.see(source)
        mark = self.take(source)
        yield self.see(target)
        self.put(target, mark)
        yield self.see(target)
        yield self.see()

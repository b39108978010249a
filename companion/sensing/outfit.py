# SPDX-License-Identifier: Apache-2.0
"""What a camera table is made of: the grid, the tags on the pieces and beside the board, their sizes and heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.model.game import Game
from companion.model.grid import Grid, resized
from companion.model.tags import CORNER_MODULE_MM, Family, Mark, assign, corner_outlines_mm, family, module_mm
from companion.sensing.vision.geometry import Lens

Wood: TypeAlias = tuple[int, int]
"""Figure and part: what lies on one cell, whichever of its faces is up."""


@dataclass(frozen=True, slots=True)
class Outfit:
    """A camera table, as it was printed."""

    grid: Grid
    family: Family
    marks: Mapping[int, Mark]
    """The tags on pieces, by id."""
    corners: Mapping[int, tuple[float, float]]
    """Middles in mm of the tags beside the board; they lie upright."""
    corner_mm: float
    """Edge of a corner tag, border included, rim not."""
    tag_mm: float
    """Edge of a piece's tag, likewise."""
    height_mm: float
    """Of the tags on the pieces, above the board."""
    heights_mm: Mapping[int, float] = field(default_factory=dict)
    """Of tags that lie higher or lower, by id."""
    lens: Lens | None = None

    def height_of(self, tag: int) -> float:
        """How high *tag* lies above the board."""
        return 0.0 if tag in self.corners else self.heights_mm.get(tag, self.height_mm)

    def edge_of(self, tag: int) -> float:
        """The edge of *tag* in mm."""
        return self.corner_mm if tag in self.corners else self.tag_mm

    def wood_of(self, tag: int) -> Wood:
        """What *tag* is a face of."""
        mark = self.marks[tag]
        return mark.figure, mark.part


def marks_by_tag(marks: Sequence[Mark]) -> dict[int, Mark]:
    """*marks* by the id of their tag."""
    return {mark.tag: mark for mark in marks}


def printed(
    game: Game,
    options: Mapping[str, str] | None = None,
    height_mm: float = 0.0,
    lens: Lens | None = None,
    cell_mm: float | None = None,
) -> Outfit:
    """What `companion print` makes for *game*, with the tags on pieces *height_mm* high; cells have the game's own size
    unless it is given. Raises as `assign` does.
    """
    grid = game.rules(options).grid
    grid = grid if cell_mm is None else resized(grid, cell_mm)
    width = family().width
    corners = {
        tag: (sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4)
        for tag, outline in corner_outlines_mm(grid).items()
    }
    marks = marks_by_tag(assign(game, options))
    edges = width * CORNER_MODULE_MM, width * module_mm(grid)
    return Outfit(grid, family(), marks, corners, *edges, height_mm, lens=lens)

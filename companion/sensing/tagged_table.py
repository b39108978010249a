# SPDX-License-Identifier: Apache-2.0
"""What a camera table is made of: the grid, the tags on the pieces and beside the board, their sizes and heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.model.game import Game
from companion.model.grid import Grid, resized
from companion.model.tags import CORNER_MODULE_MM, Family, Mark, assign, corner_outlines_mm, family, module_mm
from companion.sensing.profile import Profile, grid_of, view_through
from companion.sensing.vision.geometry import Lens, View

Wood: TypeAlias = tuple[int, int]
"""Figure and part: what lies on one cell, whichever of its faces is up."""


@dataclass(frozen=True, slots=True)
class TaggedTable:
    """A camera table, as it was printed."""

    grid: Grid
    family: Family
    marks: Mapping[int, Mark]
    """The tags on pieces, by id."""
    corners: Mapping[int, tuple[float, float]]
    """Middles in mm of the tags beside the board; they lie upright unless `corner_turns_deg` says otherwise."""
    corner_mm: float
    """Edge of a corner tag, border included, rim not."""
    tag_mm: float
    """Edge of a piece's tag, likewise."""
    height_mm: float
    """Of the tags on the pieces, above the board."""
    heights_mm: Mapping[int, float] = field(default_factory=dict)
    """Of tags that lie higher or lower, by id."""
    lens: Lens | None = None
    corner_turns_deg: Mapping[int, float] = field(default_factory=dict)
    """Of the tops of tags beside the board that do not lie upright, clockwise from the first player's forward."""
    view: View | None = None
    """Where the board is seen, if no tags lie beside it."""

    def height_of(self, tag: int) -> float:
        """How high *tag* lies above the board."""
        return 0.0 if tag in self.corners else self.heights_mm.get(tag, self.height_mm)

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
) -> TaggedTable:
    """What `companion print` makes for *game* with cells of *cell_mm*, else of the game's own size.

    The tags on pieces are *height_mm* above the board. Raises as `assign` does.
    """
    grid = game.rules(options).grid
    grid = grid if cell_mm is None else resized(grid, cell_mm)
    width = family().width
    marks = marks_by_tag(assign(game, options))
    edges = width * CORNER_MODULE_MM, width * module_mm(grid)
    return TaggedTable(grid, family(), marks, corner_middles_mm(grid), *edges, height_mm, lens=lens)


def corner_middles_mm(grid: Grid) -> dict[int, tuple[float, float]]:
    """The middles of the printed corner tags, by id."""
    return {
        tag: (sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4)
        for tag, outline in corner_outlines_mm(grid).items()
    }


def fitted(profile: Profile, game: Game, options: Mapping[str, str] | None = None) -> TaggedTable:
    """What *profile* says of the board, with the pieces of *game*. Raises as `assign` does, and `CalibrationError`."""
    board, heights = profile.board, profile.heights
    grid = grid_of(profile, game.rules(options).grid)
    marks = marks_by_tag(assign(game, options))
    return TaggedTable(
        grid,
        family(),
        marks,
        {tag.id: tag.middle_mm for tag in board.corner_tags},
        board.corner_tag_mm,
        board.tag_mm,
        heights.usual_mm,
        {tag: heights.of(mark.piece.kind) for tag, mark in marks.items() if mark.piece.kind in heights.kinds},
        profile.lens,
        {tag.id: tag.turn_deg for tag in board.corner_tags},
        None if board.corner_tags else view_through(profile, grid),
    )

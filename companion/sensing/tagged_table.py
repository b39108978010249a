# SPDX-License-Identifier: Apache-2.0
"""Description of a camera table with tags: grid, tags, sizes and heights."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from companion.model.game import Game
from companion.model.grid import Cell, Grid, resized
from companion.model.tags import (
    CORNER_MODULE_MM,
    CORNERS,
    Family,
    Mark,
    assign,
    corner_outlines_mm,
    corner_place,
    corner_tags,
    family,
    module_mm,
)
from companion.sensing.other_boards import OtherBoards
from companion.sensing.profile import Profile, grid_of, view_through
from companion.sensing.vision.geometry import Lens, View

USUAL_HEIGHT_MM: Final = 10.0
"""Height of tags above the board if it is unknown: that of a draughtsman."""

PartId: TypeAlias = tuple[int, int]
"""Figure and part: the piece on one cell, independent of its upper face."""


@dataclass(frozen=True, slots=True)
class TaggedTable:
    """A camera table as printed."""

    grid: Grid
    family: Family
    marks: Mapping[int, Mark]
    """The tags on pieces, by id."""
    corners: Mapping[int, tuple[float, float]]
    """Centres in mm of the tags beside the board, upright unless `corner_turns_deg` differs."""
    corner_mm: float
    """Edge of a corner tag, with border, without rim."""
    tag_mm: float
    """Edge of a piece's tag, likewise."""
    height_mm: float
    """Height of the pieces' tags above the board."""
    heights_mm: Mapping[int, float] = field(default_factory=dict)
    """Heights of other tags, by id."""
    lens: Lens | None = None
    corner_turns_deg: Mapping[int, float] = field(default_factory=dict)
    """Directions of the tops of tags beside the board that are not upright.

    Clockwise from the first player's forward.
    """
    view: View | None = None
    """The view of the board, if no tags are beside it."""
    corner_ids: tuple[tuple[int, ...], ...] = ()
    """Other ids that the tags of `corners` may have, in the same order."""
    others: OtherBoards = field(default_factory=OtherBoards)
    """Other printed boards, to name a wrong one."""
    is_height_known: bool = True
    """False if `height_mm` is a guess, which the first images may correct."""

    def height_of(self, tag: int) -> float:
        """Height of *tag* above the board."""
        return 0.0 if tag in self.corners else self.heights_mm.get(tag, self.height_mm)

    def cells_beside(self, corners: Iterable[int]) -> tuple[Cell, ...]:
        """The cell that is nearest to each of the tags *corners* beside the board."""
        return nearest_cells(self.grid, [self.corners[tag] for tag in corners])

    def part_of(self, tag: int) -> PartId:
        """The figure and part to which *tag* belongs."""
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
    """The table that `companion tools print` makes for *game*, with cells of *cell_mm*.

    By default the game's own size. The tags on pieces are *height_mm* above the board.
    Raises as `assign` does.
    """
    grid = game.rules(options).grid
    grid = grid if cell_mm is None else resized(grid, cell_mm)
    width = family().width
    marks = marks_by_tag(assign(game, options))
    edges = width * CORNER_MODULE_MM, width * module_mm(grid)
    own = corner_tags(game.slug, grid.slug)
    corners = corner_middles_mm(grid, own)
    ids = other_ids(corners, game, grid)
    return TaggedTable(grid, family(), marks, corners, *edges, height_mm, lens=lens, corner_ids=ids)


def nearest_cells(grid: Grid, points_mm: Iterable[tuple[float, float]]) -> tuple[Cell, ...]:
    """The cell nearest to each of *points_mm*."""
    cells = range(len(grid))
    return tuple(min(cells, key=lambda cell: math.dist(grid.centre_mm(cell), at_mm)) for at_mm in points_mm)


def corner_middles_mm(grid: Grid, tags: Sequence[int] = CORNERS) -> dict[int, tuple[float, float]]:
    """The centres of the printed corner tags with the ids *tags*."""
    return {
        tag: (sum(x for x, _ in outline) / 4, sum(y for _, y in outline) / 4)
        for tag, outline in corner_outlines_mm(grid, tags).items()
    }


def as_seen(outfit: TaggedTable, tags: Collection[int]) -> TaggedTable:
    """*outfit* with those ids of its corner tags of which most are among *tags*."""
    own = tuple(outfit.corners)
    sets = [own, *outfit.corner_ids]
    best = max(sets, key=lambda ids: sum(tag in tags for tag in ids))
    ids = dict(zip(own, best, strict=True))
    return replace(
        outfit,
        corners={ids[tag]: at_mm for tag, at_mm in outfit.corners.items()},
        corner_turns_deg={ids[tag]: turn for tag, turn in outfit.corner_turns_deg.items()},
        corner_ids=tuple(each for each in sets if each != best),
    )


def other_ids(corners: Iterable[int], game: Game, grid: Grid) -> tuple[tuple[int, ...], ...]:
    """The other ids of the corner tags *corners*.

    Those of the game's board, and those of any board.
    """
    own = tuple(corners)
    named = {
        tuple(tags[corner_place(tag)] for tag in own) for tags in (corner_tags(game.slug, grid.slug), CORNERS)
    }
    return tuple(sorted(named - {own}, reverse=True))


def fitted(profile: Profile, game: Game, options: Mapping[str, str] | None = None) -> TaggedTable:
    """The table of *profile* with the pieces of *game*.

    Raises as `assign` does, and `CalibrationError`.
    """
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
        heights.usual_mm or USUAL_HEIGHT_MM,
        {tag: heights.of(mark.piece.kind) for tag, mark in marks.items() if mark.piece.kind in heights.kinds},
        profile.lens,
        {tag.id: tag.turn_deg for tag in board.corner_tags},
        None if board.corner_tags else view_through(profile, grid),
        other_ids((tag.id for tag in board.corner_tags), game, grid) if board.corner_tags else (),
        is_height_known=heights.usual_mm > 0,
    )

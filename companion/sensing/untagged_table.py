# SPDX-License-Identifier: Apache-2.0
"""Description of a camera table without tags: grid, sizes of pieces, start position."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from companion.model.game import Game
from companion.model.grid import Cell, Grid, cell_mm, resized
from companion.model.pieces import Side
from companion.model.tags import CORNER_MODULE_MM, Family, corner_tags, family
from companion.sensing.other_boards import OtherBoards
from companion.sensing.profile import Profile, grid_of, view_through
from companion.sensing.tagged_table import corner_middles_mm, other_ids
from companion.sensing.vision.geometry import Lens, View

_USUAL_HEIGHT: Final = 1.6
"""Height of the tallest piece, in cells, if it is not known."""


@dataclass(frozen=True, slots=True)
class UntaggedTable:
    """A camera table with untagged pieces."""

    grid: Grid
    tallest_mm: float
    """Height of the tallest piece."""
    start: Mapping[Cell, Side | None]
    """The pieces when the camera starts: the start position, or that of a resumed game."""
    family: Family
    corners: Mapping[int, tuple[float, float]]
    """Centres in mm of the tags beside the board; empty where the view is given."""
    corner_mm: float
    lens: Lens | None = None
    view: View | None = None
    """The camera's view of the board, where no tags are beside it."""
    corner_turns_deg: Mapping[int, float] = field(default_factory=dict)
    """Directions of the tops of tags beside the board that are not upright.

    Clockwise from the first player's forward.
    """
    is_light_first: bool = False
    """True if the first of two sides has the light pieces, as in chess."""
    corner_ids: tuple[tuple[int, ...], ...] = ()
    """Other ids that the tags of `corners` may have, in the same order."""
    others: OtherBoards = field(default_factory=OtherBoards)
    """Other printed boards, to name a wrong one."""


def bare(
    game: Game,
    options: Mapping[str, str] | None = None,
    *,
    position: object = None,
    most_height_mm: float | None = None,
    edge_mm: float | None = None,
    lens: Lens | None = None,
    view: View | None = None,
) -> UntaggedTable:
    """A table for *game* with cells of *edge_mm* and *position* on it.

    The defaults are the game's own cell size and its start position.
    The corner tags are those of the printed board, or of any board, unless a *view* is given.
    *most_height_mm* is the height of the tallest piece, by default a usual one.
    Raises `OptionError`.
    """
    rules = game.rules(options)
    grid = rules.grid if edge_mm is None else resized(rules.grid, edge_mm)
    placement = rules.placement(rules.initial() if position is None else position)
    start = {cell: piece.side for cell, piece in placement.by_cell().items()}
    tallest_mm = _USUAL_HEIGHT * cell_mm(grid) if most_height_mm is None else most_height_mm
    corners = corner_middles_mm(grid, corner_tags(game.slug, grid.slug)) if view is None else {}
    ids = other_ids(corners, game, grid) if corners else ()
    edge_of_tag_mm = family().width * CORNER_MODULE_MM
    return UntaggedTable(
        grid,
        tallest_mm,
        start,
        family(),
        corners,
        edge_of_tag_mm,
        lens,
        view,
        is_light_first=tuple(rules.sides) == ("white", "black"),
        corner_ids=ids,
    )


def bare_fitted(
    profile: Profile, game: Game, options: Mapping[str, str] | None = None, position: object = None
) -> UntaggedTable:
    """The table of *profile* with the pieces of *game* as in *position*.

    Raises as `bare` does, and `CalibrationError`.
    """
    board, heights = profile.board, profile.heights
    tallest_mm = max(heights.usual_mm, *heights.kinds.values(), 0.0) or None
    table = bare(
        game,
        options,
        position=position,
        most_height_mm=tallest_mm,
        edge_mm=board.cell_mm,
        lens=profile.lens,
        view=None if board.corner_tags else view_through(profile, grid_of(profile, game.rules(options).grid)),
    )
    if not board.corner_tags:
        return table
    corners = {tag.id: tag.middle_mm for tag in board.corner_tags}
    turns_deg = {tag.id: tag.turn_deg for tag in board.corner_tags}
    return replace(
        table,
        corners=corners,
        corner_mm=board.corner_tag_mm,
        corner_turns_deg=turns_deg,
        corner_ids=other_ids(corners, game, table.grid),
    )

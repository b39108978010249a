# SPDX-License-Identifier: Apache-2.0
"""The table to be calibrated: game, size of cells, tags; and the resulting profile. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.view_fit import Bend, Fit
from companion import games
from companion.model.errors import CalibrationError
from companion.model.grid import cell_mm
from companion.sensing.other_boards import OtherBoards, tags_of_boards
from companion.sensing.profile import (
    TAGLESS,
    TAGS,
    BoardData,
    CameraData,
    CornerTag,
    Heights,
    Profile,
    References,
    board_corners_mm,
)
from companion.sensing.profile import Fit as ProfileFit
from companion.sensing.tagged_table import USUAL_HEIGHT_MM, TaggedTable, printed
from companion.sheets.board import usual_cell_mm


@dataclass(frozen=True, slots=True)
class Table:
    """The user's description of the table."""

    game: str
    options: Mapping[str, str] = field(default_factory=dict)
    cell_mm: float | None = None
    """Measured edge of a cell; None for the default of printed boards."""
    has_tags: bool = True
    """Pieces carry printed tags."""
    heights: Heights = field(default_factory=Heights)


def outfit_of(table: Table) -> TaggedTable:
    """The table as printed. Raises `SettingsError`, `OptionError`."""
    game = games.find(table.game)
    cell_mm = table.cell_mm or usual_cell_mm(game.rules(table.options).grid)
    outfit = printed(game, table.options, table.heights.usual_mm or USUAL_HEIGHT_MM, cell_mm=cell_mm)
    kinds = table.heights.kinds
    heights_mm = {
        tag: kinds[mark.piece.kind] for tag, mark in outfit.marks.items() if mark.piece.kind in kinds
    }
    others = OtherBoards(tags_of_boards(map(games.find, games.slugs()), outfit.corners))
    return replace(outfit, heights_mm=heights_mm, others=others)


def kinds_of(outfit: TaggedTable) -> tuple[str, ...]:
    """The kinds of pieces with tags, in the order of their ids."""
    return tuple(dict.fromkeys(mark.piece.kind for mark in outfit.marks.values()))


def profile_of(
    name: str, made: str, camera: CameraData, table: Table, fit: Fit, references: References
) -> Profile:
    """The profile of *camera* and *table*; *made* is local time in ISO 8601.

    Raises `CalibrationError`.
    """
    outfit = outfit_of(table)
    corners = fit.view.to_image(np.array(board_corners_mm(outfit.grid)))
    near_left, near_right, far_right, far_left = ((float(x), float(y)) for x, y in np.round(corners, 3))
    board = BoardData(
        outfit.grid.slug,
        round(cell_mm(outfit.grid), 3),
        round(outfit.tag_mm, 3) if table.has_tags else 0.0,
        outfit.corner_mm if fit.lying else 0.0,
        tuple(
            CornerTag(
                tag.tag, (round(tag.middle_mm[0], 2), round(tag.middle_mm[1], 2)), round(tag.turn_deg, 2)
            )
            for tag in fit.lying
        ),
    )
    try:
        return Profile(
            name,
            made,
            camera,
            board,
            ProfileFit(
                (near_left, near_right, far_right, far_left), round(fit.rms_px, 3) if fit.proves else 0.0
            ),
            TAGS if table.has_tags else TAGLESS,
            table.heights,
            None if fit.bend is Bend.NONE else fit.view.lens,
            references,
        )
    except ValueError as fault:
        raise CalibrationError("the profile cannot be kept: {reason}", reason=fault) from fault

# SPDX-License-Identifier: Apache-2.0
"""Height of a tag above the board, measured on known cells. Pure.

A point at height h above X hides the point X0 of the board,
with X = X0 + (C - X0) h / Cz for a camera at C:
so X0 - X is the share h / Cz of X0 - C.
The precision grows with the distance from the camera's foot.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.marks import Look
from companion.model.errors import CalibrationError
from companion.model.grid import Cell
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.geometry import View

CARE_MM: Final = 1.5
"""Standard deviation of placing a piece on the centre of a cell by hand."""
MOST_SIGMA_MM: Final = 6.0
"""Standard deviation above which a height is useless."""
_LEAST_MM: Final = -3.0
"""Height below which the piece was elsewhere."""
_SHARE: Final = 0.5
"""Largest height of a piece, as a share of the camera's own height."""


@dataclass(frozen=True, slots=True)
class Stood:
    """A detected tag while its piece was centred on a cell."""

    cell: Cell
    at_px: tuple[float, float]
    """Centre of the tag in the image."""


@dataclass(frozen=True, slots=True)
class Height:
    """A height and its precision."""

    height_mm: float
    sigma_mm: float
    """Its standard deviation, for a piece placed by hand."""


def height_from(outfit: TaggedTable, view: View, stood: Sequence[Stood]) -> Height:
    """The height of a tag from all places of its piece.

    Raises `CalibrationError` without a place, for places under the camera,
    and for impossible heights.
    """
    if not stood:
        raise CalibrationError("no tag was seen on the cells named: put the piece into the middle of a cell")
    middles = np.array([outfit.grid.centre_mm(one.cell) for one in stood])
    covered = view.to_board(np.array([one.at_px for one in stood]))
    reach = covered - view.camera_mm[:2]
    squared = float((reach**2).sum())
    camera_mm = float(view.camera_mm[2])
    sigma_mm = CARE_MM * camera_mm / max(squared**0.5, 1.0)
    if sigma_mm > MOST_SIGMA_MM:
        raise CalibrationError(
            "the piece stands right under the camera, where heights do not show: use a farther cell"
        )
    height_mm = float(((covered - middles) * reach).sum()) / squared * camera_mm
    if not _LEAST_MM <= height_mm <= _SHARE * camera_mm:
        names = outfit.grid.spell([one.cell for one in stood])
        raise CalibrationError(
            "a height of {height_mm:.0f} mm cannot be: did the piece stand on {names}?",
            height_mm=height_mm,
            names=names,
        )
    return Height(max(0.0, height_mm), sigma_mm)


def stood_on(
    look: Look, outfit: TaggedTable, view: View, kind: str, cells: Sequence[Cell]
) -> tuple[Stood, ...]:
    """The tags of pieces of *kind* nearest to *cells*; cells without one are left out."""
    middles = {
        tag.tag: tag.outline_px.mean(axis=0)
        for tag in look.tags
        if tag.tag in outfit.marks and outfit.marks[tag.tag].piece.kind == kind
    }
    found = []
    for cell in cells:
        if not middles:
            break
        here = view.to_image(np.array([outfit.grid.centre_mm(cell)]))[0]
        nearest = min(middles, key=lambda tag: float(np.hypot(*(middles[tag] - here))))
        x, y = middles.pop(nearest)
        found.append(Stood(cell, (float(x), float(y))))
    return tuple(found)

# SPDX-License-Identifier: Apache-2.0
"""Fit of the view to the board's marks, with its residuals. Pure.

Tags or a person give the corners; then the crossings of the board's lines are searched
near their places.
They are all over the board, so their residuals are meaningful: four corners alone fit any lens.
If the residuals without distortion are too large and distortion explains them,
it is estimated from the lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import numpy as np

from calibration.crossings import FAR, Points, lines_of
from calibration.grid_snap import bend_of, residuals, snap
from calibration.marks import Look
from companion.model.errors import CalibrationError
from companion.model.grid import Grid
from companion.model.phrase import Phrase
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, Lens, View, view_of

PLACES: Final = ("near left", "near right", "far right", "far left")
"""Names of the corners, in the order of the corner tags and of handles."""
BEND_ASKED_PX: Final = 2.0
"""Residual of a crossing from which a lens is advised: readers tolerate 2 px."""
BEND_ASKED_CELL: Final = 0.08
"""The same as a share of a cell, for small images.

k1 = -0.05 bends a board of 20 cells by that much.
"""
_MOST: Final = 75
"""Percentile of the crossings' residuals that is reported."""
_STRAIGHT_PX: Final = 0.4
"""Residual that is noise."""
_GAIN: Final = 0.6
"""Share of the residual that a plausible distortion leaves at most."""


class Origin(StrEnum):
    """Source of the view."""

    TAGS = "tags"
    HAND = "hand"


class Bend(StrEnum):
    """Source of the lens."""

    NONE = "none"
    LINES = "lines"
    CHART = "chart"


@dataclass(frozen=True, slots=True)
class Lying:
    """A corner tag in its place beside the board."""

    tag: int
    middle_mm: tuple[float, float]
    turn_deg: float
    """Direction of its top, clockwise from the first player's forward."""
    off_mm: float
    """Distance of its centre from the printed place."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """A view with its residuals."""

    view: View
    origin: Origin
    bend: Bend
    points_mm: Floats
    """(n, 2): the board points of the fit."""
    points_px: Floats
    """(n, 2): their image points."""
    crossings: int
    """Number of crossings, which are the first points; the rest are tag corners or handles."""
    lying: tuple[Lying, ...]
    """The visible corner tags in their places."""
    straight_worst_px: float
    """The worst residual of a crossing without distortion; 0 without crossings."""
    expected: int = 0
    """Number of crossings that no tagged piece hides."""
    typical_px: float = 0.0
    """Residual that most of these do not exceed, outliers included."""

    @property
    def residuals_px(self) -> Floats:
        """(n,): residual of each crossing; without crossings, of each point."""
        apart: Floats = np.hypot(*(self.view.to_image(self.points_mm) - self.points_px).T)
        return apart[: self.crossings] if self.crossings else apart

    @property
    def rms_px(self) -> float:
        """Root mean square of the residuals."""
        return float(np.sqrt(np.mean(self.residuals_px**2)))

    @property
    def worst_px(self) -> float:
        """The largest of the residuals."""
        return float(self.residuals_px.max())

    @property
    def proves(self) -> bool:
        """True if there are more points than necessary, so that residuals are meaningful."""
        return len(self.points_mm) > 4

    def wants_lens(self, cell_px: float) -> bool:
        """True if the residuals indicate a lens calibration; *cell_px* is the edge of a cell."""
        allowed = max(1.0, min(BEND_ASKED_PX, BEND_ASKED_CELL * cell_px))
        return bool(self.crossings) and max(self.worst_px, self.typical_px) > allowed


def handles_mm(grid: Grid) -> Floats:
    """(4, 2): the board points of the handles, in the order of `PLACES`."""
    points = np.array(sorted({point for outline in grid.outlines for point in outline}))
    ways = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    found: Floats = points[(points @ ways.T).argmax(axis=0)]
    return found


def fit_tags(
    images: tuple[Look, Grey], outfit: TaggedTable, lens: Lens | None = None, *, snaps: bool = True
) -> Fit:
    """The fit to the corner tags of a look and the lines of its image.

    Raises `CalibrationError`: no tags, too few, or not the corners of one board.
    """
    look, image = images
    seen = {tag: look.of(tag) for tag in outfit.corners}
    missing = [place for place, tag in zip(PLACES, outfit.corners, strict=False) if seen[tag] is None]
    if len(seen) - len(missing) < 3:
        _check_board(look, outfit, len(seen) - len(missing))
        raise CalibrationError("{reason}", reason=_missing(look, missing))
    half = outfit.corner_mm / 2
    square = np.array([(-half, half), (half, half), (half, -half), (-half, -half)])
    points_mm = np.vstack([square + outfit.corners[tag] for tag, one in seen.items() if one is not None])
    points_px = np.vstack([one.outline_px for one in seen.values() if one is not None])
    view = view_of(points_mm, points_px, _size(image), lens)
    if view.residual_px > _allowed(view, outfit):
        raise CalibrationError(
            "the corner tags do not lie as on this board: they are {px:.0f} px off. Is it the right "
            "game, with cells of the right size, and does every tag lie at its own corner, upright?",
            px=view.residual_px,
        )
    return _finished(image, outfit, look, (points_mm, points_px), lens, Origin.TAGS, snaps=snaps)


def fit_hand(
    images: tuple[Look, Grey],
    outfit: TaggedTable,
    corners_px: Floats,
    lens: Lens | None = None,
    *,
    snaps: bool = True,
) -> Fit:
    """The fit to handles at *corners_px*, (4, 2), and to the lines of the image.

    Raises `CalibrationError` if they determine no view.
    """
    look, image = images
    first = handles_mm(outfit.grid), corners_px
    return _finished(image, outfit, look, first, lens, Origin.HAND, snaps=snaps)


def _finished(
    image: Grey,
    outfit: TaggedTable,
    look: Look,
    first: Points,
    lens: Lens | None,
    origin: Origin,
    *,
    snaps: bool,
) -> Fit:
    """The fit that starts with the points *first*; with *snaps*, refined by the lines."""
    size_px = _size(image)
    start = view_of(*first, size_px, lens)
    lines = lines_of(image, look, outfit)
    found = snap(lines, first, lens, size_px, has_tags=origin is Origin.TAGS) if snaps else None
    if found is None:
        bend = Bend.CHART if lens else Bend.NONE
        return Fit(start, origin, bend, *first, 0, _lying(look, outfit, start), 0.0)
    points, crossings = found
    bent = lens or bend_of(*points, size_px)
    straight = residuals(*points, Lens(bent.centre_px, bent.focal_px))
    is_bent = straight.max() > _STRAIGHT_PX and _rms(residuals(*points, bent)) < _GAIN * _rms(straight)
    bend = Bend.CHART if lens else Bend.LINES if is_bent else Bend.NONE
    view = view_of(*points, size_px, bent if is_bent or lens else None)
    around_mm, around_px = lines.seen(view, FAR)
    typical_px = float(np.percentile(np.hypot(*(view.to_image(around_mm) - around_px).T), _MOST))
    lying, worst_px = _lying(look, outfit, view), float(straight.max())
    return Fit(view, origin, bend, *points, crossings, lying, worst_px, lines.open_to(view), typical_px)


def _rms(residuals: Floats) -> float:
    return float(np.sqrt(np.mean(residuals**2)))


def _lying(look: Look, outfit: TaggedTable, view: View) -> tuple[Lying, ...]:
    """The visible corner tags, measured in *view*."""
    found = []
    for tag, printed_mm in outfit.corners.items():
        seen = look.of(tag)
        if seen is None:
            continue
        outline = view.to_board(seen.outline_px)
        x, y = outline.mean(axis=0)
        ahead = outline[:2].mean(axis=0) - outline[2:].mean(axis=0)
        turn_deg = round(float(np.degrees(np.arctan2(ahead[0], ahead[1]))), 2) % 360
        off_mm = float(np.hypot(x - printed_mm[0], y - printed_mm[1]))
        found.append(Lying(tag, (float(x), float(y)), turn_deg, off_mm))
    return tuple(found)


def _allowed(view: View, outfit: TaggedTable) -> float:
    """Largest residual in px of corner tags of this board.

    A fifth of a tag, to allow for distortion.
    """
    middle = np.mean(list(outfit.corners.values()), axis=0)
    return 0.2 * outfit.corner_mm * view.px_per_mm((float(middle[0]), float(middle[1])))


def _check_board(look: Look, outfit: TaggedTable, count: int) -> None:
    """Raise `CalibrationError` if more than *count* tags of another board are seen."""
    for name, tags in outfit.others.tags.items():
        if sum(look.of(tag) is not None for tag in tags) > max(count, 1):
            raise CalibrationError(
                "this is the board of {board}: choose that game, or lay the board of this one", board=name
            )


def _missing(look: Look, places: Sequence[str]) -> str:
    """The sentence about missing corner tags."""
    if not look.tags:
        return Phrase(
            "no tags are seen: is the board in the picture, sharp and lit? A board without tags is "
            "fitted by dragging its corners"
        )
    return Phrase(
        "the corner tags {places} are not seen; three of the four are needed: move the camera so "
        "that they are in the picture, or drag the corners by hand",
        places=tuple(places),
    )


def _size(image: Grey) -> tuple[int, int]:
    """Width and height."""
    return image.shape[1], image.shape[0]

# SPDX-License-Identifier: Apache-2.0
"""Crossings of a board's lines in an image: the most precise landmarks. Pure."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np

from calibration.marks import Look
from companion.model.grid import Grid, edges_mm
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats, View

Points: TypeAlias = tuple[Floats, Floats]
"""(n, 2) mm on the board, and (n, 2) px in the image."""
Reach: TypeAlias = tuple[float, int, float]
"""Search range: half window in cells, its maximum in px, largest offset in px."""

FAR: Final[Reach] = (0.2, 12, 12.0)
"""Search range for corners placed by hand."""
NEAR: Final[Reach] = (0.2, 8, 2.5)
"""Search range for a known view; farther offsets are edges of pieces."""
_COVER: Final = 1.6
"""Size of a piece relative to its tag, with its sides."""
_PEAK: Final = 0.12
"""Ratio of weaker to stronger gradient that indicates a crossing, not a line."""
_STEEP: Final = 12.0
"""Mean squared gradient in the weaker direction, above noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The lines of a board in an image."""

    image: Grey
    points_mm: Floats
    """(n, 2): the crossings on the board."""
    edge_mm: float
    """Edge of the smallest cell."""
    covers: Sequence[Floats]
    """Outlines of pieces, (4, 2) px each, that hide crossings."""

    def seen(self, view: View, reach: Reach) -> Points:
        """The crossings found within *reach* of their places in *view*."""
        kept_mm, kept_px = [], []
        here_px = view.to_image(self.points_mm)
        right = np.hypot(*(view.to_image(self.points_mm + np.array([self.edge_mm, 0.0])) - here_px).T)
        away = np.hypot(*(view.to_image(self.points_mm + np.array([0.0, self.edge_mm])) - here_px).T)
        for point, here, cell_px in zip(self.points_mm, here_px, np.minimum(right, away), strict=True):
            half = int(min(max(reach[0] * cell_px, 2), reach[1]))
            spot = _crossing(self.image, here, half)
            if spot is None or np.hypot(*(spot - here)) > min(reach[0] * cell_px, reach[2]):
                continue
            if not self._is_covered(spot):
                kept_mm.append(point)
                kept_px.append(spot)
        return np.array(kept_mm).reshape(-1, 2), np.array(kept_px).reshape(-1, 2)

    def open_to(self, view: View) -> int:
        """The number of crossings that no known piece hides in *view*."""
        return sum(not self._is_covered(spot) for spot in view.to_image(self.points_mm))

    def _is_covered(self, spot: Floats) -> bool:
        """True if a piece covers *spot*."""
        x, y = float(spot[0]), float(spot[1])
        return any(
            cv2.pointPolygonTest(cover.astype(np.float32), (x, y), False) >= 0 for cover in self.covers
        )


def lines_of(image: Grey, look: Look, outfit: TaggedTable) -> Lines:
    """The lines of *outfit*'s board in *image* with the tags of *look*."""
    covers = []
    for tag in look.tags:
        if tag.tag not in outfit.corners:
            middle = tag.outline_px.mean(axis=0)
            covers.append((tag.outline_px - middle) * _COVER + middle)
    return Lines(image, crossings_mm(outfit.grid), min(edges_mm(outfit.grid)), covers)


def crossings_mm(grid: Grid) -> Floats:
    """(n, 2): crossings of lines inside the board.

    At least three cells meet there, none of them an obstacle:
    a dark cell shifts its corners by a px.
    """
    corners = [[(round(x, 2), round(y, 2)) for x, y in outline] for outline in grid.outlines]
    meeting = Counter(point for outline in corners for point in outline)
    dark = {point for cell in grid.obstacles for point in corners[cell]}
    points = sorted(point for point, cells in meeting.items() if cells >= 3 and point not in dark)
    return np.array(points, np.float64).reshape(-1, 2)


def _crossing(image: Grey, near: Floats, half: int) -> Floats | None:
    """The crossing in the window of 2 *half* + 1 px about *near*, or None."""
    height, width = image.shape
    margin = half + 2
    if not (margin <= near[0] < width - margin and margin <= near[1] < height - margin):
        return None
    spot = near.astype(np.float32).reshape(1, 1, 2)
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 40, 0.005)
    found = cv2.cornerSubPix(image, spot.copy(), (half, half), (-1, -1), criteria).reshape(2)
    if (found == spot.reshape(2)).all():
        return None  # without a result, OpenCV returns its input
    x, y = np.rint(found).astype(int)
    window = image[max(0, y - half) : y + half + 1, max(0, x - half) : x + half + 1].astype(np.float32)
    if min(window.shape) < 4:
        return None
    across = (window[1:-1, 2:] - window[1:-1, :-2]) / 2
    down = (window[2:, 1:-1] - window[:-2, 1:-1]) / 2
    xx, yy, xy = (
        float(np.vdot(*pair)) / across.size for pair in ((across, across), (down, down), (across, down))
    )
    spread = math.hypot(
        (xx - yy) / 2, xy
    )  # the eigenvalues of the structure tensor are its mean diagonal plus and minus this
    weak, strong = (xx + yy) / 2 - spread, (xx + yy) / 2 + spread
    if weak < _STEEP or weak < _PEAK * strong:
        return None
    return np.asarray(found, np.float64)

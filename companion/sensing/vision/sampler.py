# SPDX-License-Identifier: Apache-2.0
"""Sampling of all cells and known tags in 0.1 ms.

It uses fixed maps with few samples.

The image is never undistorted or rectified as a whole;
sample places are computed once, with lens and heights.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.sensing.vision.codes import Codes, Grey, Singles, likeness
from companion.sensing.vision.geometry import View
from companion.sensing.vision.tag_detection import modules_mm

Flags: TypeAlias = NDArray[np.bool_]
FixedMap: TypeAlias = tuple[NDArray[np.int16], NDArray[np.uint16]]
"""A map for OpenCV: (rows, columns, 2) whole px, and (rows, columns) of the fraction."""

ACROSS: Final = 5
"""Samples across a cell: enough to tell a finger from paper.

On a cell of 100 px.
"""
_SHARE: Final = 0.84
"""Sampled part of a cell: excludes leaning neighbours and most of the printed lines."""
_BLACK: Final = 5.0
"""Grey levels by which any two looks at one object may differ."""
_SLACK: Final = 0.06
"""The same as a share of their brightness: mains flicker, JPEG."""
_FLOOR: Final = 2.5
"""The same as a multiple of the difference of still cells: noise."""
_QUIET: Final = 4
"""One cell in so many shows only noise: no hand or shadow covers it."""
_FEW: Final = 8
"""Number of cells below which "most" is undefined."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A tag that was read, with its place.

    A tag read again is a new value.
    """

    tag: int
    at_mm: tuple[float, float]
    turn_deg: float
    tag_mm: float
    height_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """Known tags, ready for watching."""

    where: FixedMap
    templates: Singles
    known: tuple[Known, ...] = ()
    """The tag of each row; empty for landmarks."""

    def look(self, image: Grey) -> tuple[Singles, Singles]:
        """Likeness of each tag to its template, -1 to 1, and its mean grey level."""
        return likeness(self.templates, sample(image, self.where))


class Still:
    """The look of the cells, for comparison with other images."""

    def __init__(self, levels: Grey) -> None:
        """*levels*: (n, samples) uint8."""
        self._levels = levels
        self._allowed = _BLACK + _SLACK * cv2.reduce(levels, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)

    def is_seen_in(self, levels: Grey) -> bool:
        """True if no cell differs by more than noise and flicker; a quick check."""
        # OpenCV is in the processor's caches by now, and NumPy is not: that is half of the time
        return float(cv2.minMaxLoc(cv2.subtract(self.apart(levels), self._allowed))[1]) <= 0

    def differing(self, levels: Grey, usual: Flags | None = None) -> Flags:
        """Cells that differ in *levels*, (n,) bool, beyond the noise of most cells.

        *usual*: the cells of which most are alike; by default, all.
        """
        apart = self.apart(levels)
        noise = apart[:, 0] if usual is None else apart[usual, 0]
        count = len(noise)
        floor = float(np.partition(noise, count // _QUIET)[count // _QUIET]) if count > _FEW else 0.0
        found: Flags = (apart > np.maximum(self._allowed, min(_FLOOR * floor, 3 * _BLACK)))[:, 0]
        return found

    def apart(self, levels: Grey) -> Singles:
        """(n, 1): the difference of each cell in *levels*, in grey levels."""
        return np.asarray(cv2.reduce(cv2.absdiff(levels, self._levels), 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F))


def cell_map(view: View, grid: Grid, height_mm: float) -> FixedMap:
    """The map of each cell, in the plane of the tags.

    A row of ACROSS² samples per cell.
    """
    steps = (np.arange(ACROSS) + 0.5) / ACROSS - 0.5
    points = []
    for cell, outline in enumerate(grid.outlines):
        middle = np.array(grid.centre_mm(cell))
        corners = (np.array(outline) - middle) * _SHARE + middle
        points.append(within(corners, steps))
    return fixed_map(view.to_image(np.vstack(points), height_mm), ACROSS * ACROSS)


def watch(view: View, codes: Codes, known: Sequence[Known], before: Watched | None = None) -> Watched:
    """*known* tags as watched ones for *view*; data of *before* is reused."""
    rows = {one: row for row, one in enumerate(before.known)} if before is not None else {}
    made = _watched(view, codes, [one for one in known if one not in rows])
    if before is None:
        return made
    rows |= {one: len(rows) + row for row, one in enumerate(made.known)}
    order = [rows[one] for one in known]
    whole, rest = (np.concatenate([before.where[part], made.where[part]])[order] for part in (0, 1))
    templates = np.concatenate([before.templates, made.templates])[order]
    return Watched((whole, rest), templates, tuple(known))


def _watched(view: View, codes: Codes, known: Sequence[Known]) -> Watched:
    """*known* tags as watched ones, computed."""
    count = codes.modules * codes.modules
    if not known:
        return Watched(fixed_map(np.zeros((0, 2)), count), np.zeros((0, count), np.float32))
    points = np.vstack([modules_mm(one.at_mm, one.turn_deg, one.tag_mm, codes.modules) for one in known])
    heights = np.repeat([one.height_mm for one in known], count)
    templates = np.stack([codes.template(one.tag) for one in known])
    return Watched(fixed_map(view.to_image(points, heights), count), templates, tuple(known))


def sample(image: Grey, where: FixedMap) -> Grey:
    """The grey levels at *where*, (rows, columns) uint8; black outside the image."""
    if not where[0].size:
        return np.zeros(where[0].shape[:2], np.uint8)
    return np.asarray(cv2.remap(image, *where, cv2.INTER_LINEAR), np.uint8)


def within(corners: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """(ACROSS², 2): points spread over a cell with these corners.

    If it has not four corners, over its bounding box.
    """
    if len(corners) != 4:
        (left, near), (right, far) = corners.min(axis=0), corners.max(axis=0)
        corners = np.array([(left, near), (right, near), (right, far), (left, far)])
    along, up = (axis.ravel()[:, None] + 0.5 for axis in np.meshgrid(steps, steps))
    one, two, three, four = corners
    spread: NDArray[np.float64] = (one * (1 - along) + two * along) * (1 - up) + (
        four * (1 - along) + three * along
    ) * up
    return spread


def fixed_map(points_px: NDArray[np.float64], across: int) -> FixedMap:
    """*points_px* as a map of rows of *across* samples."""
    exact = points_px.astype(np.float32).reshape(-1, across, 2)
    if not exact.size:
        return np.zeros((0, across, 2), np.int16), np.zeros((0, across), np.uint16)
    whole, rest = cv2.convertMaps(exact[..., 0], exact[..., 1], cv2.CV_16SC2)
    return np.asarray(whole, np.int16), np.asarray(rest, np.uint16)

# SPDX-License-Identifier: Apache-2.0
"""Look at every cell and every known tag of an image in a tenth of a millisecond: fixed maps, few samples.

The image is never undistorted or rectified as a whole; where to look is computed once, lens and heights included.
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
"""Where to look, as OpenCV wants it: (rows, columns, 2) whole px, and (rows, columns) of the rest."""

ACROSS: Final = 5
"""Samples across a cell: enough to tell a finger from paper on every cell of a hundred px."""
_SHARE: Final = 0.84
"""Part of a cell that is looked at: what leans over from a neighbour is left out, the printed lines nearly so."""
_BLACK: Final = 5.0
"""Grey levels by which any two looks at one thing may differ."""
_SLACK: Final = 0.06
"""And the share of their brightness: mains flicker, JPEG."""
_FLOOR: Final = 2.5
"""And the multiple of what most cells differ by: noise."""
_FEW: Final = 8
"""Cells of which most cannot be told."""


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A tag that was read, and where it is. Read again it is another one, wherever it is."""

    tag: int
    at_mm: tuple[float, float]
    turn_deg: float
    tag_mm: float
    height_mm: float


@dataclass(frozen=True, slots=True, eq=False)
class Watched:
    """Known tags, ready to be looked at again."""

    where: FixedMap
    templates: Singles
    known: tuple[Known, ...] = ()
    """The tag of each row; none where landmarks are watched."""

    def look(self, image: Grey) -> tuple[Singles, Singles]:
        """How well each tag is still where it was, -1 to 1, and its mean grey level."""
        return likeness(self.templates, sample(image, self.where))


class Still:
    """What the cells look like, to hold other images against it."""

    def __init__(self, levels: Grey) -> None:
        """*levels*: (n, samples) uint8."""
        self._levels = levels
        self._allowed = _BLACK + _SLACK * cv2.reduce(levels, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)

    def is_seen_in(self, levels: Grey) -> bool:
        """True if no cell differs by more than noise and flicker make: told by one glance."""
        # OpenCV is in the processor's caches by now, and NumPy is not: that is half of the time
        return float(cv2.minMaxLoc(cv2.subtract(self.apart(levels), self._allowed))[1]) <= 0

    def differing(self, levels: Grey) -> Flags:
        """Which cells look different in *levels*, (n,) bool: by more than noise, as much as most cells show of it."""
        apart = self.apart(levels)
        count = len(apart)
        floor = float(np.partition(apart[:, 0], count // 2)[count // 2]) if count > _FEW else 0.0
        found: Flags = (apart > np.maximum(self._allowed, min(_FLOOR * floor, 3 * _BLACK)))[:, 0]
        return found

    def apart(self, levels: Grey) -> Singles:
        """(n, 1): by how many grey levels each cell differs in *levels*."""
        return np.asarray(cv2.reduce(cv2.absdiff(levels, self._levels), 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F))


def cell_map(view: View, grid: Grid, height_mm: float) -> FixedMap:
    """Where to look at each cell, in the plane of the tags: one row of ACROSS² samples a cell."""
    steps = (np.arange(ACROSS) + 0.5) / ACROSS - 0.5
    points = []
    for cell, outline in enumerate(grid.outlines):
        middle = np.array(grid.centre_mm(cell))
        corners = (np.array(outline) - middle) * _SHARE + middle
        points.append(within(corners, steps))
    return fixed_map(view.to_image(np.vstack(points), height_mm), ACROSS * ACROSS)


def watch(view: View, codes: Codes, known: Sequence[Known], before: Watched | None = None) -> Watched:
    """*known*, to be looked at through *view*; what was worked out *before* for some of them is taken from there."""
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
    """*known*, each worked out."""
    count = codes.modules * codes.modules
    if not known:
        return Watched(fixed_map(np.zeros((0, 2)), count), np.zeros((0, count), np.float32))
    points = np.vstack([modules_mm(one.at_mm, one.turn_deg, one.tag_mm, codes.modules) for one in known])
    heights = np.repeat([one.height_mm for one in known], count)
    templates = np.stack([codes.template(one.tag) for one in known])
    return Watched(fixed_map(view.to_image(points, heights), count), templates, tuple(known))


def sample(image: Grey, where: FixedMap) -> Grey:
    """The grey levels at *where*, (rows, columns) uint8; what lies outside the image is black."""
    if not where[0].size:
        return np.zeros(where[0].shape[:2], np.uint8)
    return np.asarray(cv2.remap(image, *where, cv2.INTER_LINEAR), np.uint8)


def within(corners: NDArray[np.float64], steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """(ACROSS², 2): points spread over a cell with these corners; of other than four, over the box around them."""
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

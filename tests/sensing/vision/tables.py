# SPDX-License-Identifier: Apache-2.0
"""Virtual tables for the tests and benchmarks of the camera."""

from __future__ import annotations

import numpy as np

from companion.model.grid import Grid
from companion.model.tags import CORNERS, family
from companion.sensing.vision.codes import Codes, codes_of
from companion.sensing.vision.geometry import Lens, View, view_of
from companion.virtual.optics import Optics
from companion.virtual.scene import Thing

CORNER_MM = 30.0
BESIDE_MM = 25.0
"""From the board's corner to the middle of the corner's tag, in both directions."""


def corner_middles(grid: Grid) -> dict[int, tuple[float, float]]:
    """Where the corner tags of these tables lie."""
    points = np.array([point for outline in grid.outlines for point in outline])
    (left, near), (right, far) = points.min(axis=0) - BESIDE_MM, points.max(axis=0) + BESIDE_MM
    return dict(zip(CORNERS, [(left, near), (right, near), (right, far), (left, far)], strict=True))


def corner_things(grid: Grid) -> list[Thing]:
    """The corner tags, printed beside the board."""
    return [
        Thing(family().rows(tag), middle, 0.0, CORNER_MM, height_mm=0.0)
        for tag, middle in corner_middles(grid).items()
    ]


def true_view(grid: Grid, optics: Optics, lens: Lens | None = None) -> View:
    """The view as perfect corners give it."""
    points = np.array(list(corner_middles(grid).values()))
    return view_of(points, optics.project(np.column_stack([points, np.zeros(4)])), optics.size_px, lens)


def all_codes(wanted: range) -> Codes:
    """The printed family with *wanted* in play."""
    return codes_of(family().bits, family().size, wanted)

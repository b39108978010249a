# SPDX-License-Identifier: Apache-2.0
"""The board's own corners as landmarks, used without tags to detect a moved camera."""

from __future__ import annotations

from typing import Final

import numpy as np

from companion.model.grid import Grid
from companion.sensing.vision.codes import Grey, Singles
from companion.sensing.vision.geometry import View
from companion.sensing.vision.sampler import Watched, fixed_map, sample

_ACROSS: Final = 12
"""Samples across a landmark."""
_SHARE: Final = 0.5
"""Its edge in cells: larger than noise, smaller than objects on a table."""


def landmarks(view: View, grid: Grid, image: Grey) -> Watched:
    """*image* around the board's four outermost corners, ready for watching."""
    points = np.array([point for outline in grid.outlines for point in outline])
    diagonals = [(-1, -1), (1, -1), (1, 1), (-1, 1)]
    corners = [points[int((points @ np.array(diagonal)).argmax())] for diagonal in diagonals]
    edge_mm = float(np.hypot(*(np.array(grid.outlines[0][1]) - grid.outlines[0][0]))) * _SHARE
    steps = ((np.arange(_ACROSS) + 0.5) / _ACROSS - 0.5) * edge_mm
    spread = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2)
    where = fixed_map(view.to_image(np.vstack([spread + corner for corner in corners])), _ACROSS * _ACROSS)
    levels = sample(image, where).astype(np.float32)
    rows = levels - levels.mean(axis=1, keepdims=True)
    templates: Singles = (rows / (np.linalg.norm(rows, axis=1, keepdims=True) + 1e-3)).astype(np.float32)
    return Watched(where, templates)

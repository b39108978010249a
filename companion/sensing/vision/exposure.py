# SPDX-License-Identifier: Apache-2.0
"""Check of the light on the board's part of an image, by sparse samples."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.sensing.problems import CameraProblem
from companion.sensing.vision.codes import Grey

_STEP: Final = 8
"""Pixels between samples: thirty thousand samples at 1080p."""
_WHITE: Final = 253
_MOST_WHITE: Final = 0.12
"""Share of the board that may be overexposed.

All paper of a full board together is less under a good light.
"""
_DARK: Final = 30
_MOST_DARK: Final = 0.85
"""Share that may be as dark as ink.

At least half of a board is light.
"""


def light_trouble(
    image: Grey, corners_px: Sequence[tuple[float, float]] | None = None
) -> CameraProblem | None:
    """The problem of the light on the board, or None.

    *corners_px* are its corners in order around it.
    Without corners the whole image, (height, width) uint8, is judged.
    """
    sparse = image[::_STEP, ::_STEP]
    looked = sparse.ravel() if corners_px is None else sparse[_inside(sparse.shape, corners_px)]
    if not looked.size:
        return None
    if np.count_nonzero(looked >= _WHITE) > _MOST_WHITE * looked.size:
        return CameraProblem.TOO_BRIGHT
    if np.count_nonzero(looked <= _DARK) > _MOST_DARK * looked.size:
        return CameraProblem.TOO_DARK
    return None


def _inside(shape: tuple[int, ...], corners_px: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """Samples inside the convex polygon of *corners_px*: on one side of all its edges."""
    y, x = np.mgrid[: shape[0], : shape[1]] * float(_STEP)
    sides = []
    for (ax, ay), (bx, by) in zip(corners_px, [*corners_px[1:], corners_px[0]], strict=True):
        sides.append((bx - ax) * (y - ay) - (by - ay) * (x - ax))
    each = np.stack(sides)
    return np.asarray((each >= 0).all(axis=0) | (each <= 0).all(axis=0))

# SPDX-License-Identifier: Apache-2.0
"""Compensation of a shaking camera: images are shifted back by some px.

A table that is leaned on shifts the image by a few px for a moment. Everything that is sampled
at fixed places would change. The shift is measured at the corner tags; after a larger one the
board is searched for.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sensing.vision.codes import Grey
from companion.sensing.vision.geometry import Floats

REACH_PX: Final = 8
"""Largest shift in each direction."""
_HALF_PX: Final = 14
"""Half of the edge of a patch, which shows several modules of a corner tag."""
_SURE: Final = 0.7
"""Correlation from which a patch is found again."""
_AGREEING_PX: Final = 1.0
"""Distance of a patch's shift from the median up to which it counts."""
_FEWEST: Final = 2
"""Patches that must agree."""
_STEADY_PX: Final = 0.2
"""Shift that changes nothing."""


class Steadying:
    """Patches of an image, to be found again in later ones."""

    def __init__(self, image: Grey, middles_px: Floats) -> None:
        """*middles_px*: (n, 2), the middles of the corner tags in *image*."""
        height, width = image.shape
        self._patches: list[tuple[int, int, Grey]] = []
        margin = _HALF_PX + REACH_PX
        for x, y in np.rint(middles_px).astype(int):
            if margin <= x < width - margin and margin <= y < height - margin:
                patch = image[y - _HALF_PX : y + _HALF_PX, x - _HALF_PX : x + _HALF_PX]
                self._patches.append((int(x), int(y), patch.copy()))
        self.shift_px = (0.0, 0.0)
        """The shift of the latest image."""

    def steady(self, image: Grey) -> Grey:
        """*image*, shifted back by the latest shift."""
        if self.shift_px == (0.0, 0.0):
            return image
        matrix = np.array([[1, 0, self.shift_px[0]], [0, 1, self.shift_px[1]]])
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        size = image.shape[1], image.shape[0]
        return np.asarray(
            cv2.warpAffine(image, matrix, size, flags=how, borderMode=cv2.BORDER_REPLICATE), np.uint8
        )

    def follow(self, image: Grey) -> bool:
        """Measure the shift of *image*; true if it differs from the latest one."""
        found = np.array(list(self._found(image))).reshape(-1, 2)
        if len(found) < _FEWEST:
            return False
        middle = np.median(found, axis=0)
        agreeing = found[np.hypot(*(found - middle).T) < _AGREEING_PX]
        if len(agreeing) < _FEWEST:
            return False
        x, y = (float(each) for each in agreeing.mean(axis=0))
        shift_px = (x, y) if max(abs(x), abs(y)) > _STEADY_PX else (0.0, 0.0)
        apart = max(abs(shift_px[0] - self.shift_px[0]), abs(shift_px[1] - self.shift_px[1]))
        if apart < _STEADY_PX and shift_px != (0.0, 0.0):
            return False
        is_new, self.shift_px = shift_px != self.shift_px, shift_px
        return is_new

    def _found(self, image: Grey) -> Sequence[tuple[float, float]]:
        """The shift of each patch that is found."""
        shifts = []
        for x, y, patch in self._patches:
            reach = _HALF_PX + REACH_PX
            around = image[y - reach : y + reach, x - reach : x + reach]
            scores = np.asarray(cv2.matchTemplate(around, patch, cv2.TM_CCOEFF_NORMED))
            row, col = divmod(int(scores.argmax()), scores.shape[1])
            if scores[row, col] > _SURE:
                right = col + _vertex(scores[row], col) - REACH_PX
                down = row + _vertex(scores[:, col], row) - REACH_PX
                shifts.append((right, down))
        return shifts


def _vertex(scores: NDArray[np.generic], at: int) -> float:
    """The place of the maximum near index *at*, from a parabola, relative to it."""
    if not 0 < at < len(scores) - 1:
        return 0.0
    before, here, after = (float(each) for each in scores[at - 1 : at + 2])
    bend = before - 2 * here + after
    return 0.0 if bend >= 0 else 0.5 * (before - after) / bend

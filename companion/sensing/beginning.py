# SPDX-License-Identifier: Apache-2.0
"""The images from which a game starts: still, and in constant light. Pure.

What changes is judged by the noise that the images themselves show, on most cells:
in the means of the first and the last of them, noise and fast flicker cancel.
The game starts from the median of the images, in which a passing hand does not appear.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sensing.problems import CameraProblem
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.sampler import Flags

IMAGES: Final = 9
"""Images from which a game starts: 0.3 s at 30 per second."""
REASON_MS: Final = 1500
"""Time without a start after which the reason is reported."""
_PART: Final = 4
"""Number of first and of last images that are compared."""
_BLACK: Final = 3.0
"""Grey levels by which a still cell may change."""
_SLACK: Final = 0.04
"""The same as a share of its brightness."""
_NOISE: Final = 1.2
"""The same as a multiple of the noise of one image."""
_STIR: Final = 5.0
"""Grey levels by which a cell may change on average."""
_TIMES: Final = 3.0
"""Multiple of most cells' change that is added."""
_STEADY: Final = 0.02
"""Share by which the light may change from the first to the last images."""
_SIGMA: Final = 1.4826
"""Standard deviation, as a multiple of the median deviation."""
_NETWORK: Final = (
    *((1, 2), (4, 5), (7, 8), (0, 1), (3, 4), (6, 7), (1, 2), (4, 5), (7, 8), (0, 3)),
    *((5, 8), (4, 7), (3, 6), (1, 4), (2, 5), (4, 7), (4, 2), (6, 4), (4, 2)),
)
"""Exchanges after which the fifth of nine values is their median.

Source: *Median Finding on a 3×3 Grid*, in Graphics Gems, 1990.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Stillness:
    """What the latest images show."""

    restless: Flags
    """(n,): the cells that change."""
    is_light_changing: bool
    """True if the camera adjusts its exposure, or the light changes."""

    @property
    def is_still(self) -> bool:
        """True if the game can start from these images."""
        return not self.is_light_changing and not self.restless.any()


class Beginning:
    """The latest images before a game starts."""

    def __init__(self) -> None:
        """No image has been seen."""
        self._images: deque[NDArray[np.uint8]] = deque(maxlen=IMAGES)
        self._levels: deque[NDArray[np.uint8]] = deque(maxlen=IMAGES)
        self._first_ms: int | None = None

    def add(self, image: NDArray[np.uint8], levels: NDArray[np.uint8], now_ms: int) -> Stillness | None:
        """What the latest images show; None if they are too few.

        *levels*: (n, samples) of its cells.
        """
        if self._images and self._images[-1].shape != image.shape:
            self._images.clear()
            self._levels.clear()
        if self._first_ms is None:
            self._first_ms = now_ms
        self._images.append(image)
        self._levels.append(levels)
        return _stillness(np.stack(self._levels)) if len(self._levels) == IMAGES else None

    def reasons(self, stillness: Stillness, now_ms: int) -> dict[CameraProblem, Flags]:
        """Why the game has not started, with the cells; {} at first."""
        if self._first_ms is None or now_ms - self._first_ms < REASON_MS:
            return {}
        if stillness.is_light_changing:
            return {CameraProblem.LIGHT_CHANGES: np.zeros_like(stillness.restless)}
        return {CameraProblem.RESTLESS: stillness.restless}

    def restart(self) -> None:
        """Wait for other images: the game cannot start from these."""
        self._images.clear()
        self._levels.clear()

    def median(self) -> NDArray[np.uint8]:
        """The median of the images; takes some ms."""
        return median_of_nine(list(self._images))


def median_of_nine(images: list[NDArray[np.uint8]]) -> NDArray[np.uint8]:
    """The median of nine images, px by px."""
    values = list(images)
    for low, high in _NETWORK:
        less, more = cv2.min(values[low], values[high]), cv2.max(values[low], values[high])
        values[low], values[high] = np.asarray(less, np.uint8), np.asarray(more, np.uint8)
    return values[4]


def _stillness(levels: NDArray[np.uint8]) -> Stillness:
    """What (images, n, samples) levels show."""
    shown: Singles = levels.astype(np.float32)
    middle = np.median(shown, axis=0)
    apart = np.abs(shown - middle)
    noise = _SIGMA * float(np.median(apart))
    stir = apart.mean(axis=(0, 2))
    first, last = shown[:_PART].mean(axis=0), shown[-_PART:].mean(axis=0)
    gains = (last.mean(axis=1) + 1) / (first.mean(axis=1) + 1)
    gain = float(np.median(gains))
    trend = np.abs(last - gain * first).mean(axis=1)
    restless: Flags = trend > _BLACK + _SLACK * middle.mean(axis=1) + _NOISE * noise
    restless |= stir > _STIR + _TIMES * float(np.median(stir))
    return Stillness(restless, abs(gain - 1) > _STEADY)

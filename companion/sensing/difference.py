# SPDX-License-Identifier: Apache-2.0
"""How likely it is that something has happened on a cell between two pictures. Pure.

The distance of two looks is compared with that of most cells in the same pair of pictures, on which
nothing has happened, and with that of cells of different classes in one picture.
"""

from __future__ import annotations

from collections import deque
from typing import Final

import numpy as np

from companion.sensing.appearance import Labels
from companion.sensing.vision.discs import Looks
from companion.sensing.vision.geometry import Floats

MOST: Final = 6.0
"""Greatest evidence for or against a change, in nats."""
_PAIRS: Final = 15
"""Latest pairs of pictures of which the usual distance counts as one cell's."""
_USUAL: Final = 2.0
"""Distance of two looks at an unchanged cell at first, in units of lightness."""
_LEAST_SPREAD: Final = 0.35
"""Least standard deviation of the logarithm of a distance."""
_SIGMA: Final = 1.4826
"""Standard deviation, as a multiple of the median deviation."""
_SOME: Final = 64
"""Most cells that are compared with each other in one picture."""


class Difference:
    """Compares the looks of cells in two pictures of a game."""

    def __init__(self) -> None:
        """No pair was seen."""
        self._usual: deque[float] = deque(maxlen=_PAIRS)
        """The logarithms of the usual distances in the latest pairs."""
        self._other = (float(np.log(10 * _USUAL)), 0.6)
        """Middle and spread of the logarithm of the distance of cells of two classes."""

    def note(self, looks: Looks, labels: Labels) -> None:
        """Learn how far cells of two classes are apart; UNKNOWN (-1) is left out."""
        cells = np.flatnonzero(labels >= 0)
        cells = cells[:: max(1, len(cells) // _SOME)]
        one, other = np.nonzero(labels[cells][:, None] < labels[cells][None])
        if not len(one):
            return
        apart = looks.of(cells[one]).apart(looks.of(cells[other]))
        self._other = _middle_and_spread(np.log(np.maximum(apart, 0.1)))

    def evidence(self, looks: Looks, before: Looks) -> Floats:
        """(n,): the log ratio of "changed" to "unchanged", -MOST to MOST nats."""
        logs = np.log(np.maximum(looks.apart(before), 0.1))
        middle, spread = _middle_and_spread(np.concatenate([logs, self._usual, [np.log(_USUAL)]]))
        self._usual.append(middle)
        other, width = self._other
        other = max(other, middle + spread)
        shown = np.clip(logs, middle, other)
        unchanged = -0.5 * ((shown - middle) / spread) ** 2 - np.log(spread)
        changed = -0.5 * ((shown - other) / width) ** 2 - np.log(width)
        found: Floats = np.clip(changed - unchanged, -MOST, MOST)
        return found


def _middle_and_spread(values: Floats) -> tuple[float, float]:
    """The median of *values*, and their standard deviation without outliers."""
    middle = float(np.median(values))
    return middle, max(_LEAST_SPREAD, _SIGMA * float(np.median(np.abs(values - middle))))

# SPDX-License-Identifier: Apache-2.0
"""The look of the empty board, in whatever light there is.

Tags that are still where they were are the light meters: they are white and black, and known not to have changed.
Light is taken to change evenly over the board, or as a slope: a lamp switched on, a cloud, an exposure that was not locked.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell
from companion.sensing.vision.codes import Grey, Singles
from companion.sensing.vision.sampler import ACROSS, Flags, Still

_STEADY: Final = 0.01
"""Change of light too small to follow: one grey level in a hundred."""
_SLOPE: Final = 0.08
"""Spread of the meters from which they show a slope and not only noise."""
_METERS: Final = 4
"""Fewer meters tell no slope: the four corners do."""
_FLAT: Final = 1e-3
"""Weight of a light without slope, where the meters do not say: that of a meter three centimetres away."""
_NOISE: Final = 1.6
"""Two looks at like cells differ by so much more than two looks at one."""
_LIKE: Final = 0.03
"""And by this share of their brightness: paper in uneven light. The edge of a hand's shadow differs by more."""
_ADAPT: Final = 0.2
"""Share of the new in a look that is learned anew."""


class Light:
    """What each cell looks like when it is empty, and the light now in shares of the light then."""

    def __init__(self, middles_mm: NDArray[np.float64]) -> None:
        """*middles_mm*: (n, 2), the middle of each cell."""
        self.known: Flags = np.zeros(len(middles_mm), np.bool_)
        """Cells whose empty look was seen."""
        self.version = 0
        """Changes with the light."""
        self._places = _places(middles_mm)
        self._looks: Singles = np.zeros((len(middles_mm), ACROSS * ACROSS), np.float32)
        self._slope = np.array([1.0, 0.0, 0.0])
        self._before = self._slope
        self._expected = Still(np.zeros(self._looks.shape, np.uint8))

    def follow(self, ratios: NDArray[np.floating], at_mm: NDArray[np.float64]) -> None:
        """Take the light now from meters at (m, 2) mm that show *ratios* of their light then; none tell nothing."""
        self._before = self._slope
        if not len(ratios):
            return
        middle = float(np.sort(ratios)[len(ratios) // 2])
        slope = np.array([middle, 0.0, 0.0])
        if len(ratios) >= _METERS and float(ratios.max() - ratios.min()) > _SLOPE * middle:
            places = _places(at_mm)
            flat = np.diag([0.0, _FLAT, _FLAT])  # meters in a row tell nothing of the light across it
            slope = np.linalg.solve(places.T @ places + flat, places.T @ ratios)
        if np.abs(slope - self._slope).max() > _STEADY:
            self._slope = slope
            self.version += 1
            self._expect()

    def at(self, at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """The light at (m, 2) mm, in shares of the light at first."""
        shares: NDArray[np.float64] = np.maximum(_places(at_mm) @ self._slope, 0.05)
        return shares

    def carried(self, levels: Grey) -> Grey:
        """What *levels* of the image before would be in the light now."""
        if self._before is self._slope:
            return levels
        change = (self._places @ self._slope) / np.maximum(self._places @ self._before, 0.05)
        carried: Grey = np.clip(levels * change[:, None], 0, 255).astype(np.uint8)
        return carried

    def at_first(self, levels: Grey) -> Singles:
        """What *levels* of all cells would be in the light at first."""
        looks: Singles = levels.astype(np.float32) / self._shares()
        return looks

    def now(self, looks: Singles) -> Singles:
        """What *looks* of all cells in the light at first are in the light now."""
        now: Singles = np.minimum(looks * self._shares(), 255.0)
        return now

    def empty(self, cells: Flags) -> Singles:
        """(m, samples): what *cells* look like now when they are empty; their empty look must be known."""
        looks: Singles = self.now(self._looks)[cells]
        return looks

    def covered(self, levels: Grey) -> Flags:
        """Which cells do not look empty; those whose empty look is not known among them."""
        return self._expected.differing(levels) | ~self.known

    def resembles_empty(self, levels: Grey, cell: Cell) -> bool:
        """True if *cell* looks as some other cell does when it is empty."""
        if not self.known.any():
            return False
        noise = np.sort(self._expected.apart(levels)[self.known, 0])
        alone = np.broadcast_to(levels[cell], levels.shape).copy()
        apart = float(self._expected.apart(alone)[self.known].min())
        return apart < _NOISE * float(noise[len(noise) // 2]) + _LIKE * float(levels[cell].mean())

    def learn(self, levels: Grey, cells: Flags) -> None:
        """Take what *cells* look like now as their empty look; slowly where one was known."""
        new = levels[cells] / self._shares()[cells]
        share = np.where(self.known[cells], _ADAPT, 1.0)[:, None].astype(np.float32)
        self._looks[cells] += share * (new.astype(np.float32) - self._looks[cells])
        self.known = self.known | cells
        self._expect()

    def learn_again(self, levels: Grey, cells: Flags) -> None:
        """Take what *cells* look like now as their empty look, whatever it was."""
        self.known = self.known & ~cells
        self.learn(levels, cells)

    def _expect(self) -> None:
        """Work out what the empty cells look like in the light now."""
        self._expected = Still(np.clip(self._looks * self._shares() + 0.5, 0, 255).astype(np.uint8))

    def _shares(self) -> Singles:
        """(n, 1): the light on each cell now, in shares of the light at first."""
        shares: Singles = np.maximum(self._places @ self._slope, 0.05).astype(np.float32)[:, None]
        return shares


def _places(at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3): one, and x and y in metres, so that a slope's three numbers are of a size."""
    return np.column_stack([np.ones(len(at_mm)), at_mm / 1000])

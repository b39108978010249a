# SPDX-License-Identifier: Apache-2.0
"""The look of the empty board in changing light.

Tags in place serve as light meters: they are white and black, and known to be unchanged.
Light changes evenly over the board, or as a slope: a lamp switched on, a cloud,
an automatic exposure.
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
"""Spread of the meters from which they show a slope, beyond noise."""
_METERS: Final = 4
"""Least number of meters for a slope: the four corners suffice."""
_FLAT: Final = 1e-3
"""Weight of light without slope, where the meters do not decide.

Equal to that of a meter three centimetres away.
"""
_NOISE: Final = 1.6
"""Factor by which looks at similar cells differ more than looks at one."""
_LIKE: Final = 0.03
"""The same as a share of brightness: paper in uneven light.

The edge of a hand's shadow differs by more.
"""
_ADAPT: Final = 0.2
"""Share of the new in a look that is learned again."""


class Light:
    """The look of each empty cell, and the present light relative to the initial one."""

    def __init__(self, middles_mm: NDArray[np.float64]) -> None:
        """*middles_mm*: (n, 2), the centre of each cell."""
        self.known: Flags = np.zeros(len(middles_mm), np.bool_)
        """Cells whose empty look is known."""
        self.version = 0
        """Changes with the light."""
        self._places = _places(middles_mm)
        self._looks: Singles = np.zeros((len(middles_mm), ACROSS * ACROSS), np.float32)
        self._slope = np.array([1.0, 0.0, 0.0])
        self._before = self._slope
        self._expected = Still(np.zeros(self._looks.shape, np.uint8))

    def follow(self, ratios: NDArray[np.floating], at_mm: NDArray[np.float64]) -> None:
        """Update the light from meters at (m, 2) mm with *ratios* to their initial levels.

        No meters: no change.
        """
        self._before = self._slope
        if not len(ratios):
            return
        middle = float(np.sort(ratios)[len(ratios) // 2])
        slope = np.array([middle, 0.0, 0.0])
        if len(ratios) >= _METERS and float(ratios.max() - ratios.min()) > _SLOPE * middle:
            places = _places(at_mm)
            flat = np.diag([0.0, _FLAT, _FLAT])  # collinear meters do not show the light across their line
            slope = np.linalg.solve(places.T @ places + flat, places.T @ ratios)
        if np.abs(slope - self._slope).max() > _STEADY:
            self._slope = slope
            self.version += 1
            self._expect()

    def at(self, at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """The light at (m, 2) mm, relative to the initial light."""
        shares: NDArray[np.float64] = np.maximum(_places(at_mm) @ self._slope, 0.05)
        return shares

    def carried(self, levels: Grey) -> Grey:
        """*levels* of the previous image in the present light."""
        if self._before is self._slope:
            return levels
        change = (self._places @ self._slope) / np.maximum(self._places @ self._before, 0.05)
        carried: Grey = np.clip(levels * change[:, None], 0, 255).astype(np.uint8)
        return carried

    def at_first(self, levels: Grey) -> Singles:
        """*levels* of all cells in the initial light."""
        looks: Singles = levels.astype(np.float32) / self._shares()
        return looks

    def now(self, looks: Singles) -> Singles:
        """*looks* of all cells, in the initial light, converted to the present light."""
        now: Singles = np.minimum(looks * self._shares(), 255.0)
        return now

    def empty(self, cells: Flags) -> Singles:
        """(m, samples): the present look of *cells* when empty; it must be known."""
        looks: Singles = self.now(self._looks)[cells]
        return looks

    def covered(self, levels: Grey) -> Flags:
        """Cells that do not look empty, and those whose empty look is unknown."""
        return self._expected.differing(levels, self.known) | ~self.known

    def noise(self, levels: Grey) -> float:
        """The difference of most visible empty cells from their empty look."""
        apart = np.sort(self._expected.apart(levels)[self.known, 0])
        return float(apart[len(apart) // 2]) if len(apart) else 0.0

    def resembles_empty(self, levels: Grey, cell: Cell) -> bool:
        """True if *cell* looks like some other empty cell."""
        if not self.known.any():
            return False
        noise = np.sort(self._expected.apart(levels)[self.known, 0])
        alone = np.broadcast_to(levels[cell], levels.shape).copy()
        apart = float(self._expected.apart(alone)[self.known].min())
        return apart < _NOISE * float(noise[len(noise) // 2]) + _LIKE * float(levels[cell].mean())

    def learn(self, levels: Grey, cells: Flags) -> None:
        """Learn the present look of *cells* as their empty look; slowly if one was known."""
        new = levels[cells] / self._shares()[cells]
        share = np.where(self.known[cells], _ADAPT, 1.0)[:, None].astype(np.float32)
        self._looks[cells] += share * (new.astype(np.float32) - self._looks[cells])
        self.known = self.known | cells
        self._expect()

    def learn_again(self, levels: Grey, cells: Flags) -> None:
        """Replace the empty look of *cells* by their present look."""
        self.known = self.known & ~cells
        self.learn(levels, cells)

    def _expect(self) -> None:
        """Compute the look of the empty cells in the present light."""
        self._expected = Still(np.clip(self._looks * self._shares() + 0.5, 0, 255).astype(np.uint8))

    def _shares(self) -> Singles:
        """(n, 1): the present light on each cell, relative to the initial light."""
        shares: Singles = np.maximum(self._places @ self._slope, 0.05).astype(np.float32)[:, None]
        return shares


def _places(at_mm: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3):
    one, and x and y in metres, so that the coefficients of a slope are of similar size.
    """
    return np.column_stack([np.ones(len(at_mm)), at_mm / 1000])

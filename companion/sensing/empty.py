# SPDX-License-Identifier: Apache-2.0
"""The look of the empty board behind pieces and hands, derived from its visible parts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.sensing.appearance import tones_of
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.planes import on_plane, plane_fit
from companion.sensing.vision.sampler import Flags

_ODD: Final = 0.09
"""Share of brightness by which cells of one colour may differ in equal light.

A wooden board varies by less, a hand by more.
"""
_LIKE: Final = 0.06
"""Share of brightness by which samples may differ from the most similar cell.

The edge of a shadow differs by less, a coin on the cell by more.
"""
_TIMES: Final = 2.0
"""The same as a multiple of that of most cells: noise."""
_FEWEST: Final = 4
"""Cells of one colour that are needed to derive their light."""


def odd_levels(grid: Grid, levels: Floats, free: Flags) -> Flags:
    """The *free* cells, (n,), whose mean *levels*, (n,), differ from those of their colour."""
    free = free.copy()
    free[list(grid.obstacles)] = False
    light = _light(grid, levels, free)
    odd: Flags = free & ~np.isnan(light) & (np.abs(levels - light) > _ODD * np.maximum(light, 1.0))
    return odd


def odd_patterns(levels: NDArray[np.generic], free: Flags) -> Flags:
    """The *free* cells that resemble no other one: something lies there, smaller than the cell.

    *levels*: (n, samples). Cells are compared as if each had the same light.
    """
    odd, cells = np.zeros(len(free), np.bool_), np.flatnonzero(free)
    if len(cells) <= _FEWEST:
        return odd
    there = levels[cells].astype(np.float32)
    there /= np.maximum(np.median(there, axis=1, keepdims=True), 1.0)
    nearest = np.full(len(cells), np.inf)
    for one in range(len(cells)):
        apart = np.abs(there - there[one]).mean(axis=1)
        apart[one] = np.inf
        nearest[one] = apart.min()
    odd[cells] = nearest > _TIMES * np.median(nearest) + _LIKE
    return odd


def _light(grid: Grid, levels: Floats, free: Flags) -> Floats:
    """(n,): the level of each cell in its colour's light.

    nan if there are too few.
    """
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    light = np.full(len(grid), np.nan)
    like = tones_of(grid)
    for one in np.unique(like):
        among = free & (like == one)
        if among.sum() >= _FEWEST:
            light[like == one] = on_plane(plane_fit(levels[among], middles[among]), middles[like == one])
    return light

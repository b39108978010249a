# SPDX-License-Identifier: Apache-2.0
"""What the empty board looks like where pieces or hands are in the way, worked out from the rest of it."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.ground import Ground, on_plane, plane_fit
from companion.sensing.vision.sampler import Flags

_ODD: Final = 0.09
"""By how much of its brightness a cell may differ from its like, in the light that is on it: wood varies, a hand differs more."""
_SEEN: Final = 30
"""Samples of a window, of a hundred, that must be free of pieces for its cell to be judged."""
_FEWEST: Final = 4
"""Cells of a like from which their light is worked out."""


def odd_levels(grid: Grid, levels: Floats, free: Flags) -> Flags:
    """Which of the *free* cells do not look like the others, (n,), by their mean *levels*, (n,)."""
    free = free.copy()
    free[list(grid.obstacles)] = False
    light = _light(grid, levels, free)
    odd: Flags = free & ~np.isnan(light) & (np.abs(levels - light) > _ODD * np.maximum(light, 1.0))
    return odd


def odd_cells(grid: Grid, ground: Ground, levels: Singles, start: Flags) -> Flags:
    """Which of the cells on which nothing should stand do not look empty; *levels*: (s, channels)."""
    return odd_levels(grid, *_middle_levels(grid, ground, levels, start))


def filled_in(grid: Grid, ground: Ground, levels: Singles, start: Flags) -> Singles:
    """*levels*, (s, channels), of a board with pieces on *start*, as they would be without them.

    What a piece may hide is taken from the nearest cell of its like, in the light that is on this one;
    beside the board, from the nearest place that is free.
    """
    filled = levels.copy()
    hidden: Flags = np.any(ground.may[start], axis=0)
    outside = ~_inside(grid, ground.places_mm)
    light = _light(grid, *_middle_levels(grid, ground, levels, start))
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    windows, veiled, beyond = (ground.windows(each) for each in (filled, hidden, outside))
    shown = windows.copy()
    for cell in np.flatnonzero(veiled.any(axis=1) & ~np.isnan(light)):
        left = veiled[cell] & ~beyond[cell]
        nearest = np.argsort(((middles - middles[cell]) ** 2).sum(axis=1), kind="stable")
        for twin in nearest[_like(grid)[nearest] == _like(grid)[cell]]:
            found = left & ~veiled[twin] & ~beyond[twin]
            windows[cell][found] = shown[twin][found] * np.float32(light[cell] / light[twin])
            left &= ~found
    filled[outside] = levels[outside]
    seen = np.flatnonzero(outside & ~hidden)
    for sample in np.flatnonzero(outside & hidden) if len(seen) else ():
        apart = ((ground.places_mm[seen] - ground.places_mm[sample]) ** 2).sum(axis=1)
        filled[sample] = levels[seen[int(apart.argmin())]]
    return filled


def _middle_levels(grid: Grid, ground: Ground, levels: Singles, start: Flags) -> tuple[Floats, Flags]:
    """The middle level of each cell that shows enough of its ground and is not on *start*, and which these are; (n,) each."""
    shown = ground.windows(~np.any(ground.may[start], axis=0))
    windows = ground.windows(levels.max(axis=1))
    free = ~start & (shown.sum(axis=1) >= _SEEN)
    middle = np.zeros(len(grid))
    for cell in np.flatnonzero(free):
        middle[cell] = np.median(windows[cell][shown[cell]])
    return middle, free


def _light(grid: Grid, levels: Floats, free: Flags) -> Floats:
    """(n,): the level that each cell would have in the light that most of the *free* cells of its like show; nan if they are few."""
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    light = np.full(len(grid), np.nan)
    like = _like(grid)
    for one in np.unique(like):
        among = free & (like == one)
        if among.sum() >= _FEWEST:
            light[like == one] = on_plane(plane_fit(levels[among], middles[among]), middles[like == one])
    return light


def _like(grid: Grid) -> NDArray[np.intp]:
    """(n,): which of the two colours of a chequered board each cell would have; 0 on boards of other shapes."""
    cells = np.arange(len(grid))
    return (cells % grid.files + cells // grid.files) % 2 if grid.files else np.zeros(len(grid), np.intp)


def _inside(grid: Grid, places_mm: Floats) -> Flags:
    """(s,): which places lie on some cell; cells are convex."""
    inside = np.zeros(len(places_mm), np.bool_)
    for outline in grid.outlines:
        corners = np.array(outline)
        sides = np.roll(corners, -1, axis=0) - corners
        apart = places_mm[:, None] - corners[None]
        inside |= (sides[:, 0] * apart[:, :, 1] - sides[:, 1] * apart[:, :, 0] >= 0).all(axis=1)
    return inside

# SPDX-License-Identifier: Apache-2.0
"""The look of the empty board behind pieces and hands, derived from its visible parts."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.ground import ACROSS, Ground, on_plane, plane_fit
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
_SEEN: Final = 0.3
"""Share of visible samples that is needed to judge a cell's window."""
_INNER: Final = slice(2, ACROSS - 2)
"""Samples of a window without its cell's border."""
_FEWEST: Final = 4
"""Cells of one colour that are needed to derive their light."""


def odd_levels(grid: Grid, levels: Floats, free: Flags) -> Flags:
    """The *free* cells, (n,), whose mean *levels*, (n,), differ from those of their colour."""
    free = free.copy()
    free[list(grid.obstacles)] = False
    light = _light(grid, levels, free)
    odd: Flags = free & ~np.isnan(light) & (np.abs(levels - light) > _ODD * np.maximum(light, 1.0))
    return odd


def odd_patterns(levels: NDArray[np.generic], free: Flags, shown: Flags | None = None) -> Flags:
    """The *free* cells that resemble no other one: something lies there, smaller than the cell.

    *levels*: (n, samples). Cells are compared as if each had the same light, at the samples that
    are *shown*, (n, samples), on both; by default at all.
    """
    odd, cells = np.zeros(len(free), np.bool_), np.flatnonzero(free)
    if len(cells) <= _FEWEST:
        return odd
    there = levels[cells].astype(np.float32)
    seen = np.ones(there.shape, np.bool_) if shown is None else shown[cells]
    middle = np.nanmedian(np.where(seen, there, np.nan), axis=1, keepdims=True)
    there /= np.maximum(middle, 1.0)
    nearest = np.full(len(cells), np.inf)
    for one in range(len(cells)):
        both = seen & seen[one]
        count = both.sum(axis=1)
        apart = (np.abs(there - there[one]) * both).sum(axis=1) / np.maximum(count, 1)
        apart[(count < _SEEN * there.shape[1]) | (np.arange(len(cells)) == one)] = np.inf
        nearest[one] = apart.min()
    known = np.isfinite(nearest)
    if known.any():
        odd[cells[known]] = nearest[known] > _TIMES * np.median(nearest[known]) + _LIKE
    return odd


def odd_cells(grid: Grid, ground: Ground, levels: Singles, start: Flags) -> Flags:
    """Cells that should be empty but do not look so; *levels*: (s, channels)."""
    middle, free = _middle_levels(grid, ground, levels, start)
    squares = (ground.count, ACROSS, ACROSS)
    inner, hidden = (
        ground.windows(each).reshape(squares)[:, _INNER, _INNER].reshape(ground.count, -1)
        for each in (levels.max(axis=1), np.any(ground.may[start], axis=0))
    )
    free[list(grid.obstacles)] = False
    return odd_levels(grid, middle, free) | odd_patterns(inner, free, ~hidden)


def filled_in(grid: Grid, ground: Ground, levels: Singles, start: Flags) -> Singles:
    """*levels*, (s, channels), of a board with pieces on *start*, as if without them.

    Hidden samples are taken from the nearest cell of the same colour, in the light of this one;
    beside the board, from the nearest visible place.
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
    """The median level of each usable cell, and the mask of usable cells; (n,) each.

    A cell is usable if it is not in *start* and enough of its ground is visible.
    """
    shown = ground.windows(~np.any(ground.may[start], axis=0))
    windows = ground.windows(levels.max(axis=1))
    free = ~start & (shown.mean(axis=1) >= _SEEN)
    middle = np.zeros(len(grid))
    for cell in np.flatnonzero(free):
        middle[cell] = np.median(windows[cell][shown[cell]])
    return middle, free


def _light(grid: Grid, levels: Floats, free: Flags) -> Floats:
    """(n,): the level of each cell in its colour's light.

    nan if there are too few.
    """
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    light = np.full(len(grid), np.nan)
    like = _like(grid)
    for one in np.unique(like):
        among = free & (like == one)
        if among.sum() >= _FEWEST:
            light[like == one] = on_plane(plane_fit(levels[among], middles[among]), middles[like == one])
    return light


def _like(grid: Grid) -> NDArray[np.intp]:
    """(n,): the colour of each cell of a chequered board, 0 or 1.

    0 on other shapes.
    """
    cells = np.arange(len(grid))
    return (cells % grid.files + cells // grid.files) % 2 if grid.files else np.zeros(len(grid), np.intp)


def _inside(grid: Grid, places_mm: Floats) -> Flags:
    """(s,): places inside a cell; cells are convex."""
    inside = np.zeros(len(places_mm), np.bool_)
    for outline in grid.outlines:
        corners = np.array(outline)
        sides = np.roll(corners, -1, axis=0) - corners
        apart = places_mm[:, None] - corners[None]
        inside |= (sides[:, 0] * apart[:, :, 1] - sides[:, 1] * apart[:, :, 0] >= 0).all(axis=1)
    return inside

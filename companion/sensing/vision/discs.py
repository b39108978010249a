# SPDX-License-Identifier: Apache-2.0
"""The look of cells on two discs: around a piece's foot, and its upper part.

From the camera a piece leans away from the point below it. The discs lean with it, so that each
shows the piece of its own cell and little of its neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid, edges_mm
from companion.sensing.vision.codes import Grey, Singles
from companion.sensing.vision.geometry import Floats, View
from companion.sensing.vision.planes import on_plane, plane_fit
from companion.sensing.vision.sampler import FixedMap, Flags, fixed_map

Picture: TypeAlias = NDArray[np.uint8]
"""(height, width) of grey or (height, width, 3) of blue, green and red."""

_STEP: Final = 0.05
"""Distance of the samples, in cells."""
_LOW: Final = 5
"""Radius of the lower disc, in samples."""
_HIGH: Final = 4
"""Radius of the upper disc."""
_LOW_AT: Final = 0.25
"""Height of the lower disc above the board, in cells."""
_HIGH_AT: Final = 0.75
"""The same of the upper disc."""
_SHARES: Final = (0.3, 0.6)
"""Greatest heights of the discs, as shares of the tallest piece."""
_PARTS: Final = (0.3, 0.45, 0.6)
"""Heights at which a usual piece may hide others, as shares of the tallest."""
_VEIL: Final = 0.36
"""Distance from the middle of a cell's lower disc, in cells, at which it does."""
_BLACK: Final = 16.0
"""Lightness that is added for lightness to be proportional to the cube root of light."""
_FEWEST: Final = 6
"""Empty cells of a colour from which the light is known."""
_UNEVEN: Final = (0.7, 1.4)
"""Least and greatest difference of light on a board."""
_FINEST_PX: Final = 2.5
"""Distance of samples in the image from which it is halved: finer detail is noise."""
_UPPER: Final = 0.3
"""Weight of the upper disc in the distance of two looks."""
_DARK, _BRIGHT = 15, 85
"""Percentiles of the lightness that are features."""


def grey_of(picture: Picture) -> Grey:
    """*picture* in grey."""
    return picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Looks:
    """What n cells look like in one picture; colours are CIELAB, or the lightness alone."""

    low: Singles
    """(n, samples, channels): the lower disc."""
    high: Singles
    """(n, samples, channels): the upper disc."""
    texture: Singles
    """(n,): the mean difference of adjacent samples of the lower disc in lightness."""

    def features(self) -> Floats:
        """(n, d): the means and the spread of both discs, in units of lightness."""
        light = self.low[:, :, 0]
        ends = np.percentile(light, (_DARK, _BRIGHT), axis=1).T
        columns = [
            self.low.mean(axis=1),
            light.std(axis=1)[:, None],
            self.texture[:, None],
            ends,
            self.high.mean(axis=1),
            self.high[:, :, 0].std(axis=1)[:, None],
        ]
        found: Floats = np.hstack(columns).astype(np.float64)
        return found

    def in_light_of(self, other: Looks, cells: Flags | None = None) -> Looks:
        """The same in the light of *other*, by most *cells*; by default, of all."""
        own, there = self.low.mean(axis=1), other.low.mean(axis=1)
        if cells is not None:
            own, there = own[cells], there[cells]
        gain = float(np.median((there[:, 0] + _BLACK) / (own[:, 0] + _BLACK)))
        lit = self.evened(np.full(len(self.low), 1 / gain))
        tint = np.median(there - own * gain, axis=0).astype(np.float32)
        tint[0] = 0
        return replace(lit, low=lit.low + tint, high=lit.high + tint)

    def evened(self, factors: Floats) -> Looks:
        """The same with the light of each cell divided by *factors*, (n,)."""
        scale: Singles = (1 / factors).astype(np.float32)[:, None, None]
        black = np.zeros(self.low.shape[2], np.float32)
        black[0] = _BLACK
        low, high = ((part + black) * scale - black for part in (self.low, self.high))
        return Looks(low, high, self.texture * scale[:, 0, 0])

    def apart(self, other: Looks) -> Floats:
        """(n,): the distance of each cell's look from that in *other*."""
        low, high = (
            np.sqrt(((one - two) ** 2).sum(axis=2)).mean(axis=1)
            for one, two in ((self.low, other.low), (self.high, other.high))
        )
        found: Floats = (low + _UPPER * high).astype(np.float64)
        return found

    def of(self, cells: NDArray[np.intp]) -> Looks:
        """The looks of these *cells* alone, in this order."""
        return Looks(self.low[cells], self.high[cells], self.texture[cells])

    def only(self, cells: Flags, other: Looks) -> Looks:
        """The looks of *cells*, and those of *other* elsewhere."""
        where = cells[:, None, None]
        return Looks(
            np.where(where, self.low, other.low),
            np.where(where, self.high, other.high),
            np.where(cells, self.texture, other.texture),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Discs:
    """The places of the samples for one view."""

    low: FixedMap
    high: FixedMap
    count: int
    """Number of cells."""
    halvings: int
    """How often the image is halved before it is sampled."""

    def look(self, picture: Picture) -> Looks:
        """The looks of all cells in *picture*; takes some ms."""
        for _ in range(self.halvings):
            picture = np.asarray(cv2.pyrDown(picture), np.uint8)
        low, high = (
            _lab(np.asarray(cv2.remap(picture, *part, cv2.INTER_LINEAR))) for part in (self.low, self.high)
        )
        across = 2 * _LOW + 1
        light = low[..., 0].reshape(self.count, across, across)
        texture = np.abs(np.diff(light, axis=1)).mean(axis=(1, 2)) + np.abs(np.diff(light, axis=2)).mean(
            axis=(1, 2)
        )
        return Looks(
            _inside(low, self.count, _LOW), _inside(high, self.count, _HIGH), texture.astype(np.float32)
        )


def discs_of(view: View, grid: Grid, tallest_mm: float) -> Discs:
    """The discs of *grid*'s cells through *view*, with pieces of up to *tallest_mm*."""
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    edges = np.array(edges_mm(grid))
    heights = [
        np.minimum(at * edges, share * tallest_mm)
        for at, share in zip((_LOW_AT, _HIGH_AT), _SHARES, strict=True)
    ]
    step_px = min(view.px_per_mm((x, y)) * edge * _STEP for (x, y), edge in zip(middles, edges, strict=True))
    halvings = max(0, int(np.log2(max(step_px / _FINEST_PX, 1.0))) + (step_px > _FINEST_PX))
    low, high = (
        _map(view, middles, edges, height, radius, halvings)
        for height, radius in zip(heights, (_LOW, _HIGH), strict=True)
    )
    return Discs(low, high, len(grid), halvings)


def shading(looks: Looks, empty: Flags, tones: NDArray[np.intp], middles_mm: Floats) -> Floats:
    """(n,): how much lighter each cell is than most, from the cells that are *empty*.

    1 everywhere if these are too few.
    """
    light = looks.low[:, :, 0].mean(axis=1).astype(np.float64) + _BLACK
    ratios, known = np.ones(len(light)), np.zeros(len(light), np.bool_)
    for tone in np.unique(tones):
        cells = empty & (tones == tone)
        if cells.sum() >= _FEWEST:
            ratios[cells] = light[cells] / np.median(light[cells])
            known |= cells
    if known.sum() < 2 * _FEWEST:
        return np.ones(len(light))
    plane = plane_fit(ratios[known], middles_mm[known])
    return np.clip(on_plane(plane, middles_mm), *_UNEVEN)


def veils(view: View, grid: Grid, tallest_mm: float) -> Flags:
    """(n, n): True where a usual piece on one cell hides another's foot."""
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    edges, camera = np.array(edges_mm(grid)), view.camera_mm
    hidden = np.zeros((len(middles), len(middles)), np.bool_)

    def shown(heights: Floats) -> Floats:
        growth = (camera[2] / (camera[2] - heights))[:, None]
        places: Floats = camera[:2] + (middles - camera[:2]) * growth
        return places

    discs = shown(np.minimum(_LOW_AT * edges, _SHARES[0] * tallest_mm))
    for share in _PARTS:
        apart = np.hypot(
            *(shown(np.full(len(edges), share * tallest_mm))[:, None] - discs).transpose(2, 0, 1)
        )
        hidden |= apart < _VEIL * edges[:, None]
    np.fill_diagonal(hidden, val=False)
    return hidden


def _map(view: View, middles: Floats, edges: Floats, heights: Floats, radius: int, halvings: int) -> FixedMap:
    """The map of a square of samples around each disc, row by row."""
    across = 2 * radius + 1
    steps = np.stack(np.meshgrid(*[(np.arange(across) - radius) * _STEP] * 2), axis=-1).reshape(-1, 2)
    places = (middles[:, None] + steps * edges[:, None, None]).reshape(-1, 2)
    points = view.to_image(places, np.repeat(heights, across * across))
    return fixed_map((points + 0.5) / 2**halvings - 0.5, across)


def _inside(levels: Singles, count: int, radius: int) -> Singles:
    """(count, samples, channels): the samples inside the disc."""
    across = np.arange(-radius, radius + 1)
    is_inside = (across[:, None] ** 2 + across**2 <= radius**2 + 1).ravel()
    squares: Singles = levels.reshape(count, is_inside.size, -1)[:, is_inside]
    return squares


def _lab(levels: NDArray[np.generic]) -> Singles:
    """CIELAB of blue, green and red, or the lightness of grey: (rows, columns, channels)."""
    shares = levels.astype(np.float32) / 255
    if levels.ndim == 3:
        return np.asarray(cv2.cvtColor(shares, cv2.COLOR_BGR2Lab), np.float32)
    return np.asarray(cv2.cvtColor(cv2.merge([shares] * 3), cv2.COLOR_BGR2Lab), np.float32)[..., :1]

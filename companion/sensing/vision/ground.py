# SPDX-License-Identifier: Apache-2.0
"""Ground samples under untagged pieces: areas that pieces hide, and the light.

A piece covers the ground under it and, because of its height,
a strip behind it as seen by the camera.
Differing ground that no piece can hide is covered by something else: a hand, a toppled piece,
a shadow.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, Grid
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.geometry import Floats, View
from companion.sensing.vision.sampler import FixedMap, Flags, fixed_map, within

Picture: TypeAlias = NDArray[np.uint8]
"""(height, width) of grey or (height, width, 3) of blue, green and red."""

Scalar = TypeVar("Scalar", bound=np.generic)
Levels: TypeAlias = NDArray[np.uint8]
"""(s, channels)."""

ACROSS: Final = 10
"""Samples across a window: a finger of 15 mm covers two.

On a cell of 50 mm.
"""
_WINDOW: Final = 1.25
"""Edge of a window in cells: with the border and parts of neighbours.

They show whether the ground is visible at all.
"""
_RIM: Final = (0.25, 0.55, 0.85)
"""Distances of the samples outside the board, in cells: an arm crosses them."""
_ALONG: Final = 6
"""Samples along each outer edge."""
_STEPS: Final = 6
"""Number of heights at which a body is sampled."""

_BLACK: Final = 13.0
"""Grey levels by which one sample may differ: three times a cheap camera's noise."""
_SLACK: Final = 0.07
"""The same as a share of its brightness: flicker, JPEG."""
_DIMMEST: Final = 0.45
_BRIGHTEST: Final = 0.97
"""Light that remains in a shadow: less is a dark object, more is nothing."""
_SUN: Final = 1.8
"""Largest factor of a sun patch."""
_HUE: Final = 0.09
"""Colour distance, relative to brightness, that another light can cause.

Skin on a wooden board is twice as far.
"""
_ROUNDS: Final = 8
"""Iterations of a robust fit."""


@dataclass(frozen=True, slots=True)
class PieceSize:
    """Size of pieces in mm: the minimum and maximum over all pieces."""

    least_radius_mm: float
    least_height_mm: float
    most_radius_mm: float
    """From the cell's centre, with pieces that stand off centre."""
    most_height_mm: float
    is_wide: bool = False
    """True if some pieces cover several cells, and the ground between them."""


def stature_for(edge_mm: float, most_height_mm: float | None = None, *, is_wide: bool = False) -> PieceSize:
    """Usual pieces for cells of *edge_mm*.

    Bases of half a cell, about as tall as a cell.
    """
    most = 1.6 * edge_mm if most_height_mm is None else most_height_mm
    radius = (0.56 if is_wide else 0.46) * edge_mm
    return PieceSize(0.17 * edge_mm, min(0.3 * edge_mm, most / 2), radius, most, is_wide)


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Sample places for one view, and the areas that pieces hide.

    There are s samples; the windows of the n cells come first.
    """

    where: FixedMap
    count: int
    """n."""
    places_mm: Floats
    """(s, 2)."""
    middles_mm: Floats
    """(n, 2): the centre of each cell."""
    may: Flags
    """(n, s): True where a piece on this cell may hide this sample."""
    must: tuple[NDArray[np.intp], ...]
    """The samples that a piece on each cell certainly hides."""
    musts: NDArray[np.intp]
    """(n, k): the same, padded by repetition."""
    order: tuple[int, ...]
    """The cells by distance from the camera's foot: pieces hide only what is behind them."""
    beside: Flags
    """(n, n): the cells around each cell, and itself."""
    rims: Flags
    """(n, s): the samples outside the board that belong to each edge cell."""
    bridges: Mapping[tuple[Cell, Cell], Flags]
    """(s,) per two cells: the area that a piece on both may hide."""
    free: Flags
    """(n, ACROSS²): the part of its window that a piece on a cell cannot hide."""

    def look(self, picture: Picture) -> Levels:
        """The levels of all samples: (s, channels) uint8."""
        levels = np.asarray(cv2.remap(picture, *self.where, cv2.INTER_LINEAR), np.uint8)
        return levels.reshape(-1, 1 if picture.ndim == 2 else picture.shape[2])

    def over_musts(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        """(n, …): the mean of *values*, (s, …), over each cell's certain area."""
        found: NDArray[np.float64] = np.take(values, self.musts, axis=0).astype(np.float64).mean(axis=1)
        return found

    def near(self, cells: Flags) -> Flags:
        """(s,): the samples in the windows of *cells*, and beside the board at them."""
        samples: Flags = np.any(self.rims[cells], axis=0)
        samples[: self.count * ACROSS * ACROSS] |= np.repeat(cells, ACROSS * ACROSS)
        return samples

    def windows(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """The part of *values*, (s, …), in windows of cells: (n, ACROSS², …)."""
        return values[: self.count * ACROSS * ACROSS].reshape(self.count, ACROSS * ACROSS, *values.shape[1:])


def ground_of(view: View, grid: Grid, stature: PieceSize, edges_mm: Floats) -> Ground:
    """The sample places of *grid*, with cells of edges *edges_mm*, through *view*."""
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    steps = (np.arange(ACROSS) + 0.5) / ACROSS - 0.5
    inside = [
        within((np.array(outline) - middle) * _WINDOW + middle, steps)
        for outline, middle in zip(grid.outlines, middles, strict=True)
    ]
    outside, owners = _rim(grid, edges_mm)
    fill = -len(outside) % (ACROSS * ACROSS)
    places = np.vstack([*inside, outside, np.repeat(outside[-1:], fill, axis=0)])
    rims = np.zeros((len(grid), len(places)), np.bool_)
    rims[owners, len(grid) * ACROSS * ACROSS + np.arange(len(outside))] = True
    may = _hidden_by(view, middles, places, stature.most_radius_mm, stature.most_height_mm)
    must = _hidden_by(view, middles, places, stature.least_radius_mm, stature.least_height_mm)
    must[:, len(grid) * ACROSS * ACROSS :] = False
    apart = np.abs(middles[:, None] - middles[None]).max(axis=2)
    away = np.hypot(*(middles - view.camera_mm[:2]).T)
    beside = apart < 1.6 * edges_mm[:, None]
    windows = may[:, : len(grid) * ACROSS * ACROSS].reshape(len(grid), len(grid), ACROSS * ACROSS)
    bridges: dict[tuple[Cell, Cell], Flags] = {}
    if stature.is_wide:
        pairs = [(one, other) for one, other in np.argwhere(beside).tolist() if one < other]
        between = np.array([(middles[one] + middles[other]) / 2 for one, other in pairs])
        spread = _hidden_by(view, between, places, stature.most_radius_mm, stature.most_height_mm)
        bridges = dict(zip(pairs, spread, strict=True))
    sure = tuple(np.flatnonzero(row) for row in must)
    most = max(len(one) for one in sure)
    return Ground(
        fixed_map(view.to_image(places), ACROSS * ACROSS),
        len(grid),
        places,
        middles,
        may,
        sure,
        np.stack([np.resize(one, most) for one in sure]),
        tuple(int(cell) for cell in np.argsort(away, kind="stable")),
        beside,
        rims,
        bridges,
        ~windows[np.arange(len(grid)), np.arange(len(grid))],
    )


def differing_samples(levels: Singles, expected: Singles) -> tuple[Flags, Flags]:
    """Samples that differ from *expected*, and those of them that another light explains.

    Both (s, channels) float32; returns (s,) each. In grey every darker sample may be a shadow.
    """
    apart = np.abs(levels - expected)
    flagged: Flags = (apart > _BLACK + _SLACK * expected).any(axis=1)
    power = np.einsum("ij,ij->i", expected, expected) + 1.0
    share = np.einsum("ij,ij->i", levels, expected) / power
    left = levels - share[:, None] * expected
    hue = np.sqrt(np.einsum("ij,ij->i", left, left) / power) / np.maximum(share, 0.1)
    top = _BRIGHTEST if levels.shape[1] == 1 else _SUN
    lit: Flags = flagged & (share > _DIMMEST) & (share < top) & (hue < _HUE)
    return flagged, lit


def changed_samples(levels: NDArray[np.generic], before: NDArray[np.generic]) -> Flags:
    """(s,):
    samples that differ between two images, (s, channels) each, beyond noise and flicker.
    """
    old = before.astype(np.float32)
    found: Flags = (np.abs(levels.astype(np.float32) - old) > _BLACK + _SLACK * old).any(axis=1)
    return found


def plane_fit(values: Floats, at_mm: Floats, start: Floats | None = None) -> Floats:
    """The plane a + b x + c y through most *values*.

    Fitted by least absolute distance.

    (m,) *values* at (m, 2) mm; x and y in metres; returns (3,).
    """
    places = np.column_stack([np.ones(len(at_mm)), at_mm / 1000])
    weights = np.ones(len(values))
    plane = np.array([float(np.median(values)), 0.0, 0.0]) if start is None else start
    for _ in range(_ROUNDS):
        apart = np.abs(values - places @ plane)
        weights = 1 / np.maximum(apart, 0.005 * max(abs(float(plane[0])), 1e-3))
        flat = np.diag([0.0, 1e-6, 1e-6]) * weights.sum()
        plane = np.linalg.solve(
            (places * weights[:, None]).T @ places + flat, (places * weights[:, None]).T @ values
        )
    found: Floats = plane
    return found


def light_plane(ground: Ground, levels: NDArray[np.generic], empty: Singles) -> Floats:
    """The light in *levels* relative to *empty*: most cells show ground around their piece.

    Both (s, channels); returns the plane, (3,).
    """
    shown, bare = ((ground.windows(each.mean(axis=1)) * ground.free).sum(axis=1) for each in (levels, empty))
    return plane_fit(shown / np.maximum(bare, 1.0), ground.middles_mm)


def on_plane(plane: Floats, at_mm: Floats) -> Floats:
    """(m,): the values of *plane* at (m, 2) mm."""
    values: Floats = np.column_stack([np.ones(len(at_mm)), at_mm / 1000]) @ plane
    return values


def _hidden_by(view: View, middles: Floats, places: Floats, radius_mm: float, height_mm: float) -> Flags:
    """(n, s): samples that a round body on each cell hides from the camera."""
    hidden = np.zeros((len(middles), len(places)), np.bool_)
    camera = view.camera_mm
    for height in np.linspace(0, height_mm, _STEPS):
        growth = camera[2] / (camera[2] - height)
        covered = camera[:2] + (middles - camera[:2]) * growth
        squared = ((covered[:, None] - places[None]) ** 2).sum(axis=2)
        hidden |= squared <= (radius_mm * growth) ** 2
    return hidden


def _rim(grid: Grid, edges_mm: Floats) -> tuple[Floats, NDArray[np.intp]]:
    """(m, 2) places in mm beside the board's outer edges, and the cell of each."""
    seen: dict[tuple[tuple[int, int], ...], list[int]] = {}
    edges: list[tuple[Cell, Floats, Floats]] = []
    for cell, outline in enumerate(grid.outlines):
        for start, end in zip(outline, (*outline[1:], outline[0]), strict=True):
            key = tuple(sorted((round(x), round(y)) for x, y in (start, end)))
            seen.setdefault(key, []).append(len(edges))
            edges.append((cell, np.array(start), np.array(end)))
    places, owners = [], []
    for numbers in seen.values():
        if len(numbers) == 1:
            cell, one, other = edges[numbers[0]]
            along = other - one
            outward = np.array([along[1], -along[0]]) / (np.hypot(*along) or 1.0)
            for away in _RIM:
                for share in (np.arange(_ALONG) + 0.5) / _ALONG:
                    places.append(one + along * share + outward * away * edges_mm[cell])
                    owners.append(cell)
    return np.array(places), np.array(owners, np.intp)

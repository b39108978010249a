# SPDX-License-Identifier: Apache-2.0
"""Turned pieces as stacks of thin slices, and what the camera sees of them.

A ray of sight comes from above, so that the highest slice on it is the one seen: slices are drawn
from the bottom up. The same holds for rays of light.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_CORNERS: Final = 26
"""Of the polygon that stands for a round slice."""
_SLICE_MM: Final = 1.1

_Profile = tuple[float, tuple[tuple[float, float], ...]]


def _profile(height: float, curve: str) -> _Profile:
    """*curve* has pairs in hundredths: of the height, and the radius in cells."""
    numbers = [float(each) / 100 for each in curve.split()]
    return height, tuple(zip(numbers[::2], numbers[1::2], strict=True))


PROFILES: Final[dict[str, _Profile]] = {
    "pawn": _profile(
        0.86,
        "0 27  5 28  12 26  15 20  20 21  30 14.5  50 10.5  60 10  63 17  66 17  68 11  72 14.5"
        "  80 17  88 16.5  95 12  99 5  100 0",
    ),
    "rook": _profile(
        1.0, "0 33  7 34  13 31  16 25  20 26  30 20  60 17  70 18  73 25  77 25  80 22  97 24.5  100 23.5"
    ),
    "knight": _profile(
        1.15, "0 33  6 34  11 31  15 24  20 25  28 20  45 20  60 18.5  72 20  82 20  90 15  96 10  100 3"
    ),
    "bishop": _profile(
        1.3,
        "0 32  5 33  10 30  13 23  16 24  26 15  50 10.5  60 10  62 20  65 20  67 12  70 13  78 17"
        "  84 16.5  92 9  94 5  96 6  98 5  100 0",
    ),
    "queen": _profile(
        1.6,
        "0 36  5 37  9 34  12 25  15 26  25 17  50 12  66 11.5  68 21  70 21  72 14  78 16  91 23.5"
        "  93 22  94 13  96 10  97 6  99 5  100 0",
    ),
    "king": _profile(
        1.78,
        "0 37  5 38  8 35  11 26  14 27  24 18  46 13  61 12.5  63 22  65 22  67 15  72 16  84 22"
        "  86 20  88 10  89 4  93 3.5  93.5 8.5  96.5 8.5  97 3.5  100 3",
    ),
}
"""The height in cells; then fractions of the height with the radius in cells."""


@dataclass(frozen=True)
class Slices:
    """The slices of a solid, from the bottom: ellipses at heights."""

    z: Floats
    middle: Floats
    """(N, 2)."""
    along: Floats
    """(N,): the half axis in direction *turn_deg*."""
    across: Floats
    turn_deg: float

    def outline(self) -> Floats:
        """(N, corners, 2): the outlines in mm."""
        angle = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
        turn = np.radians(self.turn_deg)
        x = self.along[:, None] * np.cos(angle)
        y = self.across[:, None] * np.sin(angle)
        flat = np.stack([x * np.cos(turn) - y * np.sin(turn), x * np.sin(turn) + y * np.cos(turn)], axis=-1)
        return np.asarray(self.middle[:, None] + flat)


@dataclass(frozen=True)
class Body:
    """A piece at its place."""

    kind: str
    side: int
    at_mm: tuple[float, float]
    turn_deg: float
    cell_mm: float
    lift_mm: float = 0.0

    def height_mm(self) -> float:
        """Its height."""
        return PROFILES[self.kind][0] * self.cell_mm

    def slices(self) -> Slices:
        """The slices that it consists of."""
        tall, curve = PROFILES[self.kind]
        high = tall * self.cell_mm
        count = max(int(high / _SLICE_MM), 8)
        part = (np.arange(count) + 0.5) / count
        xs, ys = np.array(curve).T
        radius = np.interp(part, xs, ys) * self.cell_mm
        turn = np.radians(self.turn_deg)
        ahead = np.array([np.cos(turn), np.sin(turn)])
        middle = np.tile(np.array(self.at_mm), (count, 1))
        along, across = radius, radius
        if self.kind == "knight":  # a neck that leans back and a head that looks ahead
            xs, ys = np.array([(0, 0), (0.25, 0), (0.45, -0.06), (0.65, 0.0), (0.8, 0.1), (1, -0.02)]).T
            middle = middle + np.interp(part, xs, ys)[:, None] * self.cell_mm * ahead
            along = radius * np.interp(part, [0, 0.25, 0.5, 0.75, 1], [1, 1, 1.0, 1.25, 1.2])
            across = radius * np.interp(part, [0, 0.25, 0.4, 1], [1, 1, 0.62, 0.5])
        return Slices(part * high + self.lift_mm, middle, along, across, self.turn_deg)


def stacked(
    outlines: Floats, values: Sequence[float] | NDArray[Any], shape: tuple[int, int]
) -> NDArray[np.float32]:
    """Draw *outlines* (N, corners, 2) in px over one another, with their *values*."""
    drawn = np.zeros(shape, np.float32)
    points = np.rint(outlines * 16).astype(np.int32)
    for outline, value in zip(points, values, strict=True):
        cv2.fillConvexPoly(drawn, outline, float(value), cv2.LINE_8, 4)
    return drawn


@dataclass(frozen=True)
class Seen:
    """What the camera sees of a solid, from *corner* (x, y) of the image on."""

    corner: tuple[int, int]
    z: NDArray[np.float32]
    """0 where it is not."""
    place: NDArray[np.float32]
    """(height, width, 3) mm."""
    normal: NDArray[np.float32]
    ring: NDArray[np.float32]
    """(height, width, 2): angle about its axis, and height in mm above its foot."""


def seen(body: Body, matrix: Floats, size_px: tuple[int, int]) -> Seen | None:
    """What the camera sees of *body*; None if that is outside of the image."""
    slices = body.slices()
    flat = slices.outline()
    z = np.broadcast_to(slices.z[:, None], flat.shape[:2])
    px = np.stack([*np.moveaxis(flat, -1, 0), z, np.ones_like(z)], axis=-1) @ matrix.T
    px = px[..., :2] / px[..., 2:]
    low = np.floor(px.min(axis=(0, 1))).astype(int) - 1
    high = np.ceil(px.max(axis=(0, 1))).astype(int) + 2
    low, high = np.maximum(low, 0), np.minimum(high, size_px)
    if np.any(high - low < 2):
        return None
    shape = (int(high[1] - low[1]), int(high[0] - low[0]))
    number = stacked(px - low, np.arange(1, len(px) + 1), shape).astype(int)
    count = len(slices.z)
    index = np.clip(number - 1, 0, count - 1)
    height = slices.z[index]
    place = on_heights(matrix, low, height)
    turn = np.radians(slices.turn_deg)
    away = place[..., :2] - slices.middle[index]
    u = away @ np.array([np.cos(turn), np.sin(turn)])
    v = away @ np.array([-np.sin(turn), np.cos(turn)])
    out_u, out_v = u / slices.along[index] ** 2, v / slices.across[index] ** 2
    long = np.maximum(np.hypot(out_u, out_v), 1e-6)
    step = slices.z[1] - slices.z[0]
    shrink = np.append(slices.along[:-1] - slices.along[1:], slices.along[-1])
    shrink = np.convolve(np.pad(shrink, 1, mode="edge"), [0.25, 0.5, 0.25], "valid")
    rise = shrink[index]
    size = np.hypot(step, rise)
    flat_u, flat_v = out_u / long * step / size, out_v / long * step / size
    normal = np.stack(
        [
            flat_u * np.cos(turn) - flat_v * np.sin(turn),
            flat_u * np.sin(turn) + flat_v * np.cos(turn),
            rise / size,
        ],
        axis=-1,
    )
    ring = np.stack([np.arctan2(v, u), height - body.lift_mm], axis=-1)
    is_there = number > 0
    single = [np.asarray(each, np.float32) for each in (np.where(is_there, height, 0), place, normal, ring)]
    return Seen((int(low[0]), int(low[1])), single[0], single[1], single[2], single[3])


def on_heights(matrix: Floats, corner: Floats | NDArray[np.int64], height: Floats) -> Floats:
    """(height, width, 3): the places at *height* mm, for the px from *corner* on."""
    rows, columns = height.shape
    x = np.arange(columns)[None] + float(corner[0])
    y = np.arange(rows)[:, None] + float(corner[1])
    m = matrix
    a, b = m[0, 0] - x * m[2, 0], m[0, 1] - x * m[2, 1]
    c, d = m[1, 0] - y * m[2, 0], m[1, 1] - y * m[2, 1]
    e = -(m[0, 3] - x * m[2, 3]) - (m[0, 2] - x * m[2, 2]) * height
    f = -(m[1, 3] - y * m[2, 3]) - (m[1, 2] - y * m[2, 2]) * height
    det = a * d - b * c
    return np.stack([(e * d - b * f) / det, (a * f - e * c) / det, height], axis=-1)

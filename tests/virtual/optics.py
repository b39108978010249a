# SPDX-License-Identifier: Apache-2.0
"""A virtual camera: its pose, lens distortion and blur, and the ray of each pixel.

Computed by rays, independently of `sensing.vision.geometry`, which is tested against it.
Frames as there: mm on the board with z up, px in the image with y down.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

_ROUNDS: Final = 12


@dataclass(frozen=True, slots=True)
class Optics:
    """A camera and its imperfections."""

    size_px: tuple[int, int] = (1920, 1080)
    camera_mm: tuple[float, float, float] = (250.0, -250.0, 750.0)
    aim_mm: tuple[float, float] = (250.0, 240.0)
    """The point of the board in the image centre."""
    roll_deg: float = 0.0
    focal_px: float = 1500.0
    k1: float = 0.0
    k2: float = 0.0
    blur_px: float = 0.7
    """Standard deviation of the point spread."""
    noise: float = 4.0
    """Standard deviation in grey levels."""
    jpeg: int | None = 90
    """JPEG quality; None for no compression."""
    gradient: float = 0.35
    """Share of the light that is lost from the image's left to its right."""

    def axes(self) -> NDArray[np.float64]:
        """(3, 3): the camera's right, down and forward directions as rows.

        In the board's frame.
        """
        return _axes(self)

    def project(self, points_mm: NDArray[np.float64]) -> NDArray[np.float64]:
        """Image points of (n, 3) points: (n, 2) px."""
        seen = (points_mm - np.array(self.camera_mm)) @ self.axes().T
        rays = seen[:, :2] / seen[:, 2:]
        squared = (rays**2).sum(axis=1, keepdims=True)
        middle = (np.array(self.size_px) - 1) / 2
        seen_px: NDArray[np.float64] = (
            rays * (1 + squared * (self.k1 + self.k2 * squared)) * self.focal_px + middle
        )
        return seen_px

    def pierce(self, points_px: NDArray[np.float64], height_mm: float) -> NDArray[np.float64]:
        """Intersections of pixel rays with the plane at *height_mm*: (n, 2) mm.

        *points_px* is (n, 2) px.
        """
        middle = (np.array(self.size_px) - 1) / 2
        bent = (points_px - middle) / self.focal_px
        rays = bent
        for _ in range(_ROUNDS if self.k1 or self.k2 else 0):
            squared = (rays**2).sum(axis=1, keepdims=True)
            rays = bent / (1 + squared * (self.k1 + self.k2 * squared))
        right, down, forward = self.axes()
        direction = rays[:, :1] * right + rays[:, 1:] * down + forward
        reach = (height_mm - self.camera_mm[2]) / direction[:, 2:]
        found: NDArray[np.float64] = np.array(self.camera_mm[:2]) + direction[:, :2] * reach
        return found


@lru_cache
def _axes(optics: Optics) -> NDArray[np.float64]:
    """Kept, since each image asks for it dozens of times."""
    forward = np.array([*optics.aim_mm, 0.0]) - optics.camera_mm
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 1.0, 0.0] if abs(forward[2]) > 0.99 else [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    roll = np.radians(optics.roll_deg)
    axes = np.stack(
        [right * np.cos(roll) + down * np.sin(roll), down * np.cos(roll) - right * np.sin(roll), forward]
    )
    axes.flags.writeable = False
    return axes

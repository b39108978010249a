# SPDX-License-Identifier: Apache-2.0
"""The phone: its place, its projection, and its sensor.

Units are mm with z up on the table, and px with y down in the image. Light is linear BGR.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Image = NDArray[np.uint8]

SIZE: Final = (1280, 720)
_BANK: Final = 96
"""Spare px of the noise, in both directions: each image takes another part of it."""

_ROOTS = (np.arange(4096) / 2047) ** 2
_TONES: Final = np.clip(
    255 * np.where(_ROOTS < 0.0031, 12.92 * _ROOTS, 1.055 * _ROOTS ** (1 / 2.4) - 0.055), 0, 255
).astype(np.float32)
"""sRGB levels, by the root of the light."""


@dataclass(frozen=True)
class Pose:
    """A camera without lens errors, above the table."""

    middle_mm: tuple[float, float]
    """The point of the table in the middle of the image."""
    tilt_deg: float
    """Angle from overhead."""
    azimuth_deg: float
    """Where it stands: 0 is the side of the first player, 90 the right one."""
    away_mm: float
    roll_deg: float = 0.0
    focal_px: float = 960.0
    size_px: tuple[int, int] = SIZE

    def at_mm(self) -> NDArray[np.float64]:
        """The camera's place."""
        tilt, azimuth = np.radians(self.tilt_deg), np.radians(self.azimuth_deg)
        flat = np.sin(tilt) * np.array([np.sin(azimuth), -np.cos(azimuth)])
        return np.array([*self.middle_mm, 0.0]) + self.away_mm * np.array([*flat, np.cos(tilt)])

    def matrix(self, scale: float = 1.0) -> NDArray[np.float64]:
        """(3, 4): from homogeneous mm to homogeneous px, *scale* times enlarged."""
        at = self.at_mm()
        ahead = np.array([*self.middle_mm, 0.0]) - at
        ahead /= np.linalg.norm(ahead)
        azimuth = np.radians(self.azimuth_deg)
        right = np.array([np.cos(azimuth), np.sin(azimuth), 0.0])
        down = np.cross(ahead, right)
        roll = np.radians(self.roll_deg)
        axes = np.stack(
            [np.cos(roll) * right + np.sin(roll) * down, np.cos(roll) * down - np.sin(roll) * right, ahead]
        )
        middle = [scale * edge / 2 - 0.5 for edge in self.size_px]
        focal = scale * self.focal_px
        inner = np.array([[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]])
        return np.asarray(inner @ np.column_stack([axes, -axes @ at]))

    def px(self, places_mm: Any) -> NDArray[np.float64]:
        """(N, 2): where (N, 2) or (N, 3) places appear."""
        places = np.asarray(places_mm, float)
        if places.shape[1] == 2:
            places = np.column_stack([places, np.zeros(len(places))])
        found = np.column_stack([places, np.ones(len(places))]) @ self.matrix().T
        return np.asarray(found[:, :2] / found[:, 2:])

    def knocked(self, shift_mm: tuple[float, float], turn_deg: float, tilt_deg: float) -> Pose:
        """The pose after a knock."""
        middle = (self.middle_mm[0] + shift_mm[0], self.middle_mm[1] + shift_mm[1])
        roll, tilt = self.roll_deg + turn_deg, self.tilt_deg + tilt_deg
        return replace(self, middle_mm=middle, roll_deg=roll, tilt_deg=tilt)


@dataclass
class Sensor:
    """Exposure, white balance, noise, sharpening and JPEG of a phone."""

    seed: int
    noise: float = 2.0
    """Standard deviation in grey levels, in the middle of the range."""
    quality: int = 85
    exposure: float = 1.0
    wander: float = 0.04
    """The width of the slow changes of exposure and white balance."""
    shake_px: float = 0.6
    size_px: tuple[int, int] = SIZE

    def __post_init__(self) -> None:
        self.dice = np.random.default_rng(self.seed)
        width, height = self.size_px
        shape = (height + _BANK, width + _BANK, 3)
        grain = self.dice.normal(0, 1, shape).astype(np.float32)
        soft = cv2.GaussianBlur(self.dice.normal(0, 1, shape).astype(np.float32), (0, 0), 1.2) * 3.0
        grey = grain.mean(axis=2, keepdims=True) * 1.4
        self._grain = ((0.75 * grey + 0.35 * grain + 0.35 * soft) * self.noise * 16).astype(np.int16)
        y, x = np.mgrid[0:height, 0:width].astype(np.float32)
        off = ((x - width / 2) ** 2 + (y - height / 2) ** 2) / (width / 2) ** 2
        self._vignette = (1 - 0.18 * off)[..., None]
        self._balance = self.dice.normal(0, 0.03, 3)
        self._phase = self.dice.uniform(0, 2 * np.pi, 8)

    def developed(self, light: Array, corner: tuple[int, int] = (0, 0)) -> Image:
        """The picture of *light*, from px *corner* on, before motion and noise."""
        rows, columns = light.shape[:2]
        vignette = self._vignette[corner[1] : corner[1] + rows, corner[0] : corner[0] + columns]
        seen = np.maximum(light * vignette * np.float32(self.exposure), 0)
        seen = seen / (1 + 0.18 * np.maximum(seen - 0.6, 0)) ** 2
        index = np.minimum(np.sqrt(seen) * 2047, 4095).astype(np.int16)
        level = _TONES[index]
        level = cv2.GaussianBlur(level, (0, 0), 0.75)
        level = cv2.addWeighted(level, 1.45, cv2.GaussianBlur(level, (0, 0), 1.6), -0.45, 0)
        return np.asarray(np.clip(level, 0, 255), np.uint8)

    def gains(self, now_ms: int) -> NDArray[np.float64]:
        """(3,): the drift of exposure and white balance, of levels."""
        t, p = now_ms / 1000, self._phase
        slow = self.wander * (np.sin(t / 7 + p[0]) * 0.6 + np.sin(t / 23 + p[1]))
        hue = self.wander * 0.5 * np.array([np.sin(t / 13 + p[2]), 0.0, np.sin(t / 17 + p[3])])
        return np.asarray(1 + slow + hue + self._balance)

    def wobble(self, now_ms: int) -> NDArray[np.float64]:
        """(2, 3): the hand-held motion, with the shear of a rolling shutter."""
        t, p, shake = now_ms / 1000, self._phase, self.shake_px
        x = shake * (np.sin(5.1 * t + p[4]) + 0.4 * np.sin(17.0 * t + p[5]))
        y = shake * (np.sin(4.3 * t + p[6]) + 0.4 * np.sin(13.0 * t + p[7]))
        shear = 0.0006 * shake * np.cos(5.1 * t + p[4])
        turn = 0.0004 * shake * np.sin(2.2 * t + p[6])
        return np.array([[1, shear - turn, x], [turn, 1 + shear / 3, y]])

    def exposed(self, picture: Image, now_ms: int, motion: NDArray[np.float64] | None = None) -> Image:
        """One image of the film; *motion* (3, 3) moves the picture further."""
        warp = self.wobble(now_ms)
        if motion is None:
            moved = cv2.warpAffine(picture, warp, self.size_px, borderMode=cv2.BORDER_REPLICATE)
        else:
            both = motion @ np.vstack([warp, [0, 0, 1]])
            moved = cv2.warpPerspective(picture, both, self.size_px, borderMode=cv2.BORDER_REPLICATE)
        steps = np.arange(256)[:, None] * self.gains(now_ms)[None]
        table = np.clip(steps * 16, 0, 255 * 16).astype(np.int16).reshape(1, 256, 3)
        bright = cv2.LUT(moved, table)
        down, along = self.dice.integers(0, _BANK, 2)
        height, width = picture.shape[:2]
        noise = self._grain[down : down + height, along : along + width]
        if self.dice.random() < 0.5:
            noise = np.ascontiguousarray(noise[:, ::-1])
        noisy = cv2.convertScaleAbs(np.maximum(cv2.add(bright, noise), 0), alpha=1 / 16)
        _, packed = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, self.quality])
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)

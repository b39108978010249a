# SPDX-License-Identifier: Apache-2.0
"""Rendered camera images of a table with known contents.

The scene has a printed board, tagged or plain pieces, hands and light.
Pure: randomness is seeded, and only changed parts are drawn again,
so a game of a thousand moves is cheap.
An image has three layers: the sharp board with its pieces, the same blurred and lit,
and the effects of one exposure.
Images are grey unless colour is requested.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from tests.virtual.optics import Optics
from tests.virtual.render import (
    PAPER,
    Arm,
    Bounds,
    Figure,
    Image,
    Palette,
    Thing,
    board_of,
    bounds_of,
    corners_of,
    cover_with,
    draw,
    overlap,
    polygon,
    shade,
    shade_with,
    shadow_of,
)

__all__ = ["PLAIN", "Arm", "Exposure", "Figure", "Scene", "Setting", "Thing"]

_BANDS: Final = 6
"""Waves of mains flicker over the height of an image."""
_NOISE_TILES: Final = 128
"""Pixels by which the noise image may be shifted in each direction."""


@dataclass(frozen=True, slots=True)
class Exposure:
    """Conditions of one image."""

    gain: float = 1.0
    tilt: float = 0.0
    """Share of the light that moves from the image's top to its bottom: another lamp."""
    flicker: float = 0.0
    """Share of the light in the bands of mains flicker."""
    phase: float = 0.0
    """Phase of the bands, in turns."""
    patch_mm: tuple[tuple[float, float], ...] = ()
    """Corners of a part of the board in other light, such as a sun patch."""
    patch_gain: float = 1.0
    """Gain of the light there."""


PLAIN: Final = Exposure()


@dataclass(frozen=True, slots=True)
class Setting:
    """Properties of the room."""

    palette: Palette = PAPER
    is_colour: bool = False
    lamp: tuple[float, float] | None = None
    """Shift of a piece's shadow in mm per mm of height.

    To the right and away; None for diffuse light.
    """
    shade: float = 0.8
    """Share of the light that remains in a piece's shadow."""


class Scene:
    """A table under a camera. Its things have arbitrary numbers."""

    def __init__(
        self,
        grid: Grid,
        optics: Optics,
        corners: Sequence[Thing] = (),
        seed: int = 1,
        setting: Setting = Setting(),
    ) -> None:
        """A board of *grid*, with the *corners*' tags flat beside it."""
        self.optics = optics
        self._grid, self._corners, self._seed, self._setting = grid, corners, seed, setting
        self._things: dict[int, Thing | Figure] = {}
        self._where: dict[int, Bounds] = {}
        """Image bounds of each thing and its shadow."""
        self._chance = np.random.default_rng(seed)
        self._board = board_of(grid, optics, setting.palette, 3 if setting.is_colour else 1)
        for corner in corners:
            draw(self._board, optics, corner)
        self._sharp = self._board.copy()
        width, height = optics.size_px
        fall = 1 - optics.gradient * np.linspace(0, 1, width, dtype=np.float32)
        self._light = np.broadcast_to(fall, (height, width))
        self._lit = self._shone(self._sharp, (0, 0, width, height))
        noise = self._chance.normal(
            0, optics.noise, (height + _NOISE_TILES, width + _NOISE_TILES, *self._board.shape[2:])
        )
        self._brighter, self._darker = (
            np.clip(np.rint(part), 0, 255).astype(np.uint8) for part in (noise, -noise)
        )

    def put(self, number: int, thing: Thing | Figure | None) -> None:
        """Put *thing* on the board as *number*, replacing the former; None removes it."""
        self._things.pop(number, None)
        touched = [self._where.pop(number)] if number in self._where else []
        if thing is not None:
            self._things[number] = thing
            self._where[number] = self._bounds(thing)
            touched.append(self._where[number])
        for bounds in touched:
            self._redraw(bounds)

    def seen_by(self, optics: Optics) -> Scene:
        """The same table under another camera, or under this one after a shift."""
        other = Scene(self._grid, optics, self._corners, self._seed + 1, self._setting)
        for number, thing in self._things.items():
            other.put(number, thing)
        return other

    def photograph(
        self, exposure: Exposure = PLAIN, arms: Sequence[Arm] = (), held: Sequence[Thing | Figure] = ()
    ) -> Image:
        """One image, uint8, with *arms* over the board and the things *held* in them."""
        image = self._with_arms(arms, held) if arms or held else self._lit
        if exposure != PLAIN:
            image = _exposed(image, exposure, self.optics)
        if self.optics.noise:
            top, left = self._chance.integers(0, _NOISE_TILES, 2)
            window = np.s_[top : top + image.shape[0], left : left + image.shape[1]]
            added = cv2.add(image, self._brighter[window])
            image = np.asarray(cv2.subtract(added, self._darker[window]), np.uint8)
        if self.optics.jpeg is None:
            return image.copy()
        _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self.optics.jpeg])
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_UNCHANGED), np.uint8)

    def _bounds(self, thing: Thing | Figure) -> Bounds:
        """Image bounds of *thing* and its shadow."""
        points = corners_of(thing)
        if self._setting.lamp is not None:
            flat = shadow_of(thing, self._setting.lamp)
            points = np.vstack([points, np.column_stack([flat, np.zeros(len(flat))])])
        return bounds_of(self.optics, points)

    def _redraw(self, bounds: Bounds) -> None:
        """Draw the things within *bounds* again, the farthest first, and light them."""
        left, top, right, bottom = bounds
        if left >= right or top >= bottom:
            return
        window = np.s_[top:bottom, left:right]
        patch = self._board[window].copy()
        camera = np.array(self.optics.camera_mm[:2])
        near = [thing for number, thing in self._things.items() if overlap(bounds, self._where[number])]
        if self._setting.lamp is not None:
            lamp, light = self._setting.lamp, self._setting.shade
            for thing in near:
                shade_with(patch, self.optics, thing, lamp, light, (left, top))
        for thing in sorted(near, key=lambda one: -float(np.hypot(*(one.at_mm - camera)))):
            draw(patch, self.optics, thing, (left, top))
        self._sharp[window] = patch
        self._lit[window] = self._shone(self._sharp, bounds)

    def _shone(self, sharp: Image, bounds: Bounds) -> Image:
        """The part of *sharp* within *bounds*, blurred and lit."""
        left, top, right, bottom = bounds
        rim = 6
        y, x = max(0, top - rim), max(0, left - rim)
        wide = sharp[y : bottom + rim, x : right + rim]
        if self.optics.blur_px:
            wide = np.asarray(cv2.GaussianBlur(wide, (0, 0), self.optics.blur_px), np.uint8)
        inside = wide[top - y : bottom - y, left - x : right - x]
        light = self._light[top:bottom, left:right]
        return np.asarray(inside * (light[..., None] if inside.ndim == 3 else light) + 0.5).astype(np.uint8)

    def _with_arms(self, arms: Sequence[Arm], held: Sequence[Thing | Figure]) -> Image:
        """The lit board with *arms* and held things, blurred at their places."""
        image = self._lit.copy()
        for arm in arms:
            if arm.casts_shadow:
                shade(image, self.optics, arm)
        for arm in arms:
            cover_with(image, self.optics, arm, self._light, self._setting.palette)
        for thing in held:
            left, top, right, bottom = bounds_of(self.optics, corners_of(thing))
            patch = image[top:bottom, left:right].copy()
            draw(patch, self.optics, thing, (left, top))
            image[top:bottom, left:right] = patch
        return image


def _exposed(image: Image, exposure: Exposure, optics: Optics) -> Image:
    """*image* in the light of *exposure*; overexposed parts are white."""
    height, width = image.shape[:2]
    down = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    bands = np.sin(2 * np.pi * (down * _BANDS + exposure.phase))
    factor: NDArray[np.float32] = (
        exposure.gain * (1 + exposure.tilt * down) * (1 + exposure.flicker * bands)
    ).astype(np.float32)
    if exposure.patch_mm:
        mask = np.zeros((height, width), np.float32)
        outline = polygon(optics, np.array(exposure.patch_mm))
        cv2.fillPoly(mask, [outline], exposure.patch_gain - 1, cv2.LINE_AA, 4)
        factor = factor * (1 + mask)
    lit: Image = np.clip(image * (factor[..., None] if image.ndim == 3 else factor), 0, 255).astype(np.uint8)
    return lit

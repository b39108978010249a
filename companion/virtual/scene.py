# SPDX-License-Identifier: Apache-2.0
"""What a camera would see of a table: a printed board, tagged pieces, hands, light; rendered, so that the truth is known.

Pure: chance is seeded, and only what changed is drawn again, so that a game of a thousand moves is cheap.
A picture is made in three layers: the sharp board with its pieces, the same blurred and lit, and what one exposure adds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from companion.virtual.optics import Optics

Grey: TypeAlias = NDArray[np.uint8]
Pattern: TypeAlias = Sequence[Sequence[bool]]
"""A tag's modules from above, border included, True for white."""

_FINE: Final = 4
"""Rays a pixel in each direction."""
_TABLE, _BOARD, _LINE, _OBSTACLE, _BODY, _PAPER, _INK = 90, 200, 60, 110, 70, 235, 25
"""Grey levels of the printed board and of what stands on it."""
_SKIN: Final = 150
_SHADOW: Final = 0.72
_ASIDE_MM: Final = 25.0
"""Between an arm and its shadow."""
_BANDS: Final = 6
"""Waves of mains flicker over the height of a picture."""
_SHIFT: Final = 4
"""Binary places of OpenCV's drawing."""
_NOISE_TILES: Final = 128
"""Pixels by which the one picture of noise may be shifted in each direction."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A block with a tag on top."""

    pattern: Pattern
    at_mm: tuple[float, float]
    turn_deg: float
    """Of the tag's top, clockwise from the first player's forward."""
    tag_mm: float
    """Edge of the tag, border included; its white rim is one module more on each side."""
    height_mm: float = 8.0
    lifted_mm: float = 0.0
    """How high its bottom is above the board: in a hand."""

    @property
    def body_mm(self) -> float:
        """Edge of the block: as large as the tag with its rim."""
        return self.tag_mm * (len(self.pattern) + 2) / len(self.pattern)


@dataclass(frozen=True, slots=True)
class Arm:
    """A hand above a point of the board, with its forearm coming from outside."""

    over_mm: tuple[float, float]
    from_mm: tuple[float, float]
    height_mm: float = 45.0
    palm_mm: float = 38.0
    """Radius of the hand."""
    casts_shadow: bool = True


@dataclass(frozen=True, slots=True)
class Exposure:
    """One picture's circumstances."""

    gain: float = 1.0
    tilt: float = 0.0
    """Share of the light that moves from the image's top to its bottom: another lamp."""
    flicker: float = 0.0
    """Share of the light in the bands of mains flicker."""
    phase: float = 0.0
    """Of the bands, in turns."""


PLAIN: Final = Exposure()


class Scene:
    """A table under a camera. The things on it are named by any number."""

    def __init__(self, grid: Grid, optics: Optics, corners: Sequence[Thing] = (), seed: int = 1) -> None:
        """A board of *grid*, with the *corners*' tags lying flat beside it."""
        self.optics = optics
        self._things: dict[int, Thing] = {}
        self._chance = np.random.default_rng(seed)
        self._board = _board(grid, optics)
        for corner in corners:
            _draw(self._board, optics, corner)
        self._sharp = self._board.copy()
        width, height = optics.size_px
        fall = 1 - optics.gradient * np.linspace(0, 1, width, dtype=np.float32)
        self._light = np.broadcast_to(fall, (height, width))
        self._lit = self._shone(self._sharp, (0, 0, width, height))
        noise = self._chance.normal(0, optics.noise, (height + _NOISE_TILES, width + _NOISE_TILES))
        self._brighter, self._darker = (
            np.clip(np.rint(part), 0, 255).astype(np.uint8) for part in (noise, -noise)
        )

    def put(self, number: int, thing: Thing | None) -> None:
        """Let *thing* stand on the board as *number*, instead of what did; None takes it away."""
        touched = [each for each in (self._things.pop(number, None), thing) if each is not None]
        if thing is not None:
            self._things[number] = thing
        for each in touched:
            self._redraw(_bounds(self.optics, _corners(each)))

    def photograph(
        self, exposure: Exposure = PLAIN, arms: Sequence[Arm] = (), held: Sequence[Thing] = ()
    ) -> Grey:
        """One image, (height, width) uint8, with *arms* over the board and the things *held* in them."""
        image = self._with_arms(arms, held) if arms or held else self._lit
        if exposure != PLAIN:
            image = _exposed(image, exposure)
        if self.optics.noise:
            top, left = self._chance.integers(0, _NOISE_TILES, 2)
            window = np.s_[top : top + image.shape[0], left : left + image.shape[1]]
            added = cv2.add(image, self._brighter[window])
            image = np.asarray(cv2.subtract(added, self._darker[window]), np.uint8)
        if self.optics.jpeg is None:
            return image.copy()
        _, packed = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, self.optics.jpeg])
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)

    def _redraw(self, bounds: tuple[int, int, int, int]) -> None:
        """Draw the things within *bounds* again, the farthest from the camera first, and what light makes of them."""
        left, top, right, bottom = bounds
        if left >= right or top >= bottom:
            return
        window = np.s_[top:bottom, left:right]
        self._sharp[window] = self._board[window]
        patch = self._sharp[window].copy()
        camera = np.array(self.optics.camera_mm[:2])
        near = [
            thing
            for thing in self._things.values()
            if _overlap(bounds, _bounds(self.optics, _corners(thing)))
        ]
        for thing in sorted(near, key=lambda one: -float(np.hypot(*(one.at_mm - camera)))):
            _draw(patch, self.optics, thing, (left, top))
        self._sharp[window] = patch
        self._lit[window] = self._shone(self._sharp, bounds)

    def _shone(self, sharp: Grey, bounds: tuple[int, int, int, int]) -> Grey:
        """The part of *sharp* within *bounds*, blurred and in the light of the room."""
        left, top, right, bottom = bounds
        rim = 6
        y, x = max(0, top - rim), max(0, left - rim)
        wide = sharp[y : bottom + rim, x : right + rim]
        if self.optics.blur_px:
            wide = np.asarray(cv2.GaussianBlur(wide, (0, 0), self.optics.blur_px), np.uint8)
        inside = wide[top - y : bottom - y, left - x : right - x]
        return np.asarray(inside * self._light[top:bottom, left:right] + 0.5).astype(np.uint8)

    def _with_arms(self, arms: Sequence[Arm], held: Sequence[Thing]) -> Grey:
        """The lit board with *arms* and what they hold, blurred where they are."""
        image = self._lit.copy()
        for arm in arms:
            if arm.casts_shadow:
                _shade(image, self.optics, arm)
        for arm in arms:
            _cover(image, self.optics, arm, self._light)
        for thing in held:
            left, top, right, bottom = _bounds(self.optics, _corners(thing))
            patch = image[top:bottom, left:right].copy()
            _draw(patch, self.optics, thing, (left, top))
            image[top:bottom, left:right] = patch
        return image


def _exposed(image: Grey, exposure: Exposure) -> Grey:
    """*image* in the light of *exposure*; too much of it is lost in white."""
    height = image.shape[0]
    down = np.linspace(-0.5, 0.5, height, dtype=np.float32)[:, None]
    bands = np.sin(2 * np.pi * (down * _BANDS + exposure.phase))
    factor = exposure.gain * (1 + exposure.tilt * down) * (1 + exposure.flicker * bands)
    lit: Grey = np.clip(image * factor.astype(np.float32), 0, 255).astype(np.uint8)
    return lit


# drawing


def _board(grid: Grid, optics: Optics) -> Grey:
    """The printed board on its table, sharp and evenly lit: (height, width) uint8."""
    width, height = optics.size_px
    image = np.full((height, width), _TABLE, np.uint8)
    outlines = [_polygon(optics, np.array(outline)) for outline in grid.outlines]
    walls = set(grid.obstacles)
    for cell, outline in enumerate(outlines):
        cv2.fillPoly(image, [outline], _OBSTACLE if cell in walls else _BOARD, cv2.LINE_AA, _SHIFT)
    for outline in outlines:
        cv2.polylines(image, [outline], True, _LINE, 1, cv2.LINE_AA, _SHIFT)
    return image


def _draw(image: Grey, optics: Optics, thing: Thing, origin_px: tuple[int, int] = (0, 0)) -> None:
    """Draw *thing* on *image*, whose first pixel is *origin_px* of the whole."""
    corners = _corners(thing)
    hull = cv2.convexHull(optics.project(corners).astype(np.float32))[:, 0]
    if thing.height_mm:
        outline = np.rint((hull - origin_px) * (1 << _SHIFT)).astype(np.int32)
        cv2.fillConvexPoly(image, outline, _BODY, cv2.LINE_AA, _SHIFT)
    top = optics.project(corners[4:])
    left, up = np.maximum(np.floor(top.min(axis=0)).astype(int) - 1, origin_px)
    right, low = np.ceil(top.max(axis=0)).astype(int) + 2
    right = min(right, origin_px[0] + image.shape[1])
    low = min(low, origin_px[1] + image.shape[0])
    if right <= left or low <= up:
        return
    window = np.s_[up - origin_px[1] : low - origin_px[1], left - origin_px[0] : right - origin_px[0]]
    level, cover = _top(optics, thing, (left, up, right, low))
    image[window] = (level + image[window] * (1 - cover) + 0.5).astype(np.uint8)


def _top(
    optics: Optics, thing: Thing, bounds: tuple[int, int, int, int]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The light that the top of *thing* sends to each pixel of *bounds*, and the share of the pixel it fills."""
    left, top, right, bottom = bounds
    offset = (np.arange(_FINE) + 0.5) / _FINE - 0.5
    x = (np.arange(left, right)[:, None] + offset).ravel()
    y = (np.arange(top, bottom)[:, None] + offset).ravel()
    rays = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    on_top = optics.pierce(rays, thing.lifted_mm + thing.height_mm) - thing.at_mm
    turn = np.radians(thing.turn_deg)
    module = thing.tag_mm / len(thing.pattern)
    col = np.floor(
        (on_top[:, 0] * np.cos(turn) - on_top[:, 1] * np.sin(turn)) / module + len(thing.pattern) / 2
    )
    row = np.floor(
        -(on_top[:, 0] * np.sin(turn) + on_top[:, 1] * np.cos(turn)) / module + len(thing.pattern) / 2
    )
    printed = np.pad(np.where(np.array(thing.pattern), _PAPER, _INK), 1, constant_values=_PAPER)
    last = len(printed) - 1
    is_on = (col >= -1) & (row >= -1) & (col < last) & (row < last)
    inside = np.clip(np.stack([row, col]) + 1, 0, last).astype(np.intp)
    level = printed[inside[0], inside[1]] * is_on
    shape = (bottom - top, _FINE, right - left, _FINE)
    return level.reshape(shape).mean(axis=(1, 3)), is_on.reshape(shape).mean(axis=(1, 3))


def _corners(thing: Thing) -> NDArray[np.float64]:
    """(8, 3): the block's corners in mm, the lower four first."""
    turn, half = np.radians(thing.turn_deg), thing.body_mm / 2
    ahead = np.array([np.sin(turn), np.cos(turn)]) * half
    right = np.array([np.cos(turn), -np.sin(turn)]) * half
    flat = np.array([one * right + other * ahead for one, other in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
    heights = (thing.lifted_mm, thing.lifted_mm + thing.height_mm)
    return np.vstack([np.column_stack([flat + thing.at_mm, np.full(4, height)]) for height in heights])


def _bounds(optics: Optics, corners: NDArray[np.float64]) -> tuple[int, int, int, int]:
    """Left, top, right and bottom, within the image, of where *corners* and what blur spreads of them appear."""
    seen = optics.project(corners)
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 4, 0)
    right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 5, optics.size_px)
    return int(left), int(top), int(max(right, left)), int(max(bottom, top))


def _overlap(one: tuple[int, int, int, int], other: tuple[int, int, int, int]) -> bool:
    """True if two rectangles share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _polygon(optics: Optics, flat_mm: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.int32]:
    """The polygon that (n, 2) mm at a height make in the image, in the fixed-point px of OpenCV's drawing."""
    seen = optics.project(np.column_stack([flat_mm, np.full(len(flat_mm), height_mm)]))
    return np.rint(seen * (1 << _SHIFT)).astype(np.int32)


def _hand(optics: Optics, arm: Arm, height_mm: float) -> list[NDArray[np.int32]]:
    """The polygons of *arm* in the plane at *height_mm*: palm, forearm and three fingers beyond the palm."""
    over, start = np.array(arm.over_mm), np.array(arm.from_mm)
    along = over - start
    along = along / (np.hypot(*along) or 1.0)
    across = np.array([-along[1], along[0]])
    circle = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    palm = over - along * arm.palm_mm * 0.6
    parts = [palm + arm.palm_mm * np.column_stack([np.cos(circle), np.sin(circle)])]
    wrist = across * arm.palm_mm * 0.7
    parts.append(np.array([start + wrist, palm + wrist, palm - wrist, start - wrist]))
    for aside in (-0.45, 0.0, 0.45):
        root = palm + across * aside * arm.palm_mm * 1.4
        tip = over + across * aside * arm.palm_mm + along * arm.palm_mm * 0.5
        width = across * arm.palm_mm * 0.22
        parts.append(np.array([root + width, tip + width, tip - width, root - width]))
    return [_polygon(optics, part, height_mm) for part in parts]


def _shade(image: Grey, optics: Optics, arm: Arm) -> None:
    """Let *arm* throw a soft shadow on the board, a little away from itself."""
    shifted = replace(
        arm,
        over_mm=(arm.over_mm[0] + _ASIDE_MM, arm.over_mm[1]),
        from_mm=(arm.from_mm[0] + _ASIDE_MM, arm.from_mm[1]),
    )
    mask = np.zeros_like(image)
    cv2.fillPoly(mask, _hand(optics, shifted, 0.0)[:2], 255, cv2.LINE_AA, _SHIFT)
    left, top, wide, high = cv2.boundingRect(mask)
    window = np.s_[max(0, top - 20) : top + high + 20, max(0, left - 20) : left + wide + 20]
    soft = cv2.blur(mask[window], (21, 21)).astype(np.float32) / 255
    image[window] = (image[window] * (1 - (1 - _SHADOW) * soft)).astype(np.uint8)


def _cover(image: Grey, optics: Optics, arm: Arm, light: NDArray[np.float32]) -> None:
    """Draw *arm* on *image*."""
    mask = np.zeros_like(image)
    for part in _hand(optics, arm, arm.height_mm):
        cv2.fillPoly(mask, [part], 255, cv2.LINE_AA, _SHIFT)
    left, top, wide, high = cv2.boundingRect(mask)
    window = np.s_[top : top + high, left : left + wide]
    share = mask[window].astype(np.float32) / 255
    shape = np.linspace(0, 6, max(1, wide), dtype=np.float32)
    skin = (_SKIN + 18 * np.sin(shape))[None, :] * light[window]
    image[window] = (image[window] * (1 - share) + skin * share).astype(np.uint8)

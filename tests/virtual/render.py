# SPDX-License-Identifier: Apache-2.0
"""Rendering of boards, pieces, hands and shadows for a virtual camera: sharp and evenly lit.

An image is (height, width) of grey, or (height, width, 3) of blue, green and red;
all functions draw into both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Grid
from tests.virtual.optics import Optics

Image: TypeAlias = NDArray[np.uint8]
Pattern: TypeAlias = Sequence[Sequence[bool]]
"""A tag's modules from above, with border, True for white."""
Colour: TypeAlias = tuple[int, int, int]
"""Blue, green and red from 0 to 255; a grey image uses their usual mixture."""
Bounds: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom in px."""

_FINE: Final = 4
"""Rays per pixel in each direction."""
_PAPER, _INK, _BLOCK = 235, 25, (70, 70, 70)
"""Grey of the tags, and colour of the blocks under them."""
_SHADOW: Final = 0.72
"""Remaining light in the shadow of an arm."""
_SIDE: Final = 0.78
"""Light on the side of a body, relative to its top."""
_ASIDE_MM: Final = 25.0
"""Distance between an arm and its shadow."""
_SHIFT: Final = 4
"""Fractional bits of OpenCV's drawing."""


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a board and of the hands over it."""

    table: Colour = (90, 90, 90)
    light: Colour = (200, 200, 200)
    dark: Colour = (200, 200, 200)
    """Every second cell of a chequered board."""
    line: Colour = (60, 60, 60)
    obstacle: Colour = (110, 110, 110)
    skin: Colour = (150, 150, 150)


PAPER: Final = Palette()
"""A printed board under grey hands."""
WOOD: Final = Palette(
    (70, 80, 85), (140, 185, 210), (55, 85, 120), (40, 55, 75), (110, 110, 110), (115, 145, 200)
)
"""A chequered wooden board."""


@dataclass(frozen=True, slots=True)
class Thing:
    """A block with a tag on top."""

    pattern: Pattern
    at_mm: tuple[float, float]
    turn_deg: float
    """Direction of the tag's top, clockwise from the first player's forward."""
    tag_mm: float
    """Edge of the tag with border; the white rim adds a module per side."""
    height_mm: float = 8.0
    lifted_mm: float = 0.0
    """Height of its bottom above the board, if it is in a hand."""
    glare: float = 0.0
    """Share of the tag, from its upper left corner, that reflects a lamp: plain white."""

    @property
    def body_mm(self) -> float:
        """Edge of the block: as large as the tag with its rim."""
        return self.tag_mm * (len(self.pattern) + 2) / len(self.pattern)


@dataclass(frozen=True, slots=True)
class Figure:
    """A piece without a tag, standing or toppled: a tapered round body, or a box."""

    at_mm: tuple[float, float]
    colour: Colour
    radius_mm: float
    height_mm: float
    slim: float = 0.6
    """Radius of the top in radii of the bottom."""
    lifted_mm: float = 0.0
    toppled_deg: float | None = None
    """Direction of its top if it lies, clockwise from the first player's forward.

    It then lies with its middle at `at_mm`.
    """
    wide_mm: tuple[float, float] | None = None
    """Edges of a box, right and away; None for a round body."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A hand above a point of the board, with its forearm from outside."""

    over_mm: tuple[float, float]
    from_mm: tuple[float, float]
    height_mm: float = 45.0
    palm_mm: float = 38.0
    """Radius of the hand."""
    casts_shadow: bool = True


def board_of(grid: Grid, optics: Optics, palette: Palette, channels: int) -> Image:
    """The printed board on its table, sharp and evenly lit.

    (height, width) uint8, or (height, width, 3).
    """
    width, height = optics.size_px
    shape = (height, width) if channels == 1 else (height, width, channels)
    image = np.empty(shape, np.uint8)
    image[:] = _ink(image, palette.table)
    outlines = [polygon(optics, np.array(outline)) for outline in grid.outlines]
    walls = set(grid.obstacles)
    for cell, outline in enumerate(outlines):
        is_dark = bool(grid.files) and (cell % grid.files + cell // grid.files) % 2 == 0
        colour = palette.obstacle if cell in walls else palette.dark if is_dark else palette.light
        cv2.fillPoly(image, [outline], _ink(image, colour), cv2.LINE_AA, _SHIFT)
    for outline in outlines:
        cv2.polylines(image, [outline], True, _ink(image, palette.line), 1, cv2.LINE_AA, _SHIFT)
    return image


def draw(image: Image, optics: Optics, item: Thing | Figure, origin_px: tuple[int, int] = (0, 0)) -> None:
    """Draw *item* into *image*, whose first pixel is *origin_px* of the whole."""
    if isinstance(item, Figure):
        _draw_figure(image, optics, item, origin_px)
    else:
        _draw_thing(image, optics, item, origin_px)


def corners_of(item: Thing | Figure) -> NDArray[np.float64]:
    """(n, 3) points in mm whose hull is the body of *item*.

    The lower half is first.
    """
    if isinstance(item, Figure):
        return _figure_corners(item)
    turn, half = np.radians(item.turn_deg), item.body_mm / 2
    ahead = np.array([np.sin(turn), np.cos(turn)]) * half
    right = np.array([np.cos(turn), -np.sin(turn)]) * half
    flat = np.array([one * right + other * ahead for one, other in ((-1, 1), (1, 1), (1, -1), (-1, -1))])
    heights = (item.lifted_mm, item.lifted_mm + item.height_mm)
    return np.vstack([np.column_stack([flat + item.at_mm, np.full(4, height)]) for height in heights])


def shadow_of(item: Thing | Figure, lamp: tuple[float, float]) -> NDArray[np.float64]:
    """(n, 2) points in mm whose hull is the shadow of *item* on the board.

    *lamp* is the shadow's shift in mm per mm of height.
    """
    points = corners_of(item)
    flat: NDArray[np.float64] = points[:, :2] + points[:, 2:] * np.array(lamp)
    return flat


def _draw_thing(image: Image, optics: Optics, thing: Thing, origin_px: tuple[int, int]) -> None:
    """Draw a block and its tag."""
    corners = corners_of(thing)
    if thing.height_mm:
        outline = _hull(optics.project(corners) - origin_px)
        cv2.fillConvexPoly(image, outline, _ink(image, _BLOCK), cv2.LINE_AA, _SHIFT)
    top = optics.project(corners[4:])
    left, up = np.maximum(np.floor(top.min(axis=0)).astype(int) - 1, origin_px)
    right, low = np.ceil(top.max(axis=0)).astype(int) + 2
    right = min(right, origin_px[0] + image.shape[1])
    low = min(low, origin_px[1] + image.shape[0])
    if right <= left or low <= up:
        return
    window = np.s_[up - origin_px[1] : low - origin_px[1], left - origin_px[0] : right - origin_px[0]]
    level, cover = _top(optics, thing, (left, up, right, low))
    if image.ndim == 3:
        level, cover = level[..., None], cover[..., None]
    image[window] = (level + image[window] * (1 - cover) + 0.5).astype(np.uint8)


def _draw_figure(image: Image, optics: Optics, figure: Figure, origin_px: tuple[int, int]) -> None:
    """Draw a body, its side darker than its top."""
    corners = _figure_corners(figure)
    blue, green, red = figure.colour
    side = round(blue * _SIDE), round(green * _SIDE), round(red * _SIDE)
    outline = _hull(optics.project(corners) - origin_px)
    cv2.fillConvexPoly(image, outline, _ink(image, side), cv2.LINE_AA, _SHIFT)
    if figure.toppled_deg is None:
        top = _hull(optics.project(corners[len(corners) // 2 :]) - origin_px)
        cv2.fillConvexPoly(image, top, _ink(image, figure.colour), cv2.LINE_AA, _SHIFT)


def _figure_corners(figure: Figure) -> NDArray[np.float64]:
    """The hull of a figure; see `corners_of`."""
    low, high = figure.lifted_mm, figure.lifted_mm + figure.height_mm
    if figure.wide_mm is not None:
        half = np.array(figure.wide_mm) / 2
        flat = np.array([(-1, 1), (1, 1), (1, -1), (-1, -1)]) * half + figure.at_mm
        return np.vstack([np.column_stack([flat, np.full(4, height)]) for height in (low, high)])
    circle = np.linspace(0, 2 * np.pi, 20, endpoint=False)
    ring = figure.radius_mm * np.column_stack([np.cos(circle), np.sin(circle)])
    if figure.toppled_deg is None:
        rings = ((ring, low), (ring * figure.slim, high))
        return np.vstack([np.column_stack([one + figure.at_mm, np.full(20, z)]) for one, z in rings])
    turn = np.radians(figure.toppled_deg)
    along, across = np.array([np.sin(turn), np.cos(turn)]), np.array([np.cos(turn), -np.sin(turn)])
    ends = []
    for end, width in ((-0.5, 1.0), (0.5, figure.slim)):
        flat = figure.at_mm + along * end * figure.height_mm + ring[:, :1] * width * across
        ends.append(np.column_stack([flat, low + figure.radius_mm + ring[:, 1] * width]))
    return np.vstack(ends)


def _top(optics: Optics, thing: Thing, bounds: Bounds) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Light from the top of *thing* per pixel of *bounds*, and pixel coverage."""
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
    level = printed[inside[0], inside[1]]
    if thing.glare:
        level = np.where((row + col) < thing.glare * 2 * last - 1, 255, level)
    level = level * is_on
    shape = (bottom - top, _FINE, right - left, _FINE)
    return level.reshape(shape).mean(axis=(1, 3)), is_on.reshape(shape).mean(axis=(1, 3))


def bounds_of(optics: Optics, corners: NDArray[np.float64]) -> Bounds:
    """Left, top, right and bottom of *corners* in the image, with the spread of blur.

    Clipped to the image.
    """
    seen = optics.project(corners)
    left, top = np.maximum(np.floor(seen.min(axis=0)).astype(int) - 4, 0)
    right, bottom = np.minimum(np.ceil(seen.max(axis=0)).astype(int) + 5, optics.size_px)
    return int(left), int(top), int(max(right, left)), int(max(bottom, top))


def overlap(one: Bounds, other: Bounds) -> bool:
    """True if two rectangles share a pixel."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def polygon(optics: Optics, flat_mm: NDArray[np.float64], height_mm: float = 0.0) -> NDArray[np.int32]:
    """The image polygon of (n, 2) mm at a height, in fixed-point px of OpenCV."""
    seen = optics.project(np.column_stack([flat_mm, np.full(len(flat_mm), height_mm)]))
    return np.rint(seen * (1 << _SHIFT)).astype(np.int32)


def _hand(optics: Optics, arm: Arm, height_mm: float) -> list[NDArray[np.int32]]:
    """The polygons of *arm* in the plane at *height_mm*: palm, forearm and three fingers."""
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
    return [polygon(optics, part, height_mm) for part in parts]


def shade(image: Image, optics: Optics, arm: Arm) -> None:
    """Draw a soft shadow of *arm* on the board, slightly beside it."""
    shifted = replace(
        arm,
        over_mm=(arm.over_mm[0] + _ASIDE_MM, arm.over_mm[1]),
        from_mm=(arm.from_mm[0] + _ASIDE_MM, arm.from_mm[1]),
    )
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillPoly(mask, _hand(optics, shifted, 0.0)[:2], 255, cv2.LINE_AA, _SHIFT)
    left, top, wide, high = cv2.boundingRect(mask)
    window = np.s_[max(0, top - 20) : top + high + 20, max(0, left - 20) : left + wide + 20]
    soft = _like(cv2.blur(mask[window], (21, 21)).astype(np.float32) / 255, image)
    image[window] = (image[window] * (1 - (1 - _SHADOW) * soft)).astype(np.uint8)


def shade_with(
    image: Image,
    optics: Optics,
    item: Thing | Figure,
    lamp: tuple[float, float],
    shade: float,
    origin_px: tuple[int, int],
) -> None:
    """Draw the shadow of *item* into *image*, whose first pixel is *origin_px* of the whole.

    *shade* is the share of the light that remains in it.
    """
    flat = shadow_of(item, lamp)
    seen = optics.project(np.column_stack([flat, np.zeros(len(flat))])) - origin_px
    mask = np.zeros(image.shape[:2], np.uint8)
    cv2.fillConvexPoly(mask, _hull(seen), 255, cv2.LINE_AA, _SHIFT)
    dimmed = 1 - (1 - shade) / 255 * _like(mask.astype(np.float32), image)
    image[:] = (image * dimmed).astype(np.uint8)


def cover_with(image: Image, optics: Optics, arm: Arm, light: NDArray[np.float32], palette: Palette) -> None:
    """Draw *arm* into *image*."""
    mask = np.zeros(image.shape[:2], np.uint8)
    for part in _hand(optics, arm, arm.height_mm):
        cv2.fillPoly(mask, [part], 255, cv2.LINE_AA, _SHIFT)
    left, top, wide, high = cv2.boundingRect(mask)
    window = np.s_[top : top + high, left : left + wide]
    share = _like(mask[window].astype(np.float32) / 255, image)
    round_ = 1 + 0.12 * np.sin(np.linspace(0, 6, max(1, wide), dtype=np.float32))
    skin = _like(round_[None, :] * light[window], image) * np.array(_ink(image, palette.skin), np.float32)
    image[window] = (image[window] * (1 - share) + skin * share).astype(np.uint8)


def _hull(points_px: NDArray[np.float64]) -> NDArray[np.int32]:
    """The convex hull of (n, 2) px, in fixed-point px of OpenCV."""
    hull = cv2.convexHull(points_px.astype(np.float32))[:, 0]
    return np.rint(hull * (1 << _SHIFT)).astype(np.int32)


def _ink(image: Image, colour: Colour) -> Colour | int:
    """*colour* in the format of *image*."""
    if image.ndim == 3:
        return colour
    blue, green, red = colour
    return round(0.114 * blue + 0.587 * green + 0.299 * red)


def _like(plane: NDArray[np.floating], image: Image) -> NDArray[np.floating]:
    """*plane*, (height, width), in a shape that multiplies *image*."""
    return plane[..., None] if image.ndim == 3 else plane

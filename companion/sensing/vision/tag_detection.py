# SPDX-License-Identifier: Apache-2.0
"""Detection of the tag on one cell: rectify a patch, find a dark quadrangle, decode.

A patch is a square of the plane of the tags, seen from above:
its first row is the farthest from the first player.
Where blur has destroyed the outline, a coarse net of places and angles is tried instead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import cv2
import numpy as np

from companion.sensing.vision.codes import CONTRAST, Codes, Grey, Reading, Singles, read
from companion.sensing.vision.geometry import Floats, View

SAMPLES: Final = 3
"""Patch pixels per module: enough for an outline, few enough for 0.1 ms."""
REACH: Final = 1.35
"""Edge of a patch in cells.

A tag may be a third of a cell off centre.
"""
_SIDES: Final = (0.75, 1.3)
"""Range of an outline's length, relative to its nominal length, because of blur."""
_LONGEST: Final = 1.3
"""Largest ratio of the sides of a square outline."""

_EXACT: Final = 0.93
"""Correlation from which an outline is exact: half a module aside costs a tenth."""
_NUDGES: Final = np.array(
    [(0.0, 0.0, 0.0)]
    + [
        (x, y, turn)
        for turn in (-4.0, 0.0, 4.0)
        for x in (-0.4, 0.0, 0.4)
        for y in (-0.4, 0.0, 0.4)
        if x or y or turn
    ]
)
"""(27, 3): offsets of an outline: modules, modules, degrees."""
_NET: Final = np.array(
    [
        (x, y, turn)
        for turn in (-5.0, 0.0, 5.0, 40.0, 45.0, 50.0)
        for x in np.arange(-2.4, 2.5, 0.6)
        for y in np.arange(-2.4, 2.5, 0.6)
    ]
)
"""(486, 3): all places of a tag that was placed with some care."""


@dataclass(frozen=True, slots=True)
class Found:
    """A tag in the plane of the patch."""

    tag: int
    at_mm: tuple[float, float]
    turn_deg: float
    """Direction of its top, clockwise from the first player's forward."""
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A sampled square of a plane above the board."""

    grey: Grey
    """(n, n) uint8."""
    middle_mm: tuple[float, float]
    step_mm: float
    """Distance between two samples."""


def square_mm(middle_mm: tuple[float, float], edge_mm: float, count: int) -> Floats:
    """(count², 2) float64: points of a square, row by row, farthest row first.

    Edge samples are half a step inside.
    """
    steps = (np.arange(count) + 0.5) / count - 0.5
    x, y = np.meshgrid(steps * edge_mm + middle_mm[0], -steps * edge_mm + middle_mm[1])
    return np.column_stack([x.ravel(), y.ravel()])


def patch_of(
    image: Grey, view: View, middle_mm: tuple[float, float], edge_mm: float, step_mm: float, height_mm: float
) -> Patch:
    """The patch of *edge_mm* around *middle_mm* in the plane at *height_mm*.

    Its samples are *step_mm* apart.
    """
    count = round(edge_mm / step_mm)
    if not view.lens.is_bent:
        half = (count - 1) / 2 * step_mm
        corner = (middle_mm[0] - half, middle_mm[1] + half)
        matrix = view.flat_to_image(height_mm) @ [
            [step_mm, 0, corner[0]],
            [0, -step_mm, corner[1]],
            [0, 0, 1],
        ]
        how = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        flat = cv2.warpPerspective(image, matrix, (count, count), flags=how, borderMode=cv2.BORDER_REPLICATE)
        return Patch(np.asarray(flat, np.uint8), middle_mm, step_mm)
    points = view.to_image(square_mm(middle_mm, count * step_mm, count), height_mm).astype(np.float32)
    across, down = points.T.reshape(2, count, count)
    grey = cv2.remap(image, across, down, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return Patch(np.asarray(grey, np.uint8), middle_mm, step_mm)


def find_tag(
    codes: Codes, patch: Patch, tag_mm: float, *, is_thorough: bool = False, contrast: float = CONTRAST
) -> Found | None:
    """The tag of *tag_mm*, with border, on *patch*, or None.

    *is_thorough* tries the net where no outline is visible. Less *contrast* is not a tag.
    """
    module = tag_mm / codes.modules / patch.step_mm
    for outline in _outlines(patch.grey, tag_mm / patch.step_mm):
        guesses = outline + _NUDGES[:1] * (module, module, 1.0)
        reading = read(codes, _sampled(patch.grey, guesses, module, codes.modules), contrast)
        if reading is not None and reading.score > _EXACT:
            return _placed(patch, guesses[0], reading)
        guesses = outline + _NUDGES * (module, module, 1.0)
        reading = read(codes, _sampled(patch.grey, guesses, module, codes.modules), contrast)
        if reading is not None:
            return _placed(patch, guesses[reading.variant], reading)
    if not is_thorough:
        return None
    middle = (len(patch.grey) - 1) / 2
    guesses = (middle, middle, 0.0) + _NET * (module, module, 1.0)
    reading = read(codes, _sampled(patch.grey, guesses, module, codes.modules), contrast)
    return None if reading is None else _placed(patch, guesses[reading.variant], reading)


def _outlines(grey: Grey, side: float) -> list[Floats]:
    """Squares on *grey* of about *side* patch pixels, likeliest first.

    Each is (3,): centre x, y and degrees clockwise.
    """
    _, dark = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY_INV | cv2.THRESH_OTSU)
    contours, _ = cv2.findContours(dark, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
    found = []
    for contour in contours:
        (x, y), (one, other), turn_deg = cv2.minAreaRect(contour)
        short, long = sorted((one + 1, other + 1))  # contours run through the centres of pixels
        is_square = long <= _LONGEST * short and _SIDES[0] * side <= (short + long) / 2 <= _SIDES[1] * side
        if is_square:
            found.append((abs(short + long - 2 * side), np.array([x, y, turn_deg])))
    return [outline for _, outline in sorted(found, key=lambda one: one[0])]


def _sampled(grey: Grey, guesses: Floats, module: float, modules: int) -> Singles:
    """(v, modules, modules) float32: grey levels of the modules per guess."""
    steps = (np.arange(modules) - (modules - 1) / 2) * module
    cosine, sine = np.cos(np.radians(guesses[:, 2])), np.sin(np.radians(guesses[:, 2]))
    right, down = steps[None, None, :], steps[None, :, None]
    x = guesses[:, 0, None, None] + right * cosine[:, None, None] - down * sine[:, None, None]
    y = guesses[:, 1, None, None] + right * sine[:, None, None] + down * cosine[:, None, None]
    shape = (len(guesses) * modules, modules)
    across, downward = (axis.reshape(shape).astype(np.float32) for axis in (x, y))
    levels = cv2.remap(grey, across, downward, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(levels, np.float32).reshape(-1, modules, modules)


def _placed(patch: Patch, guess: Floats, reading: Reading) -> Found:
    """The place of a tag read at *guess*."""
    middle = (len(patch.grey) - 1) / 2
    at_mm = (
        patch.middle_mm[0] + float(guess[0] - middle) * patch.step_mm,
        patch.middle_mm[1] - float(guess[1] - middle) * patch.step_mm,
    )
    return Found(reading.tag, at_mm, (float(guess[2]) - 90.0 * reading.turns) % 360, reading.score)


def modules_mm(at_mm: tuple[float, float], turn_deg: float, tag_mm: float, modules: int) -> Floats:
    """(modules², 2) float64: the centres of a tag's modules on the board.

    Row by row from its top.
    """
    turn, module = math.radians(turn_deg), tag_mm / modules
    cosine, sine = math.cos(turn) * module, math.sin(turn) * module
    found: Floats = _middles(modules) @ [[cosine, -sine], [-sine, -cosine]] + at_mm
    return found


@cache
def _middles(modules: int) -> Floats:
    """(modules², 2): the centres of a tag's modules, in modules from its centre.

    To the right and down.
    """
    steps = np.arange(modules) - (modules - 1) / 2
    return np.column_stack([axis.ravel() for axis in np.meshgrid(steps, steps)])

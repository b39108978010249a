# SPDX-License-Identifier: Apache-2.0
"""Rendered cells for training: solid pieces on boards, lamps, shadows, hands, noise.

Everything is drawn in the plane of the board, in cells: a piece is a stack of discs,
and a disc at a height is shifted away from the camera.
A sample is what `companion.sensing.vision.ground` takes of one cell:
its window in the present image, and the same of the empty board.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.sensing.cell_classes import CELL_CLASSES, CellClass
from companion.sensing.vision.ground import ACROSS

Image = NDArray[np.float32]
"""(height, width, 3): blue, green and red, 0 to 1."""

_PX: Final = 16
"""Drawn px for a cell."""
_CELLS: Final = 5
"""Drawn cells in each direction; those in the middle are samples."""
_WINDOW: Final = 1.25
"""Edge of the window in cells, as in `companion.sensing.vision.ground`."""
_EDGE: Final = _CELLS * _PX
_DISCS: Final = 7
"""Discs of which a piece is made."""
_ALIKE: Final = 0.3
"""Share of the sets whose pieces are of the board's woods."""
_HANDY: Final = 0.12
"""Share of a cell under a hand that hides the cell."""
_DIM: Final = 0.8
"""Light that remains in a shadow that counts."""
_SHADY: Final = 0.3
"""Share of an empty cell in shadow."""
_SHARPEST, _SOFTEST = 0.2, 4.0
"""Edges of shadows in px, from a small lamp to a bright sky."""
_DARKEST: Final = 0.25
"""Light that remains in the darkest shadow."""
_HANDS: Final = 0.35
"""Share of the scenes with a hand."""
_STREWN: Final = 0.3
"""Share of the other scenes with things on the board.

Coins, slips of paper, dice, telephones.
"""
_BLOCKS: Final = 0.2
"""Share of the sets whose pieces are blocks."""
_FORMER: Final = 0.25
"""Share of the scenes whose empty board has shadows that have gone since."""
_BOARDS: Final = (
    ((120, 175, 210), (60, 95, 150)),
    ((205, 225, 235), (50, 85, 150)),
    ((150, 195, 220), (60, 80, 110)),
    ((235, 235, 235), (75, 95, 60)),
    ((225, 230, 230), (35, 40, 50)),
    ((200, 200, 200), (170, 170, 170)),
    ((215, 235, 240), (110, 150, 120)),
)
"""Light and dark cells: woods, paper and plastic."""
_LIGHT: Final = (
    (205, 225, 235),
    (130, 180, 215),
    (240, 240, 240),
    (110, 165, 205),
    (165, 205, 225),
    (205, 222, 230),
)
_DARK: Final = (
    (30, 32, 40),
    (25, 25, 25),
    (40, 55, 85),
    (35, 45, 110),
    (60, 45, 40),
    (45, 65, 100),
    (42, 40, 46),
)
_SKIN: Final = (
    (115, 145, 200),
    (90, 120, 175),
    (60, 80, 130),
    (40, 50, 80),
    (150, 150, 150),
    (30, 30, 35),
    (140, 90, 60),
)
"""Hands, and sleeves."""


@dataclass(frozen=True)
class _View:
    """Where camera and lamp are."""

    lean: NDArray[np.float64]
    """Shift of a point in the image for its height."""
    growth: float
    """How much nearer, and so larger, a point is for its height."""
    lamp: NDArray[np.float64]
    """Shift of a point's shadow for its height."""
    shade: float
    """Light that remains in shadows."""


@dataclass(frozen=True)
class _Body:
    """A piece: discs, or squares of the same size, on top of each other."""

    at: NDArray[np.float64]
    height: float
    radii: NDArray[np.float64]
    colour: Image
    is_square: bool

    @property
    def discs(self) -> list[tuple[float, float]]:
        """The height and the radius of each."""
        heights = np.linspace(0, self.height, _DISCS).tolist()
        return list(zip(heights, self.radii.tolist(), strict=True))


class CellRenderer:
    """Random cells, the same for the same seed."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)

    def samples(self, count: int) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """*count* pairs of windows, and the index of the class of each.

        (count, 6, `ACROSS`, `ACROSS`): present and empty, blue, green and red from 0 to 255.
        """
        windows, labels = list[NDArray[np.float32]](), list[int]()
        while len(labels) < count:
            for window, label in self._scene():
                windows.append(window)
                labels.append(label)
        return np.stack(windows[:count]), np.array(labels[:count])

    def _scene(self) -> list[tuple[NDArray[np.float32], int]]:
        """The nine cells in the middle of one scene."""
        chance = self._chance
        away, angle = chance.uniform(0, 1.1), chance.uniform(0, 2 * np.pi)
        lamp, aside = chance.uniform(0, 0.9), chance.uniform(0, 2 * np.pi)
        view = _View(
            np.array([np.cos(angle), np.sin(angle)]) * away,
            chance.uniform(0.02, 0.12),
            np.array([np.cos(aside), np.sin(aside)]) * lamp,
            chance.uniform(_DARKEST, 1.0),
        )
        woods = _BOARDS[chance.integers(len(_BOARDS))]
        empty = self._board(woods)
        like_board = chance.random() < _ALIKE
        colours = [
            _colour(chance, woods[one : one + 1] if like_board else own)
            for one, own in enumerate((_LIGHT, _DARK))
        ]
        sides = self._sides()
        bodies = self._bodies(sides, colours)
        edge = chance.uniform(_SHARPEST, _SOFTEST)
        shaded = _blurred(_shadow(bodies, view), edge)
        present = self._with_pieces(empty * (1 - (1 - view.shade) * shaded)[..., None], bodies, view)
        if chance.random() < _FORMER:
            former = _blurred(_shadow(self._bodies(self._sides(), colours), view), edge)
            empty = np.asarray(empty * (1 - (1 - view.shade) * former)[..., None], np.float32)
        covered = np.zeros_like(shaded)
        if chance.random() < _HANDS:
            present, covered, soft = self._with_hand(present, view)
            shaded = np.maximum(shaded, soft)
        elif chance.random() < _STREWN:
            present, covered = self._with_things(present)
        if chance.random() < 0.15:
            present = self._with_glare(present)
        seen, found = self._taken(present, empty), []
        for row, col in np.ndindex(_CELLS - 2, _CELLS - 2):
            place = (row + 1, col + 1)
            inside = np.s_[(row + 1) * _PX : (row + 2) * _PX, (col + 1) * _PX : (col + 2) * _PX]
            is_shaded = view.shade < _DIM and shaded[inside].mean() > _SHADY
            label = CellClass.SHADOW if is_shaded else CellClass.EMPTY
            if place in sides:
                label = (CellClass.LIGHT, CellClass.DARK)[sides[place]]
            if covered[inside].mean() > _HANDY:
                label = CellClass.HAND
            found.append((seen(place), CELL_CLASSES.index(label)))
        return found

    def _board(self, woods: tuple[tuple[int, int, int], ...]) -> Image:
        """The empty board around a cell, perhaps with its edge."""
        chance = self._chance
        tints = [np.array(each) * chance.uniform(0.85, 1.15, 3) / 255 for each in woods]
        board = np.empty((_EDGE, _EDGE, 3), np.float32)
        parity, grain = chance.integers(2), chance.uniform(0, 0.09)
        fibres = chance.normal(0, 1, (_EDGE, _CELLS)).repeat(_PX, axis=1) + chance.normal(
            0, 0.4, (_EDGE, _EDGE)
        )
        wood = 1 + grain * cv2.GaussianBlur(fibres.astype(np.float32), (0, 0), 1.0)
        for row, col in np.ndindex(_CELLS, _CELLS):
            window = np.s_[row * _PX : (row + 1) * _PX, col * _PX : (col + 1) * _PX]
            board[window] = (
                tints[(row + col + parity) % 2] * wood[window][..., None] * chance.uniform(0.95, 1.05)
            )
        if chance.random() < 0.4:
            for at in range(0, _EDGE, _PX):
                board[at : at + 1] *= 0.5
                board[:, at : at + 1] *= 0.5
        if chance.random() < 0.35:
            frame = np.array(chance.uniform(0.1, 0.9, 3))
            board[chance.integers(2, _CELLS) * _PX :] = frame
            board = np.ascontiguousarray(np.rot90(board, int(chance.integers(4))))
        slope = chance.uniform(-0.15, 0.15, 2)
        y, x = np.mgrid[-1 : 1 : _EDGE * 1j, -1 : 1 : _EDGE * 1j]
        lit: Image = (board * (1 + slope[0] * x + slope[1] * y)[..., None]).astype(np.float32)
        return lit

    def _sides(self) -> dict[tuple[int, int], int]:
        """The cells with pieces, and their sides."""
        chance, share = self._chance, self._chance.uniform(0.2, 0.7)
        return {
            place: int(chance.integers(2)) for place in np.ndindex(_CELLS, _CELLS) if chance.random() < share
        }

    def _bodies(self, sides: dict[tuple[int, int], int], colours: Sequence[Image]) -> list[_Body]:
        """The pieces of one scene: turned ones, draughtsmen, and blocks."""
        chance = self._chance
        are_blocks, bodies = chance.random() < _BLOCKS, []
        for (row, col), side in sides.items():
            at = np.array([col + 0.5, row + 0.5]) + chance.normal(0, 0.06, 2).clip(-0.15, 0.15)
            height, base = chance.uniform(0.3, 1.9), chance.uniform(0.2, 0.4)
            radii = base * chance.uniform(0.45, 1.0, _DISCS)
            radii[:2], radii[-1] = base, base * chance.uniform(0.15, 0.8)
            if chance.random() < 0.2:  # a draughtsman, or a block
                height, radii = chance.uniform(0.1, 0.3), np.full(_DISCS, base)
            if are_blocks:
                height, radii = chance.uniform(0.2, 1.0), np.full(_DISCS, base)
            bodies.append(_Body(at, height, radii, colours[side], is_square=are_blocks))
        return bodies

    def _with_pieces(self, board: Image, bodies: Sequence[_Body], view: _View) -> Image:
        """*board* with the pieces *bodies*."""
        chance, image = self._chance, board.astype(np.float32)
        shine = chance.uniform(0.0, 0.5)
        for body in sorted(bodies, key=lambda body: -float(body.at @ view.lean)):
            at, colour, low = body.at, body.colour, chance.uniform(0.5, 0.9)
            for part, (z, radius) in enumerate(body.discs):
                lit = colour * (low + (1 - low) * part / (_DISCS - 1))
                grown = radius * (1 + view.growth * z)
                _slice(image, at + view.lean * z, grown, lit, body)
                if not body.is_square:
                    _disc(image, at + view.lean * z - view.lamp * 0.2 * radius, grown * 0.5, lit * 1.12)
            if not body.is_square:
                bright = np.minimum(colour * 1.2 + shine * 0.3, 1)
                _disc(image, at + view.lean * body.height, body.radii[-1] * 0.4, bright)
        return image

    def _with_hand(self, image: Image, view: _View) -> tuple[Image, Image, Image]:
        """*image* under a hand, and the areas of hand and shadow from 0 to 1."""
        chance = self._chance
        mask = np.zeros((_EDGE, _EDGE), np.float32)
        tip = (np.full(2, _CELLS / 2) + chance.normal(0, 1.2, 2)) * _PX
        angle = chance.uniform(0, 2 * np.pi)
        along = np.array([np.cos(angle), np.sin(angle)])
        across = np.array([-along[1], along[0]])
        palm = tip + along * chance.uniform(0.6, 1.3) * _PX
        _capsule(mask, palm, palm + along * 6 * _PX, chance.uniform(0.6, 1.4) * _PX)
        for aside in (-0.5, -0.15, 0.2, 0.5):
            finger = tip + (across * aside + along * chance.uniform(-0.1, 0.3)) * _PX
            _capsule(mask, palm + across * aside * 0.8 * _PX, finger, chance.uniform(0.2, 0.4) * _PX)
        shift = view.lamp * chance.uniform(0.5, 1.5) * _PX
        move = np.array([[1, 0, shift[0]], [0, 1, shift[1]]])
        soft = _blurred(cv2.warpAffine(mask, move, (_EDGE, _EDGE)), chance.uniform(1, 6))
        colour = _colour(chance, _SKIN)
        y, x = np.mgrid[0:_EDGE, 0:_EDGE]
        round_ = 1 + 0.15 * np.sin((x * across[0] + y * across[1]) / chance.uniform(4, 12))
        shaded = image * (1 - (1 - view.shade) * soft)[..., None]
        cover = _blurred(mask, 0.7)[..., None]
        drawn: Image = (shaded * (1 - cover) + colour * round_[..., None] * cover).astype(np.float32)
        return drawn, mask, soft

    def _with_things(self, image: Image) -> tuple[Image, Image]:
        """*image* with things that are no pieces.

        The second result is the area that they cover, from 0 to 1.
        """
        chance, drawn = self._chance, image
        covered = np.zeros((_EDGE, _EDGE), np.float32)
        for _ in range(chance.integers(1, 4)):
            size, shape = chance.uniform(0.15, 0.9, 2), chance.integers(2)
            at, turn = chance.uniform(0.5, _CELLS - 0.5, 2) * _PX, chance.uniform(0, 180)
            mask = np.zeros((_EDGE, _EDGE), np.float32)
            if shape:
                box = (at.tolist(), (size * 2 * _PX).tolist(), float(turn))
                cv2.fillConvexPoly(mask, np.rint(cv2.boxPoints(box)).astype(np.int32), 1.0, cv2.LINE_AA)
            else:
                cv2.circle(mask, np.rint(at).astype(int).tolist(), round(size[0] * _PX), 1.0, -1, cv2.LINE_AA)
            shade = _blurred(mask, 1.5)[..., None]
            shaded = drawn * (1 - 0.3 * np.roll(shade, chance.integers(-2, 3, 2), (0, 1)))
            tint = np.full(3, chance.uniform(0.05, 1.0)) * chance.uniform(0.8, 1.1, 3)
            mask = _blurred(mask, 0.5)
            mixed = shaded * (1 - mask[..., None]) + np.clip(tint, 0, 1) * mask[..., None]
            drawn = np.asarray(mixed, np.float32)
            covered = np.maximum(covered, mask)
        return drawn, covered

    def _with_glare(self, image: Image) -> Image:
        """*image* with a mirrored lamp."""
        chance = self._chance
        at = (_CELLS / 2 + chance.uniform(-1.5, 1.5, 2)) * _PX
        y, x = np.mgrid[0:_EDGE, 0:_EDGE]
        apart = ((x - at[0]) ** 2 + (y - at[1]) ** 2) / (chance.uniform(0.2, 0.8) * _PX) ** 2
        lit: Image = (image + chance.uniform(0.1, 0.8) * np.exp(-apart)[..., None]).astype(np.float32)
        return lit

    def _taken(self, present: Image, empty: Image) -> Callable[[tuple[int, int]], NDArray[np.float32]]:
        """Returns both windows of a cell as the camera sees them: (6, `ACROSS`, `ACROSS`)."""
        chance = self._chance
        is_grey = chance.random() < 0.25
        gain, noise, blur = chance.uniform(0.35, 1.0), chance.uniform(0.5, 5), chance.uniform(0.3, 1.1)
        cast = chance.uniform(0.85, 1.1, 3) * gain * 255
        shift = chance.normal(0, 0.03, 2)
        pair = []
        for image in (present, empty):
            level = cv2.GaussianBlur(image, (0, 0), blur) * cast * chance.normal(1, 0.04)
            if is_grey:
                level = np.repeat(level @ np.array([[0.114], [0.587], [0.299]]), 3, axis=2)
            pair.append(level.astype(np.float32))
        steps = ((np.arange(ACROSS) + 0.5) / ACROSS - 0.5) * _WINDOW + 0.5

        def window(place: tuple[int, int]) -> NDArray[np.float32]:
            parts = []
            for level, aside in zip(pair, (shift, np.zeros(2)), strict=True):
                x, y = np.meshgrid(steps + place[1] + aside[0], steps + place[0] + aside[1])
                across, down = ((axis * _PX - 0.5).astype(np.float32) for axis in (x, y))
                part = cv2.remap(level, across, down, cv2.INTER_LINEAR)
                rough = chance.normal(0, noise, (ACROSS, ACROSS, 1 if is_grey else 3))
                parts.append(np.clip(part + rough, 0, 255).transpose(2, 0, 1))
            return np.concatenate(parts).astype(np.float32)

        return window


def _colour(chance: np.random.Generator, palette: tuple[tuple[int, int, int], ...]) -> Image:
    """A colour like one of *palette*."""
    chosen = np.array(palette[chance.integers(len(palette))]) / 255
    return np.asarray(
        np.clip(chosen * chance.uniform(0.85, 1.1) * chance.uniform(0.93, 1.07, 3), 0, 1), np.float32
    )


def _blurred(image: NDArray[np.integer | np.floating], spread: float) -> Image:
    """*image* with a point spread of *spread* px."""
    return np.asarray(cv2.GaussianBlur(image, (0, 0), spread), np.float32)


def _disc(image: Image, at: NDArray[np.float64], radius: float, colour: NDArray[np.float32] | float) -> None:
    """Draw a disc at *at*, in cells."""
    middle = tuple(round(float(each) * _PX * 16) for each in at - 0.5 / _PX)
    tint = np.atleast_1d(colour).astype(float).tolist()
    cv2.circle(image, middle, max(1, round(radius * _PX * 16)), tint, -1, cv2.LINE_AA, 4)


def _slice(
    image: Image, at: NDArray[np.float64], radius: float, colour: NDArray[np.float32] | float, body: _Body
) -> None:
    """Draw one of the discs of *body*, or a square, at *at*, in cells."""
    if not body.is_square:
        _disc(image, at, radius, colour)
        return
    half = np.full(2, radius)
    ends = [np.rint((at + half * sign) * _PX * 16).astype(int).tolist() for sign in (-1, 1)]
    cv2.rectangle(image, ends[0], ends[1], np.atleast_1d(colour).astype(float).tolist(), -1, cv2.LINE_AA, 4)


def _shadow(bodies: Sequence[_Body], view: _View) -> Image:
    """The shadow of *bodies* on the board, 0 or 1."""
    shadow = np.zeros((_EDGE, _EDGE), np.float32)
    for body in bodies:
        for z, radius in body.discs:
            _slice(shadow, body.at + view.lamp * z, radius, 1.0, body)
    return shadow


def _capsule(mask: Image, one: NDArray[np.float64], other: NDArray[np.float64], wide: float) -> None:
    """Draw a thick line with round ends, in px."""
    ends = [tuple(round(each) for each in end) for end in (one, other)]
    cv2.line(mask, ends[0], ends[1], 1.0, max(1, round(wide)), cv2.LINE_AA)

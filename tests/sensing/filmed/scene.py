# SPDX-License-Identifier: Apache-2.0
"""A board with pieces under a lamp, as linear light in the image."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final
from zlib import crc32

import cv2
import numpy as np
from numpy.typing import NDArray

from tests.sensing.filmed.boards import (
    FRAME_MM,
    TEXELS,
    Style,
    board_texture,
    grain,
    lay_tags,
    linear,
    table_texture,
)
from tests.sensing.filmed.camera import Array, Pose
from tests.sensing.filmed.solids import Body, Seen, on_heights, seen, stacked

_MAP_MM: Final = 450
"""Shadows are drawn this far around the board, a texel for each mm."""
_BIAS_MM: Final = 3.0
Rect = tuple[int, int, int, int]
"""Left, top, right and low end."""


@dataclass(frozen=True)
class Lamp:
    """The light: a lamp of some size, and what comes from everywhere."""

    at_mm: tuple[float, float, float] = (-250.0, 600.0, 1100.0)
    wide_mm: float = 60.0
    """Radius of the lamp: the softness of shadows."""
    direct: float = 0.6
    ambient: float = 0.4
    warm: float = 0.08
    """How much redder the lamp is than the rest."""
    samples: int = 6

    def colour(self) -> NDArray[np.float32]:
        """(3,): BGR of the lamp."""
        return np.array([1 - self.warm, 1.0, 1 + self.warm], np.float32) * np.float32(self.direct)

    def around(self) -> NDArray[np.float32]:
        """(3,): BGR of the ambient light."""
        return np.array([1 + self.warm / 2, 1.0, 1 - self.warm / 2], np.float32) * np.float32(self.ambient)

    def points(self) -> NDArray[np.float64]:
        """(samples, 3): points of the lamp."""
        turn = np.arange(self.samples) * 2.4
        away = self.wide_mm * np.sqrt((np.arange(self.samples) + 0.5) / self.samples)
        flat = np.stack([away * np.cos(turn), away * np.sin(turn), np.zeros(self.samples)], axis=-1)
        return np.asarray(np.array(self.at_mm) + flat)


def on_table(lamp: Any, places: Any) -> Any:
    """(..., 2): where rays from the point *lamp* through *places* meet the table."""
    reach = lamp[2] / np.maximum(lamp[2] - places[..., 2:], 1.0)
    return lamp[:2] + (places[..., :2] - lamp[:2]) * reach


@dataclass
class Drawn:
    """A piece, lit but not yet shadowed, and its shadows by lamp point."""

    view: Seen
    ambient: Array
    direct: Array
    shadows: list[tuple[int, int, Array]]


class Scene:
    """The table with numbered bodies, without hands."""

    def __init__(
        self, table: Any, style: Style, lamp: Lamp, pose: Pose, seed: int, *, tags: bool, fifths: int = 7
    ) -> None:
        """*fifths*: the number of rendered px for five px of the image."""
        self.grid, self.style, self.lamp, self.seed = table.grid, style, lamp, seed
        self.fifths, self.fine = fifths, fifths / 5
        self.dice = np.random.default_rng(seed)
        points = [point for outline in self.grid.outlines for point in outline]
        self.size_mm = (max(x for x, _ in points), max(y for _, y in points))
        self._board = board_texture(self.grid, style, self.dice)
        if tags:
            lay_tags(self._board, table)
        self._table = table_texture(style, self.dice)
        self._turned = grain((256, 256), self.dice, 60, 30)
        self.bodies: dict[int, Body] = {}
        self.look_from(pose)

    def look_from(self, pose: Pose) -> None:
        """Move the camera."""
        self.pose = pose
        self.matrix = pose.matrix(self.fine)
        self.px = (round(pose.size_px[0] * self.fine), round(pose.size_px[1] * self.fine))
        self._drawn = {number: self.draw(body) for number, body in self.bodies.items()}
        self._ground()
        self._light = tuple(np.zeros((self.px[1], self.px[0], depth), np.float32) for depth in (3, 3, 2))
        self.stale: Rect | None = (0, 0, *self.px)
        """The part of the fine picture that has changed since `light` was called last."""

    def put(self, number: int, body: Body | None) -> None:
        """Put *body* with its *number* on the table, or take it away."""
        for drawn in (self._drawn.pop(number, None), None if body is None else self.draw(body)):
            if drawn is not None:
                self.stale = united(self.stale, self.reach(drawn))
        self.bodies.pop(number, None)
        if body is not None:
            self.bodies[number] = body
            self._drawn[number] = self.draw(body)

    def light(self) -> tuple[Array, Array, Array]:
        """Ambient and direct light of the fine picture, and the place of each px.

        The place is (height, width, 2): where the lamp's ray meets the table.
        """
        if self.stale is not None:
            left, top, right, low = self.stale
            part = (slice(top, low), slice(left, right))
            for whole, new in zip(self._light, self._lit(self.stale), strict=True):
                whole[part] = new
            self.stale = None
        ambient, direct, cast = self._light
        return ambient, direct, cast

    def reach(self, drawn: Drawn) -> Rect:
        """The part of the fine picture that a piece changes, with its shadow."""
        rows, columns = drawn.view.z.shape
        left, top = drawn.view.corner
        corners = [(left, top), (left + columns, top + rows)]
        for low_x, low_y, shadow in drawn.shadows:
            ends = [(low_x, low_y), (low_x + shadow.shape[1], low_y + shadow.shape[0])]
            flat = [
                (x - _MAP_MM, y - _MAP_MM, 0.0, 1.0)
                for x in (ends[0][0], ends[1][0])
                for y in (ends[0][1], ends[1][1])
            ]
            px = np.array(flat) @ self.matrix.T
            corners += [(x, y) for x, y in px[:, :2] / px[:, 2:]]
        return self.aligned(np.array(corners), 50)

    def aligned(self, px: Any, margin: float) -> Rect:
        """The rectangle around *px* (N, 2), aligned with px of the image."""
        low = np.floor((px.min(axis=0) - margin) / self.fifths).astype(int) * self.fifths
        high = np.ceil((px.max(axis=0) + margin) / self.fifths).astype(int) * self.fifths
        low, high = np.clip(low, 0, self.px), np.clip(high, 0, self.px)
        return (int(low[0]), int(low[1]), int(max(high[0], low[0])), int(max(high[1], low[1])))

    def in_image(self, rect: Rect) -> Rect:
        """*rect* of the fine picture in px of the image."""
        left, top, right, low = (edge * 5 // self.fifths for edge in rect)
        return left, top, right, low

    def _ground(self) -> None:
        """The surfaces without pieces."""
        flat = self.matrix[:, [0, 1, 3]]
        half = self._table.shape[0] / 2
        middle = np.array(self.size_mm) / 2
        to_mm = np.array([[1, 0, middle[0] - half], [0, -1, middle[1] + half], [0, 0, 1]])
        border = tuple(float(each) for each in linear(self.style.table))
        wide = cv2.warpPerspective(
            self._table, flat @ to_mm, self.px, flags=cv2.INTER_LINEAR, borderValue=border
        )
        texel = 1 / TEXELS
        to_mm = np.array([[texel, 0, -FRAME_MM], [0, -texel, self.size_mm[1] + FRAME_MM], [0, 0, 1]])
        alpha = (self._board[..., :1] >= 0).astype(np.float32)
        both = np.concatenate([np.maximum(self._board, 0), alpha], axis=-1)
        board = cv2.warpPerspective(both, flat @ to_mm, self.px, flags=cv2.INTER_LINEAR)
        cover = board[..., 3:]
        self._albedo = (board[..., :3] + wide * (1 - cover)).astype(np.float32)
        zero = np.zeros((self.px[1], self.px[0]))
        places = on_heights(self.matrix, np.zeros(2), zero).astype(np.float32)
        self.places = places
        normal = np.zeros_like(places)
        normal[..., 2] = 1
        gloss = self.style.board_gloss * cover[..., 0]
        self._ambient, self._direct = self.shaded(places, normal, self._albedo, gloss, 24.0)

    def shaded(
        self, places: Array, normal: Array, albedo: Array, gloss: Any, narrow: float
    ) -> tuple[Array, Array]:
        """The ambient and the direct light that *places* send to the camera."""
        lamp = np.array(self.lamp.at_mm, np.float32)
        towards, far = _unit(lamp - places)
        eye, _ = _unit(np.asarray(self.pose.at_mm(), np.float32) - places)
        middle = np.array([*self.size_mm, 0], np.float32) / 2
        usual = float(((lamp - middle) ** 2).sum())
        cosine = np.maximum(_dot(normal, towards), 0)[..., None]
        fall = cosine * np.float32(usual**1.5 / lamp[2]) / far**2
        between, _ = _unit(towards + eye)
        mirror = np.maximum(_dot(normal, between), 0) ** np.float32(narrow)
        shine = (mirror * gloss)[..., None] * (0.5 + 2.5 * narrow / 100)
        direct = (albedo * fall + shine) * self.lamp.colour()
        up = 0.5 + 0.5 * normal[..., 2:]
        window = np.maximum(normal @ np.array([0.6, -0.5, 0.62], np.float32), 0)[..., None] ** np.float32(12)
        ambient = (
            albedo * (0.45 + 0.55 * up) + 0.25 * np.asarray(gloss)[..., None] * window
        ) * self.lamp.around()
        return ambient.astype(np.float32), direct.astype(np.float32)

    def draw(self, body: Body) -> Drawn | None:
        """Light *body*, and draw its shadows."""
        view = seen(body, self.matrix, self.px)
        if view is None:
            return None
        dark = body.side == 1
        colour = linear(self.style.dark if dark else self.style.light)
        angle, high = view.ring[..., 0], view.ring[..., 1]
        seed = crc32(f"{body.turn_deg:.2f} {body.kind} {body.side}".encode()) % 251
        x = ((high * 0.8 + seed) % 256).astype(np.float32)
        y = ((angle / (2 * np.pi) * 256 + seed * 3) % 256).astype(np.float32)
        fibre = cv2.remap(self._turned, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
        tone = 1 + 0.05 * np.sin(seed * 1.7)
        albedo = colour * tone * (1 + 0.14 * self.style.piece_grain * fibre[..., None])
        gloss = np.full(high.shape, self.style.gloss * 0.9, np.float32)
        ambient, direct = self.shaded(view.place, view.normal, albedo.astype(np.float32), gloss, 60.0)
        ambient *= (0.55 + 0.45 * np.clip(high / (0.8 * body.cell_mm), 0, 1))[..., None]
        shadows = []
        slices = body.slices()
        flat = slices.outline()
        z = np.broadcast_to(slices.z[:, None, None], (*flat.shape[:2], 1))
        for point in self.lamp.points():
            cast = on_table(point, np.concatenate([flat, z], axis=-1)) + _MAP_MM
            low = np.floor(cast.min(axis=(0, 1))).astype(int) - 1
            high_mm = np.ceil(cast.max(axis=(0, 1))).astype(int) + 2
            shape = (int(high_mm[1] - low[1]), int(high_mm[0] - low[0]))
            shadows.append((int(low[0]), int(low[1]), stacked(cast - low, slices.z, shape)))
        return Drawn(view, ambient, direct, shadows)

    def _lit(self, rect: Rect) -> tuple[Array, Array, Array]:
        left, top, right, low = rect
        window = (slice(top, low), slice(left, right))
        ambient, direct, places = (each[window].copy() for each in (self._ambient, self._direct, self.places))
        self._contact(ambient, places)
        z = places[..., 2]
        for drawn in self._drawn.values():
            if drawn is None:
                continue
            (x, y), (rows, columns) = drawn.view.corner, drawn.view.z.shape
            from_x, from_y = max(x, left), max(y, top)
            to_x, to_y = min(x + columns, right), min(y + rows, low)
            if from_x >= to_x or from_y >= to_y:
                continue
            part = (slice(from_y - top, to_y - top), slice(from_x - left, to_x - left))
            own = (slice(from_y - y, to_y - y), slice(from_x - x, to_x - x))
            nearer = drawn.view.z[own] > np.maximum(z[part], 0.01)
            ambient[part][nearer] = drawn.ambient[own][nearer]
            direct[part][nearer] = drawn.direct[own][nearer]
            places[part][nearer] = drawn.view.place[own][nearer]
        return ambient, direct * self._shadow(places)[..., None], self.cast(places)

    def cast(self, places: Array) -> Array:
        """The places on the table behind *places*, from the lamp."""
        return np.asarray(on_table(np.array(self.lamp.at_mm, np.float32), places), np.float32)

    def _contact(self, ambient: Array, places: Array) -> None:
        """Darken the table around the feet of pieces."""
        low, high = places[..., :2].min(axis=(0, 1)), places[..., :2].max(axis=(0, 1))
        for body in self.bodies.values():
            at, wide = np.array(body.at_mm), 1.1 * body.cell_mm
            if body.lift_mm < 1 and np.all(at > low - wide) and np.all(at < high + wide):
                px = np.array(
                    [[at[0] + dx, at[1] + dy, 0, 1] for dx in (-wide, wide) for dy in (-wide, wide)]
                )
                px = px @ self.matrix.T
                px = px[:, :2] / px[:, 2:]
                start = px.min(axis=0) - self._px_of(places)
                end = px.max(axis=0) - self._px_of(places)
                (x, y), (right, down) = np.maximum(start, 0).astype(int), np.maximum(end, 0).astype(int)
                near = (places[y:down, x:right, :2] - at.astype(np.float32)) / np.float32(0.47 * body.cell_mm)
                away = (near**2).sum(axis=-1)
                ambient[y:down, x:right] *= 1 - 0.5 * np.exp(-(away**1.5))[..., None]

    def _px_of(self, places: Array) -> Any:
        """The px of the first one of *places*, which is on the table."""
        px = self.matrix @ np.array([*places[0, 0, :2], 0.0, 1.0])
        return np.rint(px[:2] / px[2])

    def _shadow(self, places: Array) -> Array:
        """(height, width): the share of the lamp that *places* see."""
        wide, high = (round(edge) + 2 * _MAP_MM for edge in self.size_mm)
        open_share = np.zeros(places.shape[:2], np.float32)
        limit = places[..., 2] + _BIAS_MM
        for number, point in enumerate(self.lamp.points().astype(np.float32)):
            top = np.zeros((high, wide), np.float32)
            for drawn in self._drawn.values():
                if drawn is not None:
                    left, low, shadow = drawn.shadows[number]
                    rows, columns = shadow.shape
                    part = top[max(low, 0) : max(low + rows, 0), max(left, 0) : max(left + columns, 0)]
                    inner = shadow[max(-low, 0) :, max(-left, 0) :][: part.shape[0], : part.shape[1]]
                    np.maximum(part, inner, out=part)
            at = on_table(point, places) + np.float32(_MAP_MM)
            found = cv2.remap(top, at[..., 0], at[..., 1], cv2.INTER_NEAREST, borderValue=0)
            open_share += found < limit
        share = open_share / np.float32(self.lamp.samples)
        return np.asarray(cv2.GaussianBlur(share, (0, 0), 1.3), np.float32)


def united(one: Rect | None, other: Rect | None) -> Rect | None:
    """The rectangle around both."""
    if one is None or other is None:
        return one or other
    return (min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3]))


def _dot(one: Array, other: Array) -> Array:
    return np.asarray(np.einsum("...i,...i->...", one, other))


def _unit(vectors: Array) -> tuple[Array, Array]:
    """*vectors* of length 1, and their lengths."""
    far = np.sqrt(_dot(vectors, vectors))[..., None]
    return np.asarray(vectors / np.maximum(far, np.float32(1e-6)), np.float32), far


def shrunk(light: Array, size_px: tuple[int, int]) -> Array:
    """*light* of the fine picture in the px of the image."""
    return np.asarray(cv2.resize(light, size_px, interpolation=cv2.INTER_AREA), np.float32)

# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one scene with its light, which all measurements with lamps share.
"""A renderer for camera tests: blocks, shadows and mirrored lamps.

It shares no code and no constant with `companion.sensing` or `companion.virtual`; it takes only the
printed geometry. Units are mm with z up on the table, and px with y down in the image. Light is
linear, from 0 to 1 for white paper.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.games import find
from companion.model.grid import Cell
from companion.model.observation import Observation
from companion.model.pieces import Piece
from companion.model.tags import Mark, assign
from companion.sensing.camera import CameraSensor
from companion.sensing.tagged_table import printed

Array = NDArray[np.float64]

_FINE = 2
"""Rendered px for each px of the image, in both directions."""
_TEXELS = 4
"""Texels for each mm of the printed board."""
_MARGIN_MM = 60.0
"""The part of the table around the board that belongs to its texture."""
_FRAME_MS = 33
_DESK, _SHEET, _LINE, _WALL, _WHITE, _BLACK = 0.32, 0.71, 0.2, 0.45, 0.86, 0.06
"""Reflectance of the print and of the desk."""


@dataclass(frozen=True)
class Pinhole:
    """A camera without lens errors."""

    size_px: tuple[int, int]
    at_mm: tuple[float, float, float]
    aim_mm: tuple[float, float]
    focal_px: float

    def matrix(self, scale: float = 1.0) -> Array:
        """(3, 4): from homogeneous mm to homogeneous px, *scale* times enlarged."""
        ahead = np.array([*self.aim_mm, 0.0]) - self.at_mm
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, [0.0, 0.0, 1.0])
        right /= np.linalg.norm(right)
        turn = np.stack([right, np.cross(ahead, right), ahead])
        middle_x, middle_y = (scale * edge / 2 - 0.5 for edge in self.size_px)
        inner = np.array(
            [[scale * self.focal_px, 0, middle_x], [0, scale * self.focal_px, middle_y], [0, 0, 1]]
        )
        found: Array = inner @ np.column_stack([turn, -turn @ np.array(self.at_mm)])
        return found


@dataclass(frozen=True)
class Spot:
    """A lamp that the board mirrors towards the camera."""

    at_mm: tuple[float, float]
    """The place of its mirror image on the board."""
    wide_deg: float = 2.0
    """Width of the mirror image, from the lamp's size and the board's roughness."""
    strength: float = 2.0
    """Light in its centre, relative to white paper."""


@dataclass(frozen=True)
class Room:
    """The light."""

    lamp_mm: tuple[float, float, float] = (-500.0, 700.0, 900.0)
    """The lamp that casts shadows."""
    ambient: float = 0.45
    """Share of ambient light."""
    spots: tuple[Spot, ...] = ()
    gain: float = 1.0
    noise: float = 2.5
    """Standard deviation, in grey levels."""


@dataclass(frozen=True)
class Hand:
    """A hand with its forearm."""

    tip_mm: tuple[float, float]
    """The point of the board under the finger tips."""
    from_mm: tuple[float, float]
    high_mm: float = 35.0
    wide_mm: float = 60.0


@dataclass(frozen=True)
class Block:
    """A square block with a tag on top."""

    rows: Sequence[Sequence[bool]]
    at_mm: tuple[float, float]
    turn_deg: float
    tag_mm: float
    height_mm: float
    side: float = 0.16
    """Reflectance of its sides."""
    shade: float | None = None
    """Reflectance of its top, if that is plain: then *rows* give its size only."""

    def corners(self) -> Array:
        """(8, 3): corners of the bottom, then of the top.

        Each clockwise from the tag's upper left.
        """
        half = self.tag_mm * (len(self.rows) + 2) / len(self.rows) / 2
        turn = np.radians(self.turn_deg)
        right = np.array([np.cos(turn), -np.sin(turn)]) * half
        up = np.array([np.sin(turn), np.cos(turn)]) * half
        flat = np.array([up - right, up + right, right - up, -up - right]) + self.at_mm
        return np.vstack([np.column_stack([flat, np.full(4, z)]) for z in (0.0, self.height_mm)])


@dataclass
class Lamplit:
    """A printed board with blocks, under a lamp, seen by a camera sensor."""

    options: Mapping[str, str]
    pinhole: Pinhole
    seed: int
    room: Room = field(default_factory=Room)
    height_mm: float = 10.0
    cell_mm: float = 25.0
    game: str = "tank-chess"
    aside_mm: float = 1.5
    """Standard deviation of a block's place in its cell."""

    def __post_init__(self) -> None:
        game = find(self.game)
        self.rules = game.rules(self.options)
        self.marks = assign(game, self.options)
        self.outfit = printed(game, self.options, self.height_mm, cell_mm=self.cell_mm)
        self.grid = self.outfit.grid
        self.sensor = CameraSensor(self.outfit)
        self.chance = Random(self.seed)
        self.dice = np.random.default_rng(self.seed)
        self.blocks: dict[Cell, Block] = {}
        self.pieces: dict[Cell, Piece] = {}
        self.standing: dict[Cell, Mark] = {}
        self.loose: list[Block] = []
        """Blocks that are not pieces."""
        self.now_ms = 0
        self.last: Observation | None = None
        self._paper = self._printed()
        self._still: NDArray[np.float32] | None = None
        self._sharp: tuple[Sequence[Hand], NDArray[np.float32]] | None = None
        """The picture with these hands, before the noise."""
        self._glows: dict[tuple[Spot, ...], Array] = {}
        height, width = self.pinhole.size_px[1], self.pinhole.size_px[0]
        self._grain = self.dice.normal(0, 1, (height + 64, width + 64)).astype(np.float32)

    # blocks

    def set_up(self, position: Any) -> None:
        """Put the pieces of *position* on the empty board."""
        free = list(self.marks)
        for cell, piece in sorted(self.rules.placement(position).by_cell().items()):
            mark = next(
                each for each in free if (each.piece.kind, each.piece.side) == (piece.kind, piece.side)
            )
            free = [each for each in free if each.figure != mark.figure]
            self.put(cell, piece, mark)

    def put(self, cell: Cell, piece: Piece, mark: Mark, apart_mm: tuple[float, float] | None = None) -> None:
        """Put *piece* with *mark* on *cell*.

        It is *apart_mm* from the centre, or as far as a hand would put it.
        """
        x, y = self.grid.centre_mm(cell)
        gauss = self.chance.gauss
        dx, dy = apart_mm or (gauss(0, self.aside_mm), gauss(0, self.aside_mm))
        turn = 360 / len(self.grid.steps) * (piece.facing or 0) + gauss(0, 2.0)
        rows = self.outfit.family.rows(mark.tag)
        self.blocks[cell] = Block(rows, (x + dx, y + dy), turn, self.outfit.tag_mm, self.height_mm)
        self.standing[cell], self.pieces[cell] = mark, piece
        self._still = None

    def take(self, cell: Cell) -> Mark:
        """Lift the block from *cell*."""
        del self.blocks[cell], self.pieces[cell]
        self._still = None
        return self.standing.pop(cell)

    def lay(self, *blocks: Block) -> None:
        """Leave only *blocks* on the board beside the pieces."""
        self.loose = list(blocks)
        self._still = None

    def light(self, room: Room) -> None:
        """Change the light."""
        self.room = room
        self._still = None

    # images

    def see(self, images: int = 1, hands: Sequence[Hand] = (), shake_mm: float = 0.0) -> list[Observation]:
        """The observations of the next *images*, in which the *hands* shake."""
        told = []
        for _ in range(images):
            shaken = [self._shaken(hand, shake_mm) for hand in hands]
            self.now_ms += _FRAME_MS
            observation = self.sensor.observe(self.photograph(shaken), self.now_ms)
            if observation is not None:
                told.append(observation)
                self.last = observation
        return told

    def photograph(self, hands: Sequence[Hand] = ()) -> NDArray[np.uint8]:
        """One image: (height, width) of grey."""
        if self._still is None:
            self._still = self._shrunk(self._rendered()).astype(np.float32)
            self._sharp = None
        if self._sharp is None or self._sharp[0] != list(hands):
            image = self._with(hands) * np.float32(255 * self.room.gain)
            self._sharp = list(hands), np.asarray(cv2.GaussianBlur(image, (0, 0), 0.6), np.float32)
        image = self._sharp[1]
        down, along = self.dice.integers(0, 64, 2)
        noise = self._grain[down : down + image.shape[0], along : along + image.shape[1]] * self.room.noise
        noisy = np.clip(image + noise, 0, 255).astype(np.uint8)
        _, packed = cv2.imencode(".jpg", noisy, [cv2.IMWRITE_JPEG_QUALITY, 88])
        return np.asarray(cv2.imdecode(packed, cv2.IMREAD_GRAYSCALE), np.uint8)

    def _shaken(self, hand: Hand, shake_mm: float) -> Hand:
        gauss = self.chance.gauss
        (x, y), (far_x, far_y) = hand.tip_mm, hand.from_mm
        tip = (x + gauss(0, shake_mm), y + gauss(0, shake_mm))
        return Hand(tip, (far_x + gauss(0, shake_mm), far_y), hand.high_mm, hand.wide_mm)

    def _printed(self) -> Array:
        """The reflectance of the board and the desk around it.

        It is a texture with the far edge on top.
        """
        xs, ys = ([point[axis] for outline in self.grid.outlines for point in outline] for axis in (0, 1))
        self._left, self._top = min(xs) - _MARGIN_MM, max(ys) + _MARGIN_MM
        size = (
            round((max(ys) - min(ys) + 2 * _MARGIN_MM) * _TEXELS),
            round((max(xs) - min(xs) + 2 * _MARGIN_MM) * _TEXELS),
        )
        paper = np.full(size, _DESK)
        for cell, outline in enumerate(self.grid.outlines):
            colour = _WALL if cell in set(self.grid.obstacles) else _SHEET
            cv2.fillPoly(paper, [self._texels(outline)], colour)
        for outline in self.grid.outlines:
            cv2.polylines(paper, [self._texels(outline)], True, _LINE, 2)
        for tag, (x, y) in self.outfit.corners.items():
            rows = self.outfit.family.rows(tag)
            edge = round(self.outfit.corner_mm / len(rows) * (len(rows) + 2) * _TEXELS)
            face = cv2.resize(_face(rows), (edge, edge), interpolation=cv2.INTER_NEAREST)
            row = round((self._top - y) * _TEXELS - edge / 2)
            col = round((x - self._left) * _TEXELS - edge / 2)
            paper[row : row + edge, col : col + edge] = face
        return paper

    def _texels(self, flat_mm: Any) -> NDArray[np.int32]:
        points = np.asarray(flat_mm, np.float64)[:, :2]
        at = np.column_stack([points[:, 0] - self._left, self._top - points[:, 1]]) * _TEXELS
        return np.rint(at).astype(np.int32)

    def _rendered(self) -> Array:
        """The table without hands: (height, width) of light, `_FINE` times enlarged."""
        matrix = self.pinhole.matrix(_FINE)
        wide, high = (edge * _FINE for edge in self.pinhole.size_px)
        lit = self._paper * self._shadows()
        to_mm = np.array([[1 / _TEXELS, 0, self._left], [0, -1 / _TEXELS, self._top], [0, 0, 1]])
        flat = matrix[:, [0, 1, 3]] @ to_mm
        image = cv2.warpPerspective(lit, flat, (wide, high), flags=cv2.INTER_AREA, borderValue=_DESK)
        glow = self._glows[self.room.spots] = self._glow()
        image = image + glow
        solid = [*self.blocks.values(), *self.loose]
        at = np.array(self.pinhole.at_mm[:2])
        for block in sorted(solid, key=lambda one: -float(np.hypot(*(np.array(one.at_mm) - at)))):
            self._draw(image, block, matrix, glow)
        return np.asarray(image, np.float64)

    def _draw(self, image: Array, block: Block, matrix: Array, glow: Array) -> None:
        """Draw the sides of *block*, then its tag."""
        corners = block.corners()
        px = _projected(matrix, corners)
        left, top = np.maximum(px.min(axis=0).astype(int) - 2, 0)
        right, low = px.max(axis=0).astype(int) + 3
        image, glow = image[top:low, left:right], glow[top:low, left:right]
        px -= left, top
        lamp = np.array(self.room.lamp_mm)
        for one in range(4):
            two = (one + 1) % 4
            side = corners[[one, two, two + 4, one + 4]]
            out = np.cross(side[1] - side[0], [0.0, 0.0, -1.0])
            out /= np.linalg.norm(out)
            if np.dot(out, np.array(self.pinhole.at_mm) - side[0]) <= 0:
                continue
            towards = (lamp - side[0]) / np.linalg.norm(lamp - side[0])
            light = self.room.ambient + (1 - self.room.ambient) * max(0.0, float(np.dot(out, towards)))
            quad = np.rint(px[[one, two, two + 4, one + 4]]).astype(np.int32)
            cv2.fillConvexPoly(image, quad, block.side * light)
        face = _face(block.rows) if block.shade is None else np.full((2, 2), block.shade)
        fine = cv2.resize(face, None, fx=8, fy=8, interpolation=cv2.INTER_NEAREST)
        edge = len(fine)
        source = np.array([[0, 0], [edge, 0], [edge, edge], [0, edge]], np.float32) - 0.5
        warp = cv2.getPerspectiveTransform(source.astype(np.float32), px[4:].astype(np.float32))
        size = image.shape[1], image.shape[0]
        tag = cv2.warpPerspective(fine, warp, size, flags=cv2.INTER_LINEAR)
        cover = cv2.warpPerspective(np.ones_like(fine), warp, size, flags=cv2.INTER_LINEAR)
        image[:] = tag + image * (1 - cover) + cover * glow

    def _shadows(self) -> Array:
        """The light on each texel of the board."""
        shade = np.zeros(self._paper.shape)
        lamp = np.array(self.room.lamp_mm)
        for block in [*self.blocks.values(), *self.loose]:
            corners = block.corners()
            reach = corners[:, 2:] / (lamp[2] - corners[:, 2:])
            cast = corners[:, :2] + (corners[:, :2] - lamp[:2]) * reach
            hull = cv2.convexHull(self._texels(cast))
            cv2.fillConvexPoly(shade, hull, 1.0)
        soft = cv2.GaussianBlur(shade, (0, 0), 1.2 * _TEXELS)
        return np.asarray(1 - soft * (1 - self.room.ambient), np.float64)

    def _glow(self) -> Array:
        """The light of the mirrored lamps on each fine px."""
        wide, high = (edge * _FINE for edge in self.pinhole.size_px)
        glow = np.zeros((high // 4 + 1, wide // 4 + 1))
        if self.room.spots in self._glows:
            return self._glows[self.room.spots]
        flat = np.linalg.inv(self.pinhole.matrix(_FINE)[:, [0, 1, 3]])
        y, x = np.mgrid[0 : glow.shape[0], 0 : glow.shape[1]] * 4.0
        board = np.stack([x, y, np.ones_like(x)], axis=-1) @ flat.T
        board = board[..., :2] / board[..., 2:]
        eye = np.array(self.pinhole.at_mm)
        mirrored = _directions(board, eye)
        for spot in self.room.spots:
            towards = _directions(np.array(spot.at_mm), eye)
            angle = np.degrees(np.arccos(np.clip((mirrored * towards).sum(axis=-1), -1, 1)))
            glow += spot.strength * np.exp(-((angle / spot.wide_deg) ** 2))
        return np.asarray(cv2.resize(glow, (glow.shape[1] * 4, glow.shape[0] * 4))[:high, :wide], np.float64)

    def _shrunk(self, fine: Array) -> Array:
        return np.asarray(cv2.resize(fine, self.pinhole.size_px, interpolation=cv2.INTER_AREA), np.float64)

    def _with(self, hands: Sequence[Hand]) -> NDArray[np.float32]:
        """The table with *hands* above it and their shadows."""
        assert self._still is not None
        image = self._still.astype(np.float32)
        matrix = self.pinhole.matrix()
        for hand in hands:
            shade = np.zeros(image.shape, np.float32)
            cast = np.array([18.0, -12.0])
            for points in _outlines(hand):
                flat = np.column_stack([points + cast, np.zeros(len(points))])
                cv2.fillPoly(shade, [np.rint(_projected(matrix, flat)).astype(np.int32)], 1.0)
            image *= 1 - 0.4 * cv2.blur(cv2.blur(shade, (11, 11)), (11, 11))
        for hand in hands:
            cover = np.zeros(image.shape, np.float32)
            for points in _outlines(hand):
                high = np.column_stack([points, np.full(len(points), hand.high_mm)])
                cv2.fillPoly(cover, [np.rint(_projected(matrix, high)).astype(np.int32)], 1.0)
            round_ = cv2.blur(
                cv2.blur(cover, (17, 17)), (17, 17)
            )  # darker towards the edges, like a round body
            image = image * (1 - cover) + cover * (0.2 + 0.35 * round_)
        return np.asarray(image)


def _face(rows: Sequence[Sequence[bool]]) -> Array:
    """The reflectance of a tag with its white rim, one px for each module."""
    return np.pad(np.where(np.array(rows), _WHITE, _BLACK), 1, constant_values=_WHITE).astype(np.float64)


def _projected(matrix: Array, points_mm: Array) -> Array:
    """(n, 2) px of (n, 3) mm."""
    seen = np.column_stack([points_mm, np.ones(len(points_mm))]) @ matrix.T
    return np.asarray(seen[:, :2] / seen[:, 2:], np.float64)


def _directions(board_mm: Array, eye_mm: Array) -> Array:
    """The directions in which points at (…, 2) mm mirror the view from *eye_mm*."""
    ray = np.concatenate([board_mm, np.zeros((*board_mm.shape[:-1], 1))], axis=-1) - eye_mm
    ray = ray / np.linalg.norm(ray, axis=-1, keepdims=True)
    return np.asarray(ray * np.array([1.0, 1.0, -1.0]), np.float64)


def _outlines(hand: Hand) -> list[Array]:
    """The palm, the forearm and three fingers as polygons on the board."""
    tip, far = np.array(hand.tip_mm), np.array(hand.from_mm)
    along = (tip - far) / np.linalg.norm(tip - far)
    across = np.array([along[1], -along[0]]) * hand.wide_mm / 2
    palm = tip - along * hand.wide_mm * 0.9
    circle = np.linspace(0, 2 * np.pi, 30)
    ring = palm + np.column_stack([np.cos(circle), np.sin(circle)]) * hand.wide_mm / 2
    parts = [
        ring,
        np.array([far - across * 0.7, palm - across * 0.7, palm + across * 0.7, far + across * 0.7]),
    ]
    for aside in (-0.6, 0.0, 0.6):
        root, end = palm + across * aside, tip + across * aside * 0.5
        parts.append(
            np.array([root - across * 0.2, end - across * 0.15, end + across * 0.15, root + across * 0.2])
        )
    return parts

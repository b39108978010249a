# SPDX-License-Identifier: Apache-2.0
"""Pictures of a scene with hands, drawn again only where something has changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import cv2
import numpy as np

from tests.sensing.filmed.boards import linear
from tests.sensing.filmed.camera import Array, Image, Pose, Sensor
from tests.sensing.filmed.hands import Hand, Leaning, hit
from tests.sensing.filmed.scene import Rect, Scene, on_table, shrunk, united
from tests.sensing.filmed.solids import Body

_AROUND = 400
_HAIR = (58, 44, 36)
_MARGIN = 10
"""Px of the image around a change, for the filters of the phone."""


class Pictures:
    """Pictures of *scene* as *sensor* develops them."""

    def __init__(self, scene: Scene, sensor: Sensor) -> None:
        self.scene, self.sensor = scene, sensor
        self._still: Image | None = None
        self._rays: Array | None = None
        self._dice = np.random.default_rng(scene.seed + 1)
        self._cloth = self._dice.normal(1, 0.08, (512, 512)).astype(np.float32)

    def look_from(self, pose: Pose) -> None:
        """Move the camera."""
        self.scene.look_from(pose)
        self._still = self._rays = None

    def still(self) -> Image:
        """The picture without hands."""
        stale = self.scene.stale
        ambient, direct, _ = self.scene.light()
        if self._still is None:
            self._still = self.sensor.developed(shrunk(ambient + direct, self.scene.pose.size_px))
        elif stale is not None:
            wide = self._wider(stale)
            left, top, right, low = wide
            self._set(self._still, wide, ambient[top:low, left:right] + direct[top:low, left:right])
        return self._still

    def taken(self, hands: Sequence[Hand | Leaning], held: Sequence[Body] = ()) -> Image:
        """The picture with *hands*, and with the pieces that they hold."""
        still = self.still()
        if not hands:
            return still
        scene = self.scene
        ambient, direct, cast = scene.light()
        rect = self._reach(hands, held)
        if rect is None:
            return still
        wide = self._wider(rect)
        left, top, right, low = wide
        part = (slice(top, low), slice(left, right))
        shade = self._shade(hands, held, cast[part])
        light = ambient[part] * (1 - 0.35 * self._gloom(hands, cast[part])) + direct[part] * shade
        height = np.zeros(light.shape[:2], np.float32)
        for body in held:
            drawn = scene.draw(body)
            if drawn is None:
                continue
            (x, y), (rows, columns) = drawn.view.corner, drawn.view.z.shape
            x_0, y_0, x_1, y_1 = max(x, left), max(y, top), min(x + columns, right), min(y + rows, low)
            if x_0 >= x_1 or y_0 >= y_1:
                continue
            own = (slice(y_0 - y, y_1 - y), slice(x_0 - x, x_1 - x))
            there = (slice(y_0 - top, y_1 - top), slice(x_0 - left, x_1 - left))
            nearer = drawn.view.z[own] > np.maximum(height[there], 0.01)
            light[there][nearer] = (drawn.ambient[own] + 0.75 * drawn.direct[own])[nearer]
            height[there][nearer] = drawn.view.z[own][nearer]
        for hand in hands:
            self._draw(light, height, wide, hand)
        picture = still.copy()
        self._set(picture, wide, light)
        return picture

    def _set(self, picture: Image, rect: Rect, light: Array) -> None:
        """Replace the part *rect* of *picture*, but for the margin inside it."""
        left, top, right, low = self.scene.in_image(rect)
        new = self.sensor.developed(shrunk(light, (right - left, low - top)), (left, top))
        width, height = self.scene.pose.size_px
        x = _MARGIN // 2 if left > 0 else 0
        y = _MARGIN // 2 if top > 0 else 0
        end_x = right - left - (_MARGIN // 2 if right < width else 0)
        end_y = low - top - (_MARGIN // 2 if low < height else 0)
        picture[top + y : top + end_y, left + x : left + end_x] = new[y:end_y, x:end_x]

    def _wider(self, rect: Rect) -> Rect:
        corners = np.array([rect[:2], rect[2:]], float)
        return self.scene.aligned(corners, _MARGIN * self.scene.fine)

    def _reach(self, hands: Sequence[Hand | Leaning], held: Sequence[Body]) -> Rect | None:
        """The part of the fine picture with *hands*, *held* pieces and their shadows."""
        found: Rect | None = None
        scene = self.scene
        lamp = np.array(scene.lamp.at_mm)
        for hand in hands:
            balls, _ = hand.balls
            px = self._px(balls[:, :3])
            radii = (
                1.4 * scene.pose.focal_px * scene.fine * balls[:, 3] / (scene.pose.at_mm()[2] - balls[:, 2])
            )
            corners = np.vstack([px - radii[:, None], px + radii[:, None]])
            found = united(found, scene.aligned(corners, 2))
            flat = on_table(lamp, balls[:, :3])
            grown = balls[:, 3] * lamp[2] / (lamp[2] - balls[:, 2]) + 30
            ends = np.vstack([flat - grown[:, None], flat + grown[:, None]])
            ends = np.clip(ends, -_AROUND, np.array(scene.size_mm) + _AROUND)
            found = united(found, scene.aligned(self._px(np.column_stack([ends, np.zeros(len(ends))])), 2))
        for body in held:
            drawn = scene.draw(body)
            found = found if drawn is None else united(found, scene.reach(drawn))
        return None if found is None or found[0] == found[2] or found[1] == found[3] else found

    def _px(self, places: Any) -> Array:
        px = np.column_stack([places, np.ones(len(places))]) @ self.scene.matrix.T
        return np.asarray(px[:, :2] / px[:, 2:])

    def _shadow_map(self, hands: Sequence[Hand | Leaning], held: Sequence[Body]) -> Array:
        """(height, width) of the table, a texel for 2 mm: 1 in the shadow."""
        scene = self.scene
        wide, high = (round(edge / 2) + _AROUND for edge in scene.size_mm)
        drawn = np.zeros((high, wide), np.float32)
        lamp = np.array(scene.lamp.at_mm)
        heights = [30.0]
        for hand in hands:
            balls, _ = hand.balls
            low = balls[balls[:, 2] + balls[:, 3] < lamp[2] - 50]
            flat = (on_table(lamp, low[:, :3]) + _AROUND) / 2
            grown = low[:, 3] * lamp[2] / (lamp[2] - low[:, 2]) / 2
            for (x, y), radius in zip(flat, grown, strict=True):
                cv2.circle(drawn, (int(x * 16), int(y * 16)), int(radius * 16), 1.0, -1, cv2.LINE_8, 4)
            heights.append(float(balls[:, 2].min()))
        for body in held:
            slices = body.slices()
            outline = slices.outline()
            z = np.broadcast_to(slices.z[:, None, None], (*outline.shape[:2], 1))
            for polygon in (on_table(lamp, np.concatenate([outline, z], axis=-1)) + _AROUND) / 2:
                cv2.fillConvexPoly(drawn, np.rint(polygon * 16).astype(np.int32), 1.0, cv2.LINE_8, 4)
        soft = max(scene.lamp.wide_mm * max(heights) / lamp[2] / 2, 0.8)
        return np.asarray(cv2.GaussianBlur(drawn, (0, 0), soft), np.float32)

    def _shade(self, hands: Sequence[Hand | Leaning], held: Sequence[Body], cast: Array) -> Array:
        """(height, width, 1): the share of the lamp beside *hands*."""
        at = (cast + np.float32(_AROUND)) / 2
        found = cv2.remap(
            self._shadow_map(hands, held), at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderValue=0
        )
        return np.asarray(1 - found, np.float32)[..., None]

    def _gloom(self, hands: Sequence[Hand | Leaning], cast: Array) -> Array:
        """(height, width, 1): how much of the ambient light *hands* take, from 0 to 1."""
        wide, high = (round(edge / 10) + _AROUND // 5 for edge in self.scene.size_mm)
        dark = np.zeros((high, wide), np.float32)
        for hand in hands:
            for x, y, z, radius in hand.balls[0]:
                at = (round((x + _AROUND) / 10), round((y + _AROUND) / 10))
                cv2.circle(dark, at, max(round(radius / 10), 1), float(60 / (60 + max(z, 0))), -1)
        soft = cv2.GaussianBlur(dark, (0, 0), 3.0)
        at_px = (cast + np.float32(_AROUND)) / 10
        found = cv2.remap(soft, at_px[..., 0], at_px[..., 1], cv2.INTER_LINEAR, borderValue=0)
        return np.asarray(found, np.float32)[..., None]

    def _draw(self, light: Array, height: Array, rect: Rect, hand: Hand | Leaning) -> None:
        """Draw *hand* over *light*."""
        scene = self.scene
        left, top, right, low = rect
        if self._rays is None:
            self._rays = rays_of(scene)
        corner = np.array([left, top])
        place, normal, number = hit(
            hand.balls[0],
            scene.pose.at_mm(),
            self._rays[top:low, left:right],
            lambda places: self._px(places) - corner,
        )
        nearer = (number >= 0) & (place[..., 2] > height)
        rows, columns = np.nonzero(nearer)
        if not len(rows):
            return
        y_0, y_1, x_0, x_1 = rows.min(), rows.max() + 1, columns.min(), columns.max() + 1
        part = (slice(y_0, y_1), slice(x_0, x_1))
        smooth: Any = cv2.GaussianBlur(np.where(nearer[part][..., None], normal[part], 0), (0, 0), 1.6)
        smooth = smooth[nearer[part]]
        smooth = smooth / np.maximum(np.sqrt((smooth**2).sum(axis=-1, keepdims=True)), 1e-3)
        kinds, where = hand.balls[1][number[nearer]], place[nearer]
        colours = np.stack([linear(hand.person.skin), linear(hand.person.sleeve), linear(_HAIR)])
        at = (where[:, :2] * 2).astype(np.int32) % 512
        wave = self._cloth[at[:, 0], at[:, 1]]
        albedo = colours[kinds] * np.where(kinds == 1, wave, 1 + (wave - 1) * 0.3)[:, None]
        gloss = np.where(kinds == 0, 0.05, 0.0).astype(np.float32)
        ambient, direct = scene.shaded(where, smooth, albedo.astype(np.float32), gloss, 12.0)
        light[nearer] = ambient + direct
        height[nearer] = where[:, 2]


def rays_of(scene: Scene) -> Array:
    """(height, width, 3): the directions of the fine px from the camera."""
    eye = scene.pose.at_mm().astype(np.float32)
    rays = scene.places - eye
    return np.asarray(rays / np.sqrt((rays**2).sum(axis=-1, keepdims=True)), np.float32)

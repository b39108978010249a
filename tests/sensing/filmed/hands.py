# SPDX-License-Identifier: Apache-2.0
"""Arms with sleeves and skin, as chains of balls, and what they hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.sensing.filmed.boards import Colour

Floats = NDArray[np.float64]
SKINS: Final[tuple[Colour, ...]] = ((226, 178, 150), (198, 146, 112), (150, 100, 72), (98, 64, 46))
SLEEVES: Final[tuple[Colour, ...]] = (
    (52, 62, 92),
    (222, 220, 214),
    (120, 76, 48),
    (36, 36, 38),
    (214, 178, 130),
    (140, 40, 44),
    (98, 112, 96),
)


@dataclass(frozen=True)
class Person:
    """One who plays."""

    shoulder_mm: tuple[float, float]
    skin: Colour = SKINS[0]
    sleeve: Colour = SLEEVES[0]
    bare_mm: float = 60.0
    """The part of the forearm without a sleeve."""
    is_left: bool = False


@dataclass(frozen=True)
class Hand:
    """A hand with its forearm."""

    person: Person
    tip_mm: tuple[float, float, float]
    """The place between the finger tips."""
    open_mm: float = 6.0
    """Half the gap between thumb and index finger."""

    @cached_property
    def balls(self) -> tuple[Floats, NDArray[np.int64]]:
        """(N, 4): centres and radii in mm; (N,): 0 for skin, 1 for cloth."""
        tip = np.array(self.tip_mm)
        back = np.array(self.person.shoulder_mm) - tip[:2]
        length = float(np.hypot(*back))
        back = back / max(length, 1.0)
        side = np.array([-back[1], back[0]]) * (-1 if self.person.is_left else 1)
        gap = self.open_mm

        def at(behind: float, aside: float, up: float, radius: float) -> Floats:
            return np.array([*(tip[:2] + behind * back + aside * side), tip[2] + up, radius])

        chains = [
            [at(2, gap + 5, 0, 7), at(14, gap + 18, 12, 8.5), at(42, gap + 24, 26, 10), at(75, 14, 34, 15)],
            [
                at(0, -gap - 5, 0, 6.5),
                at(10, -gap - 12, 22, 7.5),
                at(40, -gap - 10, 40, 8.5),
                at(70, -8, 42, 13),
            ],
            [
                at(8, -gap - 16, 2, 6.5),
                at(20, -gap - 26, 24, 7.5),
                at(50, -gap - 22, 40, 9),
                at(78, -18, 42, 13),
            ],
            [
                at(22, -gap - 26, 6, 6.5),
                at(30, -gap - 38, 24, 7.5),
                at(58, -gap - 34, 37, 9),
                at(84, -28, 40, 13),
            ],
            [
                at(36, -gap - 36, 10, 6),
                at(42, -gap - 46, 22, 7),
                at(64, -gap - 42, 32, 8),
                at(90, -34, 36, 12),
            ],
            [at(75, -6, 40, 14), at(112, -6, 44, 19), at(140, -6, 48, 21)],
            [at(80, -24, 40, 13), at(112, -14, 44, 18)],
        ]
        balls = [_chain(chain) for chain in chains]
        cuff = 140 + self.person.bare_mm
        forearm = _chain([at(140, -6, 48, 21), at(cuff, -6, 54, 27)])
        end = max(length + 200, cuff + 150)
        sleeve = _chain([at(cuff, -6, 54, 33), at(cuff + 120, -6, 62, 40), at(end, -6, 95, 52)])
        skin = np.vstack([*balls, forearm])
        kinds = np.concatenate([np.zeros(len(skin), np.int64), np.ones(len(sleeve), np.int64)])
        return np.vstack([skin, sleeve]), kinds


@dataclass(frozen=True)
class Leaning:
    """A head and shoulders that lean over the board."""

    person: Person
    tip_mm: tuple[float, float, float]

    @cached_property
    def balls(self) -> tuple[Floats, NDArray[np.int64]]:
        """As those of `Hand`."""
        x, y, z = self.tip_mm
        back = 1.0 if self.person.shoulder_mm[1] > y else -1.0
        head = _chain([np.array([x, y, z, 88.0]), np.array([x, y + 30 * back, z + 8, 92.0])])
        neck = _chain([np.array([x, y + 60 * back, z, 62]), np.array([x, y + 160 * back, z - 20, 60])])
        near, low = y + 190 * back, z - 45
        body = _chain([np.array([x - 190, near + 30 * back, low, 85]), np.array([x, near, low, 95])])
        other = _chain([np.array([x, near, low, 95]), np.array([x + 190, near + 30 * back, low, 85])])
        trunk = _chain([np.array([x, near, low, 95]), np.array([x, near + 600 * back, low, 210])])
        rest = np.vstack([body, other, trunk])
        kinds = np.concatenate(
            [np.full(len(head), 2), np.zeros(len(neck), np.int64), np.ones(len(rest), np.int64)]
        )
        return np.vstack([head, neck, rest]), kinds


def _chain(balls: list[Floats]) -> Floats:
    """Balls between *balls*, so near that they look like one body."""
    found = []
    for one, other in pairwise(balls):
        gap = float(np.linalg.norm(other[:3] - one[:3]))
        count = max(int(gap / (0.35 * min(one[3], other[3]))), 1)
        part = np.arange(count + 1)[:, None] / count
        found.append(one + (other - one) * part)
    return np.vstack(found)


def hit(balls: Floats, eye: Floats, rays: Any, project: Any) -> tuple[Any, Any, Any]:
    """What the *rays* (rows, columns, 3) from *eye* meet first: place, normal and number.

    The number is -1 where they meet nothing. *project* gives the px of places (N, 3).
    """
    rows, columns = rays.shape[:2]
    away = np.full((rows, columns), np.inf, np.float32)
    number = np.full((rows, columns), -1, np.int16)
    middle = project(balls[:, :3])
    aside = np.cross(balls[:, :3] - eye, [0.0, 1.0, 0.0])
    aside /= np.linalg.norm(aside, axis=1, keepdims=True)
    radii = np.hypot(*(project(balls[:, :3] + aside * balls[:, 3:]) - middle).T) * 1.25 + 2
    start = np.maximum(np.floor(middle - radii[:, None]).astype(int), 0)
    end = np.minimum(np.ceil(middle + radii[:, None]).astype(int) + 1, (columns, rows))
    for each, ball in enumerate(balls.astype(np.float32)):
        (left, top), (right, low) = start[each], end[each]
        if left >= right or top >= low:
            continue
        ray = rays[top:low, left:right]
        between = eye.astype(np.float32) - ball[:3]
        b = ray @ between
        inside = b * b - np.float32(between @ between - ball[3] ** 2)
        t = np.where(inside > 0, -b - np.sqrt(np.maximum(inside, 0)), np.inf)
        part = away[top:low, left:right]
        nearer = t < part
        part[nearer] = t[nearer]
        number[top:low, left:right][nearer] = each
    is_there = number >= 0
    place = eye.astype(np.float32) + np.where(is_there, away, 0)[..., None] * rays
    ball = balls.astype(np.float32)[np.maximum(number, 0)]
    normal = (place - ball[..., :3]) / ball[..., 3:]
    return place, normal, number

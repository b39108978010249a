# SPDX-License-Identifier: Apache-2.0
"""Labelled photographs of random games with plain pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from companion.games import find
from companion.sensing.untagged_table import UntaggedTable, bare
from companion.sensing.vision.geometry import View, view_of
from tests.sensing.filmed.boards import STYLES
from tests.sensing.filmed.camera import Image, Pose, Sensor
from tests.sensing.filmed.picture import Pictures
from tests.sensing.filmed.scene import Lamp, Scene
from tests.sensing.filmed.solids import Body

CELL_MM: Final = 50.0
TALLEST_MM: Final = 90.0
_ASIDE: Final = 0.12
"""The most that a piece stands off the centre of its cell, in cells."""


@dataclass(frozen=True)
class Circumstances:
    """A set, a camera and a light."""

    style: str
    pose: Pose
    lamp: Lamp
    sensor: Sensor
    seed: int
    has_tags: bool

    def corners_px(self) -> NDArray[np.float64]:
        """(4, 2): the corners of the cells: near left, near right, far right, far left."""
        return self.pose.px(CORNERS_MM)

    def view(self) -> View:
        """The view of the board, from its corners."""
        return view_of(CORNERS_MM, self.corners_px(), self.pose.size_px)

    def table(self) -> UntaggedTable:
        """What the sensor knows: corner tags, or the view."""
        view = None if self.has_tags else self.view()
        return bare(find("chess"), edge_mm=CELL_MM, most_height_mm=TALLEST_MM, view=view)


CORNERS_MM: Final = np.array([(0, 0), (400, 0), (400, 400), (0, 400)], float)


def lamp_of(chance: Random) -> Lamp:
    """A lamp over the table, or a bright room."""
    turn, away = chance.uniform(0, 2 * np.pi), chance.uniform(250, 1000)
    high = chance.uniform(600, 1400)
    at = (200 + away * float(np.cos(turn)), 200 + away * float(np.sin(turn)), high)
    wide = chance.choice([8.0, 40.0, 90.0, 200.0])
    direct = chance.uniform(0.25, 0.75)
    return Lamp(at, wide, direct, chance.uniform(0.9, 1.15) - direct, chance.uniform(0, 0.16))


def circumstances(
    seed: int,
    style: str | None = None,
    tilt_deg: float | None = None,
    azimuth_deg: float | None = None,
    *,
    has_tags: bool = False,
) -> Circumstances:
    """Random ones, apart from what is given."""
    chance = Random(seed)
    tilt = chance.uniform(15, 30)
    side = chance.choice([0.0, 0.0, 90.0, -90.0]) + chance.gauss(0, 8)
    pose = Pose(
        (200 + chance.gauss(0, 8), 200 + chance.gauss(0, 8)),
        tilt if tilt_deg is None else tilt_deg,
        side if azimuth_deg is None else azimuth_deg,
        chance.uniform(740, 850),
        chance.gauss(0, 2.0),
    )
    pose = fitted(pose)
    name = style or chance.choice(
        ["wooden", "wooden", "wooden", "pale wooden", "red wooden", "plastic", "paper"]
    )
    sensor = Sensor(seed, chance.uniform(1.2, 3.5), chance.randint(75, 92), chance.uniform(0.85, 1.2))
    return Circumstances(name, pose, lamp_of(chance), sensor, seed, has_tags)


def fitted(pose: Pose) -> Pose:
    """*pose*, so far away that it sees the whole board with its tags and pieces."""
    edges = np.array([(-44, -44), (444, -44), (444, 444), (-44, 444)], float)
    places = np.vstack([np.column_stack([flat, np.full(4, z)]) for flat, z in ((edges, 0), (CORNERS_MM, 90))])
    for _ in range(40):
        px = pose.px(places)
        if px.min() > 18 and np.all(px.max(axis=0) < np.array(pose.size_px) - 18):
            break
        pose = replace(pose, away_mm=pose.away_mm * 1.02)
    return pose


def put_down(chance: Random, at_mm: tuple[float, float], kind: str, side: int) -> Body:
    """A piece as a hand puts it down on the cell with its centre *at_mm*."""
    away, turn = _ASIDE * CELL_MM * float(np.sqrt(chance.random())), chance.uniform(0, 2 * np.pi)
    place = (at_mm[0] + away * float(np.cos(turn)), at_mm[1] + away * float(np.sin(turn)))
    ahead = 90.0 if side == 0 else -90.0
    facing = ahead + chance.gauss(0, 25) if kind == "knight" else chance.uniform(0, 360)
    return Body(kind, side, place, facing, CELL_MM)


def letters(pieces: Mapping[int, Any]) -> str:
    """The 64 letters of a board, from a1: `L` is light, `D` dark."""
    return "".join("." if cell not in pieces else "LD"[pieces[cell].side] for cell in range(64))


def series(given: Circumstances, plies: int) -> list[tuple[Image, str]]:
    """Photographs of a random game, of its start and after each ply."""
    chance = Random(given.seed + 7)
    table = given.table()
    rules = find("chess").rules()
    scene = Scene(table, STYLES[given.style], given.lamp, given.pose, given.seed, tags=given.has_tags)
    pictures = Pictures(scene, given.sensor)
    position = rules.initial()
    standing: dict[int, Any] = {}
    found = []
    for ply in range(plies + 1):
        there = rules.placement(position).by_cell()
        for cell in {*standing, *there}:
            piece = there.get(cell)
            if standing.get(cell) != piece:
                body = None
                if piece is not None:
                    body = put_down(chance, table.grid.centre_mm(cell), piece.kind, piece.side or 0)
                scene.put(cell, body)
        standing = dict(there)
        found.append((given.sensor.exposed(pictures.still(), 4000 * ply), letters(there)))
        if rules.status(position):
            break
        position = rules.apply(position, chance.choice(list(rules.legal_moves(position))))
    return found


def photographs(
    seed: int, plies: int, style: str | None = None, tilt_deg: float | None = None
) -> list[tuple[Image, str]]:
    """Photographs of a random game, each with the board as 64 letters from a1.

    `circumstances(seed, style, tilt_deg)` has the board's place in them.
    """
    return series(circumstances(seed, style, tilt_deg), plies)

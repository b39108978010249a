# SPDX-License-Identifier: Apache-2.0
"""Virtual tables for the tests and benchmarks of the camera."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import numpy as np

from companion.model.game import Game
from companion.model.grid import Cell, Grid, cell_mm
from companion.model.observation import Observation
from companion.model.pieces import Piece
from companion.model.tags import CORNERS, Mark, assign, family, module_mm
from companion.sensing.camera import CameraSensor
from companion.sensing.tagged_table import TaggedTable, marks_by_tag
from companion.sensing.vision.codes import Codes, codes_of
from companion.sensing.vision.geometry import Lens, View, view_of
from tests.virtual.optics import Optics
from tests.virtual.render import Arm, Thing
from tests.virtual.scene import PLAIN, Exposure, Scene

CORNER = 1.2
"""Edge of a corner tag, in cells.

Its centre is one cell from the board's corner in both directions.
"""

_TAG = 0.66 * 0.8
"""Edge of a piece's tag in cells, without its rim."""
_OFF_MM = 1.0
_OFF_DEG = 3.0
"""Standard deviations of the place and angle at which a hand puts pieces down."""


def edge_mm(grid: Grid) -> float:
    """The edge of a cell.

    For cells that are not square, of the largest square in them.
    """
    return cell_mm(grid) if grid.files else module_mm(grid) * family().width / _TAG


def corner_middles(grid: Grid) -> dict[int, tuple[float, float]]:
    """The centres of the corner tags of these tables."""
    points = np.array([point for outline in grid.outlines for point in outline])
    (left, near), (right, far) = points.min(axis=0) - edge_mm(grid), points.max(axis=0) + edge_mm(grid)
    return dict(zip(CORNERS, [(left, near), (right, near), (right, far), (left, far)], strict=True))


def corner_things(grid: Grid) -> list[Thing]:
    """The corner tags, printed beside the board."""
    return [
        Thing(family().rows(tag), middle, 0.0, CORNER * edge_mm(grid), height_mm=0.0)
        for tag, middle in corner_middles(grid).items()
    ]


def true_view(grid: Grid, optics: Optics, lens: Lens | None = None) -> View:
    """The view computed from the true corners."""
    points = np.array(list(corner_middles(grid).values()))
    return view_of(points, optics.project(np.column_stack([points, np.zeros(4)])), optics.size_px, lens)


def all_codes(wanted: range) -> Codes:
    """The printed tag family with *wanted* in play."""
    return codes_of(family().bits, family().size, wanted)


class CameraTable:
    """A game's printed board and pieces under a virtual camera, with its sensor."""

    def __init__(
        self,
        game: Game,
        options: Mapping[str, str] | None,
        optics: Optics,
        seed: int,
        heights_mm: Mapping[int, float] | None = None,
        *,
        has_panel: bool = False,
    ) -> None:
        """*heights_mm*: other heights of tags, by id; *has_panel*: switches report moves."""
        self.rules = game.rules(options)
        self.grid = self.rules.grid
        self.marks = assign(game, options)
        self.edge_mm = edge_mm(self.grid)
        self.tag_mm = self.edge_mm * _TAG
        """Two thirds of a cell with the rim."""
        self.height_mm = self.edge_mm * 0.3
        self.outfit = TaggedTable(
            self.grid,
            family(),
            marks_by_tag(self.marks),
            corner_middles(self.grid),
            CORNER * self.edge_mm,
            self.tag_mm,
            self.height_mm,
            heights_mm or {},
        )
        self.scene = Scene(self.grid, optics, corner_things(self.grid), seed)
        self.sensor = CameraSensor(self.outfit, is_eager=has_panel)
        self.chance = Random(seed)
        self.now_ms = 0
        self.standing: dict[Cell, Mark] = {}

    def set_up(self, position: Any) -> None:
        """Put the pieces of *position* on an empty board."""
        for piece, cells in self.rules.placement(position).entries:
            for cell, mark in zip(cells, self.fetch(piece), strict=True):
                self.put(cell, piece, mark)

    def put(self, cell: Cell, piece: Piece, mark: Mark) -> None:
        """Let *mark*'s face of *piece* lie on *cell*."""
        self.scene.put(_number(mark), self.thing(cell, piece, mark))
        self.standing[cell] = mark

    def thing(self, cell: Cell, piece: Piece, mark: Mark) -> Thing:
        """The block on *cell*, put down with human accuracy."""
        x, y = self.grid.centre_mm(cell)
        gauss = self.chance.gauss
        at_mm = (x + gauss(0, _OFF_MM), y + gauss(0, _OFF_MM))
        facing_deg = 360 / len(self.grid.steps) * (piece.facing or 0)
        turn_deg = facing_deg + gauss(0, _OFF_DEG)
        return Thing(family().rows(mark.tag), at_mm, turn_deg, self.tag_mm, self.outfit.height_of(mark.tag))

    def take(self, cell: Cell) -> Mark:
        """Lift the piece from *cell*."""
        mark = self.standing.pop(cell)
        self.scene.put(_number(mark), None)
        return mark

    def face(self, mark: Mark, piece: Piece) -> Mark:
        """The mark of the face that shows *piece* on the same part of the figure."""
        return next(
            each
            for each in self.marks
            if (each.figure, each.part) == (mark.figure, mark.part) and same_face(each.piece, piece)
        )

    def fetch(self, piece: Piece) -> list[Mark]:
        """Take a figure that shows *piece* from the box.

        Returns its marks, one for each of its cells; [] if none is left.
        """
        used = {mark.figure for mark in self.standing.values()}
        fitting = [mark for mark in self.marks if mark.figure not in used and same_face(mark.piece, piece)]
        return [mark for mark in fitting if mark.figure == fitting[0].figure]

    def nudge(self, optics: Optics) -> None:
        """Displace the camera: from now on it sees the same table as *optics*."""
        self.scene = self.scene.seen_by(optics)

    def see(
        self, exposure: Exposure = PLAIN, arms: Sequence[Arm] = (), held: Sequence[Thing] = ()
    ) -> Observation | None:
        """The sensor's observation of the next image, a thirtieth of a second later."""
        self.now_ms += 33
        return self.sensor.observe(self.scene.photograph(exposure, arms, held), self.now_ms)

    def arm(self, cell: Cell) -> Arm:
        """A hand over *cell*, from the first player's side."""
        x, y = self.grid.centre_mm(cell)
        return Arm((x, y), (x + 60, -200.0), height_mm=45.0, palm_mm=self.edge_mm * 1.6)


def same_face(one: Piece, other: Piece) -> bool:
    """True if both show the same face, in any facing."""
    return (one.shows or one.kind, one.side, one.pose) == (other.shows or other.kind, other.side, other.pose)


def _number(mark: Mark) -> int:
    """The scene's number of the block under *mark*, for either face."""
    return 16 * mark.figure + mark.part

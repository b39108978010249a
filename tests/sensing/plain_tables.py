# SPDX-License-Identifier: Apache-2.0
"""Virtual tables with plain pieces, for tests and benchmarks of sensing without tags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from companion.model.game import Game
from companion.model.grid import Cell, cell_mm
from companion.model.moves import Step
from companion.model.observation import Observation
from companion.model.pieces import Piece
from companion.model.tags import family
from companion.sensing.untagged_sensor import UntaggedSensor
from companion.sensing.untagged_table import UntaggedTable, bare
from tests.virtual.optics import Optics
from tests.virtual.render import WOOD, Arm, Colour, Figure, Thing
from tests.virtual.scene import PLAIN, Exposure, Scene, Setting

SIDES: Final[Mapping[int | None, Colour]] = {
    0: (205, 222, 230),
    1: (42, 40, 46),
    2: (60, 60, 190),
    3: (170, 110, 50),
    None: (60, 90, 200),
}
"""Ivory and ebony; further sides are red and blue; pieces without a side are orange."""
TALL: Final = 0.9
"""Height of the tallest piece, in cells."""
SIZES: Final[Mapping[str, tuple[float, float]]] = {
    "king": (0.3, 0.9),
    "queen": (0.3, 0.8),
    "bishop": (0.26, 0.65),
    "knight": (0.27, 0.6),
    "rook": (0.28, 0.5),
    "pawn": (0.22, 0.4),
    "drone": (0.26, 0.55),
}
"""Radius and height of the pieces, in cells."""
_USUAL: Final = (0.28, 0.55)
_OFF: Final = 0.03
"""Standard deviation of the place where a hand puts pieces down, in cells."""
ROOM: Final = Setting(WOOD, is_colour=True)


class PlainTable:
    """A game's wooden board and pieces under a virtual camera, with its sensor."""

    def __init__(
        self,
        game: Game,
        options: Mapping[str, str] | None,
        optics: Optics,
        seed: int,
        setting: Setting = ROOM,
        *,
        has_reference: bool = True,
        corner_turns_deg: Mapping[int, float] | None = None,
    ) -> None:
        """*has_reference*: the sensor sees the empty board first, otherwise the pieces.

        *corner_turns_deg*: rotations of the tags beside the board that are not upright.
        """
        self.rules = game.rules(options)
        self.grid = self.rules.grid
        self.edge_mm = cell_mm(self.grid)
        turns = corner_turns_deg or {}
        usual = bare(game, options, most_height_mm=TALL * self.edge_mm)
        self.table: UntaggedTable = replace(usual, corner_turns_deg=turns)
        flat = [
            Thing(family().rows(tag), at, turns.get(tag, 0.0), self.table.corner_mm, 0.0)
            for tag, at in self.table.corners.items()
        ]
        self.scene = Scene(self.grid, optics, flat, seed, setting)
        self.sensor = UntaggedSensor(self.table, self.scene.photograph() if has_reference else None)
        self.chance = Random(seed)
        self.now_ms = 0
        self.standing: dict[Cell, tuple[int, Piece]] = {}
        """The number in the scene and the piece on each cell."""
        self._count = 0

    def set_up(self, position: Any) -> None:
        """Put the pieces of *position* on an empty board."""
        for piece, cells in self.rules.placement(position).entries:
            self.put(cells, piece)

    def put(self, cells: Sequence[Cell], piece: Piece) -> None:
        """Put *piece* on *cells*."""
        self._count += 1
        self.scene.put(self._count, self.figure(cells, piece))
        for cell in cells:
            self.standing[cell] = (self._count, piece)

    def take(self, cells: Sequence[Cell]) -> None:
        """Lift the piece from *cells*."""
        for cell in cells:
            number, _ = self.standing.pop(cell)
            self.scene.put(number, None)

    def figure(self, cells: Sequence[Cell], piece: Piece) -> Figure:
        """The body of *piece* on *cells*, put down with human accuracy."""
        middles = [self.grid.centre_mm(cell) for cell in cells]
        xs, ys = [x for x, _ in middles], [y for _, y in middles]
        gauss, edge = self.chance.gauss, self.edge_mm
        at_mm = (sum(xs) / len(xs) + gauss(0, _OFF * edge), sum(ys) / len(ys) + gauss(0, _OFF * edge))
        radius, height = SIZES.get(piece.shows or piece.kind, _USUAL)
        wide = None
        if len(cells) > 1:
            wide = (max(xs) - min(xs) + 0.7 * edge, max(ys) - min(ys) + 0.7 * edge)
        return Figure(at_mm, SIDES[piece.side], radius * edge, height * edge, wide_mm=wide)

    def see(
        self, exposure: Exposure = PLAIN, arms: Sequence[Arm] = (), held: Sequence[Figure] = ()
    ) -> Observation | None:
        """The sensor's observation of the next image, a thirtieth of a second later."""
        self.now_ms += 33
        return self.sensor.observe(self.scene.photograph(exposure, arms, held), self.now_ms)

    def arm(self, cell: Cell) -> Arm:
        """A hand over *cell*, from the first player's side."""
        x, y = self.grid.centre_mm(cell)
        return Arm((x, y), (x + 60, -200.0), height_mm=60.0, palm_mm=38.0)

    def carry(
        self, steps: Sequence[Step], exposure: Exposure = PLAIN, others: Sequence[Arm] = ()
    ) -> list[Observation]:
        """Hands do *steps*, always visible; returns the observations meanwhile.

        Pieces that leave are taken off first.
        """
        told: list[Observation | None] = []
        for step in sorted(steps, key=lambda step: bool(step.target)):
            told += [self.see(exposure, [self.arm(step.source[0]), *others]) for _ in range(2)]
            self.take(step.source)
            told.append(self.see(exposure, [self.arm(step.source[-1]), *others]))
        for step in steps:
            if step.target:
                told.append(self.see(exposure, [self.arm(step.target[0]), *others]))
                self.put(step.target, step.becomes)
                told += [self.see(exposure, [self.arm(step.target[-1]), *others]) for _ in range(2)]
        return [observation for observation in told if observation is not None]

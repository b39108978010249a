# SPDX-License-Identifier: Apache-2.0
"""Rendered games in front of the camera with many disturbances, compared with the truth.

Hands, lamps and elbows disturb the camera. Only changes are drawn again, so a move costs about
half a second at 1920 by 1080 px. A reported position is wrong if it is neither the one before the
move nor the one after it: intermediate states count as wrong, too. A move is missed if it is not
reported within eight images after the board is open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, Final

from companion.games import find
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import SensorKind, Sighting
from companion.model.pieces import Piece
from companion.model.tags import Mark
from companion.referee.values.board.looks import look
from tests.sensing.vision.tables import CameraTable, same_face
from tests.virtual.optics import Optics
from tests.virtual.render import Arm
from tests.virtual.scene import PLAIN, Exposure

PATIENCE: Final = 8
"""Images after the board is open again within which a move must be reported."""
_SETTLING: Final = 20
"""Images of a new board before its first move."""
_LONGEST: Final = 60
"""Moves after which a game is ended."""
_KICKS: Final = 0.03
"""Share of the moves after which the camera's leg is kicked."""
_RESTS: Final = 0.2
"""Share of the moves during which another hand rests on the board."""
_HELPS: Final = 0.1
"""Share of the steps with a second hand over the board."""
_FINDING: Final = 40
"""Images within which a kicked camera must find the board again."""


@dataclass(frozen=True)
class Stage:
    """One game and the camera over it."""

    game: str
    options: dict[str, str]
    optics: Optics
    share: int
    """How many of ten games are of this stage."""


def _optics_above(
    edge_mm: float, ranks_mm: float, away_mm: float, height_mm: float, focal_px: float
) -> Optics:
    """A camera above the first player's edge of a board *edge_mm* wide."""
    return Optics(
        camera_mm=(edge_mm / 2, -away_mm, height_mm),
        aim_mm=(edge_mm / 2, ranks_mm * 0.46),
        focal_px=focal_px,
    )


STAGES: Final = (
    Stage("tank-chess", {"map": "companion-20"}, _optics_above(1000, 1000, 120, 1150, 1050.0), 4),
    Stage("gottaz", {}, _optics_above(250, 250, 60, 420, 1000.0), 1),
    Stage("chess", {}, _optics_above(400, 400, 80, 650, 1150.0), 2),
    Stage("fightopia", {}, _optics_above(400, 400, 80, 650, 1150.0), 1),
    Stage("martian-chess", {}, _optics_above(200, 400, 90, 620, 1100.0), 1),
    Stage("close-quarters", {}, _optics_above(200, 400, 90, 620, 1100.0), 1),
)
"""All games; the one with the most cells and pieces is played most."""


@dataclass
class Tally:
    """The counts of a campaign."""

    quiet_ms: list[float] = field(default_factory=list)
    hand_ms: list[float] = field(default_factory=list)
    commit_ms: list[float] = field(default_factory=list)
    """For the largest board only, like the times above."""
    waited: list[int] = field(default_factory=list)
    moves: int = 0
    kicks: int = 0
    by_game: dict[str, int] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    """The images with a wrong position."""
    missed: list[str] = field(default_factory=list)
    facing_errors: int = 0


class Campaign:
    """Random games, one after the other."""

    def __init__(self, seed: int, say: Callable[[str], None], stages: Sequence[Stage] = STAGES) -> None:
        self.tally = Tally()
        self.seed = seed
        self.say = say
        self.deck = [stage for stage in stages for _ in range(stage.share)]
        self.begin()

    def begin(self) -> None:
        """Set up a new board and let the camera see it."""
        self.seed += 1
        self.chance = Random(self.seed)
        self.stage = self.deck[(self.seed * 7) % len(self.deck)]
        self.table = CameraTable(find(self.stage.game), self.stage.options, self.stage.optics, self.seed)
        self.position = self.table.rules.initial()
        self.table.set_up(self.position)
        self.reported: dict[Cell, Sighting] = {}
        self.allowed = [self.truth(self.position)]
        self.played = 0
        for _ in range(_SETTLING):
            self.see([])
        if self.reported != self.allowed[0]:
            self.fail(self.tally.wrong, "the initial position")

    def begin_largest(self) -> None:
        """Set up a new board of the largest game."""
        while self.stage.game != STAGES[0].game:
            self.begin()

    def truth(self, position: Any) -> dict[Cell, Sighting]:
        """The correct sightings of *position*."""
        pieces = self.table.rules.placement(position).by_cell()
        return {cell: look(piece, SensorKind.IDENTITY_FACING) for cell, piece in pieces.items()}

    def fail(self, failures: list[str], what: str) -> None:
        """Record a failure with everything needed to reproduce it."""
        where = (
            f"seed {self.seed} {self.stage.game} move {self.played} image {self.table.now_ms // 33}: {what}"
        )
        failures.append(where)
        self.say(where)

    def see(self, times: list[float], exposure: Exposure = PLAIN, arms: Sequence[Arm] = ()) -> None:
        """Take one image.

        On the largest board, its time is added to *times*, or to the commits.
        """
        table = self.table
        image = table.scene.photograph(exposure, arms)
        table.now_ms += 33
        began = time.thread_time()
        observation = table.sensor.observe(image, table.now_ms)
        took_ms = (time.thread_time() - began) * 1000
        if self.stage.game == STAGES[0].game:
            has_committed = observation is not None and bool(observation.inputs)
            (self.tally.commit_ms if has_committed else times).append(took_ms)
        if observation is None or dict(observation.sightings.seen) == self.reported:
            return
        self.reported = dict(observation.sightings.seen)
        if self.played and self.reported not in self.allowed:
            self.fail(self.tally.wrong, str(_differences(self.reported, self.allowed[-1], self.table)))

    def move(self) -> None:
        """Play one move, with all its disturbances."""
        rules, tally, chance = self.table.rules, self.tally, self.chance
        self.played += 1
        steps = self.choose_move()
        self.position, before = rules.apply(self.position, self.chosen), self.position
        after = self.truth(self.position)
        self.allowed = [self.truth(before), after]
        lamp = Exposure(chance.choice([0.75, 0.9, 1.0, 1.15]), chance.choice([0.0, 0.0, 0.2, -0.2]))
        resting = [self.resting()] if chance.random() < _RESTS else []
        self.carry(steps, lamp, resting)
        for _ in range(4 if resting else 0):
            self.see(tally.hand_ms, lamp, resting)
        self.await_report(after, lamp)
        tally.facing_errors += sum(
            cell in self.reported and self.reported[cell].facing != after[cell].facing for cell in after
        )
        for _ in range(18 if self.played % 4 == 0 else 5):
            self.see(tally.quiet_ms, lamp)
        tally.moves += 1
        tally.by_game[self.stage.game] = tally.by_game.get(self.stage.game, 0) + 1
        if chance.random() < _KICKS:
            self.kick()
        if rules.status(self.position) or self.played >= _LONGEST or self.reported != after:
            self.begin()

    def choose_move(self) -> Sequence[Step]:
        """Choose a move for which the box has the pieces, and return its steps.

        Half of the time, moves with several steps come first.
        """
        rules = self.table.rules
        moves = list(rules.legal_moves(self.position))
        self.chance.shuffle(moves)
        if self.chance.random() < 0.5:
            moves.sort(key=lambda move: -len(rules.steps(self.position, move)))
        for move in moves:
            steps = rules.steps(self.position, move)
            if all(step.piece.kind == step.becomes.kind or self.table.fetch(step.becomes) for step in steps):
                self.chosen = move
                return steps
        raise ValueError(f"{self.stage.game}: no move for which the box has the pieces")

    def await_report(self, after: dict[Cell, Sighting], lamp: Exposure) -> None:
        """With the board open, count the images until the move is reported."""
        for waited in range(PATIENCE + 1):
            if self.reported == after:
                self.tally.waited.append(waited)
                return
            self.see([], lamp)
        self.fail(self.tally.missed, str(_differences(self.reported, after, self.table)))

    def carry(self, steps: Sequence[Step], lamp: Exposure, resting: list[Arm]) -> None:
        """Perform *steps* by hand.

        Pieces that leave are taken off first; then all others are lifted, and then put down.
        """
        held: list[tuple[Step, list[Mark]]] = []
        for step in sorted(steps, key=lambda step: bool(step.target)):
            for cell in step.source:
                self.see_hand(cell, lamp, resting)
            marks = [self.table.take(cell) for cell in step.source] or self.table.fetch(step.becomes)
            if step.target:
                held.append((step, marks))
        for step, marks in held:
            for cell, mark in zip(step.target, self.faces(marks, step.becomes), strict=True):
                self.see_hand(cell, lamp, resting)
                self.table.put(cell, step.becomes, mark)
            self.see_hand(step.target[-1], lamp, resting)

    def faces(self, marks: list[Mark], piece: Piece) -> list[Mark]:
        """The marks in the hand, turned to show *piece*.

        If this figure has no such face, others are fetched from the box.
        """
        if any(same_face(each.piece, piece) for each in self.table.marks if each.figure == marks[0].figure):
            return [self.table.face(mark, piece) for mark in marks]
        return self.table.fetch(piece)

    def see_hand(self, cell: Cell, lamp: Exposure, resting: list[Arm]) -> None:
        """Take two images with a hand over *cell*, sometimes with another one beside it."""
        arms = [self.table.arm(cell), *resting]
        if self.chance.random() < _HELPS:
            arms.append(self.table.arm(self.chance.randrange(len(self.table.grid))))
        for _ in range(2):
            self.see(self.tally.hand_ms, lamp, arms)

    def resting(self) -> Arm:
        """A hand that lies on the board's left or right edge."""
        points = [point for outline in self.table.grid.outlines for point in outline]
        right, far = max(x for x, _ in points), max(y for _, y in points)
        x = self.chance.choice([0.03 * right, 0.97 * right])
        y = self.chance.uniform(0.2, 0.8) * far
        return Arm((x, y), (x + (x - right / 2) * 2, y - 100), palm_mm=60.0, height_mm=30.0)

    def kick(self) -> None:
        """Kick the camera's leg: it must find the board again from a new place."""
        self.tally.kicks += 1
        optics, uniform = self.stage.optics, self.chance.uniform
        x, y, z = optics.camera_mm
        aim = (optics.aim_mm[0] + uniform(-0.02, 0.02) * z, optics.aim_mm[1] + uniform(-0.02, 0.02) * z)
        camera = (x + uniform(-0.03, 0.03) * z, y + uniform(-0.03, 0.03) * z, z * uniform(0.99, 1.02))
        self.table.nudge(replace(self.stage.optics, camera_mm=camera, aim_mm=aim, roll_deg=uniform(-2, 2)))
        self.allowed = [self.truth(self.position)]
        for _ in range(_FINDING):
            self.see([])

    def warm_times_ms(self) -> list[float]:
        """Times of quiet images that were rendered before, so that caches stay warm_times_ms."""
        self.begin_largest()
        table, taken = self.table, list[float]()
        images = [table.scene.photograph() for _ in range(12)]
        for turn in range(25):
            for image in images:
                table.now_ms += 33
                began = time.thread_time()
                table.sensor.observe(image, table.now_ms)
                taken += [(time.thread_time() - began) * 1000] if turn else []
        return taken


def _differences(
    reported: dict[Cell, Sighting], wanted: dict[Cell, Sighting], table: CameraTable
) -> dict[str, Any]:
    """The cells whose sightings differ from the wanted ones."""
    cells = sorted({*reported, *wanted})
    return {
        table.grid.names[cell]: (reported.get(cell), wanted.get(cell))
        for cell in cells
        if reported.get(cell) != wanted.get(cell)
    }

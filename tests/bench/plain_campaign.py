# SPDX-License-Identifier: Apache-2.0
"""Rendered games with untagged pieces: which moves the referee announced.

Hands are in the images. A move is missed if it is not announced a second after the hand left; it
is wrong if another one is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from companion.games import find
from companion.model.observation import Observation
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.events import QuestionAsked
from tests.sensing.plain_tables import PlainTable
from tests.virtual.optics import Optics
from tests.virtual.render import WOOD, Arm
from tests.virtual.scene import PLAIN, Exposure, Setting

PATIENCE: Final = 30
_LONGEST: Final = 40
_KICKS: Final = 0.03
_FINDING: Final = 60

OVERHEAD: Final = Optics(camera_mm=(200.0, 60.0, 950.0), aim_mm=(200.0, 190.0), focal_px=1500.0)
"""A camera on an arm over the first player's half of a 400 mm board."""
SMALL: Final = Optics(camera_mm=(100.0, 60.0, 950.0), aim_mm=(100.0, 190.0), focal_px=1600.0)
ASIDE: Final = Optics(camera_mm=(200.0, -150.0, 900.0), aim_mm=(200.0, 180.0), focal_px=1350.0)
"""A camera on a stand in front of the first player."""
DAY: Final = Setting(WOOD, is_colour=True)
LAMP: Final = Setting(WOOD, is_colour=True, lamp=(0.35, 0.25))
"""A single lamp: pieces throw shadows on neighbouring cells."""


@dataclass(frozen=True)
class Stage:
    """One game and its camera."""

    game: str
    optics: Optics
    setting: Setting = DAY
    has_reference: bool = True


STAGES: Final = (
    Stage("chess", OVERHEAD),
    Stage("fightopia", OVERHEAD),
    Stage("martian-chess", SMALL),
    Stage("close-quarters", SMALL),
    Stage("chess", ASIDE, has_reference=False),
    Stage("close-quarters", SMALL, Setting(WOOD)),
    Stage("chess", OVERHEAD, LAMP),
    Stage("martian-chess", SMALL, has_reference=False),
)


@dataclass
class Tally:
    """The counts of a campaign."""

    moves: int = 0
    images: int = 0
    wrong: int = 0
    missed: int = 0
    failures: list[str] = field(default_factory=list)


class PlainCampaign:
    """Random games, one after the other, before the camera and the referee."""

    def __init__(self, seed: int, say: Callable[[str], None], stages: Sequence[Stage] = STAGES) -> None:
        self.seed, self.say, self.stages = seed, say, stages
        self.tally = Tally()
        self.begin()

    def begin(self) -> None:
        """Set up a new board and let the camera see it."""
        self.seed += 1
        self.chance = Random(self.seed)
        self.stage = self.stages[self.seed % len(self.stages)]
        stage = self.stage
        self.table = PlainTable(
            find(stage.game), None, stage.optics, self.seed, stage.setting, has_reference=stage.has_reference
        )
        self.position = self.table.rules.initial()
        self.table.set_up(self.position)
        self.session: Session | None = None
        self.wanted = list[str]()
        for _ in range(10):
            self.see()
        if self.session is None:
            self.fail("the game has not begun")

    def fail(self, what: str) -> None:
        """Record a failure with everything needed to reproduce it."""
        played = len(self.wanted)
        where = f"seed {self.seed} {self.stage.game} move {played} image {self.table.now_ms // 33}: {what}"
        self.tally.failures.append(where)
        self.say(where)

    def see(self, exposure: Exposure = PLAIN, arms: Sequence[Arm] = ()) -> None:
        """Take one image and let the referee have it."""
        self.tell(self.table.see(exposure, arms))

    def tell(self, observation: Observation | None) -> None:
        """Let the referee have an observation; what was played answers its questions."""
        self.tally.images += 1
        if self.session is None and observation is not None:
            self.session = Session(self.table.rules, self.table.sensor.kind)
        if self.session is None:
            return
        now_ms = self.table.now_ms
        for event in self.session.tick(now_ms) if observation is None else self.session.observe(observation):
            if isinstance(event, QuestionAsked) and event.question.ply < len(self.wanted):
                choices = event.question.choices
                fits = [self.wanted[event.question.ply] in choice.moves for choice in choices]
                if True in fits:
                    self.session.command(Answer(event.question.ply, fits.index(True)), now_ms)

    def move(self) -> None:
        """Play one move, with all its disturbances."""
        rules, chance, tally = self.table.rules, self.chance, self.tally
        moves = list(rules.legal_moves(self.position))
        chance.shuffle(moves)
        if chance.random() < 0.5:
            moves.sort(key=lambda move: -len(rules.steps(self.position, move)))
        steps = rules.steps(self.position, moves[0])
        self.wanted.append(rules.write_move(self.position, moves[0]))
        self.position = rules.apply(self.position, moves[0])
        lamp = Exposure(chance.choice([0.8, 0.9, 1.0, 1.1]), chance.choice([0.0, 0.0, 0.15, -0.15]))
        resting = [self.resting()] if chance.random() < 0.2 else []
        for reported in self.table.carry(steps, lamp, resting):
            self.tell(reported)
        for _ in range(chance.choice([4, 60]) if resting else 0):
            self.see(lamp, resting)
        for _ in range(PATIENCE):
            self.see(lamp)
        tally.moves += 1
        is_lost = not self.is_followed()
        if not is_lost and chance.random() < _KICKS:
            self.kick()
        if rules.status(self.position) or len(self.wanted) >= _LONGEST or is_lost:
            self.begin()

    def is_followed(self) -> bool:
        """True if the referee has the played moves; else what is wrong is recorded."""
        record = [] if self.session is None else [each.move for each in self.session.view().record]
        if record == self.wanted:
            return True
        is_wrong = record != self.wanted[: len(record)]
        self.tally.wrong += is_wrong
        self.tally.missed += not is_wrong
        self.fail(f"{self.wanted[-1]} was played, the record ends with {record[-2:]}")
        return False

    def resting(self) -> Arm:
        """A hand that lies on the board's left or right edge."""
        points = [point for outline in self.table.grid.outlines for point in outline]
        right, far = max(x for x, _ in points), max(y for _, y in points)
        x = self.chance.choice([0.03 * right, 0.97 * right])
        y = self.chance.uniform(0.2, 0.8) * far
        return Arm((x, y), (x + (x - right / 2) * 2, y - 100), palm_mm=40.0, height_mm=20.0)

    def kick(self) -> None:
        """Kick the camera's leg: it must find the board again from a new place."""
        optics, uniform = self.stage.optics, self.chance.uniform
        x, y, z = optics.camera_mm
        aim = (optics.aim_mm[0] + uniform(-0.02, 0.02) * z, optics.aim_mm[1] + uniform(-0.02, 0.02) * z)
        camera = (x + uniform(-0.03, 0.03) * z, y + uniform(-0.03, 0.03) * z, z * uniform(0.99, 1.02))
        self.table.scene = self.table.scene.seen_by(
            replace(optics, camera_mm=camera, aim_mm=aim, roll_deg=uniform(-2, 2))
        )
        for _ in range(_FINDING):
            self.see()

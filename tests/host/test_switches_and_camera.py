# SPDX-License-Identifier: Apache-2.0
"""Games with switches and a camera: every move is recognised without questions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from companion.feedback.words import load
from companion.games import find
from companion.host.devices.camera_status import CameraState, CameraStatus, ImageResult
from companion.host.journal.journal import CommandEntry, Header, Journal, Ticked
from companion.host.play.rig import Rig
from companion.host.records.replay import replay
from companion.host.table.pipeline import Pipeline, Sensors
from companion.link.connection import Connection
from companion.model.grid import Cell
from companion.model.observation import Observation, SensorKind
from companion.model.tags import Mark
from companion.referee.session.session import Session
from companion.referee.values.events import GameBegan, Stage
from companion.virtual.pieces import PieceSet
from tests.host.tables import HEADER, Kept, panel_under
from tests.sensing.vision.tables import CameraTable
from tests.virtual.hands import PROFILES, Motion, motions
from tests.virtual.optics import Optics

PERIOD_MS = 60
"""Between two images."""
DUEL = {"map": "Duel; 8x8; B4 G5; CA1N LC2N MD2N ME3N cH8S lF7S mE7S mD6S"}
ABOVE = Optics(
    (1280, 720), (200.0, -60.0, 620.0), (200.0, 185.0), focal_px=700.0, noise=2.0, jpeg=None, gradient=0.2
)
NARROW = Optics(
    (1280, 720), (100.0, -120.0, 640.0), (100.0, 195.0), focal_px=720.0, noise=2.0, jpeg=None, gradient=0.2
)


@dataclass
class BothTable:
    """A virtual panel and a virtual camera at one table, in virtual time."""

    camera: CameraTable
    kept: Kept = field(default_factory=Kept)
    carried: list[Mark] = field(default_factory=list)
    """The piece in the hand or beside the board."""
    pushed: set[Cell] = field(default_factory=set)
    """Cells from which a piece is being pushed away."""
    has_camera: bool = True

    def __post_init__(self) -> None:
        rules = self.camera.rules
        session = Session(rules, SensorKind.IDENTITY_FACING)
        words = load("en", rules.slug, rules.sides)
        self.pipeline = Pipeline(session, words, Connection(1), self.kept.keep, sensors=Sensors.BOTH)
        pieces = PieceSet(self.pipeline.view.placement, grid=rules.grid)
        self.rig = Rig(self.pipeline, panel_under(self.pipeline, 1000), pieces, 1000, self.kept.sync)
        self.camera.set_up(rules.initial())
        self.wait(800)

    def wait(self, ms: int, hand: Cell | None = None) -> None:
        """Let *ms* pass, with a hand over a cell."""
        until_ms = self.rig.now_ms + ms
        while self.rig.now_ms < until_ms:
            self.rig.advance(min(PERIOD_MS, until_ms - self.rig.now_ms))
            self.pipeline.watch(self.looked(hand))
            self.rig.exchange()
            assert self.pipeline.view.question is None, self.pipeline.view.question

    def looked(self, hand: Cell | None) -> ImageResult:
        """The camera's observation of the next image."""
        now_ms = self.rig.now_ms
        if not self.has_camera:
            return ImageResult(now_ms, CameraStatus(CameraState.LOST))
        arms = [] if hand is None else [self.camera.arm(hand)]
        seen = self.camera.sensor.observe(self.camera.scene.photograph(arms=arms), now_ms)
        return ImageResult(now_ms, CameraStatus(CameraState.WATCHING), seen)

    def do(self, motion: Motion) -> None:
        """A hand does *motion*, reported by panel and camera.

        The camera sees a pushed piece in its new place before its old switch opens.
        """
        self.wait(motion.wait_ms, motion.cell)
        if motion.cell in self.camera.standing:
            taken = self.camera.take(motion.cell)
            self.carried.insert(0 if motion.piece else len(self.carried), taken)
        if motion.piece is None:
            self.rig.panel.open(motion.cell, self.rig.now_ms)
        else:
            mark, face = self.found(motion)
            if mark in self.carried:
                self.carried.remove(mark)
            else:
                self.camera.take(next(c for c, one in self.camera.standing.items() if one is mark))
            self.rig.panel.close(motion.cell, self.rig.now_ms)
            self.camera.put(motion.cell, motion.piece, face)
        self.rig.exchange()

    def found(self, motion: Motion) -> tuple[Mark, Mark]:
        """The piece that *motion* puts down, with the face that is up then."""
        pushed = [mark for cell, mark in self.camera.standing.items() if cell in self.pushed]
        near = (*pushed, *reversed(self.carried))
        return next((mark, face) for mark in near for face in self.faces(mark, motion))

    def faces(self, mark: Mark, motion: Motion) -> Iterator[Mark]:
        """The face of the figure of *mark* that *motion* puts down, if any."""
        shown = [one for one in self.camera.marks if (one.figure, one.part) == (mark.figure, mark.part)]
        wanted = motion.piece
        assert wanted is not None
        kind = wanted.shows or wanted.kind
        return (
            one
            for one in shown
            if (one.piece.kind, one.piece.side, one.piece.pose) == (kind, wanted.side, wanted.pose)
        )

    @property
    def announced(self) -> list[str]:
        """The announced moves of the record; a move and its shot count as one."""
        return [move.move for move in self.pipeline.view.record if move.stage is not Stage.PROVISIONAL]


def play(table: BothTable, plies: int, chance: Random, temper: str, *, is_quiet: bool = False) -> list[str]:
    """Play *plies* legal moves by hand; returns them as text."""
    rules = table.camera.rules
    position = rules.initial()
    wanted: list[str] = []
    for _ in range(plies):
        moves = rules.legal_moves(position)
        if not moves:
            break
        move: Any = chosen(rules, position, moves, chance, is_quiet=is_quiet)
        standing = rules.placement(position).by_cell()
        steps = rules.steps(position, move)
        made = motions(rules.grid, standing, steps, PROFILES[temper], chance)
        for number, motion in enumerate(made):
            table.pushed = {later.cell for later in made[number + 1 :] if later.piece is None}
            table.do(motion)
        table.wait(120, motion.cell)
        table.wait(800)
        wanted.append(rules.write_move(position, move))
        position = rules.apply(position, move)
        assert table.pipeline.session.position == position, wanted
    table.wait(1500)  # a removal is announced later
    return wanted


def chosen(rules: Any, position: Any, moves: Any, chance: Random, *, is_quiet: bool) -> Any:
    """A move of several steps, if there is one.

    A capture or a shot; a move of one step if it is to be quiet; else any.
    """
    fitting = [move for move in moves if (len(rules.steps(position, move)) == 1) is is_quiet]
    return chance.choice(fitting or list(moves))


def table_of(game: str) -> BothTable:
    options = DUEL if game == "tank-chess" else None
    optics = NARROW if game in ("martian-chess", "close-quarters") else ABOVE
    return BothTable(CameraTable(find(game), options, optics, seed=3, has_panel=True))


@pytest.mark.parametrize(
    ("game", "temper"),
    [
        ("chess", "casual"),
        ("close-quarters", "clumsy"),
        ("martian-chess", "careful"),
        ("tank-chess", "casual"),
    ],
)
def test_moves_are_recognised_without_questions(game: str, temper: str, is_long: bool) -> None:
    table = table_of(game)
    wanted = play(table, 40 if is_long else 2, Random(7), temper)
    assert table.announced == wanted
    assert table.pipeline.camera is not None


def test_the_facing_of_a_tank_is_seen_without_a_question(is_long: bool) -> None:
    table = table_of("tank-chess")
    wanted = play(table, 40 if is_long else 2, Random(5), "casual", is_quiet=True)
    assert table.announced == wanted


@pytest.mark.parametrize(
    ("temper", "seed", "plies"),
    [("careful", 9, 1), ("blitz", 9, 2)],
    ids=["hand before the camera", "camera has answered"],
)
def test_a_question_that_the_camera_answers_is_not_asked(temper: str, seed: int, plies: int) -> None:
    table = table_of("tank-chess")
    wanted = play(table, plies, Random(seed), temper)
    assert table.announced == wanted


def test_a_game_with_both_sensors_replays_to_the_same_events() -> None:
    table = table_of("close-quarters")
    play(table, 2, Random(5), "casual")
    header = Header(**{**fields(HEADER), "sensor": SensorKind.IDENTITY_FACING})
    journal = Journal(__file__, header, tuple(table.kept.entries), 0)  # type: ignore[arg-type]
    assert [entry for entry in table.kept.entries if isinstance(entry, Observation)]
    assert not [entry for entry in table.kept.entries if isinstance(entry, CommandEntry)]
    assert [entry for entry in table.kept.entries if isinstance(entry, Ticked)]
    assert replay(journal) is None


def fields(header: Header) -> dict[str, Any]:
    return {name: getattr(header, name) for name in header.__slots__}


def test_a_lifted_piece_lights_its_targets_although_a_hand_hides_it() -> None:
    table = table_of("close-quarters")
    assert [entry for entry in table.kept.entries if isinstance(entry, GameBegan)]
    cell = min(table.camera.standing)
    table.wait(300, cell)
    before_ms = table.rig.now_ms
    table.do(Motion(0, cell, None))
    table.rig.advance(6)
    assert table.pipeline.view.targets
    assert table.rig.now_ms - before_ms <= 6


def test_the_game_continues_without_the_camera_and_accepts_it_when_it_returns() -> None:
    table = table_of("close-quarters")
    table.has_camera = False
    table.wait(100)
    wanted = play(table, 2, Random(7), "careful")
    table.has_camera = True
    table.wait(1500)
    assert table.announced == wanted
    assert table.pipeline.view.fault is None


def test_the_game_continues_without_the_panel() -> None:
    table = table_of("close-quarters")
    table.rig.panel.is_mute = True
    table.wait(5000)
    assert table.pipeline.status.state == "lost"
    cell = min(table.camera.standing)
    table.wait(3 * PERIOD_MS, cell)
    *_, latest = (entry for entry in table.kept.entries if isinstance(entry, Observation))
    assert latest.sightings.hidden >> cell & 1, "without the panel, the hand must hide the cell"
    wanted = play(table, 2, Random(7), "careful")
    assert table.announced == wanted

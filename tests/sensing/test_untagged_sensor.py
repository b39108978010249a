# SPDX-License-Identifier: Apache-2.0
"""Pieces without tags before the camera: games are followed, hidden cells are not reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from companion.games import find
from companion.model.observation import Change, Observation, SensorKind
from companion.model.occupancy import cells_of
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.events import QuestionAsked
from companion.sensing.problems import CameraProblem
from companion.virtual.optics import Optics
from companion.virtual.render import WOOD, Arm, Figure
from companion.virtual.scene import Exposure, Setting
from tests.games.playthroughs import read
from tests.sensing.plain_tables import PlainTable

PLAYTHROUGHS = Path(__file__).parents[1] / "games" / "playthroughs"
ABOVE = Optics((640, 540), (200.0, 60.0, 950.0), (200.0, 190.0), focal_px=900.0, noise=3.0)
"""Over a board of 400 by 400 mm."""
WIDE = Optics((640, 600), (228.0, 70.0, 950.0), (228.0, 215.0), focal_px=850.0, noise=3.0)
"""Over a chess board."""
SMALL = Optics((360, 480), (100.0, 60.0, 950.0), (100.0, 190.0), focal_px=800.0, noise=3.0)
"""Over a board of 200 by 400 mm."""
SHORT: Final = 14
"""Plies of a recorded game without `--long`."""
LEGAL: Final = "e4 e5 Nf3 d6 Bc4 Bg4 Nc3 g6 Nxe5 Bxd1 Bxf7+ Ke7 Nd5#"
"""Legal's mate: captures, a check, and a queen sacrifice."""


def captures(game: str, seed: int) -> list[str]:
    """The moves of a game in which both sides capture whenever possible."""
    rules, chance = find(game).rules(), Random(seed)
    position, moves = rules.initial(), list[str]()
    while not rules.status(position):
        legal = rules.legal_moves(position)
        taking = [move for move in legal if len(rules.steps(position, move)) > 1]
        move = chance.choice(taking or list(legal))
        moves.append(rules.write_move(position, move))
        position = rules.apply(position, move)
    return moves


def recorded_moves(game: str) -> list[str]:
    """The moves of the recorded game of *game*."""
    return read((PLAYTHROUGHS / f"{game}.txt").read_text(encoding="utf-8"))[2]


class Followed:
    """A table with the referee that watches it."""

    def __init__(self, table: PlainTable) -> None:
        self.table = table
        self.position = table.rules.initial()
        self.session: Session | None = None
        self.played: list[str] = []
        self.asked = 0
        self.wanted = ""

    def observe(self, observation: Observation | None) -> None:
        """Pass on the observation, or let time pass.

        Questions are answered according to the moves played.
        """
        if self.session is None:
            if observation is None:
                return
            self.session = Session(self.table.rules, self.table.sensor.kind)
        now_ms = self.table.now_ms
        events = self.session.observe(observation) if observation else self.session.tick(now_ms)
        for event in events:
            if isinstance(event, QuestionAsked):
                self.asked += 1
                question = event.question
                choice = [self.wanted in choice.moves for choice in question.choices].index(True)
                self.session.command(Answer(question.ply, choice), now_ms)

    def play(self, text: str, lamp: Exposure) -> None:
        """Play a move by hand; then leave the board alone for two seconds."""
        rules = self.table.rules
        move = rules.read_move(self.position, text)
        self.wanted = rules.write_move(self.position, move)
        self.played.append(self.wanted)
        for observation in self.table.carry(rules.steps(self.position, move), lamp):
            self.observe(observation)
        self.position = rules.apply(self.position, move)
        for _ in range(4):
            self.observe(self.table.see(lamp))
        for _ in range(90):
            self.table.now_ms += 33
            self.observe(None)


def told(table: PlainTable, images: int, **circumstances: Any) -> list[Observation]:
    """The observations of the next images."""
    made = (table.see(**circumstances) for _ in range(images))
    return [observation for observation in made if observation is not None]


def moved(observations: Sequence[Observation]) -> list[tuple[str, bool | None]]:
    """The cells reported as left or entered, in order."""
    return [
        (GRID.name(entry.cell), entry.sighting.occupied)
        for observation in observations
        for entry in observation.inputs
        if isinstance(entry, Change)
    ]


GRID = find("close-quarters").rules().grid


@pytest.mark.parametrize(
    ("game", "optics", "moves", "questions"),
    [
        pytest.param("close-quarters", SMALL, recorded_moves("close-quarters"), 0, marks=pytest.mark.long),
        ("chess", WIDE, LEGAL.split(), 0),
        pytest.param("martian-chess", SMALL, captures("martian-chess", 55), 4, marks=pytest.mark.long),
        pytest.param("fightopia", ABOVE, recorded_moves("fightopia"), 0, marks=pytest.mark.long),
    ],
)
def test_the_referee_follows_a_whole_game(
    game: str, optics: Optics, moves: list[str], questions: int, *, is_long: bool
) -> None:
    moves = moves if is_long or questions else moves[:SHORT]
    table, chance = PlainTable(find(game), None, optics, seed=2), Random(3)
    followed = Followed(table)
    table.set_up(followed.position)
    while followed.session is None:
        followed.observe(table.see())
    assert table.sensor.kind is (SensorKind.OCCUPANCY if game == "martian-chess" else SensorKind.SIDE)
    for text in moves:
        followed.play(text, Exposure(chance.choice([0.9, 1.0, 1.05])))
        assert followed.session is not None
        assert followed.session.position == followed.position, text
    assert followed.session is not None
    assert [each.move for each in followed.session.view().record] == followed.played
    assert followed.asked <= questions


@pytest.fixture
def table() -> PlainTable:
    """Close Quarters in its start position, after the sensor has seen it."""
    made = PlainTable(find("close-quarters"), None, SMALL, seed=4)
    made.set_up(made.rules.initial())
    first = told(made, 12)
    assert len(first) == 1
    assert [GRID.name(cell) for cell in cells_of(first[0].sightings.occupied)] == ["a1", "d1", "a8", "d8"]
    assert [sighting.side for _, sighting in first[0].sightings.seen] == [0, 1, 1, 1]
    return made


def shift(table: PlainTable, source: str, target: str) -> None:
    """Move a piece without a visible hand."""
    _, piece = table.standing[GRID.cell(source)]
    table.take([GRID.cell(source)])
    table.put([GRID.cell(target)], piece)


def test_a_resting_hand_hides_only_the_cells_it_covers(table: PlainTable) -> None:
    resting = Arm(GRID.centre_mm(GRID.cell("d4")), (400.0, 100.0), palm_mm=36.0, height_mm=20.0)
    seen = told(table, 60, arms=[resting])
    assert moved(seen) == []
    assert seen[-1].sightings.hidden >> GRID.cell("d4") & 1
    assert not seen[-1].sightings.hidden >> GRID.cell("a8") & 1
    shift(table, "a8", "b6")
    assert moved(told(table, 6, arms=[resting])) == [("a8", False), ("b6", True)]
    after = told(table, 50)
    assert moved(after) == []
    assert after[-1].sightings.hidden == 0


def test_a_piece_under_a_hand_is_hidden_but_not_reported_gone(table: PlainTable) -> None:
    cell = GRID.cell("a1")
    seen = told(table, 20, arms=[table.arm(cell)])
    assert seen[-1].sightings.hidden >> cell & 1
    assert seen[-1].sightings.occupied >> cell & 1
    assert moved(seen + told(table, 5)) == []


@pytest.mark.long
def test_fingers_at_a_cell_on_the_edge_are_no_piece(table: PlainTable) -> None:
    x, y = GRID.centre_mm(GRID.cell("d5"))
    for reach in (20.0, 10.0, 0.0):
        finger = Arm((x + reach, y), (x + 300, y), palm_mm=12.0, height_mm=25.0)
        assert moved(told(table, 60, arms=[finger])) == []
    assert moved(told(table, 60)) == []


def test_two_hands_hide_two_areas(table: PlainTable) -> None:
    one, other = GRID.cell("b3"), GRID.cell("c7")
    far = Arm(GRID.centre_mm(other), (100.0, 700.0), palm_mm=30.0)
    seen = told(table, 8, arms=[table.arm(one), far])
    assert seen[-1].sightings.hidden >> one & 1
    assert seen[-1].sightings.hidden >> other & 1
    assert moved(seen) == []


def test_a_piece_held_over_the_board_is_not_on_it(table: PlainTable) -> None:
    cell, over = GRID.cell("a1"), GRID.cell("b4")
    _, piece = table.standing[cell]
    table.take([cell])
    body = table.figure([over], piece)
    held = Figure(body.at_mm, body.colour, body.radius_mm, body.height_mm, lifted_mm=70.0)
    assert moved(told(table, 20, arms=[table.arm(over)], held=[held])) == []


def test_a_toppled_piece_hides_the_cells_it_lies_on(table: PlainTable) -> None:
    cell = GRID.cell("d8")
    number, _ = table.standing[cell]
    x, y = GRID.centre_mm(cell)
    table.scene.put(number, Figure((x - 18, y), (42, 40, 46), 14.0, 55.0, toppled_deg=270.0))
    seen = told(table, 30)
    assert moved(seen) == []
    assert seen[-1].sightings.hidden >> cell & 1
    told(table, 15)
    assert cell in table.sensor.places[CameraProblem.UNSEEN]


def test_changed_light_is_no_piece(table: PlainTable) -> None:
    for light in (Exposure(0.7), Exposure(1.05, tilt=0.25), Exposure(0.85, tilt=-0.25), Exposure()):
        assert moved(told(table, 5, exposure=light)) == []
    flicker = [table.see(Exposure(flicker=0.04, phase=0.3 * image)) for image in range(10)]
    assert not any(observation.inputs for observation in flicker if observation)
    seen = told(table, 3)
    assert not seen or seen[-1].sightings.hidden == 0


def test_a_shadow_and_a_sun_patch_are_no_pieces(table: PlainTable) -> None:
    patch = ((20.0, 130.0), (180.0, 150.0), (190.0, 290.0), (10.0, 260.0))
    for gain in (0.7, 1.25):
        assert moved(told(table, 20, exposure=Exposure(patch_mm=patch, patch_gain=gain))) == []
        assert moved(told(table, 4)) == []


def test_a_dark_piece_on_a_dark_cell_is_seen_in_grey(table: PlainTable) -> None:
    grey = PlainTable(find("close-quarters"), None, SMALL, seed=5, setting=Setting(WOOD))
    grey.set_up(grey.rules.initial())
    assert len(told(grey, 12)) == 1
    dark = [name for name in ("b7", "c6", "a3") if sum(divmod(GRID.cell(name), 4)) % 2 == 0]
    shift(grey, "d8", dark[0])
    assert moved(told(grey, 6)) == [("d8", False), (dark[0], True)]


def test_a_displaced_camera_finds_the_board_and_the_pieces_again(table: PlainTable) -> None:
    kicked = Optics((360, 480), (112.0, 52.0, 948.0), (104.0, 186.0), 1.5, focal_px=800.0, noise=3.0)
    table.scene = table.scene.seen_by(kicked)
    seen = told(table, 30)
    assert moved(seen) == []
    assert CameraProblem.CAMERA_MOVED in table.sensor.troubles
    assert seen[-1].sightings.hidden == 0
    shift(table, "a1", "b3")
    assert moved(told(table, 6)) == [("a1", False), ("b3", True)]


@pytest.mark.long
def test_a_board_with_rotated_corner_tags_is_found_again_from_any_side() -> None:
    beside = Optics((480, 360), (330.0, 200.0, 900.0), (110.0, 200.0), focal_px=800.0, noise=3.0)
    turned = PlainTable(
        find("close-quarters"), None, beside, seed=4, corner_turns_deg={0: 90.0, 1: 180.0, 2: -37.0, 3: 4.0}
    )
    turned.set_up(turned.rules.initial())
    assert len(told(turned, 12)) == 1
    shift(turned, "a1", "b3")
    assert moved(told(turned, 6)) == [("a1", False), ("b3", True)]
    turned.scene = turned.scene.seen_by(replace(beside, camera_mm=(318.0, 210.0, 902.0), roll_deg=2.0))
    assert moved(told(turned, 30)) == []
    assert CameraProblem.CAMERA_MOVED in turned.sensor.troubles
    shift(turned, "b3", "c5")
    assert moved(told(turned, 6)) == [("b3", False), ("c5", True)]


def test_a_hand_that_rests_at_set_up_is_not_taken_for_the_board(table: PlainTable) -> None:
    fresh = PlainTable(find("close-quarters"), None, SMALL, seed=6, has_reference=False)
    fresh.set_up(fresh.rules.initial())
    resting = Arm(GRID.centre_mm(GRID.cell("c4")), (400.0, 100.0), palm_mm=34.0, height_mm=20.0)
    assert told(fresh, 20, arms=[resting]) == []
    assert len(told(fresh, 20)) == 1
    shift(fresh, "a1", "c4")
    assert moved(told(fresh, 6)) == [("a1", False), ("c4", True)]


def test_a_captured_piece_beside_the_board_soon_becomes_background(table: PlainTable) -> None:
    number, _ = table.standing[GRID.cell("d1")]
    table.take([GRID.cell("d1")])
    table.scene.put(number, Figure((225.0, 180.0), (42, 40, 46), 14.0, 27.0))
    gone = told(table, 70)
    assert moved(gone) == [("d1", False)]
    assert gone[-1].sightings.hidden == 0
    table.scene.put(number, None)
    told(table, 4)
    shift(table, "a1", "d4")
    assert moved(told(table, 6)) == [("a1", False), ("d4", True)]


@pytest.mark.parametrize(
    ("game", "optics", "seed"),
    [
        ("close-quarters", SMALL, 1),
        *(pytest.param("chess", WIDE, seed, marks=pytest.mark.long) for seed in range(2, 6)),
        *(pytest.param("fightopia", ABOVE, seed, marks=pytest.mark.long) for seed in range(6, 9)),
        *(pytest.param("martian-chess", SMALL, seed, marks=pytest.mark.long) for seed in range(9, 12)),
    ],
)
def test_an_open_board_in_sharp_shadows_is_reported_as_it_is(
    game: str, optics: Optics, seed: int, *, is_long: bool
) -> None:
    chance = Random(seed)
    lamp = (chance.uniform(-0.9, 0.9), chance.uniform(-0.9, 0.9))
    setting = Setting(WOOD, is_colour=True, lamp=lamp, shade=chance.uniform(0.35, 0.6))
    table = PlainTable(find(game), None, optics, seed, setting, has_reference=chance.random() < 0.5)
    rules = table.rules
    position = rules.initial()
    table.set_up(position)
    assert told(table, 12)
    for _ in range(3 if is_long else 1):
        move = chance.choice(list(rules.legal_moves(position)))
        steps = rules.steps(position, move)
        position = rules.apply(position, move)
        observations = [*table.carry(steps), *told(table, 60)]
        reported = observations[-1].sightings
        assert list(cells_of(reported.occupied)) == sorted(rules.placement(position).by_cell())
        assert not reported.hidden

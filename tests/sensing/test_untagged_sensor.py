# SPDX-License-Identifier: Apache-2.0
"""Pieces without tags before the camera: games are followed, hidden cells are not reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from companion.games import find
from companion.model.moves import Step
from companion.model.observation import Observation, SensorKind
from companion.model.occupancy import cells_of
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer
from companion.referee.values.events import QuestionAsked
from companion.sensing.problems import CameraProblem
from tests.games.playthroughs import read
from tests.sensing.plain_tables import PlainTable
from tests.virtual.optics import Optics
from tests.virtual.render import WOOD, Arm, Figure
from tests.virtual.scene import Exposure, Setting

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


class Seen:
    """What the referee sees at a table, image by image."""

    def __init__(self, table: PlainTable) -> None:
        self.table = table
        self.observations = list[Observation]()
        self.session: Session | None = None

    def told(self, images: int, **circumstances: Any) -> list[tuple[str, bool]]:
        """The cells that are seen to be left or entered in the next images."""
        before = 0 if self.session is None else self.session.belief.seen.occupied
        for _ in range(images):
            observation = self.table.see(**circumstances)
            if observation is not None:
                self.observations.append(observation)
                if self.session is None:
                    self.session = Session(self.table.rules, self.table.sensor.kind)
                self.session.observe(observation)
            elif self.session is not None:
                self.session.tick(self.table.now_ms)
        after = 0 if self.session is None else self.session.belief.seen.occupied
        left, entered = before & ~after, after & ~before
        return [(GRID.name(c), False) for c in cells_of(left)] + [
            (GRID.name(c), True) for c in cells_of(entered)
        ]

    @property
    def hidden(self) -> int:
        """The cells that the camera does not see."""
        return self.observations[-1].sightings.hidden


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
def seen() -> Seen:
    """Close Quarters in its start position, after it has been seen."""
    made = Seen(PlainTable(find("close-quarters"), None, SMALL, seed=4))
    made.table.set_up(made.table.rules.initial())
    made.told(12)
    (first,) = made.observations
    assert [GRID.name(cell) for cell in cells_of(first.sightings.occupied)] == ["a1", "d1", "a8", "d8"]
    assert [sighting.side for _, sighting in first.sightings.seen] == [0, 1, 1, 1]
    return made


def shift(table: PlainTable, source: str, target: str) -> None:
    """Move a piece without a visible hand."""
    _, piece = table.standing[GRID.cell(source)]
    table.take([GRID.cell(source)])
    table.put([GRID.cell(target)], piece)


def test_a_resting_hand_hides_only_the_cells_it_covers(seen: Seen) -> None:
    resting = Arm(GRID.centre_mm(GRID.cell("d4")), (400.0, 100.0), palm_mm=36.0, height_mm=20.0)
    assert seen.told(60, arms=[resting]) == []
    assert seen.hidden >> GRID.cell("d4") & 1
    assert not seen.hidden >> GRID.cell("a8") & 1
    shift(seen.table, "a8", "b6")
    assert seen.told(10, arms=[resting]) == [("a8", False), ("b6", True)]
    assert seen.told(50) == []
    assert seen.hidden == 0


def test_a_piece_under_a_hand_is_hidden_but_not_reported_gone(seen: Seen) -> None:
    cell = GRID.cell("a1")
    assert seen.told(20, arms=[seen.table.arm(cell)]) == []
    assert seen.hidden >> cell & 1
    assert seen.told(5) == []


@pytest.mark.long
def test_fingers_at_a_cell_on_the_edge_are_no_piece(seen: Seen) -> None:
    x, y = GRID.centre_mm(GRID.cell("d5"))
    for reach in (20.0, 10.0, 0.0):
        finger = Arm((x + reach, y), (x + 300, y), palm_mm=12.0, height_mm=25.0)
        assert seen.told(60, arms=[finger]) == []
    assert seen.told(60) == []


def test_two_hands_hide_two_areas(seen: Seen) -> None:
    one, other = GRID.cell("b3"), GRID.cell("c7")
    far = Arm(GRID.centre_mm(other), (100.0, 700.0), palm_mm=30.0)
    assert seen.told(8, arms=[seen.table.arm(one), far]) == []
    assert seen.hidden >> one & 1
    assert seen.hidden >> other & 1


def test_a_piece_held_over_the_board_is_not_on_it(seen: Seen) -> None:
    cell, over = GRID.cell("a1"), GRID.cell("b4")
    _, piece = seen.table.standing[cell]
    seen.table.take([cell])
    body = seen.table.figure([over], piece)
    held = Figure(body.at_mm, body.colour, body.radius_mm, body.height_mm, lifted_mm=70.0)
    assert seen.told(20, arms=[seen.table.arm(over)], held=[held]) in ([], [("a1", False)])


def test_changed_light_is_no_piece(seen: Seen) -> None:
    for light in (Exposure(0.7), Exposure(1.05, tilt=0.25), Exposure(0.85, tilt=-0.25), Exposure()):
        assert seen.told(5, exposure=light) == []
    for image in range(10):
        assert seen.told(1, exposure=Exposure(flicker=0.04, phase=0.3 * image)) == []
    assert seen.told(6) == []
    assert seen.hidden == 0


def test_a_shadow_and_a_sun_patch_are_no_pieces(seen: Seen) -> None:
    patch = ((20.0, 130.0), (180.0, 150.0), (190.0, 290.0), (10.0, 260.0))
    for gain in (0.7, 1.25):
        assert seen.told(20, exposure=Exposure(patch_mm=patch, patch_gain=gain)) == []
        assert seen.told(4) == []


def test_dark_pieces_on_dark_cells_are_seen_in_grey() -> None:
    table = PlainTable(find("close-quarters"), None, SMALL, seed=5, setting=Setting(WOOD))
    followed, rules = Followed(table), table.rules
    table.set_up(followed.position)
    while followed.session is None:
        followed.observe(table.see())
    for _ in range(6):
        texts = {rules.write_move(followed.position, m): m for m in rules.legal_moves(followed.position)}
        dark = [
            text for text, move in texts.items() if not sum(divmod(_target(rules, followed, move), 4)) % 2
        ]
        followed.play(sorted(dark)[0], Exposure())
        assert followed.session.position == followed.position


def _target(rules: Any, followed: Followed, move: Any) -> int:
    """The cell to which *move* goes."""
    target: int = rules.steps(followed.position, move)[0].target[0]
    return target


def test_a_displaced_camera_finds_the_board_and_the_pieces_again(seen: Seen) -> None:
    kicked = Optics((360, 480), (112.0, 52.0, 948.0), (104.0, 186.0), 1.5, focal_px=800.0, noise=3.0)
    seen.table.scene = seen.table.scene.seen_by(kicked)
    assert seen.told(30) == []
    assert CameraProblem.CAMERA_MOVED in seen.table.sensor.troubles
    assert seen.hidden == 0
    shift(seen.table, "a1", "b3")
    assert seen.told(6) == [("a1", False), ("b3", True)]


@pytest.mark.long
def test_a_board_with_rotated_corner_tags_is_found_again_from_any_side() -> None:
    beside = Optics((480, 360), (330.0, 200.0, 900.0), (110.0, 200.0), focal_px=800.0, noise=3.0)
    turns = {0: 90.0, 1: 180.0, 2: -37.0, 3: 4.0}
    seen = Seen(PlainTable(find("close-quarters"), None, beside, seed=4, corner_turns_deg=turns))
    seen.table.set_up(seen.table.rules.initial())
    seen.told(12)
    shift(seen.table, "a1", "b3")
    assert seen.told(6) == [("a1", False), ("b3", True)]
    scene = seen.table.scene.seen_by(replace(beside, camera_mm=(318.0, 210.0, 902.0), roll_deg=2.0))
    seen.table.scene = scene
    assert seen.told(30) == []
    assert CameraProblem.CAMERA_MOVED in seen.table.sensor.troubles
    shift(seen.table, "b3", "c5")
    assert seen.told(6) == [("b3", False), ("c5", True)]


def test_a_game_begins_beside_a_hand_that_rests() -> None:
    seen = Seen(PlainTable(find("close-quarters"), None, SMALL, seed=6, has_reference=False))
    seen.table.set_up(seen.table.rules.initial())
    resting = Arm(GRID.centre_mm(GRID.cell("c4")), (400.0, 100.0), palm_mm=34.0, height_mm=20.0)
    assert [name for name, _ in seen.told(20, arms=[resting])] == ["a1", "d1", "a8", "d8"]
    assert seen.told(20) == []
    shift(seen.table, "a1", "c4")
    assert seen.told(6) == [("a1", False), ("c4", True)]


def test_a_board_that_is_turned_by_half_is_played_the_other_way_round() -> None:
    table = PlainTable(find("chess"), None, WIDE, seed=7, has_reference=False)
    followed, rules = Followed(table), table.rules
    last = len(table.grid) - 1

    def turned(step: Step) -> Step:
        source, target = (tuple(last - cell for cell in cells) for cells in (step.source, step.target))
        return replace(step, source=source, target=target)

    for piece, cells in rules.placement(followed.position).entries:
        table.put([last - cell for cell in cells], piece)
    while followed.session is None:
        followed.observe(table.see())
    for text in ("e4", "d5", "exd5"):
        move = rules.read_move(followed.position, text)
        for observation in table.carry([turned(step) for step in rules.steps(followed.position, move)]):
            followed.observe(observation)
        for _ in range(40):
            followed.observe(table.see())
        followed.position = rules.apply(followed.position, move)
        assert followed.session.position == followed.position
    assert followed.session.rotation.degrees == 180


def test_a_captured_piece_beside_the_board_is_not_on_it(seen: Seen) -> None:
    number, _ = seen.table.standing[GRID.cell("d1")]
    seen.table.take([GRID.cell("d1")])
    seen.table.scene.put(number, Figure((225.0, 180.0), (42, 40, 46), 14.0, 27.0))
    assert seen.told(70) == [("d1", False)]
    assert seen.hidden == 0
    seen.table.scene.put(number, None)
    seen.told(4)
    shift(seen.table, "a1", "d4")
    assert seen.told(6) == [("a1", False), ("d4", True)]


@pytest.mark.parametrize(
    ("game", "optics", "seed"),
    [
        ("close-quarters", SMALL, 1),
        *(pytest.param("chess", WIDE, seed, marks=pytest.mark.long) for seed in range(2, 6)),
        *(pytest.param("fightopia", ABOVE, seed, marks=pytest.mark.long) for seed in range(6, 9)),
        *(pytest.param("martian-chess", SMALL, seed, marks=pytest.mark.long) for seed in range(9, 12)),
    ],
)
def test_a_game_is_followed_in_sharp_shadows(game: str, optics: Optics, seed: int, *, is_long: bool) -> None:
    chance = Random(seed)
    lamp = (chance.uniform(-0.9, 0.9), chance.uniform(-0.9, 0.9))
    setting = Setting(WOOD, is_colour=True, lamp=lamp, shade=chance.uniform(0.35, 0.6))
    table = PlainTable(find(game), None, optics, seed, setting, has_reference=chance.random() < 0.5)
    followed = Followed(table)
    table.set_up(followed.position)
    while followed.session is None:
        followed.observe(table.see())
    for _ in range(3 if is_long else 1):
        move = chance.choice(list(table.rules.legal_moves(followed.position)))
        followed.play(table.rules.write_move(followed.position, move), Exposure())
        assert followed.session.position == followed.position

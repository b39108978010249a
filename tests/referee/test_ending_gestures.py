# SPDX-License-Identifier: Apache-2.0
"""Gestures end a game at the board if they are enabled."""

from __future__ import annotations

import pytest

from companion.feedback.notices import notices
from companion.feedback.text import render
from companion.feedback.words import load
from companion.games import find, slugs
from companion.model.game import HasLeaders, Outcome
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.commands import Resign
from companion.referee.values.gestures import Gestures, Middle, in_force, middle_of
from tests.fakes import FakeTable
from tests.referee.support import brief


def table_with(
    gestures: Gestures, kind: SensorKind = SensorKind.OCCUPANCY, game: str = "chess", position: str = ""
) -> FakeTable:
    """A table in the start position, or in *position*, with *gestures* enabled."""
    rules = find(game).rules()
    at = rules.read_position(position) if position else None
    fake = FakeTable(rules, kind, session=Session(rules, kind, start=at, gestures=gestures))
    fake.set_up()
    fake.take_events()
    return fake


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize(
    ("white", "black", "outcome"),
    [
        ("e4", "d5", Outcome((0,), "resignation")),
        ("d5", "e4", Outcome((0,), "resignation")),
        ("d4", "e5", Outcome((1,), "resignation")),
        ("e4", "e5", Outcome((), "agreement")),
        ("d4", "e4", Outcome((), "agreement")),
    ],
)
def test_kings_in_the_middle_end_the_game(kind: SensorKind, white: str, black: str, outcome: Outcome) -> None:
    table = table_with(Gestures.LEADERS, kind)
    first, second = table.lift("e1"), table.lift("e8")
    table.put(white, first)
    table.wait(200)
    table.put(black, second)
    table.wait(600)
    assert table.take_events() == []
    table.wait(400)
    assert brief(table.take_events()) == [f"ended {outcome.termination}"]
    assert table.session.view().outcome == outcome


def test_kings_in_the_middle_are_an_illegal_move_if_gestures_are_disabled() -> None:
    table = table_with(Gestures.OFF)
    first, second = table.lift("e1"), table.lift("e8")
    table.put("e4", first)
    table.put("d5", second)
    table.wait(1_000)
    assert table.session.view().outcome is None
    assert table.session.view().fault is not None


@pytest.mark.parametrize("kind", SensorKind)
@pytest.mark.parametrize(
    ("position", "first", "second", "outcome"),
    [
        ("8/8/3k4/8/8/5K2/P7/8 w - - 0 40", "f3-e4", "d6-d5", Outcome((0,), "resignation")),
        ("8/8/3k4/8/8/5K2/P7/8 b - - 0 40", "d6-d5", "f3-e4", Outcome((0,), "resignation")),
        ("8/8/4k3/8/8/4K3/P7/8 w - - 0 40", "e3-d4", "e6-e5", Outcome((1,), "resignation")),
        ("8/8/4k3/8/8/4K3/P7/8 b - - 0 40", "e6-d5", "e3-d4", Outcome((), "agreement")),
    ],
)
def test_half_of_a_gesture_that_is_a_legal_move_stays_in_no_record(
    kind: SensorKind, position: str, first: str, second: str, outcome: Outcome
) -> None:
    fake = table_with(Gestures.LEADERS, kind, position=position)
    fake.carry(first[:2], first[3:], after_ms=300)
    fake.wait(1500)
    assert len(fake.record) == 1, "it may be a move"
    fake.carry(second[:2], second[3:], after_ms=300)
    fake.wait(5000)
    assert fake.record == []
    assert fake.session.view().outcome == outcome
    assert "retracted" in " ".join(brief(fake.take_events()))


def test_a_kings_move_into_the_middle_long_before_the_end_stays_in_the_record() -> None:
    fake = table_with(Gestures.LEADERS, position="8/8/3k4/8/8/5K2/P7/8 w - - 0 40")
    fake.carry("f3", "e4", after_ms=300)
    fake.wait(60_000)
    fake.carry("d6", "d5", after_ms=300)
    fake.wait(5000)
    assert fake.record == ["Ke4"]
    assert fake.session.view().outcome == Outcome((0,), "resignation")


@pytest.mark.parametrize("kind", SensorKind)
def test_other_pieces_may_stand_in_the_middle(kind: SensorKind) -> None:
    position = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 9"
    fake = table_with(Gestures.LEADERS, kind, position=position)
    fake.carry("g1", "d4", after_ms=400)
    fake.wait(1200)
    fake.carry("g8", "d5", after_ms=400)
    fake.wait(5000)
    assert fake.record == []
    assert fake.session.view().outcome == Outcome((), "agreement")


def test_a_king_may_take_the_place_of_a_piece_in_the_middle_if_the_sensor_can_tell() -> None:
    position = "r1bq1rk1/pppp1ppp/2n2n2/2b1p3/2B1P3/2N2N2/PPPP1PPP/R1BQ1RK1 w - - 0 9"
    fake = table_with(Gestures.LEADERS, SensorKind.IDENTITY, position=position)
    white, black = fake.lift("g1"), fake.lift("g8")
    fake.lift("e4")
    fake.put("e4", white)
    fake.put("d5", black)
    fake.wait(5000)
    assert fake.session.view().outcome == Outcome((0,), "resignation")


def test_presses_offer_nothing_if_gestures_are_disabled() -> None:
    table = table_with(Gestures.OFF)
    for _ in range(5):
        table.wait(300)
        table.press(0)
    assert brief(table.take_events()) == ["completed press-without-move"]


def test_other_pieces_in_the_middle_are_no_gesture_if_the_sensor_can_tell() -> None:
    table = table_with(Gestures.LEADERS, SensorKind.IDENTITY)
    first, second = table.lift("d1"), table.lift("d8")
    table.put("e4", first)
    table.put("d5", second)
    table.wait(1_000)
    assert table.session.view().outcome is None


def test_kings_in_the_middle_of_an_illegal_board_are_no_gesture() -> None:
    table = table_with(Gestures.LEADERS)
    first, second = table.lift("e1"), table.lift("e8")
    table.lift("a2")
    table.put("e4", first)
    table.put("d5", second)
    table.wait(1_500)
    assert table.session.view().outcome is None


def test_three_presses_offer_a_draw_and_three_of_the_opponent_accept() -> None:
    table = table_with(Gestures.PRESSES, game="close-quarters")
    for side in (0, 1):
        for _ in range(3):
            table.wait(300)
            table.press(side)
    assert brief(table.take_events()) == ["draw offered by 0", "ended agreement"]


def test_five_presses_resign() -> None:
    table = table_with(Gestures.PRESSES, game="close-quarters")
    for _ in range(5):
        table.wait(300)
        table.press(1)
    assert brief(table.take_events()) == ["draw offered by 1", "ended resignation"]
    assert table.session.view().outcome == Outcome((0,), "resignation")


def test_slow_presses_and_presses_of_both_sides_are_no_gesture() -> None:
    table = table_with(Gestures.PRESSES, game="close-quarters")
    for number in range(12):
        table.wait(300 if number % 2 else 700)
        table.press(number // 2 % 2)
    for _ in range(5):
        table.wait(700)
        table.press(0)
    assert set(brief(table.take_events())) == {"completed press-without-move", "mended"}


def test_a_game_without_leaders_accepts_presses_only() -> None:
    for slug in slugs():
        rules = find(slug).rules()
        expected = Gestures.LEADERS if slug in ("chess", "tank-chess") else Gestures.PRESSES
        assert in_force(Gestures.LEADERS, rules) is expected
        assert in_force(Gestures.OFF, rules) is Gestures.OFF
        assert isinstance(rules, HasLeaders) == (expected is Gestures.LEADERS)


def test_a_board_with_a_blocked_middle_has_no_middle_gesture() -> None:
    rules = find("chess").rules()
    cells = rules.grid.cell
    assert middle_of(rules.grid) == Middle((cells("e4"), cells("d5")), (cells("d4"), cells("e5")))
    assert middle_of(find("gottaz").rules().grid) is None


@pytest.mark.parametrize("language", ["en", "de", "es", "fr", "hr", "ja"])
@pytest.mark.parametrize("gestures", list(Gestures))
def test_the_gesture_is_shown_on_page_and_display(language: str, gestures: Gestures) -> None:
    table = table_with(gestures)
    words, view = load(language, "chess", ("white", "black")), table.session.view()
    told, lines = list(notices(view, words)), render(view, words)
    usual = render(table_with(Gestures.OFF).session.view(), words)
    assert len(told) == (gestures is not Gestures.OFF)
    assert (lines == usual) == (gestures is Gestures.OFF)
    if gestures is Gestures.LEADERS:
        assert "e4 d5" in told[0]
        assert words.side(1).name in told[0]


def test_setting_up_after_a_decision_begins_a_new_game() -> None:
    fake = FakeTable(find("chess").rules())
    fake.set_up()
    fake.carry("e2", "e4", after_ms=200)
    fake.wait(1000)
    fake.ask(Resign(1))
    fake.take_events()
    fake.carry("e4", "e2", after_ms=200)
    fake.wait(100)
    assert brief(fake.take_events()) == ["began"]
    assert fake.session.view().outcome is None
    assert fake.session.view().record == ()

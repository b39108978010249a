# SPDX-License-Identifier: Apache-2.0
"""Clocks at a DGT eboard: texts in parts, the lever, and times of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion import games
from companion.eboards.codec import ClockAnswered, ClockButton, ClockRead, Garbled
from companion.eboards.dgt_clock import ClockDisplay, beep, encoded, report_of
from companion.host import settings
from companion.host.journal.journal import CommandEntry
from companion.model.observation import LeverTurned, Observation, Press, SensorKind
from companion.referee.session.session import Session
from companion.referee.values.clocks import Control, Period
from companion.referee.values.controls import read_control
from companion.referee.values.questions import Aspect
from tests.eboards.rig import EboardRig, chess_pieces
from tests.virtual.eboards.dgt import VirtualDgtEboard


def rig_with(eboard: VirtualDgtEboard) -> EboardRig:
    return EboardRig("dgt", eboard, chess_pieces())


def presses(rig: EboardRig) -> list[int]:
    """The sides that have pressed the lever."""
    seen = (entry for entry in rig.kept.entries if isinstance(entry, Observation))
    return [each.side for entry in seen for each in entry.inputs if isinstance(each, LeverTurned)]


@pytest.fixture
def wants_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "settings.toml"
    file.write_text("[boards]\nclock_times = true\n", encoding="utf-8")
    monkeypatch.setattr(settings, "path", lambda: file)


def test_times_have_decimal_digits_and_the_right_player_comes_first() -> None:
    assert report_of(b"\x01\x23\x45\x00\x09\x58\x13") == ClockRead((598, 5025), 0, 0)
    assert report_of(b"\x00\x00\x01\x00\x00\x02\x08") == ClockRead((2, 1), None, 1)
    assert report_of(b"\x00\x00\x01\x00\x00\x02\x20") == ClockRead(None)
    assert report_of(b"\x00\x0b\x01\x00\x00\x02\x08") == Garbled()
    assert report_of(b"\x0a\x10\x0c\x00\x00\x00\x00") == ClockAnswered(is_good=True)
    assert report_of(b"\x0a\x40\x0c\x00\x00\x00\x00") == ClockAnswered(is_good=False)
    assert report_of(b"\x0a\x10\x08\x20\x00\x35\x00") == ClockButton(4)
    assert report_of(b"\x0a\x10\x08\x20\x00\x36\x00") == Garbled()


def test_a_text_has_eight_letters() -> None:
    assert encoded("e4") == b"\x2b\x0c\x03\x0ce4      \x00\x00"


def test_the_clock_shows_what_a_display_shows_in_parts() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    rig = rig_with(eboard)
    rig.advance(10_000)
    whole = " ".join(line for line in rig.pipeline.lines if line)
    assert " ".join(eboard.shown[:-1]).split() == whole.split()
    assert eboard.shown[-1] == eboard.shown[0]
    before = len(eboard.shown)
    rig.advance(10_000)
    assert len(eboard.shown) == before
    rig.play("e2e4")
    rig.advance(10_000)
    assert "e4" in " ".join(eboard.shown[before:]).split()


def test_a_clock_that_acknowledges_nothing_gets_the_next_part_later() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    eboard.is_clock_deaf = True
    rig = rig_with(eboard)
    rig.advance(3000)
    eboard.is_clock_deaf = False
    rig.play("e2e4")
    rig.advance(10_000)
    assert "e4" in " ".join(eboard.shown)
    assert rig.moves == ["e4"]


def test_the_clock_beeps_as_long_as_the_tune_of_a_panel() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    rig = rig_with(eboard)
    lengths = []
    for path in ("e2 e4", "e7 e3", "e3 e7", "f7 f6", "d1 h5"):  # e7 e3 is illegal, h5 a check
        before = len(eboard.beeps)
        rig.carry(path, rest_ms=3000)
        (beeped,) = eboard.beeps[before:]
        assert 0 <= beeped - sum(tone.length_ms for tone in rig.pipeline.tune.tones) < 64
        lengths.append(beeped)
    accepted, illegal, mended, again, check = lengths
    assert accepted == again < mended < check < illegal


def test_a_beep_is_sent_before_the_rest_of_a_text_and_does_not_shorten_it() -> None:
    clock = ClockDisplay()
    clock.show(0, "White moves")
    clock.sound(100)
    assert clock.due_ms() is None, "no clock, no beep"
    clock.connected()
    assert clock.take(0) == encoded("White")
    clock.sound(100)
    assert clock.take(100) == b"", "one message at a time"
    clock.answered(200)
    assert clock.take(200) == beep(100)
    clock.answered(300)
    assert clock.due_ms() == 1700
    assert clock.take(1700) == encoded("moves")


def test_a_clock_that_acknowledges_no_beep_shows_the_text_later() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    rig = rig_with(eboard)
    rig.advance(10_000)
    eboard.is_clock_deaf = True
    before = list(eboard.beeps)
    rig.play("e2e4", rest_ms=1000)
    assert eboard.beeps == before
    eboard.is_clock_deaf = False
    rig.advance(10_000)
    assert "e4" in " ".join(eboard.shown)


def test_without_a_clock_no_text_is_sent() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0)
    rig = rig_with(eboard)
    rig.play("e2e4")
    assert eboard.shown == []
    assert presses(rig) == []


def test_the_lever_is_a_press_and_its_first_position_none() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    eboard.press(1, 0)
    rig = rig_with(eboard)
    rig.play("e2e4")
    eboard.press(0, rig.now_ms)
    rig.advance(500)
    rig.play("e7e5")
    eboard.press(1, rig.now_ms)
    rig.advance(500)
    assert presses(rig) == [0, 1]
    assert rig.moves == ["e4", "e5"]


def test_the_lever_switches_the_clocks_of_the_game() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    rules = games.find("chess").rules()
    control = Control.same(2, Period(300_000), by_moves=False)
    session = Session(rules, SensorKind.IDENTITY, control=control)
    rig = EboardRig("dgt", eboard, chess_pieces(), session=session)
    rig.play("e2e4")
    eboard.press(0, rig.now_ms)
    rig.advance(3000)
    assert [clock.is_running for clock in rig.pipeline.view.clocks] == [False, True]


def timed(control: str, *, eboard: VirtualDgtEboard) -> EboardRig:
    """A game with a time control at *eboard*."""
    session = Session(games.find("chess").rules(), SensorKind.IDENTITY, control=read_control(control, 2))
    return EboardRig("dgt", eboard, chess_pieces(), session=session)


def test_the_clock_is_set_to_the_times_of_the_game_and_shows_them_after_texts() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(0, 0))
    rig = timed("5+3", eboard=eboard)
    rig.advance(10_000)
    assert (*eboard.clock[0], eboard.clock[1]) == (303, 303, None)
    assert eboard.is_showing_times
    assert eboard.shown, "the text came first"
    rig.play("e2e4")
    assert eboard.clock[1] == 1
    rig.advance(20_000)
    assert eboard.clock[0][0] == 306  # the first move is free of time
    assert 280 <= eboard.clock[0][1] <= 284
    rig.play("e7e5")
    rig.advance(2000)
    left, running = eboard.clock
    assert running == 0
    assert 282 <= left[1] <= 287, "with the increment"
    shown = rig.pipeline.view.clocks
    assert abs(shown[1].left_ms / 1000 - left[1]) <= 1


def test_a_clock_that_runs_as_expected_is_not_set_again() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(0, 0))
    rig = timed("5+3", eboard=eboard)
    rig.play("e2e4")
    rig.advance(5000)
    before = eboard.sets
    rig.carry("e7 e7", rest_ms=8000)  # lifted, and put back
    assert eboard.sets == before


def test_a_clock_that_comes_later_is_set_then() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0)
    rig = timed("5", eboard=eboard)
    rig.play("e2e4")
    rig.advance(10_000)
    eboard.connect_clock(rig.now_ms)
    rig.advance(9000)
    assert eboard.clock[1] == 1
    assert 278 <= eboard.clock[0][1] <= 283


def test_the_lever_switches_a_clock_that_was_set_and_gives_the_increment() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(0, 0))
    rig = timed("5+3@press", eboard=eboard)
    rig.play("e2e4")
    eboard.press(0, rig.now_ms)
    rig.advance(10_000)
    assert eboard.clock[1] == 1
    rig.play("e7e5")
    eboard.press(1, rig.now_ms)
    rig.advance(1500)
    left, running = eboard.clock
    assert running == 0
    assert 292 <= left[1] <= 296


def test_a_turned_eboard_has_the_first_side_at_the_right_end() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(0, 0), is_turned=True)
    rig = timed("5+3", eboard=eboard)
    rig.play("e2e4")
    rig.advance(3000)
    assert eboard.clock[1] == 0


@pytest.mark.parametrize(("button", "pressed"), [(0, 0), (1, 0), (2, 2), (3, 1), (4, 1)])
def test_each_button_of_the_clock_is_one_of_a_panel(button: int, pressed: int) -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 300))
    rig = rig_with(eboard)
    eboard.push(button, rig.now_ms)
    rig.advance(500)
    seen = [each for entry in rig.kept.entries if isinstance(entry, Observation) for each in entry.inputs]
    spare = [0, 1][button == 2]
    assert [each.button for each in seen if isinstance(each, Press)] == ([] if spare else [pressed])
    assert rig.pipeline.layers.hints.presses == spare


def test_a_question_is_answered_by_a_button_of_the_clock() -> None:
    eboard = VirtualDgtEboard({}, 0, clock_s=(300, 300))
    rig = EboardRig("dgt", eboard, {}, slug="gottaz")
    rig.put("c2", "N")
    rig.advance(4000)
    assert rig.pipeline.view.question is not None  # which pawn?
    for _ in range(3):  # the first marks a choice, two quick ones take it
        eboard.push(0, rig.now_ms)
        rig.advance(250)
    rig.advance(1000)
    asked = rig.pipeline.view.question
    assert asked is None or asked.aspect is not Aspect.KIND


def test_the_times_of_the_clock_are_shown_if_that_is_wanted(wants_times: None) -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 200))
    rig = rig_with(eboard)
    assert [clock.left_ms for clock in rig.pipeline.view.clocks] == [300_000, 200_000]
    eboard.press(0, rig.now_ms)
    rig.advance(20_500)
    shown = rig.pipeline.view.clocks
    assert [clock.is_running for clock in shown] == [False, True]
    orders = [entry for entry in rig.kept.entries if isinstance(entry, CommandEntry)]
    assert len(orders) == 2, "seconds that pass are no news"
    eboard.press(1, rig.now_ms)
    rig.advance(500)
    left = [clock.left_ms for clock in rig.pipeline.view.clocks]
    assert left[0] == 300_000
    assert abs(left[1] - 180_000) <= 1000


def test_the_times_of_the_clock_are_left_to_it_otherwise() -> None:
    eboard = VirtualDgtEboard(chess_pieces(), 0, clock_s=(300, 200))
    assert rig_with(eboard).pipeline.view.clocks == ()

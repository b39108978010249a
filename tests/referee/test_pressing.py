# SPDX-License-Identifier: Apache-2.0
"""Who presses without a move is told so, once that is sure, and nobody else is; the clock is given back, or goes on after the move."""

from __future__ import annotations

import pytest

from companion.feedback.prompts import prompt
from companion.feedback.text import render
from companion.feedback.words import load
from companion.games import find
from companion.model.observation import Change, LeverTurned, Observation, SensorKind
from companion.model.observation import Press as Pressed
from companion.referee.commands import Pause, Resign, Resume
from companion.referee.events import IllegalSeen
from companion.referee.looks import look
from companion.referee.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, only, running, seconds_left, table

CLOCKED = "completed clock-without-move"
BARE = "completed press-without-move"


def restored_seconds(fake: FakeTable) -> list[float]:
    """What the clocks of the session show that a journal brings back."""
    return [clock.left_ms / 1000 for clock in fake.restored().view().clocks]


def with_clock(clock: str = "60s@press") -> FakeTable:
    """Close Quarters, the Sword to move; where a press drives the clock, the Weapons have started it."""
    fake = table("close-quarters", clock=clock)
    if clock.endswith("press"):
        fake.turn_lever(1)
    fake.wait(3_000)
    fake.take_events()
    return fake


@pytest.mark.parametrize(("clock", "rule"), [("60s@press", CLOCKED), ("60s", BARE), ("none", BARE)])
@pytest.mark.parametrize("is_button", [False, True])
def test_who_presses_without_a_move_is_told_so_once_the_board_has_been_at_rest(
    clock: str, rule: str, is_button: bool
) -> None:
    fake = with_clock(clock)
    fake.observe(Pressed(fake.now_ms, 0) if is_button else LeverTurned(fake.now_ms, 0))
    fake.take_events()
    fake.wait(59)
    assert fake.take_events() == []
    fake.wait(5_000)
    assert brief(fake.take_events()) == [rule]
    assert fake.session.view().phase is Phase.ILLEGAL


def test_it_is_told_whose_turn_it_is_and_what_can_be_done() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(100)
    view = fake.session.view()
    words = load("en", view.game, view.sides)
    assert prompt(view, words) == (
        "The Sword has pressed the clock without a move and is still to move: make a move and press again. "
        "If the other side presses, it gives the time back."
    )
    assert render(view, words) == ("No move made", "Sword to move")
    assert view.fault is not None
    assert view.fault.cells == fake.rules.grid.cells("a1")


@pytest.mark.parametrize("clock", ["60s@press", "60s", "none"])
def test_the_move_that_comes_then_is_the_move_and_whoever_is_to_move_thinks(clock: str) -> None:
    fake = with_clock(clock)
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.take_events()
    fake.carry("a1", "a3", after_ms=300)
    fake.wait(1_000)
    fake.turn_lever(0)
    fake.wait(3_000)
    assert brief(fake.take_events()) == ["mended", "provisional a1-a3", "announced a1-a3"]
    assert running(fake) == ([] if clock == "none" else [1])
    assert fake.session.view().fault is None


def test_while_a_piece_is_in_the_hand_its_targets_are_shown_and_the_fault_again_if_it_is_put_back() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.take_events()
    sword = fake.lift("a1")
    fake.wait(2_000)
    view = fake.session.view()
    assert (view.phase, view.fault) == (Phase.HANDLING, None)
    assert view.targets
    fake.put("a1", sword)
    fake.wait(2_000)
    assert fake.session.view().fault is not None
    assert fake.take_events() == []


def test_an_illegal_move_that_comes_then_is_told_as_such() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.carry("a1", "b4", after_ms=300)
    fake.wait(600)
    assert brief(fake.take_events()) == ["pressed by 0", CLOCKED, "hint sword-shape"]


@pytest.mark.parametrize("clock", ["60s+5@press", "60s+5d@press", "60s/1+5:30s@press", "0.1+2x20@press"])
@pytest.mark.parametrize("waited_ms", [20, 3_000])
def test_the_opponents_press_gives_the_time_back_as_if_it_had_not_run(clock: str, waited_ms: int) -> None:
    fake = with_clock(clock)
    before = seconds_left(fake)
    fake.turn_lever(0)
    fake.wait(waited_ms)
    fake.turn_lever(1)
    told = [CLOCKED, "mended"] if waited_ms > 60 else []
    assert brief(fake.take_events()) == ["pressed by 0", *told, "given back by 1"]
    assert running(fake) == [0]
    assert seconds_left(fake) == before
    assert restored_seconds(fake) == before
    fake.wait(1_000)
    fake.carry("a1", "a3")
    fake.wait(1_000)
    fake.turn_lever(0)
    usual = with_clock(clock)
    usual.wait(1_000)
    usual.carry("a1", "a3")
    usual.wait(1_000)
    usual.turn_lever(0)
    assert seconds_left(fake) == seconds_left(usual)
    assert [line.spent_ms for line in fake.session.view().record] == [
        line.spent_ms for line in usual.session.view().record
    ]


def test_who_presses_first_of_all_has_not_moved_and_the_others_press_begins_the_game() -> None:
    fake = table("close-quarters", clock="60s@press")
    fake.turn_lever(0)
    fake.wait(3_000)
    fake.turn_lever(1)
    assert brief(fake.take_events()) == ["pressed by 0", CLOCKED, "mended", "given back by 1"]
    assert running(fake) == [0]
    assert seconds_left(fake) == [60.0, 60.0]


@pytest.mark.parametrize("clock", ["60s", "none"])
def test_where_no_clock_was_switched_the_opponents_press_settles_it_all_the_same(clock: str) -> None:
    fake = with_clock(clock)
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.turn_lever(1)
    fake.wait(2_000)
    assert brief(fake.take_events()) == [BARE, "mended"]


def test_an_illegal_move_that_was_pressed_for_and_put_right_gives_the_time_back_by_the_same_press() -> None:
    fake = with_clock("60s+5@press")
    fake.carry("a1", "b4")
    before = seconds_left(fake)
    fake.turn_lever(0)
    fake.carry("b4", "a1")
    fake.wait(1_000)
    fake.turn_lever(1)
    assert brief(fake.take_events()) == ["pressed by 0", "completed sword-shape", "mended", "given back by 1"]
    assert seconds_left(fake) == before


def test_of_three_who_gives_the_time_back_is_the_one_whose_clock_runs() -> None:
    fake = table("martian-chess", clock="60s@press", players="3")
    fake.turn_lever(2)
    fake.turn_lever(0)
    fake.wait(1_000)
    fake.take_events()
    fake.observe(Pressed(fake.now_ms, 2))
    assert fake.take_events() == []
    assert running(fake) == [1]
    fake.observe(Pressed(fake.now_ms, 1))
    assert brief(fake.take_events()) == ["mended", "given back by 1"]
    assert running(fake) == [0]
    assert seconds_left(fake) == [60.0, 60.0, 60.0]


# --- who is not accused ---


@pytest.mark.parametrize("clock", ["60s@press", "60s", "none"])
def test_a_second_press_after_the_move_and_one_of_the_other_side_mean_nothing(clock: str) -> None:
    fake = with_clock(clock)
    fake.turn_lever(1)
    fake.wait(1_000)
    fake.carry("a1", "a3", after_ms=200)
    for wait_ms in (20, 100, 2_000):
        fake.turn_lever(0)
        fake.wait(wait_ms)
    assert not only(IllegalSeen, fake.history)


@pytest.mark.parametrize("after_ms", [1, 15, 59])
def test_who_presses_with_one_hand_a_moment_before_the_other_puts_down_has_moved(after_ms: int) -> None:
    fake = with_clock()
    sword = fake.lift("a1")
    fake.wait(300)
    fake.turn_lever(0)
    fake.wait(after_ms)
    fake.put("a3", sword)
    fake.wait(3_000)
    assert brief(fake.take_events()) == ["pressed by 0", "provisional a1-a3", "announced a1-a3"]


def test_who_lifts_the_piece_right_after_the_press_is_moving() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(20)
    fake.carry("a1", "a3", after_ms=3_000)
    fake.wait(3_000)
    assert not only(IllegalSeen, fake.history)


def test_nobody_is_accused_while_setting_up_or_paused_nor_once_the_game_is_over() -> None:
    fake = with_clock()
    fake.ask(Pause())
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.ask(Resume())
    fake.wait(2_000)
    fake.ask(Resign(0))
    fake.turn_lever(1)
    fake.turn_lever(0)
    fake.wait(2_000)
    assert not only(IllegalSeen, fake.history)
    unset = FakeTable(find("close-quarters").rules())
    unset.observe()
    unset.turn_lever(0)
    unset.set_up()
    unset.wait(2_000)
    assert brief(unset.history) == ["began"]


def test_nobody_is_accused_who_presses_when_mated() -> None:
    fake = table("chess", "7k/8/6K1/8/8/8/8/R7 w - - 0 1")
    fake.carry("a1", "a8", after_ms=200)
    fake.wait(3_000)
    fake.turn_lever(1)
    fake.wait(3_000)
    assert brief(fake.take_events())[-1] == "ended checkmate"


def test_a_press_that_answers_a_question_or_comes_while_one_is_open_says_nothing_of_the_next_move() -> None:
    fake = table("chess", "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1")
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(1_000)
    for side in (0, 1, 0, 1):
        fake.press(side)
        fake.wait(1_000)
    assert not only(IllegalSeen, fake.history)


def test_what_nobody_could_sense_is_the_move_that_is_pressed_for() -> None:
    """On switches no tank is seen to turn: the press says that one did, and it is asked which."""
    fake = table("tank-chess")
    fake.turn_lever(0)
    fake.wait(1_000)
    assert fake.session.view().question is not None
    assert not only(IllegalSeen, fake.history)


def test_while_changes_may_have_been_lost_nobody_is_accused() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(40)
    sword = fake.lift_unheard("a1")
    fake.put_unheard("a3", sword)
    fake.report_gap()
    fake.wait(3_000)
    assert brief(fake.take_events()) == ["pressed by 0", "provisional a1-a3", "announced a1-a3"]
    quiet = with_clock()
    quiet.turn_lever(0)
    quiet.wait(40)
    quiet.report_gap()
    quiet.wait(3_000)
    assert brief(quiet.take_events()) == ["pressed by 0"]


def test_a_camera_tells_late_what_hands_did_and_nobody_is_accused_before_it_has_seen_the_board() -> None:
    rules = find("close-quarters").rules()
    fake = FakeTable(rules, SensorKind.IDENTITY)
    fake.set_up()
    fake.take_events()
    fake.hide("a3")
    fake.turn_lever(0)
    fake.wait(2_000)
    assert fake.take_events() == []
    sword = fake.lift_unheard("a1")
    fake.put_unheard("a3", sword)
    fake.hidden = 0
    left = Change(fake.now_ms, rules.grid.cell("a1"), look(None, fake.kind))
    entered = Change(fake.now_ms, rules.grid.cell("a3"), look(sword, fake.kind))
    fake.report(Observation(fake.now_ms, (left, entered), fake.sightings(), fake.now_ms))
    fake.wait(2_000)
    assert brief(fake.take_events()) == ["provisional a1-a3", "announced a1-a3"]
    fake.hide("b1")
    fake.turn_lever(1)
    fake.wait(2_000)
    assert fake.take_events() == []
    fake.hide("")
    assert brief(fake.take_events()) == [BARE]

# SPDX-License-Identifier: Apache-2.0
"""A press without a move is reported once certain, without false alarms.

The clock is given back, or continues after the move.
"""

from __future__ import annotations

import pytest

from companion.feedback.prompts import prompt
from companion.feedback.text import render
from companion.feedback.words import load
from companion.games import find
from companion.model.observation import Change, Observation, SensorKind
from companion.model.observation import Press as Pressed
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Pause, Resign, Resume
from companion.referee.values.events import IllegalSeen
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief, only, running, seconds_left, table

CLOCKED = "completed clock-without-move"
BARE = "completed press-without-move"


def restored_seconds(fake: FakeTable) -> list[float]:
    """The clocks of the session restored from a journal."""
    return [clock.left_ms / 1000 for clock in fake.restored().view().clocks]


def with_clock(clock: str = "60s@press") -> FakeTable:
    """Close Quarters with the Sword to move.

    Where presses switch the clock, the Weapons have started it.
    """
    fake = table("close-quarters", clock=clock)
    if clock.endswith("press"):
        fake.turn_lever(1)
    fake.wait(3_000)
    fake.take_events()
    return fake


def test_the_message_names_the_side_to_move_and_the_remedies() -> None:
    fake = with_clock()
    fake.turn_lever(0)
    fake.wait(100)
    view = fake.session.view()
    words = load("en", view.game, view.sides)
    assert prompt(view, words) == (
        "The Sword has pressed the clock without a move. Make a move, then press again. "
        "The opponent can press to hand the clock back."
    )
    assert render(view, words) == ("No move made", "Sword to move")
    assert view.fault is not None
    assert view.fault.cells == fake.rules.grid.cells("a1")


@pytest.mark.parametrize("clock", ["60s@press", "60s", "none"])
def test_a_move_after_the_press_counts_and_the_side_to_move_thinks(clock: str) -> None:
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


def test_targets_replace_the_fault_while_a_piece_is_lifted() -> None:
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


@pytest.mark.parametrize("clock", ["60s+5@press", "60s+5d@press", "60s/1+5:30s@press", "0.1+2x20@press"])
@pytest.mark.parametrize("waited_ms", [20, 3_000])
def test_the_opponents_press_restores_the_time(clock: str, waited_ms: int) -> None:
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


def test_a_first_press_without_a_move_is_reported_and_the_opponents_press_begins_the_game() -> None:
    fake = table("close-quarters", clock="60s@press")
    fake.turn_lever(0)
    fake.wait(3_000)
    fake.turn_lever(1)
    assert brief(fake.take_events()) == ["pressed by 0", CLOCKED, "mended", "given back by 1"]
    assert running(fake) == [0]
    assert seconds_left(fake) == [60.0, 60.0]


def test_the_time_of_a_pressed_and_corrected_illegal_move_is_restored_by_the_same_press() -> None:
    fake = with_clock("60s+5@press")
    fake.carry("a1", "b4")
    before = seconds_left(fake)
    fake.turn_lever(0)
    fake.carry("b4", "a1")
    fake.wait(1_000)
    fake.turn_lever(1)
    assert brief(fake.take_events()) == ["pressed by 0", "completed sword-shape", "mended", "given back by 1"]
    assert seconds_left(fake) == before


def test_the_side_whose_clock_runs_gives_the_time_back_among_three() -> None:
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


# --- no false alarms ---


def test_no_press_is_reported_during_set_up_or_pause_or_after_the_end() -> None:
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


def test_no_press_is_reported_before_the_camera_has_seen_the_board() -> None:
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


def test_a_press_while_a_sliding_piece_closes_two_switches_is_no_press_with_an_added_piece() -> None:
    fake = with_clock()
    sword = fake.on[fake.rules.grid.cell("a1")]
    fake.put("a2", sword)
    fake.wait(2)
    fake.turn_lever(0)
    fake.wait(18)
    fake.lift("a1")
    fake.wait(3_000)
    assert not [event for event in fake.take_events() if isinstance(event, IllegalSeen)]
    assert fake.record == ["a1-a2"]

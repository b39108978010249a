# SPDX-License-Identifier: Apache-2.0
"""The start of the first clock of a game, and that no clock runs before."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.games import find
from companion.model.game import Outcome
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.commands import (
    Answer,
    Hold,
    NewGame,
    Pause,
    Release,
    Resign,
    Resume,
    StartClock,
    TakeBack,
)
from companion.referee.values.controls import read_control
from companion.referee.values.events import ClockStarted, GameBegan, MoveMade, Stage
from companion.referee.values.view import ClockStart
from tests.fakes import FakeTable
from tests.referee.support import brief, only, running, seconds_left, table

CONTROLS = ("60s", "60s+2", "60s+2b", "60s+2d", "20s+2x10", "60shourglass", "60s/2+2:30s", "60s,30s")
HOUR_MS = 3_600_000


def waiting(
    slug: str = "close-quarters", position: str = "", clock: str = "60s", **options: str
) -> FakeTable:
    """A table of *slug*, set up, whose clock has not been started."""
    return table(slug, position, SensorKind.OCCUPANCY, "", clock, is_started=False, **options)


def agrees(fake: FakeTable) -> None:
    """The journal restores the same clocks, stopped."""
    fake.ask(Pause())
    again = fake.restored().view()
    now = fake.session.view()
    assert [(clock.left_ms, clock.spans) for clock in again.clocks] == [
        (clock.left_ms, clock.spans) for clock in now.clocks
    ]
    assert again.clock_start is now.clock_start
    assert [line.spent_ms for line in again.record] == [line.spent_ms for line in now.record]
    fake.ask(Resume())


@pytest.mark.parametrize("clock", [*CONTROLS, *(f"{control}@press" for control in CONTROLS)])
def test_no_clock_runs_and_no_flag_falls_before_the_first_move_or_press(clock: str) -> None:
    fake = waiting(clock=clock)
    full = seconds_left(fake)
    fake.wait(HOUR_MS)
    assert seconds_left(fake) == full
    assert running(fake) == []
    assert fake.take_events() == []
    pressed = clock.endswith("@press")
    assert fake.session.view().clock_start is (ClockStart.PRESS if pressed else ClockStart.MOVE)


@pytest.mark.parametrize("clock", CONTROLS)
def test_the_first_move_is_free_and_starts_the_next_clock_at_its_time(clock: str) -> None:
    fake = waiting(clock=clock)
    full = seconds_left(fake)
    fake.wait(HOUR_MS)
    fake.carry("a1", "a3", after_ms=400)
    fake.wait(1_500)
    assert [line.spent_ms for line in fake.session.view().record] == [0]
    assert running(fake) == [1]
    assert fake.session.view().clock_start is None
    assert fake.session.view().clocks[1].at(fake.now_ms).delay_ms == (500 if clock.endswith("d") else 0)
    used = 0 if clock.endswith("d") else 1.5
    gained = 1.5 if clock.endswith("hourglass") else 2 if clock in ("60s+2", "60s/2+2:30s") else 0
    assert seconds_left(fake) == [full[0] + gained, full[1] - used]
    agrees(fake)


def test_the_first_ply_is_one_of_those_that_end_the_first_period() -> None:
    fake = waiting(clock="60s/2:30s")
    for source, target in (("a1", "a3"), ("d8", "d3"), ("a3", "b4")):
        fake.carry(source, target)
        fake.wait(1_000)
    assert seconds_left(fake)[0] == 60 + 30 - 1


@pytest.mark.parametrize("clock", ["60s/2:30s@press"])
def test_the_first_move_is_free_also_with_a_press_before_it(clock: str) -> None:
    fake = waiting(clock=clock)
    for number, (source, target) in enumerate((("a1", "a3"), ("d8", "d3"), ("a3", "b4"))):
        fake.carry(source, target)
        fake.wait(1_000)
        fake.turn_lever(number % 2)
    assert seconds_left(fake)[0] == 60 + 30 - 1
    agrees(fake)


def test_a_first_move_that_is_put_back_stops_the_clock_again() -> None:
    fake = waiting(take_back="yes")
    fake.carry("a1", "a3")
    fake.wait(1_500)
    assert running(fake) == [1]
    fake.carry("a3", "a1", after_ms=200)
    fake.wait(1_500)
    assert fake.record == []
    assert running(fake) == []
    assert fake.session.view().clock_start is ClockStart.MOVE
    fake.wait(HOUR_MS)
    assert seconds_left(fake) == [60, 60]
    agrees(fake)


def test_taking_back_all_moves_stops_the_clock_again() -> None:
    fake = waiting(take_back="yes")
    for source, target in (("a1", "a3"), ("d8", "d3")):
        fake.carry(source, target)
        fake.wait(1_500)
    fake.ask(TakeBack(2))
    fake.set_up()
    fake.wait(HOUR_MS)
    assert seconds_left(fake) == [60, 60]
    assert fake.session.view().clock_start is ClockStart.MOVE
    agrees(fake)


def test_an_answer_about_the_first_move_does_not_change_the_clocks() -> None:
    fake = waiting("chess", "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1")
    fake.wait(HOUR_MS)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(5_000)
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(3_000)
    before = seconds_left(fake)
    assert before == [57, 54.8]
    fake.ask(Answer(0, 3))
    fake.wait(0)
    assert seconds_left(fake) == before
    assert [line.spent_ms for line in fake.session.view().record] == [0, 5_200]
    agrees(fake)


def test_an_answer_in_a_pause_records_the_time_of_the_first_move() -> None:
    fake = waiting("chess", "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1")
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(2_000)
    fake.ask(Pause())
    fake.wait(HOUR_MS)
    fake.ask(Answer(0, 3))
    made = next(each for each in only(MoveMade, fake.history) if each.stage is Stage.ANNOUNCED)
    assert made.spent_ms == 0
    assert made.started_ms == fake.now_ms - HOUR_MS - 2_000
    assert seconds_left(fake) == [60, 58]


def test_only_the_opponents_press_starts_the_first_clock_where_moves_switch_it() -> None:
    fake = waiting("martian-chess", players="3")
    assert fake.session.view().pressers == (1, 2)
    fake.turn_lever(0)
    assert running(fake) == []
    fake.take_events()
    fake.press(2)
    assert brief(fake.take_events()) == ["clock of 0 started"]
    fake.wait(2_000)
    fake.press(1)
    assert fake.take_events() == []
    assert running(fake) == [0]
    assert seconds_left(fake) == [58, 60, 60]
    agrees(fake)


def test_the_first_move_starts_the_clock_of_the_second_of_three() -> None:
    fake = waiting("martian-chess", players="3")
    fake.wait(HOUR_MS)
    fake.carry("A21", "A10")
    fake.wait(2_000)
    assert running(fake) == [1]
    assert seconds_left(fake) == [60, 58, 60]


def test_the_first_press_starts_the_opponents_clock_where_presses_switch_it() -> None:
    opponent, mover = waiting(clock="60s@press"), waiting(clock="60s@press")
    opponent.turn_lever(1)
    assert running(opponent) == [0]
    mover.carry("a1", "a3")
    mover.wait(HOUR_MS)
    assert running(mover) == []
    mover.turn_lever(0)
    assert running(mover) == [1]
    assert seconds_left(mover) == [60, 60]
    agrees(mover)


@pytest.mark.parametrize("clock", ["60s", "60s@press"])
@pytest.mark.parametrize("command", [StartClock(), Release(starts_clock=True)])
def test_a_start_command_runs_the_first_clock_without_a_move(
    clock: str, command: StartClock | Release
) -> None:
    fake = waiting(clock=clock)
    fake.wait(HOUR_MS)
    fake.ask(command)
    fake.ask(command)
    assert brief(fake.take_events()) == ["clock of 0 started"]
    fake.wait(2_000)
    assert seconds_left(fake) == [58, 60]
    agrees(fake)
    fake.wait(HOUR_MS)
    assert fake.session.view().outcome == Outcome((1,), "time")


@pytest.mark.parametrize("clock", ["60s", "60s@press"])
def test_an_arbiters_start_waits_for_the_board_that_is_still_set_up(clock: str) -> None:
    rules = find("close-quarters").rules()
    fake = FakeTable(rules, control=read_control(clock, 2))
    fake.ask(Release(starts_clock=True))
    fake.ask(Release(starts_clock=True))
    assert fake.history == [ClockStarted(fake.now_ms)]
    fake.wait(HOUR_MS)
    again = FakeTable(rules, session=fake.restored())
    for each in (fake, again):
        each.set_up()
        began = only(GameBegan, each.history)[0].at_ms
        each.wait(began + 2_000 - each.now_ms)
        assert seconds_left(each) == [58, 60]
    agrees(fake)


def test_players_cannot_start_the_clock_of_a_game_that_an_arbiter_holds_or_that_is_over() -> None:
    fake = waiting()
    fake.ask(Hold())
    fake.ask(StartClock())
    assert running(fake) == []
    fake.ask(Release())
    assert running(fake) == []
    assert fake.session.view().clock_start is ClockStart.MOVE
    fake.ask(Resign(0))
    fake.take_events()
    fake.ask(StartClock())
    assert fake.take_events() == []
    assert fake.session.view().clock_start is None


def test_a_pause_before_the_first_move_changes_nothing() -> None:
    fake = waiting()
    fake.ask(Pause())
    fake.ask(Resume())
    fake.wait(HOUR_MS)
    assert running(fake) == []
    assert seconds_left(fake) == [60, 60]


def test_the_clock_of_a_new_game_waits_like_that_of_the_first() -> None:
    fake = waiting()
    fake.carry("a1", "a3")
    fake.wait(5_000)
    fake.ask(NewGame())
    fake.set_up()
    fake.wait(HOUR_MS)
    assert seconds_left(fake) == [60, 60]
    assert fake.session.view().clock_start is ClockStart.MOVE
    fake.carry("a1", "a2")
    fake.wait(1_000)
    assert seconds_left(fake) == [60, 59]


def test_a_start_that_was_due_does_not_outlive_the_game() -> None:
    fake = waiting()
    fake.carry("a1", "a3")
    fake.wait(1_500)
    fake.ask(NewGame())
    fake.ask(Release(starts_clock=True))
    fake.ask(Resign(1))
    fake.set_up()
    fake.ask(NewGame())
    fake.set_up()
    fake.wait(HOUR_MS)
    assert seconds_left(fake) == [60, 60]


def test_a_game_without_clocks_and_one_whose_clock_runs_wait_for_nothing() -> None:
    for fake in (table("close-quarters"), table("close-quarters", clock="60s")):
        assert fake.session.view().clock_start is None
        fake.take_events()
        fake.ask(StartClock())
        assert fake.take_events() == []


def test_a_journal_from_before_this_rule_keeps_its_clocks() -> None:
    control = read_control("60s", 2)
    assert control is not None
    rules = find("close-quarters").rules()
    fake = FakeTable(rules, session=Session(rules, control=replace(control, starts_by_hand=False)))
    fake.set_up()
    began = only(GameBegan, fake.history)[0].at_ms
    fake.wait(began + 5_000 - fake.now_ms)
    assert running(fake) == [0]
    assert seconds_left(fake) == [55, 60]
    fake.carry("a1", "a3")
    fake.wait(1_000)
    assert [line.spent_ms for line in fake.session.view().record] == [5_000]
    agrees(fake)

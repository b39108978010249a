# SPDX-License-Identifier: Apache-2.0
"""Alarms at the arbiter's desk, and the delay for spectators."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.feedback.glance import Glance
from companion.feedback.wordfiles import languages
from companion.host.hall import word_files
from companion.host.hall.core.delay import Feed
from companion.host.hall.core.journal_sync import Lacking
from companion.host.hall.core.station_states import (
    COPYING_MS,
    LONG_MS,
    SILENT_MS,
    Hello,
    StationStates,
    Urgency,
)
from companion.host.hall.core.taken_alarms import TakenAlarms
from companion.model.errors import TournamentError
from companion.model.game import Outcome

QUIET = Glance("chess", "waiting", 0, 1, ())


def hall(**stations: Glance) -> StationStates:
    seats = StationStates()
    for name, glance in stations.items():
        seats.greet(Hello(name, "i", name, "chess"), 0)
        seats.show(name, "i", glance, 0)
    return seats


def kept_alive(seats: StationStates, until_ms: int) -> StationStates:
    for name, seat in list(seats.known.items()):
        seats.greet(seat.hello, until_ms)
        assert seats.known[name].glance == seat.glance
    return seats


def test_a_quiet_hall_has_no_alarms() -> None:
    assert hall(red=QUIET, blue=QUIET).alarms(1) == ()


def test_alarms_are_sorted_by_urgency_and_the_newest_stands_first() -> None:
    seats = hall(
        red=replace(QUIET, question="Which move was it?"),
        blue=replace(QUIET, outcome=Outcome((0,), "checkmate"), result="White wins."),
    )
    seats.show("red", "i", replace(QUIET, question="Which move was it?"), 500)
    seats.greet(Hello("late", "i", "late", "chess"), 900)
    seats.show("late", "i", replace(QUIET, fault="It may not jump.", is_completed=True), 1000)
    seats.greet(Hello("later", "i", "later", "chess"), 900)
    seats.show("later", "i", replace(QUIET, fault="It may not jump.", is_completed=True), 1001)
    assert [(alarm.board, alarm.kind, alarm.urgency) for alarm in seats.alarms(1001)] == [
        ("later", "illegal", Urgency.GO),
        ("late", "illegal", Urgency.GO),
        ("blue", "result", Urgency.LOOK),
        ("red", "question", Urgency.INFORM),
    ]


def test_a_turn_begins_with_the_move_and_not_with_a_lifted_piece() -> None:
    seats = hall(red=QUIET)
    for now_ms, shown, turn_ms in (
        (1000, replace(QUIET, ply=2), 1000),
        (2000, replace(QUIET, ply=2, phase="handling"), 1000),
        (3000, replace(QUIET, ply=2, outcome=Outcome((0,), "resignation")), 3000),
        (4000, replace(QUIET, ply=0, awaits_clock=True), 4000),
        (5000, replace(QUIET, ply=0), 5000),
    ):
        seats.show("red", "i", shown, now_ms)
        assert seats.known["red"].turn_ms == turn_ms


def test_an_alarm_is_taken_by_one_arbiter_until_it_ends() -> None:
    seats, taken = hall(red=replace(QUIET, question="Which move was it?"), blue=QUIET), TakenAlarms()
    taken.take("Ben", "red", "question", seats.alarms(1))
    assert [taken.holder(alarm) for alarm in seats.alarms(2)] == ["Ben"]
    with pytest.raises(TournamentError, match="Ben has taken the alarm at red already"):
        taken.take("Ana", "red", "question", seats.alarms(3))
    taken.give_back("red", "question", seats.alarms(3))
    taken.take("Ana", "red", "question", seats.alarms(4))
    assert taken.arbiters == ["Ben", "Ana"]
    seats.show("red", "i", QUIET, 5)
    with pytest.raises(TournamentError, match="the alarm at red is over"):
        taken.take("Ana", "red", "question", seats.alarms(6))
    seats.show("red", "i", replace(QUIET, question="Which move was it?"), 7)
    assert [taken.holder(alarm) for alarm in seats.alarms(8)] == [""]


def test_an_alarm_that_changes_its_kind_stays_taken() -> None:
    seats, taken = hall(red=replace(QUIET, fault="It may not jump.")), TakenAlarms()
    taken.take("Ben", "red", "hint", seats.alarms(1))
    seats.show("red", "i", replace(QUIET, fault="It may not jump.", is_completed=True), 2)
    assert [(alarm.kind, taken.holder(alarm)) for alarm in seats.alarms(2)] == [("illegal", "Ben")]
    with pytest.raises(TournamentError, match="Ben has taken the alarm at red already"):
        taken.take("Ana", "red", "hint", seats.alarms(2))
    seats.show("red", "i", replace(QUIET, question="Which move was it?"), 3)
    assert [taken.holder(alarm) for alarm in seats.alarms(3)] == ["Ben"]
    taken.give_back("red", "illegal", seats.alarms(3))
    assert [taken.holder(alarm) for alarm in seats.alarms(3)] == [""]
    seats.show("red", "i", replace(QUIET, outcome=Outcome((0,), "checkmate")), 4)
    assert [taken.holder(alarm) for alarm in seats.alarms(4)] == [""], "a result is another matter"


def test_an_overdue_journal_is_an_alarm() -> None:
    seats = StationStates()
    lacking = tuple(Lacking(f"game-{number}.jsonl", 9, 1) for number in range(5))
    seats.greet(Hello("red", "i", "red", "chess", lacking=lacking), 0)
    kept_alive(seats, COPYING_MS)
    assert seats.alarms(COPYING_MS) == ()
    (alarm,) = seats.alarms(COPYING_MS + 1)
    assert (alarm.kind, alarm.urgency, alarm.since_ms) == ("copy", Urgency.LOOK, 0)
    assert alarm.text == "game-0.jsonl, game-1.jsonl, game-2.jsonl +2"
    other = replace(lacking[0], is_foreign=True)
    seats.greet(Hello("red", "i", "red", "chess", lacking=(other,)), COPYING_MS + 2)
    assert [(alarm.kind, alarm.text) for alarm in seats.alarms(COPYING_MS + 2)] == [
        ("foreign", "game-0.jsonl")
    ]
    seats.greet(Hello("red", "i", "red", "chess"), COPYING_MS + 3)
    assert seats.alarms(COPYING_MS + 3) == ()


@pytest.mark.parametrize("language", languages())
def test_faults_of_journals_are_reported_in_every_language(language: str) -> None:
    assert all("{text}" in word_files.load(language).texts[f"alarm_{kind}"] for kind in ("copy", "foreign"))


def test_a_station_that_begins_with_a_fault_is_an_alarm_at_once() -> None:
    seats = StationStates()
    seats.greet(Hello("red", "i", "red", "chess", trouble="unplugged"), 7)
    assert [(alarm.kind, alarm.since_ms) for alarm in seats.alarms(8)] == [("sensor", 7)]


def test_a_fault_that_players_can_correct_becomes_urgent_after_a_while() -> None:
    seats = hall(red=replace(QUIET, fault="It may not jump."))
    assert [alarm.urgency for alarm in seats.alarms(1)] == [Urgency.INFORM]
    kept_alive(seats, LONG_MS + 1)
    (alarm,) = seats.alarms(LONG_MS + 2)
    assert (alarm.urgency, alarm.kind, alarm.since_ms) == (Urgency.GO, "hint", 0)
    seats.show("red", "i", QUIET, LONG_MS + 3)
    assert seats.alarms(LONG_MS + 4) == ()


def test_a_silent_station_is_missing() -> None:
    seats = hall(red=QUIET)
    assert seats.alarms(SILENT_MS) == ()
    assert [alarm.kind for alarm in seats.alarms(SILENT_MS + 1)] == ["silent"]
    seats.forget("red")
    assert seats.alarms(SILENT_MS + 1) == ()


@given(
    st.lists(st.tuples(st.integers(0, 500), st.sampled_from("ab")), max_size=40),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 300)), max_size=40),
)
def test_spectators_never_see_anything_newer_than_the_delay(
    gaps: list[tuple[int, str]], looks: list[tuple[int, int]]
) -> None:
    feed: Feed[int] = Feed()
    now_ms = 0
    put: dict[str, list[int]] = {"a": [], "b": []}
    for (gap_ms, station), (wait_ms, delay_ms) in zip(gaps, looks, strict=False):
        now_ms += gap_ms
        feed.put(station, now_ms, now_ms)
        put[station].append(now_ms)
        now_ms += wait_ms
        before = feed.shown.get(station)
        has_changed = feed.release(station, delay_ms, now_ms)
        after = feed.shown.get(station)
        assert has_changed == (before != after)
        if has_changed:
            assert after is not None
            assert after + delay_ms <= now_ms
        assert (station in feed.waiting) == (put[station][-1] != after)
        if station in feed.waiting:
            due_ms = next(each for each in put[station] if after is None or each > after) + delay_ms
            assert due_ms > now_ms
            assert not feed.release(station, delay_ms, due_ms - 1), "it must not be released even 1 ms early"


def test_states_that_were_put_back_are_released_in_their_order() -> None:
    feed: Feed[str] = Feed()
    feed.put("a", "one", 0)
    feed.put("a", "two", 10)
    feed.release("a", 5, 5)
    feed.take_back("a", 10, 10)
    assert feed.shown == {"a": "one"}, "its delay has passed"
    feed.take_back("a", 20, 10)
    assert (feed.shown, feed.newest("a")) == ({}, "two")
    for now_ms, shown in ((19, {}), (20, {"a": "one"}), (30, {"a": "two"})):
        feed.release("a", 20, now_ms)
        assert feed.shown == shown


def test_without_a_delay_the_newest_state_is_shown_at_once() -> None:
    feed: Feed[str] = Feed()
    feed.put("a", "one", 5)
    feed.put("a", "two", 6)
    assert feed.release("a", 0, 6)
    assert feed.shown == {"a": "two"}
    feed.forget("a")
    assert feed.shown == {}

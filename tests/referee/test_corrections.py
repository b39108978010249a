# SPDX-License-Identifier: Apache-2.0
"""An arbiter corrects clocks, record and position; a restarted table agrees."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.feedback.page import commands
from companion.feedback.prompts import prompt
from companion.feedback.words import load
from companion.games import find
from companion.host.journal.journal import FORMAT, Header, Journal
from companion.host.journal.setup import GameSetup
from companion.host.records.records import from_journal
from companion.model.errors import OrderRefused
from companion.referee.values.commands import (
    AdjustClock,
    Correct,
    Hold,
    NewGame,
    Pause,
    Release,
    Resign,
    Restore,
    Resume,
    StartClock,
    TakeBack,
)
from companion.referee.values.controls import read_control
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import brief

MOVES = (("a1", "a3"), ("d8", "d3"), ("a3", "b4"))


def begun(plies: int = 3, control: str = "60s", take_back: str = "no") -> FakeTable:
    """A table of Close Quarters with clocks, after *plies*."""
    table = FakeTable(
        find("close-quarters").rules({"take_back": take_back}), control=read_control(control, 2)
    )
    table.set_up()
    for source, target in MOVES[:plies]:
        table.wait(2_000)
        table.carry(source, target)
        table.wait(1_000)
    table.take_events()
    return table


def left(table: FakeTable) -> list[int]:
    """The current clocks."""
    table.session.tick(table.now_ms)
    return [clock.left_ms for clock in table.session.view().clocks]


def phase(table: FakeTable) -> Phase:
    return table.session.phase


def journal_of(table: FakeTable) -> Journal:
    header = Header(
        FORMAT,
        "test",
        datetime(2026, 11, 21, 19).astimezone().isoformat(),
        GameSetup("close-quarters"),
        DEFAULT_TIMING,
        control=table.session.control,
    )
    return Journal(Path("game.jsonl"), header, tuple(table.entries), 0)


def agrees_after_a_restart(table: FakeTable) -> None:
    """The events lead to the state of the session."""
    again = table.restored()
    assert again.position == table.session.position
    assert [move.move for move in again.view().record] == table.record
    found = [clock.left_ms for clock in again.view().clocks]
    assert found == pytest.approx(left(table), abs=1_000)


def test_a_wrong_move_on_record_is_replaced_and_play_goes_on_when_the_board_agrees() -> None:
    table = begun()
    table.ask(Correct(2, ("a3-b3",)))
    assert brief(table.take_events()) == ["settled a3-b4", "corrected from 2: a3-b3"]
    assert table.record == ["a1-a3", "d8-d3!", "a3-b3"]
    assert phase(table) is Phase.SETTING_UP
    table.carry("b4", "b3")
    table.wait(100)
    assert brief(table.take_events()) == ["resumed"]
    agrees_after_a_restart(table)
    table.carry("d3", "d4")
    table.wait(1_000)
    assert brief(table.take_events())[-1] == "announced d3-d4"


def test_play_continues_at_once_if_the_corrected_record_matches_the_board() -> None:
    table = begun()
    table.ask(Correct(0, ("a1-a3", "d8-d3!", "a3-b4")))
    table.wait(100)
    assert brief(table.take_events())[-1] == "resumed"
    assert phase(table) is Phase.WAITING


def test_a_record_is_cut_even_where_players_may_not_take_back() -> None:
    table = begun()
    assert not table.rules.allows_take_back
    table.ask(TakeBack())
    assert len(table.record) == 3
    table.ask(Correct(1))
    assert table.record == ["a1-a3"]
    table.carry("d3", "d8")
    table.carry("b4", "a3")
    table.wait(100)
    assert phase(table) is Phase.WAITING
    assert table.session.position.turn == 1
    agrees_after_a_restart(table)


def test_the_clocks_stay_when_the_record_is_corrected_and_stand_until_the_board_agrees() -> None:
    table = begun()
    before = left(table)
    table.ask(Correct(1, ("d8-d4",)))
    assert left(table) == before
    table.wait(30_000)
    assert left(table) == before
    table.set_up()
    table.wait(1_000)
    assert left(table)[0] < before[0]
    assert left(table)[1] == before[1]


def test_a_correction_that_cannot_be_played_names_the_move_and_changes_nothing() -> None:
    table = begun()
    before = table.record, phase(table), left(table)
    with pytest.raises(OrderRefused, match="move 3, a3-a9, cannot be played"):
        table.ask(Correct(2, ("a3-a9",)))
    with pytest.raises(OrderRefused, match="the record has 3 moves"):
        table.ask(Correct(4))
    assert (table.record, phase(table), left(table)) == before


def test_a_correction_may_end_the_game_or_reopen_it() -> None:
    table = begun(0)
    for source, target in (("a1", "b2"), ("d8", "b8"), ("b2", "c3"), ("b8", "b2")):
        table.carry(source, target)
        table.wait(1_500)
    table.take_events()
    table.ask(Correct(4, ("c3xb2", "d1xb2#")))
    assert brief(table.take_events())[-1] == "ended sword-eliminated"
    assert phase(table) is Phase.FINISHED
    with pytest.raises(OrderRefused, match="comes after the end of the game"):
        table.ask(Correct(4, ("c3xb2", "d1xb2#", "b2-b3")))
    table.ask(Correct(4))
    assert phase(table) is Phase.WAITING  # the last moves were never made on the board
    assert table.session.view().outcome is None
    assert journal_of(table).is_under_way
    agrees_after_a_restart(table)


def test_a_corrected_game_is_kept_as_corrected_and_says_so() -> None:
    table = begun()
    table.ask(Correct(2, ("a3-b3", "d3-d4")))
    (game,) = from_journal(journal_of(table))
    assert game.record.moves == ("a1-a3", "d8-d3!", "a3-b3", "d3-d4")
    assert game.record.tags["Corrected"] == "3"
    assert [move.side for move in game.moves] == [0, 1, 0, 1]


def test_a_correction_keeps_a_position_that_was_let_stand_before_it_and_drops_one_after() -> None:
    table = begun(2)
    adopted = table.rules.write_position(table.session.position)
    table.ask(Restore(adopted))
    table.wait(100)
    table.carry("a3", "b4")
    table.wait(1_500)
    table.ask(Correct(2, ("a3-b3",)))
    (kept,) = from_journal(journal_of(table))
    assert (kept.record.moves, dict(kept.record.adopted)) == (("a1-a3", "d8-d3!", "a3-b3"), {2: adopted})
    table.ask(Correct(1))
    (kept,) = from_journal(journal_of(table))
    assert (kept.record.moves, dict(kept.record.adopted)) == (("a1-a3",), {})


def test_a_position_is_restored_with_guidance_and_play_goes_on_from_it() -> None:
    table = begun(1)
    wanted = table.rules.write_position(table.session.position)
    table.carry("d8", "d3")
    table.wait(1_000)
    before = left(table)
    table.ask(Restore(wanted))
    view = table.session.view()
    assert view.phase is Phase.SETTING_UP
    assert [(table.rules.grid.name(guide.target or 0)) for guide in view.guides] == ["d8"]
    table.wait(5_000)
    assert left(table) == before
    table.carry("d3", "d8")
    table.wait(100)
    assert brief(table.take_events())[-1] == "resumed"
    assert table.rules.write_position(table.session.position) == wanted
    agrees_after_a_restart(table)


def test_an_invalid_position_is_not_restored() -> None:
    with pytest.raises(OrderRefused, match="this is not a position"):
        begun().ask(Restore("nonsense"))
    with pytest.raises(OrderRefused, match="no game is on"):
        FakeTable(find("chess").rules()).ask(Restore("8/8/8/8/8/8/8/8 w - - 0 1"))


def test_time_is_given_and_taken_and_kept_when_plies_are_taken_back() -> None:
    table = begun(take_back="yes")
    before = left(table)
    table.ask(AdjustClock(1, 30_000))
    table.ask(AdjustClock(0, -5_000))
    assert left(table) == [before[0] - 5_000, before[1] + 30_000]
    assert brief(table.take_events()) == ["clock 1 +30000", "clock 0 -5000"]
    agrees_after_a_restart(table)
    table.ask(TakeBack(3))
    assert table.record == []
    assert left(table)[1] == 90_000
    assert left(table)[0] == 55_000


def test_a_flag_falls_if_more_is_taken_than_is_left() -> None:
    table = begun()
    table.ask(AdjustClock(1, -100_000))
    table.wait(10)
    assert brief(table.take_events())[-1] == "ended time"


def test_clocks_are_adjusted_only_where_time_is_kept_and_a_game_goes_on() -> None:
    untimed = FakeTable(find("close-quarters").rules())
    with pytest.raises(OrderRefused, match="no time is kept"):
        untimed.ask(AdjustClock(0, 1))
    table = begun()
    with pytest.raises(OrderRefused, match="there is no side 2"):
        table.ask(AdjustClock(2, 1))
    table.ask(Resign(0))
    with pytest.raises(OrderRefused, match="the game is over"):
        table.ask(AdjustClock(0, 1))


def test_a_held_table_is_set_up_and_its_clock_waits_for_the_start() -> None:
    table = FakeTable(find("close-quarters").rules(), control=read_control("60s", 2))
    table.ask(Hold())
    table.set_up()
    assert brief(table.take_events()) == ["held", "began", "paused"]
    table.wait(600_000)
    assert left(table) == [60_000, 60_000]
    table.ask(Release(starts_clock=True))
    assert brief(table.take_events()) == ["resumed", "clock of 0 started"]
    table.wait(1_000)
    assert left(table) == [59_000, 60_000]
    agrees_after_a_restart(table)


def test_a_table_released_before_its_set_up_begins_afterwards() -> None:
    table = FakeTable(find("close-quarters").rules(), control=read_control("60s", 2))
    table.ask(Hold())
    table.ask(Release(starts_clock=True))
    table.set_up()
    assert brief(table.take_events()) == ["held", "resumed", "clock started with play", "began"]
    table.wait(500)
    assert left(table)[0] < 60_000 == left(table)[1]
    agrees_after_a_restart(table)


def test_players_cannot_resume_what_an_arbiter_holds() -> None:
    table = begun()
    table.ask(Hold())
    assert phase(table) is Phase.PAUSED
    view = table.session.view()
    assert "resume" not in set(commands(view))
    assert prompt(view, load("en", "close-quarters", view.sides)) == "The arbiter has paused the game."
    table.ask(Resume())
    assert brief(table.take_events()) == ["held", "paused"]
    table.ask(Release())
    assert phase(table) is Phase.WAITING


@pytest.mark.parametrize("is_set_up", [True, False])
def test_a_held_table_stays_held_after_a_restart_but_a_paused_one_does_not(
    is_set_up: bool,
) -> None:
    table = FakeTable(find("close-quarters").rules(), control=read_control("60s", 2))
    table.ask(Hold())
    if is_set_up:
        table.set_up()
    for order, wanted in ((None, Phase.PAUSED), (Release(), Phase.WAITING), (Pause(), Phase.WAITING)):
        if order is not None:
            table.ask(order)
        again = table.restored()
        later = FakeTable(table.rules, session=again)
        later.set_up()
        assert phase(later) is wanted


def test_a_game_held_in_the_middle_is_paused_until_released_or_ended() -> None:
    table = begun()
    table.ask(Hold())
    table.ask(Hold())
    assert brief(table.take_events()) == ["held", "paused"]
    table.ask(Resign(1))
    assert phase(table) is Phase.FINISHED
    with pytest.raises(OrderRefused, match="nothing to hold"):
        table.ask(Hold())
    table.ask(NewGame())
    table.set_up()
    assert phase(table) is Phase.WAITING


ORDERS = st.one_of(
    st.builds(AdjustClock, st.integers(0, 1), st.integers(-3_000, 9_000)),
    st.builds(Correct, st.integers(0, 3), st.sampled_from([(), ("a3-b3",), ("d8-d4",), ("a1-a2", "d8-d4")])),
    st.sampled_from(
        [
            Hold(),
            Release(),
            Release(starts_clock=True),
            StartClock(),
            Pause(),
            Resume(),
            TakeBack(),
            TakeBack(3),
        ]
    ),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(ORDERS, max_size=6))
def test_a_restarted_table_agrees_after_any_actions_of_an_arbiter(
    orders: list[object],
) -> None:
    table = begun(control="10", take_back="yes")
    for order in orders:
        try:
            table.ask(order)  # type: ignore[arg-type]
        except OrderRefused:
            continue
        table.wait(100)
        if phase(table) is Phase.SETTING_UP:
            table.set_up()
    agrees_after_a_restart(table)

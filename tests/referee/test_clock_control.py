# SPDX-License-Identifier: Apache-2.0
"""Clocks at a table: switching, losses on time, and restoring from a journal."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.game import Outcome
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer, LetStand, NewGame, Pause, Resign, Resume, TakeBack
from companion.referee.values.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import UNIDENTIFIED, brief, table


def seconds_left(session: Session) -> list[float]:
    """The current clocks."""
    return [clock.left_ms / 1000 for clock in session.view().clocks]


def running(session: Session) -> list[int]:
    """Sides whose clock runs."""
    return [side for side, clock in enumerate(session.view().clocks) if clock.is_running]


def test_moves_switch_the_clocks_at_the_time_of_the_move() -> None:
    fake = table("close-quarters", clock="60s")
    start_ms = fake.now_ms - 40  # the board was at rest, and play began, 40 ms ago
    fake.wait(5_000 - (fake.now_ms - start_ms))
    fake.carry("a1", "a2")
    fake.wait(3_000)
    fake.carry("d8", "d3")
    fake.wait(1_000)
    fake.observe()
    assert [line.spent_ms for line in fake.session.view().record] == [5_000, 3_000]
    assert seconds_left(fake.session) == [54.0, 57.0]


def test_the_lever_switches_the_clocks_whatever_stands_on_the_board() -> None:
    fake = table("close-quarters", clock="60s@press")
    fake.turn_lever(1)
    fake.wait(2_000)
    fake.carry("a1", "d5")
    fake.turn_lever(0)
    assert brief(fake.take_events()) == ["pressed by 1", "pressed by 0", "completed sword-shape"]
    fake.wait(1_000)
    fake.observe()
    assert seconds_left(fake.session) == [58.0, 59.0]


def test_a_pause_stops_the_clocks() -> None:
    fake = table("close-quarters", clock="60s")
    fake.wait(1_960)
    fake.ask(Pause())
    fake.wait(100_000)
    fake.ask(Resume())
    assert seconds_left(fake.session) == [58.0, 60.0]


def test_taking_plies_back_restores_their_time() -> None:
    fake = table("close-quarters", clock="60s", take_back="yes")
    fake.wait(1_960)
    fake.carry("a1", "a3")
    fake.wait(5_000)
    fake.carry("d1", "c3")
    fake.wait(1_000)
    fake.ask(TakeBack(2))
    fake.carry("c3", "d1")
    fake.carry("a3", "a1")
    fake.wait(60)
    assert seconds_left(fake.session) == [58.0, 60.0]


def test_one_of_three_who_loses_on_time_is_skipped_and_the_others_play_on() -> None:
    fake = table("martian-chess", clock="60s", players="3")
    start = fake.session.position
    fake.wait(61_000)
    assert brief(fake.take_events()) == [
        f"adopted {fake.rules.write_position(start._replace(out=1, turn=1))}"
    ]
    assert running(fake.session) == [1]
    fake.wait(9_000)
    fake.observe()
    assert seconds_left(fake.session) == pytest.approx([0, 50, 60], abs=0.1)
    fake.wait(60_000)
    outcome = fake.session.view().outcome
    assert outcome is not None
    assert (outcome.winners, outcome.termination) == ((2,), "last-player")


def test_resigning_on_turn_passes_the_running_clock_on() -> None:
    fake = table("martian-chess", clock="60s", players="3")
    fake.wait(10_000)
    fake.ask(Resign(0))
    assert running(fake.session) == [1]
    assert running(fake.restored()) == []
    assert seconds_left(fake.restored()) == pytest.approx([50, 60, 60], abs=0.1)


def test_a_lever_is_ignored_where_moves_switch_the_clocks() -> None:
    by_moves, by_hand = table("close-quarters", clock="60s"), table("close-quarters", clock="60s@press")
    by_hand.turn_lever(1)
    by_hand.take_events()
    for fake, side in ((by_moves, 0), (by_hand, 1)):
        fake.turn_lever(side)
        assert fake.take_events() == []
        assert running(fake.session) == [0]


def test_pressing_skips_a_resigned_side() -> None:
    unseen = table("martian-chess", clock="60s@press", players="3")
    unseen.turn_lever(2)
    unseen.ask(Resign(1))
    unseen.turn_lever(0)
    assert running(unseen.session) == [2]
    fake = table("martian-chess", clock="60s@press", players="3")
    fake.turn_lever(2)
    fake.ask(Resign(1))
    fake.carry("A21", "A10")
    fake.turn_lever(0)
    assert running(fake.session) == [2]


def test_a_move_made_in_time_and_announced_after_the_flag_is_no_loss() -> None:
    fake = table("close-quarters", clock="10s", take_back="yes")
    fake.wait(9_700)
    fake.carry("a1", "a3")
    fake.wait(5_000)
    assert brief(fake.take_events()) == ["provisional a1-a3", "announced a1-a3"]
    assert running(fake.session) == [1]


def test_a_move_taken_back_by_hand_after_the_flag_loses() -> None:
    fake = table("close-quarters", clock="10s", take_back="yes")
    fake.wait(9_900)
    fake.carry("a1", "a2")
    fake.wait(200)
    fake.carry("a2", "a1")
    fake.wait(100)
    assert brief(fake.take_events()) == ["provisional a1-a2", "retracted a1-a2", "ended time"]


def test_a_new_game_begins_with_full_clocks_and_no_times() -> None:
    fake = table("close-quarters", clock="60s")
    fake.wait(5_000)
    fake.carry("a1", "a3")
    fake.wait(1_000)
    fake.ask(NewGame())
    fake.carry("a3", "a1")
    fake.wait(60)
    fake.carry("a1", "a2")
    assert seconds_left(fake.session) == pytest.approx([60, 60], abs=0.1)
    assert [line.spent_ms for line in fake.session.view().record] == [None]


def test_letting_a_position_stand_charges_the_thinking_time_and_starts_the_other_clock() -> None:
    fake = table("close-quarters", clock="60s")
    fake.wait(10_000)
    fake.carry("a1", "d5")
    fake.wait(2_000)
    fake.ask(LetStand(1))
    assert running(fake.session) == [1]
    assert seconds_left(fake.session) == pytest.approx([48, 60], abs=0.1)


@pytest.mark.parametrize("clock", ["60s+2", "60s+2@press"])
def test_a_journal_restores_the_clocks(clock: str) -> None:
    fake = table("close-quarters", clock=clock, take_back="yes")
    if clock.endswith("press"):
        fake.turn_lever(1)
    for number, (source, target) in enumerate((("a1", "a3"), ("d8", "d3"), ("a3", "b4"), ("d3", "d4"))):
        fake.wait(3_000)
        fake.carry(source, target)
        fake.wait(1_500)
        fake.turn_lever(number % 2)
        fake.ask(Pause())
        assert seconds_left(fake.restored()) == seconds_left(fake.session)
        fake.wait(50_000)
        fake.ask(Resume())
    fake.wait(1_000)
    fake.ask(TakeBack(3))
    assert seconds_left(fake.restored()) == seconds_left(fake.session)
    assert fake.session.view().phase is Phase.SETTING_UP


def test_an_interrupted_ply_is_charged_up_to_the_last_evidence_and_setting_up_is_free() -> None:
    fake = table("close-quarters", clock="60s")
    fake.wait(3_000)
    fake.carry("a1", "d5")
    fake.wait(1_000)
    again = FakeTable(fake.rules, session=fake.restored())
    again.now_ms = fake.now_ms + 20_000
    again.history = fake.history
    again.set_up()
    again.observe()
    proved = seconds_left(again.session)
    assert 56 < proved[0] < 57
    assert proved[1] == 60
    assert seconds_left(again.restored())[0] == pytest.approx(proved[0], abs=0.1)


def test_a_fallen_flag_ends_the_game_and_wins_it_for_the_other() -> None:
    fake = table("close-quarters", clock="5s")
    fake.wait(6_000)
    assert brief(fake.take_events()) == ["ended time"]
    assert fake.session.view().outcome == Outcome((1,), "time")


def test_a_fallen_flag_against_a_lone_king_is_a_draw() -> None:
    fake = table("chess", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", clock="5s")
    fake.wait(6_000)
    assert fake.session.view().outcome == Outcome((), "time-without-mate")


def with_a_promotion(clock: str = "1") -> FakeTable:
    """A pawn was promoted after about two seconds, and its new kind is unknown."""
    fake = table("chess", "4k3/P7/8/8/8/8/7P/4K3 w - - 0 1", clock=clock)
    fake.wait(2000)
    fake.carry("a7", "a8", after_ms=200)
    fake.wait(5000)
    return fake


def test_a_question_stops_no_clock() -> None:
    fake = with_a_promotion()
    view = fake.session.view()
    assert view.question is not None
    assert [clock.is_running for clock in view.clocks] == [False, True]
    fake.wait(60_000)
    assert brief(fake.take_events())[-1] == "ended time"
    assert fake.session.view().clocks[0].left_ms == 60_000 - 2240


def test_the_time_until_a_late_answer_is_not_charged() -> None:
    fake = with_a_promotion()
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(30_000)
    fake.ask(Answer(0, 3))
    fake.wait(1000)
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [
        ("a8=Q+", 2240),
        ("Ke7", 5200),
    ]


@pytest.mark.parametrize("clock", ["1+2", "1+2@press"])
@pytest.mark.parametrize("choice", range(4))
def test_an_answer_never_changes_the_clocks(clock: str, choice: int) -> None:
    fake = with_a_promotion(clock)
    fake.turn_lever(0)
    fake.ask(Pause())
    fake.wait(30_000)
    fake.ask(Resume())
    fake.carry("e8", "e7", after_ms=200)
    fake.wait(3_000)
    fake.turn_lever(1)
    before = fake.session.view()
    fake.ask(Answer(0, choice))
    fake.session.tick(fake.now_ms)
    after = fake.session.view()
    assert after.clocks == before.clocks
    assert [line.spent_ms for line in after.record] == [line.spent_ms for line in before.record]


def test_an_unconfirmed_ply_grants_no_time() -> None:
    fake = table("tank-chess", clock="60s+2")
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(3_000)
    assert fake.session.view().question is not None
    assert running(fake.session) == [0]
    assert seconds_left(fake.session)[0] < 62
    assert seconds_left(fake.session)[1] == 62


def test_a_late_answer_keeps_the_clock_of_the_side_to_move_running() -> None:
    fake = table("tank-chess", clock="60s@press")
    fake.turn_lever(1)
    for number, (source, target) in enumerate((("C3", "C5"), ("D14", "D12"))):
        fake.carry(source, target, after_ms=300)
        fake.wait(1_000)
        fake.turn_lever(number)
    while (question := fake.session.view().question) is not None and question.ply == 0:
        fake.ask(Answer(0, 0))
        fake.wait(100)
        assert running(fake.session) == [0]
    assert question is not None


def test_an_extended_move_is_charged_until_it_is_complete() -> None:
    fake = table("chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", clock="60s")
    fake.carry("h1", "f1")
    fake.wait(2_000)
    fake.carry("e1", "g1")
    fake.wait(2_000)
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [("O-O", 2_040)]


def test_a_traceless_ply_is_charged_until_its_press() -> None:
    fake = table("tank-chess", clock="60s")
    fake.wait(1_960)
    tank = fake.rules.grid.cell("C1")
    fake.on[tank] = replace(fake.on[tank], facing=1)
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.carry("N14", "N13")
    fake.wait(2_000)
    fake.lift("M3")  # a piece is adjusted, another one turned, and the clock pressed
    fake.put("M3", UNIDENTIFIED)
    fake.wait(3_000)
    fake.turn_lever(0)
    fake.observe()
    assert [line.spent_ms for line in fake.session.view().record] == [2_000, 2_000, 5_000]


def test_a_press_remains_valid_when_its_move_is_revised() -> None:
    fake = table("close-quarters", "4/4/1A2/4/4/P1M1/S3/4 s 5", clock="60s@press", sword="king")
    fake.turn_lever(1)
    fake.wait(2_000)
    fake.carry("a2", "c8")
    fake.turn_lever(0)
    fake.wait(1_500)
    fake.carry("c8", "a2", 500)
    fake.lift("a2")
    fake.wait(1_100)
    assert fake.record == ["a2xa3"], "it may have pushed that off"
    fake.put("b2", UNIDENTIFIED)
    fake.wait(1_900)
    fake.observe()
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [("a2-b2", 2_000)]
    assert seconds_left(fake.session) == [58.0, 55.0]
    proven = pytest.approx([58.0, 56.84], abs=0.1)
    assert seconds_left(fake.restored()) == proven, "as far as the journal proves"


def test_a_press_after_the_end_of_the_game_starts_no_clock() -> None:
    fake = table("chess", "k7/8/1K6/8/8/8/8/7R w - - 0 1", clock="60s@press")
    fake.turn_lever(1)
    fake.wait(2_000)
    fake.carry("h1", "h8")
    fake.wait(3_000)
    assert fake.session.phase is Phase.FINISHED
    fake.turn_lever(0)
    fake.wait(5_000)
    fake.observe()
    assert running(fake.session) == []
    assert seconds_left(fake.session)[1] == 60.0


@pytest.mark.parametrize("clock", ["60s", "60s@press"])
def test_a_hand_that_continues_after_an_apparent_end_of_the_game_is_charged_meanwhile(
    clock: str,
) -> None:
    fake = table("close-quarters", "4/4/2S1/2P1/4/2M1/4/4 w 0", clock=clock)
    fake.turn_lever(0)
    fake.wait(2_000)
    spear = fake.lift("c5")
    fake.wait(100)
    sword = fake.lift("c6")  # it is in the way and is moved aside
    fake.wait(300)
    fake.put("c6", sword)
    fake.wait(1_000)
    assert fake.session.phase is Phase.FINISHED
    fake.wait(1_000)
    fake.put("a5", spear)
    fake.wait(100)
    fake.turn_lever(1)
    fake.observe()
    spent_ms = 4_500 if clock.endswith("@press") else 4_440
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [("c5-a5", spent_ms)]
    assert running(fake.session) == [0]
    assert [line.spent_ms for line in fake.restored().view().record] == [spent_ms]


def test_a_side_may_press_after_its_move_until_the_clock_is_switched() -> None:
    fake = table("close-quarters", clock="60s@press")
    assert fake.session.view().pressers == (0, 1)
    fake.turn_lever(1)
    assert fake.session.view().pressers == (0,)
    fake.carry("a1", "b2", after_ms=200)
    fake.wait(1_000)
    assert fake.session.view().turn == 1
    assert fake.session.view().pressers == (0,)
    fake.turn_lever(0)
    assert fake.session.view().pressers == (1,)

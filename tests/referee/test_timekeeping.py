# SPDX-License-Identifier: Apache-2.0
"""Clocks at a table: who drives them, who loses on time, and what a journal gives back of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.model.game import Outcome
from companion.referee.commands import Answer, LetStand, NewGame, Pause, Resign, Resume, TakeBack
from companion.referee.session import Session
from companion.referee.view import Phase
from tests.fakes import FakeTable
from tests.referee.support import WOOD, brief, perform, table


def seconds_left(session: Session) -> list[float]:
    """What the clocks show."""
    return [clock.left_ms / 1000 for clock in session.view().clocks]


def running(session: Session) -> list[int]:
    """Sides whose clock runs."""
    return [side for side, clock in enumerate(session.view().clocks) if clock.is_running]


def test_moves_switch_the_clocks_at_the_moment_they_are_made() -> None:
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


def test_plies_that_are_taken_back_give_their_time_back() -> None:
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


def test_of_three_who_loses_on_time_is_skipped_and_the_others_play_on() -> None:
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


def test_who_resigns_on_turn_hands_the_running_clock_on() -> None:
    fake = table("martian-chess", clock="60s", players="3")
    fake.wait(10_000)
    fake.ask(Resign(0))
    assert running(fake.session) == [1]
    assert running(fake.restored()) == []
    assert seconds_left(fake.restored()) == pytest.approx([50, 60, 60], abs=0.1)


def test_where_moves_switch_the_clocks_a_lever_does_not_and_nobody_stops_anothers() -> None:
    by_moves, by_hand = table("close-quarters", clock="60s"), table("close-quarters", clock="60s@press")
    by_hand.turn_lever(1)
    by_hand.take_events()
    for fake, side in ((by_moves, 0), (by_hand, 1)):
        fake.turn_lever(side)
        assert fake.take_events() == []
        assert running(fake.session) == [0]


def test_pressing_skips_who_has_resigned() -> None:
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


def test_a_move_that_is_taken_back_by_the_hand_after_the_flag_loses() -> None:
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


def test_a_position_that_is_let_stand_charges_what_was_thought_and_starts_the_other_clock() -> None:
    fake = table("close-quarters", clock="60s")
    fake.wait(10_000)
    fake.carry("a1", "d5")
    fake.wait(2_000)
    fake.ask(LetStand(1))
    assert running(fake.session) == [1]
    assert seconds_left(fake.session) == pytest.approx([48, 60], abs=0.1)


@pytest.mark.parametrize("clock", ["60s+2", "60s+2@press"])
def test_a_journal_brings_back_what_the_clocks_showed(clock: str) -> None:
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


def test_a_ply_that_was_broken_off_is_charged_as_far_as_it_is_proved_and_setting_up_is_free() -> None:
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


def test_whose_flag_falls_against_a_lone_king_has_a_draw() -> None:
    fake = table("chess", "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", clock="5s")
    fake.wait(6_000)
    assert fake.session.view().outcome == Outcome((), "time-without-mate")


def with_a_promotion(clock: str = "1") -> FakeTable:
    """A pawn has been promoted after some two seconds, and nobody has said to what."""
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


def test_a_late_answer_charges_nobody_for_the_time_until_it_was_given() -> None:
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
def test_an_answer_gives_and_takes_no_time_whatever_it_is_and_whatever_came_between(
    clock: str, choice: int
) -> None:
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


def test_a_ply_that_is_merely_suspected_gives_no_time() -> None:
    fake = table("tank-chess", clock="60s+2")
    fake.carry("D14", "D13", after_ms=300)
    fake.wait(3_000)
    assert fake.session.view().question is not None
    assert running(fake.session) == [0]
    assert seconds_left(fake.session)[0] < 60
    assert seconds_left(fake.session)[1] == 60


def test_a_late_answer_leaves_the_clock_running_of_whoever_thinks_now() -> None:
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


def test_a_move_that_its_hand_goes_on_with_is_charged_until_it_was_complete() -> None:
    fake = table("chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", clock="60s")
    fake.carry("h1", "f1")
    fake.wait(2_000)
    fake.carry("e1", "g1")
    fake.wait(2_000)
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [("O-O", 2_040)]


def test_a_ply_without_a_trace_is_charged_until_it_is_pressed_for() -> None:
    fake = table("tank-chess", clock="60s")
    fake.wait(1_960)
    tank = fake.rules.grid.cell("C1")
    fake.on[tank] = replace(fake.on[tank], facing=1)
    fake.turn_lever(0)
    fake.wait(2_000)
    fake.carry("N14", "N13")
    fake.wait(2_000)
    fake.lift("M3")  # somebody adjusts a piece, turns another, and presses
    fake.put("M3", WOOD)
    fake.wait(3_000)
    fake.turn_lever(0)
    fake.observe()
    assert [line.spent_ms for line in fake.session.view().record] == [2_000, 2_000, 5_000]


def test_a_press_holds_whatever_its_hand_then_turns_out_to_do() -> None:
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
    fake.put("b2", WOOD)
    fake.wait(1_900)
    fake.observe()
    assert [(line.move, line.spent_ms) for line in fake.session.view().record] == [("a2-b2", 2_000)]
    assert seconds_left(fake.session) == [58.0, 55.0]
    assert seconds_left(fake.restored()) == [58.0, 56.84], "as far as the journal proves"


def test_who_presses_after_the_move_that_ended_the_game_sets_no_clock_going() -> None:
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
def test_a_hand_that_goes_on_after_a_move_that_seemed_to_end_the_game_is_charged_all_the_while(
    clock: str,
) -> None:
    fake = table("close-quarters", "4/4/2S1/2P1/4/2M1/4/4 w 0", clock=clock)
    fake.turn_lever(0)
    fake.wait(2_000)
    spear = fake.lift("c5")
    fake.wait(100)
    sword = fake.lift("c6")  # which is in the way, and put right
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


def test_a_capture_was_made_when_its_captor_came_down_whatever_was_felt_first_of_the_reply() -> None:
    fake = table("close-quarters", "4/2P1/4/4/4/4/3S/3M s 0", clock="60s")
    perform(fake, "2000 d1- 80 d2- 46 d1+ 286 c3+ 11 c7- 43")
    assert [line.spent_ms for line in fake.session.view().record][:1] == [2_166]


def test_who_has_moved_may_press_until_the_clock_is_switched_and_anybody_sets_it_going() -> None:
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

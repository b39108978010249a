# SPDX-License-Identifier: Apache-2.0
"""Battles of GOTTAZ leave only an empty cell, and swaps no trace.

Their first explanation may need revision.
"""

from __future__ import annotations

from functools import partial

import pytest

from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.events import IllegalSeen, QuestionAsked
from tests.referee.support import only, perform, record_after_answers, table

KNOWN = SensorKind.IDENTITY
SIDES = SensorKind.SIDE


gottaz = partial(table, "gottaz")


def test_a_slow_swap_that_looked_like_a_loss_is_recognised_by_the_press() -> None:
    fake = gottaz(
        "W5U1,s1l5,s1l5,l3u3,U1W5/.,l4u2,.,s3w3,w2s4/.,.,.,.,./.,w2s4,.,.,./L3U3,L5S1,.,.,S1L5 f "
        "2U2L4+2W2S4+1W3S3 2U1W5+1U2L4 -"
    )
    perform(fake, "a5- 1015 b5- 2219 a5+ 260 b5+ 285 !0 2500")
    assert record_after_answers(fake, "a5<>b5") == ["a5<>b5"]


def test_a_swap_with_a_stuck_cell_is_recognised_by_the_press_despite_lost_changes() -> None:
    fake = gottaz(
        ".,u1w5,s1l5,W5U1,u1w5/.,.,.,.,s1l5/w2s4,.,.,.,./U1W5,s4w2,.,.,S1L5/U2L4,S3W3,S1L5,U2L4,W2S4 f "
        "1W2S4+1L3U3 2U2L4+1L3U3+1W3S3 -"
    )
    swapped = fake.lift_unheard("d5")
    fake.report_gap()  # a bounced contact was open when the connection returned
    fake.wait(349)
    perform(fake, "c5- 513")
    fake.put_unheard("d5", swapped)
    fake.report_gap()
    perform(fake, "1128 c5+ 269 !0 2500")
    assert record_after_answers(fake, "d5<>c5") == ["d5<>c5"]


def test_a_bounce_during_lost_changes_does_not_affect_a_battle() -> None:
    fake = gottaz(
        "w5u1,s4w2,.,.,s1l5/.,.,l3u3,.,u2l4/.,.,u2l4,.,L5S1/.,.,.,U2L4,./W5U1,l5s1,.,S3W3,. f "
        "1S1L5+1U1W5+1U2L4+2W2S4+1L3U3 1U1W5+1W2S4+1W3S3 -",
        SIDES,
        hidden="d3",
    )
    perform(fake, "e3- 313 c3- 1139 c3+e3 10")
    piece = fake.lift("c3")
    fake.wait(220)
    fake.put_unheard("c3", piece)
    fake.report_gap()
    perform(fake, "265 !0 2500")
    assert not only(QuestionAsked, fake.history)
    assert fake.record == ["e3>c3x"]


def test_an_opponent_removed_late_fell_in_the_same_battle() -> None:
    """Fighter c2 was held for four seconds before d2 was taken off, too.

    The press shows that all this is one ply.
    """
    fake = gottaz(
        ".,u1w5,w5u1,w2s4,s1l5/s1l5,.,.,.,./.,.,S1L5,s4w2,./.,S1L5,w3s3,W3S3,W5U1/.,W5U1,.,.,. s "
        "2U2L4+2W2S4+1L3U3 2U2L4+1L3U3 -"
    )
    perform(fake, "c2- 4000 d2- 301 !1 2500")
    assert record_after_answers(fake, "c2-d2x") == ["c2-d2x"]


def test_illegally_swapped_fighters_are_no_earlier_loss() -> None:
    fake = gottaz(
        ".,L3U3,s4w2,.,u1w5/.,.,.,.,./l3u3,.,.,.,./s1l5,.,.,U1W5,w3s3/U2L4,S3W3,W2S4,S1L5,U1W5 s "
        "1S1L5+1U2L4+1W2S4 1S1L5+1U1W5+2U2L4+1W2S4 -",
        SIDES,
    )
    perform(fake, "d2- 603 e2- 97 d2+e2 5446 b5- 5200")
    assert fake.record[0] == "e2-d2x"
    perform(fake, "d2- 263 e1- 1233 e1+d2 286 d2+e1 1000")
    assert only(IllegalSeen, fake.take_events())


def test_an_added_piece_is_not_a_fighter_lost_ten_seconds_ago() -> None:
    fake = gottaz(
        "u2l4,s3w3,.,w2s4,u2l4/.,s1l5,.,.,./.,S1L5,.,.,./.,.,.,S3W3,U3L3/.,.,W2S4,U1W5,L4U2 f "
        "1S1L5+1U1W5+1U2L4+1W2S4 1S1L5+2U1W5+1W2S4+1L3U3 -"
    )
    perform(fake, "b3- 787 b4- 5264 b5- 433 b4+ 5435")
    assert fake.record == ["b3-b4x", "b5-b4"]
    perform(fake, "b2+ 1000")
    assert only(IllegalSeen, fake.take_events())


def test_a_fighter_lost_after_a_swap_with_a_stuck_cell_is_the_reply() -> None:
    fake = gottaz(
        "u1w5,s3w3,U1W5,w2s4,s1l5/L4U2,w2s4,u1w5,.,./.,l3u3,.,.,./S1L5,.,.,.,./W2S4,U3L3,S1L5,U1W5,S3W3 s "
        "1U2L4+1W2S4 1S1L5+2U2L4 -",
        SIDES,
        hidden="a4",
    )
    perform(fake, "b4- 182 b4+0 5600 b4- 3000")
    assert fake.record == ["b4<>a4", "b4-a4x"]


def test_a_placed_fighter_that_fell_was_not_put_back() -> None:
    """S1L5 stood on e1 until the opponent had lifted d1.

    A player who reconsiders takes the pawn back first.
    """
    fake = gottaz(
        "s1l5,s1l5,s4w2,s3w3,./.,u1w5,.,s4w2,u2l4/.,.,.,U1W5,./L4U2,.,.,.,S1L5/L3U3,W3S3,U2L4,u1w5,. f "
        "1S1L5+1U1W5+2W2S4 1U2L4+1L3U3 -",
        KNOWN,
    )
    fake.put("e1", Piece("supply-1-leap-5", 0, pose="supply-1"))
    perform(fake, "135 d1- 145 e1- 165 c1- 42 d1+c1 2500")
    assert record_after_answers(fake, "S1L5@e1 d1-e1x c1-d1") == ["S1L5@e1", "d1-e1x", "c1-d1"]


def test_an_answered_question_is_not_repeated_under_another_history() -> None:
    fake = gottaz(
        "w2s4,u1w5,.,.,w5u1/.,s1l5,.,.,./s1l5,.,.,.,s3w3/W2S4,U3L3,.,S3W3,./.,U1W5,S1L5,S4W2,U2L4 f "
        "1S1L5+1U1W5+1U2L4 2U2L4+1W2S4+1L3U3 -",
        SIDES,
    )
    perform(fake, "a3- 52 a2- 53 a2+a3 55 a3+a2 140 a2- 4000")
    assert record_after_answers(fake, "a2<>a3 a2-b2x") == ["a2<>a3", "a2-b2x"]
    fake.wait(5000)
    assert fake.session.view().question is None


def test_a_victim_held_for_long_was_captured_and_its_move_not_taken_back() -> None:
    """The switch of c1 is stuck, so a return to c2 cannot be seen."""
    fake = gottaz(
        "s3w3,.,u2l4,u2l4,./.,.,l3u3,.,./.,.,.,.,./.,.,.,.,./U1W5,L3U3,U1W5,.,S3W3 f "
        "2S1L5+2U2L4+2W2S4 2S1L5+2U1W5+2W2S4 -",
        KNOWN,
        hidden="c1",
    )
    perform(fake, "c1- 300 c2+c1 5400 c2- 2870 c4- 20 c2+c4 3000")
    assert not only(IllegalSeen, fake.history)
    assert record_after_answers(fake, "c1-c2 c4>c2x") == ["c1-c2", "c4>c2x"]


def test_a_swap_with_an_instant_reply_is_no_battle() -> None:
    """a3 closed and opened within 150 ms.

    Either a swap with its reply, or a battle and a pawn tried on a3, which nothing explains later.
    """
    fake = gottaz(
        ".,u2l4,.,.,w2s4/L3U3,s3w3,s1l5,u1w5,./w5u1,.,.,.,./.,S3W3,W2S4,.,./S1L5,S4W2,.,U1W5,U1W5 s "
        "1S1L5+2U2L4 1S1L5+1U2L4+1W2S4+1L3U3 -",
        SIDES,
    )
    perform(fake, "a4- 79 a3- 58 a4+a3 33 a3+a4 151 a3- 122 c3+a3 3000")
    assert record_after_answers(fake, "a3<>a4 a3>c3") == ["a3<>a4", "a3>c3"]


@pytest.mark.parametrize("kind", [SensorKind.OCCUPANCY, SIDES])
def test_a_half_lost_swap_is_no_battle_with_a_reply(kind: SensorKind) -> None:
    fake = gottaz(
        "s1l5,u3l3,u2l4,.,s1l5/s3w3,w2s4,W5U1,s4w2,u1w5/.,.,.,u1w5,./.,.,S1L5,S4W2,S3W3/U2L4,U3L3,U1W5,U2L4,S1L5 "
        "f 1W2S4 1U2L4 -",
        kind,
    )
    own = fake.lift_unheard("c4")
    fake.report_gap()
    fake.wait(2524)  # longer than the referee waits: until then it is a battle
    fake.put_unheard("c4", fake.lift_unheard("d4"))
    fake.report_gap()
    fake.wait(56)
    fake.put("d4", own)
    fake.wait(250)
    fake.turn_lever(0)
    fake.wait(2500)
    assert record_after_answers(fake, "c4<>d4") == ["c4<>d4"]
    assert not only(IllegalSeen, fake.history)


def test_a_swap_that_ends_the_game_may_be_completed_as_slowly_as_any_other() -> None:
    fake = gottaz(
        ".,.,w3s3,l3u3,s1l5/u2l4,W5U1,.,.,w5u1/.,s1l5,S4W2,.,S1L5/S1L5,S3W3,.,.,./.,U1W5,S4W2,U2L4,. f "
        "1U2L4+1L3U3 1U1W5+1U2L4+2W2S4 -",
        SIDES,
    )
    perform(fake, "b3- 791 b4- 47 b3+b4 929 b4+b3 700")
    assert record_after_answers(fake, "b4<>b3#") == ["b4<>b3#"]


def test_a_pawn_placed_at_once_on_the_origin_of_a_lost_attacker_is_recognised() -> None:
    """A placed pawn seems to be lifted again, and its neighbour adjusted.

    Then it turns out to be another pawn.
    """
    fake = gottaz(
        ".,l4u2,w2s4,s3w3,./.,u1w5,.,.,./.,.,U2L4,w2s4,./.,.,.,L4U2,S1L5/.,l4u2,.,.,S3W3 f "
        "1S1L5+2U1W5+2W2S4+1L3U3 2S1L5+1U1W5+1L3U3 -"
    )
    perform(fake, "c1+ 189 b1- 39 c1- 132 b1+ 152 b5- 46 b3+ 257 d1+ 187 b5+ 5 b4- 284")
    perform(fake, "a1+ 210 e5+ 152 b1- 65 b2+ 2500")
    truth = "S4W2@c1 b1-c1x S1L5@b1 b5>b3 U3L3@d1 b4-b5 W2S4@a1 S1L5@e5 b1-b2"
    assert record_after_answers(fake, truth) == truth.split()


def test_a_piece_placed_and_lifted_long_after_an_answer_does_not_undo_the_answered_ply() -> None:
    fake = gottaz(
        ".,l5s1,.,s1l5,s4w2/w2s4,u1w5,s3w3,U2L4,./.,.,.,U1W5,./W3S3,.,.,.,./.,S1L5,l3u3,W2S4,S4W2 f "
        "1S1L5+1U1W5+1U2L4+1L3U3 1U1W5+2U2L4 -"
    )
    perform(
        fake, "d1- 5820 c4- 475 d3- 97 d3+ 1544 d3- 77 d3+ 145 c3+ 5268 d5- 103 d1+ 1564 d1- 293 d5+ 2500"
    )
    assert fake.session.view().question is None
    assert fake.record == ["d1-c1x", "c4-c3"]


def test_a_swap_long_after_changes_were_lost_is_no_battle_with_a_reply() -> None:
    fake = gottaz(
        "l3u3,s1l5,u2l4,s3w3,u1w5/s4w2,.,u2l4,.,./W3S3,l5s1,.,u1w5,./.,.,U2L4,.,U3L3/S1L5,.,S4W2,.,L5S1 s "
        "2U1W5+1U2L4+1W2S4 1W2S4 -",
        SIDES,
    )
    perform(fake, "d3- 283 e3+d3 1")
    bounced = fake.lift("e3")
    fake.wait(242)
    fake.put_unheard("e3", bounced)
    fake.report_gap()
    fake.wait(6287)
    perform(fake, "a3- 86 b3- 1045 a3+b3 286 b3+a3 700")
    assert record_after_answers(fake, "d3-e3^ a3<>b3") == ["d3-e3^", "a3<>b3"]


def test_a_pawn_adjusted_before_a_move_is_no_battle_with_a_replacement() -> None:
    fake = gottaz(
        "w2s4,w2s4,s1l5,.,L3U3/.,.,s1l5,s3w3,./u2l4,.,.,.,L4U2/U1W5,.,S4W2,.,S1L5/.,U2L4,.,W2S4,. f "
        "1S1L5+1U1W5+1W3S3 2U1W5+1U2L4+1L3U3 -"
    )
    perform(fake, "5000 e5- 1006 e5+ 434 e3- 230 e1+ 522 !0 3000")
    assert fake.session.view().question is None
    assert fake.record == ["e3>e1"]

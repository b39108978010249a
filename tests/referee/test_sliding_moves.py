# SPDX-License-Identifier: Apache-2.0
"""A sliding hand may rest anywhere on its way: it is still one move."""

from __future__ import annotations

from companion.model.observation import SensorKind
from companion.referee.events import IllegalSeen, QuestionAsked
from tests.referee.support import only, perform, record_after_answers, table


def test_a_slide_resting_where_it_would_undo_the_last_move_goes_on() -> None:
    """Queen c2 must not return to c6.

    So the piece there seems to answer c2-c5, until it goes on.
    """
    fake = table("martian-chess", "4/qp2/3p/4/d2p/dp1d/2qq/1q1q 1 2,9 c2-c6 - -")
    perform(fake, "c2- 22 c3+ 38 c3- 51 c4+ 24 c4- 57 c5+ 76 c5- 561 c6+ 1900 c6- 67 c7+ 76 c7- 273 c8+ 2500")
    assert not only(QuestionAsked, fake.history)
    assert record_after_answers(fake, "c2-c8") == ["c2-c8"]


def test_a_victim_lifted_before_a_slide_does_not_reply_to_it() -> None:
    """Queen a2 is the victim, and a7-a4 would undo the last move.

    So a piece on a4 for a moment looks like a2-a4.
    """
    fake = table("martian-chess", "1qd1/qdpp/1p2/3p/3p/2dd/qp2/1dqq 2 2,3 a7-a4 - -")
    perform(fake, "a2- 434 a7- 19 a6+ 949 a6- 861 a5+ 300 a5- 23 a4+ 56 a4- 110 a3+ 130 a3- 179 a2+ 2500")
    assert not only(QuestionAsked, fake.history)
    assert record_after_answers(fake, "a7xa2") == ["a7xa2"]


def test_a_bounced_contact_does_not_reset_how_long_a_piece_stood() -> None:
    """After five seconds on d4 the opponent more likely moves queen d4."""
    fake = table("martian-chess", "1qd1/p3/4/1d1q/pp2/p2d/1d1p/qdqq 2 3,3 d5-c4 - -")
    perform(fake, "d5- 266 d4+ 4 d4- 6 d4+ 5100 d4- 285 d8+ 2500")
    assert not only(QuestionAsked, fake.history)
    assert record_after_answers(fake, "d5-d4 d4-d8") == ["d5-d4", "d4-d8"]


def test_a_press_completes_the_last_move_and_not_the_one_before() -> None:
    """Queen d4 passes d6, where a switch is stuck.

    Until the press, it may have rested there and been moved on.
    """
    fake = table("martian-chess", "1qd1/p3/4/1d2/pp1q/p2d/1d1p/qdqq 1 3,3 d4-d5 - -", hidden="d6")
    perform(fake, "5000 d4- 285 d8+ 36")
    fake.report_gap()
    fake.wait(1000)
    assert fake.session.view().question is not None
    perform(fake, "!0 1000")
    assert fake.session.view().question is None
    assert record_after_answers(fake, "d4-d8") == ["d4-d8"]


def test_a_press_for_an_illegal_change_is_not_assigned_to_an_earlier_ply() -> None:
    """Fighter d5 lost a battle.

    Two others are swapped illegally, pressed for, and put back: the battle stands.
    """
    fake = table(
        "gottaz",
        ".,.,L4U2,u2l4,w3s3/.,.,u1w5,w2s4,l3u3/.,L4U2,.,.,./s1l5,S1L5,.,.,./S1L5,.,S3W3,W5U1,U1W5 f "
        "2W2S4+1L3U3 1S1L5+1U1W5+1U2L4+1W2S4 -",
        SensorKind.SIDE,
    )
    perform(fake, "b3- 315 d3+b3 120 !0 5100 d5- 5200")
    perform(fake, "c1- 120 e5- 370 e5+c1 130 c1+e5 64 !0 2300")
    assert only(IllegalSeen, fake.take_events())
    perform(fake, "e5- 340 c1- 540 c1+e5 200 e5+c1 2500")
    assert fake.record == ["b3>d3", "d5-c5x"]


def test_a_capture_is_possible_again_when_its_victim_is_back() -> None:
    """A contact was open when the connection returned.

    The capturing queen comes down two seconds later.
    """
    fake = table("martian-chess", "qd2/2pq/q1d1/2pq/ppq1/3p/4/pdqd 1 2,2 - - -")
    queen = fake.lift_unheard("c4")
    fake.report_gap()
    fake.wait(92)
    fake.lift("c5")
    fake.wait(1911)
    fake.put("c5", queen)
    fake.wait(2500)
    assert record_after_answers(fake, "c4xc5") == ["c4xc5"]


def test_a_press_completes_the_actual_capture_and_not_the_one_inferred_before() -> None:
    """Bishop g5 seemed to take e7 while pawn h6 was away.

    Then the bishop stands on h6, and its side presses.
    """
    fake = table("chess", "rnbkB1nr/1p2b3/2q4p/p2pN1B1/2NpP3/6Pp/PPP2P2/R2R2K1 w - - 1 27")
    bishop = fake.lift_unheard("g5")
    fake.report_gap()
    fake.wait(77)
    fake.lift("h6")
    fake.wait(1478)
    fake.put("h6", bishop)
    perform(fake, "107 !0 2500")
    assert record_after_answers(fake, "Bxh6") == ["Bxh6"]

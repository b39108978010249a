# SPDX-License-Identifier: Apache-2.0
"""Traces with several explanations: long swaps and slides, bounces, unconfirmed plies.

Each was misread once.
"""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from companion.referee.commands import Answer
from companion.referee.events import IllegalSeen, QuestionAsked
from tests.referee.support import Case, only, perform, record_after_answers, recorded, table

CASES = {
    "a swap whose switches bounced": Case(
        "gottaz",
        "s1l5,.,w3s3,w5u1,./.,.,.,.,./.,.,.,.,./.,.,.,.,./S3W3,U2L4,L4U2,.,S1L5 s "
        "1S1L5+2U1W5+2W2S4+1L3U3 1S1L5+1U1W5+2U2L4+2W2S4+1L3U3 -",
        "c5- 518 d5- 81 d5+ 10 d5- 3 d5+ 254 c5+ 2 c5- 3 c5+ 120 !1 3000",
        "c5<>d5",
        "e5",
    ),
    "a swap with a pawn on an unseen cell": Case(
        "gottaz",
        ".,L4U2,.,w5u1,l3u3/.,.,.,.,./.,.,.,.,S1L5/.,S3W3,S1L5,.,./.,U2L4,.,.,L3U3 s "
        "2U1W5+2W2S4 2S1L5+1U1W5+2U2L4+2W2S4+1W3S3 -",
        "d5- 60 d5+ 553 !1 3000",
        "d5<>e5",
        "e5",
    ),
    "a swap by a pawn that came from an unseen cell": Case(
        "gottaz",
        ".,u2l4,u2l4,.,u1w5/.,.,s4w2,.,./.,.,.,.,w2s4/W5U1,U1W5,.,.,./.,.,.,W3S3,S1L5 f "
        "1S1L5+2U2L4+2W2S4+1L3U3 2S1L5+1U1W5+1L3U3+1W3S3 -",
        "e2+0 200 !0 5000 e2- 777 e3- 59 e3+0 133 e2+1 72 !1 3000",
        "e1-e2 e3<>e2",
        "e1",
        SensorKind.SIDE,
    ),
    "a swap whose pawn is held longer than the wait for a battle": Case(
        "gottaz",
        "u1w5,w2s4,.,u2l4,u3l3/l4u2,.,.,.,./.,.,.,L4U2,w3s3/.,l5s1,.,S4W2,W3S3/.,U2L4,S1L5,.,S1L5 s "
        "2U1W5+1W2S4+1L3U3 1S1L5+1U1W5+1W2S4 -",
        "e3- 210 d3- 1230 e3+ 227 d3+ 163 !1 3000",
        "e3<>d3",
    ),
    "both fighters of a battle beside a hidden cell are removed": Case(
        "gottaz",
        "u2l4,w3s3,.,s4w2,s1l5/.,.,.,.,./.,.,.,l3u3,./L4U2,.,.,.,./U1W5,W3S3,S1L5,U3L3,. s "
        "1S1L5+1U1W5+1U2L4+2W2S4 1S1L5+2U1W5+1U2L4+1W2S4 -",
        "d3- 187 d1- 75 !1 3000",
        "d3>d1x",
        "d4",
    ),
    "a pawn lost in battle, with its replacement seen a little early": Case(
        "gottaz",
        "w2s4,s1l5,l4u2,s3w3,./.,s1l5,s4w2,u3l3,./.,.,.,.,U3L3/.,.,.,W2S4,w5u1/U2L4,S1L5,S1L5,W3S3,. f "
        "2U1W5+1U2L4+1W2S4 1U1W5+1U2L4 -",
        "d2- 831 !0 5000 d2+ 38 e2- 3000",
        "d2-e2x e2-d2",
    ),
    "a slide held before its last cell": Case(
        "martian-chess",
        "qqpp/qdd1/1q2/1d2/4/1pp1/1pd1/ddqq 2 1,0 b6-d4 - -",
        "a7- 59 a6+ 25 a6- 76 a5+ 32 a5- 57 a4+ 30 a4- 63 a3+ 30 a3- 1214 a2+ 175 !1 3000",
        "a7-a2",
    ),
    "a piece touches another cell before it lands": Case(
        "martian-chess",
        "qqd1/1dp1/dqp1/2pd/p3/2p1/dpdq/q2q 2 0,0 d5-d3 - -",
        "d5- 433 d4+ 188 d4- 533 d6+ 500 !1 3000",
        "d5-d6",
    ),
    "a capture after trying another cell and adjusting a neighbour": Case(
        "martian-chess",
        "1d2/d1pp/1qd1/q1p1/2pd/qq2/4/pdqq 1 1,2 - - -",
        "a3- 473 a5- 480 a5+ 78 b4+ 5000 a5- 119 a5+ 62 b6- 814 b4- 972 a4+ 262 a4- 350 b4+ 319 !1 3000",
        "a3-b4 b6xb4",
    ),
    "a piece put back after it looked like a capture": Case(
        "martian-chess",
        "1d2/d1pp/2d1/1qp1/1qpd/4/2q1/pdqq 1 1,5 - - -",
        "b5- 373 b5+ 1503 b4- 1663 b4+ 921 b4- 51 d1- 482 d1+ 227 d2+ 100 !0 3000",
        "b4-d2",
    ),
    "a battle after a pause with the pawn held over another cell, then a press": Case(
        "gottaz",
        "s1l5,u1w5,.,w2s4,./.,s1l5,s4w2,s3w3,u2l4/.,.,S1L5,.,L5S1/.,.,.,U1W5,S4W2/.,W2S4,L4U2,U1W5,. f "
        "1U2L4+1L3U3+1W3S3 1U1W5+1U2L4+1L3U3 -",
        "e3- 1856 e4- 730 e5+ 217 e5- 54 e4+ 1632 !0 3000",
        "e3-e4x",
    ),
    "both pawns of a swap held for long": Case(
        "gottaz",
        ".,s4w2,u1w5,.,l4u2/w2s4,.,.,.,s1l5/.,.,.,.,./S1L5,.,W3S3,.,./.,U2L4,U3L3,l5s1,W2S4 f "
        "1S1L5+2U1W5+1U2L4+1W2S4 1U1W5+1U2L4+1L3U3+1W3S3 -",
        "e1- 121 d1- 2528 e1+ 110 d1+ 559 !0 3000",
        "e1<>d1",
    ),
    "a swap by a pawn placed where both fighters were lost": Case(
        "gottaz",
        ".,s1l5,s3w3,w5u1,./.,.,L3U3,.,u1w5/W5U1,.,.,.,./.,.,.,.,./S1L5,l3u3,W2S4,.,W5U1 f "
        "1S1L5+2U2L4+1W2S4+1W3S3 1S1L5+2U2L4+2W2S4 -",
        "c4- 157 c5- 145 c5+ 212 b3+ 29 a3- 146 b5- 46 c5- 72 c5+ 68 b5+ 31 !1 3000",
        "c4-c5x W3S3@c5 a3-b3 c5<>b5",
    ),
    "two battles in a row in which all pawns are lost": Case(
        "gottaz",
        ".,w2s4,l3u3,.,s4w2/.,s3w3,.,u1w5,./.,.,.,.,./L5S1,.,.,W2S4,l4u2/U1W5,U1W5,l4u2,.,S4W2 f "
        "1S1L5+2U2L4+1L3U3+1W3S3 2S1L5+1U1W5 -",
        "b1- 157 e2- 60 e1- 5000",
        "b1-c1x e2-e1x",
    ),
    "a pawn goes to the cell of its lost opponent": Case(
        "gottaz",
        "u1w5,u1w5,s1l5,u3l3,w3s3/.,.,s1l5,.,./w2s4,.,.,.,./W2S4,S3W3,.,.,./U3L3,S1L5,S1L5,S4W2,. s "
        "2U1W5+2U2L4 2U2L4+1W2S4 -",
        "a3- 163 a2- 53 a3+a2 5000",
        "a3-a2x a2-a3",
        kind=SensorKind.IDENTITY,
    ),
    "one of two pawns goes to the cell of its lost opponent": Case(
        "gottaz",
        "u3l3,u2l4,s1l5,W2S4,s4w2/.,.,.,.,./u2l4,.,.,.,u1w5/.,u1w5,.,.,s3w3/S1L5,S3W3,U1W5,S4W2,. s "
        "1S1L5+1U1W5+2U2L4+1L3U3 1S1L5+1W2S4 -",
        "b2- 159 d5- 137 e5- 64 d5+e5 231 e1+d5 270 a3- 48 a2+a3 170 c1- 27 c2+c1 164 d4+e5 17 d5- 3000",
        "b2-b1x d5-e5x e5-d5 W2S4@e1 a3-a2 c1-c2 d5-d4",
        kind=SensorKind.IDENTITY,
    ),
    "a piece rests for a moment where the opponent could have moved it on": Case(
        "martian-chess",
        "4/2qd/dq1p/pd1q/4/1p1q/dq2/pd2 2 3,4 - - -",
        "c7- 850 d6- 923 d6+ 385 c3+ 155 c3- 1790 c4+ 2000 !1 3000",
        "c7-c4",
    ),
    "a slide with a long pause, with its victim in the other hand": Case(
        "martian-chess",
        "d3/qqd1/d1q1/p1p1/2pd/dp2/2d1/p1qq 2 1,3 - - -",
        "b7- 138 b3- 69 b6+ 21 b6- 282 b5+ 2030 b5- 26 b4+ 52 b4- 43 b3+ 3000",
        "b7xb3",
    ),
    "a slide lifted again for long, with its victim in the other hand": Case(
        "martian-chess",
        "qqd1/1dp1/2p1/3q/1d2/pp2/2qq/d3 2 4,5 - - -",
        "a8- 185 a3- 191 a7+ 138 a7- 35 a6+ 248 a6- 25 a5+ 52 a5- 546 a4+ 148 a4- 1338 a3+ 3000",
        "a8xa3",
    ),
    "a neighbour adjusted while the piece that just arrived is held for long": Case(
        "martian-chess",
        "1q1d/1dp1/1qpq/pq2/3d/1qp1/1d2/pd1q 1 2,1 - - -",
        "d4- 1035 d5+ 5800 d5- 236 d6- 431 d6+ 1813 c5+ 3000",
        "d4-d5 d5-c5",
    ),
    "a neighbour adjusted, then a capture tried on another cell": Case(
        "close-quarters",
        "4/1A2/S3/P1M1/4/4/4/4 s 0",
        "a6- 53 a5- 279 a5+ 486 b7- 1996 d5+ 295 d5- 172 b7+ 3000",
        "a6xb7",
    ),
    "a capture, and a reply whose target closes before its origin opens": Case(
        "martian-chess",
        "1qd1/qdpp/2q1/2p1/q3/1dp1/3q/pdd1 1 2,4 a4-b5 - -",
        "a4- 43 c6+ 161 a6+ 39 a7- 3000",
        "a4xc6 a7-a6",
    ),
    "a capture tried with the victim already removed": Case(
        "martian-chess",
        "q2p/qqd1/d1q1/d1pq/1p2/3d/q2d/p1d1 2 1,1 - - -",
        "d3- 325 d5- 395 a3+ 192 a3- 97 d3+ 177 !1 3000",
        "d5xd3",
    ),
    "a slide with two pauses, one where it could not end": Case(
        "martian-chess",
        "2qd/1dp1/1p2/1q2/qp2/pp1d/qqdq/d3 1 1,2 a4-a7 - -",
        "a4- 38 a5+ 26 a5- 245 a6+ 234 a6- 56 a7+ 71 a7- 423 a8+ 352 !0 3000",
        "a4-a8",
    ),
    "a piece held over another cell, after a neighbour was adjusted": Case(
        "martian-chess",
        "q1d1/2q1/1pqp/1pd1/1d1p/3d/1d1q/p1qq 2 2,1 c5-c3 - -",
        "a8- 730 a4+ 5500 a1- 664 a1+ 338 a4- 61 b8+ 259 b8- 718 a2+ 3000",
        "a8-a4 a4-a2",
    ),
    "a neighbour adjusted before the capturing piece lands": Case(
        "close-quarters",
        "4/4/3P/4/M3/1S2/A3/4 s 0",
        "a4- 243 b3- 101 a2- 575 a2+ 106 c5+ 156 c5- 73 a4+ 85 !0 3000",
        "b3xa4",
    ),
    "a piece slid back and forth during other moves": Case(
        "martian-chess",
        "2pd/2p1/3p/q3/2d1/2pd/dq2/2dq 2 8,5 - - -",
        "a5- 81 b4+ 115 b4- 60 b6+ 134 b6- 60 c5+ 162 c2+ 36 b2- 185 c7- 113 b8+ 184 c2- 64 d2+ 3000",
        "a5-b4 b4-b6 b6-c5 b2-c2 c7-b8 c2-d2",
    ),
    "a promotion whose kind is implied by the king's move": Case(
        "chess",
        "3qkb2/5n1r/r2ppPp1/P5P1/1nP1bQ1P/R7/1p3P2/1NB1KR2 b - - 6 29",
        "b2- 22 c1- 70 c1+ 211 e1- 164 e2+ 250 a6- 73 c6+ 3000",
        "bxc1=Q+ Ke2 Rc6",
    ),
    "a reply with the piece that just arrived": Case(
        "martian-chess",
        "qqd1/q3/3d/3q/2q1/d1p1/p1q1/p3 1 6,3 c4-c5 - -",
        "c6+ 12 c4- 146 c6- 17 c7+ 3000",
        "c4-c6 c6-c7",
    ),
    "a battle lost after the pawns of the preceding swap were adjusted": Case(
        "gottaz",
        "s1l5,.,u1w5,w5u1,w2s4/.,.,.,s1l5,./U1W5,.,.,.,./.,L3U3,U2L4,s3w3,W3S3/.,S1L5,.,L4U2,U1W5 f "
        "1S1L5+2W2S4 2U2L4+1W2S4+1L3U3 -",
        "e2- 252 d2- 221 e2+ 191 d2+ 80 !0 5000 d2- 800 d2+ 3000 e2- 3000",
        "e2<>d2 e2-d2x",
    ),
    "a battle whose second pawn is removed late, then a press": Case(
        "gottaz",
        "u3l3,w2s4,s4w2,s1l5,./u2l4,.,.,.,s1l5/L3U3,.,.,w5u1,./L5S1,.,.,U2L4,U1W5/.,U2L4,.,S3W3,U1W5 f "
        "1S1L5+2W2S4 1U1W5+1U2L4+1W3S3 -",
        "a3- 2177 a4- 136 !0 3000",
        "a3-a4x",
    ),
    "a battle whose second pawn is removed after another battle was announced": Case(
        "gottaz",
        "u3l3,w2s4,s4w2,s1l5,./u2l4,.,.,.,s1l5/L3U3,.,.,w5u1,./L5S1,.,.,U2L4,U1W5/.,U2L4,.,S3W3,U1W5 f "
        "1S1L5+2W2S4 1U1W5+1U2L4+1W3S3 -",
        "a3- 1100 a4- 2400",
        "a3-a4x",
        kind=SensorKind.IDENTITY,
    ),
    "a pawn put back after an apparent loss, while another is lifted": Case(
        "gottaz",
        ".,w3s3,.,.,u2l4/.,L4U2,s1l5,.,./.,.,.,U1W5,./S4W2,U1W5,W3S3,.,./.,S1L5,U3L3,l4u2,l3u3 f "
        "1S1L5+1U2L4+1W2S4 1S1L5+2U1W5+2W2S4 -",
        "c2- 149 d2+ 5200 b5- 222 c1- 350 c1+ 2244 c1- 119 b5+ 374 c1+ 3000",
        "c2-d2",
    ),
    "a pawn held for long after the press for a battle": Case(
        "gottaz",
        "u3l3,w2s4,s4w2,s1l5,./u2l4,.,.,.,s1l5/L3U3,.,.,w5u1,./L5S1,.,.,U2L4,U1W5/.,U2L4,.,S3W3,U1W5 f "
        "1S1L5+2W2S4 1U1W5+1U2L4+1W3S3 -",
        "a3- 1500 !0 677 a4- 4000 b4+ 3000",
        "a3>a5x a4-b4",
    ),
    "three fast plies whose last two look reversed": Case(
        "gottaz",
        "w2s4,.,u2l4,w2s4,u1w5/s1l5,U3L3,.,.,./.,.,.,.,./.,.,.,s3w3,l5s1/U2L4,W3S3,S1L5,W2S4,. f "
        "1S1L5+2U1W5+1U2L4+1W2S4 1U1W5+1U2L4+1L3U3 -",
        "d1- 292 d2- 98 d1+d2 194 c1- 58 c2+c1 3000",
        "d1-d2x d2-d1 c1-c2",
        kind=SensorKind.IDENTITY,
    ),
    "a swap and an instant battle of both pawns with a press": Case(
        "gottaz",
        "u1w5,s3w3,.,.,s4w2/.,u1w5,.,.,./.,.,l4u2,U2L4,./U2L4,.,W3S3,.,./W5U1,.,W2S4,U1W5,. f "
        "2S1L5+1W2S4+1L3U3 2S1L5+1U2L4+1W2S4+1L3U3 -",
        "c2- 88 c3- 41 c2+1 39 c3+0 128 c2- 50 c3- 29 !1 3000",
        "c2<>c3^ c2-c3x",
        kind=SensorKind.SIDE,
    ),
    "a battle and a swap with its cell soon after the press for another swap": Case(
        "gottaz",
        "s4w2,s1l5,L5S1,u2l4,u2l4/.,.,.,.,./.,.,.,.,./.,S1L5,w5u1,.,S4W2/W2S4,U2L4,U2L4,S3W3,. s "
        "2U1W5+1L3U3 1S1L5+1U1W5+1W2S4+1L3U3+1W3S3 -",
        "c2- 56 b2- 52 c2+ 37 b2+ 55 !1 5040 c2- 128 b1- 21 b2- 39 b1+ 77 b2+ 53 !1 3000",
        "c2<>b2 c2-b2x b2<>b1",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_actions_are_recognised_or_asked_about(what: str) -> None:
    case = CASES[what]
    assert recorded(case) == case.truth.split()


def test_an_adjusted_pawn_is_no_battle_during_another_battle() -> None:
    """Not all compared histories include the loss of the two pawns lifted last."""
    fake = table(
        "gottaz",
        ".,s4w2,L5S1,w2s4,u1w5/.,.,l4u2,.,./.,.,u2l4,.,./W5U1,.,U3L3,l3u3,./U1W5,U2L4,W3S3,W2S4,S1L5 f "
        "1U2L4+1W2S4 2S1L5+1U1W5+1W3S3 -",
    )
    perform(fake, "c5- 593 c5+ 363 c2- 106 d2- 3000")
    assert not only(QuestionAsked, fake.history)
    assert record_after_answers(fake, "") == ["c2-d2x"]


@pytest.mark.parametrize("truth", ["a4xa8 a8-a6", "a4xb5 a8-a6"])
def test_the_victim_of_a_capture_is_asked_although_the_reply_was_pressed(truth: str) -> None:
    fake = table("martian-chess", "qpd1/3q/3p/1pq1/q1d1/1p2/3d/2q1 1 10,1 - - -")
    perform(fake, "a4- 58 a8+0 183 a6+ 26 a8- 60 !1 3000")
    assert record_after_answers(fake, truth) == truth.split()


@pytest.mark.parametrize("truth", ["d4-d6", "d4-d5 d5-d6"])
def test_a_slide_with_a_pause_may_include_the_reply(truth: str) -> None:
    """The opponent owns the piece on d5 and could have moved it on."""
    fake = table("martian-chess", "qqd1/qdp1/dp2/1p2/3d/1pp1/1pdq/1dqq 1 0,0 - - -")
    perform(fake, "d4- 314 d4+ 528 d4- 353 d5+ 4000 d5- 173 d6+ 3000")
    assert record_after_answers(fake, truth) == truth.split()


def test_the_next_move_decides_whether_a_slide_with_a_pause_included_the_reply() -> None:
    fake = table("martian-chess", "qqd1/qdp1/dp2/1p2/3d/1pp1/1pdq/1dqq 1 0,0 - - -")
    perform(fake, "d4- 353 d5+ 4000 d5- 173 d6+ 1000")
    assert fake.session.view().question is not None
    perform(fake, "c8- 300 d8+ 3000")
    assert fake.session.view().question is None
    assert record_after_answers(fake, "") == ["d4-d6", "c8-d8"]


WANDERED = "c4- 28 c5+ 320 c5- 142 d4+ 132 d4- 124 c4+ 3000"
"""A piece in the hand over cells of both sides, and back."""


@pytest.mark.parametrize("truth", ["a8-b8 c4-c5 c5-d4 d4-c4", "a8-b8"])
def test_three_plies_that_bring_a_piece_back_may_have_been_no_ply(truth: str) -> None:
    fake = table("martian-chess", "q3/d3/1pqp/d3/1pq1/p1d1/q1p1/d1q1 2 3,3 - - -")
    perform(fake, f"a8- 60 b8+ 3000 {WANDERED}")
    question = fake.asked()
    was_made = [bool(choice.moves) for choice in question.choices]
    fake.ask(Answer(question.ply, was_made.index(len(truth) > len("a8-b8"))))
    fake.wait(3000)
    assert fake.record == truth.split()


@pytest.mark.parametrize(
    ("reply", "truth"),
    [("d6- 60 c7+ 3000", "a8-b8 c4-c5 c5-d4 d4-c4 d6-c7"), ("c1- 60 b1+ 3000", "a8-b8 c1-b1")],
)
def test_the_next_side_may_move_whether_three_plies_were_made_or_none(reply: str, truth: str) -> None:
    fake = table("martian-chess", "q3/d3/1pqp/d3/1pq1/p1d1/q1p1/d1q1 2 3,3 - - -")
    perform(fake, f"a8- 60 b8+ 3000 {WANDERED} {reply}")
    assert record_after_answers(fake, truth) == truth.split()


@pytest.mark.parametrize("truth", ["e1<>e2 e1<>e2", ""])
def test_a_swap_reversed_at_once_may_have_been_no_ply(truth: str) -> None:
    """The opponent or the same hand may have done it."""
    fake = table(
        "gottaz",
        "s1l5,.,s3w3,u1w5,l4u2/.,s1l5,.,w2s4,./u3l3,S1L5,.,.,W3S3/.,S4W2,.,.,w2s4/W5U1,.,S1L5,U1W5,W2S4 f "
        "2U2L4+1L3U3 1U1W5+1U2L4 -",
        SensorKind.SIDE,
    )
    for _ in range(2):
        upper = fake.lift("e2")
        fake.wait(76)
        lower = fake.lift("e1")
        fake.wait(80)
        fake.put("e2", lower)
        fake.wait(48)
        fake.put("e1", upper)
        fake.wait(277)
    fake.wait(3000)
    question = fake.asked()
    was_made = [choice.moves == ("e1<>e2",) for choice in question.choices]
    fake.ask(Answer(0, was_made.index(bool(truth))))
    fake.wait(3000)
    assert fake.record == truth.split()


def test_settling_a_ply_ends_the_inference_about_it() -> None:
    """A piece is in the hand when an inferred capture is accepted.

    Its possible meanings are counted from there.
    """
    fake = table("martian-chess", "1dqd/q1qp/d2p/2p1/p1q1/p2d/d1qp/d1q1 1 0,0 - - -")
    perform(fake, "c4- 112 c5- 2101 c5+ 3000")
    assert not only(IllegalSeen, fake.history)


def test_a_slide_whose_piece_returned_later_is_not_asked_about() -> None:
    """It only passed b7: no hand continues so soon after a move."""
    fake = table("close-quarters", "A2P/4/4/4/4/S3/4/3M w 0")
    perform(fake, "a8- 28 b7+ 24 b7- 41 c6+ 184 a3- 76 c3+ 166 c6- 136 b7+ 202 c3- 93 b3+ 3000")
    assert not only(QuestionAsked, fake.history)
    assert record_after_answers(fake, "") == ["a8-c6", "a3-c3", "c6-b7!", "c3-b3"]

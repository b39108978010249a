# SPDX-License-Identifier: Apache-2.0
"""Pawns of GOTTAZ that switches identify only by their actions.

Histories are compared although some include inferences that others lack, and presses come while an
inference is open.
"""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from companion.referee.events import IllegalSeen, QuestionAsked
from tests.referee.support import only, perform, record_after_answers, table

CASES = {
    "a leap with a press before the board is at rest": (
        ".,s3w3,s1l5,.,./.,.,.,.,./L5S1,.,.,.,./.,.,.,.,./.,.,.,W3S3,. s "
        "1S1L5+2U1W5+2U2L4+2W2S4+1L3U3 1S1L5+2U1W5+2U2L4+2W2S4+1L3U3 -",
        "e5+ 228 c1+ 178 e5- 59 e3+ 56 !1 3000",
        "L5S1@e5 L3U3@c1 e5>e3",
    ),
    "a swap": (
        ".,s4w2,.,u3l3,./.,.,.,.,./.,.,.,.,./.,.,.,.,./U1W5,S3W3,.,L4U2,. s "
        "2S1L5+1U1W5+1U2L4+2W2S4+1L3U3 2S1L5+2U1W5+2U2L4+1W2S4+1W3S3 -",
        "c5+ 262 b1- 68 b2+ 208 c5- 52 d5- 15 c5+ 116 d5+ 60 !1 3000",
        "W2S4@c5 b1-b2 c5<>d5",
    ),
    "a leap onto a pawn that it cannot beat": (
        "u2l4,u1w5,.,s1l5,l4u2/.,.,.,.,u1w5/.,.,L3U3,.,./.,.,.,.,S4W2/S1L5,.,.,U2L4,S4W2 f "
        "1S1L5+2U1W5+1U2L4+1W3S3 1S1L5+2W2S4+1L3U3+1W3S3 -",
        "a3+ 21 c3- 150 a5- 32 a4+ 151 b1+ 115 a5+ 248 a3- 149 a4- 42 a3+ 120 e2- 47 e3+ 131 e4- 186 d1- 103 "
        "d2+ 5000",
        "c3>a3 a5-a4 W3S3@b1 L3U3@a5 a3>a5x a4-a3 e2-e3 e4-e3x d1-d2",
    ),
    "a push answered by the neighbouring pawn": (
        "s1l5,.,w3s3,.,u1w5/.,u2l4,W2S4,.,w2s4/.,.,.,.,L3U3/u2l4,S1L5,L4U2,.,W2S4/S1L5,W3S3,U1W5,U1W5,. f "
        "1U2L4 1S1L5+1U1W5+1W2S4+1L3U3 -",
        "b1- 214 c1- 75 b1+ 64 c1+ 60 !0 5000 b5+ 187 c4- 147 b4- 28 c4+ 154 d1- 227 c1- 50 c1+ 50 d1+ 80 "
        "!0 5000",
        "b1<>c1 W2S4@b5 c4-c5x b4-c4 c1<>d1",
    ),
    "a late closing switch of the opponent that does not undo a capture": (
        "w3s3,.,s4w2,w2s4,s1l5/s1l5,W2S4,.,u1w5,./.,.,.,.,./.,.,.,.,U2L4/S4W2,S1L5,U1W5,.,U2L4 f "
        "1S1L5+1U1W5+1L3U3+1W3S3 1U1W5+2U2L4+1L3U3 -",
        "b4- 57 a4- 32 a4+ 158 c4+ 16 c5- 205 c1- 20 d1+ 3000",
        "b4-a4x c5-c4 c1-d1",
    ),
    "a battle whose defender gets no support from a pawn just placed beside it": (
        "s1l5,.,u3l3,.,w3s3/.,w2s4,.,.,./u2l4,.,.,.,L3U3/.,W3S3,w2s4,W2S4,S1L5/S1L5,L4U2,U1W5,.,. s "
        "1U1W5+1U2L4+1W2S4 1S1L5+2U1W5+1U2L4 -",
        "b5+ 37 b4- 155 d1+ 191 c2- 110 d2- 5000",
        "b4-b5 S4W2@d1 c2-d2x",
    ),
    "a battle both lose, with pawns placed at once on the emptied cells": (
        "w5u1,.,.,.,s4w2/.,.,.,.,./L5S1,.,.,.,./.,.,.,.,./L5S1,.,.,.,S3W3 f "
        "2U1W5+2U2L4+2W2S4+1L3U3 2S1L5+1U1W5+2U2L4+1W2S4+1L3U3+1W3S3 -",
        "a3- 44 a4+ 132 a5- 107 a4- 162 a1- 33 a2+ 146 a5+ 155 a1+ 155 a5- 87 a4+ 299 d1+ 18 e1- 200 d5+ "
        "130 a2- 71 c2+ 188 b5+ 130 b1+ 170 c5+ 20 d5- 3000",
        "a3-a4 a5-a4x a1-a2 W5U1@a5 W5U1@a1 a5-a4 e1-d1 W5U1@d5 a2>c2 S1L5@b5 S1L5@b1 d5-c5",
    ),
    "a leap answered by a lost battle, not a revised move": (
        "s3w3,u1w5,u1w5,w2s4,u2l4/u2l4,.,.,.,./.,.,l3u3,.,./S3W3,S1L5,.,.,./.,.,S1L5,W2S4,U3L3 s "
        "2U1W5+2U2L4+1W2S4 2S1L5+1W2S4 -",
        "c3- 69 a3+ 123 a2- 129 a3- 39 b3+ 137 a1+ 169 a4- 77 a3+ 167 a1- 96 b1+ 153 d5- 133 e5- 32 d5+ 71 "
        "e5+ 111 !1 3000",
        "c3>a3 a2-a3x a3-b3 W3S3@a1 a4-a3 a1-b1 d5<>e5",
    ),
    "a battle both lose and a leap, recognised by two pawns placed before": (
        ".,u2l4,.,s1l5,s3w3/u3l3,.,.,.,./L4U2,.,.,.,./.,.,W2S4,.,l5s1/U1W5,S1L5,.,S1L5,U1W5 f "
        "1U2L4+1W2S4+1L3U3+1W3S3 2U1W5+1U2L4+2W2S4 -",
        "c1+ 128 a4- 160 a1- 71 a2+ 148 a5+ 158 a3- 56 a4+ 185 a5- 51 a4- 176 c3+ 26 c1- 227 a5+ 196 a1+ 131 "
        "e2- 130 d2+ 299 c1+ 131 d1- 40 d1+ 34 d2- 130 c2- 52 d2+ 191 d1- 94 e1- 94 e1+ 153 c2+ 14 d2- 3000",
        "L4U2@c1 a4-a3x a1-a2 S4W2@a5 a3-a4 a5-a4x c1>c3 U2L4@a5 S3W3@a1 e2-d2 L4U2@c1 d2-d1x c2-d2 d1-e1x "
        "d2-c2",
    ),
    "a battle pawn lifted while another pawn only touched a cell": (
        "w2s4,s1l5,s4w2,u1w5,u2l4/l3u3,S1L5,.,.,s3w3/.,.,u1w5,.,./.,.,.,U3L3,./S1L5,U2L4,W2S4,.,S4W2 f "
        "2U1W5+1U2L4+1W3S3 1S1L5+1U2L4 -",
        "a1- 133 a2+ 5815 b5- 111 b4- 6216 a2- 558 b1- 150 b1+ 15 b5+ 292 b5- 186 a1+ 2500",
        "a1-a2 b5-b4x a2-a1",
    ),
    "a leap possible only if an equal pawn is still in the hand": (
        ".,s4w2,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,U1W5,.,S1L5 s "
        "1S1L5+1U1W5+2U2L4+2W2S4+1L3U3+1W3S3 2S1L5+2U1W5+2U2L4+1W2S4+1L3U3+1W3S3 -",
        "a5+ 126 b1+ 196 b5- 165 c5+ 199 a1+ 209 b5+ 190 a1- 15 a3+ 151 a5- 15 a3- 2500",
        "L5S1@a5 U2L4@b1 b5-c5 L5S1@a1 S1L5@b5 a1>a3 a5>a3x",
    ),
    "a battle whose second pawn is removed late, with an instant press": (
        "s4w2,w3s3,u1w5,.,W2S4/.,.,.,.,u1w5/S1L5,.,.,.,./u2l4,S1L5,U2L4,.,./W2S4,.,.,.,W3S3 s "
        "2U1W5+1U2L4+1L3U3 2S1L5+1U2L4+1W2S4+1L3U3 -",
        "a2- 1163 b2- 24 !1 2500",
        "a2-b2x",
    ),
    "both fighters leave with a press, which requires two unseen faces": (
        ".,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,U2L4,.,./L3U3,.,.,.,. s "
        "2S1L5+2U1W5+1U2L4+2W2S4+1W3S3 2S1L5+2U1W5+2U2L4+2W2S4+1L3U3+1W3S3 -",
        "e5+ 168 !1 154 d1+ 79 !0 198 c5+ 42 !1 124 d1- 91 d2+ 34 !0 161 e5- 282 d5+ 127 !1 100 a1- 53 "
        "a3+ 82 !0 124 d4+ 29 d5- 62 !1 198 a3- 64 c3+ 28 !0 129 c5- 29 b5+ 21 !1 179 c3- 35 d3+ 76 !0 "
        "157 d4- 49 d3- 105 !1 125 d2- 84 d1+ 230 !0 3000",
        "S4W2@e5 U1W5@d1 S4W2@c5 d1-d2 e5-d5 a1>a3 d5-d4 a3>c3 c5-b5 c3-d3 d4-d3x d2-d1",
    ),
    "a pawn whose identity excludes a leap by another": (
        ".,.,.,s4w2,./.,.,.,.,w5u1/.,.,.,.,./.,.,.,.,./.,L3U3,.,S1L5,L5S1 s "
        "2U1W5+2U2L4+2W2S4+1W3S3 2S1L5+1U1W5+2U2L4+1W2S4+1L3U3+1W3S3 -",
        "a5+ 209 e1- 74 e3+ 130 a5- 54 b5+ 135 e2+ 19 e3- 146 e5+ 262 e1+ 163 a5+ 304 e2- 372 a5- 86 "
        "a4+ 5531",
        "S1L5@a5 e1>e3 a5-b5 e3-e2 U3L3@e5 W5U1@e1 S1L5@a5 e2>e4x a5-a4",
    ),
    "a battle without the pawns adjusted long before": (
        ".,.,s1l5,s3w3,w5u1/.,.,w5u1,.,./.,.,L3U3,.,l5s1/W5U1,W2S4,.,U1W5,./S1L5,L4U2,L4U2,.,S1L5 s "
        "1W2S4+1W3S3 2U2L4+2W2S4+1L3U3 -",
        "e3- 728 e2+ 335 !1 5000 c5- 311 a1- 130 a1+ 2225 a1- 368 c5+ 149 a1+ 2741 c3- 279 !0 3000",
        "e3-e2 c3-c4x",
    ),
    "a pawn placed and beaten at once, or placed twice": (
        "w3s3,u2l4,s1l5,W3S3,u2l4/.,.,.,u1w5,w5u1/.,.,.,.,./.,W5U1,.,.,./l5s1,.,S1L5,S1L5,s4w2 f "
        "1U1W5+2U2L4+2W2S4+1L3U3 1W2S4+1L3U3 -",
        "b1+ 198 b1- 59 a1- 65 b1+ 123 a1+ 168 d1- 50 d1+ 28 e1- 3000",
        "U3L3@b1 a1-b1x U2L4@a1 e1-d1x",
    ),
    "a battle answered by a swap that looks like a battle until the press": (
        "u1w5,w2s4,.,L5S1,w3s3/.,.,.,l4u2,s4w2/l4u2,.,S1L5,.,./.,.,W2S4,.,./.,W3S3,W2S4,.,U1W5 f "
        "1U1W5+2U2L4+1L3U3 2S1L5+1U1W5+1L3U3 -",
        "d5- 233 a5- 32 b5- 39 a5+ 99 b5+ 54 !1 3000",
        "d5-e5x b5<>a5",
    ),
    "two cells too far apart to be adjusted by one hand": (
        ".,u1w5,l3u3,w2s4,u2l4/.,.,.,.,./L4U2,.,l4u2,.,w2s4/.,.,.,U1W5,./.,S1L5,S4W2,U3L3,U2L4 f "
        "1S1L5+1U1W5+1W2S4+1W3S3 2S1L5+1U1W5+1W3S3 -",
        "a1+ 149 c3- 129 a3- 243 a5+ 174 b5- 147 a5- 63 b5+ 3000",
        "S1L5@a1 c3>c1x a3>a5 b5-a5x a5-b5",
    ),
    "a swap that makes the preceding move ambiguous": (
        ".,w5u1,s1l5,s4w2,./s1l5,w2s4,l4u2,L5S1,u2l4/.,.,.,.,./S4W2,.,S3W3,U3L3,./S1L5,.,W2S4,.,U1W5 f "
        "1U1W5+2U2L4 1U1W5+1L3U3+1W3S3 -",
        "c4- 33 d4- 227 c4+ 138 a4- 47 b4- 54 a4+ 15 b4+ 79 !1 3000",
        "d4-c4x b4<>a4",
    ),
    "a battle both lose while three pawns, too many for one hand, are missing": (
        ".,s1l5,l3u3,w2s4,s3w3/.,.,.,.,./W5U1,.,.,l4u2,./.,S1L5,u1w5,.,./S4W2,U2L4,U1W5,S1L5,U2L4 s "
        "1W2S4+1L3U3+1W3S3 1S1L5+1U1W5+1U2L4+1W2S4 -",
        "d3- 42 d1- 83 d1+ 173 c1- 197 d1- 197 d1+ 134 c2- 38 b2- 152 d1- 18 c1+ 248 d5- 96 c5- 137 d5+ 124 "
        "c5+ 123 !1 3000",
        "d3>d1x c1-d1x d1>b1x S4W2@d1 c2-b2x d1-c1 d5<>c5",
    ),
    "a battle during a fast reply": (
        "w3s3,u1w5,u1w5,s1l5,s4w2/.,.,.,.,./.,.,.,.,U2L4/S1L5,.,.,.,./.,S1L5,S4W2,l5s1,U2L4 f "
        "2U1W5+1W2S4+1L3U3+1W3S3 2U2L4+1W2S4+1L3U3 -",
        "b1- 22 b2+ 127 c1- 144 d1- 21 c1+ 153 b1+ 222 b1- 87 c1- 21 b1+ 157 d1+ 132 b1- 85 c1+ 200 d1- 93 "
        "c1- 179 c1+ 45 d1+ 15 !0 3000",
        "b1-b2 d1-c1x U1W5@b1 c1-b1x W5U1@d1 b1-c1 d1<>c1",
    ),
    "a swap whose second pawn lands late, before its press": (
        "u1w5,L5S1,s1l5,s1l5,s3w3/.,w2s4,.,.,u1w5/.,.,W2S4,.,./.,.,.,.,./L3U3,S3W3,U2L4,.,U1W5 f "
        "1S1L5+1U1W5+1U2L4+1W2S4 2U2L4+1W2S4+1L3U3 -",
        "b1- 545 b2+ 615 !0 6253 b4- 208 b5- 301 b4+ 869 b5+ 230 !1 3000",
        "b1-b2 b4<>b5",
    ),
    "a pawn whose identity follows from later pawns": (
        "w3s3,.,.,.,u1w5/.,.,.,.,./.,.,.,.,./.,.,.,.,./.,W5U1,S1L5,.,. f "
        "1S1L5+1U1W5+2U2L4+2W2S4+1L3U3+1W3S3 2S1L5+1U1W5+2U2L4+2W2S4+1L3U3 -",
        "e1+ 192 c5+ 125 b1- 61 c1- 49 b1+ 151 c1+ 99 !0 360 c5- 126 c3+ 190 c1- 259 c2+ 136 c3- 36 d3+ 117 "
        "a1+ 160 d5+ 131 d1+ 214 d3- 41 d1- 190 c1+ 145 b5+ 15 a5- 130 c1- 100 d1+ 167 d5- 37 d4+ 182 d1- 21 "
        "e1- 39 e1+ 61 d1+ 58 !0 136 a5+ 146 c2- 68 b2+ 3000",
        "U2L4@e1 L4U2@c5 b1<>c1 c5>c3 c1-c2 c3-d3 U2L4@a1 L4U2@d5 S3W3@d1 d3>d1x W2S4@c1 a5-b5 c1-d1 d5-d4 "
        "d1<>e1 W2S4@a5 c2-b2",
    ),
}
"""Position, trace and true moves, with switches."""


LONG = {
    "a battle both lose and a leap, recognised by two pawns placed before",
    "both fighters leave with a press, which requires two unseen faces",
    "a pawn whose identity follows from later pawns",
}
"""The cases with the longest searches; each of the others takes at most a second."""


@pytest.mark.parametrize(
    "what", [pytest.param(what, marks=[pytest.mark.long] if what in LONG else []) for what in CASES]
)
def test_the_history_that_explains_all_changes_is_found(what: str) -> None:
    position, trace, truth = CASES[what]
    fake = table("gottaz", position)
    perform(fake, trace)
    assert record_after_answers(fake, truth) == truth.split()


def test_a_swap_is_in_progress_although_its_first_pawn_might_be_on_an_unseen_cell() -> None:
    fake = table(
        "gottaz",
        "l3u3,.,.,s1l5,w3s3/.,.,.,.,./.,.,.,.,./.,W5U1,.,.,./.,.,.,.,U1W5 s "
        "2S1L5+2U2L4+2W2S4+1L3U3+1W3S3 1S1L5+2U1W5+2U2L4+2W2S4 -",
        hidden="c5",
    )
    perform(fake, "d5- 2001 e5- 202 d5+ 601 e5+ 75 !1 3000")
    assert record_after_answers(fake, "e5<>d5") == ["e5<>d5"]


def test_an_answered_question_about_a_pawn_is_not_repeated_when_a_held_piece_comes_down() -> None:
    fake = table(
        "gottaz",
        ".,s1l5,l5s1,.,./.,s4w2,.,s3w3,s4w2/.,.,.,.,./.,U3L3,.,.,L4U2/.,.,l3u3,S4W2,S4W2 f "
        "2S1L5+2U1W5+1U2L4+1W3S3 2U1W5+2U2L4 -",
    )
    perform(fake, "a1+ 160 c1- 2500")
    record_after_answers(fake, "S3W3@a1 c1-d1x")
    fake.take_events()
    perform(fake, "c1+ 156 e5+ 9 c5- 3000")
    assert record_after_answers(fake, "S3W3@a1 c1-d1x S1L5@c1 c5>e5") == [
        "S3W3@a1",
        "c1-d1x",
        "S1L5@c1",
        "c5>e5",
    ]
    assert not only(QuestionAsked, fake.take_events())


def test_a_swap_is_preferred_to_two_adjusted_pawns() -> None:
    fake = table(
        "gottaz",
        ".,.,w5u1,u3l3,s1l5/u1w5,.,L3U3,s3w3,s1l5/.,.,.,.,./.,S4W2,.,.,./S3W3,.,U1W5,U1W5,L4U2 s "
        "2S1L5+1U2L4+1W2S4 2U2L4+2W2S4 -",
        SensorKind.SIDE,
    )
    truth = "c5<>c4 c5-c4x c4<>d4 b2-b3 d5-c5"
    perform(
        fake,
        "c5- 53 c4- 27 c5+0 74 c4+1 116 c5- 159 d4- 38 c4- 93 c4+1 79 d4+1 98 !1 142 b2- 59 b3+0 293 "
        "d5- 26 c5+1 3000",
    )
    assert record_after_answers(fake, truth) == truth.split()


def test_a_battle_is_preferred_to_three_pawns_in_hands() -> None:
    fake = table(
        "gottaz",
        ".,.,u2l4,s1l5,s4w2/L5S1,.,.,.,./.,.,s1l5,u1w5,./.,W3S3,U1W5,S4W2,./U3L3,S1L5,.,.,U1W5 f "
        "2U2L4+1W2S4 1U1W5+1U2L4+1W2S4+1L3U3+1W3S3 -",
        SensorKind.SIDE,
    )
    truth = "e1-d1 U2L4@b5 L4U2@e1 e5-e4^ b2-a2 d3-d2x e1>e3 e4-e3x"
    perform(fake, "e1- 50 d1+0 149 b5+1 136 e1+0 189 e4+1 8 e5- 173 b2- 145 a2+0 183 d3- 164 e1- 29 e3+0 161")
    perform(fake, "e4- 35 e3- 3000")
    assert record_after_answers(fake, truth) == truth.split()


def test_an_answer_and_its_ply_stand_against_an_illegal_explanation() -> None:
    fake = table(
        "gottaz",
        ".,l4u2,.,s1l5,u1w5/s3w3,L4U2,u2l4,.,./.,.,.,.,./.,.,.,.,U2L4/S1L5,W3S3,U3L3,.,. f "
        "1S1L5+2U1W5+2W2S4 1S1L5+1U1W5+2W2S4+1L3U3 -",
    )
    perform(fake, "b4- 1395 b5- 5207 b5+ 2500")
    assert record_after_answers(fake, "b4-b5x W2S4@b5") == ["b4-b5x", "W2S4@b5"]
    perform(fake, "e2- 215 b3+ 2300")
    assert only(IllegalSeen, fake.take_events())
    assert fake.record == ["b4-b5x", "W2S4@b5"]


FAST = (
    "l4u2,u1w5,s4w2,.,s1l5/S4W2,.,l3u3,s3w3,./.,.,.,.,s1l5/.,S3W3,w5u1,S4W2,./S1L5,L3U3,U1W5,.,. s "
    "1S1L5+1U1W5+2U2L4 1U2L4+1W2S4 -",
    "e3- 108 e2+ 176 d1+ 136 e2- 154 e1+ 3000",
    "e3-e2 U2L4@d1",
)
FAST_AND_SETTLED = (
    "u2l4,s4w2,.,s3w3,s1l5/.,u2l4,u1w5,.,./l5s1,.,.,.,./.,.,.,L4U2,./U1W5,S3W3,.,W2S4,U3L3 f "
    "2S1L5+1U1W5+1U2L4+1W2S4 1U1W5+1W2S4+1L3U3 -",
    "a1- 194 a2+ 182 a3- 586 a1+ 3000",
    "a1-a2",
)


@pytest.mark.parametrize(
    ("game", "truth"),
    [
        (FAST, "e2-e1"),
        (FAST, "e2-d2x U1W5@e1"),
        (FAST_AND_SETTLED, "a3>a1"),
        (FAST_AND_SETTLED, "a3-a2x S1L5@a1"),
    ],
)
def test_a_question_distinguishes_a_longer_move_from_a_reply_in_a_fast_game(
    game: tuple[str, str, str], truth: str
) -> None:
    position, trace, before = game
    fake = table("gottaz", position)
    perform(fake, trace)
    assert record_after_answers(fake, f"{before} {truth}") == [*before.split(), *truth.split()]


def test_no_fast_reply_is_assumed_in_a_slow_game() -> None:
    fake = table(
        "gottaz",
        "l4u2,u1w5,s4w2,.,s1l5/S4W2,.,l3u3,s3w3,./.,.,.,.,s1l5/.,S3W3,w5u1,S4W2,./S1L5,L3U3,U1W5,.,. s "
        "1S1L5+1U1W5+2U2L4 1U2L4+1W2S4 -",
    )
    perform(fake, "e3- 108 e2+ 1176 d1+ 1136 e2- 154 e1+ 3000")
    assert record_after_answers(fake, "e3-e2 U2L4@d1") == ["e3-e2", "U2L4@d1", "e2-e1"]

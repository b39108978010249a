# SPDX-License-Identifier: Apache-2.0
"""Pieces put back: the inferred plies are dropped or asked about."""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from companion.referee.commands import Answer
from companion.referee.events import IllegalSeen
from tests.referee.support import only, perform, record_after_answers, table

UNDONE = {
    "a capture that empties only one cell, put back": (
        "l4u2,u1w5,s1l5,.,u3l3/w2s4,.,.,.,./.,.,l5s1,.,w3s3/.,.,.,.,S1L5/S1L5,.,U1W5,S4W2,W3S3 s "
        "1U1W5+2U2L4+1W2S4+1L3U3 1U1W5+1U2L4+1W2S4 -",
        "e3- 255 c3- 269 c3+ 1702 c3- 821 e3+ 861 c3+ 3000",
    ),
    "a capture and an apparent reply": (
        "s1l5,s1l5,w2s4,l3u3,./.,.,.,.,./L3U3,.,L5S1,.,./L4U2,.,.,w5u1,w3s3/U1W5,.,U2L4,S3W3,. f "
        "1S1L5+1U1W5+2W2S4 1U1W5+2U2L4+1W2S4 -",
        "d1- 543 d2- 102 d2+ 2044 d2- 90 d1+ 1013 d2+ 3000",
    ),
    "a capture and two apparent replies": (
        "s1l5,s1l5,l4u2,u1w5,u3l3/.,L3U3,.,s4w2,W5U1/.,U2L4,.,.,w5u1/W3S3,.,.,S1L5,./.,W2S4,.,U1W5,S1L5 s "
        "1U2L4+1W2S4 1U2L4+1W2S4+1W3S3 -",
        "b5- 1753 e4- 669 e4+ 1810 e4- 259 b5+ 85 e4+ 3000",
    ),
    "a pawn moved to a cell where one could have been placed": (
        "s1l5,l3u3,.,w2s4,s1l5/.,.,L5S1,.,./w3s3,.,.,.,w2s4/.,.,S4W2,.,./U1W5,.,U2L4,W5U1,. s "
        "1S1L5+1U2L4+1W2S4+1L3U3+1W3S3 2U1W5+2U2L4 -",
        "b5- 38 b4+ 5000 b4- 377 e1+ 1729 e1- 298 b4+ 3000",
    ),
    "an apparent battle and a pawn that seems to enter too soon for a reply": (
        "s3w3,s1l5,.,u2l4,L4U2/.,.,.,.,./.,.,.,s4w2,./S3W3,.,l3u3,.,./S4W2,S1L5,U1W5,U1W5,S4W2 s "
        "1S1L5+1U2L4+1L3U3 1S1L5+2U1W5+1U2L4+1W2S4 -",
        "d5- 680 e5- 146 e5+ 1615 e5- 724 d5+ 32 e5+ 3000",
    ),
    "two apparent battles and a pawn that seems to enter": (
        "U2L4,s1l5,w2s4,u3l3,u2l4/.,.,.,w2s4,./.,.,.,L3U3,./.,U1W5,.,.,S3W3/S4W2,S1L5,W5U1,w3s3,S1L5 f "
        "1U2L4+1W2S4 1S1L5+2U1W5+1U2L4 -",
        "e1- 332 d4- 186 d4+ 1962 d4- 101 e1+ 1121 d4+ 3000",
    ),
}
"""Illegal attempts that looked legal for a while, and their corrections."""


@pytest.mark.parametrize("what", UNDONE)
def test_a_piece_put_back_is_no_move(what: str) -> None:
    position, trace = UNDONE[what]
    fake = table("gottaz", position)
    perform(fake, trace)
    assert fake.record == (["b5-b4^"] if "b4+ 5000" in trace else [])
    assert fake.session.view().fault is None


@pytest.mark.parametrize("is_made", [True, False])
def test_whether_three_plies_were_made_is_asked_if_the_first_may_have_been_put_back(is_made: bool) -> None:
    position, _ = UNDONE["an apparent battle and a pawn that seems to enter too soon for a reply"]
    fake = table("gottaz", position)
    perform(fake, "d5- 680 e5- 146 e5+ 1615 e5- 724 d5+ 832 e5+ 3000")
    question = fake.asked()
    was_made = [bool(choice.moves) for choice in question.choices]
    fake.ask(Answer(question.ply, was_made.index(is_made)))
    fake.wait(3000)
    truth = "d5-e5x e5-d5 U2L4@e5" if is_made else ""
    assert record_after_answers(fake, truth) == truth.split()


def test_plies_that_restore_many_pieces_were_made() -> None:
    """Two hands cannot hold three pawns, so these were not lifted and put back."""
    fake = table(
        "gottaz",
        ".,s1l5,u1w5,l3u3,s4w2/.,l4u2,L4U2,.,./.,.,W2S4,.,./.,.,s1l5,W2S4,./L3U3,U1W5,U2L4,S3W3,S1L5 s "
        "1S1L5+1U1W5 1U1W5+1U2L4+1W2S4+1W3S3 -",
        SensorKind.IDENTITY,
    )
    perform(
        fake,
        "c5- 148 c4- 41 c3- 41 c4+c3 117 c3+c4 133 c5+c5 201 c4- 87 c3- 20 c3+c4 150 c4+c3 404 "
        "c5- 209 d2- 136 c2- 27 c2+d2 125 b4- 24 b3+b4 3000",
    )
    assert record_after_answers(fake, "") == [
        "c5-c4x",
        "c3<>c4",
        "U1W5@c5",
        "c4<>c3",
        "c5-c4x",
        "d2-c2x",
        "b4-b3",
    ]


def test_a_piece_possibly_put_back_long_ago_does_not_excuse_a_fault_now() -> None:
    fake = table("martian-chess", "1dqd/4/1ppd/q1p1/qp2/1dpq/1qd1/3q 2 3,0 - - -")
    perform(fake, "c5- 1453 b4- 246 b4+ 11000 c2- 107 d2+ 6250 d2- 278 c5+ 1000")
    assert only(IllegalSeen, fake.history)


def test_a_piece_from_the_box_is_illegal_and_undoes_no_seen_ply() -> None:
    """After a capture on switches its cell looks as before.

    But no piece on it could have come from there.
    """
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    perform(fake, "d5- 200 e4- 200 d5+ 3000 h5+ 1000")
    assert [event.violation.rule for event in only(IllegalSeen, fake.history)][:1] == ["piece-added"]
    assert fake.record == ["exd5"]


@pytest.mark.parametrize(("held_ms", "made"), [(2500, "e5"), (5500, "exd5")])
def test_a_piece_that_lands_late_did_not_capture_a_piece_adjusted_meanwhile(held_ms: int, made: str) -> None:
    """Unless no hand can have held it so long: then it comes from the box."""
    fake = table("chess", "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1")
    perform(fake, f"e4- 500 d5- 90 d5+ {held_ms} e5+ 600")
    assert fake.record == [made]
    assert (fake.session.view().fault is not None) is (made == "exd5")


def test_a_bumped_neighbour_on_a_lit_cell_answers_nothing_if_the_piece_lands_elsewhere() -> None:
    fake = table(
        "gottaz",
        "u2l4,s4w2,.,.,u2l4/u1w5,.,s3w3,.,./L4U2,.,.,.,./.,.,.,S1L5,./.,U1W5,S1L5,.,W3S3 f "
        "1U1W5+1U2L4+2W2S4+1L3U3 2S1L5+1U1W5+1W2S4+1L3U3 -",
    )
    perform(fake, "a3- 278 a3+ 240 a3- 2492 a4- 297 a4+ 1325 b3+ 3000")
    assert record_after_answers(fake, "") == ["a3-b3"]


def test_two_pieces_knocked_over_and_put_back_did_not_capture() -> None:
    fake = table("close-quarters", "4/4/4/4/A3/2S1/4/1P1M w 0")
    perform(fake, "a4- 9 d1- 6 c3- 458 c3+ 96 d1+ 900 c2+ 3000")
    assert record_after_answers(fake, "") == ["a4-c2!"]

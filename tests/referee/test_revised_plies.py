# SPDX-License-Identifier: Apache-2.0
"""Recognised plies are revised if later changes have a simpler explanation."""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from companion.referee.events import IllegalSeen, MoveMade, MoveRetracted, Stage
from tests.referee.support import Case, only, perform, record_after_answers, recorded, table

CASES = {
    "a victim landing on the origin of its attacker: a swap": Case(
        "gottaz",
        "s3w3,w2s4,.,u2l4,W5U1/.,.,w2s4,u2l4,./.,.,U3L3,.,./.,S1L5,W2S4,L4U2,S1L5/W3S3,.,U2L4,.,S4W2 s "
        "1U1W5 2S1L5+2U1W5+1L3U3 -",
        "d4- 54 e4+1 5028 e4- 28 e5- 34 e4+0 265 e5+1 189 e5- 2500",
        "d4-e4 e5<>e4 e5-e4x",
        kind=SensorKind.SIDE,
    ),
    "a swap, then one battle in which both pawns leave": Case(
        "gottaz",
        ".,.,s1l5,u3l3,s4w2/.,w2s4,.,s1l5,w3s3/.,.,.,W2S4,./.,.,.,.,./.,U1W5,W2S4,U2L4,U1W5 s "
        "2S1L5+1U2L4+1L3U3+1W3S3 2U1W5+2U2L4 -",
        "e4- 44 e3+1 191 d3- 91 d4- 58 d3+1 86 d4+0 134 d3- 89 d4- 2500",
        "e4-e3 d3<>d4 d3-d4x",
        kind=SensorKind.SIDE,
    ),
    "a neighbour knocked over and put back does not decide the battle of a held pawn": Case(
        "gottaz",
        ".,u3l3,w2s4,u1w5,u1w5/l5s1,L5S1,.,.,./.,.,.,.,l5s1/W2S4,.,.,.,U1W5/S1L5,W3S3,.,.,. f "
        "1U1W5+2U2L4+1W2S4+1L3U3 2U2L4+1W2S4+1W3S3 -",
        "b1- 109 a1- 125 b1+ 557 a1+ 133 !0 5118 e3- 209 b4- 28 a5+ 345 a5- 418 b4+ 2205 c3+ 2500",
        "b1<>a1 e3>c3",
    ),
    "a neighbour knocked onto a target of the held piece is not captured there": Case(
        "martian-chess",
        "1qqd/dqp1/3q/1p1d/d2q/1p2/1p1d/d1q1 1 1,1 - - -",
        "d2- 150 d3+ 290 !0 5318 d6- 161 b5- 49 b4+ 152 b4- 358 b5+ 557 a5+ 186 a5- 178 c6+ 215 !1 2500",
        "d2-d3 d6-c6",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_the_simpler_explanation_is_recorded(what: str) -> None:
    case = CASES[what]
    assert recorded(case) == case.truth.split()


def test_an_apparent_battle_becomes_a_swap_when_the_second_pawn_lands() -> None:
    fake = table(
        "gottaz",
        ".,.,l5s1,s1l5,./.,.,u3l3,.,./.,.,.,.,./.,.,.,W2S4,./w3s3,S1L5,W5U1,W2S4,S1L5 f "
        "1U1W5+2U2L4+1L3U3+1W3S3 2U1W5+2U2L4+2W2S4 -",
        hidden="e2",
    )
    perform(fake, "d2- 2381 !0 5977 a1- 1071 e1- 7 e1+ 154 b1- 121 a1+ 64 b1+ 152")
    assert record_after_answers(fake, "d2-e2 a1<>b1") == ["d2-e2", "a1<>b1"]


def test_a_swap_whose_first_pawn_may_be_on_an_unseen_cell_waits_for_the_second() -> None:
    fake = table(
        "gottaz",
        ".,s3w3,.,w5u1,./s1l5,u1w5,.,.,./.,W2S4,.,L3U3,./U1W5,W2S4,S3W3,.,U1W5/.,.,U2L4,s1l5,U2L4 f "
        "2S1L5 2U2L4+2W2S4+1L3U3 -",
        SensorKind.IDENTITY,
        hidden="a3",
    )
    fake.wait(5000)
    mover = fake.lift("b3")
    fake.wait(1355)
    perform(fake, "b4- 226 b3+b4 700")
    fake.put_unheard("b4", mover)
    fake.report_gap()
    fake.wait(2500)
    assert fake.record == ["b3<>b4"]
    assert not only(IllegalSeen, fake.history)


def test_a_pawn_added_long_after_a_battle_was_not_in_it() -> None:
    fake = table(
        "gottaz",
        "u1w5,u3l3,.,.,l4u2/.,.,.,.,./.,U3L3,.,l4u2,./.,.,.,L4U2,./U2L4,S3W3,W2S4,U1W5,S1L5 f "
        "1S1L5+1U1W5+1W2S4 2S1L5+1U1W5+2W2S4+1W3S3 -",
    )
    perform(fake, "b3- 1361 b4+ 5138 b5- 65 b4- 5035 b2+ 700")
    assert fake.record == ["b3-b4", "b5-b4x"]
    assert fake.session.view().fault


def test_a_piece_briefly_on_the_cell_of_a_battle_does_not_undo_it() -> None:
    fake = table(
        "gottaz",
        "s1l5,.,u2l4,u3l3,./.,.,.,.,./s4w2,.,.,U2L4,s3w3/U3L3,s4w2,S3W3,.,./.,U2L4,S1L5,.,S4W2 f "
        "1S1L5+2U1W5+1W2S4 1S1L5+2U1W5+1U2L4 -",
        SensorKind.IDENTITY,
    )
    perform(fake, "a2- 5721 b2- 512 c4+b2 193 c5- 165 a2+c5 2553 a2- 159 c4- 1020 b2+b2 377 c5+c5 2500")
    assert fake.record == ["a2-a3x"]


def test_a_neighbour_knocked_over_while_a_pawn_is_held_for_long_is_no_illegal_move() -> None:
    fake = table(
        "gottaz",
        "u3l3,u1w5,w2s4,w2s4,s1l5/.,.,.,.,./.,w3s3,.,.,./.,S1L5,L3U3,.,./.,.,W5U1,W2S4,U1W5 s "
        "1S1L5+2U2L4+1W2S4+1W3S3 1S1L5+1U1W5+2U2L4 -",
    )
    perform(fake, "5000 b3- 484 b3+ 481 b3- 1212 a5- 26 a4+ 619 a4- 306 a5+ 330 b4+ 2500")
    assert fake.record == ["b3-b4"]
    assert not only(IllegalSeen, fake.history)


def test_a_swap_begun_during_lost_changes_is_recognised_when_its_second_pawn_lands() -> None:
    fake = table(
        "gottaz",
        "u2l4,.,.,.,s3w3/u2l4,u3l3,.,s1l5,./.,w5u1,u1w5,.,./.,.,W3S3,U3L3,./U2L4,S1L5,S4W2,.,U1W5 f "
        "1S1L5+1U1W5+1U2L4+1W2S4 1S1L5+2W2S4 -",
    )
    fake.wait(5000)
    first = fake.lift_unheard("c2")
    fake.report_gap()
    fake.wait(1753)
    second = fake.lift("d2")
    fake.wait(221)
    fake.put_unheard("c2", second)
    fake.report_gap()
    fake.wait(817)
    fake.put("d2", first)
    perform(fake, "192 !0 2500")
    assert record_after_answers(fake, "c2<>d2") == ["c2<>d2"]
    assert not only(IllegalSeen, fake.history)


def test_an_announced_ply_made_provisional_is_retracted_and_ends_no_game_twice() -> None:
    fake = table("close-quarters", "4/4/S3/M3/4/4/4/4 w 0")
    perform(
        fake,
        "a5- 289 a6- 273 a6+ 491 c6+ 78 !1 5227 c6- 127 c6+ 220 a6- 4000 a6+ 76 a6- 95 c6- 239 c6+ 711 b5+ 181 !0 700",
    )
    assert fake.record == ["a5-c6", "a6-b5!"]
    announced = set[int]()
    for event in fake.history:
        if isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED:
            assert event.ply not in announced
            announced.add(event.ply)
        elif isinstance(event, MoveRetracted):
            assert (event.ply in announced) == (event.stage is Stage.ANNOUNCED)
            announced.discard(event.ply)
    assert fake.restored().position == fake.session.position


def test_an_answer_about_a_ply_stands_while_a_possible_victim_is_adjusted() -> None:
    fake = table(
        "tank-chess",
        "w CC1S HE1N LI2SE MB3NE cH5SE hD11W lA10x mI10x",
        map="drawn; 9x11; E4 E8; CD1N HE1N LF1N MA2N mI10S lD11S hE11S cF11S",
    )
    perform(fake, "I2- 24 H1+ 3000")
    assert record_after_answers(fake, "I2-H1SW!") == ["I2-H1SW!"]
    perform(fake, "2500 C1- 200 H5- 90 H5+C1 1600 H5- 460 C1+C1 80 H5+H5 2500")
    assert fake.record == ["I2-H1SW!"]
    assert fake.session.view().outcome is None
    assert only(MoveRetracted, fake.history)[1:] == []


def test_a_piece_held_for_long_may_land_where_another_might_have_gone_from_a_stuck_cell() -> None:
    fake = table("chess", "3rkb1r/p1p1p1pp/3q1n2/1p1p2N1/P1B2P1P/NP2P2b/2nP2PR/R1BK4 b - - 3 13", hidden="g5")
    perform(fake, "3000 d6- 3247 e6+d6 3")
    queen = fake.lift("e6")  # a contact that bounces as the connection is lost
    fake.wait(118)
    fake.put_unheard("e6", queen)
    fake.report_gap()
    fake.wait(2500)
    assert record_after_answers(fake, "Qe6") == ["Qe6"]


def test_castling_continues_although_the_king_landed_briefly_on_the_rooks_cell() -> None:
    fake = table("chess", "rn1qk2r/p1P1n1p1/p3b2p/4ppN1/6P1/Q1P5/PP1P1P1P/RNB1K2R b KQkq - 0 12")
    perform(fake, "3000 e8- 22 f8+ 74 f8- 252 g8+ 437 h8- 619 f8+ 2500")
    assert fake.record == ["O-O"]
    assert not only(IllegalSeen, fake.history)


def test_a_piece_on_the_origin_of_a_seen_capture_does_not_take_it_back() -> None:
    fake = table("close-quarters", "4/4/1PA1/3S/4/4/4/4 s 0")
    perform(fake, "3000 d5- 361 c6- 53 c6+ 5145 d5+ 1000")
    assert fake.record == ["d5xc6!"]
    assert fake.session.view().fault is not None


def test_a_long_piece_that_landed_during_lost_changes_is_recognised_by_sightings() -> None:
    fake = table(
        "fightopia",
        "v1pggppv/vppggp1v/3p4/2p1ppP1/8/2PP1P2/VPPGGPPV/V1PGG1PV b",
        SensorKind.IDENTITY,
        hidden="a5",
    )
    fake.wait(3000)
    tank = fake.lift("a7")
    fake.lift("a8")
    fake.wait(299)
    fake.put("a6", tank)
    fake.wait(251)
    fake.put_unheard("a7", tank)
    fake.report_gap()
    perform(fake, "45 !1 2500")
    assert fake.record == ["Ta7a8-a6a7"]
    assert not only(IllegalSeen, fake.history)


def test_a_press_by_the_opponent_does_not_turn_an_old_swap_into_a_battle() -> None:
    fake = table(
        "gottaz",
        "s2d4,d2t4,.,u2r4,t3d3/.,.,w5t1,.,./l1u5,.,S1T5,.,./.,S1L5,.,W3S3,./.,R5J1,.,.,S4W2 s "
        "1U1D5+1U2L4+1J2R4+1L2J4+1J3R3 1R1J5+1D1L5+1R2W4+1L3U3 -",
        SensorKind.SIDE,
        hidden="c3",
        pawns="draft",
        enter_occupied_territory="no",
    )
    perform(fake, "3000 c4- 789 c4+0 5710 c4- 563 !0 2500")
    assert fake.record == ["c4<>c3", "c4-c3x"]

# SPDX-License-Identifier: Apache-2.0
"""Histories are revised when later changes require it.

Each trace here was misread once.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.host.journal.journal import Ticked
from companion.model.observation import SensorKind
from companion.referee.events import Event, IllegalSeen, QuestionAsked
from tests.referee.support import only, perform, record_after_answers, table

START = (
    "w HC1N HM1N MF1N MH3N MJ1N LC3N LF3N LJ3N LM3N CH1N "
    "hD16S hN16S mG16S mI14S mK16S lD14S lG14S lK14S lN14S cI16S"
)
"""The start of Tank Chess."""


@pytest.mark.long
def test_an_early_pawn_is_identified_by_a_much_later_battle() -> None:
    """Fifteen pawns and moves are open, with hundreds of histories.

    Those with pieces of the last move are tried first.
    """
    fake = table(
        "gottaz",
        ".,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,. f "
        "2S1L5+2U1W5+2U2L4+2W2S4+1L3U3+1W3S3 2S1L5+2U1W5+2U2L4+2W2S4+1L3U3+1W3S3 -",
        SensorKind.SIDE,
    )
    perform(
        fake,
        "c1+0 15 !0 127 a5+1 219 d1+0 228 d5+1 118 !1 176 e1+0 94 !0 325 d5- 130 c5+1 21 !1 267 a1+0 52 !0 172 "
        "c5- 94 d5+1 162 !1 231 a1- 74 a2+0 67 !0 226 b5+1 33 !1 147 b1+0 36 !0 174 c5+1 50 !1 137 b2+0 38 b1- 90 !0 184 e5+1 209 !1 207 a1+0 15 !0 148 c5- 89 c4+1 61 !1 156 a3+0 21 a2- 66 !0 223 a5- 33 a4+1 193 a3- 84 !0 3000",
    )
    truth = (
        "U2L4@c1 W5U1@a5 W2S4@d1 W2S4@d5 S3W3@e1 d5-c5 U2L4@a1 c5-d5 a1-a2 U1W5@b5 U1W5@b1 S1L5@c5 b1-b2 S1L5@e5 "
        "U1W5@a1 c5-c4 a2-a3 a5-a4 a3-a4x"
    )
    assert record_after_answers(fake, truth) == truth.split()


def test_a_question_distinguishes_two_equal_histories() -> None:
    """The pawn of c5 took b5, and another entered d5.

    Or c5 went to d5, and b5 was only adjusted.
    """
    fake = table(
        "gottaz",
        "u1w5,s1l5,L5S1,.,w2s4/.,.,.,s4w2,./.,.,.,.,./.,.,.,.,./.,S4W2,W2S4,S1L5,S3W3 f "
        "2U1W5+2U2L4+1L3U3 1S1L5+1U1W5+2U2L4+1L3U3+1W3S3 -",
    )
    perform(fake, "b5- 60 c5- 56 b5+ 141 d5+ 3000")
    assert only(QuestionAsked, fake.history)


def test_a_turned_tank_is_found_by_its_next_move() -> None:
    fake = table(
        "tank-chess",
        "b MF1N MJ1N HM1N HD2E CG2NE LC3N LF3N MH3N LJ3SE LM3N "
        "lL12S lK13W lD14S lG14W mI14S hD16S mG16S cI16S mK16S hN16S",
    )
    perform(fake, "i16- 76 h15+ 188 c3- 81 d4+ 197 n16- 109 m15+ 255 f3- 54 d5+ 229 h15- 57 f12+ 40 !1 3000")
    truth = "I16-H15S C3-D4SE N16-M15W F3-D5NE H15-F12SW"
    assert record_after_answers(fake, truth) == truth.split()


def test_a_victim_held_long_does_not_undo_its_last_move() -> None:
    fake = table("chess", "1rb1kbr1/3pp1pp/p6q/1ppP2B1/N7/PRK2PpN/2n1P2P/3Q1B1R b - - 2 20")
    perform(fake, "c2- 187 e3+ 80 !1 5400 b8- 248 b8+ 387 e3- 2169 g5- 495 e3+ 3000")
    assert record_after_answers(fake, "") == ["Ne3", "Bxe3"]


def test_a_neighbour_adjusted_while_the_mover_stood_is_not_captured() -> None:
    fake = table("martian-chess", "qqd1/qdp1/dpp1/4/pq2/1d2/qd1d/p1q1 1 1,0 - - -")
    perform(fake, "b4- 156 c5+ 6000 b6- 252 b6+ 288 c5- 507 d3+ 73 d3- 199 d6+ 3000")
    assert record_after_answers(fake, "") == ["b4-c5", "c5-d6"]


def test_an_announced_move_is_not_reread_as_part_of_a_slide_under_touch_move() -> None:
    fake = table("close-quarters", "4/4/4/1A2/4/4/S3/4 s 0")
    perform(fake, "a2- 25 a3+ 57 a3- 496 a4+ 5000 a4- 202 a3+ 1000")
    assert fake.record == ["a2-a4!"]
    assert fake.session.view().fault is not None


def test_a_reply_may_show_that_a_move_of_the_same_piece_was_no_slide() -> None:
    fake = table("martian-chess", "1dqp/1d2/q3/qdd1/1d2/2p1/1q1q/1d2 1 5,2 - - -")
    perform(fake, "d2- 34 d7+ 146 d7- 137 d4+ 251 b2- 28 a2+ 3000")
    assert record_after_answers(fake, "") == ["d2-d7", "d7-d4", "b2-a2"]


@pytest.mark.parametrize("pause_ms", [287, 961])
def test_a_swap_of_two_sides_is_no_capture(pause_ms: int) -> None:
    fake = table(
        "gottaz",
        "u1w5,u2l4,l3u3,w2s4,s1l5/.,.,u2l4,.,w2s4/.,.,.,.,./.,.,U2L4,.,W5U1/l5s1,W2S4,U2L4,S3W3,S1L5 f "
        "1S1L5+1U1W5+1W2S4+1L3U3 1U1W5+1W3S3 -",
        SensorKind.SIDE,
    )
    own = fake.lift("b1")
    fake.wait(330)
    other = fake.lift("a1")
    fake.wait(195)
    fake.put("b1", other)
    fake.wait(pause_ms)
    fake.put("a1", own)
    fake.wait(3000)
    assert record_after_answers(fake, "") == ["b1<>a1"]


def test_a_long_search_in_steps_has_the_same_result() -> None:
    """Four tanks of unknown facing, an unexplained action, and fast hands."""
    trace = (
        "c3- 90 d6+ 900 n14- 90 m11+ 900 j3- 90 i6+ 900 g14- 90 h13+ 1500 "
        "d6- 90 n7+ 900 !0 n7- d6+ 2000 f3- 60 f6+ !0 900"
    )
    found, ticks = list[list[Event]](), list[int]()
    for steps in (1, 1_000_000):
        fake = table("tank-chess", START)
        fake.session.steps_at_once = steps
        perform(fake, trace)
        found.append(fake.take_events())
        ticks.append(sum(isinstance(entry, Ticked) for entry in fake.entries))
    assert found[0] == found[1]
    assert only(IllegalSeen, found[0])
    assert ticks[0] > 2 * ticks[1]


@pytest.mark.parametrize("truth", ["exf5", "exd5"])
def test_a_piece_lifted_and_put_back_under_a_capturing_hand_is_asked_about(truth: str) -> None:
    """Switches cannot distinguish a victim from a bumped neighbour."""
    fake = table("chess", "rn1qk2r/p1ppbppp/1p2p3/3b1n2/2P1P3/N2P4/PP1BQPPP/R3KBNR w KQkq - 4 8")
    perform(fake, "e4- 699 d5- 969 d5+ 58 f5- 462 f5+ 3000")
    assert record_after_answers(fake, truth) == [truth]


@pytest.mark.parametrize("truth", ["fxe5", "fxg5"])
def test_a_hand_resting_over_a_neighbour_has_not_captured_it(truth: str) -> None:
    fake = table("chess", "5b1r/3k4/pqr1bp1n/2Ppp1p1/pP2PPp1/B1P4P/RQ2N3/1N1K1B1R w - - 0 27")
    perform(fake, "f4- 64 g5- 131 g5+ 860 e5- 264 g3+ 273 g3- 225 e5+ 3000")
    assert record_after_answers(fake, truth) == [truth]


def test_a_press_over_an_unexplained_piece_is_evidence_against_a_history() -> None:
    """c3 is stuck.

    Had the Sword gone there, the piece on b2 would be unexplained when its side pressed.
    """
    fake = table("close-quarters", "A2P/4/4/4/4/4/4/S2M s 0", hidden="c3")
    perform(fake, "a1- 148 b2+ 504 !0 6000")
    fake.put_unheard("c3", fake.lift_unheard("d1"))
    fake.report_gap()
    perform(fake, "170 !1 3000")
    assert record_after_answers(fake, "a1-b2 d1-c3") == ["a1-b2", "d1-c3"]


def test_a_piece_landing_after_a_premature_capture_is_recognised_at_once() -> None:
    fake = table("close-quarters", "1P2/1A2/4/4/4/4/2S1/3M s 0")
    perform(fake, "c2- 99 c2+ 133 c2- 1307 d1- 480 d1+ 340 d2+ 222 !0 3000")
    assert record_after_answers(fake, "c2-d2") == ["c2-d2"]


def test_a_slide_is_no_ply_that_continued_after_the_reply() -> None:
    fake = table("close-quarters", "4/4/2A1/4/4/1PS1/4/3M s 0")
    perform(fake, "c3- 47 c4+ 62 c4- 15 c5+ 271 b3- 226 a3+ 207 c5- 237 c6- 21 d7+ 171 a3- 21 a1+ 3000")
    assert record_after_answers(fake, "c3-c5 b3-a3 c5xa3 c6-d7 a3-a1") == [
        "c3-c5",
        "b3-a3",
        "c5xa3",
        "c6-d7",
        "a3-a1",
    ]


@pytest.mark.parametrize(
    ("trace", "rule"),
    [("!0 100", "own-piece"), ("3000 e7- 300 e5+ 600", "piece-left")],
    ids=["press", "reply"],
)
def test_capturing_an_own_piece_is_reported_with_the_press_or_the_reply(trace: str, rule: str) -> None:
    """Until then switches see a lifted rook and an adjusted pawn: no fault."""
    fake = table("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    perform(fake, "a1- 300 a2- 300 a2+ 2000")
    assert not only(IllegalSeen, fake.take_events())
    perform(fake, trace)
    assert [event.violation.rule for event in only(IllegalSeen, fake.take_events())] == [rule]


def test_a_piece_adjusted_before_a_move_is_not_part_of_the_reason() -> None:
    fake = table("chess", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
    perform(fake, "a2- 300 a2+ 2000 e2- 200 e4+ 1000 e4- 300 e5+ 600")
    assert [event.difference.touched for event in only(IllegalSeen, fake.history)] == [()]


def test_a_seen_capture_replaces_an_inferred_one() -> None:
    fake = table("chess", "r2qkb1r/pb1p2pp/2n5/n1pPppP1/P7/N3K2B/3QPP1P/R1b3NR b kq - 0 16")
    perform(fake, "c1- 236 e3- 113 e3+ 680 d2- 1940 d3+ 189 d3- 398 d2+ 175 !1 3000")
    assert record_after_answers(fake, "Bxd2+") == ["Bxd2+"]


def test_a_piece_adjusted_before_the_capturing_hand_came_is_not_its_victim() -> None:
    """The touch alone, without the order, would suggest the capture."""
    fake = table("chess", "r1b1kb1r/pp2pp1p/1n1p3n/1Rp3pQ/1qP5/4P2P/1P1P1PP1/1NB1KBNR w Kkq - 4 13")
    perform(fake, "b6- 140 b6+ 376 b5- 125 c5+ 3000")
    assert record_after_answers(fake, "Rxc5") == ["Rxc5"]
    assert only(QuestionAsked, fake.history)


def test_a_piece_that_rested_on_its_origin_had_captured_nothing() -> None:
    fake = table("chess", "4kb1r/p3ppp1/1p5p/1p4P1/n2P3K/N1P1B2N/4n1B1/R2R4 b k - 1 24")
    perform(fake, "e2- 2519 e2+ 111 c3- 110 e2- 96 e2+ 1351 e2- 1194 c3+ 3000")
    assert record_after_answers(fake, "Nexc3") == ["Nexc3"]


def test_a_victim_taken_before_a_slide_belongs_to_it_wherever_the_slide_rests() -> None:
    fake = table("chess", "r3q3/1bp1bkr1/ppn5/1B1ppp1p/P2PNP2/BP5P/2Q2nP1/2KR2NR w - - 7 22")
    perform(fake, "f2- 180 c2- 29 d2+ 64 d2- 400 e2+ 782 e2- 956 f2+ 3000")
    assert record_after_answers(fake, "Qxf2") == ["Qxf2"]
    assert not only(QuestionAsked, fake.history)


def test_a_shot_long_after_its_move_is_recognised_by_the_pose_of_its_victim() -> None:
    """No piece was lifted: a camera sees the wreck; switches would not."""
    fake = table(
        "tank-chess",
        "w HB1W MF1N CH1N MJ1N HM1W LD2S LH2SW MH3N LM3N LD5NW "
        "lM12SE hC13S lD13NW lG14S lK14S mG15SW mI15W mG16S cI16S hN16S",
        SensorKind.IDENTITY_FACING,
    )
    grid = fake.rules.grid
    after = dict(
        fake.rules.placement(
            fake.rules.apply(fake.session.position, fake.rules.read_move(fake.session.position, "M3-M4WxD13"))
        ).by_cell()
    )
    fake.lift("m3")
    fake.wait(400)
    fake.put("m4", after[grid.cell("m4")])
    fake.wait(1150)
    fake.put("d13", after[grid.cell("d13")])
    fake.wait(3000)
    assert record_after_answers(fake, "M3-M4WxD13") == ["M3-M4WxD13"]


@pytest.mark.long
def test_an_unseen_turn_is_inferred_from_the_later_shot() -> None:
    """After the first facing the shot needs another turn before it.

    Of dozens, it is that of the tank that shot.
    """
    fake = table(
        "tank-chess",
        "w HC1N ME2SW LF2S CH2NW HN2S LC3E MF3NW LG3NW MG4NE LH9N "
        "lF11W cJ12S lO12NE mJ13SW lP13SE mI14N lJ14SE hL15SW hC16W mG16S",
        SensorKind.IDENTITY,
    )
    wreck = replace(fake.on[fake.rules.grid.cell("o12")], pose="wreck")
    perform(fake, "h9- 42 j9+h9 60 !0 150 o12- 44 p15+o12 60 !1 150 h2- 115 f1+h2 150 i14- 42 i14+i14 60 !1")
    perform(fake, "301 !0 186 i14- 76 j15+i14 60 !1 150 c3- 39 e5+c3 60 !0 200 !1 200 f1- 63 e1+f1 60 !0 180")
    perform(fake, "g16- 28 g15+g16 60 !1 180 j9- 53 i8+j9 76 p15-")
    fake.wait(102)
    fake.put("p15", wreck)
    perform(fake, "60 !0 200 j12- 45 j12+j12 60 !1 3000")
    truth = "H9-J9E O12-P15NE H2-F1W I14-I14NE J9-J9W I14-J15W C3-E5E C16-C16NW F1-E1NW G16-G15E J9-I8NxP15 J12-J12SE"
    assert record_after_answers(fake, truth) == truth.split()


def test_an_interrupted_search_does_not_withhold_a_choice() -> None:
    fake = table(
        "tank-chess",
        "w LA1SW HC1N MJ1W HM1N MF2NW LG2SW MH3N LM3N CG4N LF5NW "
        "lE10SE lJ12S cC14NW lG14S mI14S mJ14W lN14NW hD16S mG16S hN16S",
        SensorKind.IDENTITY,
    )
    perform(fake, "h3- 31 j3+h3 48 !0 172 g16- 34 f16+g16 146 !1 175")
    perform(
        fake,
        "g4- 41 h4+g4 72 !0 193 e10- 54 f10+e10 71 f10- 48 g10+f10 34 !1 115 f2- 22 f3+f2 49 f3- 20 f4+f3",
    )
    perform(
        fake, "109 !0 186 g14- 115 f13+g14 68 !1 170 h4- 70 g5+h4 15 !0 134 n14- 32 n15+n14 218 g5- 18 k1+g5"
    )
    perform(fake, "62 !0 162 f13- 93 f9+f13 483 !1 176 j3- 55 j5+j3 28 !0 3000")
    truth = "H3-J3E! G16-F16SW G4-H4SE! E10-G10NE F2-F4NE G14-F13S H4-G5SE N14-N15NE G5-K1S F13-F9SW J3-J5N"
    assert record_after_answers(fake, truth) == truth.split()


def test_an_adjusted_piece_may_be_pushed_off_by_another_side() -> None:
    """A magnet sensor sees the cell change sides, but no edge."""
    fake = table("close-quarters", "4/1A2/1PS1/4/4/4/4/3M s 0", SensorKind.SIDE)
    axe = fake.lift("b7")
    fake.wait(302)
    fake.put("b7", axe)
    fake.wait(149)
    sword = fake.lift("c6")
    fake.wait(193)
    fake.put("b7", sword)
    fake.wait(25)
    fake.turn_lever(0)
    fake.wait(3000)
    assert record_after_answers(fake, "c6xb7") == ["c6xb7"]


def test_an_answer_is_not_reinterpreted_to_excuse_a_later_move() -> None:
    """The light tank was shot, as answered.

    A history in which it was not shot and moved on is no explanation.
    """
    fake = table("tank-chess", "w CI3NE LO6S lE12SW cH15N")
    perform(fake, "O6- 205 M4+ 1500")
    assert record_after_answers(fake, "O6-M4WxE12") == ["O6-M4WxE12"]
    fake.wait(3000)
    perform(fake, "E12- 323 C12+ 600")
    assert [event.violation.rule for event in only(IllegalSeen, fake.history)] == ["wreck-stays"]


@pytest.mark.parametrize("truth", ["e3-e4x", "e3>e5x"])
def test_a_pawn_that_left_and_returned_during_a_battle_was_bumped_or_replaced(truth: str) -> None:
    """Pawn e5 may have been the victim, and another was placed there.

    Or it was touched on the way to e4.
    """
    fake = table(
        "gottaz",
        ".,.,.,.,l5s1/u1w5,.,.,.,s1l5/.,.,.,.,L5S1/.,.,.,.,./S4W2,U3L3,.,S1L5,. f "
        "2U1W5+2U2L4+1W2S4+1W3S3 1U1W5+2U2L4+2W2S4+1L3U3+1W3S3 -",
    )
    perform(fake, "e3- 347 e3+ 116 e3- 573 e5- 291 e5+ 3000")
    question = fake.asked()
    assert [choice.moves for choice in question.choices] == [("e3>e5x",), ("e3-e4x",)]
    assert record_after_answers(fake, f"{truth} S1L5@e5")[0] == truth

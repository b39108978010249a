# SPDX-License-Identifier: Apache-2.0
"""Pieces held so long that the move seems complete.

Rival explanations are kept or asked about.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest

from companion.model.observation import SensorKind
from companion.referee import reconcile
from companion.referee.budget import Budget
from companion.referee.events import IllegalSeen, Stage
from companion.referee.reconcile import finished, rested
from tests.referee.support import Case, only, perform, record_after_answers, recorded, table

CASES = {
    "the first pawn of a swap, held longer than the wait for a battle": Case(
        "gottaz",
        "w3s3,.,u1w5,u1w5,l3u3/.,.,.,W5U1,./.,l4u2,S1L5,.,./.,.,.,.,W2S4/.,U2L4,L5S1,U1W5,. f "
        "1U2L4+1W2S4+1L3U3+1W3S3 2S1L5+1U2L4+2W2S4 -",
        "d4- 1649 d5- 347 d4+ 1563 d5+ 188 !0 3000",
        "d4<>d5",
    ),
    "the second pawn of a swap, held while the first stands on a possible leap target": Case(
        "gottaz",
        ".,.,l4u2,.,./.,.,.,.,./.,w3s3,W5U1,l4u2,./.,S1L5,.,.,./.,.,L4U2,W2S4,U1W5 s "
        "1S1L5+1U2L4+1W2S4+1L3U3+1W3S3 2S1L5+2U1W5+2W2S4+1L3U3 -",
        "d3- 309 d2+d3 5140 d1- 130 d2- 123 d1+d2 3515 d2+d1 3000",
        "d3-d2 d1<>d2",
        kind=SensorKind.IDENTITY,
    ),
    "the second pawn of a swap, held so long that it looks captured by the first": Case(
        "gottaz",
        ".,s1l5,s1l5,u1w5,s4w2/u3l3,.,.,.,L5S1/.,W3S3,U2L4,.,./.,.,.,.,./W2S4,w3s3,U2L4,S1L5,U1W5 s "
        "1U1W5+1W2S4+1L3U3 1U1W5+2U2L4+1W2S4 -",
        "b1- 796 c1- 196 c1+b1 737 b1+c1 3000",
        "b1<>c1",
        kind=SensorKind.IDENTITY,
    ),
    "the second fighter of a battle, removed after the first alone seemed lost": Case(
        "gottaz",
        "s1l5,w2s4,w3s3,u2l4,s1l5/.,.,.,.,./.,w5u1,l3u3,.,W5U1/.,.,S4W2,s4w2,W2S4/S1L5,L4U2,U2L4,.,S1L5 f "
        "1U1W5+1L3U3+1W3S3 1U1W5+1U2L4 -",
        "c2- 1330 d2- 3000",
        "c2-d2x",
        hidden="a4",
    ),
    "a swap whose first pawn seems to go to an unseen cell": Case(
        "gottaz",
        "s1l5,s1l5,u2l4,s4w2,s4w2/.,.,u1w5,.,./.,.,.,u1w5,W5U1/.,.,U3L3,S1L5,./S1L5,.,W2S4,S4W2,U1W5 f "
        "2U2L4+1W3S3 1U2L4+1L3U3+1W3S3 -",
        "e3- 702 d3- 1301 e3+d3 200 d3+e3 3000",
        "e3<>d3",
        "e2",
        SensorKind.IDENTITY,
    ),
    "an apparent slide that was a stop, with a reply to an unseen cell": Case(
        "martian-chess",
        "qqd1/qdp1/dp2/3p/p3/2pd/1pdq/1dqq 1 0,0 - - -",
        "d5- 161 d3- 97 d5+ 4 d5- 208 d5+ 5200 d5- 3000",
        "d3xd5 d5-c5",
        hidden="c5",
    ),
    "a piece moved on by both sides in turn, like one long slide": Case(
        "martian-chess",
        "q1d1/1qp1/p2d/p3/p3/qqq1/q3/d3 1 5,3 - - -",
        "b3- 67 b5+ 219 b4+ 33 b5- 231 b4- 47 b2+ 210 b7- 25 b3+ 3000",
        "b3-b5 b5-b4 b4-b2 b7-b3",
    ),
    "an asked-about capture, then two more moves of the piece or one slide": Case(
        "martian-chess",
        "2qp/q2d/1d2/pp2/3p/q1dd/p1qq/d3 1 6,0 - - -",
        "a3- 77 a5- 86 a5+ 184 a5- 103 c3+ 129 c3- 70 c5+ 120 c5- 35 c7+ 3000",
        "a3xa5 a5xc3 c3-c5 c5-c7",
        kind=SensorKind.SIDE,
    ),
    "a capture without a seen landing, by a piece that may have paused in a slide": Case(
        "martian-chess",
        "1q2/qdpd/1p2/q3/p1d1/p2q/p3/1dq1 2 3,5 - - -",
        "a5- 85 a6+ 188 a3- 20 b2+ 171 a6- 3000",
        "a5-a6 a3-b2 a6xc4",
    ),
    "a piece dropped while another that it could have captured was bumped": Case(
        "martian-chess",
        "1q2/1dd1/1pqp/2q1/4/p2d/pd1q/pd2 2 3,6 - - -",
        "c5- 560 b4+ 5282 b4- 439 a3- 1108 a3+ 367 d7+ 137 d7- 712 b5+ 3000",
        "c5-b4 b4-b5",
    ),
    "a long-held capture after adjusting a neighbour": Case(
        "martian-chess",
        "qq2/1dpd/2p1/p1q1/1d2/1p1d/1pd1/d1qq 2 3,1 c5-c4 - -",
        "c5- 137 c5+ 154 b4- 896 a5- 3399 a5+ 790 a5- 104 b4+ 3000",
        "a5xb4",
    ),
    "a capture of a piece that had paused where it could have captured": Case(
        "martian-chess",
        "qqqd/ddpp/1p2/p3/3d/1p2/1pdq/1dqq 1 0,0 - - -",
        "d2- 1020 a5- 400 a5+ 350 d5+ 250 d5- 254 b4+ 8700 a5- 108 b4- 105 c5+ 289 c5- 519 b4+ 3000",
        "d2-b4 a5xb4",
    ),
    "three plies with long pauses that restore two pawns": Case(
        "gottaz",
        "w3s3,u2l4,s1l5,u3l3,./u2l4,u1w5,.,.,u1w5/.,.,.,.,./W2S4,.,.,W3S3,./.,.,l5s1,s4w2,. f "
        "2S1L5+2U1W5+2U2L4+1W2S4+1L3U3 1W2S4 -",
        "d2- 5116 d2+ 39 d1- 5072 d1+ 3000",
        "d2-d1x d1-d2 L3U3@d1",
    ),
    "a late capture whose mover could have gone to an unseen cell": Case(
        "chess",
        "6k1/8/1p3r2/3N4/8/8/8/6K1 w - - 0 1",
        "d5- 74 b6- 1623 b6+ 10 b6- 8 b6+ 3000",
        "Nxb6",
        hidden="c3",
    ),
    "a late capture whose mover seemed to have gone to an unseen cell": Case(
        "chess",
        "4k3/8/8/8/5q2/8/7P/4K3 b - - 0 1",
        "f4- 194 h2- 1599 h2+ 8 h2- 6 h2+ 3000",
        "Qxh2",
        hidden="f6",
    ),
    "a capture by a slide with a pause, with the victim in the other hand": Case(
        "chess",
        "4k3/8/3b4/8/2p5/N7/8/4K1N1 b - - 0 1",
        "a3- 236 d6- 299 c5+ 82 c5- 74 b4+ 39 b4- 2756 a3+ 106 !1 3000",
        "Bxa3",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_slow_hand_is_recognised_without_alarm(what: str) -> None:
    case = CASES[what]
    assert recorded(case) == case.truth.split()


def test_a_shot_is_recognised_although_its_victim_seemed_to_move_to_an_unseen_cell() -> None:
    position = (
        "b MF1N MJ1SE HN1E LA2SW HD2NE LP2SE MH3SE CJ3N LK5NW lK8SW lE11S mL12S cF13SW mH13S mJ13SW lJ14E hO15S hD16S "
        "LH7x lK10x"
    )
    fake = table("tank-chess", position, SensorKind.IDENTITY, hidden="A4")
    perform(fake, "E11- 890 G8+E11 1075")
    shot = fake.lift("A2")
    fake.wait(1560)
    fake.put("A2", replace(shot, pose="wreck"))
    fake.wait(3000)
    assert record_after_answers(fake, "E11-G8SxA2!") == ["E11-G8SxA2!"]


def test_rival_explanations_beyond_the_budget_are_kept_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = table("chess", "4k3/8/8/8/5q2/8/7P/4K3 b - - 0 1")
    perform(fake, "f4- 200 g3+ 600 g3- 200 h2- 300 h2+ 100")
    belief = fake.session.belief
    later_ms = belief.rest_since_ms + belief.table.timing.dwell_ms
    assert belief.rivals
    assert not finished(rested(belief, later_ms)).rivals
    monkeypatch.setattr(reconcile, "Budget", partial(Budget, 0))
    assert finished(rested(belief, later_ms)).rivals == belief.rivals


def test_a_refuted_explanation_is_asked_about_if_the_budget_forbids_another_search(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = table("chess", "4k3/8/8/1p3p2/8/3Q4/8/4K3 w - - 0 1")
    perform(fake, "d3- 3000 e8- 100 e7+ 600")
    belief = fake.session.belief
    ply, reply = belief.line
    refuted = ply._replace(others=(), refuted=ply.others)
    later_ms = belief.rest_since_ms + belief.table.timing.dwell_ms
    monkeypatch.setattr(reconcile, "Budget", partial(Budget, -1))
    found = finished(rested(belief._replace(line=(refuted, reply)), later_ms))
    assert [found.before(0).written(each.move) for each in found.candidates(0)] == ["Qxb5+", "Qxf5"]


def test_a_ply_is_announced_after_its_answer_although_its_reply_was_inferred_before() -> None:
    fake = table("chess", "4k3/8/3b4/8/4p1q1/5P2/8/4K3 b - - 0 1")
    perform(fake, "d6- 57 c5+ 233 f3- 62 g4+ 3000")
    assert record_after_answers(fake, "Bc5 fxg4") == ["Bc5", "fxg4"]
    assert all(line.stage is not Stage.PROVISIONAL for line in fake.session.view().record)


HELD = {
    "it landed late, or it was lost and another was placed there": (
        "u2l4,s3w3,u1w5,u2l4,s1l5/.,.,.,u1w5,./.,U2L4,.,.,W5U1/.,.,W3S3,.,./U1W5,S1L5,.,l5s1,. s "
        "1S1L5+1U2L4+2W2S4+1L3U3 2W2S4+1L3U3 -",
        "d1- 3470 e1+ 3000",
        ("d1-e1", "d1>b1x S1L5@e1"),
    ),
    "it fell with the one removed last, or repelled an attack": (
        ".,s3w3,w2s4,u2l4,w2s4/.,s1l5,.,.,./.,.,s1l5,l4u2,./S1L5,U3L3,.,U2L4,./.,.,W2S4,W3S3,. s "
        "1S1L5+2U1W5+1U2L4+1W2S4 2U1W5+1L3U3 -",
        "d3- 2933 d1- 3000",
        ("d3>d1x", "d3-d2x d1-d2x"),
    ),
}


@pytest.mark.parametrize(("what", "number"), [(what, number) for what in HELD for number in (0, 1)])
def test_a_question_is_asked_about_a_pawn_held_for_long(what: str, number: int) -> None:
    position, trace, truths = HELD[what]
    fake = table("gottaz", position)
    perform(fake, trace)
    assert record_after_answers(fake, truths[number]) == truths[number].split()


def test_no_fault_is_reported_while_an_open_question_may_explain_the_board() -> None:
    """There are too many open plies to try all their combinations."""
    fake = table(
        "tank-chess",
        "w HD1E MF1N CI1S MJ1E HM1N LB2W MI3NE LI4NE LF5SW LK8W "
        "lN9N lE11SE lH13N lM13W mI14S hD16SW mG16S cH16S mK16S hN16S",
    )
    perform(
        fake,
        "F5- 117 E4+ 175 E11- 101 F9+ 544 K8- 52 I10+ 139 M13+ 62 !1 159 E4- 39 D4+ 181 H16- 46 J16+ 187 "
        "F2+ 32 D1- 214 N9- 53 M11+ 130 I10- 68 K7+ 138 F9- 121 F10+ 134 B2- 147 A2+ 126 M11- 41 N12+ 190 "
        "G3+ 33 F2- 201 N13+ 26 M13- 136 M1- 95 M2+ 160 F10- 72 E11+ 234 F1- 63 G1+ 206 N12- 44 M15+ 183 "
        "D4- 39 C2+ 265 N13- 33 M11+ 181 K7- 17 K7+ 62 !0 100",
    )
    assert not only(IllegalSeen, fake.history)

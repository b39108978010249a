# SPDX-License-Identifier: Apache-2.0
"""A neighbour knocked onto another cell is put back.

The move is the one that the hand meant.
"""

from __future__ import annotations

import pytest

from tests.referee.support import Case, perform, record_after_answers, recorded, table

CASES = {
    "knocked onto one of its target cells, while the mover is held for long": Case(
        "chess",
        "rnbqkbnr/pppp2p1/4p2p/5p2/2P5/3P1P2/PP2PKPP/RNBQ1BNR b kq - 1 4",
        "g7- 105 h8- 21 h7+ 225 h7- 587 h8+ 3306 g6+ 1000",
        "g6",
    ),
    "put back while an own move and an enemy shot would also explain the board": Case(
        "fightopia",
        "1ppggpp1/v1pgg1hh/v1ppp3/7p/PPPPpP2/8/V2GGPHH/VPPGGPP1 w",
        "b4- 155 a4- 61 a5+ 423 a5- 104 a4+ 126 a3+ 338 !0 1000",
        "b4-a3",
    ),
    "left there so long that it looks like a reply to a capture": Case(
        "close-quarters",
        "4/4/A3/4/2S1/4/3P/4 s 0",
        "c4- 155 d2- 35 c2+ 975 c2- 230 d2+ 677 c3+ 1000",
        "c4-c3",
    ),
    "looks as if it escaped before its capture": Case(
        "close-quarters",
        "4/4/4/3S/2A1/3M/4/4 s 0",
        "d5- 52 c4- 20 b3+ 810 b3- 63 c4+ 243 d6+ 1000",
        "d5-d6",
    ),
    "looks as if it fought there and lost": Case(
        "gottaz",
        "s3w3,w5u1,s1l5,.,u1w5/.,s1l5,.,L4U2,./.,.,.,.,./U1W5,.,.,.,./.,.,S4W2,W3S3,U1W5 f "
        "2S1L5+1U2L4+1W2S4+1L3U3 2U2L4+2W2S4+1L3U3 -",
        "d4- 76 e5- 42 e4+ 369 e4- 1033 e5+ 92 c4+ 1000",
        "d4-c4",
    ),
    "knocked onto a cell that is on the mover's way": Case(
        "martian-chess",
        "q1q1/4/dd2/4/1p1p/d2d/1dqp/2q1 2 5,6 - - -",
        "c8- 374 d3- 31 c4+ 153 c4- 421 d3+ 113 c3+ 1000",
        "c8-c3",
    ),
    "knocked over while the mover tries another cell": Case(
        "martian-chess",
        "qd1p/q1d1/d1p1/4/1q1d/3q/pp2/pdq1 1 0,6 - - -",
        "b4- 225 c6- 32 d6+ 236 d6- 265 c6+ 338 a4+ 53 a4- 286 c5+ 1000",
        "b4-c5",
    ),
    "knocked over during a capture, with a long-held mover that tries another cell": Case(
        "chess",
        "1n1q3r/2ppkp2/6pp/1pbbp2Q/1P2P1PN/3P1P2/3N3P/4K2R w - - 1 26",
        "h4- 178 f5+ 5152 c7- 670 c7+ 2141 f5- 263 g6- 110 h5- 22 g6+ 80 g6- 418 h5+ 517 e3+ 126 e3- 1138 "
        "f5+ 5000",
        "Nf5+ gxf5",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_piece_knocked_over_and_put_back_has_not_moved(what: str) -> None:
    case = CASES[what]
    assert recorded(case) == case.truth.split()


def test_lifting_a_piece_that_came_from_a_stuck_cell_does_not_return_it() -> None:
    fake = table("martian-chess", "qq1d/qdp1/1p2/3d/d3/1p2/1pdq/pdqq 1 1,0 a4-a6 - -", hidden="a3")
    perform(fake, "a4- 5150 d8- 225 c8+ 5916 a5+ 6 a5- 1 a5+ 5128 b2- 9 b2+ 644")
    drone = fake.lift("a5")
    fake.wait(783)
    fake.put_unheard("c5", drone)
    fake.report_gap()
    fake.wait(1000)
    assert record_after_answers(fake, "a4-a3 d8-c8 a3-a5 a5-c5") == ["a4-a3", "d8-c8", "a3-a5", "a5-c5"]

# SPDX-License-Identifier: Apache-2.0
"""Hands that hold their wood for so long that they seem to be done: what may have been instead is thought of, or asked about."""

from __future__ import annotations

import pytest

from companion.model.observation import SensorKind
from tests.referee.test_histories import perform, table, told
from tests.referee.test_rival_readings import Case

CASES = {
    "the first pawn of a swap, held for longer than a battle takes": Case(
        "gottaz",
        "w3s3,.,u1w5,u1w5,l3u3/.,.,.,W5U1,./.,l4u2,S1L5,.,./.,.,.,.,W2S4/.,U2L4,L5S1,U1W5,. f "
        "1U2L4+1W2S4+1L3U3+1W3S3 2S1L5+1U2L4+2W2S4 -",
        "d4- 1649 d5- 347 d4+ 1563 d5+ 188 !0 3000",
        "d4<>d5",
    ),
    "the second pawn of a swap, held after the first stood where it could have leapt": Case(
        "gottaz",
        ".,.,l4u2,.,./.,.,.,.,./.,w3s3,W5U1,l4u2,./.,S1L5,.,.,./.,.,L4U2,W2S4,U1W5 s "
        "1S1L5+1U2L4+1W2S4+1L3U3+1W3S3 2S1L5+2U1W5+2W2S4+1L3U3 -",
        "d3- 309 d2+d3 5140 d1- 130 d2- 123 d1+d2 3515 d2+d1 3000",
        "d3-d2 d1<>d2",
        kind=SensorKind.IDENTITY,
    ),
    "three plies by which two pawns stand as before, with long thoughts between them": Case(
        "gottaz",
        "w3s3,u2l4,s1l5,u3l3,./u2l4,u1w5,.,.,u1w5/.,.,.,.,./W2S4,.,.,W3S3,./.,.,l5s1,s4w2,. f "
        "2S1L5+2U1W5+2U2L4+1W2S4+1L3U3 1W2S4 -",
        "d2- 5116 d2+ 39 d1- 5072 d1+ 3000",
        "d2-d1x d1-d2 L3U3@d1",
    ),
}


@pytest.mark.parametrize("what", CASES)
def test_a_slow_hand_is_understood_without_alarm(what: str) -> None:
    case = CASES[what]
    fake = table(case.game, case.position, case.kind)
    perform(fake, case.trace)
    assert told(fake, case.truth) == case.truth.split()


@pytest.mark.parametrize("truth", ["d1-e1", "d1>b1x S1L5@e1"])
def test_a_pawn_held_for_long_may_have_been_lost_and_another_placed(truth: str) -> None:
    """Switches cannot tell whether the pawn that left came down at last, or its opponent's was placed there."""
    fake = table(
        "gottaz",
        "u2l4,s3w3,u1w5,u2l4,s1l5/.,.,.,u1w5,./.,U2L4,.,.,W5U1/.,.,W3S3,.,./U1W5,S1L5,.,l5s1,. s "
        "1S1L5+1U2L4+2W2S4+1L3U3 2W2S4+1L3U3 -",
    )
    perform(fake, "d1- 3470 e1+ 3000")
    assert told(fake, truth) == truth.split()

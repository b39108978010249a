# SPDX-License-Identifier: Apache-2.0
"""Clocks when the referee revises plies after the clocks were switched."""

from __future__ import annotations

from companion import games
from companion.model.observation import SensorKind
from companion.referee.state import clock_switching
from companion.referee.state.session_state import SessionState
from companion.referee.values.clocks import Clocks, started
from companion.referee.values.commands import Pause
from companion.referee.values.controls import read_control
from companion.referee.values.events import MoveRetracted
from companion.referee.values.timing import DEFAULT_TIMING
from tests.fakes import FakeTable
from tests.referee.support import only, perform, running, table


def spent(fake: FakeTable) -> list[int | None]:
    """The thinking time of each ply."""
    return [line.spent_ms for line in fake.session.view().record]


def seconds_left(fake: FakeTable) -> list[float]:
    """The paused clocks, at the table and restored from a journal."""
    fake.ask(Pause())
    shown, again = (
        [clock.left_ms / 1000 for clock in each.view().clocks] for each in (fake.session, fake.restored())
    )
    assert again == shown
    return shown


def test_retracting_a_ply_retracts_the_plies_after_it_which_may_be_made_again() -> None:
    rules = games.find("close-quarters").rules()
    state = SessionState(rules, SensorKind.OCCUPANCY, DEFAULT_TIMING, rules.initial())
    control = read_control("60s", 2)
    assert control is not None
    began = state.clocks = started(Clocks.of(control), 0, 1_000)
    clock_switching.switch(state, 0, 0, 1, 9_000)
    clock_switching.switch(state, 1, 1, 0, 9_030)
    clock_switching.forget(state, 0)
    assert state.clocks is began
    assert not state.earlier_clocks
    assert not state.spent_ms


def test_a_press_for_a_false_ply_holds_until_the_piece_is_put_back() -> None:
    position = (
        "W5U1,s4w2,u1w5,.,./s3w3,u3l3,.,s1l5,w2s4/.,.,s1l5,.,./U1W5,S1L5,.,.,./.,.,S4W2,W2S4,S1L5 s "
        "2U2L4+1L3U3+1W3S3 1U1W5+2U2L4 -"
    )
    fake = table("gottaz", position, SensorKind.IDENTITY, clock="600s@press")
    perform(fake, "!0 2000 a4- 1150 a2- 950 a2+a4 50 !1 1000")
    assert only(MoveRetracted, fake.history)
    assert running(fake) == [0]
    assert seconds_left(fake) == [599.0, 595.85]


def test_a_press_completes_the_ply_of_the_pressing_side() -> None:
    position = "p1dppp1q1qd5/1q1qp1qdd4d1q/1p1d1p3pq1dqdq/4ppp1d2qd1qq/4qdpd2dq1p1q 2 3,1,0,2,0 - - -"
    fake = table("martian-chess", position, SensorKind.IDENTITY, clock="600s@press", players="5")
    perform(fake, "!0 2000 B01- 331 C10+B01 200 C10- 1800 B00+C10 170 !1 1000")
    assert fake.record == ["B01-B00"]
    assert spent(fake) == [4_501]
    assert running(fake) == [2]
    assert seconds_left(fake) == [600.0, 595.499, 599.0, 600.0, 600.0]


def test_a_ply_recognised_with_its_reply_has_the_time_of_its_landing() -> None:
    position = "qd1p/pd2/q2q/1q1p/p3/p1dq/qd2/d1p1 2 2,0 - - -"
    fake = table("martian-chess", position, SensorKind.SIDE, clock="600s")
    perform(
        fake, "1960 b2- 300 b5- 700 b2+b5 500 !1 3000 b2- 400 b2+b2 400 b2- 200 a5+b2 200 a5- 200 b1+b2 2500"
    )
    assert fake.record == ["b5xb2", "b2-b1"], "a5 was bumped by what the hand held"
    assert spent(fake) == [3_000, 4_900]
    assert seconds_left(fake) == [595.1, 594.5]

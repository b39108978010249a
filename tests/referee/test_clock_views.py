# SPDX-License-Identifier: Apache-2.0
"""A displayed clock runs on as the referee's does, without queries."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from companion.games import find
from companion.referee.session.view_builder import clock_views
from companion.referee.values.clocks import Clocks, Control, Period, fallen, started, stopped
from tests.fakes import FakeTable

T0 = 5_000

periods = st.builds(
    Period,
    time_ms=st.integers(0, 5_000),
    delay_ms=st.sampled_from([0, 700]),
    byo_yomi_ms=st.sampled_from([0, 900]),
    byo_yomi=st.just(0),
).flatmap(lambda period: st.just(replace(period, byo_yomi=3 if period.byo_yomi_ms else 0)))


@given(periods, st.booleans(), st.integers(0, 6_000), st.integers(0, 6_000))
def test_a_view_of_the_clocks_predicts_their_times(
    period: Period, is_hourglass: bool, first_ms: int, then_ms: int
) -> None:
    control = Control.same(3, period, is_hourglass=is_hourglass and not period.byo_yomi)
    clocks = started(Clocks.of(control), 1, T0)
    if fallen(clocks, T0 + first_ms) is None:
        seen = [view.at(T0 + first_ms + then_ms) for view in clock_views(clocks, T0 + first_ms)]
        later = clock_views(clocks, T0 + first_ms + then_ms)
        assert [replace(view, at_ms=0) for view in later] == [replace(view, at_ms=0) for view in seen]


def test_a_resting_clock_stands_still() -> None:
    clocks = stopped(started(Clocks.of(Control.same(2, Period(60_000))), 0, T0), T0 + 10_000)
    mine, other = clock_views(clocks, T0 + 20_000)
    assert (mine.left_ms, other.left_ms) == (50_000, 60_000)
    assert not mine.is_running
    assert mine.at(T0 + 90_000).left_ms == 50_000


def test_a_picture_with_a_running_clock_is_sent_only_after_another_change() -> None:
    table = FakeTable(find("close-quarters").rules(), control=Control.same(2, Period(60_000)))
    table.set_up()
    before = table.session.view()
    table.session.tick(table.now_ms + 5_000)
    later = table.session.view()
    assert later.clocks != before.clocks
    assert not later.is_news_after(before)
    stopped_clock = replace(later.clocks[0], is_running=not later.clocks[0].is_running)
    assert replace(later, clocks=(stopped_clock, *later.clocks[1:])).is_news_after(before)
    assert replace(later, ply=later.ply + 1).is_news_after(before)

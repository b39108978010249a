# SPDX-License-Identifier: Apache-2.0
"""Clocks in tables: thinking times and remaining time."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.referee.values.clocks import (
    Clocks,
    Control,
    Period,
    fallen,
    falls_at_ms,
    reserve,
    resumed,
    set_going,
    started,
    stopped,
    switched,
)

T0 = 5_000
"""A start time other than zero."""


def thinking(control: Control, *seconds: float) -> Clocks:
    """The clocks after plies of *seconds*, side after side, with the next clock running."""
    sides = len(control.periods)
    clocks, now_ms = started(Clocks.of(control), 0, T0), T0
    for number, spent in enumerate(seconds):
        now_ms += int(spent * 1000)
        clocks = switched(clocks, (number + 1) % sides, now_ms)
    return clocks


def left(clocks: Clocks) -> list[float]:
    """Seconds of each side at the start of the running clock."""
    return [reserve(clocks, side, clocks.since_ms).left_ms / 1000 for side in range(len(clocks.reserves))]


@pytest.mark.parametrize(
    ("period", "seconds", "expected"),
    [
        (Period(60_000), (10, 20, 5), [45, 40]),
        (Period(60_000, increment_ms=3_000), (10, 20, 5), [54, 46]),
        (Period(60_000, bonus_ms=3_000), (10, 2, 5), [51, 60]),
        (Period(60_000, delay_ms=3_000), (10, 2, 5), [51, 60]),
        (Period(0, byo_yomi_ms=30_000, byo_yomi=3), (29, 10), [30, 30]),
        (Period(10_000, byo_yomi_ms=30_000, byo_yomi=2), (12, 1), [30, 9]),
    ],
    ids=["sudden death", "fischer", "bronstein", "delay", "byo-yomi", "into byo-yomi"],
)
def test_each_kind_of_control_leaves_the_expected_time(
    period: Period, seconds: tuple[float, ...], expected: list[float]
) -> None:
    assert left(thinking(Control.same(2, period), *seconds)) == expected


def test_the_increment_is_there_before_each_move_from_the_start() -> None:
    control = Control.same(
        2, Period(300_000, plies=2, increment_ms=3_000), Period(60_000, increment_ms=5_000)
    )
    clocks = Clocks.of(control)
    assert left(clocks) == [303, 303]
    clocks = set_going(clocks, 0, 1, T0)  # the first move is not timed
    clocks = switched(clocks, 0, T0)
    assert left(clocks) == [306, 306]
    clocks = switched(switched(clocks, 1, T0), 0, T0)
    assert left(clocks) == [371, 371], "the next period's increment, and its time"


def test_journals_from_before_give_the_increment_after_each_timed_move() -> None:
    control = replace(Control.same(2, Period(300_000, increment_ms=3_000)), gives_first=False)
    clocks = set_going(Clocks.of(control), 0, 1, T0)
    assert left(clocks) == [300, 300]
    assert left(switched(clocks, 0, T0)) == [300, 303]


def test_used_time_goes_to_the_opponent_in_an_hourglass() -> None:
    control = Control.same(2, Period(60_000), is_hourglass=True)
    assert left(thinking(control, 10)) == [50, 70]
    assert left(thinking(control, 10, 30)) == [80, 40]


def test_a_byo_yomi_period_that_is_used_up_is_lost_and_the_last_one_drops_the_flag() -> None:
    clocks = thinking(Control.same(2, Period(10_000, byo_yomi_ms=30_000, byo_yomi=2)))
    assert reserve(clocks, 0, T0 + 39_000).spans == 2
    assert reserve(clocks, 0, T0 + 41_000).spans == 1
    assert falls_at_ms(clocks) == T0 + 70_000
    assert fallen(clocks, T0 + 69_999) is None
    assert fallen(clocks, T0 + 70_000) == 0


def test_the_next_period_begins_when_its_plies_are_made_and_keeps_what_is_left() -> None:
    control = Control.same(2, Period(60_000, plies=2), Period(30_000, byo_yomi_ms=5_000, byo_yomi=3))
    clocks = thinking(control, 10, 1, 10)
    assert left(clocks) == [70, 59]
    assert [reserve(clocks, side, clocks.since_ms).spans for side in (0, 1)] == [3, 0]


def test_time_odds_and_three_sides_need_nothing_special() -> None:
    control = Control(((Period(60_000),), (Period(30_000, increment_ms=9_000),), (Period(10_000),)))
    assert left(thinking(control, 1, 2, 3, 4)) == [55, 37, 7]


def test_a_pause_costs_no_time() -> None:
    clocks = thinking(Control.same(2, Period(60_000)))
    resting = stopped(clocks, T0 + 4_000)
    assert reserve(resting, 0, T0 + 1_000_000).left_ms == 56_000
    again = resumed(resting, T0 + 1_000_000)
    assert reserve(again, 0, T0 + 1_001_000).left_ms == 55_000


PERIODS = st.builds(
    Period,
    time_ms=st.integers(1, 100_000),
    increment_ms=st.sampled_from((0, 2_000)),
    bonus_ms=st.sampled_from((0, 2_000)),
    delay_ms=st.sampled_from((0, 2_000)),
    byo_yomi_ms=st.sampled_from((5_000, 30_000)),
    byo_yomi=st.integers(0, 3),
)


@given(PERIODS, st.lists(st.floats(0, 8), max_size=12))
def test_a_flag_falls_exactly_at_the_predicted_time(period: Period, seconds: list[float]) -> None:
    clocks = thinking(Control.same(2, period), *seconds)
    due_ms = falls_at_ms(clocks)
    assert due_ms is not None
    assert fallen(clocks, due_ms) == clocks.running
    assert due_ms == clocks.since_ms or fallen(clocks, due_ms - 1) is None

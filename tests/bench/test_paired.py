# SPDX-License-Identifier: Apache-2.0
"""The statistics of paired games are those computed by hand."""

from __future__ import annotations

import pytest

from tests.bench.paired import Pairs, at_most_half, counted, wilson


@pytest.mark.parametrize(
    ("most", "tosses", "chance"),
    [
        (0, 0, 1.0),
        (0, 5, 1 / 32),
        (1, 6, (1 + 6) / 64),
        (2, 10, (1 + 10 + 45) / 1024),
        (10, 10, 1.0),
    ],
)
def test_the_sign_test_counts_the_tosses_of_a_coin(most: int, tosses: int, chance: float) -> None:
    assert at_most_half(most, tosses) == chance


@pytest.mark.parametrize(
    ("failures", "games", "low", "high"),
    [
        (0, 10, 0.0, 0.277533),  # 0; 3.841459 / 13.841459
        (1, 10, 0.017876, 0.404150),  # (0.1 + 0.192073 ∓ 1.959964 √(0.009 + 0.009604)) / 1.384146
        (5, 10, 0.236593, 0.763407),
        (10, 10, 0.722467, 1.0),
        (0, 0, 0.0, 1.0),
    ],
)
def test_wilson_intervals(failures: int, games: int, low: float, high: float) -> None:
    assert wilson(failures, games) == pytest.approx((low, high), abs=2e-6)


def test_only_pairs_that_differ_decide() -> None:
    pairs = counted([(True, True), (False, True), (False, True), (True, False), *[(False, False)] * 4])
    assert pairs == Pairs(both=1, only_now=1, only_before=2, neither=4)
    assert pairs.total == 8
    assert (pairs.better, pairs.worse) == (0.5, 7 / 8)
    assert Pairs(50, 1, 2, 900).better == pairs.better

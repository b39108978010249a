# SPDX-License-Identifier: Apache-2.0
"""The intervals hold the truth as often as they promise, where the truth is known."""

from __future__ import annotations

import math
import random
from collections import Counter

import pytest

from tests.bench.elo import (
    ERROR,
    Match,
    elo,
    evidence,
    expected,
    fixed,
    rated,
    sequential,
    student_95,
)

PAIRS = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Scores of a pair of games."""
TRUTHS = {
    "even": (1, 4, 8, 4, 1),
    "100 Elo": (1, 2, 5, 8, 6),
    "mostly won": (1, 0, 1, 2, 36),
    "no draws": (1, 0, 2, 0, 1),
}
RUNS = 250
LONGEST = 100


def mean_of(weights: tuple[int, ...]) -> float:
    return sum(score * weight for score, weight in zip(PAIRS, weights, strict=True)) / sum(weights)


def drawn(weights: tuple[int, ...], count: int, chance: random.Random) -> list[float]:
    return chance.choices(PAIRS, weights, k=count)


def is_ever_missed(samples: list[float], mean: float) -> bool:
    """True if a sequential interval after any of *samples* is beside *mean*."""
    counts: Counter[float] = Counter()
    for sample in samples:
        counts[sample] += 1
        mirrored = {1 - each: count for each, count in counts.items()}
        if max(evidence(counts, mean), evidence(mirrored, 1 - mean)) >= 2 / ERROR:
            return True
    return False


@pytest.mark.parametrize("weights", TRUTHS.values(), ids=TRUTHS)
def test_a_sequential_interval_is_valid_however_often_it_is_looked_at(weights: tuple[int, ...]) -> None:
    chance, mean = random.Random(17), mean_of(weights)
    missed = sum(is_ever_missed(drawn(weights, LONGEST, chance), mean) for _ in range(RUNS))
    assert missed <= ERROR * RUNS


def test_an_interval_for_a_fixed_number_is_too_narrow_if_it_is_looked_at_each_time() -> None:
    chance, weights = random.Random(17), TRUTHS["even"]
    missed, missed_at_last = 0, 0
    for _ in range(RUNS):
        samples = drawn(weights, LONGEST, chance)
        looks = [fixed(samples[:count], 0.25) for count in range(4, LONGEST + 1)]
        missed += any(not low <= 0.5 <= high for low, high in looks)
        missed_at_last += not looks[-1][0] <= 0.5 <= looks[-1][1]
    assert missed > 4 * ERROR * RUNS, "so this simulation would find an interval that is too narrow"
    assert missed_at_last <= 1.5 * ERROR * RUNS


def test_a_sequential_interval_ends_where_the_bettors_get_rich() -> None:
    samples = drawn(TRUTHS["100 Elo"], 50, random.Random(3))
    low, high = sequential(samples)
    assert 0 < low < sum(samples) / 50 < high < 1
    mirrored = Counter(1 - each for each in samples)
    assert evidence(Counter(samples), low) == pytest.approx(2 / ERROR)
    assert evidence(mirrored, 1 - high) == pytest.approx(2 / ERROR)
    assert [1 - each for each in sequential([1 - each for each in samples])] == pytest.approx([high, low])


def test_sequential_intervals_shrink_around_the_truth() -> None:
    samples = drawn(TRUTHS["100 Elo"], 4000, random.Random(5))
    widths = [high - low for low, high in (sequential(samples[:count]) for count in (10, 100, 1000, 4000))]
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.04
    assert sequential([]) == (0, 1)


def test_students_quantiles() -> None:
    table = {1: 12.706, 2: 4.303, 3: 3.182, 5: 2.571, 10: 2.228, 30: 2.042}
    for degrees, quantile in table.items():
        assert student_95(degrees) == pytest.approx(quantile, rel=0.035 if degrees < 4 else 0.002)
    low, high = fixed([0.0, 1.0, 0.5, 0.5, 1.0, 0.0])
    assert (low + high) / 2 == pytest.approx(0.5)
    assert (high - low) / 2 == pytest.approx(2.571 * math.sqrt(0.2 / 6), rel=0.002)
    low, high = fixed([1.0] * 6, 0.25)
    assert (high - low) / 2 == pytest.approx(2.571 * math.sqrt(0.125 / 7 / 6), rel=0.002)
    assert fixed([1.0]) == (-math.inf, math.inf)


def test_elo_and_score_are_inverse() -> None:
    for difference in (-300, 0, 100, 250):
        assert math.isclose(elo(expected(difference)), difference, abs_tol=1e-6)
    assert round(expected(100), 2) == 0.64


@pytest.mark.parametrize(
    ("scores", "is_step"),
    [
        ([1.0] * 40, True),
        ([0.0] * 20, False),
        ([0.5] * 60, False),
        ([1.0, 0.0] * 60, False),
        ([1.0] * 6, None),
        ([1.0] * 7, None),
        ([1.0, 1.0, 0.0] * 10, None),
        ([1.0, 1.0, 1.0, 0.0] * 100, True),
    ],
)
def test_a_pair_ends_when_its_interval_is_on_one_side_of_a_step(
    scores: list[float], is_step: bool | None
) -> None:
    found = Match(scores)
    assert found.is_step() is is_step
    data = found.as_data()
    assert data["from"] <= data["elo"] <= data["to"]
    if is_step is not None:
        assert (data["from"] >= 100) is is_step


def test_games_of_an_opening_are_one_sample() -> None:
    assert Match([1.0, 0.0, 0.5, 1.0, 1.0]).groups == [0.5, 0.75]
    assert Match([1.0, 0.0, 0.5, 0.0], sides=3).groups == [0.5]
    correlated = Match([1.0, 0.0] * 10, is_sequential=False)
    low, high = correlated.interval()
    assert high - low < 0.25, "colours decide all of these games, so the players are equal"
    assert Match([1.0, 1.0], is_sequential=False).interval() == (0, 1)


def played(truth: float, games: int, chance: random.Random) -> list[tuple[float, float]]:
    """Games of a player rated *truth* with rivals that follow its estimate."""
    found: list[tuple[float, float]] = []
    rival = 1500.0
    for _ in range(games // 2):
        for _ in range(2):
            won = expected(truth - rival) - 0.1
            found.append((rival, chance.choices((1.0, 0.5, 0.0), (won, 0.2, 0.8 - won))[0]))
        rival = min(max(rated(found).at, truth - 300, 1350.0), truth + 300)
    return found


def test_a_rating_is_found_from_games_with_rivals_that_follow_it() -> None:
    chance, runs = random.Random(9), 60
    ratings = [rated(played(1700, 24, chance)) for _ in range(runs)]
    assert sum(each.low <= 1700 <= each.high for each in ratings) >= 0.9 * runs
    assert sum(each.at for each in ratings) / runs == pytest.approx(1700, abs=40)
    assert all(100 < each.high - each.low < 600 for each in ratings)


def test_a_rating_by_hand() -> None:
    found = rated([(1500, 1.0), (1500, 0.0), (1500, 0.5), (1500, 0.5)])
    assert found.at == pytest.approx(1500, abs=0.01)
    assert found.high - 1500 == pytest.approx(1500 - found.low, abs=0.01)
    above = rated([(1500, 1.0), (1700, 1.0)])
    assert (above.at, above.high) == (math.inf, math.inf)
    assert 1300 < above.low < 1700
    below = rated([(1500, 0.0)])
    assert (below.at, below.low) == (-math.inf, -math.inf)
    # the end is where a loss has the logarithmic likelihood -1.92
    assert below.high == pytest.approx(1500 + elo(1 - math.exp(-1.9207)), abs=1)

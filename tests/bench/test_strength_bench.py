# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the levels plays whole games and reports the promised figures."""

from __future__ import annotations

import math

import pytest

from companion.games import find
from companion.opponent.levels import levels
from tests.bench import strength, tune
from tests.bench.strength import Match, Timed, elo, expected, greedy, match, max_n, points, uct


def test_a_games_figures_are_measured() -> None:
    found = strength.measure("close-quarters", {}, 2, 1, (1, 2), others=True)
    assert set(found) == {"levels", "against_greedy", "against_uct", "move_ms", "nodes_per_s"}
    assert set(found["levels"]["1-2"]) == {"elo", "error", "score", "games", "is_step"}
    assert found["levels"]["1-2"]["games"] == 2
    assert set(found["move_ms"]) == {"1", "2"}
    assert 0 < found["move_ms"]["1"]["p50"] <= found["move_ms"]["1"]["p95"]
    assert found["nodes_per_s"] > 0


def test_games_of_three_sides_are_shared_between_the_seats() -> None:
    rules = find("martian-chess").rules({"players": "3"})
    found = match(rules, greedy, max_n(5), 3, 1)
    assert len(found.scores) == 3
    assert all(0 <= score <= 1 for score in found.scores)


def test_the_same_seed_gives_the_same_score() -> None:
    rules = find("close-quarters").rules()
    players = [Timed(level) for level in levels("close-quarters")[:2]]
    scores = [points(rules, players[0], players[1], 0, 5) for _ in range(2)]
    assert scores[0] == scores[1]


def test_greedy_takes_the_best_capture_and_uct_a_win() -> None:
    chess = find("chess").rules()
    hanging = chess.read_position("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    assert chess.write_move(hanging, greedy(chess, hanging, [], 1)) == "exd5"
    rules = find("close-quarters").rules()
    won = rules.read_position("4/3S/4/3A/4/4/4/4 s 0")
    assert rules.write_move(won, uct(lambda: 0.2)(rules, won, [], 1)).endswith("#")


def test_elo_and_score_are_inverse() -> None:
    for difference in (-300, 0, 100, 250):
        assert math.isclose(elo(expected(difference)), difference, abs_tol=1e-6)
    assert round(expected(100), 2) == 0.64


@pytest.mark.parametrize(
    ("scores", "is_step"),
    [([1.0] * 8, True), ([0.0] * 8, False), ([0.5] * 30, False), ([1.0, 0.0] * 30, False), ([1.0] * 3, None)],
)
def test_the_sequential_test_ends_when_a_difference_is_clear(
    scores: list[float], is_step: bool | None
) -> None:
    assert Match(scores).is_step() is is_step


def test_the_tuner_keeps_the_unit_and_moves_towards_the_winner() -> None:
    rules = find("close-quarters").rules()
    weights = tune.tuned(rules, steps=2, nodes=20, seed=3)
    assert weights["weapon"] == 100
    assert tune.tuned(rules, steps=2, nodes=20, seed=3) == weights
    assert len(tune.compared(rules, weights, 2, 20, 1).scores) == 2

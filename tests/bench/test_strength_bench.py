# SPDX-License-Identifier: Apache-2.0
"""The benchmark of the levels plays whole games and reports the promised figures."""

from __future__ import annotations

from dataclasses import replace

from companion.games import find
from companion.opponent.find import knowledge_of
from companion.opponent.levels import levels
from tests.bench import strength
from tests.bench.matches import match, points
from tests.bench.simple_players import Timed, greedy, max_n, uct
from tests.tools import tune


def test_a_games_figures_are_measured() -> None:
    found = strength.measure("close-quarters", {}, 2, 1, (1, 2), others=True)
    assert set(found) == {"levels", "against_greedy", "against_uct", "move_ms", "nodes_per_s"}
    assert set(found["levels"]["1-2"]) == {"elo", "from", "to", "score", "games", "is_step"}
    assert found["levels"]["1-2"]["games"] == 2
    assert set(found["move_ms"]) == {"1", "2"}
    assert 0 < found["move_ms"]["1"]["p50"] <= found["move_ms"]["1"]["p95"]
    assert found["nodes_per_s"] > 0


def test_a_solved_game_is_measured_from_won_and_drawn_positions() -> None:
    rules = find("close-quarters").rules()
    weak, best = Timed(levels("close-quarters")[0]), Timed(replace(levels("close-quarters")[-1], nodes=50))
    for is_won in (True, False):
        opening = strength.solved_position(rules, 3, is_won=is_won)
        value = knowledge_of(rules).exact_value(opening)
        assert value is not None
        assert value > 0 if is_won else value == 0
    found = strength.solved_match(rules, best, weak, 3, 1, is_won=True)
    assert found == {"score": 1.0, "games": 3, "worse": 0, "moves": found["moves"], "given_away": 0}
    assert found["moves"] >= 3
    weaker = strength.solved_match(rules, weak, best, 3, 1, is_won=True)
    assert weaker["worse"] > 0
    drawn = strength.solved_match(rules, greedy, best, 10, 1, is_won=False)
    assert drawn["given_away"] >= drawn["worse"] > 0, "a drawn game is lost by a move"


def test_where_a_solved_game_is_a_draw_the_best_level_is_measured_from_solved_positions() -> None:
    slug = "close-quarters"
    last = len(levels(slug))
    found = strength.measure(slug, {}, 2, 1, (last - 1, last), others=True, share=0.02)
    for rival in ("greedy", "uct", f"level_{last - 1}"):
        against = found[f"against_{rival}"]
        assert set(against) == {"from_won", "from_drawn"}
        for each in against.values():
            assert (each["games"], each["worse"], each["given_away"]) == (2, 0, 0)
        assert against["from_won"]["score"] == 1
        assert against["from_drawn"]["score"] >= 0.5


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


def test_the_tuner_keeps_the_unit_and_moves_towards_the_winner() -> None:
    rules = find("close-quarters").rules()
    weights = tune.tuned(rules, steps=2, nodes=20, seed=3)
    assert weights["weapon"] == 100
    assert tune.tuned(rules, steps=2, nodes=20, seed=3) == weights
    assert len(tune.compared(rules, weights, 2, 20, 1).scores) == 2

# SPDX-License-Identifier: Apache-2.0
"""Two opponents are compared in time and strength, each in a process of its tree."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import pytest

from companion.games import find
from companion.model.game import AnyRules
from tests.bench.against import AgainstFailed, present
from tests.bench.elo import Match
from tests.bench.matches import Move
from tests.bench.opponent_against import Remote, careless_positions, mean_ratio, parser, played, run, verdict
from tests.bench.simple_players import greedy

MIDDLEGAME = "r1bqkb1r/ppp2ppp/2np1n2/4p3/2B1P3/2N2N1P/PPPP1PP1/R1BQK2R w KQkq - 0 6"
"""A position that no opening has."""


def report(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    run(parser().parse_args([*words, "--json"]))
    return json.loads(capsys.readouterr().out)


def test_times_to_a_depth_are_compared(capsys: pytest.CaptureFixture[str]) -> None:
    found = report(capsys, "time", "--quick", "--only", "chess", "--seed", "4")
    chess = found["chess"]
    assert (found["seed"], chess["depth"], chess["positions"], chess["nodes"]) == (4, 2, 2, 1)
    assert chess["from"] <= chess["ratio"] <= chess["to"]
    assert min(chess["a_s"], chess["b_s"]) > 0


def test_strength_is_compared_on_two_processes(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("strength", "--quick", "--only", "close-quarters", "--count", "4", "--jobs", "2")
    found = report(capsys, *words)["close-quarters"]
    assert (found["games"], found["verdict"]) == (4, "undecided")
    assert found["a_nodes"] > 10
    assert 0 <= found["a_seconds"] < 0.2
    assert found["a_depth"] >= 1


def test_the_time_of_a_move_is_limited() -> None:
    with present() as tree:
        remote = Remote(tree, {"game": "chess", "options": {}, "seconds": 0.05})
        rules = find("chess").rules()
        position = rules.read_position(MIDDLEGAME)
        assert remote(rules, position, [position], 1) in rules.legal_moves(position)
        assert 0.05 <= remote.answers[0]["seconds"] < 0.3


def test_fields_of_a_level_are_replaced_if_it_has_them() -> None:
    past = [MIDDLEGAME]
    with present() as tree:
        remote = Remote(tree, {"game": "chess", "options": {}, "level": 3, "seed": 1, "past": past})
        assert remote.ask(replace={"no_field_of_it": 5})["depth"] == 1
        assert remote.ask(replace={"depth": 2})["depth"] == 2
        assert remote.ask(replace={"depth": 0}, share=0.5)["nodes"] <= 501
        with pytest.raises(AgainstFailed, match="has ended"):
            remote.ask(level=99)


def test_the_search_gets_further_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("time", "--quick", "--only", "chess", "--seed", "4", "--depth", "3")
    found = report(capsys, *words, "--player-a", '{"is_selective": false}')
    assert found["chess"]["nodes"] > 1.05


def test_careless_positions_are_of_games_that_go_on() -> None:
    rules = find("chess").rules()
    positions = [*careless_positions(rules, 3, 8)]
    assert positions == [*careless_positions(rules, 3, 8)]
    assert len(set(positions)) == 3
    assert all(rules.status(each) is None for each in positions)


def at_random(rules: AnyRules, position: Any, past: Sequence[Any], seed: int) -> Move:
    """Make any move."""
    del past
    return random.Random(seed).choice(rules.legal_moves(position))


def test_a_match_ends_with_its_verdict() -> None:
    rules = find("martian-chess").rules()
    found = played(rules, [(greedy, at_random)] * 2, 100, 1, 50)
    assert verdict(found, 50) == "not worse"
    assert len(found.scores) < 60
    assert verdict(Match(found.scores[:-2]), 50) == "undecided"
    assert found.scores == played(rules, [(greedy, at_random)], 100, 1, 50).scores, "in the order of openings"


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([1.0, 0.0] * 40, "not worse"),
        ([0.0, 0.0] * 10, "worse"),
        ([0.5, 0.0] * 40, "worse"),
        ([0.5, 0.5, 0.0] * 40, "worse"),
        ([1.0, 1.0, 0.0, 0.0] * 5, "undecided"),
        ([0.5] * 9 + [0.0] + [0.5] * 4000 + [0.0, 0.5] * 200, "worse by less than 50"),
    ],
)
def test_verdicts(scores: list[float], expected: str) -> None:
    assert verdict(Match(scores), 50) == expected


def test_a_ratio_is_a_geometric_mean() -> None:
    ratio, low, high = mean_ratio([0.5, 2.0, 1.0, 1.0])
    assert ratio == pytest.approx(1)
    assert low * high == pytest.approx(1)
    assert 0 < low < 0.6

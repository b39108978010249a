# SPDX-License-Identifier: Apache-2.0
"""Equal games and openings are counted."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import pytest

from companion.opponent.levels import levels
from tests.bench import variety
from tests.bench.variety import figures, played


def test_the_games_of_a_level_are_compared(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["variety", "--quick", "--only", "close-quarters", "--json"])
    variety.main()
    found = json.loads(capsys.readouterr().out)["games"]["close-quarters"]
    assert found.keys() == {"1"}
    assert found["1"]["games"] == 3
    assert 1 <= found["1"]["openings"] <= 3


def test_a_seed_gives_the_same_game_and_noise_another_one() -> None:
    level = replace(levels("chess")[0], noise=300)
    games = [played("chess", level, seed, 6) for seed in (1, 1, 2, 3)]
    assert [len(game) for game in games] == [6] * 4
    assert games[0] == games[1]
    assert len(set(games)) > 1


def test_equal_openings_and_games_are_counted() -> None:
    opening = ("e4",) * variety.OPENING
    games = [(*opening, "d4"), (*opening, "d4"), (*opening, "c4"), ("f4",)]
    expected = {"games": 4, "openings": 2, "most_alike": 3, "repeated": 1, "says": ""}
    assert figures(games) == expected
    assert figures(games[:2])["says"] == "all equal"
    assert figures(games[3:])["says"] == ""

# SPDX-License-Identifier: Apache-2.0
"""Levels share the wins of a table of three."""

from __future__ import annotations

import json
import sys

import pytest

from companion.opponent.levels import levels
from tests.bench import many_sides
from tests.bench.matches import won_share
from tests.bench.simple_players import Timed


def test_the_levels_of_a_table_share_its_games(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["many_sides", "--quick", "--json"])
    many_sides.main()
    found = json.loads(capsys.readouterr().out)["sides"]["3"]
    assert (found["games"], found["even"], len(found["levels"])) == (3, 0.333, 3)
    assert sum(level["share"] for level in found["levels"].values()) == pytest.approx(1, abs=0.002)
    assert all(level["from"] <= level["share"] <= level["to"] for level in found["levels"].values())


def test_levels_at_a_table_are_the_lowest_the_highest_and_some_between() -> None:
    every = levels("martian-chess")
    for sides in (3, 4):
        chosen = many_sides.at_table(every, sides, 0.1)
        assert len({level.number for level in chosen}) == sides
        assert (chosen[0], chosen[-1].number) == (every[0], every[-1].number)
        assert chosen[-1].nodes == round(0.1 * every[-1].nodes)


def test_every_level_has_every_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = many_sides.at_table(levels("martian-chess"), 4, 0.1)
    seats: list[list[int]] = []

    def noted(_rules: object, players: list[Timed], *_: object) -> tuple[int, ...]:
        seats.append([player.level.number for player in players])
        return (1,)

    monkeypatch.setattr(many_sides, "play", noted)
    scores = many_sides.rotated(chosen, 5)
    assert [sorted(each) for each in zip(*seats, strict=True)] == [[each.number for each in chosen]] * 4
    assert [sum(each) for each in scores] == [1, 1, 1, 1], "seat 1 wins"


def test_wins_and_draws_are_shared() -> None:
    assert won_share((0, 2), 2, 3) == 0.5
    assert won_share((0,), 2, 3) == 0
    assert won_share((), 2, 4) == 0.25

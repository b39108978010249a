# SPDX-License-Identifier: Apache-2.0
"""Scores are exact: a forward search that knows only the rules finds the same."""

from __future__ import annotations

import pytest

from companion.games import find
from companion.opponent.close_quarters.analysis import Analyst, Score, Value
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import SHIPPED, shipped
from tests.opponent.close_quarters.forward import ForwardSearch
from tests.opponent.close_quarters.samples import KING, OPTIONS, positions, rules_of, solved

SETS = [
    pytest.param(options, marks=() if options in (SHIPPED, KING) else pytest.mark.long, id="-".join(options))
    for options in OPTIONS
]
FORWARDS = 12
"""Plies after which a search of all games takes too long."""
STARTS = next(option for option in find("close-quarters").options if option.name == "start").values
DEPTH = 7


def analyst_of(options: MoveOptions, **more: str) -> Analyst:
    return Analyst(
        rules_of(options, **more), shipped() if options == SHIPPED else solved(options).tablebase()
    )


@pytest.mark.long
@pytest.mark.parametrize("options", SETS)
def test_a_forward_search_finds_the_same_results(options: MoveOptions) -> None:
    rules, analyst = rules_of(options), analyst_of(options)
    search = ForwardSearch(rules)
    seen = set()
    for position in positions(rules, 5, 60):
        score = analyst.score(position)
        seen.add(score.value(position.turn))
        is_near = score.plies is not None and score.plies <= DEPTH
        expected = (score.winner, score.plies) if is_near else None
        assert search.result(position, DEPTH) == expected, rules.write_position(position)
        search.wins.cache_clear()
    assert seen == {*Value}


@pytest.mark.parametrize("limit", [1, 2])
@pytest.mark.parametrize("options", SETS)
def test_a_forward_search_plays_to_the_turn_limit(options: MoveOptions, limit: int) -> None:
    """The search reaches the end of every game: it finds every score."""
    analyst = analyst_of(options, turn_limit=str(limit))
    rules = rules_of(options, turn_limit=str(limit))
    search = ForwardSearch(rules)
    seen = set()
    for position in positions(rules, 6, 40):
        score = analyst.score(position)
        seen.add(score)
        assert search.result(position, 2 * limit + 1) == (score.winner, score.plies)
        search.wins.cache_clear()
    assert {score.winner for score in seen} == {0, 1}


@pytest.mark.parametrize("limit", [*range(1, 25), 1000])
def test_a_longer_limit_helps_the_weapons_until_they_have_enough_turns(limit: int) -> None:
    """The weapons need 10 plies, which are five turns."""
    rules = rules_of(KING, turn_limit=str(limit))
    score = Analyst(rules, solved(KING).tablebase()).score(rules.initial())
    assert score == (Score(0, 2 * limit) if limit < 5 else Score(1, 10))


def test_turns_that_were_played_count_towards_the_limit() -> None:
    rules = rules_of(KING, turn_limit="20")
    analyst = Analyst(rules, solved(KING).tablebase())
    assert analyst.score(rules.initial()._replace(rounds=15)) == Score(1, 10)
    assert analyst.score(rules.initial()._replace(rounds=16)) == Score(0, 8)
    assert analyst.score(rules.initial()._replace(rounds=20)) == Score(0, 0)
    assert analyst.score(rules.initial()._replace(turn=1, rounds=30)).plies == 1


@pytest.mark.parametrize("more", [{}, {"turn_limit": "6"}], ids=["unlimited", "limited"])
@pytest.mark.parametrize("options", SETS)
def test_the_line_ends_the_game_as_the_score_says(options: MoveOptions, more: dict[str, str]) -> None:
    rules, analyst = rules_of(options, **more), analyst_of(options, **more)
    for position in positions(rules, 7, 100):
        found = analyst.analyse(position)
        assert {*found.best} <= {*rules.legal_moves(position)}
        assert found.best
        assert len(found.line) == (found.score.plies or 0)
        for move in found.line:
            assert rules.status(position) is None
            position = rules.apply(position, move)
        outcome = rules.status(position)
        assert found.score.winner == (outcome and outcome.winners[0])


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("options", SETS)
def test_the_value_of_each_start_is_confirmed_forwards(options: MoveOptions, start: str) -> None:
    """A search proves no draw, only that nobody wins soon.

    `test_solver` proves draws.
    """
    rules = rules_of(options, start=start)
    score = analyst_of(options).score(rules.initial())
    search = ForwardSearch(rules)
    if options.sword != "king":
        assert score == Score(None)
    if score.plies is not None and score.plies <= FORWARDS:
        assert search.result(rules.initial(), score.plies) == (1, score.plies)
    else:
        assert search.result(rules.initial(), 4) is None


def test_a_tablebase_of_other_options_is_refused() -> None:
    with pytest.raises(ValueError, match="tablebase"):
        Analyst(rules_of(KING), shipped())

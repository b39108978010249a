# SPDX-License-Identifier: Apache-2.0
"""Promises of what is known about every game, tested in random games under every option."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import slugs
from companion.model.game import AnyRules
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE
from companion.opponent.puzzles import games, puzzles
from tests.games.support import find, option_sets, random_game, random_positions

PLIES = 30


def is_quick(slug: str, options: dict[str, str]) -> bool:
    """True for default options, and for those that change moves which are made here."""
    return not options or slug == "gottaz" or {*options} <= {"players", "teams", "map"}


@pytest.fixture(
    params=[(slug, options) for slug in slugs() for options in option_sets(slug) if "first" not in options],
    ids=lambda case: "-".join([case[0], *(f"{name}={value}" for name, value in case[1].items())]),
)
def rules(request: pytest.FixtureRequest) -> AnyRules:
    slug, options = request.param
    return find(slug).rules(options)


def test_moves_and_their_effects_are_those_of_the_rules(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    for position, _ in random_game(rules, seed=21, plies=PLIES):
        expected = list(rules.legal_moves(position))
        moves = list(knowledge.moves(position))
        assert sorted(moves) == sorted(expected)
        for move in moves[:: max(1, len(moves) // 40)]:
            assert knowledge.after(position, move) == rules.apply(position, move)


def test_noisy_moves_are_legal_and_rank_above_all_others(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    for position, _ in random_game(rules, seed=22, plies=PLIES):
        legal = rules.legal_moves(position)
        noisy = list(knowledge.noisy(position))
        results = {rules.apply(position, move) for move in legal}
        assert {knowledge.after(position, move) for move in noisy} <= results
        assert all(rank > 0 for rank in knowledge.ranks(position, noisy))
        assert len(knowledge.ranks(position, legal)) == len(legal)
        assert len(set(noisy)) == len(noisy)


def test_a_null_move_changes_the_side_to_move_only(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    for position, _ in random_game(rules, seed=28, plies=PLIES):
        passed = knowledge.null_move(position)
        if passed is not None:
            assert passed.turn == 1 - position.turn
            assert rules.placement(passed).entries == rules.placement(position).entries
            assert len(knowledge.ranks(passed, knowledge.moves(passed))) == len(rules.legal_moves(passed))


def test_no_pass_is_tried_where_having_to_move_may_be_the_trouble() -> None:
    rules = find("chess").rules()
    knowledge = knowledge_of(rules)
    assert knowledge.null_move(rules.read_position("8/8/8/8/8/1k6/1p6/1K6 w - - 0 1")) is None
    assert knowledge.null_move(rules.read_position("8/8/8/8/8/1k6/1p6/1K5R w - - 0 1")) is not None


@pytest.mark.parametrize("slug", slugs())
def test_every_move_that_wins_at_once_is_among_the_finishing_ones(slug: str) -> None:
    rules = find(slug).rules({})
    knowledge, count = knowledge_of(rules), 0
    found = puzzles(slug, 1) if slug in games() else ()
    positions = [rules.read_position(each.position) for each in found]
    for position in [*positions, *random_positions(rules, seed=27, count=10, plies=200)]:
        finishing = list(knowledge.finishing(position))
        legal = rules.legal_moves(position)
        assert {*finishing} <= {*legal}
        for move in legal:
            outcome = rules.status(rules.apply(position, move))
            if outcome is not None and outcome.winners == (position.turn,):
                assert move in finishing
                count += 1
    assert count >= len(positions)


def test_values_are_opposite_for_opposite_parties_and_never_a_sure_win(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    for position in random_positions(rules, seed=23, count=PLIES):
        values = [knowledge.value(position, side) for side in knowledge.sides]
        assert all(abs(value) < SURE for value in values)
        if len(values) == 2:
            assert values[0] == -values[1]
        for side in knowledge.sides:
            assert side in knowledge.party(side)
            assert all(knowledge.party(other) == knowledge.party(side) for other in knowledge.party(side))


def test_a_decided_game_is_over_with_the_same_winners(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    for position in random_positions(rules, seed=24, count=4 * PLIES, plies=300):
        winners, outcome = knowledge.decided(position), rules.status(position)
        if winners is not None:
            assert outcome is not None
            assert winners == outcome.winners
        if outcome is not None:
            assert knowledge.winners(position) == outcome.winners
        assert bool(knowledge.moves(position)) == (outcome is None)


def test_keys_differ_where_the_moves_differ(rules: AnyRules) -> None:
    knowledge = knowledge_of(rules)
    by_key: dict[Any, Any] = {}
    for position in random_positions(rules, seed=25, count=PLIES):
        moves = by_key.setdefault(knowledge.key(position), sorted(knowledge.moves(position)))
        assert moves == sorted(knowledge.moves(position))


@pytest.mark.parametrize("slug", slugs())
def test_every_weight_counts(slug: str) -> None:
    rules = find(slug).rules({"pawns": "draft"} if slug == "gottaz" else {})
    usual = knowledge_of(rules)
    positions = list(random_positions(rules, seed=26, count=500, plies=250))
    if slug == "tank-chess":
        positions.append(rules.read_position("w CH1N LD1N MA1N HB1N DE1N RC1N cH16S"))
    for name, weight in usual.weight.items():
        other = knowledge_of(rules, {name: weight + 50})
        assert other.weight == {**usual.weight, name: weight + 50}
        assert any(other.value(position, 0) != usual.value(position, 0) for position in positions), name

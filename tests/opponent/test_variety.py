# SPDX-License-Identifier: Apache-2.0
"""No two games are alike, and no varied move gives anything away."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from companion.games import find, slugs
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import SURE
from companion.opponent.levels import levels
from companion.opponent.player import choose
from companion.opponent.search import Search
from companion.opponent.variety import bonuses, opening_move
from tests.opponent.samples import going_on, rules_of
from tests.opponent.test_search import searched

GAMES, PLIES = 20, 10
SHARE = 0.02
"""Of the highest level's positions: what varies a game does not depend on their number."""


def openings(slug: str, nodes: int, number: int) -> Counter[tuple[str, ...]]:
    """How many of twenty games of a level against itself begin alike."""
    rules = find(slug).rules()
    level, found = replace(levels(slug)[number], nodes=nodes), Counter[tuple[str, ...]]()
    for seed in range(GAMES):
        position, moves, past = rules.initial(), list[str](), list[Any]()
        while len(moves) < PLIES and rules.status(position) is None:
            past.append(position)
            move = choose(rules, position, level, 100 * seed + len(moves), past=past[:-1]).move
            moves.append(rules.write_move(position, move))
            position = rules.apply(position, move)
        found[tuple(moves)] += 1
    return found


@pytest.mark.parametrize(
    ("slug", "share"),
    [(slug, SHARE) for slug in slugs() if slug != "tank-chess"]
    + [pytest.param(slug, 0.3, marks=pytest.mark.long) for slug in slugs()],
)
def test_of_twenty_games_of_the_highest_level_two_at_most_begin_alike(slug: str, share: float) -> None:
    found = openings(slug, max(200, round(share * levels(slug)[-1].nodes)), -1)
    alike = [count for count in found.values() if count > 1]
    assert sum(alike) <= 2, found.most_common(3)


@pytest.mark.long
@pytest.mark.parametrize("slug", slugs())
def test_of_twenty_games_of_a_lower_level_two_at_most_begin_alike(slug: str) -> None:
    for level in levels(slug)[:-1]:
        found = openings(slug, level.nodes, level.number - 1)
        assert sum(count for count in found.values() if count > 1) <= 2, level


@pytest.mark.parametrize("slug", slugs())
def test_every_line_of_the_openings_is_legal_and_some_are_played(slug: str) -> None:
    rules = find(slug).rules()
    first = {opening_move(rules, rules.initial(), [], seed) for seed in range(40)}
    assert len(first) > 1
    for move in first:
        position = rules.apply(rules.initial(), rules.read_move(rules.initial(), move))
        assert opening_move(rules, position, [rules.initial()], 1)
    assert not opening_move(rules, next(going_on(rules, seed=5, count=1, plies=60)), [], 1)


def test_there_are_no_openings_under_other_options() -> None:
    assert opening_move(rules_of("chess"), rules_of("chess").initial(), [], 1)
    rules = rules_of("chess", draw_rules="none")
    assert not opening_move(rules, rules.initial(), [], 1)


@pytest.mark.parametrize("slug", slugs())
def test_a_varied_move_is_worse_by_the_margin_at_most(slug: str) -> None:
    """Without reductions, so that both searches see the same."""
    rules, depth, margin, others = rules_of(slug), 2 if slug != "tank-chess" else 1, 40, 0
    for number, position in enumerate(going_on(rules, seed=11, count=6, plies=30)):
        knowledge = knowledge_of(rules)
        best = searched(Search(knowledge, position, is_selective=False), depth)
        preferred = bonuses(knowledge, position, [], margin, number)
        assert set(preferred.values()) <= set(range(margin + 1))
        if len(preferred) < 2:
            continue
        chosen = searched(Search(knowledge, position, is_selective=False, candidates=preferred), depth)
        (alone,) = (
            searched(Search(knowledge, position, is_selective=False, candidates={chosen.move: 0}), depth),
        )
        assert best.value - margin <= chosen.value <= best.value
        assert abs(chosen.value - alone.value) <= margin or abs(best.value) >= SURE
        others += chosen.move != best.move
    assert others


def test_no_win_is_given_away_for_the_sake_of_variety() -> None:
    rules = rules_of("chess")
    position = rules.read_position("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")
    for move in rules.legal_moves(position):
        preferred = {each: 500 * (each == move) for each in rules.legal_moves(position)}
        found = searched(Search(knowledge_of(rules), position, candidates=preferred), 3)
        assert rules.write_move(position, found.move) == "Rd8#"


def test_a_move_that_repeats_a_position_is_not_preferred() -> None:
    rules = rules_of("chess")
    knowledge, position = knowledge_of(rules), rules.initial()
    moves = rules.legal_moves(position)
    past = [knowledge.key(rules.apply(position, move)) for move in moves[:10]]
    found = bonuses(knowledge, position, past, 40, 1)
    assert not any(found[move] for move in moves[:10])
    assert any(found[move] for move in moves[10:])

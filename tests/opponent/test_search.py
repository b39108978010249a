# SPDX-License-Identifier: Apache-2.0
"""The search finds what a plain search finds, forced wins, and ends when it should."""

from __future__ import annotations

from typing import Any

import pytest

from companion.games import slugs
from companion.model.game import AnyRules
from companion.opponent.eyesight import Eyesight
from companion.opponent.find import knowledge_of
from companion.opponent.found import Found
from companion.opponent.knowledge import SURE, Knowledge
from companion.opponent.search import Search
from tests.opponent.maxn import MaxN
from tests.opponent.samples import ForwardSearch, PlainSearch, going_on, mate_in, rules_of, without_noise

SMALL = [
    ("close-quarters", {}, 3, 10, True),
    ("close-quarters", {"turn_limit": "3"}, 3, 6, True),
    ("martian-chess", {}, 2, 8, False),
    ("martian-chess", {"players": "3"}, 2, 4, False),
    ("martian-chess", {"players": "4", "teams": "opposite-corners"}, 2, 3, False),
    ("gottaz", {}, 2, 4, False),
    ("tank-chess", {}, 1, 2, False),
]
"""Games whose depth does not depend on threats: options, depth, number of positions, quiescence."""


FORCED = [
    ("chess", "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1", 1),
    ("chess", "r1bq2r1/b4pk1/p1pp1p2/1p2pP2/1P2P1PB/3P4/1PPQ2P1/R3K2R w KQ - 0 1", 3),
    ("chess", "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", 3),
    ("chess", "r5rk/5p1p/5R2/4B3/8/8/7P/7K w - - 0 1", 5),
    ("close-quarters", "4/3S/4/3A/4/4/4/4 s 0", 1),
    ("close-quarters", "A3/4/4/1S2/4/4/4/4 s 0", 3),
    ("close-quarters", "4/4/4/4/4/S3/4/P1A1 s 0", 5),
    ("fightopia", "1v4p1/pv2v1p1/p3v1p1/4p3/8/1gg3PP/1ggGG2V/2PGGP1V b", 1),
    ("fightopia", "1v4p1/pv2v1p1/p3v1p1/4p3/8/2ggGGPP/2ggGG1V/2P2P1V b", 3),
    (
        "gottaz",
        ".,.,.,s1l5,W5U1/.,s1l5,.,.,./s3w3,.,s4w2,.,./S1L5,.,.,S3W3,./U2L4,U1W5,S1L5,.,U3L3 "
        "s 1U2L4+2W2S4 2U1W5+2U2L4+1W2S4+1L3U3 -",
        1,
    ),
    (
        "gottaz",
        "s1l5,l3u3,w3s3,.,u1w5/.,.,.,.,./.,.,s4w2,.,w5u1/.,.,.,.,./l5s1,U1W5,S4W2,U1W5,L3U3 "
        "s 2S1L5+2U2L4+1W2S4+1W3S3 2U2L4+1W2S4 -",
        3,
    ),
    ("martian-chess", "qq2/2pq/q1pd/4/1p2/4/4/4 1 12,7 - - -", 1),
    (
        "tank-chess",
        "b MI1SE MG5NW cG7E CI9SW hL10SW HM10NW MM11S hC12E LJ5x lL5x LM6x LF7x lH8x LG9x HH10x lD12x "
        "mF12x mM12x lP13x mH16x",
        1,
    ),
    (
        "tank-chess",
        "b MI1SE MG5NW cG7E CI9S HH10W HM10NW hL11SE MM11S hC12E LJ5x lL5x LM6x LF7x lH8x LG9x lD12x "
        "mF12x mM12x lP13x mH16x",
        3,
    ),
]
"""Positions of the computer's games and of the literature, with the plies to the win."""
FAR = {("chess", 5), ("tank-chess", 3), ("fightopia", 3), ("gottaz", 3)}
"""Those that a search by the rules alone would take long to confirm."""


def searched(search: Search[Any, Any] | MaxN[Any, Any], depth: int) -> Found[Any]:
    *_, last = search.iterations(depth)
    return last


@pytest.mark.parametrize(("slug", "options", "depth", "count", "is_noisy"), SMALL)
def test_the_value_is_that_of_plain_minimax(
    slug: str, options: dict[str, str], depth: int, count: int, is_noisy: bool
) -> None:
    rules = rules_of(slug, **options)
    knowledge = knowledge_of(rules) if is_noisy else without_noise(knowledge_of(rules))
    values = set()
    for position in going_on(rules, seed=3, count=count):
        found = searched(Search(knowledge, position, is_selective=False), depth)
        expected = PlainSearch(knowledge, position).value(position, depth)
        if abs(found.value) < SURE:
            assert found.value == expected, rules.write_position(position)
        else:
            assert abs(expected) >= SURE
        values.add(found.value)
    assert len(values) > 1


@pytest.mark.parametrize(("slug", "text", "plies"), FORCED)
def test_forced_wins_are_found_in_the_right_number_of_plies(slug: str, text: str, plies: int) -> None:
    rules = rules_of(slug)
    position = rules.read_position(text)
    if (slug, plies) not in FAR:
        assert ForwardSearch(rules).plies(position, plies) == plies
    found = searched(Search(knowledge_of(rules), position), plies + 2)
    assert found.value == mate_in(plies)
    assert len(found.line) == plies
    turn = position.turn
    for move in found.line:
        position = rules.apply(position, move)
    outcome = rules.status(position)
    assert outcome is not None
    assert outcome.winners == (turn,)


@pytest.mark.parametrize("slug", slugs())
def test_the_same_arguments_give_the_same_result(slug: str) -> None:
    rules = rules_of(slug)
    for position in going_on(rules, seed=2, count=2):
        first, second = (
            [
                *Search(
                    knowledge_of(rules), position, most_nodes=400, eyesight=Eyesight(7, 50, 20)
                ).iterations()
            ]
            for _ in range(2)
        )
        assert first == second


def test_another_seed_may_give_another_move() -> None:
    rules = rules_of("chess")
    moves = {
        searched(Search(knowledge_of(rules), rules.initial(), eyesight=Eyesight(seed, 80)), 1).move
        for seed in range(8)
    }
    assert len(moves) > 1


@pytest.mark.parametrize("slug", slugs())
@pytest.mark.parametrize("most", [60, 700])
def test_no_more_nodes_are_searched_than_allowed(slug: str, most: int) -> None:
    rules = rules_of(slug)
    for position in going_on(rules, seed=4, count=2):
        search = Search(knowledge_of(rules), position, most_nodes=most)
        first, *others = search.iterations()
        assert first.depth == 1
        assert all(found.nodes <= max(most, first.nodes) + 1 for found in others)
        assert others or abs(first.value) >= SURE


@pytest.mark.parametrize("slug", slugs())
def test_a_search_ends_eight_nodes_after_it_is_to_stop_at_the_latest(slug: str) -> None:
    rules = rules_of(slug)
    (position,) = going_on(rules, seed=6, count=1, plies=10)
    asked = list[int]()

    def is_enough() -> bool:
        asked.append(search.nodes)
        return len(asked) == 40

    search = Search(knowledge_of(rules), position, should_stop=is_enough)
    found = searched(search, 60)
    assert asked == [*range(8, search.nodes + 1, 8)]
    assert found.move in rules.legal_moves(position)
    if len(asked) == 40:
        assert search.nodes == asked[-1]
        assert not found.is_complete
    else:
        assert abs(found.value) >= SURE or len(rules.legal_moves(position)) == 1


@pytest.mark.parametrize("slug", slugs())
def test_the_best_line_is_legal_and_a_search_may_be_stopped_at_once(slug: str) -> None:
    rules = rules_of(slug)
    for position in going_on(rules, seed=8, count=2):
        found = searched(Search(knowledge_of(rules), position, most_nodes=600), 4)
        assert found.line[0] == found.move
        at = position
        for move in found.line:
            assert move in rules.legal_moves(at)
            at = rules.apply(at, move)
        at_once = searched(Search(knowledge_of(rules), position, should_stop=lambda: True), 9)
        assert at_once.move in rules.legal_moves(position)


@pytest.mark.parametrize(
    ("slug", "options"), [("chess", {}), ("fightopia", {"repetition": "threefold-draw"})]
)
def test_only_a_third_occurrence_counts_as_a_draw(slug: str, options: dict[str, str]) -> None:
    rules = rules_of(slug, **options)
    knowledge, position = knowledge_of(rules), going_on_from(rules, slug)
    usual = searched(Search(knowledge, position), 2)
    behind = knowledge.key(rules.apply(position, usual.move))
    assert abs(usual.value) > 50
    assert searched(Search(knowledge, position, past=[behind]), 2).value == usual.value
    twice = searched(Search(knowledge, position, past=[behind, behind]), 2)
    assert (twice.move == usual.move) is (twice.value == 0)


@pytest.mark.parametrize(("slug", "options"), [("chess", {"draw_rules": "none"}), ("fightopia", {})])
def test_without_a_rule_nobody_wins_by_coming_back(slug: str, options: dict[str, str]) -> None:
    rules = rules_of(slug, **options)
    knowledge, position = knowledge_of(rules), going_on_from(rules, slug)
    usual = searched(Search(knowledge, position), 2)
    behind = knowledge.key(rules.apply(position, usual.move))
    again = searched(Search(knowledge, position, past=[behind]), 2)
    assert (again.move == usual.move) is (again.value == 0)


def going_on_from(rules: AnyRules, slug: str) -> Any:
    """A position in which one side is ahead."""
    if slug == "chess":
        return rules.read_position("6k1/5ppp/8/8/8/q7/5PPP/6K1 w - - 0 1")
    knowledge = knowledge_of(rules)
    found = going_on(rules, seed=5, count=40)
    return next(each for each in found if abs(searched(Search(knowledge, each), 2).value) in range(60, 900))


def test_a_side_that_is_behind_goes_back_to_what_stood_twice() -> None:
    rules = rules_of("chess")
    knowledge = knowledge_of(rules)
    behind = rules.read_position("6k1/5ppp/8/8/8/q7/5PPP/6K1 w - - 0 1")
    move = rules.read_move(behind, "Kh1")
    past = [knowledge.key(rules.apply(behind, move))] * 2
    assert searched(Search(knowledge, behind), 3).value < 0
    found = searched(Search(knowledge, behind, past=past), 3)
    assert (found.move, found.value) == (move, 0)


def test_a_side_that_is_ahead_does_not() -> None:
    rules = rules_of("chess")
    knowledge = knowledge_of(rules)
    ahead = rules.read_position("6k1/5ppp/8/8/8/q7/5PPP/5RK1 b - - 0 1")
    best = searched(Search(knowledge, ahead), 3)
    past = [knowledge.key(rules.apply(ahead, best.move))] * 2
    found = searched(Search(knowledge, ahead, past=past), 3)
    assert found.move != best.move


def test_only_allowed_moves_are_chosen() -> None:
    rules = rules_of("chess")
    position = rules.initial()
    allowed = rules.legal_moves(position)[3:5]
    assert (
        searched(Search(knowledge_of(rules), position, candidates=dict.fromkeys(allowed, 0)), 3).move
        in allowed
    )


@pytest.mark.parametrize("players", ["2", "3", "4"])
def test_max_n_finds_a_win_and_obeys_its_limits(players: str) -> None:
    rules = rules_of("martian-chess", players=players)
    knowledge = knowledge_of(rules)
    for position in going_on(rules, seed=9, count=1):
        found = searched(MaxN(knowledge, position, most_nodes=100), 3)
        assert found.move in rules.legal_moves(position)
        stopped = searched(MaxN(knowledge, position, should_stop=lambda: True), 3)
        assert stopped.move in rules.legal_moves(position)
    if players == "2":
        position = rules.read_position("qq2/2pq/q1pd/4/1p2/4/4/4 1 12,7 - - -")
        assert searched(MaxN(knowledge, position), 2).value >= SURE


def test_max_n_of_two_sides_is_minimax() -> None:
    rules = rules_of("martian-chess")
    knowledge = without_noise(knowledge_of(rules))
    for position in going_on(rules, seed=10, count=4):
        expected = PlainSearch(knowledge, position).value(position, 2)
        found = searched(MaxN(knowledge, position), 2)
        assert found.value == expected or found.depth < 2


def test_a_game_without_knowledge_is_searched_by_its_rules() -> None:
    from companion.games import _template

    rules = _template.GAME.rules()
    knowledge = knowledge_of(rules)
    assert type(knowledge) is Knowledge
    found = searched(Search(knowledge, rules.initial()), 6)
    assert found.value >= SURE

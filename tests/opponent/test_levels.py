# SPDX-License-Identifier: Apache-2.0
"""Levels have names in every language, and a stronger one never looks at less."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from random import Random
from time import process_time

import pytest

from companion.feedback.wordfiles import languages
from companion.games import find, slugs
from companion.model.errors import UnknownName
from companion.opponent.find import knowledge_of
from companion.opponent.levels import find_level, least_elo, levels, names, usual_level
from companion.opponent.player import choose
from tests.bench.threats import overlooked
from tests.opponent.samples import going_on
from tests.opponent.test_search import FORCED


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", [*slugs(), "runners"])
def test_every_level_has_a_name_of_its_own_in_every_language(slug: str, language: str) -> None:
    found = names(slug, language)
    assert len(found) == len(set(found)) == len(levels(slug))
    assert language == "en" or found != names(slug, "en")


def slugs_of(slug: str) -> list[str]:
    return [level.slug for level in levels(slug)]


def test_a_level_is_named_by_its_share_of_the_games_scale() -> None:
    """Halfway along its game's levels it has the name halfway along the list."""
    all_eight = ["newcomer", "beginner", "learner", "amateur", "player", "adept", "expert", "strongest"]
    assert slugs_of("chess") == all_eight
    assert slugs_of("martian-chess") == ["newcomer", "beginner", "learner", "player", "adept", "strongest"]
    assert slugs_of("fightopia") == ["newcomer", "beginner", "amateur", "adept", "strongest"]
    assert slugs_of("close-quarters") == ["newcomer", "amateur", "perfect"]
    for slug in slugs():
        last = len(levels(slug)) - 1
        for number, name in enumerate(slugs_of(slug)[:last]):
            assert 0 <= number / last - all_eight.index(name) / 7 < 1 / 7


@pytest.mark.parametrize("slug", [*slugs(), "runners"])
def test_the_last_level_is_the_strongest_or_perfect_if_the_game_is_solved(slug: str) -> None:
    *others, last = levels(slug)
    assert last.slug == ("perfect" if last.is_exact else "strongest")
    assert not any(level.is_exact or level.slug in ("strongest", "perfect") for level in others)
    assert last.is_exact == (slug == "close-quarters")


@pytest.mark.parametrize("slug", [*slugs(), "runners"])
def test_a_stronger_level_sees_as_much_at_least(slug: str) -> None:
    found = levels(slug)
    assert 3 <= len(found) <= 8
    assert [level.number for level in found] == list(range(1, len(found) + 1))
    for weak, strong in pairwise(found):
        assert strong.nodes >= weak.nodes
        assert strong.noise <= weak.noise
        assert strong.overlooked <= weak.overlooked
        assert strong != weak
    assert (found[-1].noise, found[-1].overlooked) == (0, 0)


@pytest.mark.parametrize(
    ("slug", "usual"),
    [
        ("chess", 3),
        ("gottaz", 3),
        ("martian-chess", 2),
        ("tank-chess", 2),
        ("fightopia", 2),
        ("close-quarters", 1),
    ],
)
def test_the_usual_level_is_of_the_lower_third_of_the_games_scale(slug: str, usual: int) -> None:
    assert usual_level(slug) == usual
    assert 3 * (usual - 1) < len(levels(slug)) <= 3 * usual


def test_the_strength_of_the_levels_of_chess_is_known_from_the_least_measured_one_on() -> None:
    strengths = [level.elo for level in levels("chess")]
    assert strengths == sorted(strengths, key=lambda elo: elo or 0)
    assert strengths[0] == 0
    assert all(elo == 0 or (elo or 0) >= least_elo() for elo in strengths)
    assert {level.elo for slug in slugs() if slug != "chess" for level in levels(slug)} == {None}


def test_a_level_is_found_by_number_or_name() -> None:
    assert find_level("chess", "3").number == 3
    assert find_level("chess", "Strongest").number == 8
    assert find_level("close-quarters", "Perfect").number == 3
    for text in ("0", "9", "grandmaster", "perfect", ""):
        with pytest.raises(UnknownName, match="there is no level"):
            find_level("chess", text)


def test_the_error_for_an_unknown_level_names_those_of_the_game() -> None:
    with pytest.raises(UnknownName, match="1 to 3 and newcomer, amateur, perfect"):
        find_level("close-quarters", "strongest")


@pytest.mark.parametrize(
    ("slug", "text"), [(slug, text) for slug, text, plies in FORCED if plies == 1], ids=lambda each: each[:14]
)
def test_the_weakest_level_takes_a_win_in_one(slug: str, text: str) -> None:
    """It sees its own captures."""
    rules = find(slug).rules()
    level, position = levels(slug)[0], rules.read_position(text)
    for seed in range(4):
        outcome = rules.status(rules.apply(position, choose(rules, position, level, seed).move))
        assert outcome is not None
        assert outcome.winners == (position.turn,)


@pytest.mark.parametrize(
    ("slug", "count"),
    [
        ("chess", 20),
        ("gottaz", 20),
        ("martian-chess", 20),
        *[
            pytest.param(slug, 100, marks=pytest.mark.long)
            for slug in ("chess", "close-quarters", "fightopia", "gottaz", "martian-chess")
        ],
        pytest.param("tank-chess", 20, marks=pytest.mark.long),
    ],
)
def test_the_weakest_level_overlooks_a_threat_now_and_then(slug: str, count: int) -> None:
    rules = find(slug).rules()
    assert 0.04 <= overlooked(rules, levels(slug)[0], count, seed=1) <= 0.45


def test_the_highest_level_gives_no_solved_result_away() -> None:
    """Nor does it win later, or lose sooner, than it could."""
    rules = find("close-quarters").rules()
    knowledge, chance = knowledge_of(rules), Random(7)
    level = replace(levels(rules.slug)[-1], nodes=1)
    seen = set()
    for seed in range(60):
        position = rules.initial()
        for _ in range(chance.randrange(30)):
            if rules.status(position) is None:
                position = rules.apply(position, chance.choice(rules.legal_moves(position)))
        if rules.status(position) is not None:
            continue
        value = knowledge.exact_value(position)
        after = rules.apply(position, choose(rules, position, level, seed).move)
        kept = knowledge.exact_value(after)
        assert value is not None
        assert kept is not None
        assert -kept == value + (value > 0) - (value < 0)
        seen.add((value > 0) - (value < 0))
    assert seen == {-1, 0, 1}


@pytest.mark.parametrize(
    ("slug", "number"),
    [
        pytest.param(
            slug, level.number, marks=() if level.depth == 1 and slug != "tank-chess" else pytest.mark.long
        )
        for slug in slugs()
        for level in levels(slug)
    ],
)
def test_a_move_takes_no_longer_than_promised(slug: str, number: int) -> None:
    """5 s of processor time on the highest level, 2 s on others."""
    rules, level = find(slug).rules(), levels(slug)[number - 1]
    (position,) = going_on(rules, seed=number, count=1, plies=12)
    begun = process_time()
    choose(rules, position, level, 1)
    assert process_time() - begun <= (5 if number == len(levels(slug)) else 2)


@pytest.mark.parametrize("slug", slugs())
def test_the_same_seed_gives_the_same_move(slug: str) -> None:
    rules = find(slug).rules()
    position = rules.initial()
    for level in levels(slug)[:2]:
        assert choose(rules, position, level, 4) == choose(rules, position, level, 4)

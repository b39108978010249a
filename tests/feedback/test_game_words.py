# SPDX-License-Identifier: Apache-2.0
"""Every game has words for everything it can say, in each of its languages."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from companion.feedback.template import gaps
from companion.feedback.word_tables import Common, GameWords, Reason
from companion.feedback.wordfiles import languages, read_common, read_game
from companion.games import find, slugs
from companion.model.game import AnyRules, Violation
from companion.model.observation import OCCUPIED, Difference
from companion.model.occupancy import cells_of
from companion.referee.inference.illegal_position import TOUCH_MOVE
from tests.games.support import sources
from tests.words import called_with

from .test_words import games

ROOT = Path(__file__).parents[2] / "companion"
SPOKEN = [(language, slug) for language in languages() for slug in slugs() if slug in games(language)]
POSITIONS = 12
WRONG_CARRIES = 60


@pytest.mark.parametrize(("language", "slug"), SPOKEN)
def test_every_game_has_a_summary_of_its_rules(language: str, slug: str) -> None:
    sentences = read_game(language, slug, read_common(language)).rules
    assert 5 <= len(sentences) <= 12
    assert all(sentence.endswith((".", "。")) for sentence in sentences)


def test_every_violation_of_the_referee_itself_has_words() -> None:
    common = read_common("en")
    assert TOUCH_MOVE in common.violations
    files = list((ROOT / "referee").rglob("*.py"))
    named = called_with(files, "Outcome", 1) | called_with(files, "give_up", 2)
    assert named >= {"resignation", "agreement", "repetition", "time"}
    assert named <= set(common.terminations)


@pytest.mark.parametrize(("language", "slug"), SPOKEN)
def test_every_count_is_one_of_the_game(language: str, slug: str) -> None:
    named = called_with(sources(find(slug)), "Count", 0)
    assert {*read_game(language, slug, read_common(language)).counts} <= named


@pytest.mark.parametrize(("language", "slug"), SPOKEN)
def test_the_reason_for_every_wrong_change_has_a_complete_sentence(language: str, slug: str) -> None:
    common = read_common(language)
    words = read_game(language, slug, common)
    for violation in provoked(find(slug).rules()):
        told = reason(violation.rule, words, common)
        assert told, f"rule {violation.rule}"
        assert gaps(told.sentence) <= {name for name, _ in violation.arguments}, violation.rule


def reason(slug: str, words: GameWords, common: Common) -> Reason | None:
    return words.violations.get(slug) or common.violations.get(slug)


def provoked(rules: AnyRules) -> Iterator[Violation]:
    """The violations of wrong changes in the positions of a random game.

    The changes: pieces that are moved, removed, added or replaced.
    """
    chance = random.Random(5)
    position = rules.initial()
    for _ in range(POSITIONS):
        moves = rules.legal_moves(position)
        if not moves:
            return
        legal = {trace(rules, position, move) for move in moves}
        for difference in wrongs(rules, position, chance):
            if (set_of(difference.emptied), set_of(difference.filled)) not in legal or difference.changed:
                yield rules.explain(position, difference)
        position = rules.apply(position, chance.choice(moves))


def wrongs(rules: AnyRules, position: Any, chance: random.Random) -> Iterator[Difference]:
    """Changes that are rarely legal."""
    placement = rules.placement(position)
    occupied = list(cells_of(placement.occupancy))
    if len(occupied) < 2:
        return
    empty = [cell for cell in range(len(rules.grid)) if cell not in occupied]
    for _ in range(WRONG_CARRIES):
        piece, target = chance.choice(placement.entries), chance.choice(range(len(rules.grid)))
        if target in empty:
            yield Difference(emptied=piece[1], filled=(target,))
        elif target not in piece[1]:
            yield Difference(emptied=piece[1], filled=(), touched=(target,))
    first, second, *_ = chance.sample(occupied, len(occupied))
    yield Difference(emptied=(first, second), filled=tuple(empty[:2]))
    yield Difference(emptied=(), filled=(chance.choice(empty),))
    yield Difference(emptied=(), filled=(), changed=((first, OCCUPIED),))


def trace(rules: AnyRules, position: Any, move: Any) -> tuple[frozenset[int], frozenset[int]]:
    """The cells that *move* empties and fills."""
    steps = [step for step in rules.steps(position, move) if step.source != step.target]
    before = {cell for step in steps for cell in step.source}
    after = {cell for step in steps for cell in step.target}
    return frozenset(before - after), frozenset(after - before)


def set_of(cells: tuple[int, ...]) -> frozenset[int]:
    return frozenset(cells)

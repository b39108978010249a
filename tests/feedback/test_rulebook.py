# SPDX-License-Identifier: Apache-2.0
"""The rules of each game are complete for every option, and their examples are true."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from companion import games
from companion.feedback import rulebook
from companion.feedback.rulebook import Example, Heading, Picture, Rulebook, conditions, holds, position_of
from companion.feedback.unlawful import reason
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.model.game import Game, Option
from companion.model.lots import RANDOM
from companion.model.notation import is_legal

FOLDER = Path(rulebook.__file__).parent / "rulebooks"
WRITTEN = sorted((path.parent.name, path.stem) for path in FOLDER.glob("*/*.toml"))
ENGLISH = [slug for language, slug in WRITTEN if language == "en"]
SAMPLES = {"number": "12"}
FILES = {
    "start": "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "map": "duel; 5x5; C3; CB1N LD1N cD5S lB5S",
    "pawns": "ours; "
    + " ".join(["supply-1/leap-5"] * 4 + ["swap-2/supply-4"] * 4 + ["leap-3/support-3"] * 2),
    "pool": "2S1L5+2U1W5+2U2L4+2W2S4+L3U3+W3S3",
}
"""A value for `file`, by option."""


def book(language: str, slug: str) -> Rulebook:
    found = rulebook.load(language, slug)
    assert found is not None
    return found


def values(game: Game) -> Iterator[tuple[Option, str, str]]:
    """Each option with each listed value, and a value to choose for it."""
    for option in game.options:
        for value in option.values:
            yield option, value, FILES[option.name] if value == "file" else SAMPLES.get(value, value)


def all_lines(found: Rulebook) -> list[str]:
    return [line for section in found.section for line in section.lines]


def test_every_rulebook_is_there_in_english_and_in_each_language_that_has_any() -> None:
    written = {language for language, _ in WRITTEN}
    assert written <= set(languages())
    assert sorted((language, slug) for language in written for slug in ENGLISH) == WRITTEN


@pytest.mark.parametrize(("language", "slug"), WRITTEN)
def test_every_value_of_every_option_is_mentioned_when_it_is_chosen(language: str, slug: str) -> None:
    game, lines = games.find(slug), all_lines(book(language, slug))
    for option, value, chosen in values(game):
        options = {each.name: each.default for each in game.options} | {option.name: chosen}
        mentions = [line for line in lines if value in conditions(line).get(option.name, ())]
        shown = [line for line in mentions if rulebook.line_for(line, options, game.options)]
        assert shown, (option.name, value)
        if value == "number":
            assert any(chosen in rulebook.line_for(line, options, game.options) for line in shown)


@pytest.mark.parametrize(("language", "slug"), WRITTEN)
def test_conditions_and_gaps_name_options_and_values_that_exist(language: str, slug: str) -> None:
    found, game = book(language, slug), games.find(slug)
    named = {option.name: option for option in game.options}
    for line in [*all_lines(found), *(f"[{each.options}] " for each in found.example if each.options)]:
        for name, allowed in conditions(line).items():
            assert set(allowed) <= set(named[name].values), line
        assert set(re.findall(r"\{(\w+)\}", line)) <= set(named), line


def options_of(example: Example, game: Game) -> dict[str, str]:
    """The options for which *example* was written."""
    wanted = conditions(f"[{example.options}] ") if example.options else {}
    sampled = {(option.name, value): chosen for option, value, chosen in values(game)}
    return {name: sampled[name, allowed[0]] for name, allowed in wanted.items()}


@pytest.mark.parametrize("slug", ENGLISH)
def test_the_examples_are_true_and_illegal_moves_have_reasons(slug: str) -> None:
    game, found = games.find(slug), book("en", slug)
    assert any(example.legal and example.illegal for example in found.example)
    for example in found.example:
        rules = game.rules(options_of(example, game))
        words = load("en", slug, rules.sides)
        position = position_of(example, rules)
        for move in example.legal:
            assert rules.read_move(position, move) in rules.legal_moves(position), (example.about, move)
        for move in example.illegal:
            assert not is_legal(rules, position, move), (example.about, move)
            assert reason(move, rules, position, words), (example.about, move)
        assert rulebook.is_true(example, rules, game.options), example.about


@pytest.mark.parametrize(("language", "slug"), WRITTEN)
def test_the_rules_can_be_shown_for_every_value_of_every_option(language: str, slug: str) -> None:
    game, found = games.find(slug), book(language, slug)
    chosen_values = list(values(game)) if language == "en" else list(values(game))[:1]
    for option, _value, chosen in chosen_values:
        rules = game.rules({option.name: chosen})
        parts = list(rulebook.explained(found, rules, game.options, load(language, slug, rules.sides)))
        assert sum(isinstance(part, Picture) for part in parts) >= 1, (option.name, chosen)
        texts = [
            part.text if isinstance(part, Heading) else part
            for part in parts
            if not isinstance(part, Picture)
        ]
        assert not [text for text in texts if "{" in text or "[" in text], (option.name, chosen)


def test_an_example_that_the_options_make_false_is_left_out() -> None:
    game, found = games.find("close-quarters"), book("en", "close-quarters")
    example = next(each for each in found.example if "Like a king" in each.about)
    assert rulebook.is_true(example, game.rules({"sword": "king"}), game.options)
    assert not rulebook.is_true(example, game.rules(), game.options)


def test_a_condition_holds_for_numbers_files_and_lots() -> None:
    options = games.find("fightopia").options
    assert holds(f"first={RANDOM}", {"first": "random:2"}, options)
    assert not holds("first=white", {"first": "random:2"}, options)
    clock = games.find("tank-chess").options
    assert holds("clock=30|45|number", {"clock": "17"}, clock)
    assert not holds("clock=none", {"clock": "17"}, clock)


@pytest.mark.parametrize(("language", "slug"), [each for each in WRITTEN if each[0] != "en"])
def test_a_translation_has_the_lines_and_examples_of_the_english_rules(language: str, slug: str) -> None:
    here, english = book(language, slug), book("en", slug)
    assert [list(map(conditions, section.lines)) for section in here.section] == [
        list(map(conditions, section.lines)) for section in english.section
    ]
    assert [(each.legal, each.illegal, each.options, each.position, each.moves) for each in here.example] == [
        (each.legal, each.illegal, each.options, each.position, each.moves) for each in english.example
    ]


def test_the_pool_from_which_pawns_are_chosen_is_listed() -> None:
    game, found = games.find("gottaz"), book("en", "gottaz")
    rules = game.rules({"pawns": "common", "pool": FILES["pool"]})
    parts = rulebook.explained(found, rules, game.options, load("en", "gottaz", rules.sides))
    said = next(part for part in parts if isinstance(part, str) and part.startswith("In the pool"))
    assert said.startswith("In the pool: 2 × Supply 1/Leap 5, 2 × Support 1/Swap 5, ")

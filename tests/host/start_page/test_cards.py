# SPDX-License-Identifier: Apache-2.0
"""The cards of the games say what the README says, in every language."""

from __future__ import annotations

import json

import pytest

from companion import games
from companion.feedback.wordfiles import languages
from companion.host.start_page.cards import cards, facts, picture, puzzle_json, rules_json
from companion.host.start_page.requests import Exercise
from companion.host.start_page.web import understand_start
from companion.model.absent import PlayedBy
from companion.opponent.puzzles import every
from tests.readme import game_rows


def test_the_facts_are_those_of_the_readme() -> None:
    assert facts().keys() <= set(games.slugs())
    for slug, (*told, _board) in game_rows().items():
        known = facts()[slug]
        spans = ["–".join(map(str, dict.fromkeys(ends))) for ends in (known.players, known.minutes)]
        assert spans == told, slug


@pytest.mark.parametrize("language", languages())
def test_every_game_has_a_card_and_rules_in_every_language(language: str) -> None:
    made = cards(language)
    assert [card["slug"] for card in made] == list(games.slugs())
    for card in made:
        assert len(card["facts"]) == (4 if card["slug"] in facts() else 1)
        assert all(card["facts"])
    for slug in games.slugs():
        assert {"text"} <= {part["kind"] for part in rules_json(slug, language)}


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_has_a_picture_of_its_board_with_pieces(slug: str) -> None:
    drawn = picture(slug)
    rules = games.find(slug).rules()
    start = rules.placement(rules.initial()).entries
    assert drawn.count('class="floor') == len(rules.grid)
    assert drawn.count('class="piece ') == (len(start) or 11)


@pytest.mark.parametrize("language", languages())
def test_every_puzzle_is_shown_and_can_be_requested(language: str) -> None:
    for puzzle in every() if language == "en" else every()[:1]:
        shown = puzzle_json(puzzle, language)
        assert (shown["game"], shown["number"]) == (puzzle.game, puzzle.number)
        assert str(puzzle.moves) in shown["task"]
        assert puzzle.moves in shown["lengths"][puzzle.game]
        assert "{" not in shown["task"]
        text = json.dumps(
            {"is": "Exercise", "game": puzzle.game, "puzzle": puzzle.number, "language": language}
        )
        wish = understand_start(text)
        assert isinstance(wish, Exercise)
        assert (wish.request.setup.position, wish.request.setup.puzzle) == (puzzle.position, puzzle.moves)
        assert wish.request.setup.played_by.count(PlayedBy.TABLE) == 1


def test_the_picture_of_a_puzzle_has_its_pieces() -> None:
    for puzzle in every()[::7]:
        rules = games.find(puzzle.game).rules()
        entries = rules.placement(rules.read_position(puzzle.position)).entries
        assert picture(puzzle.game, puzzle.position).count('class="piece ') == len(entries)


@pytest.mark.parametrize(("game", "number"), [("chess", 0), ("chess", 999), ("checkers", 1)])
def test_a_puzzle_that_is_not_there_cannot_be_requested(game: str, number: int) -> None:
    assert understand_start(json.dumps({"is": "Exercise", "game": game, "puzzle": number})) is None

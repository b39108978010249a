# SPDX-License-Identifier: Apache-2.0
"""The cards of the games say what the README says, in every language."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import games
from companion.feedback.wordfiles import languages
from companion.host.start_page.cards import cards, facts, picture, rules_json

README = (Path(__file__).resolve().parents[3] / "README.md").read_text(encoding="utf-8")


def test_the_facts_are_those_of_the_readme() -> None:
    table = README.split("## Six games")[1].split("## ")[0]
    rows = [
        [re.sub("<[^>]*>", "", cell).strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()
    ]
    told = {row[0].lower().replace(" ", "-"): row[1:3] for row in rows if len(row) == 4}
    for slug, known in facts().items():
        spans = ["–".join(map(str, dict.fromkeys(ends))) for ends in (known.players, known.minutes)]
        assert spans == told[slug], slug
    assert facts().keys() == set(games.slugs())


@pytest.mark.parametrize("language", languages())
def test_every_game_has_a_card_and_rules_in_every_language(language: str) -> None:
    made = cards(language)
    assert [card["slug"] for card in made] == list(games.slugs())
    assert all(len(card["facts"]) == 4 and all(card["facts"]) for card in made)
    for slug in games.slugs():
        assert {"text"} <= {part["kind"] for part in rules_json(slug, language)}


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_has_a_picture_of_its_start(slug: str) -> None:
    drawn = picture(slug)
    rules = games.find(slug).rules()
    assert drawn.count('class="floor') == len(rules.grid)
    assert drawn.count('class="piece ') == len(rules.placement(rules.initial()).entries)

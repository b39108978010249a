# SPDX-License-Identifier: Apache-2.0
"""All outputs name the side drawn to begin until the first move.

The outputs are lamps, display, page, voice and terminal.
"""

from __future__ import annotations

import pytest

from companion.feedback import page, text, voice
from companion.feedback.lights import Meaning, meanings
from companion.feedback.notices import notices
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games import find
from companion.model.observation import SensorKind
from companion.referee.session.session import Session
from companion.referee.values.view import TableView
from tests.fakes import FakeTable


def table(slug: str, first: str, position: str = "") -> FakeTable:
    """A table just before the start of a game."""
    rules = find(slug).rules({"first": first})
    start = rules.read_position(position) if position else None
    fake = FakeTable(rules, SensorKind.IDENTITY, session=Session(rules, SensorKind.IDENTITY, start=start))
    fake.set_up()
    return fake


def sentences(view: TableView, language: str = "en") -> list[str]:
    return list(notices(view, load(language, view.game, view.sides)))


def test_the_side_that_was_drawn_is_named_and_lit() -> None:
    view = table("fightopia", "random:2").session.view()
    words = load("en", view.game, view.sides)
    assert sentences(view) == ["Black begins: this was drawn by lot."]
    assert text.render(view, words) == ("Black to move", "Drawn by lot")
    assert [said.text for said in voice.render(view, words)] == sentences(view)
    lit = {cell for cell, meaning in meanings(view).items() if meaning is Meaning.BEGINS}
    assert lit == {cell for piece, cells in view.placement.entries if piece.side == 1 for cell in cells}


@pytest.mark.parametrize("slug", ["gottaz", "martian-chess"])
def test_the_zone_is_lit_where_no_piece_shows_the_side(slug: str) -> None:
    view = table(slug, "random:2").session.view()
    (zone,) = [region for region in view.regions if region.side == 1]
    assert meanings(view) == dict.fromkeys(zone.cells, Meaning.BEGINS)


@pytest.mark.parametrize("language", languages())
def test_every_language_names_the_drawn_side(language: str) -> None:
    view = table("fightopia", "random:1").session.view()
    words = load(language, view.game, view.sides)
    (sentence,) = sentences(view, language)
    assert words.side(0).name.casefold() in sentence.casefold() or words.side(0).the in sentence
    assert text.render(view, words)[1] == words.common.display.drawn


def test_the_drawn_side_is_named_until_the_first_move() -> None:
    fake = table("fightopia", "random:2")
    fake.carry("c6", "c5", after_ms=300)
    fake.wait(1000)
    view = fake.session.view()
    assert len(view.record) == 1
    assert sentences(view) == []
    assert Meaning.BEGINS not in meanings(view).values()


@pytest.mark.parametrize("first", ["white", "black", "random"])
def test_no_side_is_named_without_a_draw(first: str) -> None:
    assert sentences(table("fightopia", first).session.view()) == []


def test_no_side_is_named_where_the_position_has_the_side_to_move() -> None:
    position = find("fightopia").rules().write_position(find("fightopia").rules().initial())
    assert sentences(table("fightopia", "random:2", position).session.view()) == []


def test_a_page_offers_to_draw_again() -> None:
    view = table("fightopia", "random:2").session.view()
    assert page.render(Shown(view), load("en", view.game, view.sides))["options"]["first"] == "random"

# SPDX-License-Identifier: Apache-2.0
"""Who was drawn to begin is told by lamps, display, page, voice and terminal until the first move is made."""

from __future__ import annotations

import pytest

from companion.feedback import page, text, voice
from companion.feedback.lights import Meaning, meanings
from companion.feedback.notices import notices
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games import find
from companion.model.observation import SensorKind
from companion.referee.session import Session
from companion.referee.view import TableView
from tests.fakes import FakeTable


def table(slug: str, first: str, position: str = "") -> FakeTable:
    """A table at which the game is about to begin."""
    rules = find(slug).rules({"first": first})
    start = rules.read_position(position) if position else None
    fake = FakeTable(rules, SensorKind.IDENTITY, session=Session(rules, SensorKind.IDENTITY, start=start))
    fake.set_up()
    return fake


def told(view: TableView, language: str = "en") -> list[str]:
    return list(notices(view, load(language, view.game, view.sides)))


def test_the_side_that_was_drawn_is_named_and_lit() -> None:
    view = table("fightopia", "random:2").session.view()
    words = load("en", view.game, view.sides)
    assert told(view) == ["Black begins: this was drawn by lot."]
    assert text.render(view, words) == ("Black to move", "Drawn by lot")
    assert [said.text for said in voice.render(view, words)] == told(view)
    lit = {cell for cell, meaning in meanings(view).items() if meaning is Meaning.BEGINS}
    assert lit == {cell for piece, cells in view.placement.entries if piece.side == 1 for cell in cells}


@pytest.mark.parametrize("slug", ["gottaz", "martian-chess"])
def test_where_pieces_are_nobodys_or_none_is_there_the_zone_is_lit(slug: str) -> None:
    view = table(slug, "random:2").session.view()
    (zone,) = [region for region in view.regions if region.side == 1]
    assert meanings(view) == dict.fromkeys(zone.cells, Meaning.BEGINS)


@pytest.mark.parametrize("language", languages())
def test_it_is_told_in_every_language(language: str) -> None:
    view = table("fightopia", "random:1").session.view()
    words = load(language, view.game, view.sides)
    (sentence,) = told(view, language)
    assert words.side(0).name.casefold() in sentence.casefold() or words.side(0).the in sentence
    assert text.render(view, words)[1] == words.common.display.drawn


def test_it_is_told_until_the_first_move() -> None:
    fake = table("fightopia", "random:2")
    fake.carry("c6", "c5", after_ms=300)
    fake.wait(1000)
    view = fake.session.view()
    assert len(view.record) == 1
    assert told(view) == []
    assert Meaning.BEGINS not in meanings(view).values()


@pytest.mark.parametrize("first", ["white", "black", "random"])
def test_nothing_is_told_where_nothing_was_drawn(first: str) -> None:
    assert told(table("fightopia", first).session.view()) == []


def test_nor_where_a_position_says_who_is_to_move() -> None:
    position = find("fightopia").rules().write_position(find("fightopia").rules().initial())
    assert told(table("fightopia", "random:2", position).session.view()) == []


def test_a_page_offers_to_draw_again() -> None:
    view = table("fightopia", "random:2").session.view()
    assert page.render(view, load("en", view.game, view.sides))["options"]["first"] == "random"

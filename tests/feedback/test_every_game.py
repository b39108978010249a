# SPDX-License-Identifier: Apache-2.0
"""Positions of every game can be shown in every language."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from functools import cache

import pytest

from companion.feedback import lights, page, text
from companion.feedback.shown import Shown
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.games import find, slugs
from companion.model.game import AnyRules
from companion.referee.values.events import Stage
from companion.referee.values.view import Guide, MoveView, Phase, TableView

PLIES = 25


@cache
def views(slug: str) -> list[TableView]:
    """The set-up of a game, and the positions of a random game to its end."""
    rules = find(slug).rules()
    return [setting_up(rules), *playing(rules)]


def setting_up(rules: AnyRules) -> TableView:
    """An empty board."""
    position = rules.initial()
    guides = (Guide(piece, None, cells[0]) for piece, cells in rules.placement(position).entries)
    return TableView(
        game=rules.slug,
        options=tuple(rules.options.items()),
        grid=rules.grid,
        sides=tuple(rules.sides),
        phase=Phase.SETTING_UP,
        turn=position.turn,
        ply=0,
        position=rules.write_position(position),
        placement=rules.placement(position),
        occupied=0,
        guides=tuple(guides),
    )


def playing(rules: AnyRules) -> Iterator[TableView]:
    """The views after each move of a random game."""
    chance = random.Random(11)
    position, record = rules.initial(), []
    for ply in range(PLIES):
        moves = rules.legal_moves(position)
        if not moves:
            return
        move = chance.choice(moves)
        first = rules.steps(position, move)[0]
        notation = rules.write_move(position, move)
        record.append(MoveView(ply, position.turn, notation, Stage.ANNOUNCED, first.source, first.target))
        position = rules.apply(position, move)
        outcome = rules.status(position)
        yield TableView(
            game=rules.slug,
            options=tuple(rules.options.items()),
            grid=rules.grid,
            sides=tuple(rules.sides),
            phase=Phase.FINISHED if outcome else Phase.WAITING,
            turn=position.turn,
            ply=ply + 1,
            position=rules.write_position(position),
            placement=rules.placement(position),
            occupied=rules.placement(position).occupancy,
            announcements=rules.announcements(position),
            outcome=outcome,
            record=tuple(record),
        )


@pytest.mark.parametrize("slug", slugs())
def test_the_lamps_show_every_game(slug: str) -> None:
    for view in views(slug):
        assert len(lights.render(view).cells) == len(view.grid)
    image = lights.render(views(slug)[-1]).cells
    assert any(
        image[cell] for cell in (*views(slug)[-1].record[-1].source, *views(slug)[-1].record[-1].target)
    )


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("slug", slugs())
def test_display_and_page_show_every_game(slug: str, language: str) -> None:
    words = load(language, slug, find(slug).rules().sides)
    for view in views(slug):
        for line in text.render(view, words):
            assert len(line) <= 16
            assert "?" not in line
        picture = page.render(Shown(view), words)
        assert json.loads(json.dumps(picture)) == picture
        assert picture["prompt"][0] == picture["prompt"][0].upper()


@pytest.mark.parametrize("slug", slugs())
def test_the_static_part_of_the_page_names_every_option_of_every_game(slug: str) -> None:
    game = find(slug)
    static = page.table(game.rules().grid, game.options, load("en", slug, game.rules().sides))
    assert json.loads(json.dumps(static)) == static
    assert [option["name"] for option in static["options"]] == [option.name for option in game.options]

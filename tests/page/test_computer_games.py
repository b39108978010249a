# SPDX-License-Identifier: Apache-2.0
"""Whole games against each level at the virtual table, in a real Chromium."""

from __future__ import annotations

import re
import signal
from random import Random

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.feedback.words import load
from companion.games import find
from companion.host.virtual_table.set_up import pieces_for
from companion.model.game import Outcome
from companion.opponent.levels import levels
from tests.page.test_every_game import Player

from .conftest import Start

pytestmark = [pytest.mark.browser, pytest.mark.long]

GAMES = ("close-quarters",)
MOST_PLIES = 300


def sat_down(page: Page, slug: str) -> Player:
    """A player of the first side at the start."""
    rules = find(slug).rules()
    position = rules.initial()
    return Player(page, rules, load("en", slug, rules.sides), position, pieces_for(rules, position))


def legal(player: Player) -> list[str]:
    """The legal moves, without promotions: those are asked about."""
    rules, position = player.rules, player.position
    texts = (rules.write_move(position, move) for move in rules.legal_moves(position))
    return sorted(text for text in texts if "=" not in text)


def answered(player: Player, ply: int) -> None:
    """Wait for the computer's move *ply*, and note it."""
    said = player.page.locator("#moves li").nth(ply)
    expect(said).to_have_class(re.compile("announced|settled"))
    player.made(said.inner_text().strip())
    player.wood = pieces_for(player.rules, player.position)


def play(player: Player, chance: Random, ply: int, most: int) -> tuple[int, Outcome | None]:
    """Play random moves until the end, or *most* plies; the plies played and the outcome."""
    while (outcome := player.rules.status(player.position)) is None and ply < most:
        player.play(chance.choice(legal(player)))
        ply += 1
        if player.rules.status(player.position) is None:
            answered(player, ply)
            ply += 1
    return ply, outcome


@pytest.mark.parametrize(("slug", "level"), [(slug, each.number) for slug in GAMES for each in levels(slug)])
def test_a_whole_game_is_played_against_a_level(
    browser: Browser, start: Start, slug: str, level: int
) -> None:
    page = browser.new_page()
    page.goto(start("--computer", find(slug).rules().sides[1], "--level", str(level), game=slug).address)
    _, outcome = play(sat_down(page, slug), Random(level), 0, MOST_PLIES)
    assert outcome is not None
    expect(page.locator("body")).to_have_attribute("data-phase", "finished")
    page.close()


def test_a_game_goes_on_against_its_level_after_a_kill(browser: Browser, start: Start) -> None:
    page, chance = browser.new_page(), Random(5)
    program = start("--computer", "weapons", "--level", "2")
    page.goto(program.address)
    player = sat_down(page, "close-quarters")
    ply, outcome = play(player, chance, 0, 2)
    assert outcome is None
    program.stop(signal.SIGKILL)
    page.goto(start("--resume").address)
    expect(page.locator("#moves li")).to_have_count(ply)
    expect(page.locator("#far .name")).to_have_text("Computer (Beginner) · Weapons")
    _, outcome = play(player, chance, ply, MOST_PLIES)
    assert outcome is not None
    expect(page.locator("body")).to_have_attribute("data-phase", "finished")
    page.close()

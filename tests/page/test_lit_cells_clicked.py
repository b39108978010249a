# SPDX-License-Identifier: Apache-2.0
"""Ten drawn drops of each game on lit cells, by clicks in a real Chromium.

What is clicked is drawn by the date: a piece, one of its lit cells, and the answers.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion import games
from companion.feedback.words import load
from companion.model.game import AnyRules

from .conftest import NewGame
from .lit_hands import Chosen, choose, starts

pytestmark = [pytest.mark.browser, pytest.mark.long]

DROPS: Final = 10
LIT: Final = "may go here"


def cell(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{name}(,|$)"))


def take(page: Page, rules: AnyRules, chosen: Chosen) -> None:
    """Take the piece into the hand, from the board or from beside it."""
    if chosen.is_boxed:
        piece = chosen.carry.piece
        name = load("en", rules.slug, rules.sides).piece(piece).name
        page.locator(f".owner-{piece.side} .heap[aria-label^='Box: {name}']").first.click()
    else:
        cell(page, rules.grid.name(chosen.carry.source[0])).click()
    expect(page.locator(".hand .piece")).to_have_count(1)


def lit(page: Page, rules: AnyRules) -> list[int]:
    """The cells where the piece may go; none if it only acts in place."""
    cells = page.get_by_role("button", name=re.compile(LIT))
    expect(cells.or_(page.locator("#question button")).first).to_be_attached()
    names = cells.evaluate_all(
        "found => found.map((each) => each.getAttribute('aria-label') ?? each.textContent)"
    )
    return [rules.grid.cell(name.split(",")[0]) for name in names]


def answer(page: Page, chance: Random) -> None:
    """Answer every question by a drawn choice until a move is on record."""
    moves, choices = page.locator("#moves li"), page.locator("#question button")
    while True:
        expect(moves.or_(choices).first).to_be_visible()
        if moves.count():
            return
        drawn = choices.nth(chance.randrange(choices.count()))
        shown = page.locator("#question").inner_text()
        drawn.click()
        expect(page.locator("#question")).not_to_have_text(shown, use_inner_text=True)


@pytest.mark.parametrize("slug", games.slugs())
def test_a_piece_clicked_onto_a_lit_cell_makes_a_legal_move(
    browser: Browser, new_game: NewGame, slug: str
) -> None:
    seed = f"{datetime.now(UTC):%Y-%m-%d}"
    chance, page = Random(seed), browser.new_page()
    positions = starts(slug, chance)
    for _ in range(DROPS):
        rules, options, position = next(positions)
        about = f"{slug} {dict(options)} {seed}: {rules.write_position(position)}"
        page.goto(new_game(slug, position=rules.write_position(position), **options))
        expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        chosen = choose(rules, position, chance)
        take(page, rules, chosen)
        targets = lit(page, rules)
        if targets:
            target = chance.choice(targets)
            about, ends = f"{about} {rules.grid.name(target)}", chosen.ends[target]
            cell(page, rules.grid.name(target)).click()
        else:
            about, ends = f"{about} in place", chosen.in_place
        answer(page, chance)
        expect(page.locator("#guides li")).to_have_count(0)
        assert recorded(page, rules, position) in ends, about
    page.close()


def recorded(page: Page, rules: AnyRules, position: Any) -> str:
    """The position after the only move on record."""
    shown = page.locator("#moves li:is(.announced, .settled)")
    expect(shown).to_have_count(1)
    move = rules.read_move(position, shown.inner_text().split()[0])
    return rules.write_position(rules.apply(position, move))

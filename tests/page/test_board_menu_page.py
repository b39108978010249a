# SPDX-License-Identifier: Apache-2.0
"""A game is chosen with pieces, at a real panel and at a virtual table."""

from __future__ import annotations

import re
from typing import IO

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.test_page import cell, more, play, prompt
from tests.page.test_whole_page import RECORDERS, speak, violations

from .conftest import Start, soldered

pytestmark = [pytest.mark.browser, pytest.mark.walk]


def cell_of(page: Page, name: str) -> str:
    """The cell on which the menu offers *name*."""
    found = page.get_by_role("button", name=re.compile(rf"^\w+.*, {re.escape(name)}$"))
    expect(found).to_have_count(1)
    return (found.get_attribute("aria-label") or "").partition(",")[0]


def put(page: Page, hands: IO[str], name: str) -> str:
    """Put a piece out of the box on the cell of *name*; return the cell."""
    where = cell_of(page, name)
    print(f"put {where}", file=hands, flush=True)
    return where


@pytest.mark.long
def test_a_game_against_the_computer_is_chosen_with_pieces_at_a_panel(browser: Browser, start: Start) -> None:
    with soldered("close-quarters") as (hands, panel):
        context = browser.new_context()
        page = context.new_page()
        page.goto(start("--port", panel).address)
        expect(prompt(page)).to_have_text("The Sword moves.")
        expect(page.locator("#board .menu text")).to_have_count(0)
        print("clear", file=hands, flush=True)
        expect(prompt(page)).to_contain_text("Or choose a game")
        put(page, hands, "Close Quarters")
        expect(prompt(page)).to_contain_text("Close Quarters. Against whom?")
        wrong = put(page, hands, "People")
        expect(prompt(page)).to_contain_text("People. Which clock?")
        print(f"away {wrong}", file=hands, flush=True)
        expect(prompt(page)).to_contain_text("Close Quarters. Against whom?")
        put(page, hands, "2 Amateur")
        expect(prompt(page)).to_contain_text("Computer: 2 Amateur. Which clock?")
        assert violations(page) == []
        put(page, hands, "Begin")
        expect(page.locator("#far .name")).to_have_text("Computer (Amateur) · Weapons")
        print("right", file=hands, flush=True)
        expect(prompt(page)).to_have_text("The Sword moves.")
        context.close()


@pytest.mark.long
def test_after_a_game_the_board_offers_the_same_again_other_sides_another_game_and_a_review(
    browser: Browser, start: Start
) -> None:
    context = browser.new_context(has_touch=True)
    page = context.new_page()
    page.goto(start("--player", "Ann", "--player", "Ben").address)
    for move, written in (("a1-b2", "a1-b2"), ("d8-b8", "d8-b8!")):
        play(page, move, written)
    page.locator("[data-command=resign]").click()
    page.get_by_role("dialog").get_by_role("button", name="Ann").click()
    expect(page.locator("#notices")).to_contain_text("Lift any piece")
    expect(page.locator("#board .menu text")).to_have_count(0)
    names = ["The same again", "Other sides", "Another game", "Go over the game"]
    for source, name in (("b2", names[3]), ("b8", "Begin")):
        cell(page, source).tap()
        expect(page.locator(".hand .piece")).to_have_count(1)
        cell(page, cell_of(page, name)).tap()
        expect(page.locator(".hand .piece")).to_have_count(0)
        if name != "Begin":
            expect(prompt(page)).to_contain_text("Go over the game.")
    expect(page.locator("#review-leave")).to_be_visible()
    page.locator("#review-leave").tap()
    expect(page.locator("#notices")).to_contain_text("What next?")
    cell(page, "d1").tap()
    expect(page.locator(".hand .piece")).to_have_count(1)
    again = cell_of(page, names[1])
    cell(page, again).tap()
    expect(prompt(page)).to_contain_text("Other sides.")
    cell(page, "a8").tap()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, cell_of(page, "Begin")).tap()
    expect(page.locator("#near .name")).to_have_text("Ben · Sword")
    expect(prompt(page)).to_have_text("The Sword moves.")
    context.close()


def spoken(page: Page, text: str) -> None:
    """Wait until the page has asked the browser to say *text*."""
    page.wait_for_function("text => said.some(([, each]) => each.includes(text))", arg=text)


@pytest.mark.long
def test_at_a_virtual_table_the_dialog_clears_the_board_for_the_spoken_menu(
    browser: Browser, start: Start
) -> None:
    context = browser.new_context()
    context.add_init_script(RECORDERS)
    page = context.new_page()
    page.goto(start(game="chess").address)
    expect(prompt(page)).to_have_text("White moves.")
    speak(page)
    more(page)
    page.get_by_role("button", name="Choose on the board").click()
    expect(prompt(page)).to_contain_text("Or choose a game")
    for name, said in (("Fightopia", "Fightopia. Against whom?"), ("Begin", "")):
        page.locator("#near button.heap").first.click()
        expect(page.locator(".hand .piece")).to_have_count(1)
        cell(page, cell_of(page, name)).click()
        if said:
            expect(prompt(page)).to_contain_text(said)
            spoken(page, said)
    expect(page.locator("#title")).to_have_text("Fightopia")
    expect(prompt(page)).to_have_text("White moves.")
    context.close()

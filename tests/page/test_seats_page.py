# SPDX-License-Identifier: Apache-2.0
"""Seats in a real Chromium: two browsers at one table, each with its side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.conftest import NewGame
from tests.page.test_page import carry, cell, moves, play, prompt
from tests.page.test_whole_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.walk]


@contextmanager
def browsers(browser: Browser, address: str, count: int) -> Iterator[list[Page]]:
    """Pages of *count* browsers that know nothing of one another; errors fail the test."""
    complaints: list[str] = []
    with ExitStack() as stack:
        pages = []
        for _ in range(count):
            context = browser.new_context()
            stack.callback(context.close)
            page = context.new_page()
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda fault: complaints.append(str(fault)))
            page.goto(address)
            expect(prompt(page)).to_contain_text("moves.")
            pages.append(page)
        yield pages
        for page in pages:  # the next test has the same table
            sit(page, "Everybody may move")
            expect(page.locator("#seating")).to_be_hidden()
        expect(pages[0].locator("#seat")).to_have_text("Seats")
    assert complaints == []


def sit(page: Page, choice: str) -> None:
    page.locator("#seat").click()
    page.locator("#seating").get_by_role("button", name=re.compile(f"^{choice}")).click()


def test_each_browser_moves_only_its_side_and_sees_the_board_from_there(
    browser: Browser, new_game: NewGame
) -> None:
    with browsers(browser, new_game(), 2) as (first, second):
        sit(first, "I play Sword")
        sit(second, "I play Weapons")
        expect(first.locator("#seat")).to_have_text("You: Sword")
        expect(second.locator("#near .name")).to_have_text("Weapons")
        here, there = (cell(page, "a1").bounding_box() for page in (first, second))
        assert here is not None
        assert there is not None
        assert here["y"] > there["y"]
        assert here["x"] < there["x"]

        cell(second, "a1").click()  # not its piece: nothing is lifted
        cell(second, "b2").click()
        play(first, "a1-b2", "a1-b2")
        cell(first, "d8").click()
        cell(first, "b8").click()
        play(second, "d8-b8", "d8-b8!")
        expect(moves(first)).to_have_text(["a1-b2", "d8-b8!"])


@pytest.mark.long
def test_who_has_no_seat_only_watches_until_a_seat_is_given(browser: Browser, new_game: NewGame) -> None:
    with browsers(browser, new_game(), 2) as (first, second):
        sit(first, "I play all sides")
        expect(second.locator("#seat")).to_have_text("You watch")
        expect(second.get_by_role("button", name="Resign")).to_be_hidden()
        cell(second, "a1").click()
        sit(second, "I play Weapons")
        expect(first.locator(".claim")).to_contain_text("Another device asks to play Weapons.")
        assert violations(first) == []
        first.get_by_role("button", name="Keep it").click()
        expect(first.locator(".claim")).to_have_count(0)
        expect(second.locator("#seat")).to_have_text("You watch")
        sit(second, "I play Weapons")
        first.get_by_role("button", name="Give the seat").click()
        expect(first.locator("#seat")).to_have_text("You: Sword")
        expect(second.locator("#seat")).to_have_text("You: Weapons")
        second.reload()
        expect(second.locator("#seat")).to_have_text("You: Weapons")  # the browser is known


@pytest.mark.long
def test_one_side_is_not_asked_who_it_is_and_a_draw_is_declined_by_the_other(
    browser: Browser, new_game: NewGame
) -> None:
    with browsers(browser, new_game(names=("Ann", "Ben")), 2) as (first, second):
        sit(first, "I play Ann · Sword")
        sit(second, "I play Ben · Weapons")
        play(first, "a1-b2", "a1-b2")
        first.get_by_role("button", name="Offer a draw").click()
        expect(second.locator("#offer")).to_have_text("Ann offers Ben a draw.")
        expect(first.get_by_role("button", name="Decline")).to_have_count(0)
        second.get_by_role("button", name="Decline").click()
        for page in (first, second):
            expect(page.locator("#offer")).to_have_text("Ben declines the draw.")
        play(second, "d8-b8", "d8-b8!")
        expect(first.locator("#offer")).to_be_empty()
        second.get_by_role("button", name="Resign").click()
        dialog = second.get_by_role("dialog")
        expect(dialog).to_contain_text("Resign · Really?")
        dialog.get_by_role("button", name="Yes").click()
        for page in (first, second):
            expect(prompt(page)).to_have_text("The Sword wins: the weapons have resigned.")
            expect(page.locator("#cry")).to_be_empty()
        first.get_by_role("button", name="Rematch").click()
        expect(first.locator("#seat")).to_have_text("You: Weapons")
        expect(second.locator("#near .name")).to_have_text("Ben · Sword")


@pytest.mark.long
@pytest.mark.walk("desktop")
@pytest.mark.parametrize("width", [390, 820, 1440])
@pytest.mark.parametrize("language", ["en", "es", "ja"])
def test_the_title_is_not_cut_beside_the_button_for_the_seats(
    browser: Browser, new_game: NewGame, width: int, language: str
) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    page = context.new_page()
    page.goto(f"{new_game()}?language={language}")
    page.locator("#seat").click()
    page.locator("#seats button").nth(1).click()
    expect(page.locator("#seat")).to_contain_text(":")
    title, seat = page.locator("#title").bounding_box(), page.locator("#seat").bounding_box()
    assert title is not None
    assert seat is not None
    assert title["x"] + title["width"] <= seat["x"]
    assert page.locator("#title").evaluate("each => each.scrollWidth <= each.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.locator("#seat").click()
    page.locator("#seats button").last.click()  # the next test has the same table
    expect(page.locator("#seat")).not_to_contain_text(":")
    context.close()


@pytest.mark.long
def test_a_piece_without_an_owner_is_moved_by_the_side_to_move(browser: Browser, new_game: NewGame) -> None:
    with browsers(browser, new_game("martian-chess"), 2) as (first, second):
        for side, page in enumerate((first, second)):
            page.locator("#seat").click()
            page.locator("#seats button").nth(side).click()
        cell(second, "b3").click()
        carry(first, "b3-a4")
        expect(moves(second)).to_have_count(1)

# SPDX-License-Identifier: Apache-2.0
"""Seats in a real Chromium: two browsers at one table, each with its side."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.page.conftest import NewGame
from tests.page.test_page import carry, cell, more, moves, play, prompt
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
            page.locator("#seat").click()
            page.locator("#seats button").last.click()
            expect(page.locator("#seating")).to_be_hidden()
        expect(pages[0].locator("#seat")).to_have_text("Seats")
    assert complaints == []


def sit(page: Page, choice: str) -> None:
    page.locator("#seat").click()
    page.locator("#seating").get_by_role("button", name=re.compile(f"^{choice}")).click()


def told(page: Page) -> Locator:
    return page.locator("#seat-said")


def offered(page: Page) -> Locator:
    return page.locator("#seat-offer").get_by_role("button")


def test_who_may_not_move_hears_why_and_takes_a_free_seat_with_one_click(
    browser: Browser, new_game: NewGame
) -> None:
    with browsers(browser, new_game(names=("Ann", "Ben")), 3) as (first, second, third):
        sit(first, "I play Ann · Sword")
        expect(told(second)).to_have_text("You watch · Free: Ben · Weapons")
        expect(offered(second)).to_have_text(["I play Ben · Weapons"])
        expect(told(first)).to_be_empty()
        cell(first, "d8").click()
        expect(told(first)).to_have_text("You: Sword · Free: Ben · Weapons")
        expect(offered(first)).to_have_text(["I play Ben · Weapons", "I play all sides"])
        assert violations(first) == []
        play(first, "a1-b2", "a1-b2")
        expect(told(first)).to_be_empty()  # the game has gone on
        expect(offered(first)).to_have_count(0)

        offered(second).focus()
        second.keyboard.press("Enter")
        expect(second.locator("#seat")).to_have_text("You: Weapons")
        expect(second.locator("#seat")).to_be_focused()
        for page in (second, third):
            expect(told(page)).to_be_empty()
        cell(third, "b2").click()
        expect(told(third)).to_have_text("You watch · Ann plays Sword")
        cell(third, "d8").focus()
        third.keyboard.press("Enter")
        expect(told(third)).to_have_text("You watch · Ben plays Weapons")
        expect(third.locator(".hand .piece")).to_have_count(0)
        play(second, "d8-b8", "d8-b8!")
        expect(told(third)).to_be_empty()


@pytest.mark.long
def test_who_only_watches_is_offered_seats_once_it_wants_to_move(browser: Browser, new_game: NewGame) -> None:
    with browsers(browser, new_game(), 2) as (first, second):
        sit(second, "I watch")
        expect(second.locator("#seat")).to_have_text("You watch")
        expect(told(second)).to_be_empty()
        cell(second, "a1").click()
        expect(told(second)).to_have_text("You watch · Free: Sword")
        offered(second).click()
        expect(second.locator("#seat")).to_have_text("You: Sword")
        expect(told(first)).to_have_text("You watch · Free: Weapons")


@pytest.mark.long
def test_many_free_seats_are_named_by_their_buttons_alone(browser: Browser, new_game: NewGame) -> None:
    with browsers(browser, new_game("martian-chess", players="6"), 2) as (first, second):
        sit(first, "I play player 2")
        expect(told(second)).to_have_text("You watch")
        expect(offered(second)).to_have_text([f"I play player {number}" for number in (1, 3, 4, 5, 6)])


@pytest.mark.long
def test_another_kind_of_game_frees_the_seats_and_says_so(browser: Browser, new_game: NewGame) -> None:
    with browsers(browser, new_game(), 2) as (first, second):
        sit(first, "I play Weapons")  # its board is turned
        for game, side in (("chess", "Black"), ("close-quarters", "Sword")):
            more(first)
            first.locator("#game").select_option(game)
            first.locator("#new-game").get_by_role("button", name="Begin").click()
            expect(told(first)).to_have_text("Another game: the seats are free")
            expect(first.locator("#seat")).to_have_text("Seats")
            for page in (first, second):
                expect(page.locator("#near .name")).to_have_text({"chess": "White"}.get(game, "Sword"))
            expect(told(second)).to_be_empty()
            offered(first).filter(has_text=side).click()
            expect(first.locator("#seat")).to_have_text(f"You: {side}")
            expect(told(first)).to_be_empty()


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
        expect(told(second)).to_have_text("You: Weapons · Another device plays Sword")
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
            expect(prompt(page)).to_have_text("Ann (Sword) wins: Ben (Weapons) has resigned.")
            expect(page.locator("#cry")).to_be_empty()
        first.get_by_role("button", name="Rematch").click()
        expect(first.locator("#seat")).to_have_text("You: Weapons")
        expect(told(first)).to_have_text("New game · You: Weapons")
        expect(second.locator("#near .name")).to_have_text("Ben · Sword")
        expect(told(second)).to_have_text("New game · You: Sword")
        carry(second, "a1-b2")
        for page in (first, second):
            expect(told(page)).to_be_empty()


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

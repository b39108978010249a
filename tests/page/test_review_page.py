# SPDX-License-Identifier: Apache-2.0
"""The review of a running game in a real Chromium: clicks, keys, wheel, swipes, links."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.conftest import NewGame
from tests.page.test_page import carry, cell, moves, play, prompt

pytestmark = [pytest.mark.browser, pytest.mark.walk]


@pytest.fixture(scope="module")
def game(browser: Browser, new_game: NewGame) -> str:
    """The address of a game of three moves with clocks.

    The second move was tried in a wrong way first.
    """
    address = new_game(clock="5+3")
    page = browser.new_page()
    page.goto(address)
    play(page, "a1-b2", "a1-b2")
    carry(page, "a8-a5")
    expect(prompt(page)).to_contain_text("The Axe moves diagonally")
    carry(page, "a5-a8")
    expect(prompt(page)).to_have_text("The weapons move.")
    play(page, "d8-b8", "d8-b8!")
    play(page, "b2-c3", "b2-c3")
    page.close()
    return address


@pytest.fixture
def page(browser: Browser, game: str) -> Iterator[Page]:
    """The page of that game; an error in its console fails the test."""
    complaints: list[str] = []
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    opened = context.new_page()
    opened.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    opened.on("pageerror", lambda fault: complaints.append(str(fault)))
    opened.goto(game)
    expect(moves(opened)).to_have_count(3)
    yield opened
    context.close()
    assert complaints == []


def sword_is_on(page: Page, name: str) -> None:
    expect(cell(page, name)).to_have_accessible_name(re.compile(f"^{name}, Sword"))


def test_a_click_on_a_move_shows_the_board_as_it_was_with_clocks_and_remarks(page: Page) -> None:
    moves(page).nth(0).click()
    sword_is_on(page, "b2")
    expect(page.locator("#review-move")).to_have_text("1. a1-b2")
    expect(moves(page).nth(0)).to_have_attribute("aria-current", "true")
    expect(page.locator("#notices")).to_contain_text("The Axe moves diagonally")
    expect(page.locator(".seat .clock").last).to_have_text("5:06")
    moves(page).nth(1).click()
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.get_by_role("button", name="Back to the game").click()
    sword_is_on(page, "c3")
    expect(page.locator("#cry")).to_be_empty()


def test_keys_and_wheel_go_through_the_game(page: Page) -> None:
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#review-move")).to_have_text("1… d8-b8!")
    page.keyboard.press("Home")
    sword_is_on(page, "a1")
    page.keyboard.press("ArrowRight")
    sword_is_on(page, "b2")
    page.locator("#board").hover()
    page.mouse.wheel(0, 100)
    expect(page.locator("#review-move")).to_have_text("1… d8-b8!")
    page.mouse.wheel(0, -100)
    expect(page.locator("#review-move")).to_have_text("1. a1-b2")
    page.keyboard.press("Escape")
    sword_is_on(page, "c3")


def test_nothing_can_be_moved_while_an_earlier_position_is_shown(page: Page) -> None:
    moves(page).nth(0).click()
    sword_is_on(page, "b2")
    cell(page, "b2").click()
    cell(page, "b3").click()
    page.keyboard.press("Escape")
    expect(page.locator(".hand .piece")).to_have_count(0)
    expect(moves(page)).to_have_count(3)
    sword_is_on(page, "c3")


@pytest.mark.long
def test_a_link_leads_to_a_position(page: Page, game: str) -> None:
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy a link to this position").click()
    expect(page.locator("#sharing")).to_contain_text("Copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert link == f"{game}#2"
    other = page.context.new_page()
    other.goto(link)
    expect(other.locator("#review-move")).to_have_text("1… d8-b8!")
    sword_is_on(other, "b2")
    other.close()


@pytest.mark.long
def test_the_moves_are_copied_and_files_are_downloaded(page: Page) -> None:
    page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy the moves").click()
    expect(page.locator("#sharing-copy")).to_contain_text("Copied")
    assert "1. a1-b2 d8-b8" in page.evaluate("navigator.clipboard.readText()")
    named = {"Text": "txt", "Score sheet (PDF)": "pdf", "Animation": "svg", "Picture": "svg", "GIF": "gif"}
    expect(page.locator("#sharing-lacking p")).to_have_count(0)
    for name, ending in named.items():
        with page.expect_download() as found:
            page.locator("#sharing").get_by_role("link", name=name, exact=True).click()
        assert found.value.suggested_filename.endswith(f".{ending}")
        assert found.value.path().stat().st_size > 80


@pytest.mark.long
@pytest.mark.walk("phone")
def test_a_swipe_goes_back_and_forth_on_a_phone(browser: Browser, game: str) -> None:
    context = browser.new_context(has_touch=True, is_mobile=True)
    page = context.new_page()
    page.goto(game)
    expect(moves(page)).to_have_count(3)
    moves(page).nth(1).tap()
    expect(page.locator("#review-move")).to_have_text("1… d8-b8!")
    for start, end, shown in ((100, 250, "1. a1-b2"), (250, 100, "1… d8-b8!")):
        page.evaluate(SWIPE, [start, end])
        expect(page.locator("#review-move")).to_have_text(shown)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


SWIPE = """([start, end]) => {
  const target = document.getElementById("board");
  const touch = (clientX) => new Touch({ identifier: 1, target, clientX, clientY: 300 });
  target.dispatchEvent(new TouchEvent("touchstart", { touches: [touch(start)], bubbles: true }));
  target.dispatchEvent(new TouchEvent("touchend", { changedTouches: [touch(end)], bubbles: true }));
}"""


@pytest.mark.long
def test_a_move_that_is_made_meanwhile_waits_for_the_way_back(browser: Browser, new_game: NewGame) -> None:
    address = new_game()
    page, other = browser.new_page(), browser.new_page()
    for each in (page, other):
        each.goto(address)
        expect(prompt(each)).to_have_text("The Sword moves.")
    play(other, "a1-b2", "a1-b2")
    moves(page).nth(0).click()
    expect(page.locator("#review-move")).to_have_text("1. a1-b2")
    play(other, "d8-b8", "d8-b8!")
    expect(moves(page)).to_have_count(2)
    sword_is_on(page, "b2")
    page.locator("#review-next").click()
    expect(page.locator("#review-move")).to_have_text("1… d8-b8!")
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.close()
    other.close()

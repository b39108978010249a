# SPDX-License-Identifier: Apache-2.0
"""The board is drawn from the document, before the WebSocket answers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from tests.page.conftest import NewGame
from tests.page.test_page import cell, moves, play, prompt

pytestmark = pytest.mark.browser

PIECES = 4
FIRST = "[data-cell='0']"
ON_TOP = """cell => {
  const { x, y, width, height } = cell.getBoundingClientRect();
  return document.elementFromPoint(x + width / 2, y + height / 2).tagName;
}"""


def held_back(page: Page) -> Callable[[], None]:
    """Hold back what the WebSocket of *page* brings; return the function that releases it."""
    waiting: list[tuple[WebSocketRoute, str | bytes]] = []
    is_released = False

    def route(line: WebSocketRoute) -> None:
        def take(message: str | bytes) -> None:
            if is_released:
                line.send(message)
            else:
                waiting.append((line, message))

        line.connect_to_server().on_message(take)

    def release() -> None:
        nonlocal is_released
        is_released = True
        for line, message in waiting:
            line.send(message)

    page.route_web_socket("**/ws?*", route)
    return release


def test_the_board_is_drawn_before_the_table_answers_and_stays(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    address = new_game()
    release = held_back(page)
    page.goto(address)
    expect(page.locator(".pieces .piece")).to_have_count(PIECES)
    expect(cell(page, "a1")).to_have_attribute("aria-label", "a1, Sword")
    expect(prompt(page)).to_be_empty()
    assert page.locator(FIRST).evaluate(ON_TOP) == "MAIN", "nothing is clicked in vain"
    page.locator(FIRST).evaluate("cell => (cell.isSame = true)")
    release()
    expect(prompt(page)).to_have_text("The Sword moves.")
    assert page.locator(FIRST).evaluate("cell => cell.isSame"), "the board is not built again"
    play(page, "a1-b2", "a1-b2")
    page.close()


def test_the_document_changes_with_the_game(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    page.goto(new_game())
    play(page, "a1-b2", "a1-b2")
    expect(moves(page)).to_have_count(1)
    held_back(page)
    page.reload()
    expect(cell(page, "b2")).to_have_attribute("aria-label", "b2, Sword")
    page.close()


def test_who_has_chosen_another_language_waits_for_the_table(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    address = new_game()
    release = held_back(page)
    with page.expect_websocket():
        page.goto(f"{address}?language=de")
    expect(page.locator("#pictured")).to_have_count(1)
    expect(page.locator(".pieces .piece")).to_have_count(0)
    release()
    expect(prompt(page)).to_contain_text("Schwert")
    page.close()


def test_a_browser_sees_the_board_from_its_seat_at_once(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    page.goto(new_game())
    expect(prompt(page)).not_to_be_empty()
    page.locator("#seat").click()
    page.locator("#seats button").nth(1).click()
    expect(page.locator("#near .name")).to_have_text("Weapons")
    held_back(page)
    page.reload()
    expect(page.locator(".pieces .piece")).to_have_count(PIECES)
    expect(page.locator("#near .name")).to_have_text("Weapons")
    page.close()

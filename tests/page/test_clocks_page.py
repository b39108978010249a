# SPDX-License-Identifier: Apache-2.0
"""Clocks on the page: none runs before a move, a press, or a start."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import NewGame
from .desks import play, watch_for

pytestmark = [pytest.mark.browser, pytest.mark.walk]

LATE = "(ms) => performance.now() > ms"
"""True so many ms after the page was opened."""


def opened(browser: Browser, address: str) -> Page:
    page = browser.new_context(locale="en-GB").new_page()
    page.goto(address)
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    return page


def clocks(page: Page) -> list[str]:
    """What the clocks show, the near one first."""
    return [page.locator(f"#{where} .clock").inner_text() for where in ("near", "far")]


def test_a_page_opened_late_shows_full_clocks_and_the_first_move_is_free(
    browser: Browser, new_game: NewGame
) -> None:
    address = new_game(clock="20")
    watch_for(opened(browser, address), LATE, 1_200)
    page = opened(browser, address)
    assert clocks(page) == ["20:00", "20:00"]
    expect(page.locator("#notices")).to_have_text("The clock starts with the first move.")
    expect(page.locator(".seat.runs")).to_have_count(0)
    play(page, "a1-b2")
    expect(page.locator("#moves li")).to_have_text("a1-b2 0:00")
    expect(page.locator("#far .seat.runs")).to_have_count(1)
    assert clocks(page)[0] == "20:00"
    expect(page.locator("#notices")).to_have_text("")
    page.locator("#commands [data-command=resign]").click()
    page.get_by_role("dialog").get_by_role("button").first.click()
    page.get_by_role("button", name="Rematch").click()
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    watch_for(page, LATE, 1_200 + page.evaluate("performance.now()"))
    assert clocks(page) == ["20:00", "20:00"]
    page.context.close()


@pytest.mark.long
def test_starting_the_clock_starts_that_of_the_side_to_move(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game(clock="2s"))
    expect(page.get_by_role("button", name="Done: Weapons")).to_have_count(0)
    page.get_by_role("button", name="Start the clock").click()
    expect(page.locator("#near .seat.runs")).to_have_count(1)
    expect(page.get_by_role("button", name="Start the clock")).to_have_count(0)
    expect(page.locator("#prompt")).to_have_text(re.compile("the Sword has run out of time"))
    page.context.close()


@pytest.mark.long
def test_where_presses_switch_the_clocks_the_first_press_starts_one(
    browser: Browser, new_game: NewGame
) -> None:
    page = opened(browser, new_game(clock="2s@press"))
    expect(page.locator("#notices")).to_have_text("The clock starts when it is pressed.")
    page.get_by_role("button", name="Done: Weapons").click()
    expect(page.locator("#near .seat.runs")).to_have_count(1)
    expect(page.locator("#notices")).to_have_text("")
    page.context.close()

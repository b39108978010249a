# SPDX-License-Identifier: Apache-2.0
"""The page shows breaks to the players and lets them adjourn and resume."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.page.test_page import ADJOURN, more

from .conftest import NewGame, Start

pytestmark = pytest.mark.browser


def test_a_game_with_clocks_and_gestures_is_adjourned_and_resumed(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    page.goto(start("--clock", "5+3", "--gestures", "presses").address)
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    expect(page.locator("#notices")).to_contain_text("Press your button three times")
    more(page, ADJOURN)
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(page.locator("#prompt")).to_have_text("The game is adjourned: the pieces may be put away.")
    page.locator("#now [data-command=resume]").click()
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    page.close()


def test_a_press_ends_a_move_and_one_without_a_move_is_reported(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    page.goto(new_game(clock="5+3@press"))
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    page.get_by_role("button", name="Done: weapons").click()
    page.locator('[data-cell="0"]').first.click(force=True)
    page.locator('[data-cell="5"]').first.click(force=True)
    expect(page.locator("#moves li")).to_have_text(["a1-b2"])
    page.get_by_role("button", name="Done: Sword").click()
    page.get_by_role("button", name="Done: weapons").click()
    expect(page.locator("#prompt")).to_contain_text("pressed the clock without a move")
    page.get_by_role("button", name="Done: Sword").click()
    expect(page.locator("#prompt")).to_contain_text("move")
    expect(page.locator("#prompt")).not_to_contain_text("pressed")
    page.close()

# SPDX-License-Identifier: Apache-2.0
"""The page tells the players what holds at their table, and lets them put a game away and take it up again."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Start

pytestmark = pytest.mark.browser


def test_a_game_with_clocks_and_gestures_is_adjourned_and_goes_on(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    page.goto(start("--clock", "5+3", "--gestures", "presses").address)
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    expect(page.locator("#notices")).to_contain_text("Press your button three times")
    page.locator("#commands [data-command=adjourn]").click()
    page.get_by_role("dialog").get_by_role("button", name="Yes").click()
    expect(page.locator("#prompt")).to_have_text("The game is adjourned: the pieces may be put away.")
    page.locator("#commands [data-command=resume]").click()
    expect(page.locator("#prompt")).to_have_text("The Sword moves.")
    page.close()

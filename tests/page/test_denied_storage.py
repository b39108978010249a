# SPDX-License-Identifier: Apache-2.0
"""A browser that denies its storage, as one without cookies does, shows the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.page.conftest import NewGame
from tests.page.test_page import opened, play

pytestmark = pytest.mark.browser

DENIED = """
for (const name of ["localStorage", "sessionStorage"])
  Object.defineProperty(window, name, { get() { throw new DOMException("denied", "SecurityError"); } });
"""


def test_a_game_is_played_and_settings_hold_until_the_page_is_closed(
    browser: Browser, new_game: NewGame
) -> None:
    context = browser.new_context()
    context.add_init_script(DENIED)
    faults: list[str] = []
    context.on("weberror", lambda found: faults.append(str(found.error)))
    page = opened(context, new_game())
    play(page, "a1-b2", "a1-b2")
    page.get_by_role("button", name="Settings").click()
    page.locator("select[data-pref=board]").select_option("green")
    expect(page.locator("html")).to_have_attribute("data-board", "green")
    assert faults == []
    context.close()

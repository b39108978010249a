# SPDX-License-Identifier: Apache-2.0
"""An installed page in a real Chromium: without the program, and with the screen on."""

from __future__ import annotations

import json
import urllib.request

import pytest
from playwright.sync_api import Browser, expect

from tests.page.conftest import NewGame, Start
from tests.page.test_page import PAUSE, more, play, prompt

pytestmark = [pytest.mark.browser, pytest.mark.walk]

_COUNT = """
window.held = 0;
navigator.wakeLock.request = async () => {
  window.held += 1;
  return { addEventListener: () => {}, release: () => (window.held -= 1) };
};
"""


@pytest.mark.long
def test_the_page_can_be_installed_and_opens_without_the_program(browser: Browser, start: Start) -> None:
    program = start()
    context = browser.new_context()
    page = context.new_page()
    page.goto(program.address)
    expect(prompt(page)).to_have_text("The Sword moves.")
    with urllib.request.urlopen(f"{program.address}page/manifest.webmanifest") as answer:
        assert answer.headers["content-type"].startswith("application/manifest+json")
        manifest = json.load(answer)
    for icon in manifest["icons"]:
        with urllib.request.urlopen(f"{program.address}page/{icon['src']}") as answer:
            assert answer.headers["content-type"] == icon["type"]
    page.evaluate("navigator.serviceWorker.ready")
    page.reload()  # now through the worker, which keeps what it gets
    expect(prompt(page)).to_have_text("The Sword moves.")
    program.stop()
    page.reload()
    expect(page.locator("#banner")).to_have_text("No connection to the table. Trying again …")
    assert page.evaluate("getComputedStyle(document.body).display") == "grid"  # the styles are there, too
    context.close()


@pytest.mark.long
def test_the_screen_stays_on_while_a_game_is_on(browser: Browser, new_game: NewGame) -> None:
    context = browser.new_context()
    context.add_init_script(_COUNT)
    page = context.new_page()
    page.goto(new_game())
    expect(prompt(page)).to_have_text("The Sword moves.")
    assert page.evaluate("window.held") == 0
    play(page, "a1-b2", "a1-b2")
    page.wait_for_function("() => window.held === 1")
    more(page, PAUSE)
    page.wait_for_function("() => window.held === 0")
    page.get_by_role("button", name="Go on").click()
    page.wait_for_function("() => window.held === 1")
    context.close()

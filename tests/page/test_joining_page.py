# SPDX-License-Identifier: Apache-2.0
"""How a phone joins, and what a page over plain http says and does."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Browser, Page, Playwright, expect

from tests.page.conftest import CHROMIUM, HEADLESS
from tests.page.test_page import play, prompt
from tests.page.test_start_page import Started

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]

NAME: Final = "table.test"
PLAIN: Final = "Over plain http the page cannot be installed"


def joined_by(page: Page, address: str, *, has_authority: bool) -> None:
    """Let the program be served to other devices at *address*: tests serve it to none."""
    answer = {"addresses": [address], "has_authority": has_authority, "camera": ""}
    page.route("**/join.json", lambda route: route.fulfill(json=answer))
    page.route("**/join.svg*", lambda route: route.fulfill(body="<svg xmlns='http://www.w3.org/2000/svg'/>"))


def test_the_join_dialog_names_what_the_address_allows(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        page.locator("#open-join").click()
        dialog = page.locator("#join")
        expect(dialog).to_contain_text("served to this computer alone")
        expect(dialog.locator("#join-here")).to_be_hidden()
        for address, has_authority in (("http://192.0.2.7:8765/", False), ("https://192.0.2.7:8765/", True)):
            page.keyboard.press("Escape")
            joined_by(page, address, has_authority=has_authority)
            page.locator("#open-join").click()
            expect(dialog.get_by_role("link", name=address)).to_have_attribute("href", address)
            expect(dialog.locator("#join-code")).to_be_visible()
            trust = dialog.get_by_role("link", name="Trust the certificate of this machine")
            expect(trust).to_have_count(int(has_authority))
            expect(dialog.get_by_text(PLAIN)).to_be_visible(visible=not has_authority)
        page.context.close()


def test_over_plain_http_the_page_says_what_is_missing_and_plays(
    playwright: Playwright, tmp_path: Path
) -> None:
    program = next(each for each in (HEADLESS, CHROMIUM) if each.exists())
    arguments = ["--no-sandbox", f"--host-resolver-rules=MAP {NAME} 127.0.0.1"]
    words = (f"--http-address=127.0.0.1,{NAME}",)
    with (
        playwright.chromium.launch(executable_path=program, args=arguments) as elsewhere,
        Started(elsewhere, tmp_path, words).running() as started,
    ):
        started.address = started.address.replace("127.0.0.1", NAME)
        page = started.page(has_touch=True, viewport={"width": 390, "height": 844})
        assert page.evaluate("[isSecureContext, 'wakeLock' in navigator]") == [False, False]
        joined_by(page, started.address, has_authority=False)
        page.locator("#open-join").click()
        expect(page.locator("#join").get_by_text(PLAIN)).to_be_visible()
        page.keyboard.press("Escape")
        page.get_by_role("button", name="A friend here: Close Quarters").click()
        page.locator("#new-game button[value=begin]").click()
        expect(prompt(page)).to_have_text("The Sword moves.")
        play(page, "a1-b2", "a1-b2")
        page.locator("#moves button").first.click()
        page.get_by_role("button", name="Share").click()
        page.get_by_role("button", name="Copy the moves").click()
        expect(page.locator("#sharing-copy")).to_contain_text("Copied")  # without the clipboard's API
        page.context.close()

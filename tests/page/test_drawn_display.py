# SPDX-License-Identifier: Apache-2.0
"""The two lines of a real panel's display, drawn on the page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Start, soldered
from .looks import SIZES, resized
from .test_captured_page import places

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]


@pytest.mark.long
def test_the_display_of_a_real_panel_is_drawn_unless_somebody_does_not_want_it(
    browser: Browser, start: Start
) -> None:
    with soldered("close-quarters") as (hands, port):
        page = browser.new_page()
        page.goto(start("--port", port).address)
        display = page.locator("#display")
        expect(display).to_contain_text("Sword to move")
        for size_px in SIZES.values():
            resized(page, size_px)
            expect(display).to_be_visible()
            box = display.bounding_box()
            assert box is not None
            assert box["y"] + box["height"] <= size_px[1]
            assert display.evaluate("it => it.scrollHeight <= it.clientHeight"), "both lines are seen"
        before = places(page)
        print("a1 b2", file=hands, flush=True)
        expect(page.locator("#moves li.announced")).to_have_count(1)
        assert places(page) == before
        page.locator("#open-settings").click()
        page.get_by_label("The board's display").uncheck()
        page.keyboard.press("Escape")
        expect(display).to_be_hidden()
        page.reload()
        expect(page.locator("#moves li")).to_have_count(1)
        for size_px in SIZES.values():
            resized(page, size_px)
            expect(display).to_be_hidden()
        page.close()

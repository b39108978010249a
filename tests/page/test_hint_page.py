# SPDX-License-Identifier: Apache-2.0
"""The hint button of the page lights the piece, then the cell, then says why."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from .conftest import Start

pytestmark = [pytest.mark.browser, pytest.mark.walk]


def test_the_hint_button_shows_piece_cell_and_reason(browser: Browser, start: Start) -> None:
    page = browser.new_page()
    position = "4/4/4/3A/4/P3/4/S3 s 0"  # the Spear can be captured
    page.goto(start("--position", position).address)
    hint = page.locator("#commands [data-command=hint]")
    hint.click()
    expect(page.locator("#notices")).to_have_text(re.compile(r"^Hint: the Sword on a1\.$"))
    hint.click()
    expect(page.locator("#notices")).to_have_text(
        "Hint: the Sword goes from a1 to a3 and captures the Spear."
    )
    hint.click()
    expect(page.locator("#notices")).to_have_text(
        re.compile(
            r"^Hint: the Sword goes from a1 to a3 and captures the Spear\. It wins in [0-9]+ moves at most\."
        )
    )
    hint.click()
    expect(page.locator("#notices")).to_have_text("")
    page.close()

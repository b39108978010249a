# SPDX-License-Identifier: Apache-2.0
"""Walks see the page in the look of their run."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from .conftest import NewGame
from .looks import looks

pytestmark = [pytest.mark.browser, pytest.mark.walk]


def test_the_page_of_a_walk_has_its_size_and_colours(
    request: pytest.FixtureRequest, browser: Browser, new_game: NewGame
) -> None:
    page = browser.new_page()
    page.goto(new_game())
    width, scheme = page.evaluate("innerWidth"), page.locator("html").get_attribute("data-theme")
    size = {1440: "desktop", 820: "tablet", 390: "phone"}[width]
    assert request.node.callspec.id == f"{size}-{scheme}"
    expect(page.locator("#board")).to_be_in_viewport()
    page.close()


def test_a_walk_in_all_looks_begins_with_a_large_light_window() -> None:
    assert list(map(str, looks())) == [
        f"{size}-{scheme}" for size in ("desktop", "tablet", "phone") for scheme in ("light", "dark")
    ]
    assert list(map(str, looks("phone"))) == ["phone-light", "phone-dark"]

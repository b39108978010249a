# SPDX-License-Identifier: Apache-2.0
"""The page comes as bundles that a browser keeps, or as single files."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.page.conftest import NewGame
from tests.page.test_page import moves, play, prompt

pytestmark = pytest.mark.browser

_LOADED = """() => performance.getEntriesByType("resource")
  .map(({ name, transferSize }) => [new URL(name).pathname.replace(/-[0-9a-f]{16}/, "-HASH"), transferSize])"""
BUNDLES = {"/page/style-HASH.css", "/page/theme-HASH.js", "/page/main-HASH.js"}
PICTURES = {f"/page/{name}-HASH.svg" for name in ("icon", "sound", "unzoom", "gear", "sound-off", "zoom")}


def test_scripts_styles_and_pictures_are_fetched_once(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    page.goto(new_game())
    expect(prompt(page)).not_to_be_empty()
    first = dict(page.evaluate(_LOADED))
    assert BUNDLES | {"/table.json"} < {*first} < BUNDLES | {"/table.json"} | PICTURES
    assert 0 < sum(first.values()) < 66_000
    page.reload()
    expect(prompt(page)).not_to_be_empty()
    assert dict(page.evaluate(_LOADED)) == dict.fromkeys(first, 0), "a reload asks for the document alone"
    page.close()


def test_the_files_that_developers_edit_are_served_on_request(browser: Browser, new_game: NewGame) -> None:
    complaints: list[str] = []
    page = browser.new_page()
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
    page.goto(f"{new_game()}?sources")
    play(page, "a1-b2", "a1-b2")
    expect(moves(page)).to_have_count(1)
    loaded = {name for name, _ in page.evaluate(_LOADED)}
    assert {"/page/main.js", "/page/board.js", "/page/style.css", "/page/touch.css"} < loaded
    assert loaded.isdisjoint(BUNDLES)
    assert complaints == []
    page.close()

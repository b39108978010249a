# SPDX-License-Identifier: Apache-2.0
"""A kept game watched in a real Chromium: slider, buttons, keys, speed, and what a screen reader is told."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.cli import main
from tests.host.tables import WHOLE_GAME, written

pytestmark = pytest.mark.browser


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Where a game of six plies is shown."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert main(["records", "import", str(written(tmp_path / "game.jsonl", WHOLE_GAME))]) == 0
    command = [sys.executable, "-m", "companion", "records", "replay", "1", "--page", "--no-browser"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    ) as program:
        assert program.stdout is not None
        found = re.search(r"http://\S+", program.stdout.readline())
        assert found is not None
        yield found[0]
        program.send_signal(signal.SIGINT)
        program.stdout.read()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """The page, without a mistake in its console."""
    context = browser.new_context()
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda fault: faults.append(str(fault)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.goto(address)
    yield page
    context.close()
    assert faults == []


def sword(page: Page, cell: str) -> None:
    """Expect the Sword on *cell*."""
    expect(page.locator(f'[data-cell][aria-label^="{cell}, "]')).to_have_attribute(
        "aria-label", re.compile("Sword")
    )


def test_a_game_is_watched_with_slider_buttons_keys_and_moves(page: Page) -> None:
    sword(page, "a1")
    expect(page.locator("#slider")).to_have_attribute("max", "6")
    page.locator("#next").click()
    sword(page, "b2")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#cry")).to_contain_text("CHECK!")
    page.keyboard.press("ArrowRight")
    sword(page, "c3")
    page.locator("#slider").fill("1")
    sword(page, "b2")
    page.locator("#moves button").nth(3).click()
    sword(page, "c3")
    expect(page.locator('#moves [aria-current="true"]')).to_have_text("3. b2-c3")
    page.keyboard.press("End")
    expect(page.locator("#prompt")).to_have_text("The weapons win: the Sword is eliminated.")
    expect(page.locator("#polite")).to_contain_text("6. ")
    page.keyboard.press("Home")
    sword(page, "a1")


def test_it_plays_by_itself_and_stops_at_the_end(page: Page) -> None:
    page.locator("#speed").select_option("300")
    page.locator("body").press("Space")
    expect(page.locator("#play")).to_have_text("❚❚")
    expect(page.locator("#slider")).to_have_value("6")
    expect(page.locator("#play")).to_have_text("▶")


def test_every_control_has_a_name_and_fits_a_phone(browser: Browser, address: str) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 640})
    page = context.new_page()
    page.goto(address)
    for name in ("First", "Back", "Play", "Next", "Last"):
        expect(page.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(page.get_by_role("slider", name="Move")).to_be_visible()
    expect(page.get_by_role("combobox", name="Speed")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()

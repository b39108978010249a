# SPDX-License-Identifier: Apache-2.0
"""The page shows which chess pieces stand in for those of the game."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from companion.host.clock import monotonic
from tests.page.conftest import Start
from tests.terminals import TerminalPanel
from tests.virtual.eboards.dgt import VirtualDgtEboard

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pseudo-terminals are other things elsewhere")


def test_standins_are_shown_as_words_and_pictures_until_the_pieces_stand(
    browser: Browser, start: Start, tmp_path: Path
) -> None:
    eboard, clock = VirtualDgtEboard({}, 0), monotonic(10_000)
    with TerminalPanel(eboard, clock, tmp_path / "board") as plugged:
        page = browser.new_page()
        page.goto(start("--port", f"dgt:{tmp_path}/board").address)
        pairs = page.locator("#standins li")
        expect(pairs).to_have_text(["Sword =", "Spear =", "Mace =", "Axe ="])
        expect(pairs.nth(2).locator(".side-1 .figure .body")).to_be_visible()  # a black knight
        expect(page.locator("#standins .unseen")).to_contain_text("Mace ♞")
        for square, letter in {"c1": "K", "f1": "n", "c8": "b", "f8": "r"}.items():
            plugged.act(lambda now_ms, at=square, piece=letter: eboard.put(at, piece, now_ms))  # type: ignore[misc]
        expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        expect(pairs).to_have_count(0)
        page.close()


YARD = """title = "Yard"
size = [8, 8]
board = '''
8 . . c l . . . .
7 . . . . . . . .
6 . . . . . . . .
5 . . . . . . . .
4 . . . . . . . .
3 . . . . . . . .
2 . . . . . . . .
1 . . . . L C . .
'''
"""


@pytest.mark.long
def test_a_tank_that_turns_where_it_stands_is_pressed_for_on_the_page(
    browser: Browser, start: Start, tmp_path: Path
) -> None:
    (tmp_path / "yard.toml").write_text(YARD, encoding="utf-8")
    eboard, clock = VirtualDgtEboard({"c8": "k", "d8": "p", "e1": "P", "f1": "K"}, 0), monotonic(10_000)
    with TerminalPanel(eboard, clock, tmp_path / "board") as plugged:
        page = browser.new_page()
        words = ("-o", f"map={tmp_path}/yard.toml", "--port", f"dgt:{tmp_path}/board")
        page.goto(start(*words, game="tank-chess").address)
        done = page.locator(".done:visible")
        expect(done).to_have_count(1)  # White's: the board has no button
        done.click()
        expect(page.locator("#question button").first).to_be_visible()  # which tank has turned, and how?
        plugged.act(eboard.connect_clock)
        expect(page.locator(".done:visible")).to_have_count(0)  # its lever is pressed from now on
        page.close()

# SPDX-License-Identifier: Apache-2.0
"""The rows of the hands beside the board keep their places in the game."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from .conftest import NewGame
from .looks import SIZES, resized
from .test_still_page import Boxes, places

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]

FULL = "2S1L5+2U1W5+2U2L4+2W2S4+1L3U3+1W3S3"
EMPTY = ".,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,./.,.,.,.,."
BOARD = "S1L5,S1L5,U1W5,U1W5,U2L4/.,.,.,.,./.,.,.,.,./U2L4,W2S4,W2S4,L3U3,./.,.,.,.,."
STARTER = (
    (f"{EMPTY} f {FULL} {FULL} -", 12),
    (f"{BOARD} s 1W3S3 {FULL} -", 7),
    (f"{BOARD.replace('L3U3,.', 'L3U3,W3S3')} s - {FULL} -", 6),
)
"""All pawns in the hands, one in the first hand, none; and the kinds shown."""
DRAFT = ((f"{EMPTY} f - - -", 0), (f"{EMPTY} f 1S1L5 1U1W5 -", 2))

HIDDEN = "document.querySelectorAll('.lies').values().some((it) => it.scrollHeight > it.clientHeight)"


@pytest.mark.long
@pytest.mark.parametrize(
    ("pawns", "language"), [("starter", "de"), ("starter", "en"), ("starter", "ja"), ("draft", "en")]
)
def test_hands_of_any_size_have_the_same_height(
    browser: Browser, new_game: NewGame, pawns: str, language: str
) -> None:
    page = browser.new_page()
    first: dict[str, Boxes] = {}
    for position, kinds in DRAFT if pawns == "draft" else STARTER:
        address = new_game("gottaz", clock="5+3", position=position, pawns=pawns)
        page.goto(f"{address}?language={language}")
        expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        expect(page.locator(".heap")).to_have_count(kinds)
        for size, size_px in SIZES.items():
            resized(page, size_px)
            now = places(page)
            was = first.setdefault(size, now)
            assert {name: (was[name], box) for name, box in now.items() if was[name] != box} == {}, size
            assert not page.evaluate(HIDDEN), size
    page.close()

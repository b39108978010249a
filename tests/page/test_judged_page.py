# SPDX-License-Identifier: Apache-2.0
"""The page shows the analysis of a finished game, and plays on from a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.host.tables import WHOLE_GAME, written
from tests.page.conftest import Start
from tests.page.test_page import play, prompt
from tests.page.test_replay_page import shown
from tests.page.test_whole_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.long]


def analysed(page: Page) -> None:
    """Expect a finished analysis of Close Quarters with three mistakes."""
    expect(page.locator("#mistakes [role=status]")).to_have_count(0)
    expect(page.locator("#mistakes button")).to_have_text(["1. a1-b2 ?", "1… d8-b8! ?", "2. b2-c3 ?"])
    expect(page.locator("#curve polyline")).to_have_count(1)


def test_a_kept_game_has_a_curve_and_its_mistakes(browser: Browser, tmp_path: Path) -> None:
    with shown(tmp_path, written(tmp_path / "game.jsonl", WHOLE_GAME)) as address:
        page = browser.new_page()
        page.goto(address)
        analysed(page)
        page.locator("#mistakes button").nth(2).click()
        expect(page).to_have_url(f"{address}#2")
        expect(page.locator("#notices")).to_contain_text("The Sword played b2-c3, a mistake. Better: ")
        expect(page.locator("#show-me")).to_be_hidden()  # no table to play on
        box = page.locator("#curve").bounding_box()
        assert box is not None
        page.locator("#curve").click(position={"x": box["width"] - 3, "y": 5})
        expect(page).to_have_url(f"{address}#6")
        assert violations(page) == []
        page.close()


def test_show_me_begins_a_game_before_the_mistake_against_the_computer(
    browser: Browser, start: Start
) -> None:
    page = browser.new_page()
    page.goto(start().address)
    play(page, "a1-b2", "a1-b2")
    page.locator("#moves li button").first.click()
    expect(page.locator("#review-move")).to_have_text("1. a1-b2")
    expect(page.locator("#judged")).to_be_hidden()  # the game goes on
    page.locator("#review-leave").click()
    for move, text in (("d8-b8", "d8-b8!"), ("b2-c3", "b2-c3"), ("b8-b2", "b8-b2!"), ("c3-b2", "c3xb2")):
        play(page, move, text)
    play(page, "d1-b2", "d1xb2#")
    page.locator("#moves li button").first.click()
    analysed(page)
    page.locator("#mistakes button").nth(2).click()
    page.locator("#show-me").click()
    expect(prompt(page)).to_have_text("The Sword moves.")
    expect(page.locator("#moves li")).to_have_count(0)
    expect(page.locator('[data-cell][aria-label^="b2, Sword"]')).to_have_count(1)
    play(page, "b2-b1", "b2-b1")
    expect(page.locator("#moves li")).to_have_count(2)  # the computer has answered
    page.close()

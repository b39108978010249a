# SPDX-License-Identifier: Apache-2.0
"""The page shows the analysis of a finished game, and plays on from a mistake."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import programs
from tests.host.tables import WHOLE_GAME, written
from tests.page.conftest import Start, soldered
from tests.page.test_page import play, prompt
from tests.page.test_replay_page import shown
from tests.page.test_start_page import Started
from tests.page.test_whole_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]


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
        page.locator("#moves li button").nth(3).click()
        expect(page.locator("#notices")).to_contain_text("The best move: the Sword goes from c3")
        page.locator("#mistakes button").nth(2).click()
        expect(page).to_have_url(f"{address}#2")
        expect(page.locator("#notices")).to_contain_text("The Sword goes from b2 to c3. ")
        expect(page.locator("#show-me")).to_be_hidden()  # no table to play on
        box = page.locator("#curve").bounding_box()
        assert box is not None
        page.locator("#curve").click(position={"x": box["width"] - 3, "y": 5})
        expect(page).to_have_url(f"{address}#6")
        assert violations(page) == []
        page.close()


def test_each_of_three_sides_has_a_curve(browser: Browser, tmp_path: Path) -> None:
    record = tmp_path / "three.txt"
    record.write_text('[Game "martian-chess"]\n[Option "players" "3"]\n\n1. A31-B03 B11-B20 C12-C01\n')
    with shown(tmp_path, record) as address:
        page = browser.new_page()
        page.goto(address)
        expect(page.locator("#mistakes [role=status]")).to_have_count(0)
        expect(page.locator("#curve polyline")).to_have_count(3)
        expect(page.locator("#mistakes .legend")).to_have_text(["player 1", "player 2", "player 3"])
        page.close()


def test_a_kept_game_is_played_on_from_a_mistake_against_the_computer(
    browser: Browser, tmp_path: Path
) -> None:
    folder = tmp_path / "start"
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    programs.companion(
        "records", "import", str(written(tmp_path / "whole.jsonl", WHOLE_GAME)), env=environment
    )
    with Started(browser, folder).running() as started:
        page = started.page()
        page.get_by_role("link", name="Replay").click()
        analysed(page)
        page.locator("#mistakes button").nth(2).click()
        page.locator("#show-me").click()
        expect(page).to_have_url(started.address)
        expect(prompt(page)).to_have_text("The Sword moves.")
        expect(page.locator('[data-cell][aria-label^="b2, Sword"]')).to_have_count(1)
        play(page, "b2-a1", "b2-a1")
        expect(page.locator("#moves li")).to_have_count(2)  # the computer has answered
        page.go_back()
        analysed(page)
        page.locator("#moves li button").last.click()
        expect(page.locator("#review-move")).to_have_text("3… d1xb2#")
        expect(page.locator("#show-me")).to_be_hidden()  # the game is over there
        page.locator("#moves li button").nth(1).click()
        page.locator("#show-me").click()
        ask = page.get_by_role("dialog")
        expect(ask).to_contain_text("The game under way stops here")
        ask.get_by_role("button", name="Begin").click()
        expect(prompt(page)).to_have_text("The Sword moves.")
        expect(page.locator("#moves li")).to_have_count(0)
        page.context.close()


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


def test_any_position_is_set_up_at_a_real_board_and_played_on_against_the_computer(
    browser: Browser, start: Start
) -> None:
    with soldered("close-quarters") as (hands, panel):
        page = browser.new_page()
        page.goto(start("--port", panel).address)
        for number, (move, written) in enumerate((("a1 b2", "a1-b2"), ("d8 b8", "d8-b8!")), 1):
            print(move, file=hands, flush=True)
            expect(page.locator("#moves li")).to_have_count(number)
            expect(page.locator("#moves li").last).to_contain_text(written)
        page.locator("[data-command=resign]").click()
        page.get_by_role("dialog").get_by_role("button", name="Sword").click()
        expect(prompt(page)).to_contain_text("The weapons win")
        page.locator("#moves li button").first.click()
        page.locator("#show-me").click()
        expect(page.locator("#guides")).to_contain_text(re.compile("the Spear .*d8"))
        print("b8 d8", file=hands, flush=True)
        expect(prompt(page)).to_have_text("The weapons move.")
        expect(page.locator("#far .name")).to_have_text("Computer (Newcomer) · Sword")
        print("d8 d5", file=hands, flush=True)
        expect(prompt(page)).to_contain_text("For the computer: Move the Sword")
        page.close()

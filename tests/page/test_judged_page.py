# SPDX-License-Identifier: Apache-2.0
"""The page shows the analysis of a finished game, and plays on from a mistake."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import programs
from tests.host.tables import WHOLE_GAME, written
from tests.page.conftest import Start, soldered
from tests.page.test_page import carry, cell, play, prompt
from tests.page.test_replay_page import shown
from tests.page.test_start_page import Started
from tests.page.test_whole_page import violations

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]


def analysed(page: Page) -> None:
    """Expect a finished analysis of Close Quarters: five blunders, and a best move."""
    expect(page.locator("#curve polyline")).to_have_count(1)
    expect(page.locator("#judged-status")).to_be_empty()
    expect(page.locator("#moves .grade")).to_have_text(["??"] * 5 + ["★"])


def mistake(page: Page, number: int) -> None:
    """Show the position after move *number*, counted from 0."""
    page.locator("#moves li button").nth(number).click()
    expect(page.locator("[data-act=try-it]")).to_be_visible()


def before_the_mistake(page: Page) -> None:
    """Show the position before the third move."""
    page.locator("#moves li button").nth(1).click()
    expect(page.locator("#review-move")).to_have_text("1… d8-b8!")


@contextmanager
def kept(browser: Browser, folder: Path) -> Iterator[Page]:
    """The page of a kept game with its analysis, at its start, without a fault."""
    with shown(folder, written(folder / "game.jsonl", WHOLE_GAME)) as address:
        page = browser.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda fault: faults.append(str(fault)))
        page.goto(f"{address}#0")
        analysed(page)
        yield page
        page.close()
        assert faults == []


def test_a_kept_game_has_a_curve_and_the_grades_of_its_moves(browser: Browser, tmp_path: Path) -> None:
    with kept(browser, tmp_path) as page:
        address = page.url.partition("#")[0]
        expect(page.locator("#curve circle")).to_have_count(6)
        expect(page.locator("#curve .round")).to_have_text(["1", "2", "3"])
        expect(page.locator("#moves li button").nth(2)).to_have_accessible_name("Sword: b2-c3, blunder")
        expect(page.locator("#notices")).to_contain_text("Best for ")
        mistake(page, 2)
        expect(page).to_have_url(f"{address}#3")
        expect(page.locator("#notices")).to_contain_text("The Sword goes from b2 to c3. ")
        expect(page.locator("#judged-value")).to_have_text("The weapons win in 1")
        expect(page.locator("#judged-said")).to_contain_text("2. b2-c3 ?? blunder")
        expect(page.locator("#show-me")).to_be_hidden()  # no table to play on
        box = page.locator("#curve").bounding_box()
        assert box is not None
        page.locator("#curve").hover(position={"x": 3, "y": 5})
        expect(page.locator("#judged-value")).to_have_text("Even")
        expect(page).to_have_url(f"{address}#3")
        page.locator("#curve").click(position={"x": box["width"] - 3, "y": 5})
        expect(page).to_have_url(f"{address}#6")
        expect(page.locator("#judged-value")).to_have_text("The weapons win: the Sword is eliminated.")
        assert violations(page) == []


def test_a_review_opens_at_the_first_mistake_and_steps_to_the_next(browser: Browser, tmp_path: Path) -> None:
    with kept(browser, tmp_path) as page:
        address = page.url.partition("#")[0]
        page.goto("about:blank")
        page.goto(address)
        expect(page).to_have_url(f"{address}#1")
        page.keyboard.press("m")
        expect(page).to_have_url(f"{address}#2")
        page.keyboard.press("ArrowRight")
        expect(page).to_have_url(f"{address}#3")
        page.locator("#next-mistake").click()
        expect(page).to_have_url(f"{address}#4")


def test_a_better_move_is_tried_again_until_it_is_found(browser: Browser, tmp_path: Path) -> None:
    with kept(browser, tmp_path) as page:
        left = f"{page.url.partition('#')[0]}#3"
        mistake(page, 2)
        page.locator("[data-act=try-it]").click()
        expect(prompt(page)).to_have_text("What is better than 2. b2-c3?")
        expect(page.locator("#notices")).to_be_empty()
        cell(page, "b2").click()
        expect(page.locator(".target")).to_have_count(11)
        page.keyboard.press("Escape")
        expect(page.locator(".hand .piece")).to_have_count(0)
        carry(page, "b2-b3")
        expect(page.locator("#notices")).to_contain_text(
            "✕ This loses the game: the Spear goes from b8 to b3"
        )
        expect(page.locator("#notices")).to_contain_text("That is not good enough")
        expect(cell(page, "b2")).to_have_accessible_name(re.compile("Sword"))
        assert violations(page) == []
        carry(page, "b2-a1")
        expect(page.locator("#notices")).to_contain_text(re.compile("✓ That is (the best|good)"))
        expect(cell(page, "a1")).to_have_accessible_name(re.compile("Sword"))
        page.locator("[data-act=to-review]").click()
        expect(page.locator("#review-move")).to_have_text("2. b2-c3")
        expect(page).to_have_url(left)
        expect(cell(page, "c3")).to_have_accessible_name(re.compile("Sword"))


def test_lines_are_played_on_the_board_and_lead_back(browser: Browser, tmp_path: Path) -> None:
    with kept(browser, tmp_path) as page:
        left = f"{page.url.partition('#')[0]}#3"
        mistake(page, 2)
        page.locator("[data-act=show-refutation]").click()
        expect(page.locator("#review-move")).to_have_text("2… d1xc3#")  # by itself
        expect(prompt(page)).to_contain_text("The weapons win")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#review-move")).to_have_text("2. b2-c3")
        page.keyboard.press("Escape")
        expect(page).to_have_url(left)
        page.locator("[data-act=try-it]").click()
        page.locator("[data-act=show-answer]").click()
        expect(page.locator("#review-move")).to_have_text(re.compile("^2. b2-"))
        page.locator("#moves li button").nth(2).click()  # a move of the game leads back, too
        expect(page).to_have_url(left)
        expect(page.locator("[data-act=try-it]")).to_be_visible()


def test_each_of_three_sides_has_a_curve(browser: Browser, tmp_path: Path) -> None:
    record = tmp_path / "three.txt"
    record.write_text('[Game "martian-chess"]\n[Option "players" "3"]\n\n1. A31-B03 B11-B20 C12-C01\n')
    with shown(tmp_path, record) as address:
        page = browser.new_page()
        page.goto(address)
        expect(page.locator("#judged-status")).to_be_empty()
        expect(page.locator("#curve polyline")).to_have_count(3)
        expect(page.locator("#judged .legend")).to_have_text(["player 1", "player 2", "player 3"])
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
        page.get_by_role("tab", name="Your games").click()
        page.get_by_role("link", name="Review").click()
        analysed(page)
        before_the_mistake(page)
        page.locator("#show-me").click()
        expect(page).to_have_url(started.address)
        expect(prompt(page)).to_have_text("The Sword moves.")
        expect(page.locator('[data-cell][aria-label^="b2, Sword"]')).to_have_count(1)
        play(page, "b2-a1", "b2-a1")
        expect(page.locator("#moves li")).to_have_count(2)  # the computer has answered
        page.get_by_role("link", name="Back to the review").click()
        expect(page).to_have_url(re.compile("/kept/1/#2$"))
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
    before_the_mistake(page)
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
        expect(prompt(page)).to_have_text("The Sword moves.")  # the panel is there
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

# SPDX-License-Identifier: Apache-2.0
"""A hall in a real Chromium: an arbiter's evening, and spectators."""

from __future__ import annotations

import re
import signal
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.page.desks import HOLDING, Evening, cell, companion, watch_for
from tests.page.test_desk_events import LARGE, announce

pytestmark = pytest.mark.browser

WHOLE_GAME = ("a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#")


def page_at(browser: Browser, address: str) -> Page:
    page = browser.new_context(locale="en-GB").new_page()
    page.goto(address)
    return page


def test_a_tournament_from_the_announcement_to_the_standings(browser: Browser, tmp_path: Path) -> None:
    admitted = companion(tmp_path, "hall", "admit", "Ana", "--password", "hall of mirrors")
    assert admitted.communicate()[0] == "Ana may act as arbiter\n"
    program = companion(tmp_path, "hall", "--http-port", "0", "--board", "red=close-quarters")
    try:
        assert program.stdout is not None
        hall = table = ""
        while not table:
            line = program.stdout.readline()
            assert line, "the program ended"
            hall = hall or (found.group() if (found := re.search(r"http://\S+", line)) else "")
            table = line.split()[-1] if "the table is at" in line else ""
        desk = page_at(browser, f"{hall}arbiter")
        desk.get_by_label("Name").fill("Ana")
        desk.get_by_label("Password").fill("wrong guess")
        desk.get_by_role("button", name="Log in").click()
        expect(desk.get_by_role("alert")).to_have_text("name or password is wrong")
        desk.get_by_label("Password").fill("hall of mirrors")
        desk.get_by_role("button", name="Log in").click()
        desk.get_by_text("Announce a tournament").click()
        desk.get_by_label("Name", exact=True).fill("Club évening: 2")
        expect(desk.get_by_label("Short name")).to_have_value("club-evening-2")
        desk.get_by_label("Short name").fill("club")
        desk.get_by_label("Name", exact=True).fill("Club evening")
        expect(desk.get_by_label("Short name")).to_have_value("club")
        desk.get_by_label("Game").select_option("Close Quarters")
        desk.get_by_role("button", name="Announce").click()
        desk.get_by_label("Players as a table").fill("name,rating\nBen,1700\nCleo,1600\n")
        desk.get_by_role("button", name="Enter").click()
        expect(desk.get_by_role("cell", name="Cleo")).to_be_visible()
        desk.get_by_role("button", name="Pair the next round").click()
        desk.get_by_label("Board 1").select_option("red")

        watcher = page_at(browser, hall)
        expect(watcher.get_by_role("heading", name="Ben – Cleo")).to_be_visible()
        screen, is_large = page_at(browser, f"{hall}?rotate=0.5"), "#boards li.large"
        for name in ("Ben", None, "Ben"):  # one board after another, then all
            watch_for(screen, LARGE, name)
        watcher.locator("#boards").locator(".enlarge", has_text="Ben – Cleo").click()
        expect(watcher.locator(is_large)).to_have_count(1)
        watcher.keyboard.press("Escape")
        expect(watcher.locator(is_large)).to_have_count(0)
        seat = page_at(browser, table)
        late, held = browser.new_page(), list[Route]()
        late.route("**/api/sets?*", lambda asked: asked.continue_() if held else held.append(asked))
        late.goto(hall)
        for move in WHOLE_GAME:
            expect(seat.locator("#board")).not_to_have_class(HOLDING)
            cell(seat, move[:2])
            expect(seat.locator("#board")).to_have_class(HOLDING)
            cell(seat, move[3:5])
            expect(watcher.locator("#boards p").first).to_contain_text(move)
        expect(late.locator("#boards p").first).to_contain_text(WHOLE_GAME[-1])
        with late.expect_response("**/api/sets?*") as answer:
            held[0].continue_()  # what the first state waited for
        answer.value.finished()
        late.evaluate(
            "() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))"
        )
        assert WHOLE_GAME[-1] in late.locator("#boards p").first.inner_text()
        expect(watcher.locator("#boards p").first).to_contain_text("Cleo (Weapons) wins")
        expect(desk.locator(".urgency-2")).to_contain_text("red (Ben – Cleo): Cleo (Weapons) wins")
        desk.locator("#alarms").get_by_role("link").click()
        expect(desk.get_by_role("heading", name="red · Ben – Cleo · over")).to_be_visible()
        told = "result reported by the board · club · Round 1 · Table 1 · 0:1 · Sword eliminated"
        expect(desk.locator("#book")).to_contain_text(told)
        desk.locator(".round").get_by_role("button", name="Confirm").click()
        expect(watcher.locator("#tournaments tbody tr").first).to_contain_text("Cleo")
        expect(watcher.locator("#tournaments")).to_contain_text("0 : 1")
    finally:
        program.send_signal(signal.SIGINT)
        program.communicate()
    assert program.returncode == 0


TOPS = "() => new Set([...document.querySelectorAll('#boards > li')].map((card) => card.offsetTop)).size"
"""In how many rows the boards stand."""


@pytest.mark.long
def test_three_boards_stand_side_by_side_on_a_notebook(evening: Callable[..., Evening]) -> None:
    of = evening("red", "blue", "green")
    watcher = of.page(of.hall, width=1200)
    expect(watcher.locator("#boards > li")).to_have_count(3)
    assert watcher.evaluate(TOPS) == 1
    alone_px = watcher.locator("#boards svg").first.evaluate("(board) => board.clientHeight")
    announce(of.desk(), "club", "swiss", "name\nBen\nCleo\n")
    expect(watcher.locator("#tournaments section")).to_be_visible()
    for card in watcher.locator("#boards > li").all():
        expect(card).to_be_in_viewport(ratio=1)
    assert watcher.locator("#boards svg").first.evaluate("(board) => board.clientHeight") < alone_px

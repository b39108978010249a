# SPDX-License-Identifier: Apache-2.0
"""Keys and the search of the arbiter's desk, which finds and acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.bench.desk import acts
from tests.page.counted import exceeding
from tests.page.full_halls import STATES, full_hall, glance
from tests.page.test_desk_overview import desk_at

pytestmark = pytest.mark.browser


def test_the_search_finds_and_acts_and_the_last_act_is_undone(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 12) as hall:
        hall.show("b3", STATES["illegal"])
        desk = desk_at(browser, hall)

        def points(table: int) -> object:
            return hall.at.hall.keeper.book.of("club").tournament.rounds[0].pairings[table - 1].points

        def typed(text: str) -> None:
            for key in text:
                desk.keyboard.press("Enter" if key == "\n" else "Space" if key == " " else key)

        tile = desk.locator(".tile")
        for text, table, result in (
            ("12 draw\n", 12, (1, 1)),
            ("11=\n", 11, (1, 1)),
            ("10 +\n", 10, (2, 0)),
            ("9 bl\n", 9, (0, 2)),
        ):
            assert len(text) <= 8
            typed(text)
            expect(desk.locator(f'[data-board="b{table}"]')).to_have_attribute("data-state", "decided")
            assert points(table) == result
        typed("1")
        expect(tile).to_have_count(1)
        expect(desk.locator(".preview")).to_contain_text("Table 1 · Player 000 Surname")
        desk.get_by_role("searchbox").fill("player 003")
        expect(tile).to_have_count(1)
        desk.keyboard.press("Escape")
        expect(tile).to_have_count(12)

        desk.keyboard.press("u")
        expect(desk.locator('[data-board="b9"]')).not_to_have_attribute("data-state", "decided")
        assert points(9) is None
        desk.keyboard.press("g")  # the illegal move
        expect(desk.locator("#board-b3")).to_be_focused()
        expect(desk.locator("#alarms .taken")).to_have_count(1)
        desk.keyboard.press("-")
        expect(desk.locator('[data-board="b3"]')).to_have_attribute("data-state", "decided")
        assert points(3) == (0, 2)
        desk.keyboard.press("p")
        expect(desk.locator("#book li").first).to_contain_text("order · b3 · Pause")
        desk.keyboard.press("u")
        expect(desk.locator("#book li").first).to_contain_text("order · b3 · Resume")
        desk.keyboard.press("Escape")
        expect(desk.locator("#open section")).to_have_count(0)
        desk.keyboard.press("?")
        desk.get_by_label("Single keys act").uncheck()
        desk.keyboard.press("Escape")
        desk.keyboard.press("g")
        expect(desk.locator("#open section")).to_have_count(0)


@pytest.mark.long
def test_every_act_needs_at_most_two_presses_or_eight_keys(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 12) as hall:
        for number in range(1, 13):
            hall.show(f"b{number}", glance())
        done = acts(hall, desk_at(browser, hall))
        assert len(done) > 30
        assert exceeding(done) == {}


PARSE = """async (texts) => {
  const { parsed } = await import(new URL("hall/desk_search.js", location.href));
  const words = { draw: "remis", first: "erster", second: "zweiter", confirm: "bestätigen", pause: "pause",
    resume: "weiter", time: "zeit", go: "gehen" };
  return texts.map((text) => { const { target, verb } = parsed(text, words); return [target, verb]; });
}"""


def test_the_search_tells_names_from_verbs(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 1) as hall:
        page = browser.new_page()
        page.goto(f"{hall.address}arbiter")
        texts = [
            "12 re",
            "12½",
            "12 1-0",
            "12 0:1",
            "Ana Berg",
            "Ana b",
            "12",
            " ",
            "7-",
            "de la Cruz =",
            "12 W",
            "3--",
        ]
        assert page.evaluate(PARSE, texts) == [
            ["12", "draw"],
            ["12", "draw"],
            ["12", "first"],
            ["12", "second"],
            ["Ana Berg", None],
            ["Ana", "confirm"],
            ["12", None],
            ["", None],
            ["7", "second"],
            ["de la Cruz", "draw"],
            ["12", "resume"],
            ["3", "absent"],
        ]

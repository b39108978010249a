# SPDX-License-Identifier: Apache-2.0
"""The spectators' wall of boards: favourites, followed players, a list, an overlay."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.full_halls import STATES, FullHall, full_hall, glance
from tests.page.test_whole_page import violations

pytestmark = pytest.mark.browser

FIT = """() => {
  const shown = [...document.querySelectorAll("#boards > li")].map((card) => card.getBoundingClientRect());
  const board = document.querySelector("#boards svg").getBoundingClientRect();
  return {
    page: document.documentElement.scrollHeight,
    outside: shown.filter((card) => card.bottom > innerHeight || card.right > innerWidth).length,
    rows: new Set(shown.map((card) => Math.round(card.top))).size,
    board: Math.min(board.width, board.height) > 60,
  };
}"""


def watcher_at(browser: Browser, hall: FullHall, query: str = "", width: int = 1440) -> Page:
    page = browser.new_context(locale="en-GB", viewport={"width": width, "height": 900}).new_page()
    page.on("pageerror", lambda fault: pytest.fail(str(fault)))
    page.goto(f"{hall.address}{query}")
    return page


def test_favourites_and_followed_players_come_first(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 6) as hall:
        page = watcher_at(browser, hall)
        cards = page.locator("#boards > li")
        expect(cards).to_have_count(6)
        expect(cards.first).to_contain_text("Player 000")
        page.get_by_role("button", name="Favourite: 4 Player").click()
        expect(cards.first).to_contain_text("Player 003")
        page.get_by_role("button", name="Follow: Player 002 Surname").click()
        expect(cards.first).to_contain_text("Player 002")
        page.get_by_role("button", name="Only favourites").click()
        expect(cards.filter(visible=True)).to_have_count(2)
        page.reload()
        expect(cards.first).to_contain_text("Player 002")
        page.get_by_role("searchbox").fill("player 005")
        expect(cards.filter(visible=True)).to_have_count(1)
        page.keyboard.press("Enter")
        expect(page.locator("li.large")).to_contain_text("Player 005")


def test_an_overlay_shows_one_board_and_nothing_else(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 2) as hall:
        page = watcher_at(browser, hall, "?overlay=b2")
        lines = page.locator(".sides > div")
        expect(lines).to_have_count(2)
        hall.show("b2", glance(13))
        expect(lines.nth(1)).to_have_class("side-1 turn")
        expect(lines.nth(0)).to_contain_text("Player")
        expect(page.locator("p")).to_have_text("Nf3")
        hall.show("b2", STATES["reported"])
        expect(page.locator("p")).to_have_text("Nf3 · White wins.")
        assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgba(0, 0, 0, 0)"
        expect(page.locator("header")).to_have_count(0)


SECOND_BELOW = """(() => {
  const [first, second] = [...document.querySelectorAll('#boards > li:first-child h3 > span > span')].map(
    (each) => each.getBoundingClientRect());
  return second.top >= first.bottom - 1 && second.width > 40;
})()"""


@pytest.mark.long
def test_a_wall_of_forty_boards_fits_and_is_a_list_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    with full_hall(tmp_path, 40) as hall:
        page = watcher_at(browser, hall)
        expect(page.locator("#boards > li")).to_have_count(40)
        assert page.evaluate(FIT) == {"page": 900, "outside": 0, "rows": 5, "board": True}
        players = page.locator("#boards > li:first-child h3 > span > span")
        expect(players).to_have_count(2)
        assert page.evaluate(SECOND_BELOW), "both players of a small card are named"
        assert violations(page) == []
        phone = watcher_at(browser, hall, width=390)
        expect(phone.locator("#boards > li")).to_have_count(40)
        expect(phone.locator("#boards svg").filter(visible=True)).to_have_count(0)
        assert phone.evaluate("document.documentElement.scrollWidth") <= 390
        assert violations(phone) == []


def test_standings_are_shown_whole_beside_the_boards_and_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    opened = {"is": "Opened", "key": "league", "name": "League", "format": "round-robin", "game": ""}
    swiss = {"key": "cup", "name": "Cup", "format": "swiss", "game": ""}
    ties = ["buchholz-cut-1", "buchholz", "direct-encounter"]
    teams = ("Castle", "Bridge", "Harbour")
    players = "\n".join(f"{team} {board},1900,{team}" for team in teams for board in (1, 2))
    with full_hall(tmp_path, 2) as hall:
        hall.ask("api/acts", {**opened, "boards": 2, "tie_breaks": ["board-points", "direct-encounter"]})
        hall.ask("api/tournaments/league/players", {"csv": f"name,rating,team\n{players}"})
        hall.ask("api/acts", {**opened, **swiss, "tie_breaks": ties})
        hall.ask("api/tournaments/cup/players", {"csv": "name\nDe la Cruz Dan\nGruber Ida"})
        for page in (watcher_at(browser, hall), watcher_at(browser, hall, width=390)):
            standings = page.locator(".wide", has_text="DE: Direct encounter")
            expect(standings).to_have_count(2)
            expect(standings.first.locator("th")).to_have_text(["#", "Player", "Points", "BH/C1", "BH", "DE"])
            expect(standings.last).to_contain_text("Harbour")
            for each in standings.all():
                assert each.evaluate("each => each.scrollWidth <= each.clientWidth")

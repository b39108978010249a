# SPDX-License-Identifier: Apache-2.0
"""The start page in a real Chromium: games, boards, unfinished and kept games."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from companion import games
from tests import programs
from tests.host.tables import WHOLE_GAME, written
from tests.page.test_page import moves, play, prompt
from tests.page.test_whole_page import violations
from tests.waits import brisk

pytestmark = [pytest.mark.browser, pytest.mark.walk]


@dataclass
class Started:
    """`companion start` in a process of its own, and its pages."""

    browser: Browser
    folder: Path
    words: tuple[str, ...] = ()
    settings: str = ""
    complaints: list[str] = field(default_factory=list)
    address: str = ""

    @contextmanager
    def running(self) -> Iterator[Started]:
        """The program inside the block."""
        environment = {**os.environ, **brisk(self.folder), "XDG_DATA_HOME": str(self.folder)}
        with (self.folder / "config" / "companion" / "settings.toml").open("r+") as file:
            waits = file.read()
            file.seek(0)
            file.write(self.settings + waits)
        words = ["start", "--no-browser", "--http-port=0", *self.words]
        environment |= {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
        with programs.Program("companion", words, stdout=PIPE, env=environment) as program:
            assert program.stdout is not None
            found = re.search(r"http://\S+", program.stdout.readline())
            assert found is not None
            self.address = found[0]
            try:
                yield self
            finally:
                program.send_signal(signal.SIGINT)
                program.stdout.read()
        assert program.returncode == 0
        assert self.complaints == []

    def page(self, **options: Any) -> Page:
        """The start page in a context with *options*; its console's errors are complaints."""
        page = self.browser.new_context(**options).new_page()
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        page.goto(self.address)
        expect(page.locator(".card")).to_have_count(len(games.slugs()))
        return page


Start = Callable[..., Started]


@pytest.fixture(scope="module")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A program with a kept game and an unfinished one, at which nobody plays."""
    folder = tmp_path_factory.mktemp("start")
    journals = folder / "companion" / "journals"
    journals.mkdir(parents=True)
    written(journals / "2026-01-02_10-00-00_close-quarters.jsonl", "a1-b2 d8-b8")
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    programs.companion("records", "import", str(written(folder / "whole.jsonl", WHOLE_GAME)), env=environment)
    with Started(browser, folder).running() as started:
        yield started


def test_every_game_has_a_card_with_its_needs_and_its_picture(shared: Started) -> None:
    page = shared.page()
    card = page.locator(".card", has_text="Chess").first
    expect(card).to_contain_text("2 players 5–120 min 8 × 8 cells")
    expect(page.locator(".card", has_text="Tank Chess")).to_contain_text("best with a camera")
    drawn = "all => Promise.all(all.map(each => each.decode().then(() => each.naturalWidth > 0)))"
    page.locator(".card img").last.scroll_into_view_if_needed()
    assert all(page.locator(".card img").evaluate_all(drawn))
    assert violations(page) == []
    page.context.close()


def test_unfinished_and_kept_games_are_listed(shared: Started) -> None:
    page = shared.page()
    expect(page.locator("#unfinished li")).to_contain_text(["Close Quarters2 moves"])
    expect(page.locator("#kept li")).to_contain_text([re.compile("Close QuartersWeapons won · 6 moves")])
    page.get_by_role("link", name="Replay: Close Quarters").click()
    expect(page.locator("#moves button").last).to_have_text("d1xb2#")
    page.context.close()


@pytest.mark.long
def test_the_rules_of_a_game_are_taught(shared: Started) -> None:
    page = shared.page()
    page.get_by_role("button", name="Rules: GOTTAZ").click()
    expect(page.locator("#learn")).to_contain_text("GOTTAZ")
    expect(page.locator("#learn h3").first).to_be_visible()
    page.locator("#learn button").click()
    expect(page.locator("#learn")).to_be_hidden()
    page.context.close()


@pytest.mark.long
def test_the_page_speaks_the_language_that_is_chosen(shared: Started) -> None:
    page = shared.page()
    page.locator("#open-settings").click()
    page.locator("#language").select_option("de")
    page.locator("#settings button").click()
    expect(page.locator("#games-title")).to_have_text("Ein Spiel wählen")
    expect(page.locator(".card", has_text="Schach").first).to_contain_text("2 Spieler")
    page.context.close()


@pytest.mark.long
def test_the_page_fits_every_screen(shared: Started) -> None:
    page = shared.page()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    expect(page.locator(".card").first).to_be_in_viewport(ratio=1)
    page.context.close()


@pytest.mark.long
@pytest.mark.walk("phone")
def test_the_title_stands_beside_the_longest_words_on_a_narrow_phone(shared: Started) -> None:
    page = shared.page(viewport={"width": 360, "height": 640})
    page.locator("#open-settings").click()
    page.locator("#language").select_option("de")
    page.locator("#settings button").click()
    expect(page.locator("#open-join")).to_have_text("Telefone")
    title, button = (page.locator(each).bounding_box() for each in (".start h1", "#open-join"))
    assert title is not None
    assert button is not None
    assert title["x"] + title["width"] <= button["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.context.close()


@pytest.mark.long
def test_a_puzzle_is_shown_and_begins(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        today = page.locator("#puzzle")
        expect(today.locator("h2")).to_have_text("Puzzle of the day")
        expect(today.locator("small")).to_have_text(re.compile(r"^.+: win in \d moves?\.$"))
        assert today.locator("img").evaluate("image => image.decode().then(() => image.naturalWidth > 0)")
        text = today.locator("#puzzle-card").inner_text()
        today.get_by_role("button", name="Another puzzle").click()
        expect(today.locator("h2")).to_have_text("Puzzle")
        game, length = today.get_by_label("Choose a game"), today.get_by_label("Moves of the puzzle")
        game.focus()
        game.select_option("Close Quarters")
        expect(today.locator("b")).to_have_text("Close Quarters")
        expect(game).to_be_focused()
        length.select_option("8 moves")
        expect(today.locator("small")).to_have_text(re.compile(": win in 8 moves"))
        game.select_option("Tank Chess")  # has none of eight moves
        expect(today.locator("b")).to_have_text("Tank Chess")
        expect(length).to_have_value("0")
        assert violations(page) == []
        today.get_by_role("button", name="Solve").click()
        expect(page).to_have_url(started.address)
        expect(page.locator("#notices")).to_contain_text(re.compile(r"Puzzle: win in \d moves?\."))
        expect(page.get_by_role("button", name="Hint")).to_be_visible()
        page.goto(f"{started.address}start")
        expect(page.locator("#puzzle-card")).to_have_text(re.compile(".+"))
        assert page.locator("#puzzle-card").inner_text() == text  # all day long
        page.locator(".card", has_text="Chess").first.get_by_role("button", name="Play").click()
        expect(page.locator("#drop")).to_be_hidden()  # a puzzle is left without a question
        page.context.close()


@pytest.mark.long
def test_a_game_is_chosen_played_left_and_found_again(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page, other = started.page(), started.page()
        page.get_by_role("button", name="Play: Close Quarters").click()
        page.locator("#players input").first.fill("Ann")
        page.locator("#new-game button[value=begin]").click()
        expect(prompt(page)).to_have_text("The Sword moves.")
        play(page, "a1-b2", "a1-b2")
        expect(other.locator("#on-table")).to_contain_text("Close QuartersAnn – ? · 1 move")
        page.get_by_role("link", name="Start page").click()
        page.get_by_role("link", name="Go on").click()
        expect(moves(page)).to_have_text(["a1-b2"])

        other.get_by_role("button", name="Play: GOTTAZ").click()
        expect(other.locator("#drop")).to_be_visible()
        other.locator("#new-game button[value=begin]").click()
        expect(other.locator("#title")).to_have_text("GOTTAZ")
        expect(page.locator("#title")).to_have_text("GOTTAZ")  # the same table
        page.get_by_role("link", name="Start page").click()
        page.get_by_role("button", name="Go on: Close Quarters").click()
        expect(moves(page)).to_have_text(["a1-b2"])
        play(page, "d8-b8", "d8-b8!")


def free_port() -> int:
    """A port at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
    return port


def test_a_board_appears_is_played_on_and_says_when_it_is_unplugged(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    settings = f'port = "socket://127.0.0.1:{port}"\n'
    with Started(browser, tmp_path, settings=settings).running() as started:
        page = started.page()
        expect(page.locator("#devices")).to_contain_text("None is connected")
        words = ["panel", "close-quarters", "--listen", str(port)]
        with programs.Program("companion", words, stdin=PIPE, stdout=PIPE) as panel:
            assert panel.stdin is not None
            expect(page.locator("#devices li")).to_contain_text("Ready · Close Quarters")
            page.locator("#devices button").click()
            expect(page.locator("#place select")).to_have_value(re.compile("^panel:"))
            page.locator("#new-game button[value=begin]").click()
            expect(page.locator("#link")).to_contain_text("Connected")
            page.get_by_role("link", name="Start page").click()
            expect(page.locator("#devices li")).to_contain_text("In use")
            panel.stdin.close()
        expect(page.locator("#devices li")).to_contain_text("Unplugged")

# SPDX-License-Identifier: Apache-2.0
"""The start page in a real Chromium: ways into games, kept games, lessons, and boards."""

from __future__ import annotations

import os
import re
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from companion import games
from companion.host.doctor.flash import program_of
from companion.link.panel import load_panel, panel_names
from tests import programs
from tests.host.tables import HEADER, WHOLE_GAME, written
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
BEFORE = replace(HEADER, began="2026-01-02T10:00:00+01:00")
"""Head of the journal of another game."""


@pytest.fixture(scope="module")
def shared(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A program with a kept game and an unfinished one, at which nobody plays."""
    folder = tmp_path_factory.mktemp("start")
    journals = folder / "companion" / "journals"
    journals.mkdir(parents=True)
    unfinished = written(journals / "2026-01-02_10-00-00_close-quarters.jsonl", "a1-b2 d8-b8", BEFORE)
    environment = {**os.environ, "XDG_DATA_HOME": str(folder)}
    whole = written(folder / "whole.jsonl", WHOLE_GAME)
    programs.companion("records", "import", str(whole), str(unfinished), env=environment)
    with Started(browser, folder).running() as started:
        yield started


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name).click()


def way(page: Page, name: str, game: str) -> Locator:
    """Take the way *name* into *game*; the dialog that follows."""
    page.get_by_role("button", name=f"{name}: {game}", exact=True).click()
    return page.locator("#new-game")


def begin(page: Page) -> None:
    page.locator("#new-game button[value=begin]").click()


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


def test_the_program_of_every_picos_board_can_be_saved_from_the_list_of_boards(shared: Started) -> None:
    page = shared.page()
    tab(page, "Boards")
    page.get_by_text("A board with a Raspberry Pi Pico").click()
    expect(page.locator("#pico li")).to_have_count(3)
    picos = [name for name in panel_names() if load_panel(name).chip == "rp2040"]
    for name in picos:
        with page.expect_download() as saving:
            page.locator(f"#pico a[href='programs/{name}']").click()
        assert saving.value.suggested_filename == f"pico-{name}.uf2"
        assert Path(saving.value.path()).read_bytes() == program_of(name).read_bytes()
    expect(page.locator("#pico a")).to_have_count(len(picos))
    assert page.request.get(f"{shared.address}programs/8x8").status == 404, "avrdude writes that one"
    assert violations(page) == []
    page.context.close()


def test_close_quarters_begins_with_two_clicks_and_the_last_choice_is_remembered(
    browser: Browser, tmp_path: Path
) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        page.evaluate(
            "window.clicks = 0; addEventListener('click', (event) => (clicks += event.isTrusted), true)"
        )
        dialog = way(page, "Against the computer", "Close Quarters")
        expect(dialog.get_by_role("radio", name="1 Newcomer")).to_be_checked()
        expect(dialog.locator(".strength")).to_contain_text("Newcomer · ")
        assert violations(page) == []
        assert page.evaluate("clicks") == 1
        begin(page)  # the second one
        expect(prompt(page)).to_have_text("The Sword moves.")
        expect(page.locator("#far .name")).to_have_text("Computer (Newcomer) · Weapons")
        play(page, "a1-b2", "a1-b2")
        expect(moves(page)).to_have_count(2)  # the computer has answered

        page.get_by_role("link", name="Start page").click()
        dialog = way(page, "Against the computer", "Close Quarters")
        dialog.get_by_role("radio", name="3 Perfect").check()
        expect(dialog.locator(".strength")).to_have_text("Perfect · never errs")
        dialog.get_by_role("radio", name="Weapons").check()
        begin(page)
        expect(page.locator("#far .name")).to_have_text("Computer (Perfect) · Sword")
        page.goto(f"{started.address}start")
        dialog = way(page, "Against the computer", "Close Quarters")
        expect(dialog.get_by_role("radio", name="3 Perfect")).to_be_checked()
        expect(dialog.get_by_role("radio", name="Weapons")).to_be_checked()
        page.context.close()


def test_who_plays_is_chosen_in_one_dialog(shared: Started) -> None:
    page = shared.page()
    dialog = way(page, "A friend here", "Chess")
    expect(dialog.get_by_role("radio", name="A friend here")).to_be_checked()
    expect(dialog.locator("#players")).to_be_hidden()
    dialog.get_by_text("More rules").click()
    sides = dialog.locator("#players select")
    sides.nth(0).select_option("5")
    expect(dialog.get_by_role("radio", name="Against the computer")).to_be_checked()
    expect(dialog.get_by_role("radio", name="5 Player")).to_be_checked()
    expect(dialog.get_by_role("radio", name="Black")).to_be_checked()
    dialog.get_by_role("radio", name="White").check()
    expect(sides.nth(0)).to_have_value("0")
    expect(sides.nth(1)).to_have_value("5")
    dialog.get_by_role("combobox", name="Game", exact=True).select_option("Martian Chess")
    dialog.get_by_role("combobox", name="Players", exact=True).select_option("four")
    assert sides.evaluate_all("all => all.filter((each) => each.value !== '0').length") == 3
    dialog.get_by_role("radio", name="A phone or another place").check()
    expect(dialog.locator("#join-alone")).to_be_visible()  # a test is served to this computer alone
    assert sides.evaluate_all("all => all.every((each) => each.value === '0')")
    assert violations(page) == []
    page.context.close()


def test_an_unfinished_game_and_a_kept_one_are_in_one_list(shared: Started) -> None:
    page = shared.page()
    tab(page, "Your games")
    rows = page.locator("#kept li")
    expect(rows).to_have_count(2)  # the unfinished one is in the store, too
    expect(rows.first).to_contain_text("Sword – WeaponsClose Quarters Weapons won 6 moves")
    expect(rows.last).to_contain_text("Sword – WeaponsClose Quarters Unfinished 2 moves")
    drawn = "all => Promise.all(all.map(each => each.decode().then(() => each.naturalWidth > 0)))"
    assert all(page.locator("#kept img").evaluate_all(drawn))
    expect(rows.last.get_by_role("button", name="Go on: Close Quarters")).to_be_visible()
    assert violations(page) == []
    rows.first.get_by_role("link", name="Review: Close Quarters").click()
    expect(page.locator("#moves button").last).to_have_text("d1xb2#")
    page.go_back()
    expect(page.locator("#kept li")).to_have_count(2)  # the same tab again
    page.context.close()


PGN = """[White "Ann"]
[Black "Ben"]
[Result "1-0"]

1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0

[White "Cid"]
[Black "Dan"]
[Result "*"]

1. e4 e5 2. Ke3 *

[White "Fay"]
[FEN "nowhere"]
[Result "*"]

1. e4 *

[White "Eva"]
[Black "?"]
[Result "*"]

1. d4 d5 *
"""


def test_games_are_imported_and_deleted(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        tab(page, "Your games")
        expect(page.locator("#kept")).to_contain_text("as soon as a move was made")
        page.get_by_label("Or paste the text").fill(PGN)
        page.get_by_role("button", name="Import").click()
        said = page.locator("#imported")
        expect(said).to_contain_text("Kept: 3 games. Known already: 0.")
        expect(said.locator("li").filter(has_text="nowhere")).to_have_count(1)
        expect(said.locator("li").filter(has_text="'Ke3' is not a legal move")).to_have_count(1)
        rows = page.locator("#kept li")
        expect(rows.filter(has_text="Ann – BenChess White won 7 moves")).to_have_count(1)
        expect(rows.filter(has_text="Eva – BlackChess Unfinished 2 moves")).to_have_count(1)
        assert violations(page) == []

        (tmp_path / "more.pgn").write_bytes(PGN.replace("Ann", "Jos\u00e9").encode("latin-1"))
        page.get_by_label("File", exact=True).set_input_files(tmp_path / "more.pgn")
        page.get_by_role("button", name="Import").click()
        expect(said).to_contain_text("Kept: 1 game. Known already: 2.")
        expect(rows.filter(has_text="José – Ben")).to_have_count(1)
        (tmp_path / "large.pgn").write_text(PGN * 5_000)
        page.get_by_label("File", exact=True).set_input_files(tmp_path / "large.pgn")
        page.get_by_role("button", name="Import").click()
        expect(said).to_contain_text("larger than 1 MB")

        ann = rows.filter(has_text="Ann")
        ann.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Keep it").click()
        expect(rows).to_have_count(4)
        ann.get_by_role("button", name="Delete").click()
        expect(page.locator("#confirm")).to_contain_text("Delete Chess, Ann – Ben?")
        page.locator("#confirm").get_by_role("button", name="Delete").click()
        expect(rows).to_have_count(3)
        page.context.close()


def test_an_unfinished_game_is_deleted_with_its_journal(browser: Browser, tmp_path: Path) -> None:
    journals = tmp_path / "companion" / "journals"
    journals.mkdir(parents=True)
    path = written(journals / "2026-01-02_10-00-00_close-quarters.jsonl", "a1-b2 d8-b8")
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        tab(page, "Your games")
        page.get_by_role("button", name="Delete").click()
        page.locator("#confirm").get_by_role("button", name="Delete").click()
        expect(page.locator("#kept .empty")).to_be_visible()
        assert not path.exists()
        page.context.close()


def test_every_part_is_above_the_fold_and_one_key_away(shared: Started) -> None:
    page = shared.page()
    parts = {"Play": "#cards", "Your games": "#kept", "Learn": "#puzzle-card", "Boards": "#devices"}
    for name, content in parts.items():
        expect(page.get_by_role("tab", name=name)).to_be_in_viewport(ratio=1)
        tab(page, name)
        expect(page.locator(content)).to_be_in_viewport()
        expect(page.get_by_role("tabpanel")).to_have_count(1)
        assert violations(page) == [], name
    page.get_by_role("tab", name="Boards").press("ArrowRight")
    expect(page.get_by_role("tab", name="Play")).to_be_focused()
    expect(page.locator("#cards")).to_be_visible()
    page.context.close()


@pytest.mark.long
def test_the_rules_of_a_game_are_taught(shared: Started) -> None:
    page = shared.page()
    tab(page, "Learn")
    page.get_by_role("button", name="Rules: GOTTAZ").click()
    expect(page.locator("#learn")).to_contain_text("GOTTAZ")
    expect(page.locator("#learn h3").first).to_be_visible()
    drawn = "all => Promise.all(all.map(each => each.decode().then(() => each.naturalWidth > 0)))"
    boards = page.locator("#learn-text img").evaluate_all(drawn)
    assert len(boards) > 2
    assert all(boards)
    page.locator("#learn button").click()
    expect(page.locator("#learn")).to_be_hidden()
    page.context.close()


@pytest.mark.long
def test_the_page_speaks_the_language_that_is_chosen(shared: Started) -> None:
    page = shared.page()
    page.locator("#open-settings").click()
    page.locator("#language").select_option("de")
    page.locator("#settings [data-label=close]").click()
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
    page.locator("#settings [data-label=close]").click()
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
        tab(page, "Learn")
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
        tab(page, "Learn")
        expect(page.locator("#puzzle-card")).to_have_text(re.compile(".+"))
        assert page.locator("#puzzle-card").inner_text() == text  # all day long
        tab(page, "Play")
        way(page, "A friend here", "Chess")
        expect(page.locator("#drop")).to_be_hidden()  # a puzzle is left without a question
        page.context.close()


@pytest.mark.long
def test_a_game_is_chosen_played_left_and_found_again(browser: Browser, tmp_path: Path) -> None:
    with Started(browser, tmp_path).running() as started:
        page, other = started.page(), started.page()
        way(page, "A friend here", "Close Quarters").get_by_text("More rules").click()
        page.locator("#players input").first.fill("Ann")
        begin(page)
        expect(prompt(page)).to_have_text("The Sword moves.")
        play(page, "a1-b2", "a1-b2")
        expect(other.locator("#on-table")).to_contain_text("Close QuartersAnn – Weapons · 1 move")
        page.get_by_role("link", name="Start page").click()
        page.get_by_role("link", name="Go on").click()
        expect(moves(page)).to_have_text(["a1-b2"])

        way(other, "A friend here", "GOTTAZ")
        expect(other.locator("#drop")).to_be_visible()
        begin(other)
        expect(other.locator("#title")).to_have_text("GOTTAZ")
        expect(page.locator("#title")).to_have_text("GOTTAZ")  # the same table
        page.get_by_role("link", name="Start page").click()
        tab(page, "Your games")
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
        tab(page, "Boards")
        expect(page.locator("#devices")).to_contain_text("None is connected")
        words = ["tools", "simulate", "close-quarters", "--listen", str(port)]
        with programs.Program("companion", words, stdin=PIPE, stdout=PIPE) as panel:
            assert panel.stdin is not None
            expect(page.locator("#devices li")).to_contain_text("Ready · Close Quarters")
            page.locator("#devices button").click()
            expect(page.locator("#place select")).to_have_value(re.compile("^panel:"))
            begin(page)
            expect(page.locator("#link")).to_contain_text("Connected")
            page.get_by_role("link", name="Start page").click()
            tab(page, "Boards")
            expect(page.locator("#devices li")).to_contain_text("In use")
            panel.stdin.close()
        expect(page.locator("#devices li")).to_contain_text("Unplugged")

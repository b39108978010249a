# SPDX-License-Identifier: Apache-2.0
"""The screens of the page, for golden pictures and for accessibility in every state."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeAlias

from playwright.sync_api import Browser, Page, expect

from tests.host.tables import WHOLE_GAME, written
from tests.page.conftest import ended, soldered, started
from tests.page.fingers import Fingers, middle
from tests.page.test_page import PAUSE, RECORD, carry, cell, more, play, prompt
from tests.page.test_start_page import Started
from tests.programs import companion

PLAYERS: Final = ("--player", "Ann", "--player", "Ben")
TWO_PAWNS: Final = "start=4k3/8/8/1p1p4/2B5/8/8/4K3 w - - 0 1"
PROMOTION: Final = ("-o", "start=7k/P7/8/8/8/8/8/K7 w - - 0 1", *PLAYERS)

NO_BLINKING: Final = "performance.now = () => 0;"
"""By this clock lamps blink."""

Shown: TypeAlias = Iterator[tuple[str, Page]]
"""Screens with their names, each shown until the next one is asked for."""


@contextmanager
def table(browser: Browser, game: str, *words: str, language: str = "en") -> Iterator[Page]:
    """The page of a new table without clocks, with the motion switched off."""
    with tempfile.TemporaryDirectory() as folder:
        program = started(Path(folder), *words, game=game)
        context = browser.new_context(
            viewport={"width": 1440, "height": 900}, reduced_motion="reduce", locale=language
        )
        context.add_init_script(NO_BLINKING)
        page = context.new_page()
        page.goto(f"{program.address}?language={language}")
        expect(prompt(page)).not_to_be_empty()
        expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        yield page
        context.close()
        ended(program)


def lift(page: Page, name: str) -> None:
    """Take the piece on *name* into the hand."""
    cell(page, name).click()
    expect(page.locator(".hand .piece")).to_have_count(1)


def dialog(page: Page, opener: str) -> None:
    """Open a dialog by the button *opener*."""
    page.locator(opener).click()
    expect(page.locator("dialog[open]")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")  # whatever the click has scrolled


def keep_in_sight(page: Page, selector: str) -> None:
    """Scroll to the first *selector* now, and in every size of window."""
    page.evaluate("wanted => (onresize = () => document.querySelector(wanted).scrollIntoView())()", selector)


def close_quarters(browser: Browser, language: str) -> Shown:
    """A game from the first move to its review."""
    with table(browser, "close-quarters", *PLAYERS, language=language) as page:
        lift(page, "a1")
        yield "lifted", page
        cell(page, "b2").click()
        expect(page.locator("#moves li.announced")).to_have_count(1)
        carry(page, "a8-a5")
        expect(page.locator("#guides li")).not_to_have_count(0)
        yield "illegal", page
        carry(page, "a5-a8")
        expect(page.locator("#guides li")).to_have_count(0)
        play(page, "d8-b8", "d8-b8!")
        expect(page.locator("#cry")).not_to_be_empty()
        yield "check", page
        address = page.url
        page.goto(f"{address}&big")
        expect(page.locator("#cry")).not_to_be_empty()
        yield "big-screen", page
        page.goto(address)
        expect(page.locator("#cry")).not_to_be_empty()
        dialog(page, "[data-command=draw]")
        yield "draw", page
        page.locator("dialog[open] button").first.click()
        expect(page.locator("#offer")).not_to_be_empty()
        yield "draw-offered", page
        dialog(page, "[data-command=resign]")
        yield "resign", page
        page.locator("dialog[open] button").first.click()
        expect(page.locator("[data-command=rematch]")).to_be_visible()
        yield "end", page
        page.locator("#moves button").first.click()
        expect(page.locator("#curve .blunder")).not_to_have_count(0)
        expect(page.locator("#judged-status")).to_be_empty()  # analysed to the end
        yield "review", page
        dialog(page, "#review-share")
        yield "share", page


def chess(browser: Browser, language: str) -> Shown:
    """A question, and the dialogs of a table."""
    with table(browser, "chess", *PROMOTION, language=language) as page:
        lift(page, "a7")
        cell(page, "a8").click()
        expect(page.locator("#question button")).to_have_count(4)
        yield "question", page
    with table(browser, "chess", *PLAYERS, language=language) as page:
        lift(page, "a1")
        expect(prompt(page)).not_to_have_text("")
        yield "immobile", page
        page.keyboard.press("Escape")
        expect(page.locator(".hand .piece")).to_have_count(0)
        for name, opener in (
            ("settings", "#open-settings"),
            ("keys", "#open-keys"),
            ("seats", "#seat"),
            ("new-game", "[data-command=more]"),
        ):
            if name == "keys":
                dialog(page, "#open-settings")
            dialog(page, opener)
            if name == "new-game":
                dialog(page, "#confirm button >> nth=0")
            yield name, page
            page.keyboard.press("Escape")
            expect(page.locator("dialog[open]")).to_have_count(0)
            page.set_viewport_size({"width": 1440, "height": 900})
        more(page, PAUSE)
        expect(page.locator("[data-command=resume]")).to_be_visible()
        yield "pause", page


def candidates(browser: Browser, language: str) -> Shown:
    """Two moves that the board cannot tell apart, as arrows."""
    with table(browser, "chess", "-o", TWO_PAWNS, "--sensor", "occupancy", language=language) as page:
        standing = page.locator("#board .pieces > *")
        for name in ("c4", "b5", "d5"):
            count = standing.count()
            cell(page, name).focus()
            page.keyboard.press("Delete")
            expect(standing).to_have_count(count - 1)
        for owner, name in ((0, "b5"), (1, "d5")):
            page.locator(f".owner-{owner} button.heap").first.click()
            expect(page.locator(".hand .piece")).to_have_count(1)
            cell(page, name).click()
            expect(page.locator(".hand .piece")).to_have_count(0)
        expect(page.locator("#board .tap .way")).to_have_count(2)
        page.mouse.move(0, 0)
        yield "arrows", page


def choose(page: Page, *settings: tuple[str, str]) -> None:
    """Choose values of *settings* in their dialog."""
    dialog(page, "#open-settings")
    for setting, value in settings:
        page.locator(f"[data-pref={setting}]").select_option(value)
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)


def boards_and_pieces(browser: Browser, language: str) -> Shown:
    """The other boards and pieces, and the enlarged board of a phone."""
    with table(browser, "chess", language=language) as page:
        for board in ("green", "slate"):
            choose(page, ("board", board))
            yield board, page
        choose(page, ("board", "wood"), ("pieces", "tokens"), ("coordinates", "in"))
        expect(page.locator(".pieces .token")).to_have_count(32)
        yield "tokens", page
    with table(browser, "fightopia", language=language) as page:
        choose(page, ("pieces", "tokens"), ("coordinates", "off"))
        expect(page.locator(".pieces .token")).not_to_have_count(0)
        yield "fightopia-tokens", page
    with table(browser, "tank-chess", language=language) as page:
        page.set_viewport_size({"width": 390, "height": 844})
        fingers = Fingers(page)
        for _ in range(2):
            fingers.tap(middle(page, "[data-cell='19'] .floor"))
        expect(page.locator("body.zoomed")).to_be_visible()
        yield "zoomed", page


def own_options(browser: Browser, language: str) -> Shown:
    """The fields of the new-game dialog for values beyond its lists."""
    with table(browser, "chess", language=language) as page:
        more(page)
        page.locator("#more summary").click()
        page.locator("select[name=start]").select_option("own-text")
        page.locator("#options input[type=text]").fill("4k3/8/8/8/8/8/8/4K2X w - - 0 1")
        page.locator("#new-game button[value=begin]").click()
        expect(page.locator("#refused")).not_to_be_empty()
        yield "fen", page
        page.locator("#game").select_option("tank-chess")
        page.locator("select[name=map]").select_option("own-text")
        keep_in_sight(page, "select[name=map]")
        yield "map", page
        page.locator("#game").select_option("gottaz")
        page.locator("select[name=pawns]").select_option("own-parts")
        page.locator("#options input[type=checkbox]").first.check()
        keep_in_sight(page, ".choice")
        yield "pawns", page


def two_browsers(browser: Browser, language: str) -> Shown:
    """A seat that is asked for, a watcher, and the correction of the record."""
    with table(browser, "chess", *PLAYERS, language=language) as page:
        for move, written in (("e2-e4", "e4"), ("d7-d5", "d5"), ("e4-d5", "exd5")):
            play(page, move, written)
        more(page, RECORD)
        page.evaluate("scrollTo(0, 0)")
        yield "put-right", page
        page.keyboard.press("Escape")
        expect(page.locator("dialog[open]")).to_have_count(0)
        page.set_viewport_size({"width": 1440, "height": 900})
        other = browser.new_page(viewport={"width": 1440, "height": 900})
        other.goto(page.url)
        for each in (page, other):
            dialog(each, "#seat")
            each.locator("#seats button").first.click()
        expect(page.locator("#claims .claim")).to_be_visible()
        yield "claim", page
        other.goto(f"{page.url}&watch")
        expect(other.locator("#far .heap")).to_have_count(1)
        yield "watch", other
        other.close()


def tanks(browser: Browser, language: str) -> Shown:
    """A tank in the hand, and the compass round one that may have been turned."""
    with table(browser, "tank-chess", language=language) as page:
        page.locator('[data-cell="2"]').click()
        expect(page.locator(".hand .piece")).to_have_count(1)
        yield "tank-lifted", page
    with (
        soldered("tank-chess") as (hands, panel),
        table(browser, "tank-chess", "--port", panel, language=language) as page,
    ):
        print("press 1", file=hands, flush=True)  # nothing has left its cell: some tank was turned
        page.locator("#question button", has_text="C3").click()
        expect(page.locator(".tap .disc")).not_to_have_count(0)
        yield "compass", page


def real_board(browser: Browser, language: str) -> Shown:
    """Captured pieces at a real board: game, big screen, review."""
    with (
        soldered("chess") as (hands, panel),
        table(browser, "chess", "--port", panel, *PLAYERS, language=language) as page,
    ):
        for count, orders in enumerate(
            (("e2 e4",), ("d7 d5",), ("away d5", "e4 d5"), ("away d5", "d8 d5")), 1
        ):
            for order in orders:
                print(order, file=hands, flush=True)
            expect(page.locator("#moves li:not(.provisional)")).to_have_count(count)
        yield "captured", page
        address = page.url
        page.goto(f"{address}&big")
        expect(page.locator(".heap")).to_have_count(2)
        yield "captured-big", page
        page.goto(address)
        page.locator("#moves button").nth(2).click()
        expect(page.locator(".heap")).to_have_count(1)
        yield "captured-review", page


def gottaz(browser: Browser, language: str) -> Shown:
    """A pawn from the hand, and the choice from the pool."""
    with table(browser, "gottaz", language=language) as page:
        page.locator("#near button.heap").first.click()
        expect(page.locator(".target")).to_have_count(5)
        yield "hand", page
    with table(browser, "gottaz", "-o", "pawns=common", language=language) as page:
        page.locator("#near .done").click()
        expect(page.locator("#question button")).not_to_have_count(0)
        yield "pool", page


def other_games(browser: Browser, language: str) -> Shown:
    """The boards of the other games, and the menu on a board."""
    for game in ("fightopia", "martian-chess", "tank-chess"):
        with table(browser, game, language=language) as page:
            yield game, page
    with table(browser, "chess", language=language) as page:
        more(page)
        page.locator("#at-board").click()
        expect(page.locator("#board .menu text")).not_to_have_count(0)
        page.mouse.move(0, 0)
        yield "board-menu", page


def keep_games(folder: Path) -> None:
    """Keep a whole game in *folder*, and the journal of an unfinished one."""
    journals = folder / "companion" / "journals"
    journals.mkdir(parents=True)
    written(journals / "2026-01-02_10-00-00_close-quarters.jsonl", "a1-b2 d8-b8")
    kept = str(written(folder / "whole.jsonl", WHOLE_GAME))
    companion("records", "import", kept, env={**os.environ, "XDG_DATA_HOME": str(folder)})


def start_page(browser: Browser, language: str) -> Shown:
    """The start page, its dialogs, and a lesson."""
    with tempfile.TemporaryDirectory() as folder, Started(browser, Path(folder)).running() as program:
        keep_games(Path(folder))
        page = program.page(viewport={"width": 1440, "height": 900})
        page.add_init_script(NO_BLINKING)
        page.locator("#open-settings").click()
        page.locator("#language").select_option(language)
        page.keyboard.press("Escape")
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.locator(".card .way").first).to_be_visible()
        yield "start", page
        page.locator("#tab-games").click()
        expect(page.locator("#kept img").first).to_be_visible()
        yield "start-games", page
        page.locator("#tab-learn").click()
        expect(page.locator("#puzzle img")).to_be_visible()
        yield "start-learn", page
        for name, opener in (
            ("phones", "#open-join"),
            ("rules", "#taught li:nth-child(4) button:last-child"),
        ):
            dialog(page, opener)
            yield name, page
            page.keyboard.press("Escape")
            expect(page.locator("dialog[open]")).to_have_count(0)
        dialog(page, "#taught li:nth-child(3) button:first-of-type")
        yield "lessons", page
        page.locator("#learn .primary").click()
        expect(page.locator("#lesson h2")).not_to_be_empty()
        expect(page.locator(".lamp:not(.lamp-0)")).not_to_have_count(0)
        yield "lesson", page
        page.context.close()


GROUPS: Final[dict[str, Callable[[Browser, str], Shown]]] = {
    each.__name__.replace("_", "-"): each
    for each in (
        close_quarters,
        chess,
        candidates,
        boards_and_pieces,
        own_options,
        two_browsers,
        tanks,
        real_board,
        gottaz,
        other_games,
        start_page,
    )
}

# SPDX-License-Identifier: Apache-2.0
"""Over a whole game no command, board or list of the page moves."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.host.test_round_trips import played
from tests.page.looks import SIZES
from tests.page.test_every_game import Player, sit
from tests.page.test_page import PAUSE, carry, cell, more, play, prompt

from .conftest import NewGame, Start

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]
__all__ = ["sit"]
"""A fixture of another file that a test needs."""

NAMES = ("Ann", "Ben")
PROMOTION = (
    "--player",
    "Ann",
    "--player",
    "Ben",
    "--clock",
    "5+3",
    "-o",
    "start=8/P6k/8/8/8/8/7K/8 w - - 0 1",
)
PARTS = (
    "header, #tools, #tools button, #seat, #board, #far, #near, #message, #record, #moves, #commands, "
    ".slot button, .seat .clock"
)
Boxes: TypeAlias = dict[str, tuple[float, float, float, float]]

PLACES = """parts => Object.fromEntries([...document.querySelectorAll(parts)].map((each, number) => {
  const { x, y, width, height } = each.getBoundingClientRect();
  return [`${number} ${each.id || each.dataset.command || each.className}`, [x + scrollX, y + scrollY, width, height]];
}))"""


def places(page: Page) -> Boxes:
    """Where every part of the page is, with its size."""
    found: Boxes = page.evaluate(PLACES, PARTS)
    return found


def opened(browser: Browser, address: str, size: str, words: str = "") -> Page:
    """The page in a window of *size*."""
    width, height = SIZES[size]
    page = browser.new_page(viewport={"width": width, "height": height})
    page.goto(f"{address}{words}")
    expect(prompt(page)).not_to_be_empty()
    return page


def command(page: Page, name: str) -> Locator:
    """The button of the command *name*, in any language."""
    return page.locator(f"[data-command={name}]")


class Still:
    """Compares the places of all parts with those at the start, in several sizes."""

    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages
        self.first = {size: places(page) for size, page in pages.items()}

    def compare(self, moment: str, selector: str, text: str | re.Pattern[str]) -> None:
        """Wait until *selector* has *text* on all pages; nothing has moved until then."""
        for size, page in self.pages.items():
            expect(page.locator(selector).first).to_contain_text(text)
            now, first = places(page), self.first[size]
            assert now.keys() == first.keys()
            moved = {name: (first[name], now[name]) for name in now if now[name] != first[name]}
            assert moved == {}, f"{size}, {moment}"

    def close(self) -> None:
        for page in self.pages.values():
            page.close()


LANGUAGES = ("de", "ja")
"""The longest language, and the one with the widest letters; English is always tested."""


@pytest.mark.long
@pytest.mark.parametrize("words", ["", *(f"?language={each}" for each in LANGUAGES)])
def test_nothing_moves_in_a_game_with_an_illegal_move_check_and_the_end(
    browser: Browser, new_game: NewGame, words: str
) -> None:
    address = new_game(names=NAMES, clock="5+3")
    still = Still({size: opened(browser, address, size, words) for size in SIZES})
    table = still.pages["desktop"]
    cell(table, "a1").click()
    still.compare("a piece in the hand", "#tray", re.compile(r"\S"))
    cell(table, "b2").click()
    still.compare("a move", "#moves li", "a1-b2")
    expect(table.locator("#moves li").first).to_have_class("announced")
    carry(table, "a8-a5")
    still.compare("an illegal move", "#guides", re.compile(r"\S"))
    expect(command(table, "set-right")).to_be_visible()
    carry(table, "a5-a8")
    play(table, "d8-b8", "d8-b8!")
    still.compare("CHECK!", "#cry", re.compile(r"\S"))
    command(table, "draw").click()
    table.get_by_role("dialog").get_by_role("button").first.click()
    still.compare("an offer", "#offer", re.compile(r"\S"))
    more(table, PAUSE)
    expect(command(table, "resume")).to_be_visible()
    still.compare("a pause", "#prompt", re.compile(r"\S"))
    command(table, "resume").click()
    command(table, "resign").click()
    table.get_by_role("dialog").get_by_role("button").first.click()
    still.compare("the end", "#now", re.compile(r"\S"))
    still.close()


CHECKING = (
    "-o",
    "start=7k/P7/8/8/8/8/8/K7 w - - 0 1",
    "--player",
    "Ann",
    "--player",
    "Ben",
    "--clock",
    "5+3",
)


@pytest.mark.long
def test_nothing_moves_in_one_game_with_an_illegal_move_a_question_check_and_the_end(
    browser: Browser, start: Start
) -> None:
    address = start(*CHECKING, game="chess").address
    still = Still({size: opened(browser, address, size) for size in SIZES})
    table = still.pages["desktop"]
    carry(table, "a1-a4")
    still.compare("an illegal move", "#guides", re.compile(r"\S"))
    command(table, "set-right").click()
    expect(table.locator("#guides li")).to_have_count(0)
    cell(table, "a7").click()
    still.compare("a piece in the hand", "#tray", re.compile(r"\S"))
    cell(table, "a8").click()
    still.compare("a question", "#question", re.compile("queen", re.IGNORECASE))
    table.locator("#question").get_by_role("button", name="queen").click()
    still.compare("CHECK!", "#cry", "CHECK!")
    command(table, "resign").click()
    table.get_by_role("dialog").get_by_role("button", name="Ben").click()
    still.compare("the end", "#now", re.compile(r"\S"))
    still.close()


@pytest.mark.long
def test_the_last_move_is_in_sight_on_every_screen(browser: Browser, new_game: NewGame) -> None:
    address = new_game(names=NAMES, clock="5+3")
    still = Still({size: opened(browser, address, size) for size in SIZES})
    table = still.pages["desktop"]
    for move, written in zip(
        ("a1-b2", "d8-b8", "b2-c3", "b8-b2", "c3-b2"),
        ("a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2"),
        strict=True,
    ):
        play(table, move, written)
    still.compare("a captured piece", "#moves li:last-child", "c3xb2")
    for size, page in still.pages.items():
        expect(page.locator("#moves li").last).to_be_in_viewport()
        last, moves = (page.locator(each).bounding_box() for each in ("#moves li:last-child", "#moves"))
        assert last is not None
        assert moves is not None
        assert last["x"] + last["width"] <= moves["x"] + moves["width"], size
    still.close()


@pytest.mark.long
def test_nothing_moves_when_the_page_asks_and_commands_stay_in_the_window(
    browser: Browser, start: Start
) -> None:
    address = start(*PROMOTION, game="chess").address
    still = Still({size: opened(browser, address, size) for size in SIZES})
    table = still.pages["desktop"]
    cell(table, "a7").click()
    expect(table.locator(".hand .piece")).to_have_count(1)
    cell(table, "a8").click()
    still.compare("a question", "#question", re.compile("queen", re.IGNORECASE))
    for size, page in still.pages.items():
        width, height = SIZES[size]
        assert page.evaluate(
            "[document.documentElement.scrollWidth, document.documentElement.scrollHeight]"
        ) == [
            width,
            height,
        ], size
    table.locator("#question").get_by_role("button", name="queen").click()
    still.compare("an answer", "#moves li", "a8=Q")
    still.close()


@pytest.mark.long
def test_few_buttons_stand_below_the_board_and_resign_stands_last_and_apart(
    browser: Browser, new_game: NewGame
) -> None:
    address = new_game()
    for size in SIZES:
        page = opened(browser, address, size)
        assert 5 <= page.locator("button:visible:not([data-cell])").count() <= 8, size
        last, other = (page.locator(f"#commands [data-command={each}]") for each in ("resign", "draw"))
        assert page.locator("#commands button").last.get_attribute("data-command") == "resign"
        resign, draw = last.bounding_box(), other.bounding_box()
        assert resign is not None
        assert draw is not None
        assert resign["x"] > draw["x"] + draw["width"]
        page.close()


@pytest.mark.long
def test_the_panels_display_is_drawn_if_somebody_wants_it(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game(), "desktop")
    display = page.locator("#display")
    expect(display).to_be_hidden()
    page.get_by_role("button", name="Settings").click()
    page.get_by_label("The board's display").check()
    page.keyboard.press("Escape")
    expect(display).to_contain_text("Sword to move")
    expect(display).to_be_visible()
    page.close()


GAMES: tuple[tuple[str, dict[str, str]], ...] = (
    ("chess", {}),
    ("fightopia", {}),
    ("gottaz", {}),
    ("martian-chess", {}),
    ("martian-chess", {"players": "3"}),
    ("tank-chess", {}),
)


@pytest.mark.long
@pytest.mark.parametrize(("slug", "options"), GAMES)
def test_nothing_moves_over_a_random_game(
    browser: Browser, start: Start, sit: Callable[..., Player], slug: str, options: dict[str, str]
) -> None:
    player = sit(slug, **options)
    still = Still({size: opened(browser, player.page.url, size) for size in SIZES})
    for text in played(slug, options, 7, 8, is_resigned=False).moves:
        player.play(text)
        still.compare(text, "#moves li", re.compile(r"\S"))
    still.close()


CUT = """() => [
  ...[...document.querySelectorAll(".slot button:not(.away), #answers button")]
    .filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.textContent),
  ...["commands"].filter((id) => new Set(
    [...document.getElementById(id).children].filter((slot) => !slot.hidden).map((slot) => slot.offsetTop)).size > 1),
  ...["said", "answers"].filter((id) => {
    const { scrollHeight, clientHeight } = document.getElementById(id);
    return scrollHeight > clientHeight + 2;
  }),
]"""
"""Commands whose words are cut, groups of two rows, and texts that scroll."""


@pytest.mark.parametrize(
    "language",
    ["de", *(pytest.param(code, marks=pytest.mark.long) for code in ("en", "es", "fr", "hr", "ja"))],
)
def test_the_words_of_every_language_have_room(browser: Browser, start: Start, language: str) -> None:
    address = start(*PROMOTION, game="chess").address
    page = opened(browser, address, "desktop", f"?language={language}")
    cell(page, "a7").click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, "a8").click()
    expect(page.locator("#question button")).to_have_count(4)
    for size, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(CUT) == [], size
    for width in (390, 360):
        page.set_viewport_size({"width": width, "height": 740})
        assert page.evaluate("document.documentElement.scrollWidth") == width
    page.close()


@pytest.mark.long
def test_switching_sound_off_moves_no_tool(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game(), "desktop")
    where = "document.querySelector('#tools').lastElementChild.getBoundingClientRect().x + ' ' + tools.offsetWidth"
    before = page.evaluate(where)
    page.get_by_role("button", name="Sound").click()
    expect(page.get_by_role("button", name="Sound")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate(where) == before
    page.close()


WHOLE = """() => {
  const [said, prompt] = ["said", "prompt"].map((id) => document.getElementById(id).getBoundingClientRect());
  const [title, seat] = ["title", "seat"].map((id) => document.getElementById(id).getBoundingClientRect());
  return [prompt.top >= said.top && prompt.bottom <= said.bottom, title.right <= seat.left];
}"""
"""Whether the sentence is seen whole above its answers, and the title beside its neighbour."""


@pytest.mark.long
@pytest.mark.parametrize("size", SIZES)
def test_a_long_sentence_and_the_title_are_seen_whole(browser: Browser, new_game: NewGame, size: str) -> None:
    address = new_game(game="tank-chess", names=NAMES, clock="15+10")
    page = opened(browser, address, size, "?language=de")
    page.locator('[data-cell="2"]').click()
    expect(page.locator("#board")).to_have_class(re.compile(r"\bholding\b"))
    page.locator('[data-cell="0"]').click()
    expect(prompt(page)).to_contain_text("nach A1 4 Schritte")
    page.locator('[data-cell="5"]').click()
    expect(page.locator("#tray button").first).to_be_visible()
    assert page.evaluate(WHOLE) == [True, True]
    page.close()

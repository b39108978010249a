# SPDX-License-Identifier: Apache-2.0
"""Accessibility: axe-core on the page in every state, theme and size.

Also, the big screen fills the whole screen and keeps it awake.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import product

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.desks import watch_for
from tests.page.test_page import cell, more, play, prompt
from tests.page.test_whole_page import violations

from .conftest import NewGame, Start, soldered

pytestmark = pytest.mark.browser

SIZES = {"phone": (390, 844), "desktop": (1280, 800)}
LOOKS = (("dark", "phone"), ("light", "desktop"))
"""Every theme and every size; the other two combinations with `--long`."""
Faults = Callable[..., list[str]]
LOCKS = """
window.locks = [];
const request = WakeLock.prototype.request;
WakeLock.prototype.request = async function (kind) {
  const lock = await request.call(this, kind);
  locks.push(lock);
  return lock;
};
"""
"""Keeps every wake lock of the browser, to ask whether it still holds."""


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A person's browser."""
    made = browser.new_context(viewport={"width": 1280, "height": 800})
    yield made
    made.close()


def opened(context: BrowserContext, address: str, words: str = "") -> Page:
    """The page at *address*, as soon as the table has told what to do."""
    page = context.new_page()
    page.goto(f"{address}{words}")
    expect(prompt(page)).not_to_be_empty()
    return page


@pytest.fixture
def faults(*, is_long: bool) -> Faults:
    """Find what axe-core reports on a page in all looks, or in some."""
    every = tuple(product(("dark", "light"), SIZES)) if is_long else LOOKS

    def find(page: Page, *some: tuple[str, str]) -> list[str]:
        found = []
        for scheme, size in every if is_long else some or every:
            width, height = SIZES[size]
            page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
            expect(page.locator("html")).to_have_attribute("data-theme", scheme)
            page.set_viewport_size({"width": width, "height": height})
            found += [f"{size}, {scheme}: {each}" for each in violations(page)]
            assert page.evaluate("document.documentElement.scrollWidth") <= width, (size, scheme)
        return found

    return find


def test_a_question_on_the_page_is_accessible(context: BrowserContext, start: Start, faults: Faults) -> None:
    address = start("-o", "start=8/P6k/8/8/8/8/7K/8 w - - 0 1", "--clock", "5+3", game="chess").address
    page = opened(context, address)
    cell(page, "a7").click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, "a8").click()
    expect(prompt(page)).to_contain_text("What has the piece on a8 become?")
    page.locator("#question button").first.focus()
    expect(page.locator(".pointed path")).to_have_count(1)
    assert faults(page) == []
    for words, look in zip(("?big", "?watch"), LOOKS, strict=True):
        assert faults(opened(context, address, words), look) == [], words


@pytest.mark.long
def test_a_set_up_table_is_accessible(context: BrowserContext, start: Start, faults: Faults) -> None:
    with soldered("gottaz") as (_, empty), soldered("close-quarters") as (hands, panel):
        print("away a8", file=hands, flush=True)
        page = opened(context, start("--port", panel).address)
        expect(page.locator("#guides")).to_contain_text("Put the Axe on a8.")
        expect(page.locator(".pieces .piece")).to_have_count(3)  # what is to be put there is not there yet
        expect(page.locator(".guide.piece")).to_have_count(1)
        expect(page.get_by_role("button", name=re.compile("^a8"))).to_have_accessible_name(
            "a8, Put the Axe on a8."
        )
        assert faults(page) == []
        assert faults(opened(context, start("--port", empty, game="gottaz").address)) == []


def test_a_real_boards_misplaced_piece_is_shown_with_the_way_back(
    context: BrowserContext, start: Start
) -> None:
    with soldered("fightopia") as (hands, panel):
        page = opened(context, start("--port", panel, game="fightopia").address)
        expect(prompt(page)).to_have_text("White moves.")
        print("c3 c5", file=hands, flush=True)
        expect(page.locator("#guides")).to_contain_text("from c5 to c3")
        expect(cell(page, "c5")).to_have_accessible_name(re.compile("^c5, pawn, "))
        expect(cell(page, "c3")).to_have_accessible_name(re.compile("^c3, Move"))
        expect(page.locator(".guide.arrow")).to_have_count(1)


@pytest.mark.long
def test_a_finished_game_is_accessible(context: BrowserContext, new_game: NewGame, faults: Faults) -> None:
    address = new_game(names=("Ann", "Ben"), clock="5+3")
    page = opened(context, address)
    play(page, "a1-b2", "a1-b2")
    page.get_by_role("button", name="Resign").click()
    assert faults(page) == []  # the question who does
    page.get_by_role("dialog").get_by_role("button", name="Weapons").click()
    expect(prompt(page)).to_contain_text("The Sword wins")
    assert faults(page) == []
    assert faults(opened(context, address, "?big")) == []


@pytest.mark.long
def test_the_game_chooser_and_the_settings_are_accessible(
    context: BrowserContext, new_game: NewGame, faults: Faults
) -> None:
    page = opened(context, new_game("martian-chess"))
    more(page)
    assert faults(page) == []
    page.get_by_text("More rules").click()
    page.locator("select[name=players]").select_option("6")
    expect(page.locator("#players .player")).to_have_count(6)
    assert faults(page) == []
    page.get_by_role("button", name="Cancel").click()
    page.set_viewport_size({"width": 1280, "height": 800})
    for button in ("Settings", "Keys"):  # the second one is in the first dialog
        page.get_by_role("button", name=button, exact=True).click()
        assert faults(page) == [], button
    page.keyboard.press("Escape")


def test_the_big_screen_is_full_screen_and_keeps_the_device_awake(
    windowed_browser: Browser, new_game: NewGame
) -> None:
    context = windowed_browser.new_context(viewport={"width": 1280, "height": 900}, locale="en-GB")
    context.add_init_script(LOCKS)
    page = opened(context, new_game())
    held = "locks.filter((lock) => !lock.released).length"
    page.keyboard.press("b")
    watch_for(page, "() => document.fullscreenElement === document.documentElement")
    watch_for(page, f"() => {held} === 1")
    page.evaluate("locks[0].release()")  # as a browser does whose window is put behind another
    watch_for(page, f"() => {held} === 0")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")  # and in front again
    watch_for(page, f"() => {held} === 1")
    page.evaluate("document.exitFullscreen()")  # as Escape does, which the browser keeps to itself
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    watch_for(page, f"() => {held} === 0")
    page.keyboard.press("b")
    watch_for(page, f"() => {held} === 1 && Boolean(document.fullscreenElement)")
    page.keyboard.press("b")
    watch_for(page, f"() => {held} === 0 && !document.fullscreenElement")


def test_the_big_screen_works_without_full_screen_and_wake_lock(
    context: BrowserContext, new_game: NewGame
) -> None:
    context.add_init_script("""
    Element.prototype.requestFullscreen = () => Promise.reject(new TypeError("no"));
    Object.defineProperty(navigator, "wakeLock", { value: undefined });
    """)
    page = opened(context, new_game())
    complaints: list[str] = []
    page.on("pageerror", lambda fault: complaints.append(str(fault)))
    page.keyboard.press("b")
    expect(page.locator("body")).to_have_class(re.compile(r"\bbig\b"))
    expect(page.get_by_role("button", name="Resign")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Resign")).to_be_visible()
    assert complaints == []

# SPDX-License-Identifier: Apache-2.0
"""A tank in the hand is turned by its handle, with mouse and finger."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.fingers import Fingers, Spot, middle
from tests.page.test_page import cell, prompt

from .conftest import NewGame

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]

HANDLE = ".turner .disc"


def opened(context: BrowserContext, address: str) -> Page:
    page = context.new_page()
    page.goto(address)
    expect(prompt(page)).not_to_be_empty()
    expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
    return page


@pytest.fixture
def phone(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, reduced_motion="reduce"
    )
    yield context
    context.close()


def lift(page: Page, name: str) -> None:
    """Select the tank on *name* by a click; it hangs on its handle's ring."""
    cell(page, name).click()
    expect(page.locator(".hand .piece")).to_have_count(1)
    expect(page.locator(HANDLE)).to_have_count(1)


def way(page: Page, name: str, eighths: int) -> list[Spot]:
    """From the handle round cell *name* clockwise by *eighths* of a circle."""
    (x, y), (right, below) = middle(page, f"{name} .floor"), middle(page, HANDLE)
    far, first = math.hypot(right - x, below - y), math.atan2(below - y, right - x)
    turns = [first + math.pi / 4 * step / 2 for step in range(2 * eighths + 1)]
    return [(x + far * math.cos(turn), y + far * math.sin(turn)) for turn in turns]


def drag(page: Page, spots: list[Spot]) -> None:
    """Press the mouse at the first of *spots*, and release it at the last."""
    page.mouse.move(*spots[0])
    page.mouse.down()
    for spot in spots[1:]:
        page.mouse.move(*spot)
    page.mouse.up()


H3 = "[data-cell='39']"


@pytest.mark.parametrize("is_flipped", [False, pytest.param(True, marks=pytest.mark.long)])
def test_the_mouse_turns_a_lifted_tank_before_it_is_put_down(
    browser: Browser, new_game: NewGame, is_flipped: bool
) -> None:
    with browser.new_context(viewport={"width": 1440, "height": 900}) as desk:
        page = opened(desk, new_game("tank-chess"))
        if is_flipped:
            page.locator("#seat").click()
            page.locator("#flip").click()
            page.keyboard.press("Escape")
        lift(page, "H3")
        drag(page, way(page, H3, 2))
        expect(page.locator("#moves li")).to_have_count(0)
        expect(page.locator("#tray .hull")).to_have_attribute("transform", "rotate(90)")
        cell(page, "H4").click()
        expect(page.locator("#moves li")).to_have_text("H3-H4E")


@pytest.mark.long
def test_a_finger_turns_a_lifted_tank_in_its_place(phone: BrowserContext, new_game: NewGame) -> None:
    page = opened(phone, new_game("tank-chess"))
    fingers = Fingers(page)
    fingers.tap(middle(page, f"{H3} .floor"))
    expect(page.locator(HANDLE)).to_have_count(1)
    fingers.slide(way(page, H3, 3))
    expect(page.locator("#tray .hull")).to_have_attribute("transform", "rotate(135)")
    fingers.tap(middle(page, f"{H3} .floor"))
    expect(page.locator("#moves li")).to_have_text("H3-H3SE")
    expect(page.locator(HANDLE)).to_have_count(0)


def keep_the_facing(page: Page, fingers: Fingers) -> None:
    """Answer with a second tap on H4 that the piece faces as before."""
    expect(page.locator("#question button")).not_to_have_count(0)
    fingers.tap(middle(page, "[data-cell='55'] .floor"))


@pytest.mark.long
def test_a_tap_on_the_handle_means_the_cell_below_it(phone: BrowserContext, new_game: NewGame) -> None:
    page = opened(phone, new_game("tank-chess"))
    fingers = Fingers(page)
    fingers.tap(middle(page, f"{H3} .floor"))
    expect(page.locator(HANDLE)).to_have_count(1)
    fingers.tap(middle(page, "[data-cell='55'] .floor"))  # H4 is below it
    keep_the_facing(page, fingers)
    expect(page.locator("#moves li")).to_have_text("H3-H4N")


@pytest.mark.long
def test_a_second_finger_ends_a_turn_without_one(phone: BrowserContext, new_game: NewGame) -> None:
    page = opened(phone, new_game("tank-chess"))
    fingers = Fingers(page)
    fingers.tap(middle(page, f"{H3} .floor"))
    expect(page.locator(HANDLE)).to_have_count(1)
    spots = way(page, H3, 2)
    fingers.down(spots[0])
    fingers.move(spots[-1])
    fingers.down(spots[-1], (spots[-1][0] + 60, spots[-1][1] + 60))
    fingers.up()
    fingers.tap(middle(page, "[data-cell='55'] .floor"))
    keep_the_facing(page, fingers)
    expect(page.locator("#moves li")).to_have_text("H3-H4N")

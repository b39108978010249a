# SPDX-License-Identifier: Apache-2.0
"""The board is enlarged by two taps, two fingers or a button."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.page.fingers import Fingers, Spot, middle
from tests.page.test_page import cell, prompt

from .conftest import NewGame, Start

pytestmark = [pytest.mark.browser, pytest.mark.walk("phone")]

GAMES = ("chess", "close-quarters", "fightopia", "gottaz", "martian-chess", "tank-chess")


@dataclass
class Phone:
    """The page of a game on a phone, with fingers."""

    page: Page
    fingers: Fingers

    def spot(self, name: str) -> Spot:
        """The middle of cell *name*."""
        box = cell(self.page, name).locator(".floor").bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def width(self, name: str) -> float:
        """The width of cell *name*, in pixels."""
        box = cell(self.page, name).locator(".floor").bounding_box()
        assert box is not None
        return box["width"]

    def tap_twice(self, spot: Spot) -> None:
        self.fingers.tap(spot)
        self.fingers.tap(spot)

    def is_whole(self) -> None:
        expect(self.page.locator("body")).not_to_have_class(re.compile(r"\bzoomed\b"))

    def is_enlarged(self) -> None:
        expect(self.page.locator("body")).to_have_class(re.compile(r"\bzoomed\b"))

    def holds(self, count: int) -> None:
        expect(self.page.locator(".hand .piece")).to_have_count(count)


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A phone without motion, so that a change is seen at once."""
    phone = browser.new_context(has_touch=True, is_mobile=True, reduced_motion="reduce")
    yield phone
    phone.close()


def opened(context: BrowserContext, address: str) -> Phone:
    page = context.new_page()
    page.goto(address)
    expect(prompt(page)).not_to_be_empty()
    expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
    return Phone(page, Fingers(page))


def test_two_taps_enlarge_the_board_and_moves_are_made_there(
    context: BrowserContext, new_game: NewGame
) -> None:
    phone = opened(context, new_game("tank-chess"))
    assert phone.width("C3") < 24
    before = phone.spot("D2")
    phone.tap_twice(before)
    phone.is_enlarged()
    assert phone.width("C3") == pytest.approx(48, abs=2)
    assert phone.spot("D2") == pytest.approx(before, abs=20), "what is tapped stays under the finger"
    phone.fingers.tap(phone.spot("C3"))
    phone.holds(1)
    phone.fingers.tap(phone.spot("C4"))
    expect(phone.page.locator("#question button")).not_to_have_count(0)
    phone.fingers.tap(phone.spot("C4"))
    expect(phone.page.locator("#moves li")).to_have_text("C3-C4N")
    phone.tap_twice(phone.spot("D2"))
    phone.is_whole()


@pytest.mark.long
def test_one_finger_moves_the_enlarged_board_and_carries_pieces_beyond_its_edge(
    context: BrowserContext, start: Start
) -> None:
    phone = opened(context, start("-o", "start=7k/8/8/8/8/8/8/R6K w - - 0 1", game="chess").address)
    phone.tap_twice(phone.spot("a2"))
    phone.is_enlarged()
    (x, y), wide = phone.spot("a2"), phone.width("a2")
    phone.fingers.slide([(x, y), (x, y - 30), (x, y - wide)])
    assert phone.spot("a2") == pytest.approx((x, y - wide), abs=2)
    phone.holds(0)
    x, y = phone.spot("a1")
    phone.fingers.down((x, y))
    phone.holds(1)
    phone.fingers.move((x, y - 30))
    edge = phone.page.locator("#board").bounding_box()
    assert edge is not None
    phone.fingers.move((x, edge["y"] + 5))
    last = cell(phone.page, "a8").locator(".floor")
    expect(last).to_be_in_viewport()
    phone.page.wait_for_function(
        "top => document.querySelector('[data-cell=\"56\"]').getBoundingClientRect().top > top", arg=edge["y"]
    )
    phone.fingers.move(phone.spot("a7"))
    phone.fingers.up()
    expect(phone.page.locator("#moves li")).to_have_text("Ra7")


@pytest.mark.long
def test_a_question_is_answered_on_the_enlarged_board(context: BrowserContext, start: Start) -> None:
    phone = opened(context, start("-o", "start=8/P6k/8/8/8/8/7K/8 w - - 0 1", game="chess").address)
    phone.tap_twice(phone.spot("a8"))
    phone.is_enlarged()
    phone.fingers.tap(phone.spot("a7"))
    phone.holds(1)
    phone.fingers.tap(phone.spot("a8"))
    expect(phone.page.locator(".tap .tile")).to_have_count(4)
    board = phone.page.locator("#board").bounding_box()
    assert board is not None
    for tile in phone.page.locator(".tap .tile").all():
        box = tile.bounding_box()
        assert box is not None
        assert box["y"] >= board["y"] - 3
        assert box["y"] + box["height"] <= board["y"] + board["height"] + 3
    phone.fingers.tap(middle(phone.page, ".tap:nth-child(2) .tile"))
    expect(phone.page.locator("#moves li")).to_have_text("a8=R")


@pytest.mark.parametrize(
    "slug", ["tank-chess", *(pytest.param(each, marks=pytest.mark.long) for each in GAMES)]
)
def test_two_fingers_enlarge_every_board_and_a_button_shows_it_whole(
    context: BrowserContext, new_game: NewGame, slug: str
) -> None:
    phone = opened(context, new_game(slug))
    cells = phone.page.locator("[data-cell]")
    before = cells.first.bounding_box()
    board = phone.page.locator("#board").bounding_box()
    assert before is not None
    assert board is not None
    x, y = board["x"] + board["width"] / 2, board["y"] + board["height"] / 2
    phone.fingers.slide(
        [(x - 20, y), (x - 40, y), (x - 60, y)],
        [(x + 20, y), (x + 40, y), (x + 60, y)],
    )
    phone.is_enlarged()
    phone.holds(0)
    now = cells.first.bounding_box()
    assert now is not None
    assert now["width"] == pytest.approx(before["width"] * 3, rel=0.05)
    assert phone.page.locator("#board").bounding_box() == board, "the page stays"
    assert phone.page.evaluate("visualViewport.scale") == 1
    button = phone.page.get_by_role("button", name="Enlarge the board").filter(visible=True)
    expect(button).to_have_attribute("aria-pressed", "true")
    button.tap()
    phone.is_whole()
    assert cells.first.bounding_box() == before
    expect(phone.page.locator("#moves li")).to_have_count(0)


def test_a_button_enlarges_a_board_of_small_cells(context: BrowserContext, new_game: NewGame) -> None:
    phone = opened(context, new_game("tank-chess"))
    button = phone.page.get_by_role("button", name="Enlarge the board").filter(visible=True)
    button.tap()
    phone.is_enlarged()
    button.tap()
    phone.is_whole()


def test_keys_show_the_focused_cell_of_an_enlarged_board(context: BrowserContext, new_game: NewGame) -> None:
    phone = opened(context, new_game("tank-chess"))
    phone.tap_twice(phone.spot("D2"))
    phone.is_enlarged()
    for _ in range(10):
        phone.page.keyboard.press("ArrowRight")
    expect(cell(phone.page, "N2").locator(".floor")).to_be_in_viewport(ratio=0.9)

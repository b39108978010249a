# SPDX-License-Identifier: Apache-2.0
"""Questions are answered on the board: pieces beside a cell, a compass, and arrows."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.page.test_page import cell, moves, prompt

from .conftest import Start, soldered

pytestmark = [pytest.mark.browser, pytest.mark.walk]

PROMOTION = "8/P6k/8/8/8/8/7K/8 w - - 0 1"
TWO_PAWNS = "4k3/8/8/1p1p4/2B5/8/8/4K3 w - - 0 1"


def opened(browser: Browser, address: str, words: str = "") -> Page:
    """The page on a phone, where cells are smallest."""
    phone = browser.new_context(has_touch=True)
    page = phone.new_page()
    page.goto(address + words)
    return page


def taps(page: Page) -> Locator:
    """What can be tapped on the board."""
    return page.locator("#board .tap")


def middle(found: Locator) -> tuple[float, float]:
    box = found.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def test_a_promoted_piece_is_chosen_on_its_cell_queen_first(browser: Browser, start: Start) -> None:
    address = start("-o", f"start={PROMOTION}", game="chess").address
    page, watching = opened(browser, address), opened(browser, address, "?watch")
    cell(page, "a7").tap()
    expect(page.locator(".hand .piece")).to_have_count(1)
    cell(page, "a8").tap()
    expect(prompt(page)).to_contain_text("What has the piece on a8 become?")
    expect(taps(page)).to_have_count(4)
    expect(taps(page).locator("title")).to_have_text(["queen", "rook", "bishop", "knight"])
    expect(page.locator("#question button")).to_have_text(["queen", "rook", "bishop", "knight"])
    assert middle(taps(page).nth(0).locator(".tile")) == pytest.approx(
        middle(page.locator("[data-cell='56'] .floor")), abs=2
    )
    heights = [box["height"] for each in taps(page).all() if (box := each.bounding_box())]
    assert all(height >= 43 for height in heights)
    expect(watching.locator("#board .taps")).to_be_hidden()
    taps(page).nth(1).tap()
    expect(moves(page)).to_have_text(["a8=R"])
    expect(taps(page)).to_have_count(0)
    for each in (page, watching):
        each.context.close()


@pytest.mark.long
def test_the_facing_of_a_tank_is_chosen_on_a_compass_round_it(browser: Browser, start: Start) -> None:
    with soldered("tank-chess") as (hands, address):
        page = opened(browser, start("--port", address, game="tank-chess").address)
        expect(prompt(page)).to_contain_text("moves.")
        print("press 1", file=hands, flush=True)  # nothing has left its cell: some tank was turned
        expect(prompt(page)).to_contain_text("Which piece moved?")
        page.locator("#question button", has_text="C3").click()
        expect(prompt(page)).to_contain_text("Which way does the piece on C3 face now?")
        names = taps(page).locator("title").all_text_contents()
        expect(taps(page)).to_have_count(page.locator("#question button").count())
        x, y = middle(cell(page, "C3").locator(".floor"))
        boxes = dict(zip(names, map(middle, taps(page).locator(".disc").all()), strict=True))
        assert boxes["east"][0] - x > 15
        assert boxes["north-east"][1] < y - 5
        assert boxes["south"][1] > boxes["east"][1] + 15
        sizes = [box for each in taps(page).locator(".disc").all() if (box := each.bounding_box())]
        assert all(box["width"] >= 43 and box["x"] >= 0 for box in sizes)
        away = [math.dist((x, y), spot) for spot in boxes.values()]
        assert min(away) > 44 / 2 + 1, "no arrow lies on the piece"
        taps(page).nth(names.index("east")).tap()
        expect(moves(page)).to_have_text(["C3-C3E"])
        page.context.close()


@pytest.mark.long
def test_two_candidates_of_a_move_are_arrows_to_tap(browser: Browser, start: Start) -> None:
    words = ("-o", f"start={TWO_PAWNS}", "--sensor", "occupancy")
    page = opened(browser, start(*words, game="chess").address)
    expect(prompt(page)).to_have_text("White moves.")
    for name in ("b5", "d5", "c4"):  # a pawn lifted just after the bishop could be the captured one
        cell(page, name).focus()
        page.keyboard.press("Delete")
        expect(cell(page, name)).to_have_accessible_name(re.compile(rf"^{name}(, may go here)?$"))
    for heap, name in (("bishop", "b5"), ("pawn", "d5")):
        page.get_by_role("button", name=f"Box: {heap}").tap()
        expect(page.locator(".hand .piece")).to_have_count(1)
        cell(page, name).tap()
        expect(page.locator(".hand .piece")).to_have_count(0)
    expect(prompt(page)).to_contain_text("Where did the piece go?")
    expect(taps(page).locator(".way")).to_have_count(2)
    expect(taps(page).locator("title")).to_have_text(["b5", "d5"])
    taps(page).nth(1).locator(".tip").tap()
    expect(moves(page)).to_have_text(["Bxd5"])
    page.context.close()

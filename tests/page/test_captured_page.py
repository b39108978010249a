# SPDX-License-Identifier: Apache-2.0
"""Captured pieces beside the board, at real boards, for watchers and in reviews."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import NewGame, Start, soldered
from .looks import SIZES, resized
from .test_page import play

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]


def lying(page: Page) -> list[str]:
    """The names of what lies before the players, and beside the board."""
    named: list[str] = page.locator(".heap").evaluate_all(
        "all => all.map((each) => (each.closest('.seat') ? each.closest('.seat').ariaLabel + ': ' : '') + each.ariaLabel)"
    )
    return named


def places(page: Page) -> dict[str, object]:
    """Where the board is in each size of window."""
    found: dict[str, object] = {}
    for size, size_px in SIZES.items():
        resized(page, size_px)
        found[size] = page.locator("#board").bounding_box()
    return found


def made(page: Page, move: str) -> None:
    """Wait until *move* is the last one, and announced."""
    last = page.locator("#moves li").last
    expect(last).to_have_text(move)
    expect(last).to_have_class("announced")


@pytest.mark.long
def test_captures_at_a_real_board_are_shown_to_players_watchers_and_in_the_review(
    browser: Browser, start: Start
) -> None:
    with soldered("chess") as (hands, port):
        address = start("--port", port, game="chess").address
        pages = [browser.new_page() for _ in range(2)]
        for page, words in zip(pages, ("", "?watch"), strict=True):
            page.goto(address + words)
            expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
            assert lying(page) == []
        page = pages[0]
        before = places(page)
        for orders, move in (
            (["e2 e4"], "e4"),
            (["d7 d5"], "d5"),
            (["away d5", "e4 d5"], "exd5"),
            (["away d5", "d8 d5"], "Qxd5"),
        ):
            for order in orders:
                print(order, file=hands, flush=True)
            made(page, move)
        made(pages[1], "Qxd5")
        for each in pages:
            assert lying(each) == ["Black: pawn", "White: pawn"]
            assert each.locator("button.heap").count() == 0, "they can be looked at only"
        assert places(page) == before
        for number, shown in ((2, []), (3, ["Black: pawn"]), (4, ["Black: pawn", "White: pawn"])):
            page.locator("#moves button").nth(number - 1).click()
            expect(page.locator("#slider")).to_have_value(str(number))
            assert lying(page) == shown
            assert places(page) == before
        for each in pages:
            each.close()


@pytest.mark.long
def test_captures_of_pieces_without_owners_lie_beside_the_board(browser: Browser, start: Start) -> None:
    with soldered("martian-chess") as (hands, port):
        page = browser.new_page()
        page.goto(start("--port", port, game="martian-chess").address)
        expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        for orders, move in (
            (["c3 d4"], "c3-d4"),
            (["b6 c5"], "b6-c5"),
            (["away c5", "d4 c5"], "d4xc5"),
        ):
            for order in orders:
                print(order, file=hands, flush=True)
            made(page, move)
        assert lying(page) == ["Pawn"]
        page.close()


@pytest.mark.long
def test_a_review_shows_the_captured_pieces_of_each_position(browser: Browser, new_game: NewGame) -> None:
    page = browser.new_page()
    page.goto(new_game("chess"))
    for move, written in (("e2-e4", "e4"), ("d7-d5", "d5"), ("e4-d5", "exd5"), ("d8-d5", "Qxd5")):
        play(page, move, written)
    before = places(page)
    for number, shown in ((2, []), (3, ["Black: pawn"]), (4, ["Black: pawn", "White: pawn"])):
        page.locator("#moves button").nth(number - 1).click()
        expect(page.locator("#slider")).to_have_value(str(number))
        assert lying(page) == shown
        assert places(page) == before
    page.close()


@pytest.mark.long
def test_on_the_big_screen_captured_pieces_leave_the_names_their_room(
    browser: Browser, new_game: NewGame
) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(new_game("chess", names=("Ann", "Ben"), clock="15+10"))
    for move, written in (("e2-e4", "e4"), ("d7-d5", "d5"), ("e4-d5", "exd5"), ("d8-d5", "Qxd5")):
        play(page, move, written)
    page.goto(f"{page.url}?big")
    expect(page.locator(".heap")).to_have_count(2)
    for size_px in SIZES.values():
        resized(page, size_px)
        cut = "all => all.filter((it) => it.scrollWidth > it.clientWidth).map((it) => it.textContent)"
        assert page.locator(".seat .name").evaluate_all(cut) == []
        for heap in page.locator(".heap").all():
            expect(heap).to_be_in_viewport(ratio=1)
    page.close()

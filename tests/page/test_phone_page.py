# SPDX-License-Identifier: Apache-2.0
"""The page on phones: names fit their cells, and a held piece is seen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.page.test_page import cell, prompt

from .conftest import NewGame, Start

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]

BEYOND = """() => [...document.querySelectorAll("#board .menu text")].filter((name) => {
  const text = name.getBoundingClientRect();
  const [x, y] = [text.x + text.width / 2, text.y + text.height / 2];
  return ![...document.querySelectorAll("[data-cell]")].some((cell) => {
    const { left, right, top, bottom } = cell.getBoundingClientRect();
    const isOn = x > left && x < right && y > top && y < bottom;
    return isOn && text.left >= left - 2 && text.right <= right + 2 && text.top >= top && text.bottom <= bottom;
  });
}).map((name) => name.textContent)"""
"""Names of the menu that do not fit their cells."""


@pytest.mark.parametrize(
    "language", ["ja", *(pytest.param(each, marks=pytest.mark.long) for each in ("de", "fr"))]
)
def test_the_names_of_the_menu_fit_their_cells(browser: Browser, new_game: NewGame, language: str) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.goto(f"{new_game()}?language={language}")
    expect(prompt(page)).not_to_be_empty()
    page.locator("[data-command=resign]").click()
    page.locator("dialog[open] button").first.click()
    expect(page.locator("#board .menu text")).to_have_count(0)
    cell(page, "d1").click()
    expect(page.locator("#board .menu text")).to_have_count(4)
    assert page.evaluate(BEYOND) == []
    page.close()


@pytest.mark.long
def test_a_piece_in_the_hand_is_seen_beside_the_board(browser: Browser, start: Start) -> None:
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.goto(start(game="gottaz").address)
    heap = page.locator("#near button.heap").first.bounding_box()
    assert heap is not None
    page.mouse.move(heap["x"] + 20, heap["y"] + 20)
    page.mouse.down()
    expect(page.locator(".hand .piece")).to_have_count(1)
    page.mouse.move(heap["x"] + 60, heap["y"] - 40)
    board, held = (page.locator(each).bounding_box() for each in ("#board", ".hand .piece"))
    assert board is not None
    assert held is not None
    assert held["x"] > board["x"] + board["width"] - held["width"] / 2
    assert page.locator("#board").evaluate("board => getComputedStyle(board).overflow") == "visible"
    page.mouse.up()
    page.close()

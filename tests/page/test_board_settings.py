# SPDX-License-Identifier: Apache-2.0
"""Boards and pieces: contrasts in light and dark, and the settings."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.feedback.page import Json
from tests.page.test_page import cell, prompt

from .conftest import NewGame

STYLE = (Path(__file__).parents[2] / "companion/host/web/page/style.css").read_text(encoding="utf-8")
BOARDS = ("wood", "green", "slate")
THEMES = ("light", "dark")


def declared(selector: str) -> dict[str, str]:
    """The colours that the rule of *selector* declares, by name."""
    found = re.findall(rf"^{re.escape(selector)} \{{(.*?)\}}", STYLE, re.MULTILINE | re.DOTALL)
    return dict(re.findall(r"--([\w-]+): (#\w+);", "".join(found)))


def colours(board: str, theme: str) -> dict[str, str]:
    """The colours of *board* in *theme*, as the cascade yields them."""
    chosen = declared(":root")
    if theme == "dark":
        chosen |= declared('[data-theme="dark"]')
    if board != "wood":
        chosen |= declared(f'[data-board="{board}"]')
    if board != "wood" and theme == "dark":
        chosen |= declared(f'[data-theme="dark"][data-board="{board}"]')
    return chosen


def luminance(colour: str) -> float:
    """The relative luminance of *colour*, after WCAG 2.2."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, after WCAG 2.2."""
    darker, lighter = sorted(map(luminance, (one, other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_is_computed_as_the_guidelines_say() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize(("board", "theme"), list(product(BOARDS, THEMES)))
def test_cells_differ_from_each_other_and_pieces_from_cells(board: str, theme: str) -> None:
    of = colours(board, theme)
    cells = (of["floor"], of["floor-dark"])
    assert contrast(*cells) >= 2
    for ground in cells:
        white = max(contrast(of["first"], ground), contrast(of["first-ink"], ground))
        assert white >= 3, "White's body or its outline"
        assert contrast(of["second"], ground) >= 3, "Black's body"
    for body, line in (("first", "first-ink"), ("second", "second-ink")):
        assert contrast(of[body], of[line]) >= 7, "the lines on a body"
    assert contrast("#f4ead8", of["wood"]) >= 4.5, "coordinates beside the board"
    assert min(contrast(of["second"], ground) for ground in cells) >= 3, "coordinates on the cells"


@pytest.fixture
def page(browser: Browser, new_game: NewGame) -> Page:
    """The page of a game of chess."""
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.goto(new_game("chess"))
    expect(prompt(opened)).to_have_text("White moves.")
    return opened


def look(page: Page, selector: str, *properties: str) -> Json:
    """Computed *properties* of the first element of *selector*."""
    found: Json = page.locator(selector).first.evaluate(
        "(each, names) => Object.fromEntries(names.map(name => [name, getComputedStyle(each)[name]]))",
        list(properties),
    )
    return found


@pytest.mark.browser
def test_board_pieces_and_coordinates_are_chosen_while_the_game_goes_on(page: Page) -> None:
    def choose(setting: str, value: str) -> None:
        page.get_by_role("button", name="Settings").click()
        page.get_by_role("combobox", name=setting, exact=True).select_option(value)
        page.keyboard.press("Escape")

    expect(page.locator(".piece .figure")).to_have_count(32)
    expect(page.locator(".piece .token")).to_have_count(2)  # of the players
    white, black = (look(page, f".pieces .side-{side} .body", "fill")["fill"] for side in (0, 1))
    assert (white, black) == ("rgb(255, 250, 240)", "rgb(27, 32, 38)")
    wood = look(page, ".floor", "fill")
    choose("Board", "Green")
    expect(page.locator("html")).to_have_attribute("data-board", "green")
    assert look(page, ".floor", "fill") != wood

    expect(page.locator("#board .edge")).to_have_count(16)
    wide = page.locator("#board .floor").first.bounding_box()
    choose("Coordinates", "On the cells")
    expect(page.locator("#board .inner")).to_have_count(16)
    expect(page.locator("#board .edge")).to_have_count(0)
    wider = page.locator("#board .floor").first.bounding_box()
    assert wide is not None
    assert wider is not None
    assert wider["width"] > wide["width"], "the cells use the room of the frame"
    choose("Coordinates", "None")
    expect(page.locator("#board :is(.inner, .edge)")).to_have_count(0)
    choose("Pieces", "Tokens of high contrast")
    expect(page.locator(".pieces .token")).to_have_count(32)
    expect(page.locator(".figure")).to_have_count(0)
    expect(cell(page, "e2")).to_have_accessible_name(re.compile("pawn"))

    page.reload()
    expect(page.locator(".pieces .token")).to_have_count(32)
    expect(page.locator("html")).to_have_attribute("data-board", "green")
    expect(page.locator("#board :is(.inner, .edge)")).to_have_count(0)
    page.close()

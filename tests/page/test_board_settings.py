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


def stated(selector: str, property: str) -> str:
    """The value of *property* in the rule of *selector*."""
    (rule,) = re.findall(rf"^{re.escape(selector)} \{{(.*?)\}}", STYLE, re.MULTILINE)
    (value,) = re.findall(rf"(?:^|; ?| ){re.escape(property)}: ([^;]+);", rule)
    return str(value)


def tinted(ground: str, tint: str, opacity: float) -> str:
    """The colour of *tint* with *opacity* on *ground*."""
    pairs = ((int(tint[at : at + 2], 16), int(ground[at : at + 2], 16)) for at in (1, 3, 5))
    return "#" + "".join(f"{round(opacity * over + (1 - opacity) * under):02x}" for over, under in pairs)


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


@pytest.mark.parametrize("owner", range(6))
@pytest.mark.parametrize(("board", "theme"), list(product(BOARDS, THEMES)))
def test_cells_and_pieces_differ_in_the_regions_of_players_too(board: str, theme: str, owner: int) -> None:
    of = colours(board, theme)
    opacity = float(stated(".regions .tint", "fill-opacity"))
    cells = [tinted(of[name], of[f"owner-{owner}"], opacity) for name in ("floor", "floor-dark")]
    assert contrast(*cells) >= 2
    for ground in cells:
        assert contrast(stated(".piece .base", "stroke"), ground) >= 3, "the outline of a pyramid"
        assert contrast(of["second"], ground) >= 3, "a token of the second side"
        white = max(contrast(of["first"], ground), contrast(of["first-ink"], ground))
        assert white >= 3, "a token of the first side or its outline"


@pytest.fixture
def page(browser: Browser, new_game: NewGame) -> Page:
    """The page of a game of chess."""
    opened = browser.new_page()
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


DRAWN = """([theme, board]) => {
  Object.assign(document.documentElement.dataset, { theme, board });
  const hex = (colour) => "#" + colour.match(/\\d+/g).slice(0, 3).map((part) => Number(part).toString(16).padStart(2, "0")).join("");
  const look = (selector, property) => hex(getComputedStyle(document.querySelector(selector))[property]);
  return {
    cells: [look("#board .floor:not(.dark)", "fill"), look("#board .floor.dark", "fill")],
    sides: [0, 1].map((side) => [
      look(`.pieces .side-${side} .token`, "fill"),
      look(`.pieces .side-${side} .token`, "stroke"),
      look(`.pieces .side-${side} .glyph`, "fill"),
    ]),
  };
}"""
"""The colours that the browser draws: cells; body, line and sign of tokens."""


def tokens_are_told_apart(page: Page) -> None:
    """In each theme and on each board tokens differ from cells and each other."""
    was = page.evaluate("({ ...document.documentElement.dataset })")
    for theme, board in product(THEMES, BOARDS):
        drawn = page.evaluate(DRAWN, [theme, board])
        assert contrast(*drawn["cells"]) >= 2, (theme, board)
        (first, *_), (second, *_) = drawn["sides"]
        assert contrast(first, second) >= 3, (theme, board)
        for body, line, sign in drawn["sides"]:
            assert contrast(body, sign) >= 4.5, (theme, board)
            for ground in drawn["cells"]:
                assert max(contrast(body, ground), contrast(line, ground)) >= 3, (theme, board, body)
    page.evaluate("was => Object.assign(document.documentElement.dataset, was)", was)


@pytest.mark.browser
@pytest.mark.walk
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
    tokens_are_told_apart(page)
    expect(cell(page, "e2")).to_have_accessible_name(re.compile("pawn"))

    page.reload()
    expect(page.locator(".pieces .token")).to_have_count(32)
    expect(page.locator("html")).to_have_attribute("data-board", "green")
    expect(page.locator("#board :is(.inner, .edge)")).to_have_count(0)
    page.close()

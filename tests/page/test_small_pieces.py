# SPDX-License-Identifier: Apache-2.0
"""Headings of tanks and faces of pawns can be read on cells of 22 px.

A phone has no smaller ones.

Two pieces are told apart if enough pixels differ by enough light, after each pixel became the
mean of 2 x 2. A pixel of a screen of 96 dpi is seen under 1.8' from 50 cm. So the mean removes
what is narrower than 3.6', nearly twice what an eye of 20/40 resolves: thin outlines and smoothed
edges do not count. A quarter of the light from black to white is more than ten times the least
contrast that is seen in a spot. Four pixels are such a spot of 2 x 2, a tank's muzzle.
"""

from __future__ import annotations

import io
from itertools import combinations, product
from typing import Any, Final, TypeAlias

import pytest
from PIL import Image, ImageChops, ImageFilter
from playwright.sync_api import Browser, Page, expect

from companion.games.gottaz.pawns import ABILITIES

from .conftest import NewGame

pytestmark = pytest.mark.browser

PX: Final = 22
LIGHT: Final = 64
"""Difference of light that counts, of 255."""
SPOT: Final = 4
"""Number of pixels that have to differ."""
TANKS: Final = ("light", "medium", "heavy", "command")
Piece: TypeAlias = dict[str, Any]

DRAW: Final = """async ([rows, px, ground]) => {
  const { drawPiece } = await import("/page/pieces.js");
  const { svg } = await import("/page/svg.js");
  const wide = Math.max(...rows.map((row) => row.length));
  const sheet = svg("svg", { id: "sheet", width: px * wide, height: px * rows.length, viewBox: `0 0 ${100 * wide} ${100 * rows.length}` });
  Object.assign(sheet.style, { position: "fixed", left: 0, top: 0, zIndex: 9 });
  rows.forEach((row, down) => row.forEach((piece, right) => {
    const cell = svg("g", { transform: `translate(${100 * right + 50} ${100 * down + 50})` });
    cell.append(svg("rect", { class: ground, x: -50, y: -50, width: 100, height: 100 }), drawPiece(piece));
    sheet.append(cell);
  }));
  document.getElementById("sheet")?.remove();
  document.body.append(sheet);
}"""


def headings(side: int) -> list[list[Piece]]:
    """Each kind of tank in its eight headings."""
    kinds = (*(f"{each}-tank" for each in TANKS), "tank-destroyer", "heavy-mortar")
    return [[{"kind": kind, "side": side, "facing": facing} for facing in range(8)] for kind in kinds]


def faces(side: int) -> list[list[Piece]]:
    """The eight abilities of each strength, and the strengths of each ability."""

    def pawn(ability: str, strength: int) -> Piece:
        return {"kind": "double-sided", "side": side, "face": f"{ability} {strength}", "name": ""}

    strengths = range(1, 6)
    return [
        *([pawn(ability, strength) for ability in ABILITIES] for strength in strengths),
        *([pawn(ability, strength) for strength in strengths] for ability in ABILITIES),
    ]


def unlike(page: Page, rows: list[list[Piece]], px: int, ground: str) -> int:
    """The fewest pixels in which two pieces of a row differ, *px* wide."""
    page.evaluate(DRAW, [rows, px, ground])
    drawn = Image.open(io.BytesIO(page.locator("#sheet").screenshot())).convert("L")
    drawn = drawn.filter(ImageFilter.BoxBlur(0.5))
    found = []
    for down, row in enumerate(rows):
        cells = [drawn.crop((px * x, px * down, px * x + px, px * down + px)) for x in range(len(row))]
        pairs = (ImageChops.difference(*pair).histogram() for pair in combinations(cells, 2))
        found += [sum(each[LIGHT:]) for each in pairs]
    return min(found)


@pytest.fixture
def page(browser: Browser, new_game: NewGame) -> Page:
    opened = browser.new_page(viewport={"width": 1200, "height": 900})
    opened.goto(new_game("tank-chess"))
    expect(opened.locator("#board .piece").first).to_be_visible()
    return opened


@pytest.mark.long
def test_headings_and_faces_are_read_on_the_smallest_cells(page: Page) -> None:
    for theme, ground in product(("light", "dark"), ("floor", "floor dark")):
        page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
        for rows in (headings(0), headings(1), faces(0), faces(1)):
            assert unlike(page, rows, PX, ground) >= SPOT, (theme, ground, rows[0][0])
    assert unlike(page, headings(0), 8, "floor") < SPOT, "on cells of 8 px nobody reads them"
    assert unlike(page, faces(0), 8, "floor") < SPOT, "on cells of 8 px nobody reads them"
    page.close()

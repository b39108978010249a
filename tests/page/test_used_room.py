# SPDX-License-Identifier: Apache-2.0
"""No half of a wide window is blank; narrow boards use its height."""

from __future__ import annotations

from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from .conftest import NewGame
from .looks import SIZES

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop")]

PARTS: Final = "header, #board, #far, #near, #message, #record, #commands"
COVERED: Final = """parts => {
  const boxes = [...document.querySelectorAll(parts)].map((each) => each.getBoundingClientRect());
  const halves = { left: [0, 0, 0.5, 1], right: [0.5, 0, 1, 1], top: [0, 0, 1, 0.5], bottom: [0, 0.5, 1, 1] };
  const step = 10;
  const share = ([x0, y0, x1, y1]) => {
    let [all, covered] = [0, 0];
    for (let x = x0 * innerWidth + step / 2; x < x1 * innerWidth; x += step) {
      for (let y = y0 * innerHeight + step / 2; y < y1 * innerHeight; y += step) {
        all += 1;
        covered += boxes.some(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom);
      }
    }
    return covered / all;
  };
  return Object.fromEntries(Object.entries(halves).map(([name, half]) => [name, share(half)]));
}"""
"""The share of each half of the window that parts of the page cover."""


@pytest.mark.parametrize(
    ("slug", "options"),
    [
        ("close-quarters", {}),
        *(
            pytest.param(slug, options, marks=pytest.mark.long)
            for slug, options in (
                ("martian-chess", {}),
                ("martian-chess", {"players": "3"}),
                ("chess", {}),
                ("fightopia", {}),
                ("gottaz", {}),
                ("tank-chess", {}),
            )
        ),
    ],
)
def test_no_half_of_a_wide_window_is_blank_and_boards_use_its_height(
    browser: Browser, new_game: NewGame, slug: str, options: dict[str, Any]
) -> None:
    page = browser.new_page()
    page.goto(new_game(slug, names=("Ann", "Ben"), clock="15+10", **options))
    expect(page.locator("#board .piece, #near .heap").first).to_be_visible()
    shares = page.evaluate(COVERED, PARTS)
    board, header = (page.locator(each).bounding_box() for each in ("#board", "header"))
    assert board is not None
    assert header is not None
    assert min(shares.values()) > 0.6
    height = SIZES["desktop"][1]
    assert board["height"] >= 0.95 * (height - header["y"] - header["height"])
    page.close()

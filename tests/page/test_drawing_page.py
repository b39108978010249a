# SPDX-License-Identifier: Apache-2.0
"""Pictures of games match the replay page: the same shapes, places and colours."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from companion.feedback.words import load
from companion.host.records.export import to_text
from companion.host.records.records import rules_of
from companion.host.watch.svg import shots
from companion.model.notation import GameRecord
from tests.host.test_round_trips import played
from tests.page.test_replay_page import shown

pytestmark = pytest.mark.browser

KINDS = (
    ".frame",
    ".floor",
    ".edge",
    ".name",
    ".obstacle",
    ".region",
    ".region *",
    ".piece",
    ".piece :not(.turn-arrows)",
    ".lamp:not(.lamp-0)",
)
COLLECT = """kinds => {
  const root = document.querySelector("#board") ?? document.documentElement;
  const geometry = ["d", "transform", "x", "y", "width", "height", "rx", "r", "font-size", "stroke-width"];
  const look = ["fill", "fillOpacity", "stroke", "strokeWidth", "opacity", "fontSize", "fontWeight", "textAnchor"];
  return kinds.map((kind) => [...root.querySelectorAll(kind)].filter((element) => !element.closest("#far, #near, .seat")).map((element) => {
    const style = getComputedStyle(element);
    return [
      element.tagName,
      kind.startsWith(".lamp") ? "lamp" : element.getAttribute("class"),
      ...geometry.map((name) => element.getAttribute(name)),
      ...look.map((name) => style[name]),
      element.children.length ? null : element.textContent,
    ].join(" | ");
  }));
}"""
GAMES: tuple[tuple[str, dict[str, str], int], ...] = (
    ("close-quarters", {}, 2),
    ("chess", {}, 4),
    ("gottaz", {}, 8),
    ("tank-chess", {"map": "companion-20"}, 3),
    ("fightopia", {}, 4),
    ("martian-chess", {}, 3),
    ("martian-chess", {"players": "3"}, 3),
)
QUICK = ("chess",)
"""The game with the most kinds of pieces; the others run with --long."""


def looks(page: Page) -> list[list[tuple[str, list[float]]]]:
    """What *page* draws, kind by kind: text with gaps, and the numbers in these."""
    found: list[list[str]] = page.evaluate(COLLECT, list(KINDS))
    number = re.compile(r"-?\d+(?:\.\d+)?")
    return [
        [(number.sub("#", each), list(map(float, number.findall(each)))) for each in kind] for kind in found
    ]


def picture(record: GameRecord) -> str:
    """The last position of *record* as SVG, without the lines of text."""
    drawing, elements = shots(record, load("en", record.game, rules_of(record).sides))
    last = elements[-1]
    board = [part for part in drawing.still() if 'class="piece side' not in part]
    return drawing.root(*board, *last.lamps, *last.pieces)


@pytest.mark.parametrize(
    ("slug", "options", "plies"),
    [pytest.param(*game, marks=[] if game[0] in QUICK else pytest.mark.long) for game in GAMES],
)
def test_a_picture_is_drawn_as_on_the_page(
    browser: Browser, tmp_path: Path, slug: str, options: dict[str, str], plies: int
) -> None:
    record = played(slug, options, 5, plies, is_resigned=False)
    game = tmp_path / "game.txt"
    game.write_text(to_text(record))
    svg = tmp_path / "game.svg"
    svg.write_text(picture(record))
    context = browser.new_context(color_scheme="light", reduced_motion="reduce")
    with shown(tmp_path, game) as address:
        page = context.new_page()
        page.goto(address)
        expect(page.locator("body.reviewing #review-next")).to_be_enabled()
        page.keyboard.press("End")
        expect(page.locator("#slider")).to_have_value(str(plies))
        expected = looks(page)
    drawn = context.new_page()
    drawn.goto(svg.as_uri())
    found = looks(drawn)
    context.close()
    assert sum(map(len, expected)) > 30
    for kind, theirs, ours in zip(KINDS, expected, found, strict=True):
        assert [text for text, _ in ours] == [text for text, _ in theirs], kind
        for (text, our_numbers), (_, their_numbers) in zip(ours, theirs, strict=True):
            assert our_numbers == pytest.approx(their_numbers, abs=0.02), f"{kind}: {text}"

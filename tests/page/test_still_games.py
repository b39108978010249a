# SPDX-License-Identifier: Apache-2.0
"""In every game no command moves, whatever is said."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, expect

from tests.page.looks import SIZES
from tests.page.test_every_game import GIANTS, Player, sit
from tests.page.test_still_page import Still, command, opened

from .conftest import Start, soldered

pytestmark = [pytest.mark.browser, pytest.mark.walk("desktop"), pytest.mark.long]
__all__ = ["sit"]
"""A fixture of another file that a test needs."""

ANY = re.compile(r"\S")


def carries(source: str, target: str) -> Callable[[Player], None]:
    """A move from *source* to *target*."""
    return lambda player: player.carry(source, target)


def on_the_wrong_row(player: Player) -> None:
    """A pawn of GOTTAZ is placed outside its own territory."""
    player.page.locator("#near button.heap").last.click()
    player.holds()
    player.cell("b2").click()
    player.holds(0)


@dataclass(frozen=True)
class Story:
    """A game: an illegal move, then *moves*, which may end it."""

    slug: str
    illegal: Callable[[Player], None]
    moves: str
    is_resigned: bool = False
    is_called: bool = True
    """Something is called, such as CHECK! or ESCAPE!."""


STORIES = (
    Story("chess", carries("a1", "a4"), "e4 f5 Qh5+ g6 Qxg6+ hxg6", is_resigned=True),
    Story("close-quarters", carries("a1", "d5"), "a1-b2 d8-b8! b2-c3 b8-b2! c3xb2 d1xb2#"),
    Story("fightopia", carries("c2", "c4"), GIANTS, is_called=False),
    Story(
        "gottaz",
        on_the_wrong_row,
        "L4U2@a1 S1L5@a5 L3U3@b1 S1L5@b5 a1>a3 U1W5@c5 U1W5@c1 U1W5@d5 b1>b3 a5-a4 c1-c2 b5-b4 c2-c3",
    ),
    Story("martian-chess", carries("b3", "b4"), "b3-a4", is_resigned=True, is_called=False),
    Story("tank-chess", carries("C3", "C12"), "C3-D6N G14-H14SE D6-F9N! K14-K14NW F9-F13NExI16#"),
)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.slug)
def test_nothing_moves_over_a_whole_game(browser: Browser, sit: Callable[..., Player], story: Story) -> None:
    player = sit(story.slug, clock="5+3")
    still = Still({size: opened(browser, player.page.url, size) for size in SIZES})
    story.illegal(player)
    still.compare("an illegal move", "#guides", ANY)
    player.puts_right()
    calls = 0
    for text in story.moves.split():
        player.play(text)
        still.compare(text, "#moves li", ANY)
        if player.page.locator("#cry").inner_text():
            calls += 1
            still.compare(f"a call after {text}", "#cry", ANY)
    assert (calls > 0) == story.is_called
    if story.is_resigned:
        command(player.page, "resign").click()
        player.page.get_by_role("dialog").get_by_role("button").first.click()
    still.compare("the end", "#now", ANY)
    still.close()


def test_nothing_moves_when_the_pool_of_gottaz_is_asked_about(browser: Browser, start: Start) -> None:
    address = start("-o", "pawns=common", "--clock", "5+3", game="gottaz").address
    still = Still({size: opened(browser, address, size) for size in SIZES})
    still.pages["desktop"].locator("#near .done").click()
    still.compare("a question", "#question", ANY)
    still.close()


def test_nothing_moves_when_a_tank_is_asked_about(browser: Browser, start: Start) -> None:
    with soldered("tank-chess") as (hands, port):
        address = start("--port", port, "--clock", "5+3", game="tank-chess").address
        pages = {size: opened(browser, address, size) for size in SIZES}
        for page in pages.values():
            expect(page.locator("body")).to_have_attribute("data-phase", "waiting")
        still = Still(pages)
        print("press 1", file=hands, flush=True)  # nothing has left its cell: some tank was turned
        still.compare("which tank", "#question", ANY)
        pages["desktop"].locator("#question button", has_text="C3").click()
        still.compare("which way", "#question", "north-east")
        pages["desktop"].locator("#question button", has_text="north-east").click()
        still.compare("an answer", "#moves li", "C3-C3NE")
        still.close()

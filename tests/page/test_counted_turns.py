# SPDX-License-Identifier: Apache-2.0
"""What the rules count stands beside the board: turns left, quiet moves, a called clock."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import NewGame
from .test_page import opened, play

pytestmark = [pytest.mark.browser, pytest.mark.walk]


def counted(page: Page, sentence: str) -> None:
    """Expect *sentence* whole among the notices, and nothing beside it that counts."""
    said = page.locator("#notices")
    expect(said).to_have_text(sentence)
    expect(said).to_be_in_viewport(ratio=1)
    assert page.locator("#said").evaluate("each => each.scrollHeight <= each.clientHeight")


def test_the_turns_that_are_left_are_counted_down(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game(turn_limit="20"))
    counted(page, "The Sword has 20 of 20 turns left.")
    play(page, "a1-b2", "a1-b2")
    counted(page, "The Sword has 19 of 20 turns left.")
    expect(page.locator("#display")).to_contain_text("a1-b2 (19 left)")
    page.close()


@pytest.mark.long
def test_quiet_moves_are_counted_until_something_is_captured(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game("martian-chess", deadlock="27-quiet-moves"))
    expect(page.locator("#notices")).to_be_empty()
    for count, (move, noun) in enumerate((("c3-d4", "move"), ("b6-c5", "moves")), 1):
        play(page, move, move)
        counted(page, f"No capture for {count} {noun}: after 27 the game ends.")
    play(page, "d4-c5", "d4xc5")
    expect(page.locator("#notices")).to_be_empty()
    page.close()


@pytest.mark.long
def test_the_quiet_moves_of_chess_are_counted_near_the_claim(browser: Browser, new_game: NewGame) -> None:
    page = opened(browser, new_game("chess", position="4k3/8/8/8/8/8/3R4/4K3 w - - 60 80"))
    counted(page, "No capture and no pawn move for 30 moves: after 50 a draw can be claimed.")
    page.close()


@pytest.mark.long
def test_a_called_clock_is_counted_down_and_again_after_a_capture(
    browser: Browser, new_game: NewGame
) -> None:
    page = opened(browser, new_game("martian-chess", deadlock="call-the-clock-7"))
    play(page, "c3-d4", "c3-d4")
    expect(page.locator("#notices")).to_be_empty()
    page.get_by_role("button", name="Done: player 2").click()
    counted(page, "The clock has been called: 7 moves left, unless something is captured.")
    play(page, "b6-c5", "b6-c5")
    counted(page, "The clock has been called: 6 moves left, unless something is captured.")
    play(page, "d4-c5", "d4xc5")
    counted(page, "The clock has been called: 7 moves left, unless something is captured.")
    page.close()

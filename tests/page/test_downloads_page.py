# SPDX-License-Identifier: Apache-2.0
"""The PGN is downloaded during a game, at its end, and when it is kept."""

from __future__ import annotations

import io
from pathlib import Path

import chess.pgn
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.page.test_page import play, prompt
from tests.page.test_start_page import Started

pytestmark = [pytest.mark.browser, pytest.mark.walk, pytest.mark.long]


def downloaded(page: Page) -> chess.pgn.Game:
    """The game in the file that *page* offers as PGN, read by python-chess."""
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as found:
        page.locator("#sharing").get_by_role("link", name="PGN", exact=True).click()
    assert found.value.suggested_filename.endswith(".pgn")
    page.keyboard.press("Escape")
    expect(page.locator("dialog[open]")).to_have_count(0)
    game = chess.pgn.read_game(io.StringIO(found.value.path().read_text(encoding="utf-8")))
    assert game is not None
    assert game.errors == []
    return game


def test_the_pgn_is_downloaded_during_a_game_after_it_and_from_a_kept_game(
    browser: Browser, tmp_path: Path
) -> None:
    with Started(browser, tmp_path).running() as started:
        page = started.page()
        page.get_by_role("button", name="A friend here: Chess").click()
        page.get_by_text("More rules").click()
        page.locator("#players input:not([type=checkbox])").first.fill("Ann")
        page.locator("#new-game button[value=begin]").click()
        expect(prompt(page)).to_have_text("White moves.")
        for move, written in (("e2-e4", "e4"), ("e7-e5", "e5"), ("g1-f3", "Nf3")):
            play(page, move, written)
        page.locator("#moves button").last.click()
        game = downloaded(page)
        assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]
        assert (game.headers["White"], game.headers["Result"]) == ("Ann", "*")
        page.get_by_role("button", name="Back to the game").click()
        page.get_by_role("button", name="Resign").click()
        page.get_by_role("dialog").get_by_role("button").nth(1).click()
        expect(prompt(page)).to_contain_text("Ann (White) wins")
        page.locator("#moves button").last.click()
        assert downloaded(page).headers["Result"] == "1-0"
        page.goto(f"{started.address}start")
        expect(page.locator("#current")).to_be_hidden()  # it is over, and among the kept games
        page.get_by_role("tab", name="Your games").click()
        page.get_by_role("link", name="Review: Chess").click()
        expect(page.locator("#moves button")).to_have_count(3)
        game = downloaded(page)
        assert [move.uci() for move in game.mainline_moves()] == ["e2e4", "e7e5", "g1f3"]
        assert (game.headers["White"], game.headers["Result"]) == ("Ann", "1-0")
        page.context.close()

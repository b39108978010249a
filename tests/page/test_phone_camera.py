# SPDX-License-Identifier: Apache-2.0
"""A phone is the camera of a table: its browser sends what its camera sees."""

from __future__ import annotations

import os
import re
from pathlib import Path
from subprocess import PIPE

import pytest
from playwright.sync_api import Browser, Playwright, WebSocket, expect

from tests.host.printed import PrintedTable
from tests.page.phone_film import Scene, phone
from tests.programs import Program

from .conftest import CHROMIUM, HEADLESS, Start

pytestmark = pytest.mark.browser

MOVES = ("a1-b2", "d8-b8", "b2-c3")
LATE = 3
"""Images taken after a change until one shows it: those before were on their way."""


def play(board: PrintedTable, scene: Scene, line: WebSocket, move: str) -> None:
    """Make *move* with a hand; on *line* the program answers to each image."""
    for image in board.carry(move):
        scene.show(image)
        for _ in range(LATE):
            line.wait_for_event("framereceived", lambda said: '"next"' in said)


@pytest.mark.long
def test_a_game_is_played_before_the_camera_of_a_phone(
    playwright: Playwright, browser: Browser, start: Start, tmp_path: Path
) -> None:
    board, film = PrintedTable(), tmp_path / "table.y4m"
    scene = Scene(film, board.see())
    address = start("--camera", "phone").address
    table = browser.new_page()
    table.goto(address)
    expect(table.locator("#link")).to_contain_text("The camera sends no pictures")
    table.locator("#seat").click()
    table.locator("#open-join").click()
    expect(table.locator("#join-camera a")).to_have_attribute("href", "camera")
    program = next(each for each in (HEADLESS, CHROMIUM) if each.exists())
    with phone(playwright, program, film) as chromium:
        page = chromium.new_page()
        with page.expect_websocket() as opened:
            page.goto(f"{address}camera")
        page.get_by_role("button", name="Start the camera").click()
        expect(page.locator("#video")).to_be_visible()
        expect(page.locator("#said")).to_contain_text("The camera is watching.")
        expect(table.locator("body")).to_have_attribute("data-phase", "waiting")
        for move in MOVES:
            play(board, scene, opened.value, move)
            expect(table.locator("#moves")).to_contain_text(move)
        page.get_by_role("button", name="Stop").click()
        expect(table.locator("#link")).to_contain_text("The camera sends no pictures")
        other = chromium.new_page()
        other.goto(f"{address}camera?language=de")
        expect(other.get_by_role("button", name="Kamera einschalten")).to_be_enabled()
    table.close()


def test_a_game_without_a_phone_says_so_and_a_refused_camera_is_named(browser: Browser, start: Start) -> None:
    page = browser.new_context(permissions=[]).new_page()
    page.goto(f"{start().address}camera")
    expect(page.locator("#said")).to_contain_text("start it with --camera phone")
    expect(page.locator("#start")).to_be_disabled()
    page.close()


@pytest.mark.long
def test_the_camera_of_a_phone_is_opened_over_https_with_the_certificate_of_this_machine(
    playwright: Playwright, tmp_path: Path
) -> None:
    board, film = PrintedTable(), tmp_path / "table.y4m"
    scene = Scene(film, board.see())
    words = ["play", "close-quarters", "--no-browser", "--http-port=0", "--http-address=127.0.0.1"]
    own = {"XDG_DATA_HOME": str(tmp_path), "PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    chosen = next(each for each in (HEADLESS, CHROMIUM) if each.exists())
    with (
        Program(
            "companion", [*words, "--https", "--camera", "phone"], stdout=PIPE, env={**os.environ, **own}
        ) as program,
        phone(playwright, chosen, film) as chromium,
    ):
        assert program.stdout is not None
        address = next(
            found[0] for line in program.stdout if (found := re.search(r"https://\S+camera$", line))
        )
        page = chromium.new_context(ignore_https_errors=True).new_page()
        with page.expect_websocket() as opened:
            page.goto(address)
        page.get_by_role("button", name="Start the camera").click()
        expect(page.locator("#said")).to_contain_text("The camera is watching.")
        table = page.context.new_page()
        table.goto(address.removesuffix("camera"))
        expect(table.locator("body")).to_have_attribute("data-phase", "waiting")
        play(board, scene, opened.value, MOVES[0])
        expect(table.locator("#moves")).to_contain_text(MOVES[0])

# SPDX-License-Identifier: Apache-2.0
"""Make the README's pictures from the running program.

Usage: `python -m tests.page.pictures`.
"""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final
from urllib.request import Request, urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.page.conftest import CHROMIUM
from tests.page.test_page import cell, more, play

FOLDER: Final = Path(__file__).parents[2] / "docs"
COLOURS: Final = 200
PLAYERS: Final = ("--player", "Ann", "--player", "Ben")


@contextmanager
def playing(*words: str) -> Iterator[str]:
    """The address of a program that plays."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-u",
            "-m",
            "companion",
            "play",
            *words,
            "--no-browser",
            "--http-port=0",
            "--http-address=127.0.0.1",
        ],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield next(found.group() for line in process.stdout if (found := re.search(r"http://\S+", line)))
    finally:
        process.terminate()
        process.stdout.close()
        process.wait()


def keep(page: Page, name: str) -> None:
    """What *page* shows, with few colours, as `docs/NAME.png`."""
    shown = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
    shown.quantize(COLOURS, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


def opened(browser: Browser, address: str, width: int, height: int, scheme: str = "light") -> Page:
    """The page at *address* in a window of that size, with something to play."""
    page = browser.new_page(
        viewport={"width": width, "height": height}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page.goto(address)
    expect(page.locator("#prompt")).to_contain_text("moves.")
    return page


def virtual_table(browser: Browser) -> None:
    """A piece in the hand, and where it may go."""
    with playing("close-quarters", *PLAYERS, "--clock", "15+10") as address:
        page = opened(browser, address, 1100, 700)
        play(page, "a1-b2", "a1-b2")
        play(page, "d8-b8", "d8-b8!")
        cell(page, "b2").click()
        expect(page.locator(".target")).not_to_have_count(0)
        keep(page, "virtual-table")


def big_screen(browser: Browser) -> None:
    """What hangs on the wall, in the dark."""
    with playing("close-quarters", *PLAYERS, "--clock", "15+10") as address:
        page = opened(browser, address, 1100, 700, "dark")
        play(page, "a1-b2", "a1-b2")
        play(page, "d8-b8", "d8-b8!")
        page.goto(f"{address}?big")
        expect(page.locator("#cry")).to_contain_text("CHECK!")
        page.set_viewport_size({"width": 1280, "height": 720})
        keep(page, "big-screen")


def new_game(browser: Browser) -> None:
    """Another game is chosen."""
    with playing("chess") as address:
        page = opened(browser, address, 1100, 760)
        more(page)
        page.locator("#game").select_option("martian-chess")
        page.locator("#more summary").click()
        page.locator("select[name=players]").select_option("4")
        keep(page, "new-game")


def board_menu(browser: Browser) -> None:
    """A game is chosen on the board, and its opponents are offered."""
    with playing("chess") as address:
        page = opened(browser, address, 1100, 640)
        more(page)
        page.get_by_role("button", name="Choose on the board").click()
        offered = page.get_by_role("button", name=re.compile(r"^c3.*Fightopia$"))
        expect(offered).to_have_count(1)
        page.locator("#near button.heap").first.click()
        expect(page.locator(".hand .piece")).to_have_count(1)
        offered.click()
        expect(page.locator("#prompt")).to_contain_text("Against whom?")
        page.mouse.move(0, 0)
        expect(page.locator("#board .menu text")).to_have_count(11)
        expect(page.locator("[data-cell='47'] .lamp")).to_have_css("color", "rgb(0, 255, 120)")
        keep(page, "board-menu")


BOARDS: Final = ("red=close-quarters", "blue=chess", "green=martian-chess")
TEAMS: Final = {
    "Castle": ("Ana", "Ćiro", "Dora"),
    "Bridge": ("Ben", "Zoë", "Eli"),
    "Harbour": ("Cleo", "Finn", "Gul"),
}


@contextmanager
def evening(folder: str) -> Iterator[tuple[str, str, Callable[[str, object], None]]]:
    """A hall with three boards: its address, that of the first, and the arbiter's requests."""
    environment = {**os.environ, "XDG_DATA_HOME": folder, "COLUMNS": "200"}
    command = [sys.executable, "-u", "-m", "companion", "hall"]
    subprocess.run([*command, "admit", "Ana", "--password", "hall of mirrors"], env=environment, check=True)
    words = ["--http-port=0", "--clock=90+30", *(f"--board={board}" for board in BOARDS)]
    process = subprocess.Popen([*command, *words], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    try:
        told = ""
        while told.count("the table is at") < len(BOARDS):
            told += process.stdout.readline()
        address = re.findall(r"http://\S+", told)[0]
        table = re.findall(r"red: the table is at (\S+)", told)[0]

        def call(path: str, body: object, token: str = "") -> dict[str, str]:
            headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
            with urlopen(Request(address + path, json.dumps(body).encode(), headers)) as reply:
                answer: dict[str, str] = json.load(reply)
                return answer

        token = call("api/login", {"name": "Ana", "password": "hall of mirrors"})["token"]
        yield address, table, lambda path, body: print(call(path, body, token))
    finally:
        process.terminate()
        process.stdout.close()
        process.wait()


def hall(browser: Browser) -> None:
    """The spectators' hall and the arbiter's desk, with a problem at a board."""
    with TemporaryDirectory() as folder, evening(folder) as (address, table, ask):
        players = [
            f"{name},{1900 - 40 * board},{team}"
            for team, names in TEAMS.items()
            for board, name in enumerate(names)
        ]
        opened = {"is": "Opened", "key": "league", "name": "League", "format": "round-robin", "game": ""}
        ask("api/acts", {**opened, "boards": 2, "tie_breaks": ["board-points", "direct-encounter"]})
        ask("api/tournaments/league/players", {"csv": "\n".join(["name,rating,team", *players])})
        ask("api/tournaments/league/rounds", {})
        for place, board in enumerate(("red", "blue"), 1):
            ask("api/tournaments/league/boards", {"round": 1, "table": place, "board": board})
        seat = browser.new_page()
        seat.goto(table)
        play(seat, "a1-b2", "a1-b2")
        cell(seat, "d8").click()
        cell(seat, "c5").click()
        expect(seat.locator("#prompt")).to_contain_text("straight line")
        watcher = browser.new_page(viewport={"width": 1440, "height": 760})
        watcher.goto(address)
        expect(watcher.locator(".alarm")).to_be_visible()
        keep(watcher, "hall")
        desk = browser.new_page(viewport={"width": 1300, "height": 900}, locale="en-GB")
        desk.goto(f"{address}arbiter")
        desk.locator("input").first.fill("Ana")
        desk.locator("input").last.fill("hall of mirrors")
        desk.keyboard.press("Enter")
        expect(desk.locator(".urgency-3")).to_be_visible()
        for summary in desk.locator("details[open] > summary").all():
            summary.click()
        keep(desk, "desk")


PICTURES: Final[tuple[Callable[[Browser], None], ...]] = (
    virtual_table,
    big_screen,
    new_game,
    board_menu,
    hall,
)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for picture in PICTURES:
            picture(chromium)
        chromium.close()

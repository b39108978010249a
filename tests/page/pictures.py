# SPDX-License-Identifier: Apache-2.0
"""The README's pictures of the page, made from the running program: `python -m tests.page.pictures`."""

from __future__ import annotations

import io
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PIL import Image
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.page.conftest import CHROMIUM
from tests.page.test_page import cell, play

FOLDER: Final = Path(__file__).parents[2] / "docs"
COLOURS: Final = 200
PLAYERS: Final = ("--player", "Ann", "--player", "Ben")


@contextmanager
def playing(*words: str) -> Iterator[str]:
    """The address of a program that plays."""
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "companion", "play", *words, "--no-browser", "--http-port=0"],
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
        page.get_by_role("button", name="New game").click()
        page.locator("#game").select_option("martian-chess")
        page.locator("select[name=players]").select_option("4")
        keep(page, "new-game")


PICTURES: Final[tuple[Callable[[Browser], None], ...]] = (virtual_table, big_screen, new_game)


if __name__ == "__main__":
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for picture in PICTURES:
            picture(chromium)
        chromium.close()

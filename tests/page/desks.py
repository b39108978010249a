# SPDX-License-Identifier: Apache-2.0
"""Arbiter's desks for tests: a hall of the real program, and actions on its pages."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE

from playwright.sync_api import Browser, Locator, Page, expect

from tests.programs import Program
from tests.waits import brisk

PASSWORD = "hall of mirrors"
HOLDING = re.compile(r"\bholding\b")


def companion(folder: Path, *words: str) -> Program:
    """The program with its data in *folder*."""
    shown = {"PYTHONUNBUFFERED": "1", "COLUMNS": "200"}
    environment = {**os.environ, "XDG_DATA_HOME": str(folder), **brisk(folder), **shown}
    return Program("companion", words, stdout=PIPE, env=environment)


def cell(page: Page, name: str) -> None:
    files, rank = "abcd", int(name[1])
    page.locator(f'[data-cell="{files.index(name[0]) + 4 * (rank - 1)}"]').click()


@dataclass
class Evening:
    """A hall that runs, with the addresses of its pages."""

    browser: Browser
    program: Program
    hall: str = ""
    tables: dict[str, str] = field(default_factory=dict)
    complaints: list[str] = field(default_factory=list)

    def page(self, address: str, language: str = "en-GB", width: int = 1280) -> Page:
        context = self.browser.new_context(locale=language, viewport={"width": width, "height": 900})
        page = context.new_page()
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        page.goto(address)
        return page

    def desk(self, language: str = "en-GB", width: int = 1280) -> Page:
        """The desk, as soon as somebody has logged in by the keys alone."""
        page = self.page(f"{self.hall}arbiter", language, width)
        log_in(page)
        return page


def log_in(desk: Page) -> None:
    desk.locator("input[type=password]").wait_for()
    desk.locator("input").first.focus()
    desk.keyboard.type("Ana")
    desk.keyboard.press("Tab")
    desk.keyboard.type(PASSWORD)
    desk.keyboard.press("Enter")
    expect(desk.locator("#boards .tile").first).to_be_visible()


def play(table: Page, *moves: str) -> None:
    for move in moves:
        expect(table.locator("#board")).not_to_have_class(HOLDING)
        cell(table, move[:2])
        expect(table.locator("#board")).to_have_class(HOLDING)
        cell(table, move[3:5])


def board(desk: Page, name: str) -> Locator:
    """The board *name* beside the overview, opened if it is not."""
    found = desk.locator(f"#board-{name}")
    if not found.count():
        desk.locator(f'.tile[data-board="{name}"]').click()
    return found


def do(desk: Page, what: Locator, **fields: str) -> None:
    """Press the button *what* and answer its dialog."""
    what.click()
    dialog = desk.get_by_role("dialog")
    expect(dialog).to_be_visible()
    for label, value in fields.items():
        place = dialog.get_by_label(label)
        if place.evaluate("place => place.tagName") == "SELECT":
            place.select_option(value)
        else:
            place.fill(value)
    dialog.get_by_role("button", name="Do it").click()
    expect(dialog).to_have_count(0)


def watch_for(page: Page, holds: str, arg: object = None) -> None:
    """Wait for a frame in which *holds* of *arg* is true on *page*.

    Playwright's own function evaluates its text again in later frames, which our pages forbid.
    """
    page.evaluate(
        f"""(arg) => new Promise((done) => {{
          const look = () => (({holds})(arg) ? done() : requestAnimationFrame(look));
          look();
        }})""",
        arg,
    )

# SPDX-License-Identifier: Apache-2.0
"""Every page in a real Chromium obeys its content security policy.

No part of it is refused, and another site cannot frame it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import cv2
import pytest
from playwright.sync_api import Browser, Page, expect

from tests.calibration.studio import CHESS, over, photographs, scene_of
from tests.host.hall.sites import NAME
from tests.host.tables import WHOLE_GAME, written
from tests.page.conftest import NewGame
from tests.page.desks import Evening, board, log_in
from tests.page.test_page import more
from tests.page.test_replay_page import shown as replayed
from tests.page.test_workshop_page import served as workshop

pytestmark = pytest.mark.browser

_REPORT = """
document.addEventListener("securitypolicyviolation", (event) =>
  console.error(`refused: ${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`));
"""


@dataclass
class Watched:
    """A browser whose pages note what their policy refuses, and all other complaints."""

    browser: Browser
    complaints: list[str] = field(default_factory=list)

    def page(self, address: str) -> Page:
        context = self.browser.new_context(viewport={"width": 1300, "height": 900})
        context.add_init_script(_REPORT)
        page = context.new_page()
        page.on("console", lambda said: self.complaints.append(said.text) if said.type == "error" else None)
        page.on("pageerror", lambda fault: self.complaints.append(str(fault)))
        page.goto(address)
        return page


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    """At the end nobody has complained."""
    found = Watched(browser)
    yield found
    assert found.complaints == []


def test_the_page_at_the_table_in_all_its_shapes(watched: Watched, new_game: NewGame) -> None:
    address = new_game("chess")
    for shape in ("", "?big", "?watch"):
        page = watched.page(address + shape)
        expect(page.locator("#board [data-cell]").first).to_be_visible()
    page = watched.page(address)
    page.locator("#open-settings").click()
    page.locator("#settings [data-pref=theme]").select_option("dark")
    page.locator("#settings [data-label=close]").click()
    more(page)
    page.locator("#game").select_option("martian-chess")
    page.locator("#new-game button[value=begin]").click()
    expect(page.locator("#title")).to_have_text("Martian Chess")


@pytest.mark.long
def test_the_pages_of_a_hall(watched: Watched, evening: Callable[..., Evening], tmp_path: Path) -> None:
    at = evening("red", clock="5+3")
    watched.page(at.hall)
    desk = watched.page(f"{at.hall}arbiter")
    log_in(desk)
    expect(board(desk, "red")).to_contain_text("red · in play")
    token = desk.evaluate("sessionStorage.getItem('token')")
    for path, body in (
        (
            "acts",
            {"is": "Opened", "key": "club", "name": "Club", "format": "swiss", "game": "close-quarters"},
        ),
        ("tournaments/club/players", {"csv": f"name\n{NAME}\nBen\n"}),
        ("tournaments/club/rounds", {}),
    ):
        posted = desk.request.post(
            f"{at.hall}api/{path}", data=body, headers={"Authorization": f"Bearer {token}"}
        )
        assert posted.ok, posted.text()
    expect(desk.locator("#main")).to_contain_text("Club")
    with desk.expect_download() as saved:  # by an address of its own that the page makes
        desk.get_by_role("button", name="Pairings").first.click()
    assert saved.value.suggested_filename == "club-pairings.pdf"
    spectator = watched.page(f"{at.hall}?rotate=20")
    expect(spectator.locator("#boards svg").first).to_be_visible()
    expect(spectator.locator("#tournaments")).to_contain_text("Ben")
    table = watched.page(at.tables["red"])
    expect(table.locator("#board [data-cell]").first).to_be_visible()


@pytest.mark.long
def test_the_page_of_a_kept_game(watched: Watched, tmp_path: Path) -> None:
    with replayed(tmp_path, written(tmp_path / "game.jsonl", WHOLE_GAME)) as address:
        page = watched.page(address)
        page.locator("#review-next").click()
        expect(page.locator("#board [data-cell]").first).to_be_visible()


@pytest.mark.long
def test_the_workshop(watched: Watched, tmp_path: Path) -> None:
    for number, image in enumerate(photographs(scene_of(CHESS, over(CHESS)), 2)):
        cv2.imwrite(str(tmp_path / f"{number}.png"), image)
    with workshop(str(tmp_path), tmp_path / "home") as address:
        page = watched.page(address)
        expect(page.locator("#none")).to_be_hidden()
        page.locator("#lay").click()
        expect(page.locator("#check")).to_be_visible(timeout=60_000)


# --- what the policy refuses ---


@contextmanager
def site(text: str) -> Iterator[str]:
    """Another site, on a port of its own."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def heard_of(page: Page) -> list[str]:
    """Grows by all that the console of *page* says."""
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text))
    return said


def test_another_site_can_neither_frame_a_page_nor_follow_its_boards(
    browser: Browser, evening: Callable[..., Evening]
) -> None:
    at = evening("red")
    for framed in (at.hall, f"{at.hall}arbiter", at.tables["red"]):
        line = f"{at.hall.replace('http', 'ws')}api/watch"
        with ExitStack() as stack:
            other = stack.enter_context(site(f'<iframe src="{framed}"></iframe>'))
            context = browser.new_context()
            stack.callback(context.close)
            page = context.new_page()
            said = heard_of(page)
            page.goto(other)
            page.wait_for_function("() => document.querySelector('iframe').contentDocument === null")
            assert page.frames[1].locator("header").count() == 0
            assert any("frame-ancestors" in each for each in said), said
            how = page.evaluate(
                "(line) => new Promise((done) => { const opened = new WebSocket(line);"
                "opened.onopen = () => done('open'); opened.onerror = () => done('refused'); })",
                line,
            )
            assert how == "refused"


def test_violations_of_the_policy_are_blocked_and_detected(browser: Browser, new_game: NewGame) -> None:
    address = new_game("close-quarters")
    watched = Watched(browser)
    page = watched.page(address)
    attempts = {
        "script-src": "const each = document.createElement('script'); each.textContent = 'window.got = 1';"
        "document.body.append(each);",
        "style-src": "const each = document.createElement('div'); each.setAttribute('style', 'color: red');"
        "document.body.append(each);",
        "img-src": "const each = document.createElement('img'); each.src = 'http://127.0.0.1:1/x.png';"
        "document.body.append(each);",
        "connect-src": "fetch('http://127.0.0.1:1/').catch(() => {});",
        "form-action": "const each = document.createElement('form'); each.action = 'http://127.0.0.1:1/';"
        "document.body.append(each); each.submit();",
        "base-uri": "const each = document.createElement('base'); each.href = 'http://127.0.0.1:1/';"
        "document.head.append(each);",
    }
    for directive, attempt in attempts.items():
        with page.expect_console_message(lambda said, of=directive: said.text.startswith(f"refused: {of}")):  # type: ignore[misc]
            page.evaluate(f"() => {{ {attempt} }}")
    assert page.evaluate("window.got") is None

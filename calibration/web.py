# SPDX-License-Identifier: Apache-2.0
"""The workshop's page: files, and one WebSocket for images, state and commands.

Its rule is that of the players' page: the newest state only, and invalid messages change nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import html
import json
import logging
import webbrowser
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final

from rich.console import Console
from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from calibration.commands import Errand, Open, WorkshopCommand
from calibration.shell import Shell, local_cameras
from calibration.table import Table
from calibration.wording import Words, load
from calibration.workshop import Workshop
from companion import games
from companion.feedback.page import option_json
from companion.feedback.template import fill
from companion.feedback.wordfiles import choose
from companion.feedback.words import load as load_game
from companion.host.clock import monotonic
from companion.host.codec import decode
from companion.host.desktop import has_screen
from companion.host.pages.application import Application
from companion.host.pages.page_files import PageFiles, add_files
from companion.host.web.browser_socket import accepted, receive_text
from companion.host.web.server import listen, serving_app

_LOG = logging.getLogger(__name__)

_LONGEST_MESSAGE: Final = 2000
"""Limit of a message: file paths are longer than players' commands."""
_LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Reading:
    """Which languages a reader is offered, besides those of the address and the browser."""

    asked: str = ""
    """Named on the command line: it goes before the browser's."""
    usual: str = ""
    """That of the settings: for a browser that wants none that there are words for."""

    def language(self, address: str, accepted: str | None) -> str:
        """The page's language: *address*'s `language`, else the header `Accept-Language`.

        *accepted* is the value of the header.
        """
        return choose(address, self.asked, accepted, self.usual)


def make_app(shell: Shell, reading: Reading = Reading()) -> Application:
    """The application that shows *shell* and takes its commands."""
    app = Application()
    files = _page_files()
    add_files(app, files)

    @app.get("/")
    async def index(request: Request, language: str = "") -> Response:
        code = reading.language(language, request.headers.get("accept-language"))
        return files.document("page/index.html", partial(_filled, load(code))).answer(request)

    @app.websocket("/ws")
    async def talk(browser: WebSocket, language: str = "") -> None:
        if not await accepted(browser):
            return
        code = reading.language(language, browser.headers.get("accept-language"))
        shower = asyncio.create_task(_show(browser, shell, code), name="shower")
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    command = understand(await receive_text(browser))
                    if command is not None:
                        shell.ask(command)
        finally:
            shower.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
                await shower

    return app


@cache
def _page_files() -> PageFiles:
    return PageFiles({"page": "calibration", "shared": "companion.host.web"})


def _filled(words: Words, page: str) -> str:
    """*page* with those words that it needs without JavaScript."""
    gaps = {
        "language": words.code,
        "title": words.sentence("page.title"),
        "script": words.sentence("page.no-script"),
    }
    return fill(page, {gap: html.escape(text) for gap, text in gaps.items()}, words.language)


def understand(text: str) -> WorkshopCommand | Errand | None:
    """The command in a browser's message, or None if it is invalid."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        command: WorkshopCommand | Errand = decode(WorkshopCommand | Errand, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    return command


def greeting(language: str) -> dict[str, Any]:
    """Constants of a page in *language*: words, games with their options, cameras."""
    offered = []
    for slug in games.slugs():
        game = games.find(slug)
        words = load_game(language, slug, game.rules().sides)
        options = [option_json(option, words) for option in game.options]
        for option in options:
            option["values"] = [each for each in option["values"] if each["value"] != "file"]
        offered.append({"slug": slug, "title": words.game.title, "options": options})
    page = dict(load(language).file.page)
    return {"language": language, "words": page, "games": offered, "cameras": local_cameras()}


async def serve(
    source: str | None, table: Table, port: int, reading: Reading, console: Console, *, opens_browser: bool
) -> None:
    """Run the workshop until it is stopped. Raises `SettingsError`, `OptionError`."""
    words = load(reading.language("", None))
    shell = Shell(Workshop(table), monotonic())
    if source is not None:
        shell.ask(Open(source))
    listener = listen(_LOOPBACK, port)
    async with serving_app(make_app(shell, reading), listener) as address:
        console.print(words.sentence("console.at", address=address), soft_wrap=True)
        if opens_browser and has_screen():
            await asyncio.to_thread(webbrowser.open, address)
        await shell.run()


async def _show(browser: WebSocket, shell: Shell, language: str) -> None:
    """The pictures and states for one browser, in its *language*."""
    await browser.send_text(json.dumps({"hello": await asyncio.to_thread(greeting, language)}))
    state, jpeg = "", b""
    with shell.watch(language) as has_changed:
        while True:
            if shell.states.get(language, state) != state:
                state = shell.states[language]
                await browser.send_text(state)
            if shell.jpeg is not jpeg:
                jpeg = shell.jpeg
                await browser.send_bytes(jpeg)
            await has_changed.wait()
            has_changed.clear()

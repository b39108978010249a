# SPDX-License-Identifier: Apache-2.0
"""The workshop's page: files, and one WebSocket on which a browser gets pictures and states, and says what a person wants.

Its rule is that of the players' page: the newest instead of all, and what makes no sense changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import webbrowser
from importlib import resources
from pathlib import Path
from typing import Any, Final

from fastapi import FastAPI, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from rich.console import Console

from calibration.commands import Errand, Open, WorkshopCommand
from calibration.shell import Shell, local_cameras
from calibration.table import Table
from calibration.wording import words
from calibration.workshop import Workshop
from companion import games
from companion.host.clock import monotonic
from companion.host.codec import decode
from companion.host.play.run import has_screen
from companion.host.web.server import accepted, listen, receive_text, serving_app

_LOG = logging.getLogger(__name__)

_LONGEST_MESSAGE: Final = 2000
"""Paths of files are longer than what players say."""
_LOOPBACK: Final = "127.0.0.1"


def make_app(shell: Shell) -> FastAPI:
    """The application that shows *shell* and takes what a person wants."""
    app = FastAPI(title="Camera workshop", docs_url=None, redoc_url=None, openapi_url=None)
    folder = Path(str(resources.files("calibration") / "page"))

    @app.get("/")
    async def index() -> FileResponse:
        return FileResponse(folder / "index.html")

    @app.websocket("/ws")
    async def talk(browser: WebSocket) -> None:
        if not await accepted(browser):
            return
        shower = asyncio.create_task(_show(browser, shell), name="shower")
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    wish = understand(await receive_text(browser))
                    if wish is not None:
                        shell.ask(wish)
        finally:
            shower.cancel()
            with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
                await shower

    app.mount("/page", StaticFiles(directory=folder), name="page")
    shared = Path(str(resources.files("companion.host.web") / "page"))
    app.mount("/shared", StaticFiles(directory=shared), name="shared")
    return app


def understand(text: str) -> WorkshopCommand | Errand | None:
    """What a browser said, if it makes sense; else None."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        wish: WorkshopCommand | Errand = decode(WorkshopCommand | Errand, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    return wish


def greeting() -> dict[str, Any]:
    """What a page needs once: words, games with their options, cameras."""
    offered = []
    for slug in games.slugs():
        game = games.find(slug)
        options = [
            {
                "name": one.name,
                "values": [value for value in one.values if value != "file"],
                "about": one.about,
            }
            for one in game.options
        ]
        offered.append({"slug": slug, "title": game.title, "options": options})
    return {"words": dict(words().page), "games": offered, "cameras": local_cameras()}


async def serve(
    source: str | None, table: Table, port: int, console: Console, *, opens_browser: bool
) -> None:
    """Run the workshop until somebody stops it. Raises `SettingsError`, `OptionError`."""
    shell = Shell(Workshop(table), monotonic())
    if source is not None:
        shell.ask(Open(source))
    listener = listen(_LOOPBACK, port)
    async with serving_app(make_app(shell), listener) as address:
        console.print(f"The workshop is at {address}  (Ctrl-C ends)", soft_wrap=True)
        if opens_browser and has_screen():
            await asyncio.to_thread(webbrowser.open, address)
        await shell.run()


async def _show(browser: WebSocket, shell: Shell) -> None:
    """The pictures and states for one browser."""
    await browser.send_text(json.dumps({"hello": await asyncio.to_thread(greeting)}))
    state, jpeg = "", b""
    with shell.watch() as has_changed:
        while True:
            if shell.state != state:
                state = shell.state
                await browser.send_text(state)
            if shell.jpeg is not jpeg:
                jpeg = shell.jpeg
                await browser.send_bytes(jpeg)
            await has_changed.wait()
            has_changed.clear()

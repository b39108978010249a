# SPDX-License-Identifier: Apache-2.0
"""A phone as the camera of the table: its page sends images over a WebSocket.

Its rule: the phone sends an image, and the next one after the answer, so that a slow network
delays no image by others. One phone sends; a later one takes its place, but not in a game.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.host.pages.application import Application
from companion.host.pages.page_files import page
from companion.host.start_page.home import Home
from companion.host.text.error_translation import translate
from companion.host.web.beginning import is_under_way
from companion.host.web.browser_socket import accepted
from companion.model.phrase import Phrase

_LABELS: Final = {
    "title": Phrase("Phone as camera"),
    "home": Phrase("To the table"),
    "start": Phrase("Start the camera"),
    "stop": Phrase("Stop"),
    "advice": Phrase("Fix the phone above the board, so that the whole board is in the picture."),
    "insecure": Phrase(
        "Browsers open cameras over https only: start the program with --https, and open the new address."
    ),
    "denied": Phrase("The camera is not allowed: allow it in the browser's settings of this page."),
    "none": Phrase("There is no camera, or another program uses it."),
    "taken": Phrase("Another phone sends the pictures of the game under way: stop it first."),
    "replaced": Phrase("Another phone sends the pictures now."),
    "unused": Phrase("The game is not watched by a phone: start it with --camera phone."),
}
_LARGEST: Final = 4_000_000
"""Bytes of an image; a JPEG of 1920 by 1080 px has a tenth."""
_USUAL_SIZE_PX: Final = (1280, 720)
"""Larger images take a phone longer to encode."""
_REPLACED: Final = 4001
"""WebSocket close code: another phone has taken the place."""


class _Sender:
    """The phone that sends, if any."""

    def __init__(self) -> None:
        self.line: WebSocket | None = None
        self._name = ""

    def is_other(self, name: str) -> bool:
        """True if a browser sends that is not called *name*."""
        return self.line is not None and (not name or name != self._name)

    async def sit_down(self, line: WebSocket, name: str) -> None:
        """Let *line* be the sender; the former one gets a message, and is closed."""
        former, self.line, self._name = self.line, line, name
        if former is not None:
            with contextlib.suppress(RuntimeError, WebSocketDisconnect):
                await former.send_text(json.dumps({"fault": "replaced"}))
                await former.close(_REPLACED)

    def leave(self, line: WebSocket) -> None:
        """*line* has gone."""
        if self.line is line:
            self.line = None


def add_phone_camera(app: Application, home: Home, language_of: Callable[[str, str], str]) -> None:
    """Add the page to *app*; *language_of* chooses among the asked and the accepted languages."""
    sender = _Sender()

    @app.get("/camera")
    async def document(request: Request) -> Response:
        return page("camera.html").answer(request)

    @app.websocket("/camera/ws")
    async def talk(browser: WebSocket, language: str = "", name: str = "") -> None:
        if not await accepted(browser):
            return
        code = language_of(language, browser.headers.get("accept-language", ""))
        labels = {name: translate(label, code) for name, label in _LABELS.items()}
        fault = "" if is_phone_wanted(home) else "unused"
        size = await asyncio.to_thread(_size, home)
        await browser.send_text(
            json.dumps({"language": code, "labels": labels, "fault": fault, "size": size})
        )
        try:
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await _take(home, browser, sender, code, name)
        finally:
            sender.leave(browser)


def is_phone_wanted(home: Home) -> bool:
    """True if a phone is the camera of the program's games."""
    camera = home.play_options.camera
    return camera is not None and camera.sent is not None


async def _take(home: Home, browser: WebSocket, sender: _Sender, language: str, name: str) -> None:
    """Pass on an image of *browser*, and answer it. Raises `WebSocketDisconnect`."""
    message = await browser.receive()
    if message["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(message.get("code", 1000))
    packed, camera = message.get("bytes"), home.play_options.camera
    if message.get("text") == "ping":
        await browser.send_text("pong")
    if packed is None or len(packed) > _LARGEST or camera is None or camera.sent is None:
        return
    if sender.line is not browser:
        if sender.is_other(name) and home.table is not None and is_under_way(home.table.view):
            await browser.send_text(json.dumps({"fault": "taken"}))
            return
        await sender.sit_down(browser, name)
    camera.sent.put(packed)
    await browser.send_text(json.dumps({"next": True, "said": _said(home, language)}))


def _said(home: Home, language: str) -> list[str]:
    """What the table says of its camera."""
    table = home.table
    if table is None or table.pipeline.camera is None:
        return []
    return table.pipeline.camera.sentences(table.words(language).common, table.pipeline.cell_names)


def _size(home: Home) -> list[int]:
    """Width and height of the images that the phone should send. Raises `CompanionError`."""
    camera = home.play_options.camera
    if camera is None or camera.profile is None:
        return list(_USUAL_SIZE_PX)
    from companion.host.devices.profiles import load, path_of  # imports the camera's libraries

    return list(load(path_of(camera.profile)).camera.size_px)

# SPDX-License-Identifier: Apache-2.0
"""The web page: files, and one WebSocket on which a browser gets pictures of the table and says what people do.

Its rule: a browser gets the whole picture, every time, and a slow one gets the newest instead of all;
whatever a browser says is checked here, and what makes no sense changes nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import socket as sockets
from collections.abc import AsyncIterator, Iterator
from importlib import resources
from pathlib import Path
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.base import RequestResponseEndpoint

from companion.host.codec import decode
from companion.host.hands import Hand
from companion.host.table import Table
from companion.model.errors import SettingsError
from companion.referee.commands import Command

_LOG = logging.getLogger(__name__)

ANY_PORT: Final = 0
_CROSS_ORIGIN: Final = 1008
_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'self'",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-cache",
}
_LONGEST_MESSAGE: Final = 256
"""Nothing sensible is longer, and nothing so short can be nested deep enough to hurt."""

Said: TypeAlias = Command | Hand
"""What a browser may say."""


def make_app(table: Table) -> FastAPI:
    """The application that shows *table* and takes what people do at it."""
    app = FastAPI(title="Companion", docs_url=None, redoc_url=None, openapi_url=None)
    folder = Path(str(resources.files("companion.host") / "page"))

    @app.middleware("http")
    async def add_headers(request: Request, call_next: RequestResponseEndpoint) -> Response:
        response = await call_next(request)
        response.headers.update(_HEADERS)
        return response

    @app.get("/")
    async def index() -> FileResponse:
        return FileResponse(folder / "index.html")

    @app.websocket("/ws")
    async def talk(browser: WebSocket) -> None:
        if not _is_ours(browser):
            await browser.close(_CROSS_ORIGIN)
            return
        await browser.accept()
        async with _showing(browser, table):
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    _take(table, await browser.receive_text())

    app.mount("/page", StaticFiles(directory=folder), name="page")
    return app


def understand(text: str, table: Table) -> Said | None:
    """What a browser said, if it makes sense at *table*; else None."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        said: Said = decode(Said, json.loads(text))
    except ValueError as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    rules = table.chain.session.rules
    sides = {getattr(said, name, 0) for name in ("side", "turn")}
    cell = getattr(said, "cell", None)
    is_possible = sides <= set(range(len(rules.sides))) and (cell is None or 0 <= cell < len(rules.grid))
    return said if is_possible else None


def _take(table: Table, text: str) -> None:
    """Do what a browser said."""
    said = understand(text, table)
    if isinstance(said, Hand):
        table.do(said)
    elif said is not None:
        table.ask(said)


@contextlib.asynccontextmanager
async def _showing(browser: WebSocket, table: Table) -> AsyncIterator[None]:
    """Send *browser* the table and then every new picture, as fast as it takes them."""
    shower = asyncio.create_task(_show(browser, table), name="shower")
    try:
        yield
    finally:
        shower.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
            await shower


async def _show(browser: WebSocket, table: Table) -> None:
    """The pictures for one browser."""
    await browser.send_text(json.dumps({"table": table.description()}))
    sent = ""
    with table.watch() as has_changed:
        while True:
            picture = table.picture()
            if picture != sent:
                await browser.send_text(picture)
                sent = picture
            await has_changed.wait()
            has_changed.clear()


def _is_ours(browser: WebSocket) -> bool:
    """True unless another site's page opened this connection behind the player's back."""
    origin = browser.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == browser.headers.get("host")


def listen(address: str, port: int) -> sockets.socket:
    """A socket on which the page can be served; *port* 0 takes any. Raises `SettingsError`."""
    listener = sockets.socket(sockets.AF_INET6 if ":" in address else sockets.AF_INET)
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen()  # a browser that comes before the server waits instead of being refused
    except OSError as fault:
        listener.close()
        raise SettingsError(
            f"the page cannot be served at {address} port {port}: {fault.strerror}. "
            "Is another companion running? Choose another with --http-port, or 0 for any"
        ) from fault
    return listener


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@contextlib.asynccontextmanager
async def serving(table: Table, listener: sockets.socket) -> AsyncIterator[str]:
    """The page of *table* is served on *listener* meanwhile; gives its address."""
    config = uvicorn.Config(
        make_app(table),
        log_level="warning",
        lifespan="off",
        ws="websockets-sansio",
        timeout_graceful_shutdown=1,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve(sockets=[listener]), name="page")
    host, port = listener.getsockname()[:2]
    try:
        yield f"http://{f'[{host}]' if ':' in host else host}:{port}/"
    finally:
        server.should_exit = True
        await task

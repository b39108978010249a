# SPDX-License-Identifier: Apache-2.0
"""Page server: static files, and a WebSocket that sends page states and receives commands.

Its rule: a browser always gets a complete state, and a slow one gets the newest instead of all.
Messages are validated here, and invalid ones have no effect. A watching browser is not listened to.
Each state is serialised once per language.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import hashlib
import json
import logging
import socket as sockets
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final, TypeAlias

import uvicorn
from fastapi import FastAPI, Request, Response, WebSocket, WebSocketDisconnect
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from companion import games
from companion.feedback.page import Json
from companion.feedback.wordfiles import languages
from companion.host.codec import decode
from companion.host.game_info import is_offered
from companion.host.table.game_setup import Again, Begin, NewGameRequest
from companion.host.table.table import Interest, Table
from companion.host.text.error_translation import translate
from companion.host.text.os_errors import why
from companion.host.virtual_table.hands import Hand
from companion.host.web.accept import CountedHTTP, CountedWebSocket, State, accept_all
from companion.host.web.allowed_hosts import Listener, NamedHost
from companion.host.web.connections import Connections, Room
from companion.host.web.file_limit import room_for
from companion.host.web.guard import Knows, OwnOrigin, Tracked, WithHeaders, connection_of
from companion.model.errors import CompanionError, SettingsError
from companion.referee.commands import Correct, OfferDraw, PlayersCommand, Resign, Restore

_LOG = logging.getLogger(__name__)

ANY_PORT: Final = 0
USUAL_HTTP_PORT: Final = 8765
"""Port of a table's page, unless it is taken."""
CROWDED: Final = 1013
"""WebSocket close code: try again later."""
_KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""As in the standard, whatever the system's own table says."""
_LONGEST_MESSAGE: Final = 8_000
"""Longest valid message: the moves of a long game."""
_LONGEST_NAME: Final = 40
_PING, _PONG = "ping", "pong"
"""Keep-alive messages of a browser."""

PageMessage: TypeAlias = PlayersCommand | Hand | NewGameRequest
"""A message of a browser."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A browser that shows a table."""

    line: WebSocket
    language: str = ""
    """Empty for the table's."""
    only_watches: bool = False


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, kept in memory, since all browsers request the same few."""

    content: bytes
    kind: str
    tag: str
    """Hash of the content; a browser that has it gets 304."""

    def answer(self, request: Request) -> Response:
        """Answer *request* with the file, or with 304."""
        headers = {"ETag": self.tag}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.kind, headers=headers)


@cache
def page_files() -> Mapping[str, PageFile]:
    """Return the files of the page by name; the same for all tables."""
    found = {}
    for file in (resources.files("companion.host.web") / "page").iterdir():
        content = file.read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        found[file.name] = PageFile(content, _KINDS[Path(file.name).suffix], tag)
    return found


def make_app(table: Table) -> FastAPI:
    """Make the application for the page of *table*."""
    app = FastAPI(title="Companion", docs_url=None, redoc_url=None, openapi_url=None)
    files = page_files()

    @app.get("/")
    async def index(request: Request) -> Response:
        return files["index.html"].answer(request)

    @app.get("/page/{name}")
    async def file(request: Request, name: str) -> Response:
        return files[name].answer(request) if name in files else Response(status_code=404)

    @app.get("/games.json")
    async def offered(language: str = "") -> Json:
        words = table.words(_known(language))
        if table.game_factory is None:
            return {"games": [], "controls": []}
        return await asyncio.to_thread(table.game_factory.offer, words.language, table.current)

    @app.websocket("/ws")
    async def talk(browser: WebSocket, language: str = "", watch: bool = False) -> None:
        if not await accepted(browser):
            return
        reader = Reader(browser, _known(language), watch)
        async with _showing(reader, table):
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await _take(table, reader, await receive_text(browser))

    return app


def understand(text: str, table: Table) -> PageMessage | None:
    """Decode and validate a message for *table*; None if it is invalid."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        message: PageMessage = decode(PageMessage, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    if isinstance(message, Begin):
        return message if _is_sensible(message) else None
    if isinstance(message, Correct | Restore) and table.has_arbiter:
        return None
    rules = table.pipeline.session.rules
    sides = {getattr(message, name, 0) for name in ("side", "turn")}
    cell = getattr(message, "cell", None)
    if isinstance(message, Resign | OfferDraw) and message.side not in table.pipeline.view.seated:
        return None
    is_possible = sides <= set(range(len(rules.sides))) and (cell is None or 0 <= cell < len(rules.grid))
    return message if is_possible else None


def _is_sensible(command: Begin) -> bool:
    """True if *command* has an existing game, allowed options and valid names."""
    if command.game not in games.slugs() or command.language not in ("", *languages()):
        return False
    options = {option.name: option for option in games.find(command.game).options}
    is_offer = all(name in options and is_offered(options[name], value) for name, value in command.options)
    are_names = all(len(name) <= _LONGEST_NAME and (name.isprintable()) for name in command.players)
    return is_offer and are_names and not (command.position or command.played_by)


def _known(language: str) -> str:
    """Return *language* if it is supported, otherwise ""."""
    return language if language in languages() else ""


async def _take(table: Table, reader: Reader, text: str) -> None:
    """Execute a message of a browser."""
    if text == _PING:
        await reader.line.send_text(_PONG)
    if text == _PING or reader.only_watches:
        return
    message = understand(text, table)
    if isinstance(message, Begin | Again):
        try:
            await table.request_game(message)
        except CompanionError as fault:
            language = table.words(reader.language).language
            await reader.line.send_text(json.dumps({"refused": translate(fault, language)}))
    elif isinstance(message, Hand):
        table.do(message)
    elif message is not None:
        table.ask(message)


@contextlib.asynccontextmanager
async def _showing(reader: Reader, table: Table) -> AsyncIterator[None]:
    """Send *reader* the description and page states inside the block."""
    sender = asyncio.create_task(_show(reader, table), name="sender")
    try:
        yield
    finally:
        sender.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
            await sender


async def _show(reader: Reader, table: Table) -> None:
    """Send every new page state, and the description whenever another game starts."""
    described = sent = ""
    with table.watch(Interest.PATIENT if reader.only_watches else Interest.ALL) as has_changed:
        while True:
            description, picture = table.description(reader.language), table.picture(reader.language)
            if description != described:
                await reader.line.send_text(description)
            if picture != sent:
                await reader.line.send_text(_stamped(picture, table.current.clock()))
            described, sent = description, picture
            await has_changed.wait()
            has_changed.clear()


def _stamped(picture: str, now_ms: int) -> str:
    """Add the table's time to *picture*.

    Browsers set their clocks by it; the picture may be cached.
    """
    return f'{{"now_ms":{now_ms},{picture[1:]}'


async def receive_text(browser: WebSocket) -> str:
    """Receive the next text; "" for a binary message. Raises `WebSocketDisconnect`."""
    try:
        return await browser.receive_text()
    except KeyError:
        return ""


async def accepted(browser: WebSocket) -> bool:
    """Accept *browser*; if there are too many, close it and return false."""
    await browser.accept()
    if connection_of(browser).watch(browser.client.host if browser.client else ""):
        return True
    await browser.close(CROWDED)
    return False


def listen(address: str, port: int) -> Listener:
    """Return a listening socket for the page;

    *port* 0 takes any. Raises `SettingsError`.

    Allowed host names may follow *address*, separated by commas.
    """
    names = tuple(name.strip() for name in address.lower().split(","))
    address = names[0]
    listener = Listener(sockets.AF_INET6 if ":" in address else sockets.AF_INET)
    listener.names = names
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen()  # a browser that connects before the server starts waits instead of being refused
    except OSError as fault:
        listener.close()
        raise _not_served(address, port, fault) from fault
    return listener


def _not_served(address: str, port: int, fault: OSError) -> SettingsError:
    """Return the error for an address or port that cannot be used, with its remedy."""
    if fault.errno == errno.EADDRINUSE:
        return SettingsError(
            "the page cannot be served at {address} port {port}: {reason}. Stop the other program,"
            " or name another port with --http-port (0 takes a free one)",
            address=address,
            port=port,
            reason=why(fault),
        )
    return SettingsError(
        "the page cannot be served at {address} port {port}: {reason}."
        " Name an address of this machine with --http-address",
        address=address,
        port=port,
        reason=why(fault),
    )


def listen_for_page(address: str, port: int | None) -> Listener:
    """Listen on *port*; None means the usual port, or any if it is taken.

    Raises `SettingsError`.
    """
    if port is not None:
        return listen(address, port)
    try:
        return listen(address, USUAL_HTTP_PORT)
    except SettingsError:
        return listen(address, ANY_PORT)


class _Server(uvicorn.Server):
    """A server that leaves signal handling to its caller."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True, slots=True)
class Certificate:
    """PEM files of a TLS certificate."""

    chain: str
    """The certificate, with its intermediate certificates if any."""
    key: str

    def check(self) -> None:
        """Raise `SettingsError` unless the two files match."""
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.chain, self.key)
        except OSError as fault:
            raise SettingsError(
                "{chain} with {key} is no certificate with its key: {reason}. Both have to be PEM files; "
                "a tool such as mkcert makes them",
                chain=self.chain,
                key=self.key,
                reason=why(fault),
            ) from fault


@contextlib.asynccontextmanager
async def serving(table: Table, listener: Listener) -> AsyncIterator[str]:
    """Serve the page of *table* on *listener* inside the block; yield its URL."""
    async with serving_app(make_app(table), listener) as address:
        yield address


@contextlib.asynccontextmanager
async def serving_app(
    app: FastAPI,
    listener: Listener,
    line: type[CountedWebSocket] = CountedWebSocket,
    certificate: Certificate | None = None,
    room: Room | None = None,
    knows: Knows = lambda _token: False,
) -> AsyncIterator[str]:
    """Serve *app* on *listener* inside the block; yield its URL.

    *line* is the protocol of WebSockets. With a *certificate* it is served over TLS, and the
    browser checks the host name. *room* limits the connections; those with a token accepted by
    *knows* are never closed for others.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="off",
        http=CountedHTTP,
        ws=line,
        proxy_headers=False,  # our middleware below decides whom to trust
        ws_per_message_deflate=False,  # compressing one state two hundred times costs more than sending it
        timeout_graceful_shutdown=1,
        ssl_certfile=certificate.chain if certificate else None,
        ssl_keyfile=certificate.key if certificate else None,
    )
    named = app if certificate else NamedHost(app, listener.names)
    tracked: Any = Tracked(WithHeaders(OwnOrigin(named, listener.names[1:])), knows)
    config.app = ProxyHeadersMiddleware(tracked, config.forwarded_allow_ips)
    config.load()
    server = _Server(config)
    connections = Connections(room or room_for(), asyncio.get_running_loop().time)

    def make(state: State) -> asyncio.Protocol:
        return CountedHTTP(config, server.server_state, state)

    tasks = (
        asyncio.create_task(server.serve(sockets=[]), name="page"),
        asyncio.create_task(accept_all(listener, connections, make, config.ssl), name="connections"),
    )
    try:
        yield listener.urls("https" if certificate else "http")[0]
    finally:
        tasks[1].cancel()
        await asyncio.wait(tasks[1:])
        listener.close()
        server.should_exit = True
        await tasks[0]

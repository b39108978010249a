# SPDX-License-Identifier: Apache-2.0
"""The web page: files, and one WebSocket on which a browser gets pictures of the table and says what people do.

Its rule: a browser gets the whole picture, every time, and a slow one gets the newest instead of all;
whatever a browser says is checked here, and what makes no sense changes nothing.
A browser that only watches is not listened to. The text of a picture is made once for all who read its language.
"""

from __future__ import annotations

import asyncio
import contextlib
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
from companion.host.table.catalogue import is_offered
from companion.host.table.game_setup import Again, Begin, NewGameRequest
from companion.host.table.table import Interest, Table
from companion.host.text.os_errors import why
from companion.host.virtual_table.hands import Hand
from companion.host.web.accept import CountedHTTP, CountedWebSocket, State, accept_all
from companion.host.web.allowed_hosts import Listener, NamedHost
from companion.host.web.connections import Connections, Room
from companion.host.web.file_limit import room_for
from companion.host.web.guard import Knows, OwnOrigin, Tracked, WithHeaders, connection_of
from companion.model.errors import CompanionError, SettingsError
from companion.referee.commands import Correct, PlayersCommand, Restore

_LOG = logging.getLogger(__name__)

ANY_PORT: Final = 0
CROWDED: Final = 1013
"""WebSocket's close code for whoever should try again later."""
_KINDS: Final = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}
"""As the standard has them, whatever the system's own list says."""
_LONGEST_MESSAGE: Final = 8_000
"""Nothing sensible is longer: the moves of a long game."""
_LONGEST_NAME: Final = 40
_PING, _PONG = "ping", "pong"
"""How a browser makes sure that the line is still there."""

Said: TypeAlias = PlayersCommand | Hand | NewGameRequest
"""What a browser may say."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who looks at a table."""

    line: WebSocket
    language: str = ""
    """Empty for that of the table."""
    only_watches: bool = False


@dataclass(frozen=True, slots=True)
class PageFile:
    """A file of the page, kept in memory: a whole evening's browsers ask for the same few."""

    content: bytes
    kind: str
    tag: str
    """Changes with the content: a browser that has it already gets no more than that."""

    def answer(self, request: Request) -> Response:
        """The file for a browser."""
        headers = {"ETag": self.tag}
        if request.headers.get("if-none-match") == self.tag:
            return Response(status_code=304, headers=headers)
        return Response(self.content, media_type=self.kind, headers=headers)


@cache
def page_files() -> Mapping[str, PageFile]:
    """The files of the page by name, the same for all tables."""
    found = {}
    for file in (resources.files("companion.host.web") / "page").iterdir():
        content = file.read_bytes()
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        found[file.name] = PageFile(content, _KINDS[Path(file.name).suffix], tag)
    return found


def make_app(table: Table) -> FastAPI:
    """The application that shows *table* and takes what people do at it."""
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
        if not await welcomed(browser):
            return
        reader = Reader(browser, _known(language), watch)
        async with _showing(reader, table):
            with contextlib.suppress(WebSocketDisconnect):
                while True:
                    await _take(table, reader, await heard(browser))

    return app


def understand(text: str, table: Table) -> Said | None:
    """What a browser said, if it makes sense at *table*; else None."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        said: Said = decode(Said, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    if isinstance(said, Begin):
        return said if _is_sensible(said) else None
    if isinstance(said, Correct | Restore) and table.has_arbiter:
        return None
    rules = table.pipeline.session.rules
    sides = {getattr(said, name, 0) for name in ("side", "turn")}
    cell = getattr(said, "cell", None)
    is_possible = sides <= set(range(len(rules.sides))) and (cell is None or 0 <= cell < len(rules.grid))
    return said if is_possible else None


def _is_sensible(command: Begin) -> bool:
    """True if *command* names a game that is, what a browser may choose of its options, and people."""
    if command.game not in games.slugs() or command.language not in ("", *languages()):
        return False
    options = {option.name: option for option in games.find(command.game).options}
    is_offer = all(name in options and is_offered(options[name], value) for name, value in command.options)
    are_names = all(len(name) <= _LONGEST_NAME and (name.isprintable()) for name in command.players)
    return is_offer and are_names and not command.position


def _known(language: str) -> str:
    """*language* if there are words in it, else empty."""
    return language if language in languages() else ""


async def _take(table: Table, reader: Reader, text: str) -> None:
    """Do what a browser said."""
    if text == _PING:
        await reader.line.send_text(_PONG)
    if text == _PING or reader.only_watches:
        return
    said = understand(text, table)
    if isinstance(said, Begin | Again):
        try:
            await table.request_game(said)
        except CompanionError as fault:
            await reader.line.send_text(json.dumps({"refused": str(fault)}))
    elif isinstance(said, Hand):
        table.do(said)
    elif said is not None:
        table.ask(said)


@contextlib.asynccontextmanager
async def _showing(reader: Reader, table: Table) -> AsyncIterator[None]:
    """Send *reader* the table and then every new picture, as fast as it takes them."""
    shower = asyncio.create_task(_show(reader, table), name="shower")
    try:
        yield
    finally:
        shower.cancel()
        with contextlib.suppress(asyncio.CancelledError, WebSocketDisconnect):
            await shower


async def _show(reader: Reader, table: Table) -> None:
    """The pictures for one browser, and what it needs to know of the table whenever another game is begun."""
    told = sent = ""
    with table.watch(Interest.PATIENT if reader.only_watches else Interest.ALL) as has_changed:
        while True:
            description, picture = table.description(reader.language), table.picture(reader.language)
            if description != told:
                await reader.line.send_text(description)
            if picture != sent:
                await reader.line.send_text(_stamped(picture, table.current.clock()))
            told, sent = description, picture
            await has_changed.wait()
            has_changed.clear()


def _stamped(picture: str, now_ms: int) -> str:
    """*picture* with the table's time, by which a browser sets the clocks; the picture may be old."""
    return f'{{"now_ms":{now_ms},{picture[1:]}'


async def heard(browser: WebSocket) -> str:
    """What *browser* says next; empty for bytes, by which nobody here means anything. Raises `WebSocketDisconnect`."""
    try:
        return await browser.receive_text()
    except KeyError:
        return ""


async def welcomed(browser: WebSocket) -> bool:
    """Open the line to *browser*; False, and it is closed again, if there are too many."""
    await browser.accept()
    if connection_of(browser).watch(browser.client.host if browser.client else ""):
        return True
    await browser.close(CROWDED)
    return False


def listen(address: str, port: int) -> Listener:
    """A socket on which the page can be served; *port* 0 takes any. Raises `SettingsError`.

    After *address* may follow names by which browsers ask for it, with commas between.
    """
    names = tuple(name.strip() for name in address.lower().split(","))
    address = names[0]
    listener = Listener(sockets.AF_INET6 if ":" in address else sockets.AF_INET)
    listener.names = names
    listener.setsockopt(sockets.SOL_SOCKET, sockets.SO_REUSEADDR, 1)
    try:
        listener.bind((address, port))
        listener.listen()  # a browser that comes before the server waits instead of being refused
    except OSError as fault:
        listener.close()
        raise SettingsError(
            f"the page cannot be served at {address} port {port}: {why(fault)}. "
            "Is another companion running, or is this no address of this machine? --http-port takes another port, 0 any"
        ) from fault
    return listener


class _Server(uvicorn.Server):
    """A server that leaves signals to whoever runs it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@dataclass(frozen=True, slots=True)
class Certificate:
    """By which browsers know a server, so that nobody else reads what they say to it: PEM files."""

    chain: str
    """With the certificates of those who signed it, if there are any."""
    key: str

    def check(self) -> None:
        """Raise `SettingsError` if there is no such pair."""
        try:
            ssl.create_default_context(ssl.Purpose.CLIENT_AUTH).load_cert_chain(self.chain, self.key)
        except OSError as fault:
            raise SettingsError(
                f"{self.chain} with {self.key} is no certificate with its key: {why(fault)}. "
                "Both have to be PEM files; a tool such as mkcert makes them"
            ) from fault


@contextlib.asynccontextmanager
async def serving(table: Table, listener: Listener) -> AsyncIterator[str]:
    """The page of *table* is served on *listener* meanwhile; gives its address."""
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
    """*app* is served on *listener* meanwhile, its WebSockets by *line*, by https with a *certificate*; gives its address.

    With a certificate the browser itself sees to it that the name is ours. There is *room* for so many connections, and those
    with a token that somebody *knows* are never closed for others.
    """
    config = uvicorn.Config(
        app,
        log_level="warning",
        lifespan="off",
        http=CountedHTTP,
        ws=line,
        proxy_headers=False,  # ours, which leaves it to us what is inside
        ws_per_message_deflate=False,  # two hundred times the same picture: packing costs more than sending
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

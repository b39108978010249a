# SPDX-License-Identifier: Apache-2.0
"""A local service by which pages and programs of this computer read the board.

It speaks the way of DGT LiveChess: `ws://localhost:1982/api/v1.0` with the calls `eboards`,
`subscribe` to the feed `eboardevent`, and `setup`; it gives its own name. Its rule: it listens on
this computer alone, and only pages of listed origins may open it. A client that sets up a position
gets the moves from there; if the table has another position, a game begins from that one.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.host.game_info import position_of
from companion.host.journal.setup import GameSetup
from companion.host.online.board_feed import BOARD_NAME, Json, board_of, event_of, moves_since
from companion.host.pages.application import Application
from companion.host.settings import BoardServiceSettings
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import Begin
from companion.host.tasks import Watchers
from companion.host.text.error_translation import translate
from companion.host.text.os_errors import reporting
from companion.host.web.allowed_hosts import Listener
from companion.host.web.browser_socket import accepted, receive_text
from companion.host.web.server import bound, serving_app
from companion.model.errors import CompanionError, SettingsError
from companion.referee.values.controls import NONE

PATH: Final = "/api/v1.0"
_LOOPBACK: Final = "127.0.0.1"
_CHESS: Final = "chess"
_FEED: Final = "eboardevent"
_LONGEST_MESSAGE: Final = 4_000
MOST_FEEDS: Final = 8
"""Feeds of one connection, of the only board there is."""

FindTable = Callable[[], Table | None]


@contextlib.contextmanager
def listening(
    settings: BoardServiceSettings, inform: Callable[[str], None], language: str
) -> Iterator[Listener | None]:
    """Yield the socket of the service; None if it is off or its port taken."""
    if not settings.on:
        yield None
        return
    try:
        listener = _listen(settings.port)
    except SettingsError as fault:
        inform(translate(fault, language))
        yield None
        return
    with listener:
        yield listener


def _listen(port: int) -> Listener:
    """Return a listening socket at *port* of this computer. Raises `SettingsError`."""
    with reporting(
        "the board service cannot listen at {address} port {port}: {reason}. Stop the other program, "
        "such as LiveChess, or set another port under [board_service] in the settings",
        SettingsError,
        address=_LOOPBACK,
        port=port,
    ):
        return bound(_LOOPBACK, port)


@contextlib.asynccontextmanager
async def serving_boards(
    find: FindTable, listener: Listener, settings: BoardServiceSettings
) -> AsyncIterator[str]:
    """Serve the table that *find* returns inside the block; yield the URL."""
    async with serving_app(make_app(find), listener, origins=settings.origins) as url:
        yield f"ws{url.removeprefix('http').rstrip('/')}{PATH}"


def make_app(find: FindTable) -> Application:
    """Make the application of the service."""
    app = Application()

    @app.get(f"{PATH}/eboards")
    async def listed() -> list[Json]:
        return boards(find())

    @app.websocket(PATH)
    async def talk(browser: WebSocket) -> None:
        if not await accepted(browser):
            return
        client = _Client(find, browser)
        with contextlib.suppress(WebSocketDisconnect):
            async with client.closing():
                while True:
                    await client.take(await receive_text(browser))

    return app


def boards(table: Table | None) -> list[Json]:
    """Return the boards of *table*: one if it has a game of chess, otherwise none."""
    if table is None or table.current.game.slug != _CHESS:
        return []
    return [board_of(table.pipeline.view, table.pipeline.status.state)]


@dataclass(frozen=True, slots=True)
class _Start:
    """Where the list of moves begins."""

    journal: Path
    ply: int


class _RefusedError(Exception):
    """A call that cannot be answered."""


@dataclass
class _Client:
    """One connection."""

    find: FindTable
    browser: WebSocket
    start: _Start | None = None
    """None before a position was set up: then events have no moves."""
    feeds: dict[Any, asyncio.Task[None]] = field(default_factory=dict)
    """Tasks of the feeds, by the id that the client gave them."""
    watchers: Watchers = field(default_factory=Watchers)
    """The feeds."""

    @contextlib.asynccontextmanager
    async def closing(self) -> AsyncIterator[None]:
        """End the feeds after the block."""
        try:
            yield
        finally:
            for task in self.feeds.values():
                task.cancel()
            await asyncio.gather(*self.feeds.values(), return_exceptions=True)

    async def take(self, text: str) -> None:
        """Answer the message *text*."""
        number = None
        try:
            message = _object(text)
            number = message.get("id")
            result = await self._call(message)
        except (_RefusedError, CompanionError) as fault:
            await self._say("error", number, str(fault))
            return
        await self._say("call", number, result)

    async def _call(self, message: Json) -> Any:
        """Carry out *message*; return the answer. Raises `_RefusedError` and `CompanionError`."""
        param = message.get("param")
        match message.get("call"), param:
            case "eboards", _:
                return boards(self.find())
            case "subscribe", {"feed": "eboardevent", "id": int() | str() as feed, **rest}:
                self._subscribe(feed, rest.get("param"))
            case "unsubscribe", int() | str() as feed:
                self._unsubscribe(feed)
            case "call", {"method": "setup", "param": {"fen": str() as fen}}:
                await self._set_up(fen)
            case _:
                raise _RefusedError(
                    f"known calls are eboards, subscribe to {_FEED}, unsubscribe, and call of setup with fen"
                )
        return None

    def _subscribe(self, feed: int | str, about: object) -> None:
        """Begin the feed *feed* of the board that *about* names."""
        if about is not None and (not isinstance(about, dict) or about.get("serialnr") != BOARD_NAME):
            raise _RefusedError(f"the only board is {BOARD_NAME}")
        self._unsubscribe(feed)
        if len(self.feeds) >= MOST_FEEDS:
            raise _RefusedError(f"a connection has {MOST_FEEDS} feeds at most: unsubscribe from one")
        self.feeds[feed] = asyncio.create_task(self._feed(self._table(), feed), name="board feed")

    def _unsubscribe(self, feed: int | str) -> None:
        if task := self.feeds.pop(feed, None):
            task.cancel()

    def _table(self) -> Table:
        """Return the table. Raises `_RefusedError` unless it has a game of chess."""
        table = self.find()
        if table is None or table.current.game.slug != _CHESS:
            raise _RefusedError("there is no board: begin a game of chess")
        return table

    async def _set_up(self, fen: str) -> None:
        """Begin the list of moves at *fen*, if need be with another game."""
        table = self._table()
        view, rules = table.pipeline.view, table.pipeline.session.rules
        wanted = rules.write_position(position_of(rules, fen))
        if view.outcome is None and _without_counts(wanted) == _without_counts(view.position):
            self.start = _Start(table.current.journal.path, len(view.record))
        else:
            before = table.current.journal.path
            is_usual = wanted == rules.write_position(rules.initial())
            request = Begin(
                GameSetup(
                    _CHESS,
                    tuple(rules.options.items()),
                    table.current.setup.players,
                    NONE,
                    position="" if is_usual else wanted,
                )
            )
            self.start = None
            with table.watch(Interest.PLAY) as has_changed:
                await table.request_game(request)
                while table.current.journal.path == before:
                    await has_changed.wait()
                    has_changed.clear()
            self.start = _Start(table.current.journal.path, 0)
        self.watchers.notify()

    async def _feed(self, table: Table, feed: int | str) -> None:
        """Send an event for each change, until cancelled."""
        sent: Json | None = None
        watching = table.watch(Interest.PLAY)
        with (
            contextlib.suppress(WebSocketDisconnect),
            watching as has_changed,
            self.watchers.watch(has_changed),
        ):
            while True:
                event = self._event(table)
                if event is not None and event != sent:
                    await self._say("feed", feed, event)
                    sent = event
                await has_changed.wait()
                has_changed.clear()

    def _event(self, table: Table) -> Json | None:
        """Return what to say of *table* now; None if it has another game."""
        if table.current.game.slug != _CHESS:
            return None
        view, start = table.pipeline.view, self.start
        event = event_of(view)
        if start is not None and start.journal == table.current.journal.path:
            event["san"] = moves_since(view, start.ply)
        return event

    async def _say(self, response: str, number: Any, param: Any) -> None:
        """Send a message about *number*, the id of a call or of a feed."""
        said = {"response": response, "id": number, "param": param, "time": time.time_ns() // 1_000_000}
        await self.browser.send_text(json.dumps(said, separators=(",", ":")))


def _object(text: str) -> Json:
    """Return the JSON object in *text*. Raises `_RefusedError`."""
    try:
        found = json.loads(text) if len(text) <= _LONGEST_MESSAGE else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise _RefusedError("a message is a JSON object with id, call and param")
    return found


def _without_counts(fen: str) -> list[str]:
    """Return the fields of *fen* that decide which moves are legal."""
    return fen.split()[:4]

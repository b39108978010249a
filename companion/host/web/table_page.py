# SPDX-License-Identifier: Apache-2.0
"""The page of a table: page states for browsers, and their commands.

Its rule: a browser gets a complete state and then its changes, which are made once for all of its
language; a slow one gets a complete state again. Messages are validated here, and invalid ones have
no effect. A watching browser is not listened to.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, TypeAlias

from starlette.requests import Request
from starlette.responses import Response
from starlette.websockets import WebSocket, WebSocketDisconnect

from companion.feedback.page import Json
from companion.feedback.wordfiles import languages
from companion.host.codec import decode
from companion.host.pages.application import Application
from companion.host.pages.broadcast import Broadcast, Parts, edit
from companion.host.pages.page_files import page, page_app
from companion.host.pages.table_data import DESCRIPTIONS, with_data
from companion.host.table.page_state import seen
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import Begin, Invitation, NewGameRequest
from companion.host.tasks import running
from companion.host.text.error_translation import translate
from companion.host.virtual_table.hands import Choose, Hand, PressClock, turned
from companion.host.web.beginning import LONGEST_NAME, Asker, is_sensible
from companion.host.web.browser_socket import CROWDED, accepted, is_here, line_of, pack, receive_text
from companion.host.web.permission import (
    MESSAGES,
    Right,
    is_for,
    may_move,
    owner_of_command,
    owner_of_motion,
)
from companion.host.web.table_seats import SeatMessage, TableSeats
from companion.model.errors import CompanionError
from companion.model.pieces import Side
from companion.referee.values.commands import (
    Correct,
    DeclineDraw,
    NewGame,
    OfferDraw,
    PlayersCommand,
    Resign,
    Restore,
)
from companion.virtual.pieces import PieceSet

_LOG = logging.getLogger(__name__)

_LONGEST_MESSAGE: Final = 20_000
"""Longest valid message: the moves of a long game."""
_LAG_S: Final = 0.025
"""Lag of those who only watch: what one act changes comes in one message."""
_PING, _PONG = "ping", "pong"
"""Keep-alive messages of a browser."""


@dataclass(frozen=True, slots=True)
class PressHint:
    """A press of the hint key."""


@dataclass(frozen=True, slots=True)
class WantResult:
    """Somebody wants to see who wins."""


_Replacement: TypeAlias = NewGameRequest | Invitation | NewGame
"""It begins a game in place of the one on the table."""
PageMessage: TypeAlias = (
    PressHint | WantResult | Hand | SeatMessage | PlayersCommand | NewGameRequest | Invitation
)
"""A message of a browser."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A browser that shows a table."""

    line: WebSocket
    language: str = ""
    """Empty for the table's."""
    only_watches: bool = False
    seats: TableSeats | None = None
    """The seats of the table; None for a reader that only watches."""
    name: str = ""
    """By which its seats are known."""
    is_named: bool = False
    """True if it gave the name itself; others are not told of seats."""


def make_app(table: Table) -> Application:
    """Make the application for the page of *table*."""
    app = page_app()

    @app.get("/")
    async def index(request: Request) -> Response:
        return page("index.html").answer(request, with_table(table))

    add_table(app, lambda: table, cache(TableSeats))
    return app


def with_table(table: Table) -> Callable[[str], str]:
    """Return the function that adds the data of *table* to a document."""
    language = table.words("").language
    described, picture = _described(table, language), json.dumps(table.page_state(), separators=(",", ":"))
    return partial(with_data, description=described, picture=picture, language=language)


def _described(table: Table, language: str) -> str:
    """Return the description of *table* as JSON."""
    return json.dumps({"table": table.description(language)}, separators=(",", ":"))


def add_table(
    app: Application, find: Callable[[], Table | None], seats_of: Callable[[Table], TableSeats]
) -> None:
    """Add to *app* what the page of the found table asks, and its seats."""

    @app.get("/games.json")
    async def offered(language: str = "") -> Json:
        table = find()
        if table is None or table.game_factory is None:
            return {"games": [], "controls": []}
        words = table.words(known(language))
        found = await asyncio.to_thread(table.game_factory.offer, words.language, table.current)
        return {**found, "server": table.invitations.server}

    @app.get("/why.json")
    async def reason(language: str = "") -> Json:
        return {"sentence": _reason(find(), language)}

    _add_description(app, find)
    unnamed, feeds_of = itertools.count(1), cache(Feeds)

    @app.websocket("/ws")
    async def talk(browser: WebSocket, language: str = "", watch: bool = False, name: str = "") -> None:
        table = find()
        if not await accepted(browser):
            return
        if table is None:
            await browser.close(CROWDED)
            return
        seats = seats_of(table)
        own = name[:LONGEST_NAME] or f"unnamed {next(unnamed)}"
        reader = Reader(browser, known(language), watch, None if watch else seats, own, bool(name))
        with contextlib.suppress(WebSocketDisconnect):
            async with _seated(reader, reader.seats, table), feeds_of(table).of(reader).to(line_of(browser)):
                while True:
                    await _take(table, reader, await receive_text(browser))
        seats.withdraw(browser)


def _add_description(app: Application, find: Callable[[], Table | None]) -> None:
    """Add to *app* the description of the found table, which browsers keep.

    That of the game before is answered, too, if a document has just named it.
    """

    @app.get("/table.json")
    async def description(request: Request, language: str = "", tag: str = "") -> Response:
        table = find()
        if table is not None:
            DESCRIPTIONS.add(_described(table, known(language)))  # named before a restart, perhaps
        file = DESCRIPTIONS.find(tag)
        return Response(status_code=404) if file is None else file.answer(request)


def _reason(table: Table | None, language: str) -> str:
    """Return why the referee has decided what *table* shows."""
    if table is None:
        return ""
    pipeline = table.pipeline
    return pipeline.reasons.sentence(pipeline.session, table.words(known(language)))


def understand(text: str, table: Table) -> PageMessage | None:
    """Decode and validate a message for *table*; None if it is invalid."""
    if len(text) > _LONGEST_MESSAGE:
        return None
    try:
        message: PageMessage = decode(PageMessage, json.loads(text))
    except (ValueError, RecursionError) as fault:
        _LOG.debug("a browser said %r: %s", text, fault)
        return None
    if isinstance(message, Correct | Restore) and table.has_arbiter:
        return None
    if isinstance(message, Begin):
        # at a table of a hall the computer does not play, and players set up nothing
        setup = message.setup
        is_plain = not (setup.played_by or setup.position or setup.warned)
        is_allowed = is_sensible(message) and not setup.puzzle and (is_plain or not table.has_arbiter)
        return message if is_allowed else None
    if isinstance(message, Invitation):
        is_there = bool(message.place) and message.place == table.invitations.server
        is_allowed = is_there and not table.has_arbiter and len(message.opponent) <= LONGEST_NAME
        return message if is_allowed and is_sensible(message.game) else None
    rules = table.pipeline.session.rules
    sides = {getattr(message, name, 0) for name in ("side", "turn")} - {None}
    cell = getattr(message, "cell", None)
    if (
        isinstance(message, Resign | OfferDraw | DeclineDraw)
        and message.side not in table.pipeline.view.seated
    ):
        return None
    is_possible = sides <= set(range(len(rules.sides))) and (cell is None or 0 <= cell < len(rules.grid))
    return message if is_possible else None


def known(language: str) -> str:
    """Return *language* if it is supported, otherwise ""."""
    return language if language in languages() else ""


async def _take(table: Table, reader: Reader, text: str) -> None:
    """Execute a message of a browser."""
    if text == _PING:
        await reader.line.send_text(_PONG)
    if text == _PING or reader.only_watches:
        return
    message, seats = understand(text, table), reader.seats
    right = MESSAGES.get(type(message).__name__)
    if message is None or seats is None or right is None:
        return
    if isinstance(message, SeatMessage):
        seats.take(reader.name, message)
    elif isinstance(message, Hand):
        _move(table, message, reader.name, seats)
    elif isinstance(message, PressHint | WantResult):
        _help(table, message, seats.sides_of(reader.name))
    elif right is Right.CONSENT:
        assert isinstance(message, _Replacement)
        language = table.words(reader.language).language
        asker = Asker(reader.line, reader.name, is_here(reader.line), language)
        await seats.begin(asker, _game_of(message, table), partial(_replace, table, message, asker))
    else:
        assert not isinstance(message, _Replacement)
        _carry_out(table, reader.name, seats, message)


def _help(table: Table, message: PressHint | WantResult, sides: frozenset[Side]) -> None:
    """Give the hint or the result that a browser with the seats *sides* asks for."""
    if isinstance(message, WantResult) and sides:
        table.want_result()
    elif isinstance(message, PressHint) and table.pipeline.view.turn in sides:
        table.press_hint()


def _carry_out(table: Table, name: str, seats: TableSeats, message: PlayersCommand) -> None:
    """Execute a command, if the browser *name* may give it with its *seats*."""
    owner = owner_of_command(message, seen(table.pipeline, table.current.virtual_table).question)
    if is_for(owner, seats.sides_of(name)):
        table.ask(message)
    else:
        seats.deny(name, owner)


def _game_of(message: _Replacement, table: Table) -> str:
    """Return the slug of the game that *message* begins at *table*."""
    match message:
        case Begin(setup) | Invitation(_, Begin(setup)):
            return setup.game
    return table.current.setup.game


async def _replace(table: Table, message: _Replacement, asker: Asker) -> None:
    """Begin the game of *message* in place of the one at *table*."""
    if isinstance(message, Invitation):
        table.invitations.wanted = message
        table.notify()
        return
    if isinstance(message, NewGame):
        table.ask(message)
        return
    try:
        await table.request_game(message)
    except CompanionError as fault:
        await asker.browser.send_text(json.dumps({"refused": translate(fault, asker.language)}))


def _move(table: Table, hand: Hand, name: str, seats: TableSeats) -> None:
    """Make the motion *hand* of the browser *name*, if it may."""
    is_real = table.current.virtual_table is None
    if is_real and isinstance(hand, PressClock) and hand.side not in seats.sides_of(name):
        seats.deny(name, hand.side)
        return
    table.do(hand, partial(_may_move, hand, name, seats, table))


def _may_move(hand: Hand, name: str, seats: TableSeats, table: Table, pieces: PieceSet) -> bool:
    """True if *name* may make *hand* with *pieces* now; if not, it hears so."""
    turned_hand = turned(hand, table.pipeline.session.rotation)
    assert not isinstance(turned_hand, tuple | Choose)
    turn = table.pipeline.view.turn
    if may_move(turned_hand, seats.sides_of(name), turn, pieces):
        seats.play(name)
        return True
    seats.deny(name, owner_of_motion(turned_hand, turn, pieces))
    return False


class Feeds:
    """The states of *table* for its pages, one for those of a language."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._by_readers: dict[tuple[str, bool], Broadcast] = {}

    def of(self, reader: Reader) -> Broadcast:
        """Return the one for *reader*; those who only watch hear after the players."""
        table, language = self._table, self._table.words(reader.language).language
        key = language, reader.only_watches
        if key not in self._by_readers:

            def parts() -> Parts:
                return {"table": table.description(language), **table.page_state(language)}

            interest, lag_s = (Interest.PATIENT, _LAG_S) if reader.only_watches else (Interest.ALL, 0)
            watch = partial(table.watch, interest)
            self._by_readers[key] = Broadcast(parts, watch, self._pack, patch=_patch, gap_s=0, lag_s=lag_s)
        return self._by_readers[key]

    def _pack(self, text: str) -> bytes:
        """Frame *text* with the table's time: pages set their clocks by it."""
        return pack(f'{{"now_ms":{self._table.current.clock()},{text[1:]}')


def _patch(name: str, before: Any, part: Any) -> Any:
    """Return the patch of a part; None for the description, which a page gets whole."""
    return None if name == "table" else edit(before, part)


@contextlib.asynccontextmanager
async def _seated(reader: Reader, seats: TableSeats | None, table: Table) -> AsyncIterator[None]:
    """Tell *reader* of its *seats* inside the block, first of all."""
    if seats is None:
        yield
        return
    with table.watch(Interest.PLAY) as has_changed:
        seats.enter(reader.name, has_changed)
        try:
            if reader.is_named:
                told = await _send_seats(reader, seats, "")
                async with running(_follow_seats(reader, seats, has_changed, told), "seats"):
                    yield
            else:
                yield
        finally:
            seats.leave(reader.name, has_changed)


async def _follow_seats(reader: Reader, seats: TableSeats, has_changed: asyncio.Event, told: str) -> None:
    """Tell *reader*, which was *told* of its seats, of each change, until it leaves."""
    with contextlib.suppress(WebSocketDisconnect):
        while True:
            await has_changed.wait()
            has_changed.clear()
            told = await _send_seats(reader, seats, told)


async def _send_seats(reader: Reader, seats: TableSeats, told: str) -> str:
    """Tell *reader* of its seats, unless it was *told* the same; return it."""
    seating = json.dumps({"seats": seats.seen_by(reader.name, reader.language)})
    if seating != told:
        await reader.line.send_text(seating)
    return seating

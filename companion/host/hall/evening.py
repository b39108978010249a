# SPDX-License-Identifier: Apache-2.0
"""Running a hall, and a table that belongs to one: the place where real things are wired for both.

Its rule: a board that fails is said and tried again; the others, the book and the pages never notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import socket
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import platformdirs

from companion.host import journal as journals
from companion.host import web
from companion.host.beginning import LOOPBACK, Wishes, as_wish, begin
from companion.host.clock import Clock, monotonic
from companion.host.database import connect, default_url
from companion.host.hall.access import Arbiters
from companion.host.hall.attending import attend, local_ways
from companion.host.hall.books import BookKeeper
from companion.host.hall.branch import Branch, Identity, OpenWay, orders_in
from companion.host.hall.hall import Hall
from companion.host.hall.mqtt import Broker, board_ways, read_url
from companion.host.hall.relaying import Relay, relay
from companion.host.hall.web import make_hall_app
from companion.host.play import TableDealer, stopping
from companion.host.table import Table
from companion.model.errors import CompanionError, SettingsError

PASSWORD: Final = "COMPANION_MQTT_PASSWORD"
"""In the environment: what the broker wants to hear from us."""
TOKEN: Final = "COMPANION_PUSH_TOKEN"
"""In the environment: what whoever shows our games wants to hear."""
_AGAIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class LocalBoard:
    """A board of the hall's own machine."""

    name: str
    wishes: Wishes

    @property
    def folder(self) -> Path:
        """Where its journals are."""
        return self.wishes.folder or journals.folder()


@dataclass(frozen=True, slots=True)
class HallWishes:
    """What was asked for on the command line."""

    boards: tuple[LocalBoard, ...] = ()
    broker: str | None = None
    ca: str | None = None
    store: str | None = None
    copies: Path | None = None
    http_address: str = LOOPBACK
    http_port: int = 8700
    relay: Relay | None = None
    """Where games of chess go for broadcasts."""


def read_board(text: str, usual: Wishes) -> LocalBoard:
    """The board that `NAME=GAME` or `NAME=GAME@PORT` names. Raises `SettingsError`."""
    name, _, rest = text.partition("=")
    game, _, port = rest.partition("@")
    if not game or not is_name(name):
        raise SettingsError(
            f"{text!r} is no board: it wants NAME=GAME, or NAME=GAME@PORT, such as red=chess@/dev/ttyUSB0"
        )
    return LocalBoard(name, replace(usual, game=game, port=port or None, folder=journals.folder() / name))


def is_name(name: str) -> bool:
    """True if *name* can be a board's identity: letters, digits, `-` and `_`."""
    return bool(name) and all(each.isalnum() or each in "-_" for each in name)


def broker_at(url: str, ca: str | None = None) -> Broker:
    """The broker at *url*, with the password that the environment has. Raises `SettingsError`."""
    return read_url(url, os.environ.get(PASSWORD), ca)


def relay_to(folder: Path | None, url: str | None) -> Relay | None:
    """Where games go, with the token that the environment has; None if nowhere."""
    return Relay(folder, url or "", os.environ.get(TOKEN, "")) if folder or url else None


def wall() -> str:
    """UTC as ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def run_hall(wishes: HallWishes, say: Callable[[str], None]) -> None:
    """Run the hall until Ctrl-C or SIGTERM; *say* gets what whoever started it should know. Raises `CompanionError`."""
    engine = connect(wishes.store or default_url())
    try:
        access = Arbiters(engine)
        if not access.names():
            say("Nobody can act as arbiter yet: companion hall admit NAME")
        copies = wishes.copies or platformdirs.user_data_path("companion", appauthor=False) / "hall"
        hall = Hall(BookKeeper(engine), copies, monotonic(), wall)
        broker = broker_at(wishes.broker, wishes.ca) if wishes.broker else None
        with web.listen(wishes.http_address, wishes.http_port) as listener:
            asyncio.run(_run_hall(hall, access, wishes, broker, listener, say))
    finally:
        engine.dispose()


async def _run_hall(
    hall: Hall,
    access: Arbiters,
    wishes: HallWishes,
    broker: Broker | None,
    listener: socket.socket,
    say: Callable[[str], None],
) -> None:
    """The tasks of the hall, until somebody stops them."""
    async with web.serving_app(make_hall_app(hall, access), listener) as address:
        say(f"The hall is at {address} and the arbiter's desk at {address}arbiter  (Ctrl-C ends)")
        tasks = [asyncio.create_task(hall.run(), name="hall")]
        if broker is not None:
            say(f"Boards of other machines join through {broker.host}:{broker.port}, hall {broker.hall}")
            tasks.append(asyncio.create_task(attend(hall, broker), name="broker"))
        tasks += [
            asyncio.create_task(
                _run_board(board, local_ways(hall, board.folder), say), name=f"board {board.name}"
            )
            for board in wishes.boards
        ]
        if wishes.relay is not None:
            tasks.append(asyncio.create_task(relay(hall, wishes.relay), name="relay"))
        await _until_stopped(tasks)


async def _until_stopped(tasks: list[asyncio.Task[None]]) -> None:
    """Let *tasks* run until a signal comes or one of them fails."""
    waiting = asyncio.create_task(asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED), name="evening")
    with stopping(waiting), contextlib.suppress(asyncio.CancelledError):
        await waiting
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    for fault in ended:
        if isinstance(fault, Exception):
            raise fault


async def _run_board(board: LocalBoard, ways: OpenWay, say: Callable[[str], None]) -> None:
    """A board of this machine: its table, its page and its branch; tried again when it fails."""
    while True:
        try:
            await run_table(board, ways, lambda text: say(f"{board.name}: {text}"))
        except* CompanionError as group:
            say(f"{board.name}: {group.exceptions[0]}; trying again")
        await asyncio.sleep(_AGAIN_S)


async def run_table(board: LocalBoard, ways: OpenWay, say: Callable[[str], None]) -> None:
    """Play at *board* and report, until cancelled. Raises `CompanionError`."""
    wishes = board.wishes
    folder = board.folder
    done = await asyncio.to_thread(lambda: orders_in(sorted(folder.glob(f"*{journals.SUFFIX}"))))
    dealer = TableDealer(wishes, say)
    table = Table(dealer.first(begin(as_wish(wishes), wishes, wishes.language)), dealer)
    clock: Clock = monotonic()
    identity = Identity(board.name, secrets.token_hex(8), board.name)
    branch = Branch(table, identity, ways, clock, done)
    try:
        with web.listen(wishes.http_address, wishes.http_port or web.ANY_PORT) as listener:
            async with web.serving(table, listener) as address, asyncio.TaskGroup() as group:
                say(f"the table is at {address}")
                group.create_task(table.run(), name=f"table {board.name}")
                group.create_task(branch.run(), name=f"branch {board.name}")
    finally:
        dealer.put_away(table.sitting)


def run_branch(board: LocalBoard, broker: str, ca: str | None, say: Callable[[str], None]) -> None:
    """A table that belongs to a hall elsewhere, until Ctrl-C or SIGTERM. Raises `CompanionError`."""
    ways = board_ways(broker_at(broker, ca))

    async def running() -> None:
        await _until_stopped([asyncio.create_task(run_table(board, ways, say), name="table")])

    try:
        asyncio.run(running())
    except BaseExceptionGroup as group:
        ours = group.subgroup(CompanionError)
        if ours is None:
            raise
        first: BaseException = ours
        while isinstance(first, BaseExceptionGroup):
            first = first.exceptions[0]
        raise first from None

# SPDX-License-Identifier: Apache-2.0
"""Runs a hall, or a table of a hall elsewhere: wires the parts of both.

Its rule: a failing board is reported and restarted, without effect on other boards, the book and
the pages.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from companion import games
from companion.host.clock import monotonic, wall
from companion.host.devices.camera import CameraOptions, check_libraries
from companion.host.devices.panels import serial_ports
from companion.host.game_info import control_of, parse_game
from companion.host.gc_tuning import sweep_rarely
from companion.host.hall.boards.board_channels import OPEN, attend, local_ways
from companion.host.hall.boards.boards import Beside, Boards, LocalBoard, Say, own_page, run_table
from companion.host.hall.boards.mqtt import Broker, board_ways, join, read_url
from companion.host.hall.boards.worker_processes import jobs, oversee
from companion.host.hall.book_lock import BookLock, held
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.core.recalled_games import game_at
from companion.host.hall.core.seats import is_name
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.desk.api_print import SHEETS
from companion.host.hall.desk.printouts import print_list, print_score_sheets
from companion.host.hall.hotplug.devices import Devices
from companion.host.hall.hotplug.hotplug import Hotplug
from companion.host.hall.hotplug.panels import Ports
from companion.host.hall.keys.joining import Admission
from companion.host.hall.keys.keyring import KEY, SECRET, HallKeys, TableKey, keys_folder
from companion.host.hall.spectators.broadcast_pgn import Relay, relay
from companion.host.hall.web import WebLimits, serving_hall
from companion.host.journal import journal as journals
from companion.host.play.start import LOOPBACK, PlayOptions
from companion.host.records.database import connect, find
from companion.host.retry import USUAL, Intervals
from companion.host.tasks import leaf, until_stopped
from companion.host.text.error_translation import translate
from companion.host.web import server as web
from companion.host.web.allowed_hosts import Listener
from companion.host.web.connections import PER_ADDRESS
from companion.model.errors import SettingsError, StoreError
from companion.model.phrase import Phrase
from companion.sheets.page import PAPERS

if TYPE_CHECKING:
    from companion.host.hall.hotplug.cameras import Look

PASSWORD: Final = "COMPANION_MQTT_PASSWORD"
"""Environment variable with the broker's password."""
TOKEN: Final = "COMPANION_PUSH_TOKEN"
"""Environment variable with the token for pushed games."""
_CAMERA: Final = "camera:"
TOGETHER: Final = 64
"""Boards that the hall's process can run beside its pages."""
_IN_ONE: Final = 128
"""Boards per worker process; another process takes the memory of a hundred boards."""


@dataclass(frozen=True, slots=True)
class HallOptions:
    """Options of the command line."""

    boards: tuple[LocalBoard, ...] = ()
    broker: str | None = None
    ca: str | None = None
    is_open: bool = False
    """True if anybody at the broker can act for tables on other machines."""
    store: str | None = None
    copies: Path | None = None
    http_address: str = LOOPBACK
    http_port: int = 8700
    per_address: int = PER_ADDRESS
    """Limit of connections per address to the pages, except arbiters'."""
    certificate: web.Certificate | None = None
    """For HTTPS."""
    relay: Relay | None = None
    """Destination of chess games for broadcasts."""
    panel_games: tuple[str, ...] = ()
    """Games for new panels: the first that fits; empty to ignore new panels.

    In the notation of `parse_game`.
    """
    camera_games: tuple[str, ...] = ()
    """The same for cameras."""
    usual: PlayOptions = field(default_factory=lambda: PlayOptions("", browser=False))
    """Common options of plugged-in boards."""
    together: int = TOGETHER
    """Limit of boards in the hall's process; more are distributed to workers."""
    intervals: Intervals = USUAL


def read_board(text: str, usual: PlayOptions) -> LocalBoard:
    """Parse `NAME=GAME`, `NAME=GAME@PORT` or `NAME=GAME@camera:SOURCE,PROFILE`.

    The game is in the notation of `parse_game`. Raises `SettingsError` and `OptionError`.
    """
    name, _, rest = text.partition("=")
    game, _, port = rest.partition("@")
    camera = None
    if port.startswith(_CAMERA):
        source, _, profile = port.removeprefix(_CAMERA).partition(",")
        camera, port = CameraOptions(source, profile or None), ""
    if not game or not is_name(name):
        raise SettingsError(
            "{text!r} is no board: it wants NAME=GAME, NAME=GAME@PORT, such as "
            "red=chess@/dev/ttyUSB0, or NAME=GAME@camera:SOURCE,PROFILE",
            text=text,
        )
    slug, options = _game(game, usual.clock)
    folder = journals.folder() / name
    play_options = replace(usual, game=slug, options=options, port=port or None, camera=camera, folder=folder)
    return LocalBoard(name, play_options)


def _game(text: str, clock: str | None) -> tuple[str, dict[str, str]]:
    """Parse the game *text* and check that *clock* suits it.

    Raises `SettingsError` and `OptionError`.
    """
    slug, options = parse_game(text)
    control_of(games.find(slug).rules(options), clock)
    return slug, options


def broker_at(url: str, ca: str | None) -> Broker:
    """Return the broker at *url* with the password of the environment. Raises `SettingsError`."""
    return read_url(url, os.environ.get(PASSWORD), ca)


def own_keys(hall: str, *, may_make: bool = True) -> HallKeys:
    """Return the keys of *hall*, by its secret in environment or file. Raises `SettingsError`."""
    return HallKeys(keys_folder(), hall, os.environ.get(SECRET), may_make=may_make)


def key_for(board: str, hall: str) -> str:
    """Return the key of table *board* of *hall*, for the variable `KEY`. Raises `SettingsError`."""
    return own_keys(hall, may_make=False).key(board)


def relay_to(folder: Path | None, url: str | None, *, with_ids: bool = False) -> Relay | None:
    """Return the destination of games with the environment's token;

    None without one.

    Raises `SettingsError`.
    """
    parts = urlsplit(url or "")
    if url and (parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc):
        raise SettingsError(
            "games cannot be pushed there: it wants http://HOST/PATH or https://, with a token in "
            "{variable} if one is asked for",
            variable=TOKEN,
        )
    return Relay(folder, url or "", os.environ.get(TOKEN, ""), with_ids) if folder or url else None


def print_from(store: str | None, what: tuple[str, str, int], language: str, paper: str) -> bytes:
    """Print list, tournament and round *what* as a PDF. Raises `CompanionError`."""
    kind, key, in_round = what
    engine = find(store)
    try:
        hall = Hall(BookKeeper(engine), copies_folder(), monotonic(), wall)
        running = hall.keeper.book.of(key)
        if kind != SHEETS:
            return print_list(running, kind, language, PAPERS[paper], in_round)
        for given in running.boards.values():
            home = journals.folder() / given.board
            if home.is_dir():
                hall.homes[given.board] = home
        return print_score_sheets(running, partial(game_at, hall, running), language, PAPERS[paper], in_round)
    finally:
        engine.dispose()


def run_hall(hall_options: HallOptions, say: Say) -> None:
    """Run the hall until Ctrl-C or SIGTERM;

    *say* gets messages for its user.

    Raises `CompanionError`.
    """

    def tell(text: str) -> None:
        say(translate(text, hall_options.usual.language))

    if hall_options.certificate is not None:
        hall_options.certificate.check()
    for text in (*hall_options.panel_games, *hall_options.camera_games):
        _game(text, hall_options.usual.clock)
    with contextlib.ExitStack() as stack:
        engine = connect(hall_options.store)
        stack.callback(engine.dispose)
        holding = stack.enter_context(held(engine))
        access = Arbiters(engine)
        if not access.names():
            tell(Phrase("Nobody can act as arbiter yet: companion hall admit NAME"))
        hall = Hall(BookKeeper(engine), hall_options.copies or copies_folder(), monotonic(), wall)
        broker = broker_at(hall_options.broker, hall_options.ca) if hall_options.broker else None
        if broker is not None and not hall_options.is_open:
            hall.admit_by(Admission(broker.hall, own_keys(broker.hall), hall.clock))
        listener = stack.enter_context(web.listen(hall_options.http_address, hall_options.http_port))
        if hall_options.certificate is None and not ip_address(listener.getsockname()[0]).is_loopback:
            tell(Phrase("Passwords cross the network in the clear: --certificate and --key make it https"))
        asyncio.run(_run_hall(hall, holding, access, Devices(engine), hall_options, broker, listener, tell))


async def _run_hall(
    hall: Hall,
    holding: BookLock,
    access: Arbiters,
    devices: Devices,
    hall_options: HallOptions,
    broker: Broker | None,
    listener: Listener,
    say: Say,
) -> None:
    """Run the tasks of the hall until stopped."""
    async with contextlib.AsyncExitStack() as stack:
        serving = serving_hall(
            hall, access, listener, hall_options.certificate, WebLimits(hall_options.per_address)
        )
        address = await stack.enter_async_context(serving)
        say(
            Phrase(
                "The hall is at {address} and the arbiter's desk at {address}arbiter  (Ctrl-C ends)",
                address=address,
            )
        )
        tasks = [asyncio.create_task(hall.run(), name="hall")]
        tasks.append(asyncio.create_task(stay_alone(hall, holding, hall_options.intervals), name="book"))
        if broker is not None:
            say(
                Phrase(
                    "Boards of other machines join through {host}:{port}, hall {hall}",
                    host=broker.host,
                    port=broker.port,
                    hall=broker.hall,
                )
            )
            say(
                OPEN
                if hall.admission is None
                else Phrase("A table joins with a code from the desk, or from: companion hall invite BOARD")
            )
            tasks.append(asyncio.create_task(attend(hall, broker, hall.admission), name="broker"))
        tasks += await stack.enter_async_context(own_boards(hall, hall_options, say))
        tasks += await stack.enter_async_context(plugged_boards(hall, hall_options, devices, say))
        if hall_options.relay is not None:
            tasks.append(asyncio.create_task(relay(hall, hall_options.relay), name="relay"))
        await until_stopped(tasks)


async def stay_alone(hall: Hall, holding: BookLock, intervals: Intervals = USUAL) -> None:
    """Keep the lock of the book, and report while it cannot be held."""
    while True:
        try:
            await asyncio.to_thread(holding.look)
            hall.complain("book")
        except StoreError as fault:
            hall.complain("book", str(fault))
        await asyncio.sleep(intervals.book_lock_s)


@contextlib.asynccontextmanager
async def own_boards(
    hall: Hall, hall_options: HallOptions, say: Say, beside: Beside | None = None
) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Start the named boards, here or in worker processes; yield the tasks."""
    sweep_rarely()
    if len(hall_options.boards) > hall_options.together:
        number = min(os.cpu_count() or 1, -(-len(hall_options.boards) // _IN_ONE))
        shares = jobs(hall_options.boards, number, LOOPBACK, beside)
        yield [asyncio.create_task(oversee(job, hall, say), name="overseer") for job in shares]
        return
    boards = Boards(say, beside)
    async with boards.serving(LOOPBACK):
        yield [
            asyncio.create_task(boards.run(board, local_ways(hall, board.folder)), name=f"board {board.name}")
            for board in hall_options.boards
        ]


@contextlib.asynccontextmanager
async def plugged_boards(
    hall: Hall,
    hall_options: HallOptions,
    devices: Devices,
    say: Say,
    ports: Ports = serial_ports,
    look: Look | None = None,
) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Start the polling for panels and cameras, if requested; yield its tasks.

    Raises `SettingsError`, `StoreError`, and `CameraUnavailable` if the libraries for cameras are
    missing.
    """
    if not hall_options.panel_games and not hall_options.camera_games:
        yield []
        return
    boards = Boards(say)
    appearing = Hotplug(hall, boards, devices, hall_options.usual, say, hall_options.intervals)
    if hall_options.panel_games:
        appearing.look_for_panels(hall_options.panel_games, ports, monotonic())
    if hall_options.camera_games:
        check_libraries()
        from companion.host.hall.hotplug.cameras import plugged_cameras

        appearing.look_for_cameras(hall_options.camera_games, look or plugged_cameras)
    async with boards.serving(LOOPBACK):
        yield [asyncio.create_task(appearing.run(), name="appearing boards")]


@dataclass(frozen=True, slots=True)
class HallMembership:
    """Membership of a table in a hall elsewhere."""

    broker: str
    ca: str | None = None
    code: str | None = None
    """Code to join with; None if it has joined before."""
    is_open: bool = False
    """True to accept orders of an open hall."""


def run_board(board: LocalBoard, to: HallMembership, say: Say) -> None:
    """Run a table of a hall elsewhere until Ctrl-C or SIGTERM. Raises `CompanionError`."""
    broker = broker_at(to.broker, to.ca)
    key = _key_of_table(board, broker, to, say)
    ways = board_ways(broker, key, is_open=to.is_open)

    async def running() -> None:
        sweep_rarely()
        playing = run_table(board, ways, say, own_page(board.play_options))
        await until_stopped([asyncio.create_task(playing, name="table")])

    try:
        asyncio.run(running())
    except BaseExceptionGroup as group:
        raise leaf(group) from None


def _key_of_table(board: LocalBoard, broker: Broker, to: HallMembership, say: Say) -> str | None:
    """Return the key of table *board*, joining if there is a code;

    None if it has none.

    Raises `SettingsError` and `HallUnreachable`.
    """
    if to.is_open:
        return None
    kept = TableKey(keys_folder(), broker.hall, board.name)
    if to.code is not None:
        key = asyncio.run(join(broker, board.name, to.code))
        kept.keep(key)
        say(
            translate(
                Phrase(
                    "{board} has joined the hall {hall}; its key is kept", board=board.name, hall=broker.hall
                ),
                board.play_options.language,
            )
        )
        return key
    return os.environ.get(KEY, "").strip() or kept.read()

# SPDX-License-Identifier: Apache-2.0
"""Plays a game: assembles table, pipeline, journal, panel and page, and shuts them down.

Its rule: it only wires the parts; what they do is elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import sys
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from rich.console import Console

from companion.feedback.lights import LampLevel
from companion.feedback.page import Json
from companion.feedback.words import Words
from companion.host.clock import Clock
from companion.host.devices import ports
from companion.host.devices.camera import CameraSetup
from companion.host.devices.panels import AUTO, FittingPanel, serial_ports
from companion.host.devices.ports import OpenPort
from companion.host.gc_tuning import sweep_rarely
from companion.host.journal import journal as journals
from companion.host.journal.journal import JournalWriter
from companion.host.play.start import PlayOptions, StartedGame, begin, new_game_request, open_journal, resume
from companion.host.records.records import from_journal
from companion.host.records.store import keep
from companion.host.table import catalogue
from companion.host.table.game_setup import Begin, NewGameRequest, TableGame
from companion.host.table.link_status import link_lines
from companion.host.table.pipeline import Pipeline, Sensors
from companion.host.table.table import Table
from companion.host.terminal.screen import Lines, Terminal, keyboard
from companion.host.virtual_table.table import VirtualTable
from companion.host.web import server
from companion.host.web.allowed_hosts import Listener
from companion.link.connection import PATIENCE_MS, Connection
from companion.link.panel import Panel, load_panel, panel_names
from companion.model.errors import CompanionError, NotationError, OptionError, SettingsError
from companion.model.game import AnyRules, Game, HasBox, HasHands, Outcome
from companion.model.grid import Grid
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.controls import write_control
from companion.referee.session import Session
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet, UnplacedPiece

USUAL_HTTP_PORT: Final = 8765


def play(play_options: PlayOptions, console: Console) -> None:
    """Play until Ctrl-C or SIGTERM;

    *console* gets the messages for the player at the terminal.

    Raises `CompanionError`, and `KeyboardInterrupt` on systems without signal handlers in the event
    loop.
    """
    started = (
        resume(play_options)
        if play_options.resume
        else begin(new_game_request(play_options), play_options, play_options.language)
    )
    terminal = Terminal(console) if play_options.terminal else None
    say = terminal.note if terminal else partial(console.print, soft_wrap=True, markup=False)
    game_factory = TableGameFactory(play_options, say)
    with _listener(play_options) as listener:
        table = Table(game_factory.first(started), game_factory)
        try:
            asyncio.run(_play(play_options, table, listener, say, terminal))
        except BaseExceptionGroup as group:
            raise leaf(group) from None
        finally:
            game_factory.close(table.current)


def leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the one `CompanionError` in *group*; *group* itself if it holds anything else."""
    ours, others = group.split(CompanionError)
    if ours is None or others is not None:
        return group
    first: BaseException = ours
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


class TableGameFactory:
    """Starts games at the panel of the play options: a `GameFactory`."""

    def __init__(
        self, play_options: PlayOptions, say: Callable[[str], None], open_port: OpenPort | None = None
    ) -> None:
        """*open_port* opens the panel if it was found already."""
        self._play_options = play_options
        self._offers: dict[tuple[str, str], Json] = {}
        self._say = say
        self._open_port = open_port

    def first(self, started: StartedGame) -> TableGame:
        """Start the first game of a table. Raises `CompanionError`."""
        return self._start(
            started, open_journal(started, self._play_options, self._play_options.journal), self._open_port
        )

    def offer(self, language: str, table_game: TableGame) -> Json:
        """Return the games that fit in place of *table_game*; cached, since it takes long."""
        grid = table_game.pipeline.session.rules.grid
        key = (language, "" if table_game.virtual_table is not None else grid.slug)
        if key not in self._offers:
            self._offers[key] = catalogue.offer(language, lambda other: _fits(other, table_game))
        return self._offers[key]

    def create(self, request: NewGameRequest, table_game: TableGame, order: str = "") -> TableGame:
        """Start *request* in place of *table_game*, for a hall's *order*.

        Raises `CompanionError`.
        """
        rules, language = table_game.pipeline.session.rules, table_game.pipeline.words.language
        if not isinstance(request, Begin):
            options = tuple(rules.options.items())
            slug, start = table_game.game.slug, table_game.start
            request = Begin(slug, options, table_game.players, table_game.control, position=start)
        started = begin(request, self._play_options, request.language or language, order)
        if not _fits(started.rules.grid, table_game):
            raise SettingsError(
                "{game} needs the {grid} grid; this table has {other}",
                game=started.game.title,
                grid=started.rules.grid.slug,
                other=rules.grid.slug,
            )
        return self._start(started, open_journal(started, self._play_options), table_game.open_port)

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game* and store its games. Raises `JournalError`."""
        try:
            table_game.journal.close()
        finally:
            if table_game.journal.path.exists():
                _keep(table_game, self._play_options.store, self._say)

    def _start(
        self, started: StartedGame, writer: JournalWriter, open_port: OpenPort | None = None
    ) -> TableGame:
        """Start *started* at the panel of *open_port*, if known; a virtual panel is new."""
        note = f": {started.resumed.note}" if started.resumed and started.resumed.note else ""
        told = started.words.common.told
        self._say(
            started.words.fill(
                told["going-on" if started.resumed else "journal"], path=f"{writer.path}{note}"
            )
        )
        play_options = self._play_options
        try:
            table = make_table(
                play_options.port,
                started.game,
                started.session,
                started.words,
                writer,
                started.clock,
                TableDevices(play_options.lamps, play_options.broken, started.camera_setup),
            )
        except CompanionError:
            writer.close()
            raise
        return replace(
            table.current,
            open_port=open_port
            if open_port and table.current.virtual_table is None
            else table.current.open_port,
            players=started.header.players,
            control=write_control(started.header.control),
            order=started.header.order,
            start=started.header.start,
        )


def _fits(grid: Grid, table_game: TableGame) -> bool:
    """True if *grid* can be played on at the table."""
    laid = table_game.pipeline.session.rules.grid
    return table_game.virtual_table is not None or (len(grid), grid.files, grid.ranks) == (
        len(laid),
        laid.files,
        laid.ranks,
    )


@contextlib.contextmanager
def _listener(play_options: PlayOptions) -> Iterator[Listener | None]:
    """Yield the socket of the page; None if no page is served. Raises `SettingsError`."""
    if not play_options.page:
        yield None
        return
    with _page_socket(play_options) as listener:
        yield listener


def _page_socket(play_options: PlayOptions) -> Listener:
    """Return a socket for the page. Raises `SettingsError`."""
    if play_options.http_port is not None:
        return server.listen(play_options.http_address, play_options.http_port)
    try:
        return server.listen(play_options.http_address, USUAL_HTTP_PORT)
    except SettingsError:
        return server.listen(play_options.http_address, server.ANY_PORT)


async def _play(
    play_options: PlayOptions,
    table: Table,
    listener: Listener | None,
    say: Callable[[str], None],
    terminal: Terminal | None,
) -> None:
    """Run the tasks of one table until they are stopped."""
    sweep_rarely()
    async with contextlib.AsyncExitStack() as stack:
        if listener is not None:
            address = await stack.enter_async_context(server.serving(table, listener))
            words = table.pipeline.words
            say(words.fill(words.common.told["table-at"], address=words.comma(listener.urls())))
            if play_options.browser and has_screen():
                await asyncio.to_thread(webbrowser.open, address)
        playing = asyncio.create_task(table.run(), name="table")
        telling = asyncio.create_task(_report_link(table, say), name="link report")
        keeping = asyncio.create_task(_keep_ended(table, play_options.store, say), name="game store")
        with stopping(playing):
            if terminal is not None:
                await _run_terminal(terminal, table, playing)
            await asyncio.wait({playing})
        telling.cancel()
        keeping.cancel()
        if not playing.cancelled():
            playing.result()


async def _run_terminal(terminal: Terminal, table: Table, playing: asyncio.Task[None]) -> None:
    """Run *terminal* until its user leaves or *playing* ends; stop both."""
    lines: Lines = asyncio.Queue()
    keyboard(lines)
    at_terminal = asyncio.create_task(terminal.run(table, lines), name="terminal")
    await asyncio.wait({playing, at_terminal}, return_when=asyncio.FIRST_COMPLETED)
    playing.cancel()
    if not at_terminal.done():
        at_terminal.cancel()
        await asyncio.wait({at_terminal})
    if not at_terminal.cancelled():
        at_terminal.result()


@dataclass(frozen=True, slots=True)
class TableDevices:
    """The devices of a table besides its panel, and settings of the panel."""

    lamps: LampLevel = LampLevel.FULL
    broken: Sequence[str] = ()
    """Names of the cells whose switches are ignored."""
    camera_setup: CameraSetup | None = None


BARE: Final = TableDevices()


def make_table(
    port: str | None,
    game: Game,
    session: Session,
    words: Words,
    writer: JournalWriter,
    clock: Clock,
    devices: TableDevices = BARE,
) -> Table:
    """Make a table with a panel at *port*, a camera, both, or virtual.

    At a virtual table the pieces stand in the game's position. Raises `OptionError` if a broken
    cell does not exist.
    """
    connection = Connection(secrets.randbits(16), patience_ms=PATIENCE_MS if _resets(port) else 0)
    camera_setup = devices.camera_setup
    sensors = Sensors.PANEL if camera_setup is None else Sensors.CAMERA if port is None else Sensors.BOTH
    broken = _cells(session.rules.grid, devices.broken)
    pipeline = Pipeline(session, words, connection, writer.write, devices.lamps, broken, sensors)
    if port is None and camera_setup is None:
        virtual_table = make_virtual_table(session, clock)
        return Table(TableGame(game, pipeline, writer, clock, virtual_table.open_port, virtual_table))
    camera_task = (
        None
        if camera_setup is None
        else camera_setup.new_task(clock, session.position, has_panel=port is not None)
    )
    open_port = _open_port(port, session.rules.grid, clock)
    return Table(TableGame(game, pipeline, writer, clock, open_port, camera_task=camera_task))


def _cells(grid: Grid, names: Sequence[str]) -> Occupancy:
    """Return the cells called *names*. Raises `OptionError`."""
    try:
        return occupancy_of(map(grid.cell, names))
    except NotationError as fault:
        raise OptionError(fault.message, option="broken", value=fault.text, allowed=grid.names) from fault


def _open_port(port: str | None, grid: Grid, clock: Clock) -> OpenPort | None:
    """Return what opens *port*, for a panel under *grid*; None without a port."""
    if port is None:
        return None
    return FittingPanel(grid, clock, serial_ports).open if port == AUTO else ports.serial_line(port)


def make_virtual_table(session: Session, clock: Clock) -> VirtualTable:
    """Make a virtual table with the pieces in the position of *session*."""
    rules = session.rules
    below = panel_for(rules.grid)
    panel = VirtualPanel(
        replace(below, buttons=max(below.buttons, len(rules.sides))),
        unique_id=secrets.token_bytes(8),
        session=secrets.randbits(16),
        now_ms=clock(),
    )
    return VirtualTable(panel, pieces_for(rules, session.position), clock)


def pieces_for(rules: AnyRules, position: Any) -> PieceSet:
    """Return the pieces of *position*: on the board, and in hands beside it."""
    figures = rules.box() if isinstance(rules, HasBox) else ()
    faced = tuple(figure for figure in figures if len(figure.faces) > 1)
    hands = rules.hands(position) if isinstance(rules, HasHands) else ()
    box = tuple(UnplacedPiece(piece) for hand in hands for piece in hand)
    return PieceSet(rules.placement(position), box=box, grid=rules.grid, figures=faced)


def panel_for(grid: Grid) -> Panel:
    """Return the first panel for *grid*; a shift-register chain if none has been designed."""
    panels = [load_panel(name) for name in panel_names()]
    fitting = (panel for panel in panels if panel.grid == grid.slug)
    chained = next(panel for panel in panels if panel.wiring == "chain" and panel.sensor_order == "natural")
    return next(fitting, None) or replace(
        chained,
        name=grid.slug,
        grid=grid.slug,
        cells=len(grid),
        files=grid.files,
        ranks=grid.ranks,
        sensor_rows=1,
        sensor_columns=len(grid),
        leds=len(grid),
        led_order="natural",
    )


async def _report_link(table: Table, say: Callable[[str], None]) -> None:
    """Say the status of panel and camera whenever it changes."""
    told = ("", "")
    with table.watch() as has_changed:
        while True:
            now = link_lines(table.pipeline)
            for line, before in zip(now, told, strict=True):
                if line not in ("", before):
                    say(line)
            told = now
            await has_changed.wait()
            has_changed.clear()


async def _keep_ended(table: Table, store: str | None, say: Callable[[str], None]) -> None:
    """Store the games of the table's journal whenever one ends."""
    ended: Outcome | None = None
    with table.watch() as has_changed:
        while True:
            outcome = table.pipeline.view.outcome
            if outcome is not None and outcome != ended:
                await asyncio.to_thread(_keep, table.current, store, say)
            ended = outcome
            await has_changed.wait()
            has_changed.clear()


def _keep(table_game: TableGame, store: str | None, say: Callable[[str], None]) -> None:
    """Store the games of *table_game*'s journal; a failure is only reported.

    The journal keeps the games in any case.
    """
    path, words = table_game.journal.path, table_game.pipeline.words
    try:
        kept = list(from_journal(journals.read(path)))
        if kept:
            keep(store, kept)
    except CompanionError as fault:
        say(words.fill(words.common.told["not-stored"], reason=str(fault), path=str(path)))


@contextlib.contextmanager
def stopping(task: asyncio.Task[Any]) -> Iterator[None]:
    """Cancel *task* on Ctrl-C and SIGTERM inside the block."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


def _resets(port: str | None) -> bool:
    """True if opening *port* restarts the panel: a serial device's DTR line does."""
    return port is not None and "://" not in port


def has_screen() -> bool:
    """False where opening a browser would take over the terminal, or fail."""
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

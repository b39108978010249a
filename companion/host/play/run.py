# SPDX-License-Identifier: Apache-2.0
"""Playing a game: puts table, chain, journal, panel and page together, and takes them apart again in good order.

Its rule: the only place where real things are wired; what they do is elsewhere.
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
    """Play until Ctrl-C or SIGTERM; on *console* is said what the player in front of the terminal should know.

    Raises `CompanionError`, and `KeyboardInterrupt` where the system cannot hand signals to the loop.
    """
    begun = (
        resume(play_options)
        if play_options.resume
        else begin(new_game_request(play_options), play_options, play_options.language)
    )
    terminal = Terminal(console) if play_options.terminal else None
    say = terminal.note if terminal else partial(console.print, soft_wrap=True, markup=False)
    game_factory = TableGameFactory(play_options, say)
    with _listener(play_options) as listener:
        table = Table(game_factory.first(begun), game_factory)
        try:
            asyncio.run(_play(play_options, table, listener, say, terminal))
        except BaseExceptionGroup as group:
            raise leaf(group) from None
        finally:
            game_factory.close(table.current)


def leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one exception of ours in *group*; *group* itself if it holds anything else."""
    ours, others = group.split(CompanionError)
    if ours is None or others is not None:
        return group
    first: BaseException = ours
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


class TableGameFactory:
    """Sets games out at the panel that was wished for: a `GameFactory`."""

    def __init__(
        self, play_options: PlayOptions, say: Callable[[str], None], way: OpenPort | None = None
    ) -> None:
        """*way* leads to the panel, where somebody else has found it."""
        self._play_options = play_options
        self._offers: dict[tuple[str, str], Json] = {}
        self._say = say
        self._way = way

    def first(self, begun: StartedGame) -> TableGame:
        """*begun* at a table that was not played at yet. Raises `CompanionError`."""
        return self._set_out(
            begun, open_journal(begun, self._play_options, self._play_options.journal), self._way
        )

    def offer(self, language: str, table_game: TableGame) -> Json:
        """The games that can be begun where *table_game* is; found out once, for it takes as long as many moves."""
        grid = table_game.pipeline.session.rules.grid
        key = (language, "" if table_game.virtual_table is not None else grid.slug)
        if key not in self._offers:
            self._offers[key] = catalogue.offer(language, lambda other: _lies(other, table_game))
        return self._offers[key]

    def create(self, request: NewGameRequest, table_game: TableGame, order: str = "") -> TableGame:
        """What *request* asks for, in the place of *table_game*, for a hall by its *order*. Raises `CompanionError`."""
        rules, language = table_game.pipeline.session.rules, table_game.pipeline.words.language
        if not isinstance(request, Begin):
            options = tuple(rules.options.items())
            slug, start = table_game.game.slug, table_game.start
            request = Begin(slug, options, table_game.players, table_game.control, position=start)
        begun = begin(request, self._play_options, request.language or language, order)
        if not _lies(begun.rules.grid, table_game):
            raise SettingsError(
                f"{begun.game.title} needs the {begun.rules.grid.slug} grid; this table has {rules.grid.slug}"
            )
        return self._set_out(begun, open_journal(begun, self._play_options), table_game.open_port)

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game*, and keep its games. Raises `JournalError`."""
        try:
            table_game.journal.close()
        finally:
            if table_game.journal.path.exists():
                _keep(table_game, self._play_options.store, self._say)

    def _set_out(
        self, begun: StartedGame, writer: JournalWriter, open_port: OpenPort | None = None
    ) -> TableGame:
        """*begun* at the panel to which *open_port* leads, if that is known; a virtual one has fresh wood on it."""
        note = f": {begun.resumed.note}" if begun.resumed and begun.resumed.note else ""
        told = begun.words.common.told
        self._say(
            begun.words.fill(told["going-on" if begun.resumed else "journal"], path=f"{writer.path}{note}")
        )
        play_options = self._play_options
        try:
            table = make_table(
                play_options.port,
                begun.game,
                begun.session,
                begun.words,
                writer,
                begun.clock,
                TableDevices(play_options.lamps, play_options.broken, begun.camera_setup),
            )
        except CompanionError:
            writer.close()
            raise
        return replace(
            table.current,
            open_port=open_port
            if open_port and table.current.virtual_table is None
            else table.current.open_port,
            players=begun.header.players,
            control=write_control(begun.header.control),
            order=begun.header.order,
            start=begun.header.start,
        )


def _lies(grid: Grid, table_game: TableGame) -> bool:
    """True if *grid* can be played on where *table_game* is: at a virtual table any."""
    laid = table_game.pipeline.session.rules.grid
    return table_game.virtual_table is not None or (len(grid), grid.files, grid.ranks) == (
        len(laid),
        laid.files,
        laid.ranks,
    )


@contextlib.contextmanager
def _listener(play_options: PlayOptions) -> Iterator[Listener | None]:
    """Where the page is served; None if it is not. Raises `SettingsError`."""
    if not play_options.page:
        yield None
        return
    with _page_socket(play_options) as listener:
        yield listener


def _page_socket(play_options: PlayOptions) -> Listener:
    """A socket for the page. Raises `SettingsError`."""
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
    """The tasks of one table, until somebody stops them."""
    sweep_rarely()
    async with contextlib.AsyncExitStack() as stack:
        if listener is not None:
            address = await stack.enter_async_context(server.serving(table, listener))
            words = table.pipeline.words
            say(words.fill(words.common.told["table-at"], address=words.comma(listener.urls())))
            if play_options.browser and has_screen():
                await asyncio.to_thread(webbrowser.open, address)
        playing = asyncio.create_task(table.run(), name="table")
        telling = asyncio.create_task(_tell_link(table, say), name="link teller")
        keeping = asyncio.create_task(_keep_ended(table, play_options.store, say), name="record keeper")
        with stopping(playing):
            if terminal is not None:
                await _sit(terminal, table, playing)
            await asyncio.wait({playing})
        telling.cancel()
        keeping.cancel()
        if not playing.cancelled():
            playing.result()


async def _sit(terminal: Terminal, table: Table, playing: asyncio.Task[None]) -> None:
    """Let somebody play at *terminal* until they leave or *playing* ends; then both have ended, or will at once."""
    lines: Lines = asyncio.Queue()
    keyboard(lines)
    at_terminal = asyncio.create_task(terminal.sit_at(table, lines), name="terminal")
    await asyncio.wait({playing, at_terminal}, return_when=asyncio.FIRST_COMPLETED)
    playing.cancel()
    if not at_terminal.done():
        at_terminal.cancel()
        await asyncio.wait({at_terminal})
    if not at_terminal.cancelled():
        at_terminal.result()


@dataclass(frozen=True, slots=True)
class TableDevices:
    """What a table has besides a panel, and how its panel is used."""

    lamps: LampLevel = LampLevel.FULL
    broken: Sequence[str] = ()
    """Names of the cells whose switches are not believed."""
    camera_setup: CameraSetup | None = None
    """The camera."""


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
    """A table with its panel at *port*, its camera, or both; without either, a virtual one.

    At a virtual one the pieces stand where the game has them. Raises `OptionError` if there are no such cells
    as are said to be broken.
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
    way = _way(port, session.rules.grid, clock)
    return Table(TableGame(game, pipeline, writer, clock, way, camera_task=camera_task))


def _cells(grid: Grid, names: Sequence[str]) -> Occupancy:
    """The cells called *names*. Raises `OptionError`."""
    try:
        return occupancy_of(map(grid.cell, names))
    except NotationError as fault:
        raise OptionError(str(fault), option="broken", value=fault.text, allowed=grid.names) from fault


def _way(port: str | None, grid: Grid, clock: Clock) -> OpenPort | None:
    """How *port* is opened, at which is a panel under *grid*; None if there is to be none."""
    if port is None:
        return None
    return FittingPanel(grid, clock, serial_ports).open if port == AUTO else ports.serial_line(port)


def make_virtual_table(session: Session, clock: Clock) -> VirtualTable:
    """A virtual table on which the pieces stand where *session* wants them."""
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
    """The pieces of *position*: on the board, and in hands beside it."""
    figures = rules.box() if isinstance(rules, HasBox) else ()
    faced = tuple(figure for figure in figures if len(figure.faces) > 1)
    hands = rules.hands(position) if isinstance(rules, HasHands) else ()
    box = tuple(UnplacedPiece(piece) for hand in hands for piece in hand)
    return PieceSet(rules.placement(position), box=box, grid=rules.grid, figures=faced)


def panel_for(grid: Grid) -> Panel:
    """The first panel that lies under *grid*; a chain of as many switches and lamps where nobody has built one."""
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


async def _tell_link(table: Table, say: Callable[[str], None]) -> None:
    """Say how it stands with panel and camera whenever that changes."""
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
    """Keep the games of the table's journal whenever one has ended."""
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
    """Keep the games of the journal of *table_game*; the journal has them in any case, so a failure is only told."""
    path, words = table_game.journal.path, table_game.pipeline.words
    try:
        kept = list(from_journal(journals.read(path)))
        if kept:
            keep(store, kept)
    except CompanionError as fault:
        say(words.fill(words.common.told["not-stored"], reason=str(fault), path=str(path)))


@contextlib.contextmanager
def stopping(task: asyncio.Task[Any]) -> Iterator[None]:
    """Ctrl-C and SIGTERM cancel *task* meanwhile."""
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
    """True if opening *port* restarts the panel: so does a serial device's DTR line, but no URL."""
    return port is not None and "://" not in port


def has_screen() -> bool:
    """False where opening a browser would take over the terminal, or fail."""
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

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
from companion.host.play.start import PlayOptions, StartedGame, as_wish, begin, open_journal, resume
from companion.host.records.records import from_journal
from companion.host.records.store import keep
from companion.host.table import catalogue
from companion.host.table.game_setup import Begin, TableGame, Wish
from companion.host.table.link_status import told_of
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


def play(wishes: PlayOptions, console: Console) -> None:
    """Play until Ctrl-C or SIGTERM; on *console* is said what the player in front of the terminal should know.

    Raises `CompanionError`, and `KeyboardInterrupt` where the system cannot hand signals to the loop.
    """
    begun = resume(wishes) if wishes.resume else begin(as_wish(wishes), wishes, wishes.language)
    terminal = Terminal(console) if wishes.terminal else None
    say = terminal.note if terminal else partial(console.print, soft_wrap=True, markup=False)
    dealer = TableGameFactory(wishes, say)
    with _listener(wishes) as listener:
        table = Table(dealer.first(begun), dealer)
        try:
            asyncio.run(_play(wishes, table, listener, say, terminal))
        except BaseExceptionGroup as group:
            raise leaf(group) from None
        finally:
            dealer.put_away(table.sitting)


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

    def __init__(self, wishes: PlayOptions, say: Callable[[str], None], way: OpenPort | None = None) -> None:
        """*way* leads to the panel, where somebody else has found it."""
        self._wishes = wishes
        self._offers: dict[tuple[str, str], Json] = {}
        self._say = say
        self._way = way

    def first(self, begun: StartedGame) -> TableGame:
        """*begun* at a table that was not played at yet. Raises `CompanionError`."""
        return self._set_out(begun, open_journal(begun, self._wishes, self._wishes.journal), self._way)

    def offer(self, language: str, sitting: TableGame) -> Json:
        """The games that can be begun where *sitting* is; found out once, for it takes as long as many moves."""
        grid = sitting.chain.session.rules.grid
        key = (language, "" if sitting.desk is not None else grid.slug)
        if key not in self._offers:
            self._offers[key] = catalogue.offer(language, lambda other: _lies(other, sitting))
        return self._offers[key]

    def deal(self, wish: Wish, sitting: TableGame, order: str = "") -> TableGame:
        """What *wish* asks for, in the place of *sitting*, for a hall by its *order*. Raises `CompanionError`."""
        rules, language = sitting.chain.session.rules, sitting.chain.words.language
        if not isinstance(wish, Begin):
            options = tuple(rules.options.items())
            slug, start = sitting.game.slug, sitting.start
            wish = Begin(slug, options, sitting.players, sitting.control, position=start)
        begun = begin(wish, self._wishes, wish.language or language, order)
        if not _lies(begun.rules.grid, sitting):
            raise SettingsError(
                f"{begun.game.title} needs the {begun.rules.grid.slug} grid; this table has {rules.grid.slug}"
            )
        return self._set_out(begun, open_journal(begun, self._wishes), sitting.open_port)

    def put_away(self, sitting: TableGame) -> None:
        """Close the journal of *sitting*, and keep its games. Raises `JournalError`."""
        try:
            sitting.journal.close()
        finally:
            if sitting.journal.path.exists():
                _keep(sitting, self._wishes.store, self._say)

    def _set_out(
        self, begun: StartedGame, writer: JournalWriter, open_port: OpenPort | None = None
    ) -> TableGame:
        """*begun* at the panel to which *open_port* leads, if that is known; a virtual one has fresh wood on it."""
        note = f": {begun.resumed.note}" if begun.resumed and begun.resumed.note else ""
        told = begun.words.common.told
        self._say(
            begun.words.fill(told["going-on" if begun.resumed else "journal"], path=f"{writer.path}{note}")
        )
        wishes = self._wishes
        try:
            table = make_table(
                wishes.port,
                begun.game,
                begun.session,
                begun.words,
                writer,
                begun.clock,
                TableDevices(wishes.lamps, wishes.broken, begun.seer),
            )
        except CompanionError:
            writer.close()
            raise
        return replace(
            table.sitting,
            open_port=open_port if open_port and table.sitting.desk is None else table.sitting.open_port,
            players=begun.header.players,
            control=write_control(begun.header.control),
            order=begun.header.order,
            start=begun.header.start,
        )


def _lies(grid: Grid, sitting: TableGame) -> bool:
    """True if *grid* can be played on where *sitting* is: at a virtual table any."""
    laid = sitting.chain.session.rules.grid
    return sitting.desk is not None or (len(grid), grid.files, grid.ranks) == (
        len(laid),
        laid.files,
        laid.ranks,
    )


@contextlib.contextmanager
def _listener(wishes: PlayOptions) -> Iterator[Listener | None]:
    """Where the page is served; None if it is not. Raises `SettingsError`."""
    if not wishes.page:
        yield None
        return
    with _page_socket(wishes) as listener:
        yield listener


def _page_socket(wishes: PlayOptions) -> Listener:
    """A socket for the page. Raises `SettingsError`."""
    if wishes.http_port is not None:
        return server.listen(wishes.http_address, wishes.http_port)
    try:
        return server.listen(wishes.http_address, USUAL_HTTP_PORT)
    except SettingsError:
        return server.listen(wishes.http_address, server.ANY_PORT)


async def _play(
    wishes: PlayOptions,
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
            words = table.chain.words
            say(words.fill(words.common.told["table-at"], address=words.comma(listener.urls())))
            if wishes.browser and has_screen():
                await asyncio.to_thread(webbrowser.open, address)
        playing = asyncio.create_task(table.run(), name="table")
        telling = asyncio.create_task(_tell_link(table, say), name="link teller")
        keeping = asyncio.create_task(_keep_ended(table, wishes.store, say), name="record keeper")
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
    sitting = asyncio.create_task(terminal.sit_at(table, lines), name="terminal")
    await asyncio.wait({playing, sitting}, return_when=asyncio.FIRST_COMPLETED)
    playing.cancel()
    if not sitting.done():
        sitting.cancel()
        await asyncio.wait({sitting})
    if not sitting.cancelled():
        sitting.result()


@dataclass(frozen=True, slots=True)
class TableDevices:
    """What a table has besides a panel, and how its panel is used."""

    lamps: LampLevel = LampLevel.FULL
    broken: Sequence[str] = ()
    """Names of the cells whose switches are not believed."""
    eyes: CameraSetup | None = None
    """The camera."""


BARE: Final = TableDevices()


def make_table(
    port: str | None,
    game: Game,
    session: Session,
    words: Words,
    writer: JournalWriter,
    clock: Clock,
    fittings: TableDevices = BARE,
) -> Table:
    """A table with its panel at *port*, its camera, or both; without either, a virtual one.

    At a virtual one the pieces stand where the game has them. Raises `OptionError` if there are no such cells
    as are said to be broken.
    """
    connection = Connection(secrets.randbits(16), patience_ms=PATIENCE_MS if _resets(port) else 0)
    eyes = fittings.eyes
    sensors = Sensors.PANEL if eyes is None else Sensors.CAMERA if port is None else Sensors.BOTH
    broken = _cells(session.rules.grid, fittings.broken)
    chain = Pipeline(session, words, connection, writer.write, fittings.lamps, broken, sensors)
    if port is None and eyes is None:
        desk = virtual_desk(session, clock)
        return Table(TableGame(game, chain, writer, clock, desk.open_port, desk))
    watcher = None if eyes is None else eyes.watcher(clock, session.position, has_panel=port is not None)
    way = _way(port, session.rules.grid, clock)
    return Table(TableGame(game, chain, writer, clock, way, watcher=watcher))


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


def virtual_desk(session: Session, clock: Clock) -> VirtualTable:
    """A virtual table on which the pieces stand where *session* wants them."""
    rules = session.rules
    below = panel_for(rules.grid)
    panel = VirtualPanel(
        replace(below, buttons=max(below.buttons, len(rules.sides))),
        unique_id=secrets.token_bytes(8),
        session=secrets.randbits(16),
        now_ms=clock(),
    )
    return VirtualTable(panel, wood_for(rules, session.position), clock)


def wood_for(rules: AnyRules, position: Any) -> PieceSet:
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
    chain = next(panel for panel in panels if panel.wiring == "chain" and panel.sensor_order == "natural")
    return next(fitting, None) or replace(
        chain,
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
            now = told_of(table.chain)
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
            outcome = table.chain.view.outcome
            if outcome is not None and outcome != ended:
                await asyncio.to_thread(_keep, table.sitting, store, say)
            ended = outcome
            await has_changed.wait()
            has_changed.clear()


def _keep(sitting: TableGame, store: str | None, say: Callable[[str], None]) -> None:
    """Keep the games of the journal of *sitting*; the journal has them in any case, so a failure is only told."""
    path, words = sitting.journal.path, sitting.chain.words
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

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
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from companion import __version__, games
from companion.feedback.lights import LampLevel
from companion.feedback.words import Words, load
from companion.host import journal as journals
from companion.host import ports, web
from companion.host.chain import Chain, LinkStatus
from companion.host.clock import Clock, local_time, monotonic
from companion.host.database import default_url
from companion.host.desk import Desk
from companion.host.gamebook import control_of
from companion.host.journal import Continued, Header, Journal, JournalWriter
from companion.host.panels import AUTO, FittingPanel, serial_ports
from companion.host.records import from_journal
from companion.host.store import keep
from companion.host.table import Table
from companion.link.connection import PATIENCE_MS, Connection
from companion.link.panel import Panel, load_panel, panel_names
from companion.model.errors import CompanionError, JournalError, SettingsError
from companion.model.game import AnyRules, Game, HasBox, Outcome
from companion.model.grid import Grid
from companion.model.observation import SensorKind
from companion.referee.clocks import Control
from companion.referee.controls import NONE
from companion.referee.session import Session
from companion.referee.timing import DEFAULT_TIMING
from companion.virtual.panel import VirtualPanel
from companion.virtual.wood import Wood

USUAL_HTTP_PORT: Final = 8765
LOOPBACK: Final = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the player asked for on the command line."""

    game: str
    options: Mapping[str, str] = field(default_factory=dict)
    port: str | None = None
    """A serial device, a URL, `auto`, or None for the virtual table."""
    journal: Path | None = None
    resume: bool = False
    language: str = "en"
    http_address: str = LOOPBACK
    http_port: int | None = None
    """None: the usual one, or any if it is taken."""
    browser: bool = True
    store: str | None = None
    """URL of the store that keeps the games; None: the usual one."""
    lamps: LampLevel = LampLevel.FULL
    clock: str | None = None
    """How time is kept, as said; None: what the game's options say, else *usual_clock*."""
    usual_clock: str = NONE
    sensor: SensorKind | None = None
    """What the virtual table tells of its pieces; None: as much as `usual_sensor` says."""


@dataclass(frozen=True, slots=True)
class _Game:
    """A game with all that follows from the wishes."""

    game: Game
    rules: AnyRules
    words: Words
    session: Session
    clock: Clock
    control: Control | None
    resumed: Journal | None


def play(wishes: Wishes, say: Callable[[str], None]) -> None:
    """Play until Ctrl-C or SIGTERM; *say* gets what the player in front of the terminal should know.

    Raises `CompanionError`, and `KeyboardInterrupt` where the system cannot hand signals to the loop.
    """
    begun = _begin(wishes)
    with _listener(wishes) as listener, _writer(wishes, begun) as writer:
        if begun.resumed is not None:
            say(
                f"Going on with {begun.resumed.path}"
                + (f": {begun.resumed.note}" if begun.resumed.note else "")
            )
        else:
            say(f"Journal: {writer.path}")
        try:
            asyncio.run(_play(wishes, begun, writer, listener, say))
        except BaseExceptionGroup as group:
            raise _leaf(group) from None
        finally:
            _keep(writer.path, wishes.store, say)


def _leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one exception of ours in *group*; *group* itself if it holds anything else."""
    ours, others = group.split(CompanionError)
    if ours is None or others is not None:
        return group
    first: BaseException = ours
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first


def _begin(wishes: Wishes) -> _Game:
    """The game to be played: a new one, or the newest that was broken off. Raises `CompanionError`."""
    game = games.find(wishes.game)
    resumed = _to_resume(wishes) if wishes.resume else None
    rules = game.rules(dict(resumed.header.options) if resumed else wishes.options)
    words = load(wishes.language, game.slug, rules.sides)
    clock = monotonic(resumed.last_ms + 1 if resumed else 0)
    kind = SensorKind.OCCUPANCY if wishes.port is not None else wishes.sensor or usual_sensor(rules)
    if resumed is None:
        control = control_of(rules, wishes.clock, wishes.usual_clock)
        session = Session(rules, kind, control=control)
    else:
        control = resumed.header.control
        session = Session.restore(rules, resumed.events, kind, resumed.header.timing, control=control)
    return _Game(game, rules, words, session, clock, control, resumed)


def usual_sensor(rules: AnyRules) -> SensorKind:
    """What a virtual table tells of its pieces if nobody says otherwise.

    Switches will do, unless pieces have several faces: somebody would have to answer at nearly every move.
    """
    has_faces = isinstance(rules, HasBox) and any(len(figure.faces) > 1 for figure in rules.box())
    return SensorKind.IDENTITY_FACING if has_faces else SensorKind.OCCUPANCY


def _to_resume(wishes: Wishes) -> Journal:
    """The journal to go on with. Raises `JournalError`."""
    if wishes.journal is not None:
        found = journals.read(wishes.journal)
        if found.header.game != wishes.game:
            raise JournalError(f"{found.path} is a game of {found.header.game}, not of {wishes.game}")
        if not found.is_under_way:
            raise JournalError(f"{found.path} holds no game that was broken off: play without --resume")
        return found
    newest = journals.newest_under_way(wishes.game, journals.folder())
    if newest is None:
        raise JournalError(
            f"there is no unfinished game of {wishes.game} in {journals.folder()}: play without --resume"
        )
    return newest


def _writer(wishes: Wishes, begun: _Game) -> JournalWriter:
    """The journal that is written. Raises `JournalError`."""
    now = local_time()
    if begun.resumed is not None:
        return JournalWriter.append(
            begun.resumed,
            Continued(
                begun.clock(), __version__, now.isoformat(timespec="seconds"), sensor=begun.session.kind
            ),
        )
    header = Header(
        format=journals.FORMAT,
        program=__version__,
        began=now.isoformat(timespec="seconds"),
        game=begun.game.slug,
        options=tuple(begun.rules.options.items()),
        timing=DEFAULT_TIMING,
        control=begun.control,
        sensor=begun.session.kind,
    )
    return JournalWriter.create(wishes.journal or journals.fresh_path(begun.game.slug, now), header)


def _listener(wishes: Wishes) -> socket.socket:
    """Where the page is served. Raises `SettingsError`."""
    if wishes.http_port is not None:
        return web.listen(wishes.http_address, wishes.http_port)
    try:
        return web.listen(wishes.http_address, USUAL_HTTP_PORT)
    except SettingsError:
        return web.listen(wishes.http_address, web.ANY_PORT)


async def _play(
    wishes: Wishes, begun: _Game, writer: JournalWriter, listener: socket.socket, say: Callable[[str], None]
) -> None:
    """The tasks of one table, until somebody stops them."""
    table = make_table(
        wishes.port, begun.game, begun.session, begun.words, writer, begun.clock, lamps=wishes.lamps
    )
    async with web.serving(table, listener) as address:
        say(f"The table is at {address}  (Ctrl-C ends)")
        if wishes.browser and _has_screen():
            await asyncio.to_thread(webbrowser.open, address)
        playing = asyncio.create_task(table.run(), name="table")
        telling = asyncio.create_task(_tell_link(table, say), name="link teller")
        keeping = asyncio.create_task(
            _keep_ended(table, writer.path, wishes.store, say), name="record keeper"
        )
        with _stopping(playing):
            await asyncio.wait({playing})
        telling.cancel()
        keeping.cancel()
        if not playing.cancelled():
            playing.result()


def make_table(
    port: str | None,
    game: Game,
    session: Session,
    words: Words,
    writer: JournalWriter,
    clock: Clock,
    *,
    lamps: LampLevel = LampLevel.FULL,
) -> Table:
    """A table with its panel: at *port*, or a virtual one with the pieces where the game has them."""
    connection = Connection(secrets.randbits(16), patience_ms=PATIENCE_MS if _resets(port) else 0)
    chain = Chain(session, words, connection, writer.write, lamps)
    if port is None:
        desk = virtual_desk(session, clock)
        return Table(game, chain, writer, clock, desk.open_port, desk=desk)
    fitting = FittingPanel(session.rules.grid, clock, serial_ports)
    open_port = fitting.open if port == AUTO else ports.serial_line(port)
    return Table(game, chain, writer, clock, open_port)


def virtual_desk(session: Session, clock: Clock) -> Desk:
    """A virtual table on which the pieces stand where *session* wants them."""
    rules = session.rules
    below = panel_for(rules.grid)
    panel = VirtualPanel(
        replace(below, buttons=max(below.buttons, len(rules.sides))),
        unique_id=secrets.token_bytes(8),
        session=secrets.randbits(16),
        now_ms=clock(),
    )
    figures = rules.box() if isinstance(rules, HasBox) else ()
    faced = tuple(figure for figure in figures if len(figure.faces) > 1)
    return Desk(panel, Wood(session.view().placement, grid=rules.grid, figures=faced), clock)


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
    """Say how it stands with the panel whenever that changes."""
    told: LinkStatus | None = None
    with table.watch() as has_changed:
        while True:
            status = table.chain.status
            if status != told:
                say(f"Panel {status.state}" + (f": {status.text}" if status.text else ""))
                told = status
            await has_changed.wait()
            has_changed.clear()


async def _keep_ended(table: Table, path: Path, store: str | None, say: Callable[[str], None]) -> None:
    """Keep the games of the journal in *path* whenever one has ended."""
    ended: Outcome | None = None
    with table.watch() as has_changed:
        while True:
            outcome = table.chain.view.outcome
            if outcome is not None and outcome != ended:
                await asyncio.to_thread(_keep, path, store, say)
            ended = outcome
            await has_changed.wait()
            has_changed.clear()


def _keep(path: Path, store: str | None, say: Callable[[str], None]) -> None:
    """Keep the games of the journal in *path*; the journal has them in any case, so a failure is only told."""
    try:
        kept = list(from_journal(journals.read(path)))
        if kept:
            keep(store or default_url(), kept)
    except CompanionError as fault:
        say(f"The game is not in the store: {fault}. Later: companion records import {path}")


@contextlib.contextmanager
def _stopping(task: asyncio.Task[None]) -> Iterator[None]:
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


def _has_screen() -> bool:
    """False where opening a browser would take over the terminal, or fail."""
    return sys.platform in ("win32", "darwin") or bool(
        os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    )

# SPDX-License-Identifier: Apache-2.0
"""The stations of one process: their tables, links, and a common page server.

Its rule: a failing station is reported and restarted, without effect on others; an unfinished game
is resumed.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import takewhile
from pathlib import Path
from typing import Final, TypeAlias

from starlette.routing import Mount

from companion.host.clock import monotonic
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.station_link import ChannelOpener, Identity, StationLink, orders_in
from companion.host.journal import files
from companion.host.journal import journal as journals
from companion.host.journal.journal import Journal
from companion.host.mailbox import Turns
from companion.host.pages.application import Application
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.start import PlayOptions, StartedGame, begin, new_game_request, resume
from companion.host.retry import USUAL, Intervals
from companion.host.table.journal_sync import Fsync, sync_in_thread
from companion.host.table.table import Table
from companion.host.table.table_game import Begin
from companion.host.tasks import leaves
from companion.host.text.error_translation import translate
from companion.host.watch.review_page import add_review
from companion.host.web import server as web
from companion.host.web.file_limit import room_for
from companion.host.web.table_page import make_app
from companion.model.errors import CompanionError, JournalError
from companion.model.phrase import Phrase
from companion.referee.values.events import GameAdjourned, GameBegan, MoveMade

_LOG = logging.getLogger(__name__)

Inform: TypeAlias = Callable[[str], None]
Page: TypeAlias = Callable[[Table], AbstractAsyncContextManager[str]]
"""Serves a table's page inside the block and yields its URL."""
StationTask: TypeAlias = Callable[[str, Table], Awaitable[None]]
"""Runs beside the table of a named station forever, such as a benchmark's hands."""

_SHARE: Final = 0.125
"""Share of the process's connections; a hall may have two of these."""
EVENING_S: Final = 12 * 3600
"""Age limit of unfinished games to resume."""


class Stations:
    """The stations of one process."""

    def __init__(
        self,
        inform: Inform,
        station_task: StationTask | None = None,
        *,
        fsync: Fsync = sync_in_thread,
        turns: Turns | None = None,
    ) -> None:
        """The tables share *fsync* and *turns*."""
        self._inform = inform
        self._station_task = station_task
        self._fsync = fsync
        self._turns = turns
        self._site = Application()
        self.address = ""

    @asynccontextmanager
    async def serving(self, address: str) -> AsyncIterator[None]:
        """Serve their pages at *address*, any port, inside the block. Raises `SettingsError`."""
        with web.listen(address, web.ANY_PORT) as listener:
            async with web.serving_app(self._site, listener, room=room_for(_SHARE)) as self.address:
                yield

    async def run(self, station: LocalStation, open_channel: ChannelOpener) -> None:
        """Run *station* until cancelled; restart it after a failure."""
        while True:
            try:
                await run_table(
                    station,
                    open_channel,
                    lambda text: self._inform(Phrase("{board}: {text}", board=station.name, text=text)),
                    self._page(station.name),
                    self,
                )
            except* CompanionError as group:
                for fault in leaves(group):
                    self._inform(Phrase("{board}: {reason}; trying again", board=station.name, reason=fault))
            except* Exception as group:  # noqa: BLE001  the other stations play on, and this one is tried again
                _LOG.exception("error in this program: the board %s begins again", station.name)
                for error in leaves(group):
                    self._inform(
                        Phrase(
                            "{board}: error in this program, {reason}; trying again",
                            board=station.name,
                            reason=repr(error),
                        )
                    )
            await asyncio.sleep(station.play_options.intervals.retry_s)

    def _page(self, name: str) -> Page:
        """Return the page of station *name* on the common server."""

        @asynccontextmanager
        async def serving(table: Table) -> AsyncIterator[str]:
            app = make_app(table)
            add_review(app, lambda: table)
            route = Mount(f"/{name}", app)
            self._site.router.routes.append(route)
            try:
                yield f"{self.address}{name}/"
            finally:
                self._site.router.routes.remove(route)

        return serving

    def table(
        self, game_factory: TableGameFactory, started: StartedGame, intervals: Intervals = USUAL
    ) -> Table:
        """Make a table that shares fsync and scheduler, and waits for its panel."""
        return Table(
            game_factory.first(started),
            game_factory,
            self._fsync,
            self._turns,
            is_patient=True,
            has_arbiter=True,
            intervals=intervals,
        )

    async def attend(self, name: str, table: Table) -> None:
        """Run what belongs beside *table*."""
        if self._station_task is not None:
            await self._station_task(name, table)


async def run_table(
    station: LocalStation,
    open_channel: ChannelOpener,
    inform: Inform,
    page: Page,
    among: Stations | None = None,
) -> None:
    """Run *station* and its link until cancelled;

    *among* are the stations of a hall's machine.

    Raises `CompanionError`.
    """
    play_options, folder = station.play_options, station.folder
    started = await asyncio.to_thread(_game_to_start, station, inform)
    done = await asyncio.to_thread(lambda: orders_in(sorted(folder.glob(f"*{journals.SUFFIX}"))))
    game_factory = TableGameFactory(play_options, inform, station.open_port)
    table = (
        among.table(game_factory, started, play_options.intervals)
        if among
        else Table(
            game_factory.first(started), game_factory, has_arbiter=True, intervals=play_options.intervals
        )
    )
    identity = Identity(station.name, secrets.token_hex(8), station.name)
    is_near = among is not None
    inform_link = _silent if is_near else inform
    link = StationLink(
        table,
        identity,
        open_channel,
        monotonic(),
        done,
        is_near=is_near,
        inform=inform_link,
        intervals=play_options.intervals,
    )
    try:
        async with page(table) as address, asyncio.TaskGroup() as group:
            inform(
                translate(Phrase("the table is at {address}", address=address), table.pipeline.words.language)
            )
            group.create_task(table.run(), name=f"table {station.name}")
            group.create_task(link.run(), name=f"link {station.name}")
            if among is not None:
                await among.attend(station.name, table)
    finally:
        game_factory.close(table.current)


def _silent(_text: str) -> None:
    """Say nothing: people at the hall's own machine know of the hall."""


def own_page(play_options: PlayOptions) -> Page:
    """Return a page on its own port. Raises `SettingsError` when opened."""

    @asynccontextmanager
    async def serving(table: Table) -> AsyncIterator[str]:
        with web.listen(play_options.http_address, play_options.http_port or web.ANY_PORT) as listener:
            async with web.serving(table, listener) as address:
                yield address

    return serving


def _game_to_start(station: LocalStation, inform: Inform) -> StartedGame:
    """Return the game last ordered for *station*, an unfinished recent one, or a new one.

    Raises `CompanionError`.
    """
    play_options = station.play_options
    request, order = new_game_request(play_options), ""
    with contextlib.suppress(OSError):
        try:
            broken_off = files.newest_under_way(play_options.setup.game, station.folder)
            ordered = _ordered_after(broken_off, station.folder)
            if ordered is not None and _was_not_obeyed(ordered, broken_off):
                ordered.path.unlink()  # the hall repeats the order, unless it was refused
                ordered = None
            if ordered is not None and not _has_begun(ordered):
                request, order = Begin(ordered.header.setup), ordered.header.order
            elif ordered is None and broken_off is not None and _is_recent(broken_off):
                return resume(play_options)
        except JournalError as fault:
            inform(translate(Phrase("{reason}; a new game begins", reason=fault), play_options.language))
    return begin(request, play_options, play_options.language, order)


def _has_begun(journal: Journal) -> bool:
    return any(isinstance(each, GameBegan) for each in journal.entries)


def _was_not_obeyed(ordered: Journal, broken_off: Journal | None) -> bool:
    """True if the game of *ordered* has not replaced that *broken_off* before it.

    A game with moves is adjourned when a hall's order replaces it.
    """
    if _has_begun(ordered) or broken_off is None:
        return False
    before = max(
        path.name for path in ordered.path.parent.glob(f"*{journals.SUFFIX}") if path.name < ordered.path.name
    )
    told = [each for each in broken_off.entries if isinstance(each, MoveMade | GameAdjourned)]
    return before == broken_off.path.name and bool(told) and isinstance(told[-1], MoveMade)


def _ordered_after(broken_off: Journal | None, folder: Path) -> Journal | None:
    """Return the newest recent journal in *folder* ordered after *broken_off* began.

    None if there was no such order. Raises `JournalError` and `OSError`.
    """
    paths = sorted(folder.glob(f"*{journals.SUFFIX}"), reverse=True)
    for path in takewhile(lambda path: broken_off is None or path.name > broken_off.path.name, paths):
        found = journals.read(path)
        if found.header.order:
            return found if _is_recent(found) else None
    return None


def _is_recent(journal: Journal) -> bool:
    """True if *journal* was written recently. Raises `OSError`."""
    return time.time() - journal.path.stat().st_mtime < EVENING_S

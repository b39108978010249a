# SPDX-License-Identifier: Apache-2.0
"""Halls for tests: real tables with virtual pieces; the hall may die silently."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import local_time, monotonic
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import Limits
from companion.host.hall.keys.joining import Admission
from companion.host.hall.keys.keyring import HallKeys
from companion.host.hall.stations.mqtt import read_url
from companion.host.hall.stations.other_halls import OtherHalls
from companion.host.hall.stations.station_channels import attend, local_channel_opener
from companion.host.hall.stations.station_link import ChannelOpener, Identity, StationLink, orders_in
from companion.host.journal import files
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.new_table import make_table
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.host.retry import Intervals
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Lift
from companion.referee.session.session import Session
from companion.referee.values.controls import read_control
from companion.referee.values.events import Stage
from companion.referee.values.timing import DEFAULT_TIMING
from companion.tournament.acts import Entered, Opened, RoundPaired
from companion.tournament.pairing import next_round
from companion.tournament.values import Format, Player
from tests.host.tables import GAME, HEADER

QUICK = Intervals(retry_s=0.05, message_ms=300)
"""Failed operations are tried again soon, so that tests do not wait."""
CLOCK = monotonic()
BRISK = replace(DEFAULT_TIMING, dwell_ms=250, dwell_emptied_ms=400, longest_ms=800)
"""Timing for the players here, who know their moves: moves are announced sooner."""
PATIENCE_S = 60
"""Timeout of a wait, long enough for a busy machine."""


def copy_of(hall: Hall, station: str) -> tuple[Path, bytes] | None:
    """The newest journal of *station* as far as spectators may read it, None without any."""
    shown = hall.spectators.copied.of(station)
    if shown is None:
        return None
    path = hall.folder(station) / shown[0]
    return path, path.read_bytes()[: shown[1]]


async def until(holds: Callable[[], bool], what: str) -> None:
    """Wait until *holds* returns true; other programs change it without notice."""
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not holds():  # noqa: ASYNC110 - other programs do not report this
                await asyncio.sleep(0.01)
    except TimeoutError:
        pytest.fail(f"not within {PATIENCE_S} s: {what}")


class Station:
    """A table at play, and its link to the hall."""

    def __init__(self, folder: Path, name: str, control: str = "none") -> None:
        self.text = control
        self.control = read_control(control, 2)
        self.folder = folder / name
        self.name = name
        self.starts = 0

    @asynccontextmanager
    async def playing(self, open_channel: ChannelOpener, *, is_near: bool = False) -> AsyncIterator[Station]:
        self.starts += 1
        game = games.find(GAME)
        rules = game.rules()
        play_options = PlayOptions(
            GameSetup(GAME, control=self.text),
            folder=self.folder,
            timing=BRISK,
            store=f"sqlite:///{self.folder}.sqlite",
            intervals=QUICK,
        )
        game_factory = TableGameFactory(play_options, lambda _text: None)
        path = files.fresh_path(GAME, local_time(), self.folder)
        done = orders_in(self.folder.glob("*.jsonl"))
        with JournalWriter.create(path, replace(HEADER, timing=BRISK)) as writer:
            words = load("en", GAME, rules.sides)
            session = Session(rules, timing=BRISK, control=self.control)
            table_game = make_table(None, game, session, words, writer, CLOCK).current
            self.table = Table(table_game, game_factory, intervals=QUICK)
            identity = Identity(self.name, f"{self.name}-{self.starts}", self.name.title())
            self.branch = StationLink(
                self.table, identity, open_channel, CLOCK, done, is_near=is_near, intervals=QUICK
            )
            tasks = [asyncio.create_task(self.table.run()), asyncio.create_task(self.branch.run())]
            try:
                yield self
            finally:
                for task in tasks:
                    task.cancel()
                await asyncio.gather(*tasks, return_exceptions=True)
                if self.table.current.order:  # a game that the hall set up has its own journal
                    game_factory.close(self.table.current)

    def at(self, hall: Hall) -> AbstractAsyncContextManager[Station]:
        """At play on the machine of *hall*."""
        return self.playing(local_channel_opener(hall, self.folder), is_near=True)

    def announced(self) -> list[str]:
        return [move.move for move in self.table.pipeline.view.record if move.stage is not Stage.PROVISIONAL]

    async def play(self, moves: str) -> None:
        """Make *moves*, each after the last one was announced."""
        cells = self.table.pipeline.session.rules.grid.cells
        await until(lambda: self.table.pipeline.view.phase == "waiting", "the table is ready")
        for move in moves.split():
            before = len(self.announced())
            source, target = cells(move.replace("-", " "))
            self.table.do(Lift(source))
            self.table.do(Drop(target))
            await until(lambda before=before: len(self.announced()) > before, f"{move} is announced")  # type: ignore[misc]

    def journals(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.folder.glob("*.jsonl")}


@asynccontextmanager
async def hall_at(
    folder: Path,
    url: str,
    broker: str | None = None,
    keys: HallKeys | None = None,
    limits: Limits | None = None,
) -> AsyncIterator[Hall]:
    """A hall that runs in the context and then dies silently.

    Without *keys* it is open to all clients of its broker.
    """
    db = connect(url)
    keeper, began = BookKeeper(db), "2026-11-21T19:00:00Z"
    hall = Hall(keeper, folder / "copies", CLOCK, lambda: began, limits=limits, intervals=QUICK)
    if keys is not None:
        hall.admit_by(Admission("club", keys, CLOCK))
    tasks = [asyncio.create_task(hall.run())]
    if broker is not None:
        tasks.append(asyncio.create_task(attend(hall, read_url(broker), hall.admission, QUICK)))
    try:
        yield hall
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        db.close()


def alone() -> OtherHalls:
    """No other halls at the broker."""
    return OtherHalls("alone", CLOCK, lambda _are_others: None, QUICK)


def copies(folder: Path, station: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "copies" / station).glob("*.jsonl")}


def beginnings(folder: Path, station: Station) -> bool:
    """True if every copy is the beginning of its journal."""
    return all(
        station.journals()[name].startswith(copy) for name, copy in copies(folder, station.name).items()
    )


CLUB = Opened("club", "Club evening", Format.SWISS, GAME)


async def two_players(hall: Hall, station: str = "red", opened: Opened = CLUB) -> None:
    """Pair Ana and Ben at *station* in the tournament *opened*."""
    key = opened.key
    await hall.act("Arbiter", opened)
    for name in ("Ana", "Ben"):
        await hall.act("Arbiter", Entered(key, Player(0, name)))
    await hall.act("Arbiter", RoundPaired(key, next_round(hall.keeper.book.of(key).tournament)))
    await hall.give("Arbiter", key, 1, 1, station)
    await until(lambda: not hall.keeper.book.orders, "the game of the table is set up")

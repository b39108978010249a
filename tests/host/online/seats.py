# SPDX-License-Identifier: Apache-2.0
"""Virtual tables that play one game with each other, in one process."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.online.two_tables.code import read_code
from companion.host.online.two_tables.tables import TwoTables, invite, visit
from companion.host.play.new_table import make_table
from companion.host.play.start import PlayOptions, usual_sensor
from companion.host.records.replay import session_of
from companion.host.retry import Intervals
from companion.host.table.table import Table
from companion.referee.values.events import Stage
from companion.referee.values.view import TableView
from tests.host.online.walks import PATIENCE_S, Walk
from tests.host.tables import HEADER

QUICK = Intervals(retry_s=0.05)


@dataclass
class Seat:
    """A virtual table with its side of the game."""

    table: Table
    joined: TwoTables
    following: asyncio.Task[None]

    async def stop(self) -> None:
        """End what follows the game, as the end of the program does."""
        self.following.cancel()
        await asyncio.gather(self.following, return_exceptions=True)

    @property
    def view(self) -> TableView:
        return self.table.pipeline.view

    def made(self) -> list[str]:
        return [line.move for line in self.view.record if line.stage is not Stage.PROVISIONAL]

    def play(self, text: str) -> None:
        rules, position = self.table.pipeline.session.rules, self.table.pipeline.session.position
        self.table.do(tuple(rules.steps(position, rules.read_move(position, text))))


async def until(holds: Callable[[], bool]) -> None:
    """Wait until *holds*, examined every few ms."""
    async with asyncio.timeout(PATIENCE_S):
        while not holds():  # noqa: ASYNC110  several tables are looked at
            await asyncio.sleep(0.01)


@asynccontextmanager
async def seated(folder: Path, name: str, joined: TwoTables) -> AsyncIterator[Seat]:
    """A virtual table that plays *joined*."""
    setup = joined.request.setup
    game, rules = games.find(setup.game), setup.rules
    header = replace(
        HEADER,
        setup=replace(setup, options=tuple(rules.options.items())),
        sensor=usual_sensor(rules),
    )
    with JournalWriter.create(folder / f"{name}.jsonl", header) as writer:
        session, words = session_of(header, rules), load("en", game.slug, rules.sides)
        table = make_table(None, game, session, words, writer, monotonic())
        running = asyncio.create_task(table.run())
        following = asyncio.create_task(joined.play(table, lambda _said: None))
        try:
            yield Seat(table, joined, following)
            assert not following.done() or following.cancelled()
        finally:
            for task in (following, running):
                task.cancel()
            await asyncio.gather(following, running, return_exceptions=True)


async def agreed(
    folder: Path, slug: str, host_via: str, guest_via: str, clock: str = "", **options: str
) -> tuple[TwoTables, TwoTables, str]:
    """Both sides of a game, kept in *folder*, and the code.

    The inviting one has the first side.
    """
    wished = PlayOptions(
        GameSetup(slug, tuple(options.items()), players=("Ana",), control=clock),
        intervals=QUICK,
        folder=folder,
    )
    said: list[str] = []
    inviting = asyncio.create_task(invite(wished, host_via, "white", said.append))
    await until(lambda: bool(said))
    code = said[0].split("--online ")[1].split()[0]
    visiting = replace(wished, setup=GameSetup(slug, players=("Bo",)))
    guest = await visit(visiting, read_code(code), guest_via)
    return await inviting, guest, code


@asynccontextmanager
async def both(
    folder: Path, slug: str, via: str, guest_via: str = "", clock: str = ""
) -> AsyncIterator[tuple[Seat, Seat]]:
    """Two tables with one game."""
    host, guest, _ = await agreed(folder, slug, via, guest_via or via, clock)
    async with seated(folder, "host", host) as one, seated(folder, "guest", guest) as other:
        yield one, other


async def over(walk: Walk) -> None:
    """Wait for the end of the game, with its clocks."""
    await walk.until(lambda: walk.view["outcome"] is not None)
    await walk.until(lambda: not any(clock["is_running"] for clock in walk.view["clocks"]))

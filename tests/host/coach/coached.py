# SPDX-License-Identifier: Apache-2.0
"""A running virtual table with a coach, for tests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from companion import games
from companion.feedback.words import load
from companion.host.clock import Clock, monotonic
from companion.host.coach.coach import Coach, Times, coached
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.opponent.thinker import Thinker
from companion.host.play.new_table import make_table
from companion.host.play.start import usual_sensor
from companion.host.records.replay import session_of
from companion.host.table.table import Table
from companion.model.absent import PlayedBy
from companion.model.advice import Advice
from companion.referee.values.view import Phase
from tests.host.tables import HEADER, until

LONG_MS = 60_000
BOUNDED = Times(LONG_MS, LONG_MS, LONG_MS, nodes=1000, hint_nodes=1000, warning_s=60)
"""A search ends at its number of positions, on any machine."""


@dataclass
class Coached:
    """A table with a coach."""

    table: Table
    informed: list[str] = field(default_factory=list)

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds*, which is examined after each change."""
        await until(self.table, holds)

    async def is_ready(self) -> None:
        """Wait for the start and the coach."""
        pipeline = self.table.pipeline
        await self.until(lambda: pipeline.view.phase is Phase.WAITING and pipeline.view.gives_hints)

    async def next_hint(self) -> list[str]:
        """Press the hint key; the cells and claims that are shown then."""
        pipeline = self.table.pipeline
        before, name = pipeline.view.advice, pipeline.session.rules.grid.name
        self.table.press_hint()

        def is_another() -> bool:
            now = pipeline.view.advice
            return now is not None and now != before and now.move is not None

        await self.until(is_another)
        shown = pipeline.view.advice
        assert shown is not None
        said = [each.kind for each in shown.claims]
        return [*map(name, (*shown.source, *shown.target)), *said]

    def shown(self) -> Advice:
        """The advice on show."""
        advice = self.table.pipeline.view.advice
        assert advice is not None
        return advice

    def play(self, text: str) -> None:
        session = self.table.pipeline.session
        self.table.do(
            tuple(session.rules.steps(session.position, session.rules.read_move(session.position, text)))
        )


@asynccontextmanager
async def coached_table(
    folder: Path,
    start: str,
    warned: tuple[int, ...] = (),
    played_by: tuple[PlayedBy, ...] = (),
    thinker: Thinker | None = None,
    puzzle: int = 0,
    slug: str = "chess",
    times: Times = BOUNDED,
    levels: tuple[int, ...] = (),
    clock: Clock | None = None,
    is_watched: bool = True,
) -> AsyncIterator[Coached]:
    """A virtual table for *slug* from *start*; without a coach unless *is_watched*."""
    game = games.find(slug)
    rules = game.rules()
    header = replace(
        HEADER,
        setup=GameSetup(slug, tuple(rules.options.items()), position=start, played_by=played_by),
        sensor=usual_sensor(rules),
    )
    with JournalWriter.create(folder / "game.jsonl", header) as writer:
        table = make_table(
            None, game, session_of(header, rules), load("en", slug, rules.sides), writer, clock or monotonic()
        )
        table.current = replace(
            table.current, setup=replace(table.current.setup, puzzle=puzzle, warned=warned, levels=levels)
        )
        at = Coached(table)
        task = asyncio.create_task(table.run())
        coach = Coach(table, at.informed.append, thinker, times)
        try:
            async with coached(coach) if is_watched else contextlib.nullcontext():
                yield at
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

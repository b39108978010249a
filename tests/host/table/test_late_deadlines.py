# SPDX-License-Identifier: Apache-2.0
"""A table with a camera alone shows what a deadline changes, however late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.devices.camera_status import CameraState, CameraStatus, ImageResult
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.retry import Intervals
from companion.host.table.pipeline import Pipeline, Sensors
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.link.connection import Connection
from companion.model.observation import Observation, Sightings
from companion.model.occupancy import Occupancy
from companion.referee.session.session import Session
from companion.referee.values.view import Phase
from tests.host.table.layers.test_board_menu import Content
from tests.host.tables import GAME, HEADER

INTERVALS = Intervals(port_s=0.05)
"""The table looks more often than anything is due whether it has a port."""
WATCHING = CameraStatus(CameraState.WATCHING)
is_woken_by_an_image = pytest.mark.parametrize("is_woken_by_an_image", [False, True])


@dataclass
class Watched:
    """A table whose clock stands until a test sets it."""

    table: Table
    has_changed: asyncio.Event
    now_ms: int = 1000

    async def sees(self, occupied: Occupancy) -> None:
        """Show an image of pieces on the cells *occupied*, and wait until it is processed."""
        seen = Observation(self.now_ms, (), Sightings(occupied), self.now_ms, has_gap=True)
        self.table.inbox.put(ImageResult(self.now_ms, WATCHING, seen))
        await self.is_notified()

    async def is_notified(self) -> None:
        """Wait until the watchers of the table are told to look again."""
        await self.has_changed.wait()
        self.has_changed.clear()

    async def is_late(self, due_ms: int | None, *, is_woken_by_an_image: bool) -> None:
        """Pass *due_ms* while the table waits for less, as on a busy machine."""
        assert due_ms is not None
        assert due_ms > self.now_ms + INTERVALS.port_s * 1000
        self.now_ms = due_ms + 1
        if is_woken_by_an_image:  # of what is known already
            self.table.inbox.put(ImageResult(self.now_ms, WATCHING))
        await self.is_notified()


def shown_phase(table: Table) -> Phase:
    """The phase that pages show."""
    return Phase(table.page_state()["view"]["phase"])


@asynccontextmanager
async def watched(path: Path) -> AsyncIterator[Watched]:
    """A table of Close Quarters with a camera alone, whose images a test makes."""
    game = games.find(GAME)
    rules = game.rules()
    with JournalWriter.create(path, HEADER) as writer:
        words = load("en", GAME, rules.sides)
        pipeline = Pipeline(Session(rules), words, Connection(1), writer.write, sensors=Sensors.CAMERA)
        table = Table(
            TableGame(GameSetup(game.slug), pipeline, writer, lambda: at.now_ms, None), intervals=INTERVALS
        )
        with table.watch() as has_changed:
            at = Watched(table, has_changed)
            running = asyncio.create_task(table.run())
            try:
                async with asyncio.timeout(60):
                    yield at
            finally:
                running.cancel()
                await asyncio.wait({running})


@is_woken_by_an_image
def test_a_game_that_may_begin_is_shown(tmp_path: Path, is_woken_by_an_image: bool) -> None:
    async def play() -> None:
        async with watched(tmp_path / "game.jsonl") as at:
            pipeline = at.table.pipeline
            rules = pipeline.session.rules
            await at.sees(rules.placement(rules.initial()).occupancy)
            assert shown_phase(at.table) is Phase.SETTING_UP
            await at.is_late(pipeline.session.next_deadline_ms(), is_woken_by_an_image=is_woken_by_an_image)
            assert shown_phase(at.table) is Phase.WAITING

    asyncio.run(play())


@is_woken_by_an_image
def test_a_choice_from_the_menu_on_the_board_is_shown(tmp_path: Path, is_woken_by_an_image: bool) -> None:
    async def play() -> None:
        async with watched(tmp_path / "game.jsonl") as at:
            menu = at.table.pipeline.layers.menu
            at.table.offer_menu(Content())
            await at.is_notified()
            await at.sees(0)
            opened = menu.view()
            assert opened is not None
            await at.sees(1 << opened.cells[0].cell)
            await at.is_late(menu.next_deadline_ms(), is_woken_by_an_image=is_woken_by_an_image)
            chosen = menu.view()
            assert chosen is not None
            assert chosen.has_chosen

    asyncio.run(play())

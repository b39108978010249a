# SPDX-License-Identifier: Apache-2.0
"""A whole game through the complete chain.

Switches, the real firmware on a simulated chip, a pty, pyserial, the table's task, the referee, the
journal on disk, and back to the lamps and the display. The players' view is read from the simulated
pins, never from the host.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal import journal as journals
from companion.host.journal.journal import FORMAT, Header, JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import make_table
from companion.host.records.replay import replay
from companion.host.table.table import Table
from companion.model.errors import PanelMismatch
from companion.model.occupancy import cells_of
from companion.referee.session.session import Session
from companion.referee.values.events import GameEnded, IllegalSeen, MoveMade, Stage
from companion.referee.values.timing import DEFAULT_TIMING
from companion.referee.values.view import Phase
from tests.firmware.boards import Board, board
from tests.firmware.simulator import Faults, Simulator
from tests.host.tables import link_of

pytestmark = pytest.mark.firmware

PATIENCE_S = 60
QUICKEST_MS = 30
"""Minimum time of a swap by hand.

A contact that opens for less than half of it may have bounced.
"""
MOVES = ["a1-b2", "d8-b8!", "b2-c3", "b8-b2!", "c3xb2", "d1xb2#"]


@dataclass
class Hands:
    """Players at a table with a real panel."""

    panel: Board
    sim: Simulator
    table: Table
    journal: Path

    def cell(self, name: str) -> int:
        return self.table.pipeline.session.rules.grid.cell(name)

    def lift(self, name: str) -> None:
        self.sim.cell(self.cell(name), False)

    def put(self, name: str) -> None:
        self.sim.cell(self.cell(name), True)

    async def until(self, holds: Callable[[], object], what: str) -> None:
        """Wait for an output of the table. Fails after a while with the current output."""
        with self.table.watch() as has_changed:
            try:
                async with asyncio.timeout(PATIENCE_S):
                    while not holds():
                        await has_changed.wait()
                        has_changed.clear()
            except TimeoutError:
                pytest.fail(f"never: {what}; instead {self.table.pipeline.view}")

    async def until_board(self, holds: Callable[[], object], what: str) -> None:
        """Poll the simulated board until *holds*: its pins send no events."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not holds():  # noqa: ASYNC110
                    await asyncio.sleep(0.002)
        except TimeoutError:
            pytest.fail(f"never: {what}; instead {self.sim.display()} and lamps on {sorted(self.lit())}")

    async def carry(self, source: str, target: str, *, over: str | None = None) -> None:
        """Carry a piece; one that is captured leaves from *over* first."""
        view = self.table.pipeline.view
        self.lift(source)
        await self.until(lambda: self.table.pipeline.view.lifted == (self.cell(source),), f"{source} lifted")
        if over is not None:
            self.lift(over)
            await self.until(
                lambda: not self.table.pipeline.view.occupied >> self.cell(over) & 1, f"{over} lifted"
            )
            lifted_ms = self.sim.now_ms
            await self.until_board(
                lambda: self.sim.now_ms >= lifted_ms + QUICKEST_MS, "as much time as an exchange takes"
            )
        self.put(target)
        await self.until(
            lambda: len(self.table.pipeline.view.record) > len(view.record) or self.table.pipeline.view.fault,
            "an answer",
        )

    async def announced(self, move: str) -> None:
        """Wait for *move* to be the last, announced."""
        await self.until(
            lambda: (
                (record := self.table.pipeline.view.record)
                and record[-1].move == move
                and record[-1].stage is not Stage.PROVISIONAL
            ),
            f"{move} announced",
        )

    def lit(self) -> set[int]:
        """The cells whose lamps glow."""
        return {cell for cell, colour in enumerate(self.panel.colours(self.sim.images())) if any(colour)}

    async def shown(self, name: str, is_lit: bool = True) -> None:
        """Wait until the lamp of a cell glows, or does not."""
        await self.until_board(lambda: (self.cell(name) in self.lit()) == is_lit, f"lamp of {name}: {is_lit}")

    async def displayed(self, *lines: str) -> None:
        """Wait until the two-line display says so."""
        await self.until_board(lambda: self.sim.display() == lines, f"display {lines}")


@asynccontextmanager
async def playing(sim: Simulator, panel: Board, port: str, folder: Path) -> AsyncIterator[Hands]:
    """A table at *port*, its pieces standing on their corners."""
    game = games.find("close-quarters")
    rules = game.rules()
    path = folder / "game.jsonl"
    header = Header(
        FORMAT,
        "test",
        "2026-01-01T12:00:00+00:00",
        GameSetup(game.slug, tuple(rules.options.items())),
        DEFAULT_TIMING,
    )
    session = Session(rules)
    with JournalWriter.create(path, header) as writer:
        table = make_table(port, game, session, load("en", game.slug, rules.sides), writer, monotonic())
        running = asyncio.create_task(table.run())
        hands = Hands(panel, sim, table, path)
        try:
            for cell in cells_of(session.view().placement.occupancy):
                sim.cell(cell, True)
            begun = asyncio.create_task(
                hands.until(lambda: table.pipeline.view.phase is Phase.WAITING, "the game begins")
            )
            await asyncio.wait({running, begun}, return_when=asyncio.FIRST_COMPLETED)
            if running.done():
                begun.cancel()
                running.result()
            yield hands
        finally:
            running.cancel()
            await asyncio.wait({running})


def play(
    script: Callable[[Hands], Coroutine[Any, Any, None]], folder: Path, name: str = "4x8", **faults: int
) -> Path:
    """Run *script* at a table with the panel *name*; returns the journal.

    The line has the faults *faults*.
    """
    panel = board(name)

    async def at_table(sim: Simulator, port: str) -> Path:
        async with playing(sim, panel, port, folder) as hands:
            for towards_chip in (True, False):
                sim.set_faults(towards_chip=towards_chip, faults=Faults(**faults))
            await script(hands)
            return hands.journal

    with panel.powered() as sim, sim.realtime() as port:
        return asyncio.run(at_table(sim, port))


async def to_the_end(hands: Hands) -> None:
    """The game of `MOVES`, with an illegal attempt of the Axe."""
    await hands.displayed("Sword to move", "New game")
    hands.lift("a1")
    for target in ("a2", "a3", "b2", "c3", "b1", "c1"):
        await hands.shown(target)
    hands.put("b2")
    await hands.announced(MOVES[0])

    await hands.carry("d8", "b8")
    await hands.announced(MOVES[1])
    await hands.displayed("CHECK! b8-b2", "Sword to move")
    await hands.shown("b2")

    await hands.carry("b2", "c3")
    await hands.announced(MOVES[2])

    await hands.carry("a8", "a5")
    await hands.until(lambda: hands.table.pipeline.view.fault, "the reason")
    await hands.displayed("Diagonal only", "Axe a5 > a8")
    await hands.shown("a5")
    hands.lift("a5")
    hands.put("a8")
    await hands.until(lambda: hands.table.pipeline.view.phase is Phase.WAITING, "all is well again")

    await hands.carry("b8", "b2")
    await hands.announced(MOVES[3])
    await hands.carry("c3", "b2", over="b2")
    await hands.announced(MOVES[4])
    await hands.carry("d1", "b2", over="b2")
    await hands.until(lambda: hands.table.pipeline.view.outcome, "the result")
    await hands.until_board(lambda: "Weapons win" in hands.sim.display()[0], "the winners on the display")


def check_journal(path: Path) -> None:
    """The journal has the game, the illegal attempt and the result, and replays.

    A move may be announced again, after changes that the line lost.
    """
    journal = journals.read(path)
    made = (event for event in journal.events if isinstance(event, MoveMade))
    announced = {event.ply: event.move for event in made if event.stage is Stage.ANNOUNCED}
    assert [*announced.items()] == [*enumerate(MOVES)]
    reasons = [event.violation.rule for event in journal.events if isinstance(event, IllegalSeen)]
    assert set(reasons) == {"axe-shape"}
    (ended,) = [event for event in journal.events if isinstance(event, GameEnded)]
    assert (ended.outcome.winners, ended.outcome.termination) == ((1,), "sword-eliminated")
    assert replay(journal) is None


def test_a_whole_game_is_played_on_the_real_firmware(tmp_path: Path) -> None:
    check_journal(play(to_the_end, tmp_path))


@pytest.mark.long
def test_a_whole_game_is_played_over_a_bad_line(tmp_path: Path) -> None:
    """Every thousandth byte is flipped and every two-thousandth lost, both ways."""
    check_journal(play(to_the_end, tmp_path, flip_ppm=1000, drop_ppm=500, seed=4))


def test_a_board_that_restarts_in_mid_game_is_taken_up_again(tmp_path: Path) -> None:
    """Also with a lifted piece, which is put down after the restart."""

    async def restarted(hands: Hands) -> None:
        await hands.carry("a1", "b2")
        await hands.announced(MOVES[0])
        hands.lift("d8")
        await hands.until(lambda: hands.table.pipeline.view.lifted, "the Spear lifted")
        connection = link_of(hands.table.pipeline)
        first = connection.hello
        hands.sim.reset()
        await hands.until(lambda: connection.hello is not first and connection.is_up, "a new handshake")
        await hands.shown("b8")
        hands.put("b8")
        await hands.announced(MOVES[1])

    assert replay(journals.read(play(restarted, tmp_path))) is None


def test_a_board_with_another_number_of_cells_is_refused_by_name(tmp_path: Path) -> None:
    async def never(hands: Hands) -> None:
        raise AssertionError("the game began")

    with pytest.raises(BaseExceptionGroup) as fault:
        play(never, tmp_path, "5x5")
    assert fault.group_contains(PanelMismatch, match="25")

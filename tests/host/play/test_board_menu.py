# SPDX-License-Identifier: Apache-2.0
"""The menu and the review at a table with a panel, chosen with pieces alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from companion import games
from companion.feedback.lights import Meaning, index_of
from companion.feedback.shown import MenuView
from companion.host.clock import local_time, monotonic
from companion.host.journal.setup import GameSetup
from companion.host.play import start
from companion.host.play.board_menu import Elsewhere, follow_menu
from companion.host.play.game_factory import TableGameFactory
from companion.host.play.reports import lead
from companion.host.play.start import PlayOptions
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Clear, Drop, Take
from companion.host.watch.reviewer import Reviewer
from companion.link.panel import panel_for
from companion.model.occupancy import cells_of
from companion.opponent.puzzles import of_the_day, puzzles
from companion.referee.values.commands import Resign
from companion.referee.values.view import Phase
from companion.virtual.panel import VirtualPanel
from tests.host.tables import until
from tests.host.tcp import TcpPanel

pytestmark = pytest.mark.usefixtures("own_folder", "no_closing_pause")


@dataclass
class Played:
    """A table whose players look at its menu."""

    table: Table
    panel: VirtualPanel | None = None
    clock: Callable[[], int] = field(default_factory=monotonic)
    """The panel's."""

    @property
    def menu(self) -> MenuView | None:
        return self.table.pipeline.layers.menu.view()

    async def until_said(self, said: str) -> None:
        """Wait until the menu says *said*."""
        await until(self.table, lambda: self.menu is not None and said in self.menu.sentence)

    def cell(self, name: str) -> int:
        """The cell of the choice *name*."""
        assert self.menu is not None
        return next(each.cell for each in self.menu.cells if each.name == name)

    def offers(self, name: str) -> bool:
        """True if the menu has a cell for *name*."""
        return self.menu is not None and any(each.name == name for each in self.menu.cells)

    def put(self, cell: int) -> None:
        """Put a piece on *cell* of the panel."""
        assert self.panel is not None
        self.panel.close(cell, self.clock())

    def press(self, button: int) -> None:
        """Press and release *button* of the panel."""
        assert self.panel is not None
        self.panel.press(button, self.clock())
        self.panel.release(button, self.clock())

    def lift(self, cell: int) -> None:
        """Lift the piece from *cell* of the panel."""
        assert self.panel is not None
        self.panel.open(cell, self.clock())


@asynccontextmanager
async def played(
    play_options: PlayOptions,
    panel: VirtualPanel | None = None,
    elsewhere: Elsewhere | None = None,
    inform: Callable[[str], None] = print,
    reviewer: Reviewer | None = None,
) -> AsyncIterator[Played]:
    """A running table with its menu."""
    game_factory = TableGameFactory(play_options, lambda _: None)
    began = start.begin(start.new_game_request(play_options), play_options, "en")
    table = Table(game_factory.first(began), game_factory)
    running = asyncio.create_task(table.run())
    choosing = asyncio.create_task(follow_menu(table, inform, elsewhere, reviewer))
    try:
        async with asyncio.timeout(60):
            yield Played(table, panel)
    finally:
        choosing.cancel()
        running.cancel()
        await asyncio.wait({running, choosing})
        game_factory.close(table.current)


@asynccontextmanager
async def at_panel(
    game: str, lesson: str = "", reviewer: Reviewer | None = None, players: Sequence[str] = ()
) -> AsyncIterator[Played]:
    """A table with an empty board that fits *game*, perhaps at a *lesson*."""
    clock = monotonic()
    panel = VirtualPanel(
        panel_for(games.find(game).rules().grid), unique_id=b"testtest", session=1, now_ms=clock()
    )
    async with (
        TcpPanel(panel, clock).serving() as line,
        played(
            PlayOptions(GameSetup(game, players=tuple(players), lesson=lesson), port=line.url),
            panel,
            reviewer=reviewer,
        ) as table,
    ):
        yield replace(table, clock=clock)


def test_a_game_that_starts_with_an_empty_board_has_a_menu_whose_pieces_are_no_moves() -> None:
    async def run() -> None:
        async with at_panel("gottaz") as gottaz:
            table = gottaz.table
            await gottaz.until_said("Or choose a game")
            assert gottaz.menu is not None
            assert min(each.cell for each in gottaz.menu.cells) >= 5, "row 1 is for the first pawn"
            chosen = gottaz.cell("GOTTAZ")
            gottaz.put(chosen)
            await gottaz.until_said("GOTTAZ. Against whom?")
            view = table.pipeline.view
            assert (view.phase, view.fault, view.occupied, view.record) == (Phase.WAITING, None, 0, ())
            gottaz.lift(chosen)
            await gottaz.until_said("Or choose a game")
            gottaz.put(0)
            await until(table, lambda: table.pipeline.view.occupied == 1)
            assert gottaz.menu is None, "a pawn in the territory is a move"

    asyncio.run(run())


def test_lessons_are_chosen_at_the_board() -> None:
    async def run() -> None:
        async with played(PlayOptions(GameSetup("gottaz"), virtual_panel="5x5")) as virtual:
            table = virtual.table
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            assert virtual.menu is None, "at a virtual table only where somebody wants to choose"
            table.do(Clear())
            await virtual.until_said("Or choose a game")
            for name, said in (
                ("GOTTAZ", "GOTTAZ. Against whom?"),
                ("Lessons", "Lessons."),
                ("Begin", ""),
            ):
                table.do(Take(0))
                table.do(Drop(virtual.cell(name)))
                if said:
                    await virtual.until_said(said)
            await until(table, lambda: table.current.setup.lesson == "place")

    asyncio.run(run())


def test_puzzles_are_chosen_at_the_board_one_after_another() -> None:
    async def run() -> None:
        async with at_panel("close-quarters") as board:
            table = board.table
            await board.until_said("Or choose a game")
            for name, said in (("Close Quarters", "Against whom?"), ("Puzzle", "Puzzle."), ("Begin", "")):
                board.put(board.cell(name))
                if said:
                    await board.until_said(said)
            await until(table, lambda: table.current.setup.puzzle > 0)
            first, among = table.current.setup.position, [each.position for each in puzzles("close-quarters")]
            assert first == of_the_day(local_time().toordinal(), "close-quarters").position
            rules = table.pipeline.session.rules
            wanted = rules.placement(rules.read_position(first)).occupancy
            while table.pipeline.view.phase is Phase.SETTING_UP:
                seen = table.pipeline.view
                for cell in cells_of(seen.occupied ^ wanted):
                    board.lift(cell) if seen.occupied >> cell & 1 else board.put(cell)
                await until(table, lambda seen=seen: table.pipeline.view is not seen)  # type: ignore[misc]
            table.ask(Resign(table.pipeline.view.turn))
            await board.until_said("Lift any piece")
            board.lift(next(cells_of(table.pipeline.view.occupied)))
            await board.until_said("What next?")
            assert board.menu is not None
            names = {each.name for each in board.menu.cells}
            assert names == {"The same again", "Another puzzle", "Another game", "Go over the game"}
            board.put(board.cell("Another puzzle"))
            await board.until_said("Another puzzle")
            board.put(board.cell("Begin"))
            await until(table, lambda: table.current.setup.position != first)
            assert table.current.setup.position == among[(among.index(first) + 1) % len(among)]

    asyncio.run(run())


@pytest.mark.long
def test_at_a_real_board_the_next_lesson_begins_by_itself() -> None:
    async def run() -> None:
        async with at_panel("fightopia", lesson="pawn") as board:
            table = board.table
            rules, start = table.pipeline.session.rules, table.current.setup.position
            cell = rules.grid.cell
            for each in cells_of(rules.placement(rules.read_position(start)).occupancy):
                board.put(each)
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            leading = asyncio.create_task(lead(table, print))
            board.lift(cell("c3"))
            await until(table, lambda: bool(table.pipeline.view.lifted))
            board.put(cell("d4"))
            await until(
                table, lambda: table.pipeline.view.lesson is not None and table.pipeline.view.lesson.is_done
            )
            await until(table, lambda: table.current.setup.lesson == "giant")
            assert table.pipeline.view.phase is Phase.SETTING_UP
            leading.cancel()
            await asyncio.wait({leading})

    asyncio.run(run())


def test_a_finished_game_is_gone_over_by_lamps_and_display() -> None:
    async def run() -> None:
        async with at_panel("close-quarters") as board:
            table, panel = board.table, board.panel
            assert panel is not None
            rules = table.pipeline.session.rules
            cell = rules.grid.cell
            for each in cells_of(rules.placement(rules.initial()).occupancy):
                board.put(each)
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            for ply, (source, target) in enumerate((("a1", "b2"), ("d8", "b8")), 1):
                board.lift(cell(source))
                await until(table, lambda: bool(table.pipeline.view.lifted))
                board.put(cell(target))
                await until(table, lambda ply=ply: table.pipeline.view.ply == ply)  # type: ignore[misc]
            table.ask(Resign(0))
            await board.until_said("Lift any piece")
            board.lift(cell("d1"))
            await board.until_said("What next?")
            board.put(cell("d1"))
            for name in ("Go over the game", "Begin"):
                board.put(board.cell(name))
                if name != "Begin":
                    await board.until_said(name)
            lit = {cell("a1"): Meaning.LAST_FROM, cell("b2"): Meaning.LAST_TO}
            await until(table, lambda: table.pipeline.lines == ("1/2", "a1-b2"))
            assert {at: look for at, look in enumerate(table.pipeline.image) if look} == {
                at: index_of(meaning) for at, meaning in lit.items()
            }
            panel.press(0, board.clock())
            await until(table, lambda: table.pipeline.lines == ("2/2", "d8-b8!"))
            panel.release(0, board.clock())
            board.lift(cell("b2"))
            await until(table, lambda: table.pipeline.lines[0] != "2/2")
            await board.until_said("What next?")

    asyncio.run(run())

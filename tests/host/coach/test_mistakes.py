# SPDX-License-Identifier: Apache-2.0
"""Mistakes of a game are chosen at the board, set up by lamps, played on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from companion.feedback.lights import Meaning, index_of
from companion.feedback.wordfiles import languages
from companion.host.play.computer import Computer, played_by_computer
from companion.host.table.table import Table
from companion.host.watch.reviewer import Reviewer
from companion.model.absent import PlayedBy
from companion.model.occupancy import cells_of
from companion.referee.values.commands import Resign
from companion.referee.values.events import Stage
from companion.referee.values.view import Phase
from tests.host.play.test_board_menu import Played, at_panel
from tests.host.tables import until

pytestmark = pytest.mark.usefixtures("own_folder", "no_closing_pause")
PLAYED = (("a1", "b2"), ("d8", "b8"), ("b2", "c3"))


def lit(board: Played, *meanings: Meaning) -> list[int]:
    """The cells on which the panel's lamps show any of *meanings*."""
    assert board.panel is not None
    looks = [*map(index_of, meanings)]
    return [cell for cell, look in enumerate(board.panel.device.lamps.image) if look in looks]


async def follow_lamps(board: Played, wrong: Meaning, missing: Meaning, phase: Phase) -> None:
    """Take pieces off and put pieces down as the lamps say, until *phase* is over."""
    table, steps = board.table, 0
    while table.pipeline.view.phase is phase:
        await until(table, lambda: bool(lit(board, wrong, missing)) or table.pipeline.view.phase is not phase)
        for cell in lit(board, wrong):
            board.lift(cell)
        for cell in lit(board, missing):
            board.put(cell)
        seen = table.pipeline.view
        await until(table, lambda seen=seen: table.pipeline.view is not seen)  # type: ignore[misc]
        steps += 1
        assert steps < 20, "the lamps stay lit"


def announced(table: Table) -> list[str]:
    """The moves of *table* that were announced."""
    return [move.move for move in table.pipeline.view.record if move.stage is not Stage.PROVISIONAL]


@asynccontextmanager
async def after_a_game(reviewer: Reviewer) -> AsyncIterator[Played]:
    """A board at which Close Quarters was played for three moves, and resigned."""
    async with at_panel("close-quarters", reviewer=reviewer) as board:
        table = board.table
        rules = table.pipeline.session.rules
        for each in cells_of(rules.placement(rules.initial()).occupancy):
            board.put(each)
        await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
        for ply, (source, target) in enumerate(PLAYED, 1):
            board.lift(rules.grid.cell(source))
            await until(table, lambda: bool(table.pipeline.view.lifted))
            board.put(rules.grid.cell(target))
            await until(table, lambda ply=ply: len(announced(table)) == ply)  # type: ignore[misc]
        table.ask(Resign(0))
        await board.until_said("Lift any piece")
        board.lift(rules.grid.cell("d1"))
        await board.until_said("What next?")
        board.put(rules.grid.cell("d1"))
        try:
            yield board
        finally:
            await reviewer.close()


async def go_over(board: Played) -> None:
    """Choose the review; the display has values, and lamps the move that was better."""
    table, panel = board.table, board.panel
    assert panel is not None
    board.put(board.cell("Go over the game"))
    await board.until_said("Go over the game")
    board.put(board.cell("Begin"))
    for number, (source, target) in enumerate(PLAYED, 1):
        await until(table, lambda: table.pipeline.lines[0].startswith(f"{number}/3 "))  # noqa: B023
        assert table.pipeline.lines[1].startswith(f"{source}-{target}")
        if number < len(PLAYED):
            board.press(0)
    assert table.pipeline.lines[0][4] in "+-"
    assert table.pipeline.lines[1].startswith("b2-c3?? ")
    await until(table, lambda: bool(lit(board, Meaning.HINT_FROM, Meaning.HINT_TO)))


def test_a_mistake_is_set_up_by_lamps_and_played_on_against_the_computer(tmp_path: Path) -> None:
    async def run() -> None:
        reviewer = Reviewer(f"sqlite:///{tmp_path}/games.db", ms=20_000, most_nodes=400)
        async with after_a_game(reviewer) as board:
            table, computer = board.table, Computer(1)
            await until(table, lambda: board.offers("b2-c3 ?"))
            board.put(board.cell("b2-c3 ?"))
            await board.until_said("The Sword goes from b2 to c3. ")
            assert table.pipeline.lines[0].startswith("b2-c3? ")
            board.put(board.cell("Begin"))
            await until(table, lambda: table.current.setup.position != "")
            rules = table.pipeline.session.rules
            position = rules.read_position(table.current.setup.position)
            assert table.current.setup.played_by == (PlayedBy.TABLE, PlayedBy.COMPUTER)
            async with played_by_computer(table, computer, print):
                await follow_lamps(board, Meaning.SET_UP_WRONG, Meaning.SET_UP_MISSING, Phase.SETTING_UP)
                view = table.pipeline.view
                assert view.occupied == rules.placement(position).occupancy
                assert rules.write_position(position) == view.position
                assert rules.grid.cell("b2") in cells_of(view.occupied), "before the mistake"
                board.lift(rules.grid.cell("b2"))
                await until(table, lambda: bool(table.pipeline.view.lifted))
                board.put(rules.grid.cell("a1"))
                await until(table, lambda: table.pipeline.view.phase is Phase.CARRYING_OUT)
                await follow_lamps(board, Meaning.CARRY_FROM, Meaning.CARRY_TO, Phase.CARRYING_OUT)
                assert table.pipeline.view.ply == 2

    asyncio.run(run())


@pytest.mark.long
def test_mistakes_are_offered_until_another_game_begins(tmp_path: Path) -> None:
    async def run() -> None:
        reviewer = Reviewer(f"sqlite:///{tmp_path}/games.db", ms=20_000, most_nodes=400)
        async with after_a_game(reviewer) as board:
            table = board.table
            await until(table, lambda: board.offers("b2-c3 ?"))
            await go_over(board)
            for cell in cells_of(table.pipeline.view.occupied):
                board.lift(cell)
            rules = table.pipeline.session.rules
            for cell in cells_of(rules.placement(rules.initial()).occupancy):
                board.put(cell)
            await until(table, lambda: table.pipeline.view.outcome is None)
            table.ask(Resign(0))
            await board.until_said("Lift any piece")
            board.lift(rules.grid.cell("d1"))
            await board.until_said("What next?")
            assert not board.offers("b2-c3 ?")

    asyncio.run(run())


def test_the_choices_are_named_in_every_language(tmp_path: Path) -> None:
    async def run() -> None:
        reviewer = Reviewer(f"sqlite:///{tmp_path}/games.db", ms=20_000, most_nodes=400)
        async with after_a_game(reviewer) as board:
            await until(board.table, lambda: board.offers("b2-c3 ?"))
            board.put(board.cell("b2-c3 ?"))
            await board.until_said("The Sword goes from b2 to c3. ")
            shown = [board.table.pipeline.layers.menu.view(language) for language in languages()]
            said = [each.sentence for each in shown if each is not None]
            assert len(set(said)) == len(languages())
            assert all(
                "b2" in each and "c3" in each and ".." not in each and "。." not in each for each in said
            )

    asyncio.run(run())

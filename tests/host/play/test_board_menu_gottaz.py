# SPDX-License-Identifier: Apache-2.0
"""GOTTAZ at a panel without a screen: lamps and display lead through menu and review."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from companion.feedback.lights import Meaning, index_of
from companion.model.absent import PlayedBy
from companion.model.grid import Cell
from companion.referee.values.commands import Answer, Resign
from companion.referee.values.questions import Aspect
from companion.referee.values.view import Phase
from tests.host.play.test_board_menu import Played, at_panel
from tests.host.tables import until

pytestmark = pytest.mark.usefixtures("own_folder", "no_closing_pause")


def lit(at: Played, *meanings: Meaning) -> set[Cell]:
    """The cells that the panel's lamps show with one of *meanings*."""
    looks = {index_of(each) for each in meanings}
    return {cell for cell, look in enumerate(at.table.pipeline.image) if look in looks}


async def choose(at: Played, name: str, short: str) -> Cell:
    """Put a piece on the cell of *name*; the display names it by *short*."""
    cell = at.cell(name)
    assert cell in lit(at, Meaning.MENU_CHOICE)
    at.put(cell)
    await until(at.table, lambda: at.table.pipeline.lines[0] == short)
    assert cell in lit(at, Meaning.MENU_CHOSEN)
    return cell


async def begin(at: Played) -> None:
    """Put a piece on the green cell."""
    (cell,) = lit(at, Meaning.MENU_BEGIN)
    before = at.table.current
    at.put(cell)
    await until(at.table, lambda: at.table.current is not before)


async def clear(at: Played) -> None:
    """Take everything off the board."""
    assert at.panel is not None
    for cell in range(25):
        at.lift(cell)
    await until(at.table, lambda: not at.table.pipeline.view.occupied)


def asked(at: Played) -> Aspect | None:
    """What the open question is about."""
    question = at.table.pipeline.view.question
    return None if question is None else question.aspect


@asynccontextmanager
async def finished() -> AsyncIterator[Played]:
    """A table after a game: pawns stand on a1 and e5."""
    async with at_panel("gottaz", players=("Ann", "Ben")) as gottaz:
        table = gottaz.table
        await gottaz.until_said("Or choose a game")
        await until(
            table, lambda: table.pipeline.view.phase is Phase.WAITING
        )  # the board was seen to be empty
        for ply, cell in enumerate((0, 24), 1):
            gottaz.put(cell)
            for aspect in (Aspect.KIND, Aspect.POSE):
                await until(table, lambda aspect=aspect: asked(gottaz) is aspect)  # type: ignore[misc]
                table.ask(Answer(ply - 1, 0))
            await until(table, lambda ply=ply: asked(gottaz) is None and table.pipeline.view.ply == ply)  # type: ignore[misc]
        table.ask(Resign(0))
        await gottaz.until_said("Lift any piece")
        assert not lit(gottaz, Meaning.MENU_CHOICE)
        gottaz.lift(0)
        await gottaz.until_said("What next?")
        gottaz.put(0)
        yield gottaz


def test_opponent_clock_and_language_are_chosen_with_pieces() -> None:
    async def run() -> None:
        async with at_panel("gottaz") as gottaz:
            table = gottaz.table
            await gottaz.until_said("Or choose a game")
            for name, short in (
                ("GOTTAZ", "GOTTAZ"),
                ("3 Learner", "3 Learner"),
                ("Rapid · 15+10", "Rapid"),
                ("Deutsch", "Deutsch"),
            ):
                await choose(gottaz, name, short)
            assert not lit(gottaz, Meaning.MENU_CHOICE)
            await begin(gottaz)
            current = table.current
            assert (current.game.slug, current.setup.control) == ("gottaz", "15+10")
            assert current.pipeline.words.language == "de"
            assert current.setup.played_by == (PlayedBy.TABLE, PlayedBy.COMPUTER)
            assert current.setup.levels == (0, 3)
            await clear(gottaz)
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("name", "short", "players"),
    [("The same again", "The same again", ("Ann", "Ben")), ("Other sides", "Other sides", ("Ben", "Ann"))],
)
def test_after_a_game_it_begins_again(name: str, short: str, players: tuple[str, ...]) -> None:
    async def run() -> None:
        async with finished() as gottaz:
            assert len(lit(gottaz, Meaning.MENU_CHOICE)) == 4
            await choose(gottaz, name, short)
            await begin(gottaz)
            table = gottaz.table
            assert table.current.setup.players == players
            await until(table, lambda: len(table.pipeline.view.errands) == 4)
            assert table.pipeline.view.phase is Phase.SETTING_UP, "first the board is cleared"
            await clear(gottaz)
            await until(table, lambda: table.pipeline.view.phase is Phase.WAITING)
            assert table.pipeline.view.record == ()

    asyncio.run(run())


def test_after_a_game_another_one_with_all_its_topics_is_chosen_also_the_lessons() -> None:
    async def run() -> None:
        async with finished() as gottaz:
            for name, short in (
                ("Another game", "Another game"),
                ("GOTTAZ", "GOTTAZ"),
                ("Lessons", "Lessons"),
            ):
                await choose(gottaz, name, short)
            await begin(gottaz)
            assert gottaz.table.current.setup.lesson == "place"

    asyncio.run(run())


def test_a_game_is_gone_over_from_its_first_pawn() -> None:
    async def run() -> None:
        async with finished() as gottaz:
            table, panel = gottaz.table, gottaz.panel
            assert panel is not None
            await choose(gottaz, "Go over the game", "Go over the game")
            (cell,) = lit(gottaz, Meaning.MENU_BEGIN)
            gottaz.put(cell)
            await until(table, lambda: table.pipeline.lines[0] == "1/2")
            assert lit(gottaz, Meaning.LAST_TO) == {0}
            panel.press(0, gottaz.clock())
            await until(table, lambda: table.pipeline.lines[0] == "2/2")
            panel.release(0, gottaz.clock())
            assert lit(gottaz, Meaning.LAST_TO) == {24}
            gottaz.lift(cell)
            await gottaz.until_said("What next?")
            await until(table, lambda: len(lit(gottaz, Meaning.MENU_CHOICE)) == 4)

    asyncio.run(run())

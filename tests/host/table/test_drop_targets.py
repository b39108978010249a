# SPDX-License-Identifier: Apache-2.0
"""At a virtual table a dropped piece captures legally or goes back with a reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from companion import games
from companion.feedback import lights
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.play.new_table import make_table
from companion.host.play.start import usual_sensor
from companion.host.table.page_state import picture
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Hand, PutAway, Take, Touch
from companion.model.pieces import Piece
from companion.referee.commands import TakeBack
from companion.referee.events import Stage
from companion.referee.session import Session
from companion.virtual.pieces import UnplacedPiece
from tests.host.tables import HEADER

CLOCK = monotonic()


@asynccontextmanager
async def virtual(folder: Path, slug: str, position: str = "") -> AsyncIterator[Table]:
    """A running virtual table."""
    game = games.find(slug)
    rules = game.rules()
    start = rules.read_position(position) if position else None
    session = (
        Session(rules, usual_sensor(rules), start=start) if start else Session(rules, usual_sensor(rules))
    )
    with JournalWriter.create(folder / "game.jsonl", HEADER) as writer:
        table = make_table(None, game, session, load("en", slug, rules.sides), writer, CLOCK)
        running = asyncio.create_task(table.run())
        await until(table, lambda: table.pipeline.view.phase.value == "waiting")
        yield table
        running.cancel()
        await asyncio.wait({running})


async def until(table: Table, holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(30):
        with table.watch() as has_changed:
            while not holds():
                await has_changed.wait()
                has_changed.clear()


def touched(table: Table, *cells: str) -> list[Hand]:
    return [Touch(table.pipeline.session.rules.grid.cell(cell)) for cell in cells]


def standing(table: Table) -> frozenset[object]:
    assert table.current.virtual_table is not None
    return frozenset(table.current.virtual_table.pieces.standing.entries)


def blocked(table: Table) -> str | None:
    told = picture(table.pipeline, table.pipeline.words, table.current.virtual_table)["blocked"]
    return None if told is None else str(told)


@pytest.mark.parametrize(
    ("slug", "source", "target", "says"),
    [
        ("chess", "a1", "a2", "The rook may not go to a2: the pawn of the same side stands there."),
        ("chess", "d1", "d7", "The queen may not jump: the pawn stands on d2."),
        ("chess", "g8", "d2", "The knight from g8 may not move now: it is the other side's turn."),
        (
            "close-quarters",
            "a1",
            "a8",
            "The Sword moves one or two cells in one direction: not from a1 to a8.",
        ),
        ("martian-chess", "d1", "d2", "The Queen may not go to d2: the Queen of the same zone stands there"),
        ("fightopia", "d1", "d2", "The giant may not enter d3: the pawn of the same side stands there."),
        ("tank-chess", "H3", "J1", "The Medium Tank may not enter J1: the Medium Tank stands there"),
    ],
)
def test_a_piece_dropped_where_it_may_not_go_goes_back_with_the_rule_it_breaks(
    tmp_path: Path, slug: str, source: str, target: str, says: str
) -> None:
    async def played() -> None:
        async with virtual(tmp_path, slug) as table:
            before = standing(table)
            for hand in touched(table, source, target):
                table.do(hand)
            await until(table, lambda: blocked(table) is not None)
            said = blocked(table)
            assert said is not None
            assert said.startswith(says)
            await until(table, lambda: standing(table) == before)
            assert table.current.virtual_table is not None
            assert table.current.virtual_table.pieces.hand is None
            assert table.current.virtual_table.pieces.box == ()
            await until(table, lambda: table.pipeline.view.phase.value == "waiting")
            assert table.pipeline.view.fault is None
            assert table.pipeline.view.record == ()

    asyncio.run(played())


def test_captures_typed_faster_than_they_are_sensed_are_executed(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "chess") as table:
            for hand in touched(table, "e2", "e4", "d7", "d5", "e4", "d5", "d8", "d5"):
                table.do(hand)
            await until(table, lambda: len(table.pipeline.view.record) == 4)
            assert [move.move for move in table.pipeline.view.record] == ["e4", "d5", "exd5", "Qxd5"]
            assert blocked(table) is None

    asyncio.run(played())


def test_a_piece_lifted_again_may_capture_instead_of_its_first_move(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "chess") as table:
            for hand in touched(table, "e2", "e4", "d7", "d5", "e4", "e5", "e5", "d5"):
                table.do(hand)
            await until(table, lambda: [m.move for m in table.pipeline.view.record][2:] == ["exd5"])

    asyncio.run(played())


def test_a_pawn_taken_from_the_hand_lights_the_cells_on_which_it_may_be_placed(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "gottaz") as table:
            assert table.current.virtual_table is not None
            table.do(Take(0))
            await until(table, lambda: table.current.virtual_table.pieces.hand is not None)  # type: ignore[union-attr]
            told = picture(table.pipeline, table.pipeline.words, table.current.virtual_table)
            assert told["view"]["targets"] == [0, 1, 2, 3, 4]
            lit = lights.indices(lights.Meaning.TARGET)[0]
            assert told["lamps"]["cells"][:5] == [lit] * 5

    asyncio.run(played())


@pytest.mark.parametrize(("kind", "lands"), [("queen", True), ("king", False)])
def test_only_a_promotion_piece_from_the_box_can_capture(tmp_path: Path, kind: str, lands: bool) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "chess", "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1") as table:
            virtual_table, cell = table.current.virtual_table, table.pipeline.session.rules.grid.cell
            assert virtual_table is not None
            virtual_table.pieces = replace(virtual_table.pieces, box=(UnplacedPiece(Piece(kind, 0)),))
            table.do(PutAway(cell("a7")))
            table.do(Take(0))
            table.do(Drop(cell("b8")))
            if lands:
                await until(table, lambda: virtual_table.pieces.standing.at(cell("b8")) == Piece("queen", 0))
                assert blocked(table) is None
            else:
                await until(table, lambda: blocked(table) is not None)
                assert virtual_table.pieces.standing.at(cell("b8")) == Piece("knight", 1)

    asyncio.run(played())


def test_one_click_takes_back_and_corrects_the_pieces_at_a_virtual_table(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "chess") as table:
            before = standing(table)
            for hand in touched(table, "e2", "e4"):
                table.do(hand)
            await until(table, lambda: [m.stage for m in table.pipeline.view.record] == [Stage.ANNOUNCED])
            table.ask(TakeBack())
            await until(table, lambda: standing(table) == before)
            await until(table, lambda: table.pipeline.view.phase.value == "waiting")
            assert table.pipeline.view.record == ()

    asyncio.run(played())

# SPDX-License-Identifier: Apache-2.0
"""At a virtual table a drop completes a move or is refused with a reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
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
from companion.host.table.page_state import PageStates
from companion.host.table.table import Table
from companion.host.virtual_table.hands import Drop, Hand, PutAway, PutBack, Take, Touch, Turn
from companion.lessons.course import course
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.commands import Answer, Pause, TakeBack
from companion.referee.values.events import Stage
from companion.virtual.pieces import UnplacedPiece
from tests.host.tables import HEADER

CLOCK = monotonic()


@asynccontextmanager
async def virtual(
    folder: Path, slug: str, position: str = "", options: Mapping[str, str] | None = None
) -> AsyncIterator[Table]:
    """A running virtual table."""
    game = games.find(slug)
    rules = game.rules(options)
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
    told = PageStates(table.pipeline.words).now(table.pipeline, table.current.virtual_table)["blocked"]
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
            told = PageStates(table.pipeline.words).now(table.pipeline, table.current.virtual_table)
            assert told["view"]["targets"] == [0, 1, 2, 3, 4]
            lit = lights.index_of(lights.Meaning.TARGET)
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


SWAP = ".,.,.,l5s1,./.,.,.,.,./.,l3u3,.,.,./.,W5U1,.,.,./.,.,.,.,. f 2S1L5+1U1W5+2U2L4+2W2S4+1L3U3+1W3S3 1S1L5+2U1W5+2U2L4+2W2S4+1W3S3 -"
TWO_SWAPS = "s3w3,s1l5,.,.,w2s4/.,l4u2,s1l5,L5S1,./.,.,.,.,./S1L5,.,U1W5,.,./.,U1W5,W2S4,W2S4,U3L3 f 2U2L4+1W3S3 2U1W5+1U2L4+1W2S4+1L3U3 -"


def question(table: Table) -> tuple[str, list[str]] | None:
    """The pending question with its choices, as the page shows it."""
    asked = PageStates(table.pipeline.words).now(table.pipeline, table.current.virtual_table)["view"][
        "question"
    ]
    return asked and (asked["sentence"], [choice["label"] for choice in asked["choices"]])


@pytest.mark.parametrize(
    ("slug", "position", "hands", "choice", "asked", "made"),
    [
        ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "e1 g1", None, [], "O-O"),
        ("chess", "4k3/8/8/3Pp3/8/8/8/4K3 w - e6 0 1", "d5 e6", None, [], "dxe6"),
        ("gottaz", SWAP, "b2 b3", 0, ["off b3", "from b3 to b2"], "b2-b3x"),
        ("gottaz", SWAP, "b2 b3", 1, ["off b3", "from b3 to b2"], "b2<>b3"),
        ("gottaz", TWO_SWAPS, "d1 e1", None, [], "d1<>e1"),
        ("gottaz", TWO_SWAPS, "e1 d1", None, [], "d1<>e1"),  # of two pawns that swap, either is lifted
        ("gottaz", TWO_SWAPS, "b1 c1", None, [], "c1<>b1"),
        ("gottaz", "", "0 a1", 1, ["Supply 1", "Leap 5"], "L5S1@a1"),
        ("tank-chess", "", "C1 B1", None, [], "C1-B1W"),
        ("tank-chess", "", "C1 B2", 2, ["north", "west", "north-west"], "C1-B2NW"),
    ],
)
def test_a_drop_on_a_lit_cell_completes_a_move(
    tmp_path: Path, slug: str, position: str, hands: str, choice: int | None, asked: list[str], made: str
) -> None:
    async def played() -> None:
        async with virtual(tmp_path, slug, position) as table:
            first, second = hands.split()
            if first.isdecimal():
                table.do(Take(int(first)))
            for hand in touched(table, *([] if first.isdecimal() else [first]), second):
                table.do(hand)
            if choice is not None:
                await until(table, lambda: question(table) is not None)
                found = question(table)
                assert found is not None
                assert all(part in label for part, label in zip(asked, found[1], strict=True))
                table.ask(Answer(table.view.ply, choice))
            await until(table, lambda: [m.stage for m in table.pipeline.view.record] == [Stage.ANNOUNCED])
            assert table.pipeline.view.record[0].move == made
            assert standing(table) == frozenset(table.pipeline.view.placement.entries)
            assert blocked(table) is None

    asyncio.run(played())


def test_a_tank_that_was_turned_in_the_hand_is_not_asked_about(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "tank-chess") as table:
            first, second = touched(table, "C1", "B2")
            for hand in (first, Turn(back=True), Turn(back=True), second):
                table.do(hand)
            await until(table, lambda: [m.move for m in table.pipeline.view.record] == ["C1-B2W"])

    asyncio.run(played())


def test_a_second_tap_on_the_cell_puts_the_piece_there_as_it_is(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "tank-chess") as table:
            for hand in touched(table, "C1", "B2", "B2"):
                table.do(hand)
            await until(table, lambda: [m.move for m in table.pipeline.view.record] == ["C1-B2N"])

    asyncio.run(played())


def test_a_piece_over_a_cell_goes_back_or_elsewhere_without_an_answer(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "tank-chess") as table:
            before = standing(table)
            for hand in (*touched(table, "C1", "B2"), PutBack()):
                table.do(hand)
            await until(table, lambda: question(table) is None and standing(table) == before)
            table.ask(Answer(0, 0))  # a late one has no effect
            for hand in touched(table, "C1", "B2", "B1"):
                table.do(hand)
            await until(table, lambda: [m.move for m in table.pipeline.view.record] == ["C1-B1W"])

    asyncio.run(played())


@pytest.mark.parametrize(
    ("lesson", "cell", "label", "made"),
    [("rotate", "c2", "Jump 5", "c2*"), ("tsunami", "c2", "from c3 to c5", "c2~c5")],
)
def test_a_lifted_pawn_offers_what_no_drop_does(
    tmp_path: Path, lesson: str, cell: str, label: str, made: str
) -> None:
    async def played() -> None:
        taught = next(each for each in course("gottaz").lesson if each.slug == lesson)
        async with virtual(tmp_path, "gottaz", taught.position, taught.options) as table:
            table.do(touched(table, cell)[0])
            await until(table, lambda: question(table) is not None)
            found = question(table)
            assert found is not None
            assert label in found[1][0]
            table.ask(Answer(table.view.ply, 0))
            await until(table, lambda: [m.stage for m in table.pipeline.view.record] == [Stage.ANNOUNCED])
            assert table.pipeline.view.record[0].move == made

    asyncio.run(played())


def test_only_the_answer_to_the_question_counts(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "tank-chess") as table:
            for hand in touched(table, "C1", "B2"):
                table.do(hand)
            await until(table, lambda: question(table) is not None)
            for answer in (Answer(7, 0), Answer(0, 3), Answer(0, -1)):
                table.ask(answer)
            table.ask(Answer(0, 1))
            await until(table, lambda: [m.move for m in table.pipeline.view.record] == ["C1-B2W"])

    asyncio.run(played())


def test_hands_only_move_pieces_while_play_is_paused(tmp_path: Path) -> None:
    async def played() -> None:
        async with virtual(tmp_path, "chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1") as table:
            table.ask(Pause())
            await until(table, lambda: table.pipeline.view.phase.value == "paused")
            before = standing(table)
            for hand in touched(table, "e1", "g1"):
                table.do(hand)
            cell = table.pipeline.session.rules.grid.cell
            await until(table, lambda: standing(table) != before and hand_is_empty(table))
            assert table.current.virtual_table is not None
            assert table.current.virtual_table.pieces.standing.at(cell("h1")) == Piece("rook", 0)
            assert table.current.virtual_table.pieces.standing.at(cell("g1")) == Piece("king", 0)

    asyncio.run(played())


def hand_is_empty(table: Table) -> bool:
    return table.current.virtual_table is not None and table.current.virtual_table.pieces.hand is None

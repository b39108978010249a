# SPDX-License-Identifier: Apache-2.0
"""The hands at a virtual table while the computer places pawns and fights."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from companion.feedback.words import load
from companion.games import find
from companion.host.clock import monotonic
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.play.new_table import make_table
from companion.host.records.replay import session_of
from companion.host.table.table import Table
from companion.model.absent import PlayedBy
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.values.commands import Play
from companion.referee.values.timing import Timing
from companion.referee.values.view import Phase
from tests.host.tables import HEADER

BRISK = Timing(rest_ms=30, hint_ms=200, dwell_ms=250, dwell_emptied_ms=400, longest_ms=800)
COMPUTER = 1
MOVES = (
    *("U3L3@a1", "L4U2@b5", "a1-b1", "L4U2@c5", "L4U2@d1", "b5-a5", "U1W5@e1", "c5>c3", "S1L5@c1"),
    *("c3>c1x", "d1>d3", "c1-b1x", "U3L3@d1", "b1>d1x", "d3-c3", "L3U3@c5", "S3W3@c1", "c5>c3x"),
)
"""The computer, which has every second one, wins a fight, loses one, and draws one."""


def pawns(pieces: Iterable[Piece]) -> Counter[tuple[str, int | None]]:
    """Which pawns there are, whatever face is up."""
    return Counter((piece.kind, piece.side) for piece in pieces)


def lying(table: Table) -> Iterator[Piece]:
    """All pieces of the virtual table."""
    virtual_table = table.current.virtual_table
    assert virtual_table is not None
    pieces = virtual_table.pieces
    yield from (piece for piece, _ in pieces.standing.entries)
    yield from (loose.piece for loose in pieces.box)
    if pieces.hand is not None:
        yield pieces.hand.piece


async def play(table: Table) -> None:
    """Make all moves; compare what lies on the table with the rules."""
    session, virtual_table, made = table.pipeline.session, table.current.virtual_table, -1
    assert virtual_table is not None
    rules: Any = session.rules
    all_pawns = pawns(lying(table))
    with table.watch() as has_changed:
        while True:
            view = table.pipeline.view
            assert pawns(lying(table)) == all_pawns
            assert pawns([*(piece for piece, _ in view.placement.entries), *sum(view.hands, ())]) == all_pawns
            if view.phase is Phase.WAITING and virtual_table.is_idle and view.ply > made:
                made, position = view.ply, session.position
                assert virtual_table.pieces.standing == rules.placement(position)
                boxed = [loose.piece for loose in virtual_table.pieces.box]
                assert pawns(boxed) == pawns(sum(view.hands, ())) == pawns(sum(rules.hands(position), ()))
                if made == len(MOVES):
                    return
                if view.turn == COMPUTER:
                    table.ask(Play(made, MOVES[made]))
                else:
                    table.do(tuple(rules.steps(position, rules.read_move(position, MOVES[made]))))
            await has_changed.wait()
            has_changed.clear()


async def played(folder: Path) -> list[str]:
    """The moves of a game of GOTTAZ at a virtual table."""
    game = find("gottaz")
    rules = game.rules()
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
    setup = GameSetup("gottaz", tuple(rules.options.items()), played_by=by)
    header = replace(HEADER, setup=setup, timing=BRISK, sensor=SensorKind.IDENTITY_FACING)
    with JournalWriter.create(folder / "game.jsonl", header) as writer:
        session, words = session_of(header, rules), load("en", "gottaz", rules.sides)
        table = make_table(None, game, session, words, writer, monotonic())
        running = asyncio.create_task(table.run())
        async with asyncio.timeout(100):
            await play(table)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    return [line.move for line in table.pipeline.view.record]


def test_every_pawn_lies_either_in_a_hand_or_on_the_board(tmp_path: Path) -> None:
    assert asyncio.run(played(tmp_path)) == list(MOVES)

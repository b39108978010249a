# SPDX-License-Identifier: Apache-2.0
"""The seats of a table over its games."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.table.table import Table
from companion.host.web.table_seats import Sit, TableSeats
from companion.model.absent import PlayedBy
from tests.host.tables import GAME, HEADER


@pytest.mark.parametrize(
    ("changes", "mine"),
    [
        ({}, (0,)),
        ({"moved_on": 1}, (1,)),
        ({"setup": GameSetup("chess")}, ()),
        ({"setup": GameSetup(GAME, lesson="a lesson")}, ()),
        ({"setup": GameSetup(GAME, puzzle=2)}, ()),
    ],
)
def test_seats_last_for_the_same_game_alone(
    table: Table, tmp_path: Path, changes: dict[str, Any], mine: tuple[int, ...]
) -> None:
    async def seen() -> Any:
        seats = TableSeats(table)
        seats.enter("ann", asyncio.Event())
        seats.take("ann", Sit((0,)))
        with JournalWriter.create(tmp_path / "next.jsonl", HEADER) as writer:
            table.current = replace(table.current, journal=writer, **changes)
            return seats.seen_by("ann")

    found = asyncio.run(seen())
    assert (found["begun"], found["mine"]) == (1, mine)
    assert found["free"] == [side for side in (0, 1) if side not in mine]


def test_the_seat_of_a_side_that_the_computer_plays_is_not_free(table: Table) -> None:
    by = (PlayedBy.TABLE, PlayedBy.COMPUTER)
    table.pipeline.view = replace(table.pipeline.view, played_by=by)
    assert TableSeats(table).seen_by("ann")["free"] == [0]


def test_a_denial_is_news(table: Table) -> None:
    async def seen() -> Any:
        seats, changed = TableSeats(table), asyncio.Event()
        seats.enter("ann", changed)
        changed.clear()
        seats.deny("ann", 1)
        assert changed.is_set()
        return seats.seen_by("ann")

    assert asyncio.run(seen())["denied"] == (1, 1)

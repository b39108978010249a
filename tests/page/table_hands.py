# SPDX-License-Identifier: Apache-2.0
"""Hands that play whole games of Close Quarters at many virtual tables at once.

They send what a table's page sends, without a browser for each table.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from tests.page_reader import PageReader

WHOLE_GAME = ("a1-b2", "d8-b8", "b2-c3", "b8-b2", "c3xb2", "d1xb2")
"""It ends with the win of the second player."""
RESIGNED_AFTER = 4
"""Plies of a game in which the second player resigns then."""


def play_games(tables: Mapping[str, str], winners: Mapping[str, int]) -> None:
    """Play a game at each board of *winners*, won by that side, at *tables*."""

    async def play() -> None:
        async with asyncio.timeout(240), asyncio.TaskGroup() as group:
            for board, winner in winners.items():
                group.create_task(_play(tables[board], winner))

    with ThreadPoolExecutor(1) as hands:  # Playwright has an event loop in this thread
        hands.submit(asyncio.run, play()).result()


class _Hand:
    """A hand at one table, and what the table shows."""

    def __init__(self, line: ClientConnection) -> None:
        self._line = line
        self._reader = PageReader()

    async def until(self, holds: Callable[[dict[str, Any]], bool]) -> None:
        """Wait until *holds* is true of what the table shows."""
        while "view" not in self._reader.state or not holds(self._reader.state):
            self._reader.take(await self._line.recv())

    async def until_ply(self, ply: int) -> None:
        """Wait until the move after *ply* plies is awaited."""
        await self.until(lambda shown: (shown["view"]["ply"], shown["view"]["phase"]) == (ply, "waiting"))

    async def send(self, kind: str, **fields: int) -> None:
        await self._line.send(json.dumps({"is": kind, **fields}))


async def _play(address: str, winner: int) -> None:
    moves = WHOLE_GAME if winner else WHOLE_GAME[:RESIGNED_AFTER]
    async with connect(f"{address.replace('http', 'ws', 1)}ws") as line:
        hand = _Hand(line)
        for ply, move in enumerate(moves):
            await hand.until_ply(ply)
            await hand.send("Lift", cell=_cell(move[:2]))
            await hand.until(lambda shown: shown["virtual"]["hand"] is not None)
            await hand.send("Drop", cell=_cell(move[3:]))
        if not winner:
            await hand.until_ply(RESIGNED_AFTER)
            await hand.send("Resign", side=1)
        await hand.until(lambda shown: shown["view"]["outcome"] is not None)


def _cell(name: str) -> int:
    return "abcd".index(name[0]) + 4 * (int(name[1]) - 1)

# SPDX-License-Identifier: Apache-2.0
"""The computer as a player at a table, thinking in processes of its own.

Its rule: the process is killed when its answer is not wanted any more, whatever it computes; the
next question starts another. It does not outlive the table, since its input ends then.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

from companion.host.opponent.thinker import STRONGEST_MS, USUAL_MS, MoveSource, Thinker
from companion.host.play.absent_player import Decision, MoveRequest, play_absent
from companion.host.table.table import Table
from companion.model.absent import PlayedBy
from companion.opponent.levels import USUAL_LEVEL, levels
from companion.referee.session import Session
from companion.referee.view import TableView

_LEAST_MS: Final = 100
_PLIES_LEFT: Final = 20
"""The computer thinks for at most this part of the time on its clock."""
_CONTENT: Final = -50
"""Value, in hundredths of the least piece, up to which it takes a draw."""


class Computer:
    """An `AbsentPlayer` of the level that each request names."""

    def __init__(self, seed: int, thinker: MoveSource | None = None) -> None:
        """With the same *seed* it plays the same moves."""
        self._seed = seed
        self._thinker = thinker or Thinker()

    async def decide(self, request: MoveRequest, session: Session, view: TableView) -> Decision:
        """Return the decision about *request*. Raises `OpponentError`."""
        rules = session.rules
        position, level = rules.read_position(request.position), request.level or USUAL_LEVEL
        most_ms = STRONGEST_MS if level == len(levels(rules.slug)) else USUAL_MS
        if view.clocks:
            most_ms = max(_LEAST_MS, min(most_ms, view.clocks[request.side].left_ms // _PLIES_LEFT))
        try:
            thought = await self._thinker.choose(
                rules,
                position,
                str(level),
                self._seed + request.ply,
                past=session.earlier(),
                most_ms=most_ms,
            )
        except asyncio.CancelledError:
            await self._thinker.kill()
            raise
        return Decision(rules.write_move(position, thought.move), takes_draw=thought.value <= _CONTENT)

    async def close(self) -> None:
        """End the process."""
        await self._thinker.kill()


@asynccontextmanager
async def played_by_computer(
    table: Table, computer: Computer, inform: Callable[[str], None]
) -> AsyncIterator[None]:
    """Let *computer* play its sides at *table* inside the block; *inform* gets failures."""
    playing = asyncio.create_task(play_absent(table, PlayedBy.COMPUTER, computer, inform), name="computer")
    try:
        yield
    finally:
        playing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await playing
        await computer.close()

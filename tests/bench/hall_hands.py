# SPDX-License-Identifier: Apache-2.0
"""The hands at the tables of the hall's benchmark: they run in the processes of the tables, and are none of the hall's."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.host.table.table import Interest, Table
from companion.host.virtual_table.hands import Drop, Lift, SetRight
from companion.model.game import AnyRules
from companion.referee.commands import NewGame
from companion.referee.events import Stage
from companion.virtual.panel import VirtualPanel

EDGE_S: Final = 0.5
"""Between two edges of one table."""
_PATIENCE_S: Final = 20.0
STOP: Final = "stop"
"""A file that tells hands to rest."""
RESTED: Final = "rested"
"""A folder with a file for each table that has caught up then."""


class Ours:
    """What hands and virtual panels of this process have taken: none of it is the hall's."""

    cpu_s = 0.0
    is_over = False
    """True once hands are to rest."""
    looked_s = 0.0
    """When somebody looked whether they are."""

    @classmethod
    def are_to_rest(cls, stop: Path) -> bool:
        """True once *stop* is there: looked for once a second, whosever hands ask."""
        if not cls.is_over and time.monotonic() - cls.looked_s >= 1:
            cls.is_over, cls.looked_s = stop.exists(), time.monotonic()
        return cls.is_over

    @classmethod
    def timed(cls, act: Callable[..., Any]) -> Callable[..., Any]:
        """*act*, whose time is counted."""

        @functools.wraps(act)
        def counted(*words: Any, **named: Any) -> Any:
            began = time.thread_time()
            try:
                return act(*words, **named)
            finally:
                cls.cpu_s += time.thread_time() - began

        return counted


class _Made(NamedTuple):
    """A move that a hand has made."""

    position: Any
    move: Any
    ply: int
    at_s: float
    is_capture: bool


async def hands(folder: Path, seed: int, name: str, table: Table) -> None:
    """Make moves for ever, an edge every half second; note each, and when it was complete."""
    if not hasattr(VirtualPanel.feed, "__wrapped__"):
        for each in ("feed", "bytes_to_send", "open", "close"):
            setattr(VirtualPanel, each, Ours.timed(getattr(VirtualPanel, each)))
    chance = random.Random(f"{seed} {name}")
    made: list[_Made] = []
    stop = folder / STOP
    try:
        await asyncio.sleep(chance.random() * 2 * EDGE_S)
        while not Ours.are_to_rest(stop):
            await _move(table, made, chance)
        await _caught_up(table)
        (folder / RESTED / name).touch()
        await asyncio.Event().wait()
    finally:
        path = folder / "truth" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        write_move = table.pipeline.session.rules.write_move
        told = [(write_move(each.position, each.move), *each[2:]) for each in made]
        path.write_text(json.dumps({"made": told, "cpu_s": Ours.cpu_s, "process": os.getpid()}))


async def _caught_up(table: Table) -> None:
    """Until the last move is announced."""
    with table.watch(Interest.PLAY) as has_changed:
        while (record := table.pipeline.view.record) and record[-1].stage is Stage.PROVISIONAL:
            await has_changed.wait()
            has_changed.clear()


@Ours.timed
def _lawful(rules: AnyRules, position: Any) -> Sequence[Any]:
    """The moves of which a hand makes one."""
    return rules.legal_moves(position)


async def _move(table: Table, made: list[_Made], chance: random.Random) -> None:
    """Make one move, or set right what keeps one from being made."""
    session, rules = table.pipeline.session, table.pipeline.session.rules
    moves = _lawful(rules, session.position) if table.pipeline.view.phase == "waiting" else ()
    if not moves:
        if table.pipeline.view.outcome is not None:
            table.ask(NewGame())
        table.do(SetRight())
        await asyncio.sleep(2 * EDGE_S)
        return
    move = chance.choice(moves)
    mover = rules.steps(session.position, move)[0]
    position, ply = session.position, session.ply
    table.do(Lift(mover.source[0]))
    await asyncio.sleep(EDGE_S)
    is_capture = bool(table.pipeline.view.placement.at(mover.target[0]))
    made.append(_Made(position, move, ply, time.monotonic(), is_capture))
    table.do(Drop(mover.target[0]))
    await asyncio.sleep(EDGE_S)
    with table.watch(Interest.PLAY) as has_changed, contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_S):  # who sees that a move was not noticed waits, as people do
            while table.pipeline.view.ply == ply:
                has_changed.clear()
                await has_changed.wait()

# SPDX-License-Identifier: Apache-2.0
"""The hands at the tables of the hall's benchmark.

They run in the processes of the tables, but their time does not count for the hall.
"""

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
from companion.referee.values.commands import NewGame
from companion.referee.values.events import Stage
from companion.virtual.panel import VirtualPanel

EDGE_S: Final = 0.5
"""Time between two edges of one table."""
_PATIENCE_S: Final = 20.0
STOP: Final = "stop"
"""A file whose existence stops the hands."""
RESTED: Final = "rested"
"""A folder with a file for each table that is finished after the stop."""


class BenchTime:
    """Processor time of the hands and virtual panels in this process."""

    cpu_s = 0.0
    is_over = False
    """True once the hands must stop."""
    checked_s = 0.0
    """Time of the last check for the stop file."""

    @classmethod
    def must_stop(cls, stop: Path) -> bool:
        """True once the file *stop* exists, which is checked once a second."""
        if not cls.is_over and time.monotonic() - cls.checked_s >= 1:
            cls.is_over, cls.checked_s = stop.exists(), time.monotonic()
        return cls.is_over

    @classmethod
    def timed(cls, act: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap *act* so that its time is counted."""

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
    is_capture: bool


async def hands(folder: Path, seed: int, name: str, table: Table) -> None:
    """Make moves endlessly, an edge every half second, and write them down with times."""
    if not hasattr(VirtualPanel.feed, "__wrapped__"):
        for each in ("feed", "bytes_to_send", "open", "close"):
            setattr(VirtualPanel, each, BenchTime.timed(getattr(VirtualPanel, each)))
    chance = random.Random(f"{seed} {name}")
    made: list[_Made] = []
    stop = folder / STOP
    try:
        await asyncio.sleep(chance.random() * 2 * EDGE_S)
        while not BenchTime.must_stop(stop):
            await _move(table, made, chance)
        await _await_announcement(table)
        (folder / RESTED / name).touch()
        await asyncio.Event().wait()
    finally:
        path = folder / "truth" / f"{name}.json"
        path.parent.mkdir(exist_ok=True)
        write_move = table.pipeline.session.rules.write_move
        truth = [(write_move(each.position, each.move), *each[2:]) for each in made]
        path.write_text(json.dumps({"made": truth, "cpu_s": BenchTime.cpu_s, "process": os.getpid()}))


async def _await_announcement(table: Table) -> None:
    """Wait until the last move is announced."""
    with table.watch(Interest.PLAY) as has_changed:
        while (record := table.pipeline.view.record) and record[-1].stage is Stage.PROVISIONAL:
            await has_changed.wait()
            has_changed.clear()


@BenchTime.timed
def _legal_moves(rules: AnyRules, position: Any) -> Sequence[Any]:
    """The legal moves of which a hand makes one."""
    return rules.legal_moves(position)


async def _move(table: Table, made: list[_Made], chance: random.Random) -> None:
    """Make one move, or correct what prevents one."""
    session, rules = table.pipeline.session, table.pipeline.session.rules
    moves = _legal_moves(rules, session.position) if table.pipeline.view.phase == "waiting" else ()
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
    made.append(_Made(position, move, ply, is_capture))
    table.do(Drop(mover.target[0]))
    await asyncio.sleep(EDGE_S)
    with table.watch(Interest.PLAY) as has_changed, contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE_S):  # a person waits, too, if the table has missed a move
            while table.pipeline.view.ply == ply:
                has_changed.clear()
                await has_changed.wait()

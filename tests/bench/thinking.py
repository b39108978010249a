# SPDX-License-Identifier: Apache-2.0
"""Measure the host's time from an edge to its lamps while the computer thinks.

A virtual table runs as in the program. The time is that from the bytes of the panel's report to
the first bytes of the answer. Blocks with and without a thinking process follow each other in
turn, so that other work of the machine meets both alike.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.feedback.lights import DARK  # noqa: E402  (run as a script, from anywhere)
from companion.feedback.words import load  # noqa: E402
from companion.games import find  # noqa: E402
from companion.host.clock import monotonic  # noqa: E402
from companion.host.devices.ports import OpenPort, Port  # noqa: E402
from companion.host.gc_tuning import sweep_rarely  # noqa: E402
from companion.host.journal.journal import FORMAT, Header, JournalWriter  # noqa: E402
from companion.host.journal.setup import GameSetup  # noqa: E402
from companion.host.opponent.thinker import SearchInput, Thinker  # noqa: E402
from companion.host.play.new_table import make_table  # noqa: E402
from companion.host.records.replay import session_of  # noqa: E402
from companion.host.table.table import Table  # noqa: E402
from companion.host.virtual_table.hands import Drop, Lift  # noqa: E402
from companion.link.port import PortEnded  # noqa: E402
from companion.link.protocol_gen import Edges  # noqa: E402
from companion.model.observation import SensorKind  # noqa: E402
from companion.referee.values.timing import DEFAULT_TIMING  # noqa: E402
from companion.referee.values.view import Phase  # noqa: E402

GAME: Final = "chess"
CELL: Final = "e2"
LEAST: Final = 10
"""Longest acknowledgement, in bytes: an image of lamps is longer."""


class TimedPort:
    """The port of a table's panel, and the times between reports of edges and answers."""

    def __init__(self, inner: OpenPort) -> None:
        self._inner = inner
        self._port: Port | None = None
        self._arrived_s: float | None = None
        self.times_ms: list[float] = []

    async def open(self, arrive: Callable[[bytes], None], ended: Callable[[PortEnded], None]) -> Port:
        """Open the port: an `OpenPort`."""

        def noted(chunk: bytes) -> None:
            if Edges.TYPE in chunk:  # in other packets only by chance: the last one before the answer counts
                self._arrived_s = time.perf_counter()
            arrive(chunk)

        self._port = await self._inner(noted, ended)
        return self

    @property
    def name(self) -> str:
        """The name of the port."""
        assert self._port is not None
        return self._port.name

    def write(self, data: bytes) -> None:
        """Write *data*, and note the time of an answer."""
        assert self._port is not None
        if self._arrived_s is not None and len(data) > LEAST:
            self.times_ms.append(1000 * (time.perf_counter() - self._arrived_s))
            self._arrived_s = None
        self._port.write(data)

    async def close(self) -> None:
        """Close the port."""
        assert self._port is not None
        await self._port.close()


@asynccontextmanager
async def table_in(folder: Path) -> AsyncIterator[tuple[Table, TimedPort]]:
    """A running virtual table, with its port."""
    game = find(GAME)
    rules = game.rules()
    header = Header(
        FORMAT,
        "0",
        "2026-05-01T20:15:00+02:00",
        GameSetup(GAME, tuple(rules.options.items())),
        DEFAULT_TIMING,
        SensorKind.SIDE,
    )
    with JournalWriter.create(folder / "game.jsonl", header) as writer:
        table = make_table(
            None, game, session_of(header, rules), load("en", GAME, rules.sides), writer, monotonic()
        )
        assert table.current.open_port is not None
        port = TimedPort(table.current.open_port)
        table.current = replace(table.current, open_port=port.open)
        running = asyncio.create_task(table.run())
        try:
            yield table, port
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


@asynccontextmanager
async def thinking() -> AsyncIterator[None]:
    """A process that searches the start position of chess inside the block."""
    rules, thinker = find(GAME).rules(), Thinker()
    await thinker.analyse(SearchInput(rules, rules.initial(), most_ms=20))  # the process has started
    task = asyncio.create_task(thinker.analyse(SearchInput(rules, rules.initial(), most_ms=3_600_000)))
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task
        await thinker.kill()


async def lift(table: Table) -> None:
    """Lift the pawn, and put it back when its lamps are lit."""
    cell = table.pipeline.session.rules.grid.cell(CELL)
    virtual = table.current.virtual_table
    assert virtual is not None
    with table.watch() as has_changed:
        for hand, is_lit in ((Lift(cell), True), (Drop(cell), False)):
            table.do(hand)
            while (virtual.panel.device.lamps.image[cell] != DARK) is not is_lit:
                await has_changed.wait()
                has_changed.clear()


async def measure(blocks: int, lifts: int) -> dict[str, list[float]]:
    """The times of all blocks, with and without a thinking process."""
    found: dict[str, list[float]] = {"alone": [], "thinking": []}
    sweep_rarely()
    with tempfile.TemporaryDirectory() as folder:
        async with table_in(Path(folder)) as (table, port):
            with table.watch() as has_changed:
                while table.pipeline.view.phase is not Phase.WAITING:
                    await has_changed.wait()
                    has_changed.clear()
            for _ in range(20):
                await lift(table)
            for block in range(2 * blocks):
                name = ("alone", "thinking")[block % 2]
                async with thinking() if block % 2 else contextlib.nullcontext():
                    port.times_ms.clear()
                    for _ in range(lifts):
                        await lift(table)
                    found[name] += port.times_ms
    return found


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(
        description=__doc__,
        epilog="examples:\n  python tests/bench/thinking.py --blocks 5 --lifts 60",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--blocks", type=int, default=10, help="blocks of each kind")
    made.add_argument("--lifts", type=int, default=100, help="lifts in a block, of two edges each")
    made.add_argument("--json", action="store_true", help="print JSON")
    return made


def main() -> None:
    wished = parser().parse_args()
    result = {}
    for name, times in asyncio.run(measure(wished.blocks, wished.lifts)).items():
        times.sort()
        result[name] = {
            "edges": len(times),
            "median_ms": round(times[len(times) // 2], 2),
            "p99_ms": round(times[int(0.99 * len(times))], 2),
        }
    if wished.json:
        print(json.dumps(result))
        return
    for name, row in result.items():
        print(
            f"{name:9}{row['edges']:6} edges   median {row['median_ms']:6.2f} ms   p99 {row['p99_ms']:6.2f} ms"
        )


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""How many tables a hall bears: `python tests/bench/hall.py --json`.

Virtual tables (wood, panel, link, referee, journal: all of it) play Close Quarters by themselves at two edges a second each,
in one process with the hall and its pages; another process watches the spectators' line as a page does.
An edge counts from the moment at which the wood is moved to that at which the text that shows its move has arrived.
What the hall copied is held against the journals in the end: lost and doubled are lines of these.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import multiprocessing
import os
import random
import resource
import secrets
import sys
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import connect as open_line
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion import games
from companion.feedback.words import load
from companion.host import journal as journals
from companion.host import web
from companion.host.clock import monotonic
from companion.host.database import connect
from companion.host.hall.access import Arbiters
from companion.host.hall.attending import local_ways
from companion.host.hall.books import BookKeeper
from companion.host.hall.branch import Branch, Identity
from companion.host.hall.hall import Hall
from companion.host.hall.web import make_hall_app
from companion.host.hands import Drop, Lift, SetRight
from companion.host.journal import Header, JournalWriter
from companion.host.play import make_table
from companion.host.table import Table
from companion.referee.commands import NewGame
from companion.referee.session import Session
from companion.referee.timing import DEFAULT_TIMING
from tests.bench.report import arguments, deliver, percentiles, say

GAME: Final = "close-quarters"
HEADER: Final = Header(journals.FORMAT, "bench", "2026-01-01T00:00:00+00:00", GAME, (), DEFAULT_TIMING)
EDGE_S: Final = 0.5
"""Between two edges of one table."""
SETTLE_S: Final = 3.0


async def play(table: Table, moved: list[tuple[str, int, float]], name: str, chance: random.Random) -> None:
    """Make moves for ever, an edge every half second; note when each was complete."""
    rules = table.chain.session.rules
    await asyncio.sleep(chance.random() * 2 * EDGE_S)
    while True:
        session = table.chain.session
        moves = rules.legal_moves(session.position) if table.chain.view.phase == "waiting" else ()
        if not moves:
            if table.chain.view.outcome is not None:
                table.ask(NewGame())
            table.do(SetRight())
            await asyncio.sleep(2 * EDGE_S)
            continue
        mover = rules.steps(session.position, chance.choice(moves))[0]
        table.do(Lift(mover.source[0]))
        await asyncio.sleep(EDGE_S)
        is_capture = bool(table.chain.view.placement.at(mover.target[0]))
        if not is_capture:  # before that, a hand takes its time to clear the cell
            moved.append((name, session.ply, time.monotonic()))
        table.do(Drop(mover.target[0]))
        await asyncio.sleep(EDGE_S)


async def evening(tables: int, seconds: float, folder: Path, pipe: Pipe, seed: int) -> dict[str, Any]:
    """*tables* tables at play for *seconds*; what they did and what it cost."""
    engine = connect(f"sqlite:///{folder}/hall.sqlite")
    before_kb = _memory_kb()
    hall = Hall(BookKeeper(engine), folder / "copies", monotonic(), lambda: "2026-01-01T00:00:00+00:00")
    moved: list[tuple[str, int, float]] = []
    chance = random.Random(seed)
    with contextlib.ExitStack() as stack:
        tasks = [asyncio.create_task(hall.run())]
        for number in range(tables):
            tasks += _begin(f"board-{number}", folder, hall, moved, chance, stack)
        app = make_hall_app(hall, Arbiters(engine))
        async with web.serving_app(app, web.listen("127.0.0.1", 0)) as address:
            pipe.send(address)
            await asyncio.sleep(SETTLE_S)
            moved.clear()
            began_s, began_cpu = time.monotonic(), time.process_time()
            await asyncio.sleep(seconds)
            cpu = 100 * (time.process_time() - began_cpu) / (time.monotonic() - began_s)
            after_kb = _memory_kb()
            pipe.send("stop")
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    engine.dispose()
    lost, doubled = _compared(folder, tables)
    return {
        "moved": moved,
        "cpu_percent": round(cpu, 1),
        "memory_mb_per_table": round((after_kb - before_kb) / 1024 / tables, 2),
        "lost": lost,
        "doubled": doubled,
    }


def _begin(
    name: str,
    folder: Path,
    hall: Hall,
    moved: list[tuple[str, int, float]],
    chance: random.Random,
    stack: contextlib.ExitStack,
) -> list[asyncio.Task[None]]:
    """The tasks of one table."""
    game = games.find(GAME)
    rules = game.rules()
    writer = stack.enter_context(JournalWriter.create(folder / name / "game.jsonl", HEADER))
    words = load("en", GAME, rules.sides)
    table = make_table(None, game, Session(rules), words, writer, monotonic())
    branch = Branch(
        table,
        Identity(name, secrets.token_hex(4), name),
        local_ways(hall, folder / name),
        monotonic(),
        is_near=True,
    )
    own = random.Random(chance.random())
    return [
        asyncio.create_task(table.run()),
        asyncio.create_task(branch.run()),
        asyncio.create_task(play(table, moved, name, own)),
    ]


def _compared(folder: Path, tables: int) -> tuple[int, int]:
    """Lines that the copies lack of what was copied, and lines that they have more often than the journals."""
    lost = doubled = 0
    for board in range(tables):
        for path in (folder / "copies" / f"board-{board}").glob("*"):
            copy, original = path.read_bytes(), (folder / f"board-{board}" / path.name).read_bytes()
            ours = Counter(copy.splitlines())
            lost += (Counter(original[: len(copy)].splitlines()) - ours).total()
            doubled += (ours - Counter(original.splitlines())).total()
    return lost, doubled


def _memory_kb() -> int:
    """What this process has in memory."""
    with contextlib.suppress(OSError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run_hall(tables: int, seconds: float, pipe: Pipe, seed: int) -> None:
    """The process of the hall."""
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(asyncio.run(evening(tables, seconds, Path(folder), pipe, seed)))


async def look(address: str, pipe: Pipe, readers: int) -> dict[tuple[str, int], float]:
    """When the page showed each ply of each board, until the hall says stop; *readers* more only read."""
    seen: dict[tuple[str, int], float] = {}
    async with contextlib.AsyncExitStack() as stack:
        line = await stack.enter_async_context(open_line(address, max_size=None))
        others = [await stack.enter_async_context(open_line(address, max_size=None)) for _ in range(readers)]
        tasks = [asyncio.create_task(_drain(other)) for other in others]
        while not pipe.poll():
            with contextlib.suppress(TimeoutError, ConnectionClosed):
                async with asyncio.timeout(0.5):
                    said = json.loads(await line.recv())
                    now = time.monotonic()
                    for part in said.get("all", said.get("changed", {})).values():
                        glance = part.get("glance")
                        if glance and glance["phase"] in ("waiting", "finished"):
                            seen.setdefault((part["board"], glance["ply"]), now)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return seen


async def _drain(line: Any) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for _ in line:
            pass


def measure(tables: int, seconds: float, seed: int, readers: int = 0) -> dict[str, Any]:
    """One row of the result."""
    ours, theirs = multiprocessing.Pipe()
    context = multiprocessing.get_context("spawn")
    process = context.Process(target=run_hall, args=(tables, seconds, theirs, seed))
    process.start()
    address = ours.recv().replace("http", "ws") + "api/watch"
    seen = asyncio.run(look(address, ours, readers))
    assert ours.recv() == "stop"
    told = ours.recv()
    process.join()
    late = [
        1000 * (seen[board, ply + 1] - at)
        for board, ply, at in told["moved"]
        if (board, ply + 1) in seen and seen[board, ply + 1] >= at
    ]
    return {
        "tables": tables,
        "edge_to_page_ms": percentiles(late),
        "cpu_percent": told["cpu_percent"],
        "memory_mb_per_table": told["memory_mb_per_table"],
        "lost": told["lost"],
        "doubled": told["doubled"],
        "moves": len(told["moved"]),
        "seen": len(late),
        "readers": readers,
    }


def main() -> None:
    """Measure halls of several sizes, and one with many who watch."""
    parser = arguments("How many tables a hall bears.")
    parser.add_argument("--tables", type=int, nargs="+", help="sizes of the halls")
    parser.add_argument("--spectators", type=int, help="how many watch the smallest hall in the last run")
    words = parser.parse_args()
    sizes = words.tables or ([2, 10] if words.quick else [10, 50, 100, 200, 500])
    seconds = 3.0 if words.quick else 20.0
    readers = words.spectators or (50 if words.quick else 1000)
    found = []
    for size in sizes:
        say(f"{size} tables for {seconds:.0f} s")
        found.append(measure(size, seconds, words.seed))
    say(f"{sizes[0]} tables and {readers} who watch")
    watched = measure(sizes[0], seconds, words.seed, readers)
    deliver({"tables": found, "spectators": watched}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

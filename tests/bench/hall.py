# SPDX-License-Identifier: Apache-2.0
"""How many tables a hall can serve: `python tests/bench/hall.py --json`.

Complete virtual tables (pieces, panel, link, referee, journal, page) play at two edges a second
each, as in `companion hall`: in the hall's process, or in one for each processor. Another process
watches the spectators' WebSocket like a page. An edge counts from the move of the piece to the
arrival of the text that shows it. The moves are compared with the journals that the hall has read
at the end: lost and doubled moves are counted. Hands, pieces and panels belong to the benchmark and
use the same processors: their share is measured and reported, too.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

from websockets.asyncio.client import connect as open_line
from websockets.exceptions import ConnectionClosed

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion.host.clock import monotonic
from companion.host.hall.boards.local_board import LocalBoard
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.run import HallOptions, own_boards
from companion.host.hall.web import WebLimits, serving_hall
from companion.host.journal import journal as journals
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.host.web import server
from companion.referee.events import MoveMade, MoveRetracted, Stage
from tests.bench.hall_hands import RESTED, STOP, hands
from tests.bench.report import arguments, deliver, percentiles, say
from tests.host.hall.halls import copy_of

GAME: Final = "close-quarters"
SECONDS: Final = {False: 20.0, True: 3.0}
"""For which a hall is measured; True for a quick look."""
CROWD: Final = 5_000
"""Spectators that the hall lets watch from this machine."""
SETTLE_S: Final = 5.0
"""After the last table has begun."""
_PATIENCE_AT_LAST_S: Final = 120
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


# --- the hall's process ---


async def evening(
    tables: int, seconds: float, folder: Path, pipe: Pipe, seed: int, together: int
) -> dict[str, Any]:
    """*tables* tables at play for *seconds*; what they did and what it cost."""
    engine = connect(f"sqlite:///{folder}/hall.sqlite")
    own = os.getpid()
    before_kb = used(own)[1]
    hall = Hall(BookKeeper(engine), folder / "copies", monotonic(), lambda: "2026-01-01T00:00:00+00:00")
    store = f"sqlite:///{folder}/records.sqlite"
    boards = tuple(
        LocalBoard(
            f"board-{number}",
            PlayOptions(GAME, folder=folder / f"board-{number}", browser=False, store=store),
        )
        for number in range(tables)
    )
    hall_options = HallOptions(boards, together=together)
    beside = functools.partial(hands, folder, seed)
    listener = server.listen("127.0.0.1", 0)
    async with serving_hall(hall, Arbiters(engine), listener, limits=WebLimits(CROWD)) as address:
        running = asyncio.create_task(hall.run())
        async with own_boards(hall, hall_options, lambda _text: None, beside) as tasks:
            with hall.watch() as has_changed:
                while len(hall.spectators.glances.shown) < tables:
                    await has_changed.wait()
                    has_changed.clear()
            pipe.send(address)
            started = time.monotonic()
            await asyncio.sleep(SETTLE_S)
            processes = [own, *(each.pid for each in multiprocessing.active_children() if each.pid)]
            began = time.monotonic(), [used(each) for each in processes]
            await asyncio.sleep(seconds)
            ended = time.monotonic(), [used(each) for each in processes]
            (folder / RESTED).mkdir()
            (folder / STOP).touch()
            for _ in range(_PATIENCE_AT_LAST_S):
                await asyncio.sleep(1)
                if len(list((folder / RESTED).iterdir())) == tables:
                    break
            await asyncio.sleep(1)
            rested = time.monotonic()
            pipe.send("stop")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        lost, doubled = _compared(hall, folder, boards)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    engine.dispose()
    length_s = ended[0] - began[0]
    shares = [
        100 * (after[0] - before[0]) / length_s for before, after in zip(began[1], ended[1], strict=True)
    ]
    memory_kb = sum(used[1] for used in ended[1]) - before_kb
    told = [json.loads(path.read_text()) for path in sorted((folder / "truth").iterdir())]
    return {
        "began": began[0],
        "ended": ended[0],
        "moved": [
            (path.stem, *each)
            for path, truth in zip(sorted((folder / "truth").iterdir()), told, strict=True)
            for each in truth["made"]
        ],
        "cpu_percent": round(sum(shares), 1),
        "processes": [round(share, 1) for share in shares],
        "ours_percent": round(_ours(told, rested - started), 1),
        "memory_mb_per_table": round(memory_kb / 1024 / tables, 2),
        "lost": lost,
        "doubled": doubled,
    }


def _ours(told: list[dict[str, Any]], length_s: float) -> float:
    """Roughly what hands and panels took, in percent of a processor."""
    taken: dict[int, float] = {}
    for truth in told:
        taken[truth["process"]] = max(taken.get(truth["process"], 0.0), truth["cpu_s"])
    return 100 * sum(taken.values()) / length_s


def _compared(hall: Hall, folder: Path, boards: tuple[LocalBoard, ...]) -> tuple[int, int]:
    """Moves of hands that are not in the journals as the hall has read them, and moves that are there and nobody has made."""
    lost = doubled = 0
    for board in boards:
        truth = json.loads((folder / "truth" / f"{board.name}.json").read_text())["made"]
        made = Counter(text for text, *_ in truth)
        copied = copy_of(hall, board.name)
        found: Counter[str] = Counter()
        for event in journals.parse(*copied).events if copied else ():
            match event:
                case MoveMade(stage=Stage.ANNOUNCED, move=move):
                    found[move] += 1
                case MoveRetracted(stage=stage, move=move) if stage is not Stage.PROVISIONAL:
                    found[move] -= 1
        lost += (made - found).total()
        doubled += (found - made).total()
    return lost, doubled


def used(process: int) -> tuple[float, int]:
    """Seconds of a processor that *process* has taken, and KB that it has in memory; zeros where the system does not say."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0, 0
    return (int(fields[11]) + int(fields[12])) / _TICKS, pages * os.sysconf("SC_PAGE_SIZE") // 1024


def run_hall(tables: int, seconds: float, seed: int, together: int, pipe: Pipe) -> None:
    """The process of the hall."""
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(asyncio.run(evening(tables, seconds, Path(folder), pipe, seed, together)))


# --- those who watch ---


async def look(address: str, pipe: Pipe) -> dict[tuple[str, int], list[float]]:
    """When the page showed each ply of each board, until the hall says stop."""
    seen: dict[tuple[str, int], list[float]] = {}
    known: dict[str, int] = {}
    async with open_line(address, max_size=None) as line:
        while not pipe.poll():
            with contextlib.suppress(TimeoutError, ConnectionClosed):
                async with asyncio.timeout(0.5):
                    text = await line.recv()
                    now = time.monotonic()
                    for name, ply in _plies(json.loads(text)):
                        if known.get(name) != ply:
                            known[name] = ply
                            seen.setdefault((name, ply), []).append(now)
    return seen


def _plies(said: dict[str, Any]) -> Iterator[tuple[str, int]]:
    """Which boards are told to be at another ply; a page that shows one before its phase shows it all the same."""
    for name, part in {**said.get("all", said.get("changed", {})), **said.get("patched", {})}.items():
        if "ply" in part.get("glance", {}):
            yield name.removeprefix("board/"), part["glance"]["ply"]


class _Reader(asyncio.Protocol):
    """A spectator who takes what comes and does nothing with it, as cheaply as can be."""

    def __init__(self, host: str) -> None:
        self.host = host

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Ask for the line."""
        words = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        request = "\r\n".join(["GET /api/watch HTTP/1.1", f"Host: {self.host}", *words, key, "", ""])
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(request.encode())

    def data_received(self, data: bytes) -> None:
        """Answer a ping, if there is one at the end, as it must be; the rest is not looked at."""
        if data[-6:-4] == b"\x89\x04":
            self.transport.write(b"\x8a\x84\0\0\0\0" + data[-4:])


def run_readers(address: str, number: int, pipe: Pipe) -> None:
    """The process of *number* spectators, until *pipe* says stop."""

    async def reading() -> None:
        host, port = address.removeprefix("ws://").split("/")[0].split(":")
        loop = asyncio.get_running_loop()
        for _ in range(number):
            await loop.create_connection(lambda: _Reader(host), host, int(port))
        pipe.send("all")
        await asyncio.to_thread(pipe.recv)

    asyncio.run(reading())


# --- all together ---


def measure(
    tables: int, seconds: float, seed: int, readers: int = 0, together: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """One row of the result, and what it rests on."""
    usual = HallOptions().together if together is None else together
    process, ours = _started(run_hall, tables, seconds, seed, usual)
    address = ours.recv().replace("http", "ws") + "api/watch"
    with _spectators(address, readers):
        seen = asyncio.run(look(address, ours))
        assert ours.recv() == "stop"
    told = ours.recv()
    process.join()
    late, unseen = [], 0
    for board, _text, ply, at, is_capture in told["moved"]:
        if is_capture or not told["began"] <= at <= told["ended"] - 1:
            continue  # before a capture, a hand takes its time to clear the cell
        after = [shown - at for shown in seen.get((board, ply + 1), ()) if shown >= at]
        unseen += not after
        late += [1000 * after[0]] if after else []
    keys = ("cpu_percent", "memory_mb_per_table", "lost", "doubled")
    row = {"tables": tables, "edge_to_page_ms": percentiles(late), **{key: told[key] for key in keys}}
    rest = {key: told[key] for key in ("processes", "ours_percent")}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    rest |= {"tables": tables, "moves": len(late), "unseen": unseen, "readers": readers, "load": load}
    return row, rest


def _started(act: Callable[..., None], *words: Any) -> tuple[multiprocessing.process.BaseProcess, Pipe]:
    """A process that does *act*, and our end of its pipe: when it dies, `recv` raises `EOFError`, as nobody else has the other."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=act, args=(*words, theirs))
    process.start()
    theirs.close()
    return process, ours


@contextlib.contextmanager
def _spectators(address: str, number: int) -> Iterator[None]:
    """*number* of those who watch, meanwhile."""
    if not number:
        yield
        return
    process, ours = _started(run_readers, address, number)
    assert ours.recv() == "all"
    try:
        yield
    finally:
        ours.send("stop")
        process.join()


def main() -> None:
    """Measure halls of several sizes, and the smallest with many who watch."""
    parser = arguments("How many tables a hall bears.")
    parser.add_argument("--tables", type=int, nargs="+", help="sizes of the halls")
    parser.add_argument("--spectators", type=int, nargs="+", help="how many watch the smallest hall then")
    parser.add_argument("--together", type=int, help="tables that run in the hall's own process at most")
    words = parser.parse_args()
    sizes = words.tables or ([10] if words.quick else [10, 50, 100, 200, 500])
    crowds = words.spectators or ([50] if words.quick else [100, 1000])
    found = []
    for size, readers in [*((size, 0) for size in sizes), *((sizes[0], crowd) for crowd in crowds)]:
        say(f"{size} tables, {readers} who watch: at play for {SECONDS[words.quick] + SETTLE_S:.0f} s ...")
        row, rest = measure(size, SECONDS[words.quick], words.seed, readers, words.together)
        found.append({**row, "watching": readers} if readers else row)
        say(f"{row} {rest}")
    tables, watched = found[: len(sizes)], found[-1]
    deliver({"tables": tables, "spectators": watched}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

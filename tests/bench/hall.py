# SPDX-License-Identifier: Apache-2.0
"""Measure how many tables a hall can serve.

Complete virtual tables (pieces, panel, link, referee, journal, page) play at two edges a second
each, as in `companion hall`: in the hall's process, or in one for each processor. Another process
watches the spectators' WebSocket like a page. An edge counts from the move of the piece to the
arrival of the text that shows it. At the end, the moves are compared with the journals that the
hall has read, and lost and doubled moves are counted. Hands, pieces and panels belong to the
benchmark and use the same processors: their share is measured and reported, too.
"""

from __future__ import annotations

import argparse
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
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.run import HallOptions, own_stations
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.web import WebLimits, serving_hall
from companion.host.journal import journal as journals
from companion.host.journal.setup import GameSetup
from companion.host.play.start import PlayOptions
from companion.host.records.database import connect
from companion.host.web import server
from companion.referee.values.events import MoveMade, MoveRetracted, Stage
from tests.bench.hall_hands import RESTED, STOP, hands
from tests.bench.report import arguments, deliver, percentiles, say
from tests.host.hall.halls import copy_of

GAME: Final = "close-quarters"
SECONDS: Final = {False: 20.0, True: 3.0}
"""Seconds for which a hall is measured; True for `--quick`."""
MAX_SPECTATORS: Final = 5_000
"""Limit of the hall for spectators from this machine."""
SETTLE_S: Final = 5.0
"""Seconds between the start of the last table and the measurement."""
_STOP_TIMEOUT_S: Final = 120
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100


# --- the hall's process ---


async def run_tables(
    tables: int, seconds: float, folder: Path, pipe: Pipe, seed: int, together: int
) -> dict[str, Any]:
    """Let *tables* tables play for *seconds*; their moves and costs."""
    db = connect(f"sqlite:///{folder}/hall.sqlite")
    own = os.getpid()
    before_kb = cpu_and_memory(own)[1]
    hall = Hall(BookKeeper(db), folder / "copies", monotonic(), lambda: "2026-01-01T00:00:00+00:00")
    store = f"sqlite:///{folder}/records.sqlite"
    stations = tuple(
        LocalStation(
            f"board-{number}",
            PlayOptions(GameSetup(GAME), folder=folder / f"board-{number}", browser=False, store=store),
        )
        for number in range(tables)
    )
    hall_options = HallOptions(stations, together=together)
    play = functools.partial(hands, folder, seed)
    listener = server.listen("127.0.0.1", 0)
    async with serving_hall(hall, Arbiters(db), listener, limits=WebLimits(MAX_SPECTATORS)) as address:
        running = asyncio.create_task(hall.run())
        async with own_stations(hall, hall_options, lambda _text: None, play) as tasks:
            with hall.watch() as has_changed:
                while len(hall.spectators.glances.shown) < tables:
                    await has_changed.wait()
                    has_changed.clear()
            pipe.send(address)
            started = time.monotonic()
            await asyncio.sleep(SETTLE_S)
            processes = [own, *(each.pid for each in multiprocessing.active_children() if each.pid)]
            began = time.monotonic(), [cpu_and_memory(each) for each in processes]
            await asyncio.sleep(seconds)
            ended = time.monotonic(), [cpu_and_memory(each) for each in processes]
            (folder / RESTED).mkdir()
            (folder / STOP).touch()
            for _ in range(_STOP_TIMEOUT_S):
                await asyncio.sleep(1)
                if len(list((folder / RESTED).iterdir())) == tables:
                    break
            await asyncio.sleep(1)
            rested = time.monotonic()
            pipe.send("stop")
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        lost, doubled = _lost_and_doubled(hall, folder, stations)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    db.close()
    length_s = ended[0] - began[0]
    shares = [
        100 * (after[0] - before[0]) / length_s for before, after in zip(began[1], ended[1], strict=True)
    ]
    memory_kb = sum(memory for _, memory in ended[1]) - before_kb
    reports = [json.loads(path.read_text()) for path in sorted((folder / "truth").iterdir())]
    return {
        "began": began[0],
        "ended": ended[0],
        "moved": [
            (path.stem, *each)
            for path, truth in zip(sorted((folder / "truth").iterdir()), reports, strict=True)
            for each in truth["made"]
        ],
        "cpu_percent": round(sum(shares), 1),
        "processes": [round(share, 1) for share in shares],
        "bench_percent": round(_bench_percent(reports, rested - started), 1),
        "memory_mb_per_table": round(memory_kb / 1024 / tables, 2),
        "lost": lost,
        "doubled": doubled,
    }


def _bench_percent(reports: list[dict[str, Any]], length_s: float) -> float:
    """The approximate load of hands and panels, in percent of a processor."""
    taken: dict[int, float] = {}
    for truth in reports:
        taken[truth["process"]] = max(taken.get(truth["process"], 0.0), truth["cpu_s"])
    return 100 * sum(taken.values()) / length_s


def _lost_and_doubled(hall: Hall, folder: Path, stations: tuple[LocalStation, ...]) -> tuple[int, int]:
    """The numbers of lost and doubled moves.

    A lost move was made by a hand and is not in the journals as the hall has read them; a doubled
    one is there, but was not made.
    """
    lost = doubled = 0
    for station in stations:
        truth = json.loads((folder / "truth" / f"{station.name}.json").read_text())["made"]
        made = Counter(text for text, *_ in truth)
        copied = copy_of(hall, station.name)
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


def cpu_and_memory(process: int) -> tuple[float, int]:
    """Processor seconds and memory in KB of *process*; zeros where the system has no figures."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    except OSError:
        return 0.0, 0
    return (int(fields[11]) + int(fields[12])) / _TICKS, pages * os.sysconf("SC_PAGE_SIZE") // 1024


def run_hall(tables: int, seconds: float, seed: int, together: int, pipe: Pipe) -> None:
    """The process of the hall."""
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(asyncio.run(run_tables(tables, seconds, Path(folder), pipe, seed, together)))


# --- the spectators ---


async def watch_plies(address: str, pipe: Pipe) -> dict[tuple[str, int], list[float]]:
    """The times at which the page showed each ply of each station.

    Ends when the hall says stop.
    """
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
    """The stations whose ply is in the message *said*.

    A page may show a ply before its phase.
    """
    for name, part in {**said.get("all", said.get("changed", {})), **said.get("patched", {})}.items():
        if "ply" in part.get("glance", {}):
            yield name.removeprefix("board/"), part["glance"]["ply"]


class _Reader(asyncio.Protocol):
    """A spectator that discards what it receives, as cheaply as possible."""

    def __init__(self, host: str) -> None:
        self.host = host

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Request the WebSocket."""
        words = ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13")
        key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="
        request = "\r\n".join(["GET /api/watch HTTP/1.1", f"Host: {self.host}", *words, key, "", ""])
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.write(request.encode())

    def data_received(self, data: bytes) -> None:
        """Answer a ping at the end of *data*; everything else is ignored."""
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


# --- the measurement ---


def measure(
    tables: int, seconds: float, seed: int, readers: int = 0, together: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """One row of the result, and the details behind it."""
    usual = HallOptions().together if together is None else together
    process, pipe = _started(run_hall, tables, seconds, seed, usual)
    address = pipe.recv().replace("http", "ws") + "api/watch"
    with _spectators(address, readers):
        seen = asyncio.run(watch_plies(address, pipe))
        assert pipe.recv() == "stop"
    reports = pipe.recv()
    process.join()
    latencies, unseen = [], 0
    for station, _text, ply, at, is_capture in reports["moved"]:
        if is_capture or not reports["began"] <= at <= reports["ended"] - 1:
            continue  # before a capture, the hand needs time to clear the cell
        after = [shown - at for shown in seen.get((station, ply + 1), ()) if shown >= at]
        unseen += not after
        latencies += [1000 * after[0]] if after else []
    keys = ("cpu_percent", "memory_mb_per_table", "lost", "doubled")
    row = {"tables": tables, "edge_to_page_ms": percentiles(latencies), **{key: reports[key] for key in keys}}
    details = {key: reports[key] for key in ("processes", "bench_percent")}
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    details |= {"tables": tables, "moves": len(latencies), "unseen": unseen, "readers": readers, "load": load}
    return row, details


def _started(act: Callable[..., None], *words: Any) -> tuple[multiprocessing.process.BaseProcess, Pipe]:
    """Start a process that runs *act*, and return it with our end of its pipe.

    If the process dies, `recv` raises `EOFError`, since nobody else has the other end.
    """
    pipe, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=act, args=(*words, theirs))
    process.start()
    theirs.close()
    return process, pipe


@contextlib.contextmanager
def _spectators(address: str, number: int) -> Iterator[None]:
    """Let *number* spectators watch during the context."""
    if not number:
        yield
        return
    process, pipe = _started(run_readers, address, number)
    assert pipe.recv() == "all"
    try:
        yield
    finally:
        pipe.send("stop")
        process.join()


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/hall.py --quick",
        "python tests/bench/hall.py --tables 100 --spectators 1000 --json",
    )
    parser.add_argument(
        "--tables", type=int, nargs="+", metavar="N", help="sizes of the halls (default: 10 50 100 200 500)"
    )
    parser.add_argument(
        "--spectators",
        type=int,
        nargs="+",
        metavar="N",
        help="numbers of spectators in the smallest hall (default: 100 1000)",
    )
    parser.add_argument(
        "--together",
        type=int,
        metavar="N",
        help="greatest number of tables in the hall's own process (default: as in `companion hall`)",
    )
    return parser


def main() -> None:
    """Measure halls of several sizes, and the smallest one with many spectators."""
    words = parser().parse_args()
    sizes = words.tables or ([10] if words.quick else [10, 50, 100, 200, 500])
    crowds = words.spectators or ([50] if words.quick else [100, 1000])
    found = []
    for size, readers in [*((size, 0) for size in sizes), *((sizes[0], crowd) for crowd in crowds)]:
        say(f"{size} tables, {readers} spectators: playing for {SECONDS[words.quick] + SETTLE_S:.0f} s ...")
        row, details = measure(size, SECONDS[words.quick], words.seed, readers, words.together)
        found.append({**row, "watching": readers} if readers else row)
        say(f"{row} {details}")
    tables, watched = found[: len(sizes)], found[-1]
    deliver({"tables": tables, "spectators": watched}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

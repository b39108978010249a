# SPDX-License-Identifier: Apache-2.0
"""Measure the headline figures of the tree that runs this file.

`tests.bench.headline` starts it in both trees, by `tests.bench.against`, with the names of the
measurements to take. `companion` and `tests` are those of the tree in whose folder it runs. Each
output line has the figures of one measurement.
"""

from __future__ import annotations

import asyncio
import html
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from collections.abc import Callable
from contextlib import AsyncExitStack
from importlib import import_module
from pathlib import Path
from statistics import fmean, median
from types import SimpleNamespace
from typing import Any, Final

Figures = dict[str, float]

EDGES: Final = 20
GAME: Final = "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5xc6 d7xc6 f3xe5 d8d4 e5f3 d4xe4 d1e2 e4xe2 e1xe2 c8g4"
"""An opening without a castling, with the cells of each ply."""
HALL_TABLES: Final = 4
HALL_GAME: Final = ("a1-b2", "d8-b8", "b2-c3")
"""The first move is not measured: it loads what is needed once."""
SEARCH_DEPTH, PERFT_DEPTH = 6, 4
_REPEATS: Final = 3


def cheapest(act: Callable[[], object]) -> float:
    """The least processor seconds of *act* in three turns."""
    spent = []
    for _ in range(_REPEATS):
        began = time.process_time()
        act()
        spent.append(time.process_time() - began)
    return min(spent)


def panel() -> Figures:
    """Switches and the lamps that answer, with the chip's real program."""
    bench: Any = import_module("tests.bench.panel")
    # older trees measured the host on the clock
    bench.time = SimpleNamespace(perf_counter=time.process_time, process_time=time.process_time)
    bench.percentiles = fmean
    name, game, options = bench.CASES["64"]
    kind, rules = bench.board(name), bench.find(game).rules(options)
    played: Any = game, tuple(rules.options.items())
    if hasattr(bench, "GameSetup"):  # older trees have no setup
        played = (bench.GameSetup(*played),)
    header = bench.Header(bench.FORMAT, "bench", "", *played, bench.DEFAULT_TIMING)
    entries: list[Any] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        bench.JournalWriter.create(Path(folder) / "game.jsonl", header) as journal,
        kind.powered() as sim,
    ):
        words = bench.load("en", game, rules.sides)
        line = bench.Connection(1)
        pipeline = bench.Pipeline(bench.Session(rules), words, line, lambda each: entries[0](each))
        made = bench.Bench(sim, pipeline, journal, random.Random(1))
        entries.append(made.keep)
        bench.set_up(made)
        found = bench.latencies(made, EDGES)
    return {"lamp": found["edge_to_led_ms"], "chip": found["chip_ms"], "host": found["host_ms"]}


def trace(ply: str) -> str:
    """What a hand does in *ply*, after a lift without a move."""
    source, target = ply[:2], ply[-2:]
    taken = f"{target}- 300 " if "x" in ply else ""
    return f"{source}- 400 {source}+ 900 {taken}{source}- 500 {target}+ 3000"


def referee() -> Figures:
    """A game of chess, without a panel."""
    from tests.referee.support import perform, table

    plies = GAME.split()

    def play() -> None:
        fake = table("chess")
        for ply in plies:
            perform(fake, trace(ply))
        if fake.session.ply != len(plies):
            raise SystemExit(f"the referee has seen {fake.session.ply} of {len(plies)} plies")

    return {"referee": 1000 * cheapest(play) / len(plies)}


def usage(process: int) -> tuple[float, int]:
    """Processor seconds and resident bytes of *process*."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), pages * os.sysconf("SC_PAGE_SIZE")


def fetched(address: str) -> bytes:
    """The decoded body at *address*."""
    with urllib.request.urlopen(address, timeout=60) as answer:
        body: bytes = answer.read()
    return body


NAMED: Final = re.compile(
    r"""<(?:link|script|img)[^>]*?(?:href|src)="([^":]+)"|^(?:import|export)[^"';()]*?["'](\.[^"']+)["']"""
    r"""|@import\s+(?:url\()?["']([^"']+)["']""",
    re.M,
)
"""What a page, script or style sheet loads at once."""


def page_files(address: str) -> dict[str, int]:
    """The addresses that the page at *address* loads, with their bytes."""
    sizes: dict[str, int] = {}
    left = [address]
    while left:
        url = left.pop()
        if url not in sizes:
            body = fetched(url)
            sizes[url] = len(body)
            text = body.decode("utf-8", "replace") if not url.endswith((".png", ".ico")) else ""
            left += [
                urllib.parse.urljoin(url, html.unescape(next(filter(None, each))))
                for each in NAMED.findall(text)
            ]
    return sizes


def program() -> Figures:
    """The program at a virtual table, from its start until its page is read."""
    with tempfile.TemporaryDirectory() as home:
        process = subprocess.Popen(
            [sys.executable, "-m", "companion", "play", "chess", "--no-browser", "--http-port", "0"],
            env={**os.environ, "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        try:
            assert process.stdout is not None
            port = next(
                found[1] for line in process.stdout if (found := re.search(r"://[^/]*?:(\d+)/", line))
            )
            address = f"http://127.0.0.1:{port}/"
            fetched(address)
            start_s, _ = usage(process.pid)
            sizes = page_files(address)
            _, resident = usage(process.pid)
        finally:
            process.kill()
            process.communicate()
    return {
        "start": start_s,
        "memory": resident,
        "page-bytes": sum(sizes.values()),
        "page-requests": len(sizes),
    }


def perft() -> Figures:
    """All sequences of moves in chess, to a fixed depth."""
    from companion.games import find
    from companion.games._shared.perft import perft as count

    rules = find("chess").rules()
    return {"perft": cheapest(lambda: count(rules, rules.initial(), PERFT_DEPTH))}


def camera() -> Figures:
    """Images of 28 pieces at rest, in which nothing changes."""
    import cv2

    from tests.bench.campaign import Campaign

    cv2.setNumThreads(1)
    return {"camera": median(Campaign(1, lambda _: None).warm_times_ms())}


def search() -> Figures:
    """The opponent's first move in chess, at a fixed depth."""
    from companion.games import find
    from companion.opponent.find import knowledge_of
    from companion.opponent.search import Search

    rules = find("chess").rules()

    def think() -> None:
        any(False for _ in Search(knowledge_of(rules), rules.initial()).iterations(SEARCH_DEPTH))

    return {"search": cheapest(think)}


async def moves_in_hall(folder: Path) -> float:
    """Processor seconds of table and hall for a move, the least of several tables."""
    halls: Any = import_module("tests.host.hall.halls")
    station_class = getattr(halls, "Station", None) or halls.Board  # as older trees call it

    async with halls.hall_at(folder, f"sqlite:///{folder}/hall.sqlite") as opened, AsyncExitStack() as tables:
        stations = [station_class(folder, f"board-{number}") for number in range(HALL_TABLES)]
        for station in stations:
            await tables.enter_async_context(station.at(opened))
        await halls.until(lambda: len(opened.spectators.glances.shown) == HALL_TABLES, "all tables are shown")
        for station in stations:
            await station.play(HALL_GAME[0])
        spent = []
        for station in stations:
            began = time.process_time()
            await station.play(" ".join(HALL_GAME[1:]))
            spent.append((time.process_time() - began) / len(HALL_GAME[1:]))
        return min(spent)


def hall() -> Figures:
    """A hall with its tables in one process; the link to it included."""
    with tempfile.TemporaryDirectory() as folder:
        return {"hall": 1000 * asyncio.run(moves_in_hall(Path(folder)))}


def wheel() -> Figures:
    """The wheel, built from the tree."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        (made,) = Path(folder).glob("*.whl")
        return {"wheel": made.stat().st_size}


MEASUREMENTS: Final = {
    each.__name__: each for each in (panel, referee, program, perft, camera, search, hall, wheel)
}


def main() -> None:
    """Take the named measurements."""
    for name in sys.argv[1:]:
        print(json.dumps(MEASUREMENTS[name]()), flush=True)


if __name__ == "__main__":
    main()

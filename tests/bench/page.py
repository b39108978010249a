# SPDX-License-Identifier: Apache-2.0
"""Measure the time from a switch to the page, and the size of the page.

A server in a process of its own plays chess at a virtual table. A hand lifts a pawn and puts it
back at known times, which opens and closes the switch below. A headless Chromium on this machine
shows the page. Figures:

- edge_to_pixel_ms: from the switch to the finished frame with the lamps of the answer: 4 ms of
  debouncing in the panel, the link without a cable, the host, the WebSocket, and the page's
  script, layout and paint. The compositor and the screen add a frame or two.
- clock_error_ms: the greatest possible difference between the clocks of both processes.
- page_bytes: everything fetched before one can play, uncompressed, without headers.
- first_board_ms: from opening the address with an empty cache to the first finished frame with all
  pieces (the median).
- spectators: the same latency with many WebSockets that watch, the server's time per change
  without and with them, how many states each received, and whether all have the newest.
- load: the load average of the system.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page, Request, sync_playwright  # noqa: E402  (run as a script, from anywhere)
from websockets.asyncio.client import ClientConnection, connect  # noqa: E402

from companion.feedback.words import load  # noqa: E402
from companion.games import find  # noqa: E402
from companion.host.clock import monotonic  # noqa: E402
from companion.host.journal.journal import FORMAT, Header, JournalWriter  # noqa: E402
from companion.host.journal.setup import GameSetup  # noqa: E402
from companion.host.play.new_table import make_table  # noqa: E402
from companion.host.table.table import Table  # noqa: E402
from companion.host.virtual_table.hands import Drop, Lift  # noqa: E402
from companion.host.web import server as web  # noqa: E402
from companion.host.web.file_limit import room_for  # noqa: E402
from companion.host.web.table_page import make_app  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.timing import DEFAULT_TIMING  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.page_reader import PageReader  # noqa: E402

CHROMIUM: Final = "/usr/bin/chromium"
GAME: Final = "chess"
CELL: Final = "e2"
SPECTATORS: Final = 200
PAUSE_S: Final = (0.3, 0.45)
"""Seconds between two changes: longer than an answer, shorter than a move needs."""
_REST_S: Final = 1.0
"""Wait after the last change, for its late effects."""

FRAMES: Final = """
window.frames_at = [];
const channel = new MessageChannel();
channel.port1.onmessage = () => frames_at.push(performance.timeOrigin + performance.now());
const finished = () => requestAnimationFrame(() => channel.port2.postMessage(0)); // after it, the frame is painted
document.addEventListener("DOMContentLoaded", () => {
  new MutationObserver((changes) => {
    if (changes.some(({ target, oldValue }) => target.classList.contains("lamp") && target.getAttribute("class") !== oldValue)) finished();
  }).observe(document.getElementById("board"), { subtree: true, attributeFilter: ["class"], attributeOldValue: true });
  const board = new MutationObserver(() => {
    if (document.querySelectorAll(".pieces .piece").length < 32) return;
    board.disconnect();
    requestAnimationFrame(() => setTimeout(() => (window.board_ms = performance.now())));
  });
  board.observe(document.getElementById("board"), { subtree: true, childList: true });
});
"""


# --- the server, and those who watch: processes of their own ---


async def serve() -> None:
    """Serve a table and its page.

    Each line of standard input has a number of changes of the switch, and a seed.
    """
    game = find(GAME)
    rules = game.rules()
    header = Header(FORMAT, "bench", "2026-01-01T00:00:00+00:00", GameSetup(GAME), DEFAULT_TIMING)
    with (
        tempfile.TemporaryDirectory() as folder,
        JournalWriter.create(Path(folder) / "game.jsonl", header) as writer,
    ):
        words = load("en", GAME, rules.sides)
        table = make_table(None, game, Session(rules), words, writer, monotonic())
        running = asyncio.create_task(table.run())
        room = room_for(per_address=2 * SPECTATORS)  # the spectators and the browser share an address
        listener = web.listen("127.0.0.1", 0)
        async with web.serving_app(make_app(table), listener, room=room) as address:
            send_line(address)
            while line := await asyncio.to_thread(sys.stdin.readline):
                send_line(await change(table, *map(int, line.split())))
        running.cancel()
        await asyncio.wait({running})


def send_line(what: object) -> None:
    """Print a line for the parent process."""
    print(json.dumps(what), flush=True)


async def change(table: Table, count: int, seed: int) -> dict[str, Any]:
    """Lift and put back a pawn, *count* times in all; times, costs and states."""
    chance = random.Random(seed)
    cell = table.pipeline.session.rules.grid.cell(CELL)
    edges, pictures = [], 0
    before_s = time.process_time()
    with table.watch() as has_changed:
        shown = table.page_state()
        for number in range(count):
            edges.append(time.time_ns() / 1e6)
            table.do(Drop(cell) if number % 2 else Lift(cell))
            until_s = asyncio.get_running_loop().time() + chance.uniform(*PAUSE_S)
            while (left_s := until_s - asyncio.get_running_loop().time()) > 0:
                has_changed.clear()
                try:
                    await asyncio.wait_for(has_changed.wait(), left_s)
                except TimeoutError:
                    break
                if (state := table.page_state()) != shown:
                    shown, pictures = state, pictures + 1
        await asyncio.sleep(_REST_S)
        shown = table.page_state()
    return {"edges": edges, "cpu_s": time.process_time() - before_s, "pictures": pictures, "newest": shown}


async def watch(address: str, count: int) -> None:
    """Read everything from *count* WebSockets; a line of standard input asks for a report.

    In reality they are on other machines, so they give way to the server and the browser.
    """
    os.nice(10)
    lines = await asyncio.gather(
        *(
            connect(f"{address.replace('http', 'ws', 1)}ws?watch=true", close_timeout=0.5)
            for _ in range(count)
        )
    )
    got, readers = [0] * count, [PageReader() for _ in lines]
    for reader, line in zip(readers, lines, strict=True):
        reader.take(await line.recv())

    async def read(number: int, line: ClientConnection) -> None:
        async for message in line:
            got[number] += 1
            readers[number].take(message)

    reading = [asyncio.create_task(read(number, line)) for number, line in enumerate(lines)]
    send_line("ready")
    while await asyncio.to_thread(sys.stdin.readline):
        send_line({"got": got, "newest": [reader.state for reader in readers]})
    for each in reading:
        each.cancel()
    await asyncio.gather(*(line.close() for line in lines))


class Helper:
    """This script in another process, in one of the roles above."""

    def __init__(self, *role: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, __file__, *role], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.first = self.answer()

    def answer(self) -> Any:
        """Its next line."""
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline())

    def ask(self, words: str) -> Any:
        """Its answer to *words*."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{words}\n")
        self.process.stdin.flush()
        return self.answer()

    def end(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@contextmanager
def helper(*role: str) -> Iterator[Helper]:
    """A helper process in the role *role* during the context."""
    made = Helper(*role)
    try:
        yield made
    finally:
        made.end()


# --- measuring ---


def clock_error(page: Page) -> tuple[float, float]:
    """How far the browser's clock is ahead of ours, in ms, and the maximum error."""
    trips = []
    for _ in range(60):
        before = time.time_ns() / 1e6
        theirs = page.evaluate("performance.timeOrigin + performance.now()")
        after = time.time_ns() / 1e6
        trips.append(((after - before) / 2, theirs - (before + after) / 2))
    error, ahead = min(trips)
    return ahead, error


def latencies(edges: Sequence[float], frames: Sequence[float]) -> list[float]:
    """The time from each of *edges* to the first of *frames* before the next edge.

    Edges without a frame are left out.
    """
    ends = [*edges[1:], float("inf")]
    found = (
        next((frame - edge for frame in frames if edge <= frame < end), None)
        for edge, end in zip(edges, ends, strict=True)
    )
    return [each for each in found if each is not None]


def edges_to_pixels(server: Helper, page: Page, count: int, seed: int) -> tuple[list[float], dict[str, Any]]:
    """The latencies of *count* changes, and the server's report."""
    ahead, _ = clock_error(page)
    page.evaluate("frames_at.length = 0")
    report = server.ask(f"{count} {seed}")
    frames = [at - ahead for at in page.evaluate("frames_at")]
    return latencies(report["edges"], frames), report


def board_ms(page: Page, address: str) -> float:
    """Open *address*; the time until the first board."""
    page.add_init_script(FRAMES)
    page.goto(address)
    while (took := page.evaluate("window.board_ms")) is None:
        page.wait_for_timeout(20)
    return float(took)


def append_request(requests: list[Request], request: Request) -> None:
    """Append *request* to *requests*."""
    requests.append(request)


def first_boards(browser: Browser, address: str, count: int) -> tuple[list[float], int]:
    """The times of *count* first boards, and the bytes that were fetched."""
    times = []
    fetched = 0
    for _ in range(count):
        context = browser.new_context(viewport={"width": 1280, "height": 800})
        page = context.new_page()
        requests: list[Request] = []
        page.on("requestfinished", partial(append_request, requests))
        times.append(board_ms(page, address))
        fetched = sum(request.sizes()["responseBodySize"] for request in requests)
        context.close()
    return times, fetched


def spectators(server: Helper, page: Page, count: int, seed: int, without: dict[str, Any]) -> dict[str, Any]:
    """The figures with many spectators."""
    with helper("--watch", server.first, str(SPECTATORS)) as watching:
        found, report = edges_to_pixels(server, page, count, seed)
        page.wait_for_timeout(500)
        seen = watching.ask("report")
    return {
        "count": SPECTATORS,
        "edge_to_pixel_ms": percentiles(found),
        "server_ms_per_change": {
            "without": round(1e3 * without["cpu_s"] / len(without["edges"]), 2),
            "with": round(1e3 * report["cpu_s"] / len(report["edges"]), 2),
        },
        "pictures": report["pictures"],
        "pictures_each": [min(seen["got"]), max(seen["got"])],
        "all_have_the_newest": all(_changing(state) == report["newest"] for state in seen["newest"]),
    }


def _changing(state: dict[str, Any]) -> dict[str, Any]:
    """*state* without its time stamp and the constants of the game."""
    return {name: value for name, value in state.items() if name not in ("now_ms", "table")}


def measure(count: int, boards: int, seed: int) -> dict[str, Any]:
    """All figures, from *count* changes of a switch and *boards* loads of the page."""
    with helper("--serve") as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        say(f"{boards} times the first board ...")
        times, fetched = first_boards(browser, server.first, boards)
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        board_ms(page, server.first)
        page.wait_for_timeout(1000)
        say(f"{count} changes of a switch ...")
        found, report = edges_to_pixels(server, page, count, seed)
        say(f"the same with {SPECTATORS} spectators ...")
        watched = spectators(server, page, count, seed + 1, report)
        _, error = clock_error(page)
        browser.close()
    return {
        "edge_to_pixel_ms": percentiles(found),
        "edges": count,
        "edges_answered": len(found),
        "clock_error_ms": round(error, 2),
        "page_bytes": fetched,
        "first_board_ms": round(median(times), 1),
        "spectators": watched,
        "load": round(os.getloadavg()[0], 1),
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    return arguments(__doc__, "python tests/bench/page.py --quick")


def main() -> None:
    """Measure and print the report."""
    if sys.argv[1:2] == ["--serve"]:
        asyncio.run(serve())
    elif sys.argv[1:2] == ["--watch"]:
        asyncio.run(watch(sys.argv[2], int(sys.argv[3])))
    else:
        words = parser().parse_args()
        count, boards = (40, 3) if words.quick else (500, 15)
        deliver(measure(count, boards, words.seed), words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What a running table costs: processor time and memory, seen from outside.

The real program of a tree runs at simulated boards on pseudo-terminals
(`tests/bench/adapters/cost.py`), with its page open in a Chromium. Boards, hands and Chromium are
processes of their own and do not count. Both trees play at the same time, a hand's motion in turn.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import IO, Final, NamedTuple

from playwright.sync_api import Browser, Page, expect

from tests.bench.against import AgainstFailed, Tree, adapter_words, last_lines

ADAPTER: Final = Path(__file__).parent / "adapters" / "cost.py"
GAME: Final = [
    "Pe2e4",
    "pe7e5",
    "Ng1f3",
    "nb8c6",
    "Bf1b5",
    "pa7a6",
    "Bb5xc6",
    "pd7xc6",
    "Nf3xe5",
    "qd8d4",
    "Ne5f3",
    "qd4xe4",
    "Qd1e2",
    "qe4xe2",
    "Ke1xe2",
    "bc8g4",
    "Ph2h3",
    "bg4h5",
    "Pd2d3",
    "bf8d6",
]
"""A game of chess without castling: the piece's letter, and the squares of each ply."""
PLAY: Final = ("play", "chess", "--no-browser", "--http-port", "0")
PORTS: Final = {"dgt": "dgt:{}", "millennium": "millennium:{}", "panel": "{}"}
CAPTURE_S, LIFT_S, PUT_S = 0.3, 0.35, 0.55
"""Times that a hand takes after each motion: those of people, without their thinking."""
REST_S: Final = 1.5
"""Time after the last motion, for its effects."""
IDLE_S: Final = 8.0
STARTS: Final = 3
SET_UP_S: Final = 60
"""Time after which a table that is not set up has failed."""
_TICKS: Final = os.sysconf("SC_CLK_TCK")


class Pair(NamedTuple):
    """A figure in both trees."""

    now: float
    before: float
    note: str = ""


def pair(values: Iterable[float], note: str = "") -> Pair:
    """The two *values* as a pair."""
    now, before = values
    return Pair(now, before, note)


Trees = tuple[Tree, Tree]
"""This tree and the older one."""


# --- what processes use ---


def session(leader: int) -> Iterator[tuple[int, list[str]]]:
    """The processes of a session, with their `stat` from the state on."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            if int(fields[3]) == leader:
                yield int(entry.name), fields


def processor_s(leader: int) -> float:
    """Processor seconds of all processes of a session, ended ones included."""
    spent = 0.0
    for process, fields in session(leader):
        clock = (~process << 3) | 2  # what clock_getcpuclockid returns: finer than the ticks in `stat`
        spent += time.clock_gettime(clock) + (int(fields[13]) + int(fields[14])) / _TICKS
    return spent


def resident_mb(leader: int) -> float:
    """Resident memory of all processes of a session."""
    return sum(int(fields[21]) * os.sysconf("SC_PAGE_SIZE") / 1e6 for _, fields in session(leader))


# --- programs and boards ---


class Program:
    """A program of a tree that serves pages, from its first address on."""

    def __init__(self, process: subprocess.Popen[str], said: IO[str], name: str) -> None:
        self.pid = process.pid
        self.name = name
        self._lines = process.stdout
        self._said = said
        self.address = self.next_address()

    def next_address(self, before: str = "") -> str:
        """The local address of the next page in its output, after the words *before*."""
        for line in self._lines or ():
            if found := re.search(rf"{before}.*?://[^/\s]*?:(\d+/[\w/-]*)", line):
                return f"http://127.0.0.1:{found[1]}"
        self._said.seek(0)
        raise AgainstFailed(f"the program ended early in {self.name}: {last_lines(self._said.read())}")

    @property
    def processor_s(self) -> float:
        """Processor seconds that it has used."""
        return processor_s(self.pid)


def surroundings(home: str) -> dict[str, str]:
    """Variables that keep everything of a program in *home*; its bytecode is that of `compiled`."""
    kept = ("HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME")
    own = {"PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "", "COLUMNS": "200"}
    return {**dict.fromkeys(kept, home), **own}


def compiled(tree: Tree) -> None:
    """Compile *tree*, so that no program does. Raises `AgainstFailed`."""
    process = tree.start("-m", "compileall", "-q", "companion")
    tree.end(process)
    if process.returncode:
        raise AgainstFailed(f"{tree.name} cannot be compiled: see above")


@contextmanager
def running(tree: Tree, *words: str) -> Iterator[Program]:
    """`companion` with *words* in *tree*, until the end of the context."""
    with tempfile.TemporaryDirectory() as home, (Path(home) / "said").open("w+") as said:
        command = ("-m", "companion", *words)
        process = tree.start(*command, env=surroundings(home), stdout=subprocess.PIPE, stderr=said)
        try:
            yield Program(process, said, tree.name)
        finally:
            tree.end(process, kill=True)


class Boards:
    """Simulated boards on pseudo-terminals, of a tree, in a process of their own."""

    def __init__(self, process: subprocess.Popen[str], ports: list[str], name: str) -> None:
        self.ports = ports
        self._hands = process.stdin
        if process.stdout is None or not process.stdout.readline():
            raise AgainstFailed(f"there are no simulated boards in {name}: {ADAPTER.name} failed, see above")

    def move(self, number: int, square: str, letter: str) -> None:
        """Put the piece *letter* on *square* of a board; `-` takes one."""
        assert self._hands is not None
        self._hands.write(f"{number} {square} {letter}\n")
        self._hands.flush()


@contextmanager
def boards(tree: Tree, *kinds: str) -> Iterator[Boards]:
    """Boards of *kinds* with the pieces of a new game of chess."""
    with tempfile.TemporaryDirectory() as folder:
        ports = [PORTS[kind].format(Path(folder) / str(number)) for number, kind in enumerate(kinds)]
        command = adapter_words(ADAPTER, folder, *kinds)
        process = tree.start(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            yield Boards(process, ports, tree.name)
        finally:
            tree.end(process, kill=True)


def motions(ply: str) -> list[tuple[str, str, float]]:
    """What a hand does in *ply*: squares, letters, and how long it takes.

    >>> [square + letter for square, letter, _ in motions("Bb5xc6")]
    ['c6-', 'b5-', 'c6B']
    """
    letter, source, target = ply[0], ply[1:3], ply[-2:]
    taken = [(target, "-", CAPTURE_S)] if "x" in ply else []
    return [*taken, (source, "-", LIFT_S), (target, letter, PUT_S)]


# --- pages ---


def opened(browser: Browser, address: str) -> Page:
    """The page at *address* in a context of its own."""
    page = browser.new_context(viewport={"width": 1280, "height": 800}).new_page()
    page.goto(address)
    return page


def waits_for_move(page: Page) -> None:
    """Wait until the table of *page* is set up."""
    expect(page.locator("body")).to_have_attribute("data-phase", "waiting", timeout=1000 * SET_UP_S)


class Table(NamedTuple):
    """A program with a board and its page."""

    program: Program
    boards: Boards
    page: Page


@contextmanager
def table(tree: Tree, browser: Browser, kind: str) -> Iterator[Table]:
    """Chess at a board of *kind*, set up, with its page open."""
    with boards(tree, kind) as made, running(tree, *PLAY, "--port", made.ports[0]) as program:
        page = opened(browser, program.address)
        waits_for_move(page)
        try:
            yield Table(program, made, page)
        finally:
            page.context.close()


# --- the measurements ---


def plies(kind: str, trees: Trees, browser: Browser) -> Pair:
    """Processor ms of the program for a ply of chess at a board of *kind*."""
    with ExitStack() as stack:
        tables = [stack.enter_context(table(tree, browser, kind)) for tree in trees]
        began = [each.program.processor_s for each in tables]
        for square, letter, pause_s in (motion for ply in GAME for motion in motions(ply)):
            for each in tables:
                each.boards.move(0, square, letter)
                time.sleep(pause_s / len(tables))
        time.sleep(REST_S)
        spent = [each.program.processor_s - start for each, start in zip(tables, began, strict=True)]
        for each in tables:
            seen = each.page.locator("#moves li").count()
            if seen != len(GAME):
                raise AgainstFailed(
                    f"{kind} in {each.program.name}: {seen} of {len(GAME)} plies are in the record: is this"
                    " machine busy?"
                )
    return pair(1000 * each / len(GAME) for each in spent)


def idle(trees: Trees, browser: Browser) -> dict[str, Pair]:
    """Percent of a core of an idle table, and its memory without the page."""
    with ExitStack() as stack:
        tables = [stack.enter_context(table(tree, browser, "millennium")) for tree in trees]
        starts = [(each.program.processor_s, time.monotonic()) for each in tables]
        time.sleep(IDLE_S)
        percents = [
            100 * (each.program.processor_s - spent_s) / (time.monotonic() - began_s)
            for each, (spent_s, began_s) in zip(tables, starts, strict=True)
        ]
        for each in tables:
            each.page.close()
        memory = [resident_mb(each.program.pid) for each in tables]
    return {"idle": pair(percents), "memory": pair(memory)}


def reachable(trees: Trees) -> Pair:
    """Processor seconds until a new table's page is served, the median."""
    spent: tuple[list[float], list[float]] = [], []
    no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(STARTS):
        for tree, times in zip(trees, spent, strict=True):
            with running(tree, *PLAY) as program, no_proxy.open(program.address) as page:
                page.read()
                times.append(program.processor_s)
    return pair(map(median, spent))

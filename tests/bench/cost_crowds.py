# SPDX-License-Identifier: Apache-2.0
"""What many cost: watchers of a table, and the tables of a hall.

Watchers are connections like those of browsers, in a process of their own
(`tests/bench/adapters/readers.py`). Their addresses are those that a real page uses.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final, NamedTuple

from playwright.sync_api import Browser, Page, expect

from tests.bench.against import AgainstFailed, Tree
from tests.bench.cost_pages import CHANGE_S, cell, fresh, lift_and_put_back, watched
from tests.bench.cost_tables import (
    PLAY,
    SET_UP_S,
    Boards,
    Pair,
    Program,
    Trees,
    boards,
    motions,
    opened,
    pair,
    running,
    waits_for_move,
)

READERS: Final = Path(__file__).parent / "adapters" / "readers.py"
WATCHERS: Final = 200
CHANGES: Final = 20
TABLES: Final = 20
OPENING: Final = ["Pe2e4", "pe7e5", "Ng1f3", "nb8c6", "Bf1b5", "pa7a6", "Bb5xc6", "pd7xc6"]
"""What is played at each table of a hall."""
LAST: Final = "dxc6"
"""The last ply of the opening as the hall's page writes it."""
MOTION_S: Final = 0.5
"""Time for a motion at each table of the hall in turn."""
SETTLED_S: Final = 0.3
"""Time after the last of them, for its effects."""
NAME: Final = re.compile(r"(?<=[?&]name=)[^&]*")


def socket_of(browser: Browser, address: str) -> str:
    """The address of the WebSocket that the page at *address* opens."""
    with fresh(browser) as (page, devtools):
        traffic = watched(devtools)
        page.goto(address)
        page.wait_for_load_state("networkidle")
        waits_for_move(page)
    return traffic.sockets[0]


class Readers:
    """Connections to WebSockets that are read."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._answer()

    def received(self) -> list[int]:
        """The bytes that each has received since the last call."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n")
        self._process.stdin.flush()
        found: list[int] = json.loads(self._answer())
        return found

    def _answer(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise AgainstFailed("the readers of WebSockets failed: see above")
        return line


@contextmanager
def readers(count: int, addresses: Sequence[str]) -> Iterator[Readers]:
    """*count* connections to each of *addresses*."""
    command = [sys.executable, str(READERS), str(count), *addresses]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Readers(process)
        finally:
            process.kill()


# --- watchers ---


def watched_change(tree: Tree, browser: Browser) -> float:
    """Processor ms of the program for a change of a table at which many watch."""
    with running(tree, *PLAY) as program:
        page = opened(browser, program.address)
        waits_for_move(page)
        address = socket_of(browser, f"{program.address}?watch")
        with readers(WATCHERS, [address]) as crowd:
            page.wait_for_timeout(1000 * CHANGE_S)
            crowd.received()
            begun = program.processor_s
            lift_and_put_back(page, cell(page, "e2"), CHANGES)
            spent = program.processor_s - begun
            least = min(crowd.received())
        page.context.close()
    if not least:
        raise AgainstFailed(f"not all of {WATCHERS} watchers in {tree.name} have received the changes")
    return 1000 * spent / CHANGES


def watchers(trees: Trees, browser: Browser) -> Pair:
    """A change with many watchers in both trees."""
    return pair(watched_change(tree, browser) for tree in trees)


# --- a hall ---


class Hall(NamedTuple):
    """A hall with its boards."""

    program: Program
    boards: Boards
    page: Page


@contextmanager
def tables_of(tree: Tree, browser: Browser) -> Iterator[Hall]:
    """A hall whose page and tables' pages are open."""
    with boards(tree, *["panel"] * TABLES) as made:
        names = [f"--board=b{number}=chess@{port}" for number, port in enumerate(made.ports)]
        with running(tree, "hall", "--http-port", "0", *names) as program:
            tables = [program.next_address("the table is at") for _ in names]
            page = opened(browser, program.address)
            query = socket_of(browser, tables[0]).partition("?")[2]
            sockets = [
                f"ws{address.removeprefix('http')}ws?{NAME.sub(f'reader{number}', query)}"
                for number, address in enumerate(tables)
            ]
            with readers(1, sockets):
                yield Hall(program, made, page)
            page.context.close()


def hall(trees: Trees, browser: Browser) -> Pair:
    """Processor seconds of a hall for 1000 moves, from an opening at each table.

    The halls take turns, a motion at each table of one and then of the other: two that play at once
    keep both processors busy, and leave out what they are late for.
    """
    with ExitStack() as stack:
        halls = [stack.enter_context(tables_of(tree, browser)) for tree in trees]
        spent = [0.0 for _ in halls]
        for square, letter, _ in (motion for ply in OPENING for motion in motions(ply)):
            for turn, each in enumerate(halls):
                began = each.program.processor_s
                for number in range(TABLES):
                    each.boards.move(number, square, letter)
                    time.sleep(MOTION_S / TABLES)
                time.sleep(SETTLED_S)
                spent[turn] += each.program.processor_s - began
        for each in halls:
            shown = each.page.locator("#boards p").filter(has_text=LAST)
            expect(shown).to_have_count(TABLES, timeout=1000 * SET_UP_S)
    moves = TABLES * len(OPENING)
    return pair((1000 * each / moves for each in spent), f"from {moves} moves")

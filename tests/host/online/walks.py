# SPDX-License-Identifier: Apache-2.0
"""`companion play` at a panel whose hands are the test's."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import PIPE
from typing import Any

from websockets.asyncio.client import ClientConnection, connect

from companion import games
from companion.host.clock import monotonic
from companion.host.virtual_table.hands import Drop, Lift
from companion.host.virtual_table.table import VirtualTable
from companion.link.panel import panel_for
from companion.model.game import AnyRules
from companion.model.placement import Placement
from companion.virtual.panel import VirtualPanel
from companion.virtual.pieces import PieceSet
from tests.host.tcp import TcpPanel
from tests.page_reader import PageReader
from tests.programs import Program
from tests.waits import brisk

PATIENCE_S = 60


@dataclass
class Walk:
    """A running program, its board, and what its page shows."""

    rules: AnyRules
    hands: VirtualTable
    panel: TcpPanel
    page: ClientConnection
    program: Program
    shown: dict[str, Any] = field(default_factory=dict)
    reader: PageReader = field(default_factory=PageReader)
    lines: list[str] = field(default_factory=list)
    """What the program has printed."""

    @property
    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = self.shown["view"]
        return found

    def made(self) -> list[str]:
        """The announced moves."""
        return [move["text"] for move in self.view["record"] if move["stage"] != "provisional"]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Wait until *holds*, with the page's state kept up to date."""
        async with asyncio.timeout(PATIENCE_S):
            while not self.shown or not holds():
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(0.05):  # what is waited for may not be on the page
                        said = self.reader.take(await self.page.recv())
                        if "view" in said:
                            self.shown = said

    async def phase(self, name: str) -> None:
        await self.until(lambda: self.view["phase"] == name)

    async def command(self, name: str, **values: object) -> None:
        """Give the command *name* on the page."""
        await self.page.send(json.dumps({"is": name, **values}))

    def carry(self, *cells: str) -> None:
        """Carry a piece from the first of *cells* to the second."""
        source, target = map(self.rules.grid.cell, cells)
        self.hands.do(Lift(source))
        self.hands.do(Drop(target))

    def make(self, text: str) -> None:
        """Make the legal move *text* in the position that the page shows."""
        position = self.rules.read_position(self.view["position"])
        self.hands.do(tuple(self.rules.steps(position, self.rules.read_move(position, text))))

    async def move(self, text: str) -> None:
        """Make the move *text* and wait until it is announced."""
        plies = len(self.made())
        self.make(text)
        await self.until(lambda: len(self.made()) > plies)

    async def obey(self, text: str) -> None:
        """Carry out the move *text*, decided elsewhere."""
        await self.until(lambda: self.view["phase"] == "carrying_out")
        await self.move(text)


@dataclass
class Board:
    """A panel with pieces and hands, which stays when a program at it ends."""

    rules: AnyRules
    hands: VirtualTable
    panel: TcpPanel
    standing: Placement
    """As the pieces are set up by `SetRight`."""


@asynccontextmanager
async def board_of(game: str) -> AsyncIterator[Board]:
    """A panel for *game* with its pieces at the start, over TCP."""
    rules, clock = games.find(game).rules(), monotonic()
    panel = VirtualPanel(panel_for(rules.grid), unique_id=b"testtest", session=1, now_ms=clock())
    hands = VirtualTable(panel, PieceSet(rules.placement(rules.initial())), clock)
    standing = rules.placement(rules.initial())
    async with TcpPanel(panel, clock).serving() as served:
        board = Board(rules, hands, served, standing)
        moving = asyncio.create_task(hands.run(lambda: board.standing, lambda _felt: None))
        try:
            yield board
        finally:
            moving.cancel()
            await asyncio.gather(moving, return_exceptions=True)


@asynccontextmanager
async def walking(
    folder: Path,
    *words: str,
    game: str = "chess",
    settings: str = "",
    env: Mapping[str, str] | None = None,
    lines: list[str] | None = None,
) -> AsyncIterator[Walk]:
    """Run `companion play GAME WORDS` inside the block, with *settings*, in *folder*.

    What it prints is appended to *lines*.
    """
    async with contextlib.AsyncExitStack() as stack:
        found = await stack.enter_async_context(board_of(game))
        environment = {**os.environ, **brisk(folder), "XDG_DATA_HOME": str(folder), **(env or {})}
        with (folder / "config" / "companion" / "settings.toml").open("a") as file:
            file.write(settings)
        command = ["play", game, "--port", found.panel.url, "--no-browser", "--http-port=0", *words]
        environment |= {"PYTHONUNBUFFERED": "1", "COLUMNS": "400"}
        program = await asyncio.to_thread(Program, "companion", command, stdout=PIPE, env=environment)
        assert program.stdout is not None
        lines = [] if lines is None else lines
        beside: list[asyncio.Task[None]] = []
        try:
            address = await asyncio.to_thread(_address, program, lines)
            beside.append(asyncio.create_task(asyncio.to_thread(lines.extend, program.stdout)))
            async with connect(f"ws://{address}/ws?name=test", max_size=None) as page:
                walk = Walk(found.rules, found.hands, found.panel, page, program, lines=lines)
                await walk.until(lambda: walk.view["phase"] in ("waiting", "carrying_out"))
                yield walk
        finally:
            program.send_signal(signal.SIGINT)
            await asyncio.to_thread(program.wait, PATIENCE_S)
            await asyncio.gather(*beside, return_exceptions=True)
            program.stdout.close()
    assert program.returncode == 0, lines


def _address(program: Program, lines: list[str]) -> str:
    """Return host and port of the page, as soon as the program prints them."""
    assert program.stdout is not None
    for line in program.stdout:
        lines.append(line.rstrip())
        if found := re.search(r"The table is at http://([^/\s]+)/", line):
            return found[1]
    raise AssertionError(lines)

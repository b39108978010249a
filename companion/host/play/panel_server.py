# SPDX-License-Identifier: Apache-2.0
"""A virtual panel behind a TCP port: two programs use the real link without hardware.

Its rule: it serves only the panel and the hands of a virtual table, to one client at a time.
"""

from __future__ import annotations

import asyncio
import re
import socket
from collections.abc import Callable, Mapping
from typing import Final

from companion.host.terminal.keyboard import Lines
from companion.host.virtual_table.hands import (
    Clear,
    Drop,
    Hand,
    Lift,
    PressClock,
    PutAway,
    PutBack,
    SetRight,
    Take,
    Turn,
)
from companion.host.virtual_table.table import VirtualTable
from companion.model.errors import NotationError
from companion.model.grid import Cell, Grid

HELP: Final = (
    "Type two cells (a1 b2) to carry a piece, lift a1, drop b2, away a1, put a1 (out of the box), clear, turn, back, "
    "press 1, right, or quit."
)
_SPLIT: Final = re.compile(r"[\s-]+")
_QUIT: Final = "quit"
_ALONE: Final[Mapping[str, Hand]] = {"turn": Turn(), "back": PutBack(), "right": SetRight(), "clear": Clear()}
_AT_A_CELL: Final[Mapping[str, Callable[[Cell], Hand]]] = {"lift": Lift, "drop": Drop, "away": PutAway}
_LOOK_S: Final = 0.1
"""Interval between looks at the display."""


async def serve(
    virtual_table: VirtualTable,
    grid: Grid,
    listener: socket.socket,
    lines: Lines,
    inform: Callable[[str], None],
) -> None:
    """Serve the panel of *virtual_table* on *listener* and execute *lines* until one says quit.

    *grid* gives the names of the cells.
    """
    start = virtual_table.pieces.standing
    talking: set[asyncio.Task[None]] = set()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None and not talking:
            talking.add(task)
            inform("A program has connected.")
            try:
                await _serve_client(virtual_table, reader, writer)
            finally:
                talking.discard(task)
                writer.close()
            inform("The program has gone.")
        writer.close()

    async with asyncio.TaskGroup() as group:
        server = await asyncio.start_server(talk, sock=listener)
        others = [
            group.create_task(virtual_table.run(lambda: start, lambda _is_felt: None), name="virtual table"),
            group.create_task(_report_display(virtual_table, inform), name="display"),
        ]
        while (line := await lines.get()) is not None:
            if line.strip().casefold() == _QUIT:
                break
            hands = understand(line, grid, virtual_table.panel.device.panel.buttons)
            if not hands and line.strip():
                inform(HELP)
            for hand in hands:
                virtual_table.do(hand)
        server.close()
        for task in (*others, *talking):
            task.cancel()
        await asyncio.gather(*talking, return_exceptions=True)


async def _serve_client(
    virtual_table: VirtualTable, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Transfer bytes between the panel and the client until the client disconnects."""
    port = await virtual_table.open_port(writer.write, lambda _end: None)
    try:
        while data := await reader.read(4096):
            port.write(data)
    except ConnectionError:
        pass
    finally:
        await port.close()


async def _report_display(virtual_table: VirtualTable, inform: Callable[[str], None]) -> None:
    """Say the display's lines whenever they change."""
    printed: tuple[str, ...] = ()
    while True:
        if virtual_table.panel.lines != printed:
            printed = virtual_table.panel.lines
            shown = " | ".join(line.rstrip() for line in printed)
            if shown.strip(" |"):
                inform(f"[{shown}]")
        await asyncio.sleep(_LOOK_S)


def understand(line: str, grid: Grid, buttons: int) -> tuple[Hand, ...]:
    """Return the hand motions for *line* at a panel with *buttons* buttons; () if unknown."""
    words = _SPLIT.split(line.strip().casefold())
    try:
        match words:
            case [word] if word in _ALONE:
                return (_ALONE[word],)
            case ["press", number] if number.isdecimal() and 1 <= int(number) <= buttons:
                return (PressClock(int(number) - 1),)
            case ["put", cell]:
                return (Take(0), Drop(grid.cell(cell)))
            case [verb, cell] if verb in _AT_A_CELL:
                return (_AT_A_CELL[verb](grid.cell(cell)),)
            case [source, target]:
                return (Lift(grid.cell(source)), Drop(grid.cell(target)))
    except NotationError:
        pass
    return ()

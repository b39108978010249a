# SPDX-License-Identifier: Apache-2.0
"""The sensor test in the terminal: faults as they are found, the board, the verdict.

Its rule: it only shows; `sensor_test` leads the magnet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Final

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table

from companion.host.clock import Clock, monotonic
from companion.host.devices.known_ports import PANEL, remember
from companion.host.devices.panel_session import PanelSession, open_session
from companion.host.devices.panels import describe
from companion.host.devices.ports import serial_line
from companion.host.doctor.panel import column_findings, column_summary, measure_columns
from companion.host.doctor.sensor_test import (
    Order,
    Orders,
    SensorTest,
    run_sensor_test,
    sentence,
    summary,
    task,
    withdrawn,
)
from companion.host.terminal.keyboard import Lines, keyboard
from companion.host.text.error_translation import translate
from companion.model.phrase import Phrase
from companion.sensing.sensor_check import SwitchFault

_A_ROW: Final = 16
"""Cells per line if the panel is not rectangular."""
_MARKS: Final = ("[dim]·[/]", "[bold yellow]?[/]", "[green]+[/]", "[bold red]![/]")
"""Of the colours of `sensor_check`."""
_ORDERS: Final = {"": Order.SKIP, "b": Order.BACK, "q": Order.END}


@dataclass(frozen=True, slots=True)
class Examined:
    """A finished test, with what was measured of the columns."""

    test: SensorTest
    columns: tuple[Phrase, ...]

    @property
    def is_well(self) -> bool:
        """True if every switch works, and the columns rise in time."""
        return self.test.check.is_right and not self.columns

    @property
    def findings(self) -> tuple[Phrase, ...]:
        """The faults with their remedies."""
        return (*(sentence(each, self.test.grid) for each in self.test.check.faults), *self.columns)


def examine_switches(port: str, console: Console, language: str) -> Examined:
    """Test the switches of the panel on *port*. Raises `LinkError`."""
    return asyncio.run(_examine(port, console, language))


async def _examine(port: str, console: Console, language: str) -> Examined:
    """Test the switches of the panel on *port*."""
    clock = monotonic()
    async with open_session(serial_line(port), clock) as session:
        hello = await session.greet()
        await asyncio.to_thread(remember, port, PANEL)
        explain = partial(translate, language=language)
        console.print(" · ".join(describe(hello)))
        help_ = Phrase(
            "Put a magnet on each cell whose lamp blinks, and hold it there until the next lamp does."
            " Enter: this cell does not answer; b: back; q: end. The board's first and second button: on, back."
        )
        console.print(explain(help_), soft_wrap=True)
        test = await _shown(session, clock, console, language)
        measured = await measure_columns(session)
        columns = tuple(column_findings(*measured, test.grid.name))
        for said in (*column_summary(*measured), *columns, summary(test.check, test.grid)):
            console.print(explain(said), markup=False, soft_wrap=True)
        return Examined(test, columns)


async def _shown(session: PanelSession, clock: Clock, console: Console, language: str) -> SensorTest:
    """Test the switches of *session*, and show it."""
    orders: Orders = asyncio.Queue()
    reading = asyncio.create_task(_read_orders(orders), name="orders of the sensor test")
    told: tuple[SwitchFault, ...] = ()
    with Live(console=console, auto_refresh=False) as live:
        before = ""

        def show(test: SensorTest) -> None:
            nonlocal told, before
            for said in news(told, test.check.faults, test):
                console.print(f"• {translate(said, language)}", markup=False, soft_wrap=True)
            told = test.check.faults
            doing = translate(task(test.check, test.grid), language)
            if doing != before:
                live.update(Group(board(test), doing), refresh=True)
            before = doing

        try:
            return await run_sensor_test(session, clock, language, orders, show)
        finally:
            reading.cancel()


def news(told: Iterable[SwitchFault], faults: Iterable[SwitchFault], test: SensorTest) -> list[Phrase]:
    """The sentences for new faults, and for *told* ones that are no more."""
    known, now = tuple(told), tuple(faults)
    concerned = {fault.cell for fault in now}
    gone = [
        withdrawn(each.cell, test.grid) for each in known if each.cell not in concerned and each not in now
    ]
    return [*gone, *(sentence(each, test.grid) for each in now if each not in known)]


async def _read_orders(orders: Orders) -> None:
    """Turn typed lines into *orders*, until the end of the input."""
    lines: Lines = asyncio.Queue()
    keyboard(lines)
    while (line := await lines.get()) is not None:
        if (order := _ORDERS.get(line.strip().lower())) is not None:
            orders.put_nowait(order)


def board(test: SensorTest) -> Table:
    """The cells as on the board: ? is wanted, + works, ! has a fault."""
    grid = test.grid
    lamps = test.check.lamps(len(grid))
    table = Table(show_header=False)
    wide = grid.files or _A_ROW
    for begin in reversed(range(0, len(grid), wide)):
        table.add_row(grid.name(begin), *(_MARKS[lamp] for lamp in lamps[begin : begin + wide]))
    return table

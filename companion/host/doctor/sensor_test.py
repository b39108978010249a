# SPDX-License-Identifier: Apache-2.0
"""The sensor test at a board: lamps and display lead a magnet over all cells.

Its rule: `companion.sensing.sensor_check` decides what is wrong; this file shows it on the board,
and has the sentences for terminal and page.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from enum import StrEnum
from textwrap import wrap
from typing import Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.panel_session import PanelSession
from companion.host.text.error_translation import translate
from companion.link.connection import Connection
from companion.link.events import CommandAnswered, HealthReported, InputsChanged, LinkEvent
from companion.link.panel import button_of, grid_over
from companion.link.protocol_gen import Colour, Health, HelloReply, Stats, StatsReply
from companion.model.grid import Cell, Grid
from companion.model.phrase import Phrase
from companion.sensing.sensor_check import CheckTiming, FaultKind, SensorCheck, SwitchFault

_PALETTE: Final = (
    Colour(0, 0, 0, 0, 0, 0, 0, 0),
    Colour(90, 40, 0, 12, 6, 0, 60, 0),
    Colour(0, 10, 0, 0, 0, 0, 0, 0),
    Colour(90, 0, 0, 20, 0, 0, 20, 0),
)
"""Of `sensor_check`: dark; amber, blinking slowly; green, steady; red, blinking quickly."""
_POLL_MS: Final = 50
_LINGER_MS: Final = 30_000
"""How long the board shows the verdict, if no button is pressed."""
_A_LINE: Final = 16


class Order(StrEnum):
    """What a person wants of the test, besides moving the magnet."""

    SKIP = "skip"
    BACK = "back"
    END = "end"


Orders: TypeAlias = "asyncio.Queue[Order]"


class SensorTest:
    """A sensor test at the panel of one connection."""

    def __init__(
        self, connection: Connection, language: str, now_ms: int, timing: CheckTiming | None = None
    ) -> None:
        """Begin at the greeted panel of *connection*; its display speaks *language*."""
        assert connection.hello is not None
        self.hello: HelloReply = connection.hello
        self.grid = grid_over(self.hello)
        self.check = SensorCheck(to_and_fro(self.grid), connection.closed, now_ms, timing)
        self.is_dismissed = False
        """True when the verdict on the board was answered with a button."""
        self._connection = connection
        self._language = language
        connection.colour(_PALETTE)
        self._show()

    def take(self, events: Iterable[LinkEvent], now_ms: int) -> None:
        """Take *events* of the panel; also without any, time passes."""
        for event in events:
            self.check.take(event, now_ms)
            match event:
                case HealthReported() if event.health & Health.CHATTER:
                    self._connection.send(Stats())  # which switch it is
                case CommandAnswered(reply=StatsReply(chatter_input=cell)):
                    self.check.note_chatter(cell, now_ms)
                case InputsChanged():
                    self._press({button_of(each.input) for each in event.edges if each.is_closed}, now_ms)
        self.check.advance(now_ms)
        self._show()

    def obey(self, order: Order, now_ms: int) -> None:
        """Carry out *order*; at the verdict every one dismisses it."""
        if self.check.is_over:
            self.is_dismissed = True
        elif order is Order.END:
            self.check.end()
        elif order is Order.SKIP:
            self.check.skip(now_ms)
        else:
            self.check.back(now_ms)
        self._show()

    def _press(self, buttons: set[int | None], now_ms: int) -> None:
        """The first button of the board goes on, the second one back."""
        if 0 in buttons:
            self.obey(Order.SKIP, now_ms)
        elif 1 in buttons:
            self.obey(Order.BACK, now_ms)

    def _show(self) -> None:
        """Show lamps and texts; what has not changed is not sent."""
        self._connection.show(self.check.lamps(self.hello.cells))
        for line, text in enumerate(display_of(self.check, self.grid)):
            self._connection.write(line, translate(text, self._language)[:_A_LINE])

    def dark(self) -> None:
        """Leave the board dark."""
        self._connection.show(())
        self._connection.write(0, "")
        self._connection.write(1, "")


async def run_sensor_test(
    session: PanelSession,
    clock: Clock,
    language: str,
    orders: Orders,
    tell: Callable[[SensorTest], None],
    *,
    timing: CheckTiming | None = None,
    linger_ms: int = _LINGER_MS,
) -> SensorTest:
    """Test the switches of a greeted *session*; *tell* is called again and again.

    The verdict stays on the board for *linger_ms*, until a button or an order. Raises
    `PortUnavailable`.
    """
    test = SensorTest(session.connection, language, clock(), timing)
    over_ms: int | None = None
    while not test.is_dismissed and (over_ms is None or clock() < over_ms + linger_ms):
        test.take(await session.listen(clock() + _POLL_MS), clock())
        while not orders.empty():
            test.obey(orders.get_nowait(), clock())
        if over_ms is None and test.check.is_over:
            over_ms = clock()
        tell(test)
    test.dark()
    await session.flush()
    return test


def to_and_fro(grid: Grid) -> tuple[Cell, ...]:
    """The cells of *grid* in a short path: every second rank backwards."""
    cells = tuple(range(len(grid)))
    if not grid.files:
        return cells
    ranks = [cells[begin : begin + grid.files] for begin in range(0, len(cells), grid.files)]
    return tuple(cell for at, rank in enumerate(ranks) for cell in (rank[::-1] if at % 2 else rank))


# --- sentences ---


def display_of(check: SensorCheck, grid: Grid) -> tuple[Phrase | str, Phrase | str]:
    """The two lines of the display, of sixteen letters in every language.

    The verdict names as many faulty cells as fit; their lamps show all.
    """
    progress = Phrase("{done} of {count}", done=check.done, count=len(grid))
    if check.is_over:
        if check.is_right:
            return Phrase("All switches OK"), ""
        names = wrap(" ".join(grid.name(cell) for cell in sorted(check.faulty)), _A_LINE)
        return Phrase("Faults: {count}", count=len(check.faults)), names[0] if names else progress
    if check.target is None:
        return Phrase("Clear the board"), " ".join(map(grid.name, check.waits_for_empty_board))
    last = check.last_fault
    return Phrase("Magnet: {cell}", cell=grid.name(check.target)), short(last, grid) if last else progress


def short(fault: SwitchFault, grid: Grid) -> Phrase:
    """*fault* on a line of the display."""
    cell, other = grid.name(fault.cell), grid.name(fault.other) if fault.other >= 0 else ""
    match fault.kind:
        case FaultKind.DEAD:
            return Phrase("{cell}: dead", cell=cell)
        case FaultKind.STUCK:
            return Phrase("{cell}: stuck", cell=cell)
        case FaultKind.WEAK:
            return Phrase("{cell}: weak", cell=cell)
        case FaultKind.RESTLESS:
            return Phrase("{cell}: restless", cell=cell)
        case FaultKind.DOUBLED:
            return Phrase("{cell}: {other} too", cell=cell, other=other)
        case FaultKind.ELSEWHERE:
            return Phrase("{cell}: is {other}?", cell=cell, other=other)
        case FaultKind.SWAPPED:
            return Phrase("{cell}<>{other}", cell=cell, other=other)


def sentence(fault: SwitchFault, grid: Grid) -> Phrase:
    """*fault* with its likely cause and remedy."""
    cell, other = grid.name(fault.cell), grid.name(fault.other) if fault.other >= 0 else ""
    match fault.kind:
        case FaultKind.DEAD:
            return Phrase(
                "{cell} does not close: a broken reed, diode or joint; where a whole row or column"
                " is dead, its wire",
                cell=cell,
            )
        case FaultKind.STUCK:
            return Phrase(
                "{cell} does not open: a magnet left there, a short, or a reed that sticks: tap it, else replace it;"
                " until then: companion play --broken CELL",
                cell=cell,
            )
        case FaultKind.WEAK:
            return Phrase(
                "{cell} is weak, it opens under the magnet: look for a loose joint, move an end of the reed"
                " under the middle of the cell, or take a stronger magnet",
                cell=cell,
            )
        case FaultKind.RESTLESS:
            return Phrase(
                "{cell} does not come to rest: a loose joint, or a magnet at the reed's edge", cell=cell
            )
        case FaultKind.DOUBLED:
            return Phrase(
                "{cell} closes {other}, too: their reeds are too near to each other, their wires touch, or the"
                " column rises too slowly",
                cell=cell,
                other=other,
            )
        case FaultKind.ELSEWHERE:
            return Phrase(
                "a magnet on {cell} closes {other}: {cell} is wired in the place of {other}",
                cell=cell,
                other=other,
            )
        case FaultKind.SWAPPED:
            return Phrase(
                "{cell} and {other} are swapped: change their wires, or write their order with"
                " `python -m calibration reeds`",
                cell=cell,
                other=other,
            )


def withdrawn(cell: Cell, grid: Grid) -> Phrase:
    """A fault was found not to be one at a second visit."""
    return Phrase("{cell} works now", cell=grid.name(cell))


def task(check: SensorCheck, grid: Grid) -> Phrase:
    """What the person should do now."""
    if check.is_over:
        return summary(check, grid)
    if check.target is None:
        return Phrase(
            "Clear the board: {cells} are closed.",
            cells=" ".join(map(grid.name, check.waits_for_empty_board)),
        )
    return Phrase(
        "Put the magnet on {cell}, where the lamp blinks, until the next lamp does.",
        cell=grid.name(check.target),
    )


def summary(check: SensorCheck, grid: Grid) -> Phrase:
    """The result of the whole test."""
    count = len(grid)
    if check.missing:
        return Phrase(
            "Verdict: not complete. Faults: {faults}; {left} of {count} cells were not visited.",
            faults=len(check.faults),
            left=len(check.missing),
            count=count,
        )
    if check.faults:
        return Phrase("Verdict: {cells} of {count} cells have a fault.", cells=len(check.faulty), count=count)
    return Phrase("Verdict: all {count} switches work.", count=count)

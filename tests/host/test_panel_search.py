# SPDX-License-Identifier: Apache-2.0
"""`--port auto` finds the fitting panel among others, on any port."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from companion import games
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.devices.panel_session import PanelSession
from companion.host.devices.panels import FittingPanel
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port, VirtualPort, serial_line
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.table.link_status import LinkState
from companion.host.table.pipeline import Pipeline
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.link.connection import PATIENCE_MS, Connection
from companion.link.panel import load_panel
from companion.link.port import PortEnded
from companion.model.errors import PortUnavailable
from companion.model.grid import rectangle
from companion.referee.session.session import Session
from companion.virtual.panel import VirtualPanel
from tests.host.tables import GAME, HEADER, until
from tests.terminals import TerminalPanel

CLOCK = monotonic(10_000)
TICK_S = 0.05


class Socket:
    """A socket for a panel; counts how often it is open."""

    def __init__(self, panel: VirtualPanel | None) -> None:
        self.panel = panel
        self.open_count = 0

    async def open(self, on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        if self.panel is None:
            raise PortUnavailable("nothing there", port="socket")
        socket = self

        class Counted(VirtualPort):
            async def close(self) -> None:
                socket.open_count -= 1
                await super().close()

        port = Counted(self.panel, CLOCK, on_chunk)
        port.fetch()
        self.open_count += 1
        return port


def made(name: str = "4x8", number: int = 1) -> VirtualPanel:
    return VirtualPanel(load_panel(name), unique_id=bytes((number,) * 8), session=1, now_ms=CLOCK())


def finder(**sockets: Socket) -> FittingPanel:
    def ports() -> list[tuple[str, OpenPort]]:
        return [(name, each.open) for name, each in sockets.items()]

    return FittingPanel(rectangle(4, 8), CLOCK, ports)


async def opened(found: FittingPanel) -> tuple[Port, asyncio.Queue[bytes]]:
    heard: asyncio.Queue[bytes] = asyncio.Queue()
    return await found.open(heard.put_nowait, lambda _end: None), heard


def test_the_fitting_panel_is_chosen_and_the_others_are_closed() -> None:
    other, empty, small = Socket(made("5x5", 1)), Socket(None), Socket(made("4x8", 2))

    async def run() -> None:
        port, heard = await opened(finder(A=other, B=empty, C=small))
        assert (other.open_count, small.open_count) == (0, 1)
        assert small.panel is not None
        small.panel.close(3, CLOCK())
        assert isinstance(port, VirtualPort)
        port.fetch()
        assert await asyncio.wait_for(heard.get(), 60)
        await port.close()
        assert small.open_count == 0

    asyncio.run(run())


def test_a_panel_that_was_found_is_found_again_on_another_port() -> None:
    """Two equal panels are connected; the other table's panel is never taken."""
    first, second = Socket(made("4x8", 1)), Socket(None)
    found = finder(A=first, B=second)

    async def run() -> None:
        port, _ = await opened(found)
        await port.close()
        first.panel, second.panel = made("4x8", 2), first.panel
        again, _ = await opened(found)
        assert (first.open_count, second.open_count) == (0, 1)
        await again.close()
        second.panel = None
        with pytest.raises(PortUnavailable, match=r"panel (01){8} is not connected.*another panel, 02"):
            await opened(found)
        assert first.open_count == 0

    asyncio.run(run())


def test_a_port_that_ended_before_its_handover_is_reported_ended() -> None:
    """The panel is unplugged after its hello, before its table has the port."""
    ended = PortEnded("usb0", "unplugged")
    told: list[PortEnded] = []

    async def open_and_end(on_chunk: OnChunk, on_end: OnEnd) -> Port:
        on_end(ended)
        return VirtualPort(made(), CLOCK, on_chunk)

    async def run() -> None:
        session = PanelSession(CLOCK)
        await session.open(open_and_end)
        session.hand_over(lambda _chunk: None, told.append)

    asyncio.run(run())
    assert told == [ended]


def test_the_device_on_each_port_is_reported_if_none_fits() -> None:
    with pytest.raises(
        PortUnavailable, match=r"32 cells of the 4x8 grid.*A: the panel has 25 cells.*B: nothing"
    ):
        asyncio.run(opened(finder(A=Socket(made("5x5")), B=Socket(None))))


def test_a_larger_panel_is_found_for_a_smaller_game() -> None:
    large = Socket(made("8x8"))

    async def run() -> None:
        port, _ = await opened(finder(A=Socket(None), B=large))
        assert large.open_count == 1
        await port.close()

    asyncio.run(run())


def test_the_virtual_table_is_recommended_without_ports() -> None:
    with pytest.raises(PortUnavailable, match=r"no serial port.*virtual table"):
        asyncio.run(opened(finder()))


@pytest.mark.native
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_replugged_panel_is_served_within_two_seconds(tmp_path: Path) -> None:
    """It is unplugged and plugged in again, and a piece was moved meanwhile.

    Time that other programs take is not counted: the loop's own ticks are.
    """
    device = tmp_path / "panel"
    rules = games.find(GAME).rules()

    def plugged_in(occupied: int, session: int) -> TerminalPanel:
        panel = VirtualPanel(load_panel("4x8"), unique_id=bytes(8), session=session, now_ms=CLOCK())
        for cell in range(32):
            (panel.close if occupied >> cell & 1 else panel.open)(cell, CLOCK())
        panel.reset(CLOCK())
        return TerminalPanel(panel, CLOCK, device)

    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(TICK_S)
            ticks += 1

    async def run(writer: JournalWriter) -> int:
        pipeline = Pipeline(
            Session(rules),
            load("en", GAME, rules.sides),
            Connection(1, patience_ms=PATIENCE_MS),
            writer.write,
        )
        table = Table(TableGame(GameSetup(GAME), pipeline, writer, CLOCK, serial_line(str(device))))
        with plugged_in(0b1111, session=1):
            playing = asyncio.create_task(table.run())
            await until(table, lambda: pipeline.view.occupied == 0b1111)
        await until(table, lambda: pipeline.status.state is LinkState.LOST)
        with plugged_in(0b1101, session=77):
            ticking = asyncio.create_task(tick())
            await until(table, lambda: pipeline.view.occupied == 0b1101)
            took = ticks
            assert pipeline.status.state is LinkState.CONNECTED
            for task in (ticking, playing):
                task.cancel()
            await asyncio.gather(ticking, playing, return_exceptions=True)
        return took

    with JournalWriter.create(tmp_path / "journal", HEADER) as writer:
        assert asyncio.run(run(writer)) * TICK_S < 2

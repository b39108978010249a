# SPDX-License-Identifier: Apache-2.0
"""Which panels are connected, and the way to one that fits: all ports are asked at once, and only a hello counts.

Its rule: a port that cannot be opened, or is silent, is a line of the list and no failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.host.clock import Clock
from companion.host.devices.panel_session import Line, open_line
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port, serial_line
from companion.link.handshake import panel_name
from companion.link.panel import check_fit
from companion.link.port import list_ports
from companion.link.protocol_gen import HelloReply
from companion.model.errors import LinkError, PortUnavailable
from companion.model.grid import Grid

AUTO: Final = "auto"
"""The name that means: whichever port has a panel that fits."""


@dataclass(frozen=True, slots=True)
class Found:
    """What is on one port."""

    port: str
    hello: HelloReply | None
    fault: str = ""
    """Why no panel was recognised."""


async def find_panels(ports: Sequence[tuple[str, OpenPort]], clock: Clock) -> tuple[Found, ...]:
    """What is on each of *ports*, in their order; takes as long as the slowest, at most some three seconds."""
    return tuple(await asyncio.gather(*(_find(name, open_port, clock) for name, open_port in ports)))


async def _find(name: str, open_port: OpenPort, clock: Clock) -> Found:
    """What is on one port."""
    try:
        async with open_line(open_port, clock) as line:
            return Found(name, await line.greet())
    except LinkError as fault:
        return Found(name, None, str(fault))


@dataclass(frozen=True, slots=True)
class _Tried:
    """A port that was asked: the open line to a panel that fits, or why there is none."""

    name: str
    line: Line | None = None
    fault: str = ""


class FittingPanel:
    """The way to whichever panel has the cells of a grid; once found, to that very panel on whatever port it is.

    Its `open` is an `OpenPort`.
    """

    def __init__(self, grid: Grid, clock: Clock, ports: Callable[[], Sequence[tuple[str, OpenPort]]]) -> None:
        """*ports* gives the ports there are now, the likeliest first."""
        self._grid = grid
        self._clock = clock
        self._ports = ports
        self._identity: bytes | None = None

    async def open(self, on_chunk: OnChunk, on_end: OnEnd) -> Port:
        """Open the port of the first panel that answers and fits. Raises `PortUnavailable`, saying what is where."""
        ports = await asyncio.to_thread(self._ports)
        trials = [asyncio.create_task(self._try(name, open_port)) for name, open_port in ports]
        faults: dict[str, str] = {}
        found: Line | None = None
        try:
            for trial in asyncio.as_completed(trials):
                tried = await trial
                if tried.line is not None:
                    found = tried.line
                    break
                faults[tried.name] = tried.fault
        finally:
            await self._give_up(trials, found)
        if found is None:
            raise PortUnavailable(
                self._complaint([f"{name}: {faults[name]}" for name, _ in ports]), port=AUTO
            )
        hello = found.connection.hello
        self._identity = hello.unique_id if hello else None
        return found.hand_over(on_chunk, on_end)

    async def _try(self, name: str, open_port: OpenPort) -> _Tried:
        """Ask one port; the line stays open if its panel fits."""
        line = Line(self._clock)
        try:
            await line.open(open_port)
            hello = await line.greet()
            check_fit(hello, self._grid)
        except LinkError as fault:
            await line.close()
            return _Tried(name, fault=str(fault))
        except asyncio.CancelledError:
            await line.close()
            raise
        if self._identity not in (None, hello.unique_id):
            await line.close()
            return _Tried(name, fault=f"another panel, {hello.unique_id.hex()}")
        return _Tried(name, line)

    async def _give_up(self, trials: Sequence[asyncio.Task[_Tried]], kept: Line | None) -> None:
        """Close what the other trials have opened."""
        for trial in trials:
            trial.cancel()
        for tried in await asyncio.gather(*trials, return_exceptions=True):
            if isinstance(tried, _Tried) and tried.line is not None and tried.line is not kept:
                await tried.line.close()

    def _complaint(self, faults: Sequence[str]) -> str:
        """Why there is no panel."""
        wanted = (
            "no panel"
            if self._identity is None
            else f"panel {self._identity.hex()} is not connected; no panel"
        )
        if not faults:
            return (
                "this computer has no serial port: plug the panel in, name it with --port,"
                " or leave --port away to play at the virtual table"
            )
        return f"{wanted} with the {len(self._grid)} cells of the {self._grid.slug} grid was found: {'; '.join(faults)}"


def serial_ports() -> tuple[tuple[str, OpenPort], ...]:
    """All serial ports of this computer; those that look like boards only, if there are any."""
    found = list_ports()
    likely = [port for port in found if port.vendor] or found
    return tuple((port.name, serial_line(port.name)) for port in likely)


def describe(hello: HelloReply) -> tuple[str, ...]:
    """Name, cells, chip, firmware and identity of a panel, as people read them."""
    shape = f"{hello.cells} cells" + (f", {hello.cols}×{hello.rows}" if hello.cols else "")
    version = f"{hello.firmware_major}.{hello.firmware_minor}.{hello.firmware_patch}"
    return panel_name(hello) or "?", shape, hello.board.name.lower(), version, hello.unique_id.hex()

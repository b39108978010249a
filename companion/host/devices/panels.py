# SPDX-License-Identifier: Apache-2.0
"""Finds connected panels by asking all ports at once; only a hello counts.

Its rule: a port that cannot be opened or is silent is an entry of the list, not a failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.host.clock import Clock
from companion.host.devices.camera import CameraOptions
from companion.host.devices.eboards import eboard_at
from companion.host.devices.fit import check_fit
from companion.host.devices.known_ports import PANEL, remember, sorted_ports
from companion.host.devices.panel_session import PanelSession, open_session
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port, serial_line
from companion.link.handshake import panel_name
from companion.link.panel import shape_of
from companion.link.port import list_ports
from companion.link.protocol_gen import HelloReply
from companion.model.errors import LinkError, PortUnavailable
from companion.model.grid import Grid
from companion.model.phrase import Phrase

AUTO: Final = "auto"
"""Port name that stands for any port with a fitting panel."""


@dataclass(frozen=True, slots=True)
class Found:
    """Result of asking one port."""

    port: str
    hello: HelloReply | None
    fault: str = ""
    """Why no panel was recognised."""


async def find_panels(ports: Sequence[tuple[str, OpenPort]], clock: Clock) -> tuple[Found, ...]:
    """Ask all *ports*; return the results in order, within about 3 s."""
    return tuple(await asyncio.gather(*(_find(name, open_port, clock) for name, open_port in ports)))


async def _find(name: str, open_port: OpenPort, clock: Clock) -> Found:
    """Ask one port."""
    try:
        async with open_session(open_port, clock) as session:
            return Found(name, await session.greet())
    except LinkError as fault:
        return Found(name, None, str(fault))


@dataclass(frozen=True, slots=True)
class _Tried:
    """Result of trying one port: an open session with a fitting panel, or the fault."""

    name: str
    session: PanelSession | None = None
    fault: str = ""


class FittingPanel:
    """Opens the panel that fits a grid; once found, that same panel on any port.

    Its `open` is an `OpenPort`.
    """

    def __init__(
        self,
        grid: Grid,
        clock: Clock,
        ports: Callable[[], Sequence[tuple[str, OpenPort]]],
        identity: bytes | None = None,
    ) -> None:
        """*ports* lists the present ports, most likely first; *identity* is the panel if known."""
        self._grid = grid
        self._clock = clock
        self._ports = ports
        self._identity = identity

    async def open(self, on_chunk: OnChunk, on_end: OnEnd) -> Port:
        """Open the port of the first fitting panel to answer.

        Raises `PortUnavailable` with the fault of each port.
        """
        ports = await asyncio.to_thread(self._ports)
        trials = [asyncio.create_task(self._try(name, open_port)) for name, open_port in ports]
        faults: dict[str, str] = {}
        found: PanelSession | None = None
        try:
            for trial in asyncio.as_completed(trials):
                tried = await trial
                if tried.session is not None:
                    found = tried.session
                    break
                faults[tried.name] = tried.fault
        finally:
            await self._give_up(trials, found)
        if found is None:
            raise PortUnavailable(
                self._complaint(
                    [Phrase("{port}: {reason}", port=name, reason=faults[name]) for name, _ in ports]
                ),
                port=AUTO,
            )
        hello = found.connection.hello
        self._identity = hello.unique_id if hello else None
        return found.hand_over(on_chunk, on_end)

    async def _try(self, name: str, open_port: OpenPort) -> _Tried:
        """Ask one port; the session stays open if the panel fits."""
        session = PanelSession(self._clock)
        try:
            await session.open(open_port)
            hello = await session.greet()
            check_fit(shape_of(hello), self._grid)
        except LinkError as fault:
            await session.close()
            return _Tried(name, fault=str(fault))
        except asyncio.CancelledError:
            await session.close()
            raise
        if self._identity not in (None, hello.unique_id):
            await session.close()
            return _Tried(name, fault=Phrase("another panel, {panel}", panel=hello.unique_id.hex()))
        return _Tried(name, session)

    async def _give_up(self, trials: Sequence[asyncio.Task[_Tried]], kept: PanelSession | None) -> None:
        """Close the sessions of the other trials."""
        for trial in trials:
            trial.cancel()
        for tried in await asyncio.gather(*trials, return_exceptions=True):
            if isinstance(tried, _Tried) and tried.session is not None and tried.session is not kept:
                await tried.session.close()

    def _complaint(self, faults: Sequence[str]) -> Phrase:
        """Why there is no panel."""
        unknown = [port for port in sorted_ports(list_ports())[2] if port.vendor]
        if not faults and unknown:
            return Phrase(
                "no panel was found, and what is behind {ports} is unknown, so nothing was opened there: name the port once, "
                "such as --port {port}; then it is known",
                ports=tuple(port.name for port in unknown),
                port=unknown[0].name,
            )
        if not faults:
            return Phrase(
                "this computer has no serial port: plug the panel in, name it with --port, or leave --port away to play at the "
                "virtual table"
            )
        cells, grid = len(self._grid), self._grid.slug
        if self._identity is None:
            return Phrase(
                "no panel with the {cells} cells of the {grid} grid was found: {faults}",
                cells=cells,
                grid=grid,
                faults=faults,
            )
        return Phrase(
            "panel {panel} is not connected; no panel with the {cells} cells of the {grid} grid was found: {faults}",
            panel=self._identity.hex(),
            cells=cells,
            grid=grid,
            faults=faults,
        )


def serial_ports() -> tuple[tuple[str, OpenPort], ...]:
    """Return the serial ports that may be opened unasked: those of known panels."""
    panels, _, _ = sorted_ports(list_ports())
    return tuple((port.name, serial_line(port.name)) for port in panels)


def opener(port: str | None, grid: Grid, clock: Clock) -> OpenPort | None:
    """Return the `OpenPort` of *port*, for a panel under *grid*; None without a port.

    A named port is known from then on.
    """
    if port is None:
        return None
    eboard, device = eboard_at(port)
    if eboard is not None:
        return _remembered(device, eboard.slug, eboard.open_port(device))
    if port == AUTO:
        return FittingPanel(grid, clock, serial_ports).open
    return _remembered(port, PANEL, serial_line(port))


def _remembered(device: str, kind: str, open_port: OpenPort) -> OpenPort:
    """Return *open_port*, which notes at the first success what is behind *device*."""
    is_noted = False

    async def opening(on_chunk: OnChunk, on_end: OnEnd) -> Port:
        nonlocal is_noted
        port = await open_port(on_chunk, on_end)
        if not is_noted:
            is_noted = True
            await asyncio.to_thread(remember, device, kind)
        return port

    return opening


def describe(hello: HelloReply) -> tuple[str, ...]:
    """Return name, cells, chip, firmware and identity of a panel, for people."""
    shape = f"{hello.cells} cells" + (f", {hello.cols}×{hello.rows}" if hello.cols else "")
    version = f"{hello.firmware_major}.{hello.firmware_minor}.{hello.firmware_patch}"
    return panel_name(hello) or "?", shape, hello.board.name.lower(), version, hello.unique_id.hex()


@dataclass(frozen=True, slots=True)
class Device:
    """A panel by identity or port, a camera, both, or a virtual table."""

    port: str | None = None
    """As after `--port`."""
    identity: bytes = b""
    """Of the panel, at any port; empty for the first one that fits."""
    camera: CameraOptions | None = None

    def opener(self, grid: Grid, clock: Clock) -> OpenPort | None:
        """Return what opens the panel, under a board of *grid*; None without one."""
        if self.port == AUTO and self.identity:
            return FittingPanel(grid, clock, serial_ports, self.identity).open
        return opener(self.port, grid, clock)


VIRTUAL_TABLE: Final = Device()

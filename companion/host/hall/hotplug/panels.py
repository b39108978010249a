# SPDX-License-Identifier: Apache-2.0
"""Panels of the hall's machine: greets every port and passes each panel to its station.

Its rule: a panel is identified by its id, not its port. Of two with the same id the first one
stays; the other is reported to the arbiter and ignored.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from companion.host.clock import Clock
from companion.host.devices.panel_session import PanelSession
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port
from companion.host.retry import USUAL, Intervals
from companion.link.port import PortEnded
from companion.link.protocol_gen import HelloReply
from companion.model.errors import LinkError, PortUnavailable
from companion.model.phrase import Phrase

Ports: TypeAlias = Callable[[], Sequence[tuple[str, OpenPort]]]
"""Returns the present ports; may be slow."""
Found: TypeAlias = Callable[[HelloReply], str]
"""Called for each new panel; returns why it is not used, "" if it is."""


@dataclass(slots=True)
class _Place:
    """A present port."""

    task: asyncio.Task[None] | None = None
    """Greets it; None when done."""
    asked_ms: int | None = None
    """Time of the greeting; None if it is due."""
    panel: str = ""
    """Panel with a session there, free or in use; "" without one."""
    session: PanelSession | None = None
    """Open session, until the station takes it."""


class PanelHotplug:
    """Polls for connected panels."""

    def __init__(self, ports: Ports, clock: Clock, found: Found, intervals: Intervals = USUAL) -> None:
        """A used panel keeps its session until its station opens it by `opener`."""
        self.complaints: dict[str, str] = {}
        """Faults by port, as sentences."""
        self._ports = ports
        self._clock = clock
        self._found = found
        self._intervals = intervals
        self._places: dict[str, _Place] = {}

    async def run(self) -> None:
        """Poll until cancelled."""
        try:
            while True:
                self._look(await asyncio.to_thread(self._ports))
                await asyncio.sleep(self._intervals.poll_s)
        finally:
            await self._leave()

    def opener(self, panel: str) -> OpenPort:
        """Return what opens *panel*, at any port."""

        async def opening(on_chunk: OnChunk, on_end: OnEnd) -> Port:
            for place in self._places.values():
                if place.panel == panel and place.session is not None:
                    session, place.session = place.session, None
                    return _Taken(session, on_chunk, on_end, place)
            raise PortUnavailable("panel {port} is not plugged in", port=panel)

        return opening

    def _look(self, ports: Sequence[tuple[str, OpenPort]]) -> None:
        """Greet new and released ports, and drop missing ones."""
        now_ms = self._clock()
        here = dict(ports)
        for name in self._places.keys() - here.keys():
            self.complaints.pop(name, None)
            place = self._places[name]
            if place.task is None and not place.panel:  # otherwise its user will notice
                del self._places[name]
        for name, open_port in here.items():
            place = self._places.setdefault(name, _Place())
            is_due = place.asked_ms is None or now_ms - place.asked_ms >= self._intervals.rejected_port_ms
            if place.task is None and not place.panel and is_due:
                place.asked_ms = now_ms
                place.task = asyncio.create_task(self._ask(name, place, open_port), name=f"asking {name}")

    async def _ask(self, name: str, place: _Place, open_port: OpenPort) -> None:
        """Greet the panel at port *name*."""
        session = PanelSession(self._clock, self._intervals.boot_ms)
        complaint = ""
        try:
            await session.open(open_port)
            hello = await session.greet()
            complaint = self._judge(name, hello)
            if not complaint:
                place.panel, place.session, session = (
                    hello.unique_id.hex(),
                    session,
                    PanelSession(self._clock, self._intervals.boot_ms),
                )
        except LinkError:
            pass
        finally:
            await session.close()
            place.task = None
        self.complaints.pop(name, None)
        if complaint:
            self.complaints[name] = complaint

    def _judge(self, name: str, hello: HelloReply) -> str:
        """Return why the panel of *hello* at *name* is not used; "" if it is."""
        panel = hello.unique_id.hex()
        other = next((each for each, at in self._places.items() if at.panel == panel), None)
        if other is None:
            return self._found(hello)
        return Phrase(
            "two panels say that they are {panel}, at {other} and at {name}: unplug one of them",
            panel=panel,
            other=other,
            name=name,
        )

    async def _leave(self) -> None:
        """Close the sessions that no station has taken."""
        tasks = [place.task for place in self._places.values() if place.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for place in self._places.values():
            if place.session is not None:
                with contextlib.suppress(LinkError):
                    await place.session.close()


class _Taken:
    """Port of a panel in use by its station; released on close."""

    def __init__(self, session: PanelSession, on_chunk: OnChunk, on_end: OnEnd, place: _Place) -> None:
        self._place = place

        def ended(end: PortEnded) -> None:
            place.panel = ""
            on_end(end)

        self._port = session.hand_over(on_chunk, ended)

    @property
    def name(self) -> str:
        """Name for people."""
        return self._port.name

    def write(self, data: bytes) -> None:
        """Send *data*."""
        self._port.write(data)

    async def close(self) -> None:
        """Close and release it."""
        await self._port.close()
        self._place.panel = ""
        self._place.asked_ms = None

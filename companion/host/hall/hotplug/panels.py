# SPDX-License-Identifier: Apache-2.0
"""The sensor boards of a hall's machine: each port is asked who is there, and each panel goes to the board it belongs to.

Its rule: a panel is what it says of itself, whatever port it is at. Of two that say the same the first stays, the other is named
to the arbiter and not listened to.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from companion.host.clock import Clock
from companion.host.devices.panel_session import PanelSession
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port
from companion.link.port import PortEnded
from companion.link.protocol_gen import HelloReply
from companion.model.errors import LinkError, PortUnavailable
from companion.model.phrase import Phrase

_LOOK_S: Final = 1.0
"""Between two looks at which ports there are."""
_AGAIN_MS: Final = 30_000
"""After which a port at which nobody answered, or nobody who is wanted, is asked once more."""

Ports: TypeAlias = Callable[[], Sequence[tuple[str, OpenPort]]]
"""Gives the ports that there are now; may take its time."""
Found: TypeAlias = Callable[[HelloReply], str]
"""Is told of a panel that has come; says why it is not wanted, nothing if it is."""


@dataclass(slots=True)
class _Place:
    """A port that there is."""

    task: asyncio.Task[None] | None = None
    """Asks it; None once it was asked."""
    asked_ms: int | None = None
    """When that was; None if it has to be asked."""
    panel: str = ""
    """Whose line is open there, free or in use; empty while none is."""
    session: PanelSession | None = None
    """Open, until the board takes it."""


class PanelHotplug:
    """The panels that are plugged in."""

    def __init__(self, ports: Ports, clock: Clock, found: Found) -> None:
        """A panel that is wanted waits for whoever takes it by its `way`."""
        self.complaints: dict[str, str] = {}
        """By port: what is wrong with the panel there, as a sentence."""
        self._ports = ports
        self._clock = clock
        self._found = found
        self._places: dict[str, _Place] = {}

    async def run(self) -> None:
        """Look what is plugged in, until cancelled."""
        try:
            while True:
                self._look(await asyncio.to_thread(self._ports))
                await asyncio.sleep(_LOOK_S)
        finally:
            await self._leave()

    def way(self, panel: str) -> OpenPort:
        """The way to *panel*, at whatever port it is."""

        async def opening(on_chunk: OnChunk, on_end: OnEnd) -> Port:
            for place in self._places.values():
                if place.panel == panel and place.session is not None:
                    session, place.session = place.session, None
                    return _Taken(session, on_chunk, on_end, place)
            raise PortUnavailable("panel {port} is not plugged in", port=panel)

        return opening

    def _look(self, ports: Sequence[tuple[str, OpenPort]]) -> None:
        """Ask the ports that are new, or free again; forget those that are gone."""
        now_ms = self._clock()
        here = dict(ports)
        for name in self._places.keys() - here.keys():
            self.complaints.pop(name, None)
            place = self._places[name]
            if place.task is None and not place.panel:  # else whoever is at it will notice
                del self._places[name]
        for name, open_port in here.items():
            place = self._places.setdefault(name, _Place())
            is_due = place.asked_ms is None or now_ms - place.asked_ms >= _AGAIN_MS
            if place.task is None and not place.panel and is_due:
                place.asked_ms = now_ms
                place.task = asyncio.create_task(self._ask(name, place, open_port), name=f"asking {name}")

    async def _ask(self, name: str, place: _Place, open_port: OpenPort) -> None:
        """Who is at the port *name*."""
        session = PanelSession(self._clock)
        complaint = ""
        try:
            await session.open(open_port)
            hello = await session.greet()
            complaint = self._judge(name, hello)
            if not complaint:
                place.panel, place.session, session = (
                    hello.unique_id.hex(),
                    session,
                    PanelSession(self._clock),
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
        """Why the panel that said *hello* at the port *name* is not wanted; empty if it is."""
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
        """Close what nobody has taken."""
        tasks = [place.task for place in self._places.values() if place.task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for place in self._places.values():
            if place.session is not None:
                with contextlib.suppress(LinkError):
                    await place.session.close()


class _Taken:
    """The open port of a panel that its board has taken; free for others when that lets it go."""

    def __init__(self, session: PanelSession, on_chunk: OnChunk, on_end: OnEnd, place: _Place) -> None:
        self._place = place

        def ended(end: PortEnded) -> None:
            place.panel = ""
            on_end(end)

        self._port = session.hand_over(on_chunk, ended)

    @property
    def name(self) -> str:
        """What people call it."""
        return self._port.name

    def write(self, data: bytes) -> None:
        """Send *data*."""
        self._port.write(data)

    async def close(self) -> None:
        """Let it go."""
        await self._port.close()
        self._place.panel = ""
        self._place.asked_ms = None

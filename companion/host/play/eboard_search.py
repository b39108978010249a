# SPDX-License-Identifier: Apache-2.0
"""Searches eboards over Bluetooth LE, and asks an eboard for its pieces.

Its rule: a Bluetooth LE eboard is recognised by the name that it announces, without opening it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Final

from companion.eboards.codec import Battery
from companion.eboards.connection import LOOK_FOR_EBOARD
from companion.host.clock import Clock
from companion.host.devices.eboards import LE_EBOARDS, eboard_at
from companion.host.devices.known_ports import remember, sorted_ports
from companion.host.devices.panels import AUTO
from companion.host.mailbox import Mailbox
from companion.host.play.plugged import plugged_eboards, searches_bluetooth
from companion.link.ble_port import nearby_eboards
from companion.link.events import EboardGreeted, EboardSeen, LinkEvent
from companion.link.panel import Shape
from companion.link.port import PortEnded, list_ports
from companion.model.errors import PanelSilent, PortUnavailable
from companion.model.grid import rectangle
from companion.model.occupancy import cells_of
from companion.model.phrase import Phrase

_SEARCH_MS: Final = 60_000
"""Time between two searches over Bluetooth LE."""
_PATIENCE_MS: Final = 5000
"""Longest time in which an eboard answers."""


@dataclass(frozen=True, slots=True)
class EboardReport:
    """What an eboard has said of itself."""

    name: str
    shape: Shape
    occupied: tuple[str, ...]
    """Names of the occupied squares."""
    battery: Battery | None

    @property
    def cells(self) -> str:
        """The number of its cells, for people."""
        return f"{self.shape.cells} cells, {self.shape.files}×{self.shape.ranks}"

    @property
    def battery_text(self) -> Phrase | str:
        """The state of the battery, for people; empty if it is unknown."""
        if self.battery is None:
            return ""
        if self.battery.is_charging:
            return Phrase("battery {percent} %, charging", percent=self.battery.percent)
        return Phrase("battery {percent} %", percent=self.battery.percent)


async def eboards_in_reach() -> tuple[str, ...]:
    """Return the eboards that announce themselves over Bluetooth LE, as `--port` names them.

    None without the library or without Bluetooth, or if the settings forbid the search. It takes
    some seconds.
    """
    found = await nearby_eboards(LE_EBOARDS) if searches_bluetooth() else ()
    return tuple(f"{each.kind}:{each.address}" for each in found)


class EboardsAround:
    """The eboards that are plugged in, and those that were in reach over Bluetooth LE.

    An eboard that is played at announces itself no more, so none is dropped.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._next_ms = clock()
        self._reached: set[str] = set()

    async def __call__(self) -> tuple[str, ...]:
        """Return their names for `--port`; takes some seconds when a search is due."""
        if self._clock() >= self._next_ms:
            self._reached.update(await eboards_in_reach())
            self._next_ms = self._clock() + _SEARCH_MS
        return (*await asyncio.to_thread(plugged_eboards), *sorted(self._reached))


def resolved(port: str | None) -> str | None:
    """Return *port*; for `auto` the only eboard that is there, unless panels may be.

    Bluetooth is searched if none is plugged in. Raises `PortUnavailable` if there are several.
    """
    if port != AUTO or sorted_ports(list_ports())[0]:
        return port
    eboards = plugged_eboards() or asyncio.run(eboards_in_reach())
    if len(eboards) > 1:
        raise PortUnavailable(
            "several boards are plugged in: name one with --port: {boards}", port=AUTO, boards=eboards
        )
    return eboards[0] if eboards else port


async def ask_eboard(name: str, clock: Clock) -> EboardReport:
    """Return what the eboard says that `--port` calls *name*; it is known from then on.

    Raises `PortUnavailable`, `PanelSilent` and `ExtraMissing`.
    """
    eboard, device = eboard_at(name)
    assert eboard is not None
    inbox: Mailbox[bytes | PortEnded] = Mailbox()
    port = await eboard.open_port(device)(inbox.put, inbox.put)
    connection = eboard.connection()
    connection.reopen(clock())
    until_ms = clock() + _PATIENCE_MS
    events: list[LinkEvent] = []
    try:
        while (now_ms := clock()) < until_ms:
            events += connection.tick(now_ms)
            if data := connection.bytes_to_send(now_ms):
                port.write(data)
            is_complete = connection.is_greeted and (connection.battery is not None or not eboard.has_battery)
            if is_complete:
                await asyncio.to_thread(remember, device, eboard.slug)
                return _report(events, connection.battery)
            due_ms = connection.next_deadline_ms() or until_ms
            item = await inbox.take(max(min(due_ms, until_ms) - clock(), 0))
            if isinstance(item, PortEnded):
                raise PortUnavailable("{port} is gone: {reason}", reason=item.reason, port=item.port)
            if item:
                events += connection.feed(item, clock())
    finally:
        await port.close()
    raise PanelSilent("no panel answers on {port}: {remedy}", port=port.name, remedy=LOOK_FOR_EBOARD)


def _report(events: list[LinkEvent], battery: Battery | None) -> EboardReport:
    """Return the report in *events*."""
    greeted = next(event for event in events if isinstance(event, EboardGreeted))
    seen = [event.observation for event in events if isinstance(event, EboardSeen)][-1]
    names = rectangle(greeted.shape.files, greeted.shape.ranks).names
    occupied = tuple(names[cell] for cell in cells_of(seen.sightings.occupied))
    return EboardReport(greeted.name, greeted.shape, occupied, battery)

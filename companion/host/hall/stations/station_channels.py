# SPDX-License-Identifier: Apache-2.0
"""The hall's channels to its stations: direct within this process, by broker otherwise."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Kept
from companion.host.hall.core.wire import Down, Up
from companion.host.hall.keys.joining import Admission
from companion.host.hall.stations.mqtt import Broker, HallDoor, hall_door
from companion.host.hall.stations.other_halls import OtherHalls
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel, raise_if_cancelled
from companion.host.retry import USUAL, Intervals
from companion.model.errors import HallUnreachable
from companion.model.phrase import Phrase

OPEN: Final = Phrase(
    "This hall is open: anybody at its broker can play, resign and end games for any table. "
    "Start it without --open"
)
"""Said at the start, and shown at the desk."""
_MOST: Final = 10_000
"""Limit of messages queued for the broker; the oldest are dropped, and repeated later."""


class LocalChannel:
    """Channel of a station in this process."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._down: asyncio.Queue[Down] = asyncio.Queue()

    async def send(self, message: Up) -> None:
        """Pass *message* to the hall."""
        self._hall.take(message, self._down.put_nowait)

    async def receive(self) -> Down:
        """Return the next message."""
        return await self._down.get()


def local_channel_opener(hall: Hall, folder: Path) -> ChannelOpener:
    """Return the opener of channels to *hall* for a station with journals in *folder*."""

    @contextlib.asynccontextmanager
    async def open_channel(goodbye: Up) -> AsyncIterator[HallChannel]:
        hall.house(goodbye.board, folder)
        try:
            yield LocalChannel(hall)
        finally:
            hall.take(goodbye, lambda _down: None)

    return open_channel


async def attend(
    hall: Hall, broker: Broker, admission: Admission | None = None, intervals: Intervals = USUAL
) -> None:
    """Serve stations through *broker* until cancelled, reconnecting when necessary.

    Without *admission* the hall is open: it accepts messages from anybody at the broker, and the
    desk says so permanently.
    """
    if admission is None:
        hall.complain("keys", OPEN)
    warning = Phrase(
        "another hall at the broker {host}:{port} is named {hall}, too, so tables may obey either: stop one "
        "of the two, or give it another name, as in --broker mqtt://{host}/NAME",
        host=broker.host,
        port=broker.port,
        hall=broker.hall,
    )

    def show(are_others: bool) -> None:
        hall.complain("another hall", *([warning] if are_others else []))

    others = OtherHalls(hall.hub.name, hall.clock, show, intervals)
    while True:
        try:
            async with hall_door(broker, others, admission) as door:
                hall.complain("broker")
                await _pass_on(hall, door)
        except HallUnreachable as fault:
            raise_if_cancelled()
            hall.complain("broker", str(fault))
        await asyncio.sleep(intervals.retry_s)


async def _pass_on(hall: Hall, door: HallDoor) -> None:
    """Transfer messages until the broker is lost."""
    down: asyncio.Queue[Down] = asyncio.Queue()

    def route(message: Down) -> None:
        if down.qsize() >= _MOST:
            down.get_nowait()
        down.put_nowait(message)

    async def sending() -> None:
        while True:
            await door.send(await down.get())
            raise_if_cancelled()

    sender = asyncio.create_task(sending(), name="hall sender")
    try:
        while not sender.done():
            said = await door.receive()
            raise_if_cancelled()
            is_ours = said.board in hall.homes  # stations of this machine do not use a broker
            if not is_ours and not isinstance(said.what, Kept):  # its journals are elsewhere
                hall.take(said, route)
        await sender
    finally:
        sender.cancel()
        await asyncio.gather(sender, return_exceptions=True)

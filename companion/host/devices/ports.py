# SPDX-License-Identifier: Apache-2.0
"""Ports of panels: serial lines and virtual panels.

Its rule: a table sees only a `Port`, opened by an `OpenPort`.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Container
from typing import Final, Protocol, TypeAlias

from companion.host.clock import Clock
from companion.link.ble_port import open_eboard
from companion.link.gatt import Gatt
from companion.link.hid_port import open_device
from companion.link.port import IsPartial, PortEnded, never, open_port
from companion.link.protocol_gen import BAUD
from companion.model.errors import PortUnavailable
from companion.virtual.panel import VirtualPanel

OnChunk: TypeAlias = Callable[[bytes], None]
OnEnd: TypeAlias = Callable[[PortEnded], None]


class Port(Protocol):
    """An open port of a panel."""

    @property
    def name(self) -> str:
        """Name for people."""
        ...

    def write(self, data: bytes) -> None:
        """Send *data*."""
        ...

    async def close(self) -> None:
        """Close the port."""
        ...


OpenPort: TypeAlias = Callable[[OnChunk, OnEnd], Awaitable[Port]]
"""Opens a port; the callbacks are called on the event loop. Raises `PortUnavailable`."""


class WiredDevice(Protocol):
    """A serial port or a HID device, read by a thread of its own."""

    name: str

    def write(self, data: bytes) -> None:
        """Send *data*."""
        ...

    def close(self) -> None:
        """Stop reading and close the device; may block."""
        ...


class WiredPort:
    """A device with its callbacks on the event loop."""

    def __init__(self, device: WiredDevice) -> None:
        self._device = device

    @property
    def name(self) -> str:
        """The device or URL."""
        return self._device.name

    def write(self, data: bytes) -> None:
        """Send *data*."""
        self._device.write(data)

    async def close(self) -> None:
        """Stop reading and close the device."""
        await asyncio.to_thread(self._device.close)


def serial_line(
    name: str, baud: int = BAUD, *, is_panel: bool = True, is_partial: IsPartial = never
) -> OpenPort:
    """Return an `OpenPort` for the serial device or URL *name*.

    Unless it *is_panel*, DTR is not raised: it may restart another device. Bytes for
    which *is_partial* are kept back until more arrive.
    """
    return _threaded(
        lambda on_chunk, on_end: open_port(
            name, on_chunk, on_end, baud=baud, is_panel=is_panel, is_partial=is_partial
        )
    )


def hid_device(name: str, vendor: int, products: Container[int], serial_number: str) -> OpenPort:
    """Return an `OpenPort` for a HID device; *name* is that for people."""
    return _threaded(
        lambda on_chunk, on_end: open_device(name, vendor, products, serial_number, on_chunk, on_end)
    )


def ble_eboard(name: str, gatt: Gatt, address: str) -> OpenPort:
    """Return an `OpenPort` for a Bluetooth LE eboard; *name* is that for people."""
    return lambda on_chunk, on_end: open_eboard(name, gatt, address, on_chunk, on_end)


def _threaded(open_device: Callable[[OnChunk, OnEnd], WiredDevice]) -> OpenPort:
    """Return an `OpenPort` for a device that is opened in a thread."""

    async def opening(on_chunk: OnChunk, on_end: OnEnd) -> Port:
        loop = asyncio.get_running_loop()

        def hop(what: Callable[[], None]) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(what)

        opened = asyncio.ensure_future(
            asyncio.to_thread(
                open_device,
                lambda chunk: hop(lambda: on_chunk(chunk)),
                lambda end: hop(lambda: on_end(end)),
            )
        )
        try:
            device = await asyncio.shield(opened)
        except asyncio.CancelledError:  # the thread cannot be stopped: close what it opens
            with contextlib.suppress(PortUnavailable):
                await asyncio.to_thread((await opened).close)
            raise
        return WiredPort(device)

    return opening


def restarts_panel(port: str | None) -> bool:
    """True if opening *port* restarts its panel: the DTR line of a serial device does."""
    return port is not None and "://" not in port


class VirtualPort:
    """Port of a virtual panel, which outlives it."""

    name: Final = "virtual"

    def __init__(self, panel: VirtualPanel, clock: Clock, on_chunk: OnChunk) -> None:
        self._panel = panel
        self._clock = clock
        self._on_chunk = on_chunk
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_ms = 0
        """Time of *_alarm*, or earlier."""

    def write(self, data: bytes) -> None:
        """Send *data* to the panel."""
        self._panel.feed(data, self._clock())
        self.fetch()

    def fetch(self) -> None:
        """Deliver the panel's output, and schedule the next fetch."""
        now_ms = self._clock()
        said = self._panel.bytes_to_send(now_ms)
        if said:
            self._on_chunk(said)
        due_ms = self._panel.next_deadline_ms()
        if self._alarm is None or due_ms < self._alarm_ms:
            self._cancel()
            self._alarm_ms = due_ms
            wait_s = max(due_ms - now_ms, 1) / 1000
            self._alarm = asyncio.get_running_loop().call_later(wait_s, self._ring)

    async def close(self) -> None:
        """Disconnect from the panel."""
        self._cancel()

    def _ring(self) -> None:
        """Fetch at the scheduled time."""
        self._alarm = None
        self.fetch()

    def _cancel(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None

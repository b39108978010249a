# SPDX-License-Identifier: Apache-2.0
"""The only module that uses bleak: finds, opens, reads and writes Bluetooth LE eboards.

It runs on the event loop. The library belongs to the extra `boards` and is imported when it is
used.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from companion.link.gatt import Gatt
from companion.link.port import PortEnded
from companion.model.errors import PortUnavailable
from companion.model.installation import importing
from companion.model.phrase import Phrase

_LOG = logging.getLogger(__name__)

_SEARCH_S: Final = 8.0
"""Longest search for an eboard; most announce themselves several times a second."""
_LIST_S: Final = 4.0
"""Length of a search for all eboards."""
_HEADER: Final = 3
"""Bytes of a write that carry no data."""
_SMALLEST: Final = 20
"""Bytes that every connection takes in one write."""
_GONE: Final = Phrase("it was switched off or is out of reach: switch it on and bring it nearer")


@dataclass(frozen=True, slots=True)
class NearbyEboard:
    """An eboard that announces itself."""

    kind: str
    address: str
    name: str


class BlePort:
    """A connected eboard; made by `open_eboard`."""

    def __init__(self, name: str, gatt: Gatt, on_end: Callable[[PortEnded], None]) -> None:
        self.name = name
        self._gatt = gatt
        self._on_end = on_end
        self._messages: asyncio.Queue[bytes] = asyncio.Queue()
        self._client: Any = None
        self._writer: asyncio.Task[None] | None = None
        self._has_ended = False

    async def connect(self, device: Any, on_chunk: Callable[[bytes], None]) -> None:
        """Connect to *device* and subscribe to its reports. Raises what the library raises."""

        def receive(_sender: Any, data: bytearray) -> None:
            if not self._has_ended:
                on_chunk(bytes(data))

        self._client = _library().BleakClient(device, disconnected_callback=lambda _client: self._end())
        try:
            await self._client.connect()
            for characteristic in self._gatt.notify:
                await self._client.start_notify(characteristic, receive)
        except BaseException:
            self._has_ended = True
            with contextlib.suppress(*_faults()):
                await self._client.disconnect()
            raise
        self._writer = asyncio.create_task(self._write_on(), name=f"writes to {self.name}")

    def write(self, data: bytes) -> None:
        """Send *data*; a failure is reported as the eboard's end."""
        self._messages.put_nowait(data)

    async def close(self) -> None:
        """Disconnect. The end is not reported any more."""
        self._has_ended = True
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.wait({self._writer})
        with contextlib.suppress(*_faults()):
            await self._client.disconnect()

    async def _write_on(self) -> None:
        """Write messages in order until the eboard is gone."""
        try:
            while True:
                message = await self._messages.get()
                size = max(self._client.mtu_size - _HEADER, _SMALLEST)
                pieces = range(0, len(message), size) if self._gatt.is_stream else (0,)
                for at in pieces:
                    piece = message[at : at + size] if self._gatt.is_stream else message
                    await self._client.write_gatt_char(self._gatt.write, piece)
        except _faults() as fault:
            _LOG.info("%s has ended: %s", self.name, fault)
            self._end()

    def _end(self) -> None:
        """Report the end, once, unless the eboard is being closed here."""
        if not self._has_ended:
            self._has_ended = True
            self._on_end(PortEnded(self.name, _GONE))


async def open_eboard(
    name: str,
    gatt: Gatt,
    address: str,
    on_chunk: Callable[[bytes], None],
    on_end: Callable[[PortEnded], None],
) -> BlePort:
    """The connected eboard with *address*, or the first one of its kind.

    *name* is that for people. Raises `PortUnavailable` and `ExtraMissing`.
    """

    def fits(device: Any, announced: Any) -> bool:
        if address:
            return str(device.address).lower() == address.lower()
        return gatt.announces(announced.local_name or device.name or "")

    library, port = _library(), BlePort(name, gatt, on_end)
    try:
        device = await library.BleakScanner.find_device_by_filter(fits, timeout=_SEARCH_S)
        if device is not None:
            await port.connect(device, on_chunk)
            return port
    except _faults() as fault:
        raise PortUnavailable(
            "the board {port} cannot be reached over Bluetooth: {reason}", port=name, reason=str(fault)
        ) from fault
    raise PortUnavailable(
        "the board {port} was not found over Bluetooth: switch it on, and close other programs that use it",
        port=name,
    )


async def nearby_eboards(kinds: Mapping[str, Gatt]) -> tuple[NearbyEboard, ...]:
    """The eboards of *kinds* that announce themselves, by address; none without Bluetooth.

    Raises `ExtraMissing`.
    """
    try:
        found = await _library().BleakScanner.discover(timeout=_LIST_S, return_adv=True)
    except _faults() as fault:
        _LOG.info("no board is looked for over Bluetooth: %s", fault)
        return ()
    eboards = []
    for device, announced in found.values():
        name = announced.local_name or device.name or ""
        kind = next((kind for kind, gatt in kinds.items() if gatt.announces(name)), None)
        if kind is not None:
            eboards.append(NearbyEboard(kind, str(device.address), name))
    return tuple(sorted(eboards, key=lambda each: each.address))


def _faults() -> tuple[type[Exception], ...]:
    """What the library raises where Bluetooth or an eboard fails."""
    return _library().exc.BleakError, OSError, EOFError, TimeoutError


def _library() -> Any:
    """The library bleak. Raises `ExtraMissing`."""
    with importing("this board needs {library}, which is not installed: {install}", extra="boards"):
        import bleak
        import bleak.exc
    return bleak

# SPDX-License-Identifier: Apache-2.0
"""The only module that uses hidapi: finds, opens, reads and writes HID devices.

Each device has one reader thread, which makes the callbacks. The library belongs to the extra
`boards` and is imported when it is used.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Container
from dataclasses import dataclass
from typing import Any, Final

from companion.link.port import PortEnded
from companion.model.errors import PortUnavailable
from companion.model.installation import importing
from companion.model.phrase import Phrase

_LOG = logging.getLogger(__name__)

_READ_TIMEOUT_MS: Final = 250
"""Longest time to notice a stop."""
_REPORT: Final = 256
"""Longest report that is read."""


@dataclass(frozen=True, slots=True)
class FoundDevice:
    """A HID device of this computer."""

    path: bytes
    product: str
    serial_number: str


class HidPort:
    """An open device; made by `open_device`."""

    def __init__(
        self,
        name: str,
        device: Any,
        on_chunk: Callable[[bytes], None],
        on_end: Callable[[PortEnded], None],
    ) -> None:
        self.name = name
        self._device = device
        self._on_chunk = on_chunk
        self._on_end = on_end
        self._is_closing = threading.Event()
        self._has_ended = threading.Lock()
        self._reader = threading.Thread(target=self._read_on, name=f"device {name}", daemon=True)

    def start(self) -> None:
        """Start reading."""
        self._reader.start()

    def write(self, data: bytes) -> None:
        """Send *data* as one report; a failure is reported as the device's end."""
        try:
            if self._device.write(data) < 0:
                self._end()
        except (OSError, ValueError) as fault:
            _LOG.info("%s has ended: %s", self.name, fault)
            self._end()

    def close(self) -> None:
        """Stop reading and close the device. Its end is not reported any more."""
        self._is_closing.set()
        if self._reader.is_alive() and self._reader is not threading.current_thread():
            self._reader.join()
        self._device.close()

    def _read_on(self) -> None:
        """Pass on reports until the device is gone or closed."""
        try:
            while not self._is_closing.is_set():
                report = self._device.read(_REPORT, _READ_TIMEOUT_MS)
                if report and not self._is_closing.is_set():
                    self._on_chunk(bytes(report))
        except (OSError, ValueError) as fault:
            _LOG.info("%s has ended: %s", self.name, fault)
            self._end()

    def _end(self) -> None:
        """Report the end, once, unless the device is being closed here."""
        if self._has_ended.acquire(blocking=False) and not self._is_closing.is_set():
            self._on_end(PortEnded(self.name, Phrase("it was unplugged: plug it in again")))


def list_devices(vendor: int, products: Container[int]) -> tuple[FoundDevice, ...]:
    """The devices of *vendor* among *products*, by serial number. Raises `ExtraMissing`."""
    found = {
        each["path"]: FoundDevice(
            each["path"], each.get("product_string") or "", each.get("serial_number") or ""
        )
        for each in _library().enumerate(vendor, 0)
        if each["product_id"] in products
    }
    return tuple(sorted(found.values(), key=lambda each: (each.serial_number, each.path)))


def open_device(
    name: str,
    vendor: int,
    products: Container[int],
    serial_number: str,
    on_chunk: Callable[[bytes], None],
    on_end: Callable[[PortEnded], None],
) -> HidPort:
    """The open device with *serial_number*, or the first one if that is empty.

    *name* is that for people. Raises `PortUnavailable` and `ExtraMissing`.
    """
    present = list_devices(vendor, products)
    fitting = [each for each in present if serial_number in ("", each.serial_number)]
    if not fitting:
        names = tuple(each.serial_number or each.product for each in present) or Phrase("none")
        raise PortUnavailable(
            "the board {port} is not plugged in. Present: {present}", port=name, present=names
        )
    device = _library().device()
    try:
        device.open_path(fitting[0].path)
    except OSError as fault:
        raise PortUnavailable(
            "the board {port} cannot be opened: close other programs that use it; on Linux allow its "
            "device /dev/hidraw* by a udev rule",
            port=name,
        ) from fault
    port = HidPort(name, device, on_chunk, on_end)
    port.start()
    return port


def _library() -> Any:
    """The library hidapi. Raises `ExtraMissing`."""
    with importing("this board needs {library}, which is not installed: {install}", extra="boards"):
        import hid
    return hid

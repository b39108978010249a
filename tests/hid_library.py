# SPDX-License-Identifier: Apache-2.0
"""The interface of the library hidapi, with simulated eboards instead of devices."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from companion.host.clock import Clock
from tests.virtual.eboards.chessnut import VirtualChessnutEboard


@dataclass
class Plugged:
    """An eboard in a socket."""

    eboard: VirtualChessnutEboard
    serial_number: str
    vendor_id: int
    product_id: int
    product_string: str = "Chessnut Air"
    is_open: bool = False
    changed: threading.Condition = field(default_factory=threading.Condition)
    """Held by code that touches the eboard."""


class HidLibrary:
    """Replaces the module `hid`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.sockets: dict[bytes, Plugged] = {}

    def plug(
        self,
        path: bytes,
        eboard: VirtualChessnutEboard,
        serial_number: str,
        *,
        vendor_id: int = 0x2D80,
        product_id: int = 0x8003,
        product_string: str = "Chessnut Air",
    ) -> Plugged:
        """Plug *eboard* in."""
        self.sockets[path] = Plugged(eboard, serial_number, vendor_id, product_id, product_string)
        return self.sockets[path]

    def unplug(self, path: bytes) -> None:
        """Pull the eboard out."""
        plugged = self.sockets.pop(path)
        with plugged.changed:
            plugged.changed.notify_all()

    def act(self, path: bytes, action: Callable[[VirtualChessnutEboard, int], None]) -> None:
        """Move pieces of the eboard in *path*."""
        plugged = self.sockets[path]
        with plugged.changed:
            action(plugged.eboard, self._clock())
            plugged.changed.notify_all()

    def enumerate(self, vendor_id: int = 0, product_id: int = 0) -> list[dict[str, Any]]:
        """The present devices; 0 stands for all."""
        return [
            {
                "path": path,
                "vendor_id": each.vendor_id,
                "product_id": each.product_id,
                "serial_number": each.serial_number,
                "product_string": each.product_string,
            }
            for path, each in self.sockets.items()
            if vendor_id in (0, each.vendor_id) and product_id in (0, each.product_id)
        ]

    def device(self) -> _Device:
        """A device that is not open yet."""
        return _Device(self, self._clock)


class _Device:
    """An open device; its calls are those of `hid.device`."""

    def __init__(self, library: HidLibrary, clock: Clock) -> None:
        self._library = library
        self._clock = clock
        self._path = b""
        self._plugged: Plugged | None = None

    def open_path(self, path: bytes) -> None:
        plugged = self._library.sockets.get(path)
        if plugged is None or plugged.is_open:
            raise OSError("open failed")
        plugged.is_open = True
        self._path, self._plugged = path, plugged

    def read(self, _size: int, timeout_ms: int = 0) -> list[int]:
        plugged = self._still_there("read error")
        until_ms = self._clock() + timeout_ms
        with plugged.changed:
            while (now_ms := self._clock()) < until_ms:
                self._still_there("read error")
                if report := plugged.eboard.bytes_to_send(now_ms):
                    return list(report)
                due_ms = min(until_ms, plugged.eboard.next_deadline_ms())
                plugged.changed.wait(max(due_ms - now_ms, 1) / 1000)
        return []

    def write(self, data: bytes) -> int:
        if self._plugged is None:
            raise ValueError("not open")
        if self._library.sockets.get(self._path) is not self._plugged:
            return -1
        with self._plugged.changed:
            self._plugged.eboard.feed(data, self._clock())
            self._plugged.changed.notify_all()
        return len(data)

    def close(self) -> None:
        if self._plugged is not None:
            self._plugged.is_open = False
        self._plugged = None

    def _still_there(self, fault: str) -> Plugged:
        if self._plugged is None:
            raise ValueError("not open")
        if self._library.sockets.get(self._path) is not self._plugged:
            raise OSError(fault)
        return self._plugged

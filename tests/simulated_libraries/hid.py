# SPDX-License-Identifier: Apache-2.0
"""The interface of hidapi; an eboard's socket is called `PRODUCT#SERIAL`."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any


def enumerate(vendor_id: int = 0, product_id: int = 0) -> list[dict[str, Any]]:
    folder = os.environ.get("COMPANION_SIMULATED_EBOARDS")
    paths = sorted(Path(folder).glob("*#*")) if folder and vendor_id in (0, 0x2D80) else []
    return [
        {
            "path": os.fsencode(path),
            "vendor_id": 0x2D80,
            "product_id": product_id or 0x8003,
            "serial_number": path.name.partition("#")[2],
            "product_string": path.name.partition("#")[0],
        }
        for path in paths
    ]


class device:
    """A device that is not open yet."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)

    def open_path(self, path: bytes) -> None:
        self._socket.connect(path)

    def read(self, size: int, timeout_ms: int = 0) -> list[int]:
        self._socket.settimeout(timeout_ms / 1000)
        try:
            heard = self._socket.recv(size)
        except TimeoutError:
            return []
        if not heard:
            raise OSError("read error")
        return list(heard)

    def write(self, data: bytes) -> int:
        try:
            return self._socket.send(data)
        except OSError:
            return -1

    def close(self) -> None:
        self._socket.close()

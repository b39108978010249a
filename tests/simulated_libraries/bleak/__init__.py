# SPDX-License-Identifier: Apache-2.0
"""The interface of bleak; an eboard's socket is called `NAME@ADDRESS`, with `-` for `:`."""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import exc as exc


@dataclass(frozen=True)
class BLEDevice:
    """A device that announces itself."""

    address: str
    name: str | None


@dataclass(frozen=True)
class AdvertisementData:
    """What it announces."""

    local_name: str | None


def _devices() -> dict[str, tuple[BLEDevice, AdvertisementData]]:
    folder = os.environ.get("COMPANION_SIMULATED_EBOARDS")
    if folder is None:
        raise exc.BleakError("no Bluetooth adapter")
    found = {}
    for path in Path(folder).glob("*@*"):
        name, _, address = path.name.partition("@")
        found[address] = (BLEDevice(address.replace("-", ":"), None), AdvertisementData(name))
    return found


def _path_of(address: str) -> Path:
    (path,) = Path(os.environ["COMPANION_SIMULATED_EBOARDS"]).glob(f"*@{address.replace(':', '-')}")
    return path


class BleakScanner:
    """Finds devices."""

    @staticmethod
    async def discover(
        timeout: float = 5.0,  # noqa: ASYNC109 (the library's own name)
        *,
        return_adv: bool = False,
    ) -> dict[str, tuple[BLEDevice, AdvertisementData]]:
        assert return_adv
        assert timeout > 0
        return _devices()

    @staticmethod
    async def find_device_by_filter(
        filterfunc: Callable[[BLEDevice, AdvertisementData], bool],
        timeout: float = 10.0,  # noqa: ASYNC109 (the library's own name)
    ) -> BLEDevice | None:
        assert timeout > 0
        return next((device for device, said in _devices().values() if filterfunc(device, said)), None)


class BleakClient:
    """A connection to one device."""

    mtu_size = 23

    def __init__(
        self, device: BLEDevice, disconnected_callback: Callable[[BleakClient], None] | None = None
    ) -> None:
        self._device = device
        self._gone = disconnected_callback
        self._socket: socket.socket | None = None
        self._reader: asyncio.Task[None] | None = None
        self._callbacks: dict[str, Callable[[Any, bytearray], None]] = {}
        self.written: list[tuple[str, bytes]] = []

    async def connect(self) -> None:
        path = _path_of(self._device.address)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._socket.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(self._socket, str(path))
        except OSError as fault:
            raise exc.BleakError("connecting failed") from fault
        self._reader = asyncio.create_task(self._read_on())

    async def start_notify(self, characteristic: str, callback: Callable[[Any, bytearray], None]) -> None:
        self._callbacks[characteristic] = callback

    async def write_gatt_char(self, _characteristic: str, data: bytes) -> None:
        if self._socket is None:
            raise exc.BleakError("not connected")
        await asyncio.get_running_loop().sock_sendall(self._socket, data)

    async def disconnect(self) -> None:
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.wait({self._reader})
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    async def _read_on(self) -> None:
        assert self._socket is not None
        try:
            while data := await asyncio.get_running_loop().sock_recv(self._socket, 4096):
                for callback in list(self._callbacks.values())[:1]:
                    callback(self, bytearray(data))
        except OSError:
            pass
        if self._gone is not None:
            self._gone(self)

# SPDX-License-Identifier: Apache-2.0
"""The door to Bluetooth LE, with a library whose devices are simulated."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Coroutine
from functools import wraps
from types import SimpleNamespace
from typing import Any

import pytest

from companion.host.devices.eboards import LE_EBOARDS
from companion.link.ble_port import NearbyEboard, nearby_eboards, open_eboard
from companion.link.gatt import Gatt
from companion.link.port import PortEnded
from companion.model.errors import ExtraMissing, PortUnavailable

STREAM = Gatt(("Board",), ("n1", "n2"), "w", is_stream=True)


class BleakError(Exception):
    """As in the library."""


class Library:
    """The interface of bleak with the devices *there*: address and announced name."""

    def __init__(self, there: dict[str, str], fault: str = "", *, is_deaf: bool = False) -> None:
        self.there, self.fault, self.is_deaf = there, fault, is_deaf
        self.exc = SimpleNamespace(BleakError=BleakError)
        self.BleakScanner = self
        self.callbacks: dict[str, Callable[[Any, bytearray], None]] = {}
        self.written: list[bytes] = []
        self.has_written = asyncio.Event()
        self.disconnected = 0
        self.mtu_size = 23

    def _devices(self) -> list[tuple[Any, Any]]:
        if self.is_deaf:
            raise BleakError("no adapter")
        return [
            (SimpleNamespace(address=address, name=None), SimpleNamespace(local_name=name))
            for address, name in self.there.items()
        ]

    async def discover(self, **_how: object) -> dict[str, tuple[Any, Any]]:
        return {device.address: (device, said) for device, said in self._devices()}

    async def find_device_by_filter(self, fits: Callable[[Any, Any], bool], **_how: object) -> Any:
        return next((device for device, said in self._devices() if fits(device, said)), None)

    def BleakClient(self, _device: Any, disconnected_callback: Callable[[Any], None]) -> Library:
        self.gone = disconnected_callback
        return self

    async def connect(self) -> None:
        if self.fault == "connect":
            raise BleakError("too far away")

    async def start_notify(self, characteristic: str, callback: Callable[[Any, bytearray], None]) -> None:
        self.callbacks[characteristic] = callback

    async def write_gatt_char(self, characteristic: str, data: bytes) -> None:
        if self.fault == "write":
            raise BleakError("not connected")
        assert characteristic == "w"
        self.written.append(bytes(data))
        self.has_written.set()

    async def disconnect(self) -> None:
        self.disconnected += 1


def on_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """*test*, run on an event loop of its own."""

    @wraps(test)
    def run(*given: Any, **named: Any) -> None:
        asyncio.run(test(*given, **named))

    return run


def use(library: Library, monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setitem(sys.modules, "bleak", library)
    monkeypatch.setitem(sys.modules, "bleak.exc", library.exc)
    return library


@on_a_loop
async def test_messages_of_a_stream_are_cut_and_reports_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(Library({"A": "Fridge", "B": "Board 7"}), monkeypatch)
    chunks, ends = list[bytes](), list[PortEnded]()
    port = await open_eboard("board:auto", STREAM, "", chunks.append, ends.append)
    assert library.callbacks.keys() == {"n1", "n2"}
    library.callbacks["n2"](None, bytearray(b"abc"))
    port.write(bytes(45))
    while sum(map(len, library.written)) < 45:
        library.has_written.clear()
        await library.has_written.wait()
    assert [len(each) for each in library.written] == [20, 20, 5]
    assert chunks == [b"abc"]
    library.gone(None)
    library.gone(None)
    assert [end.port for end in ends] == ["board:auto"]
    library.callbacks["n2"](None, bytearray(b"late"))
    assert chunks == [b"abc"]
    await port.close()
    assert library.disconnected == 1


@on_a_loop
async def test_a_report_that_must_stay_whole_is_not_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    library = use(Library({"B": "Board"}), monkeypatch)
    port = await open_eboard("b", Gatt(("Board",), ("n",), "w"), "b", lambda _: None, lambda _: None)
    port.write(bytes(34))
    await library.has_written.wait()
    assert library.written == [bytes(34)]
    await port.close()


@on_a_loop
async def test_a_failed_write_ends_the_port_and_closing_it_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    use(Library({"B": "Board"}, "write"), monkeypatch)
    ends, has_ended = list[PortEnded](), asyncio.Event()

    def end(what: PortEnded) -> None:
        ends.append(what)
        has_ended.set()

    port = await open_eboard("b", STREAM, "", lambda _: None, end)
    port.write(b"x")
    await asyncio.wait_for(has_ended.wait(), 60)
    await port.close()
    assert len(ends) == 1


@pytest.mark.parametrize(
    ("there", "address", "fault", "is_deaf", "said"),
    [
        ({"A": "Fridge"}, "", "", False, "was not found over Bluetooth"),
        ({"B": "Board"}, "C", "", False, "was not found over Bluetooth"),
        ({"B": "Board"}, "", "connect", False, "too far away"),
        ({}, "", "", True, "no adapter"),
    ],
)
@on_a_loop
async def test_an_eboard_that_cannot_be_reached_is_said_to_be_so(
    there: dict[str, str],
    address: str,
    fault: str,
    is_deaf: bool,
    said: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    library = use(Library(there, fault, is_deaf=is_deaf), monkeypatch)
    with pytest.raises(PortUnavailable, match=said):
        await open_eboard("b", STREAM, address, lambda _: None, lambda _: None)
    assert library.disconnected == (fault == "connect")


@on_a_loop
async def test_eboards_in_reach_are_listed_by_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    there = {"4": "DGT_PEGASUS_9", "1": "Chessnut Move", "2": "Chessnut Air", "3": "Fridge"}
    use(Library(there), monkeypatch)
    assert await nearby_eboards(LE_EBOARDS) == (
        NearbyEboard("chessnut-move-le", "1", "Chessnut Move"),
        NearbyEboard("chessnut-le", "2", "Chessnut Air"),
        NearbyEboard("pegasus", "4", "DGT_PEGASUS_9"),
    )
    use(Library(there, is_deaf=True), monkeypatch)
    assert await nearby_eboards(LE_EBOARDS) == ()


@on_a_loop
async def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    with pytest.raises(ExtraMissing, match="bleak"):
        await open_eboard("b", STREAM, "", lambda _: None, lambda _: None)

# SPDX-License-Identifier: Apache-2.0
"""HID devices are found, opened, read, written and lost; the library is simulated."""

from __future__ import annotations

import queue
import re
import sys

import pytest

from companion.eboards.recognition import PRODUCTS, VENDOR
from companion.host.clock import monotonic
from companion.link.hid_port import HidPort, list_devices, open_device
from companion.link.port import PortEnded
from companion.model.errors import ExtraMissing, PortUnavailable
from companion.model.installation import install_command
from tests.eboards.rig import chess_pieces
from tests.hid_library import HidLibrary
from tests.virtual.eboards.chessnut import VirtualChessnutEboard

CLOCK = monotonic(10_000)
REPORTING = bytes((0x21, 0x01, 0x00))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> HidLibrary:
    library = HidLibrary(CLOCK)
    monkeypatch.setitem(sys.modules, "hid", library)
    return library


def eboard() -> VirtualChessnutEboard:
    return VirtualChessnutEboard(chess_pieces(), CLOCK())


def opened(serial_number: str = "") -> tuple[HidPort, queue.Queue[bytes], queue.Queue[PortEnded]]:
    chunks: queue.Queue[bytes] = queue.Queue()
    ends: queue.Queue[PortEnded] = queue.Queue()
    port = open_device("chessnut:auto", VENDOR, PRODUCTS, serial_number, chunks.put, ends.put)
    return port, chunks, ends


def test_the_library_has_the_calls_of_the_real_one() -> None:
    real = pytest.importorskip("hid")
    for name in ("enumerate", "device"):
        assert callable(getattr(real, name))
    for name in ("open_path", "read", "write", "close"):
        assert callable(getattr(real.device, name))


def test_only_eboards_of_the_maker_are_listed(library: HidLibrary) -> None:
    library.plug(b"/dev/hidraw0", eboard(), "keyboard", vendor_id=0x046D)
    library.plug(b"/dev/hidraw1", eboard(), "mouse", product_id=0x1234)
    library.plug(b"/dev/hidraw3", eboard(), "B2")
    library.plug(b"/dev/hidraw2", eboard(), "A1")
    assert [each.serial_number for each in list_devices(VENDOR, PRODUCTS)] == ["A1", "B2"]


def test_reports_are_read_and_written_until_the_eboard_is_unplugged(library: HidLibrary) -> None:
    library.plug(b"/dev/hidraw1", eboard(), "A1")
    port, chunks, ends = opened()
    port.write(REPORTING)
    assert chunks.get(timeout=60)[:2] == b"\x01\x24"
    library.unplug(b"/dev/hidraw1")
    ended = ends.get(timeout=60)
    assert (ended.port, "plug it in again" in ended.reason) == ("chessnut:auto", True)
    port.write(REPORTING)
    port.close()
    assert ends.empty()


def test_of_two_eboards_the_named_one_is_opened(library: HidLibrary) -> None:
    first, second = (library.plug(path, eboard(), name) for path, name in ((b"1", "A1"), (b"2", "B2")))
    port, _, _ = opened("B2")
    assert (first.is_open, second.is_open) == (False, True)
    port.close()
    assert not second.is_open


def test_a_missing_eboard_is_named_with_those_that_are_there(library: HidLibrary) -> None:
    with pytest.raises(PortUnavailable, match=r"chessnut:auto is not plugged in. Present: none"):
        opened()
    library.plug(b"/dev/hidraw1", eboard(), "A1")
    with pytest.raises(PortUnavailable, match=r"Present: A1"):
        opened("C3")


def test_an_eboard_that_another_program_uses_is_reported_with_the_remedy(library: HidLibrary) -> None:
    library.plug(b"/dev/hidraw1", eboard(), "A1").is_open = True
    with pytest.raises(PortUnavailable, match=r"close other programs.*udev rule"):
        opened()


def test_a_missing_library_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hid", None)
    with pytest.raises(ExtraMissing, match=re.escape(install_command("boards"))):
        opened()

# SPDX-License-Identifier: Apache-2.0
"""Ports that were named are known; other generic adapters are not opened."""

from __future__ import annotations

import asyncio
import logging
import types
from pathlib import Path

import pytest
from serial.tools import list_ports as serial_list_ports

from companion.host.clock import monotonic
from companion.host.devices import known_ports
from companion.host.devices.eboards import EBOARDS, eboard_at
from companion.host.devices.panels import FittingPanel, opener, serial_ports
from companion.link.panel import load_panel
from companion.model.errors import PortUnavailable, UnknownName
from companion.model.grid import rectangle
from companion.virtual.panel import VirtualPanel
from tests.terminals import TerminalPanel

CLOCK = monotonic(10_000)
GRID = rectangle(4, 8)


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def plug(monkeypatch: pytest.MonkeyPatch, *ports: tuple[str, int, str], product: int = 1) -> None:
    """Replace this computer's ports: device, USB vendor, serial number; all of one *product*."""
    found = [
        types.SimpleNamespace(device=device, description="", vid=vendor, pid=product, serial_number=number)
        for device, vendor, number in ports
    ]
    monkeypatch.setattr(serial_list_ports, "comports", lambda: found)


def test_a_port_that_says_it_is_a_panel_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    plug(monkeypatch, ("/dev/ttyACM0", 0x2E8A, "E661"), ("/dev/ttyACM1", 0x2E8A, "E662"))
    serial_list_ports.comports()[1].manufacturer = "Companion"
    assert names() == ["/dev/ttyACM1"]


def names() -> list[str]:
    return [name for name, _ in serial_ports()]


@pytest.mark.parametrize(
    ("vendor", "product"),
    [
        (0x2341, 0x0043),
        (0x2341, 0x0042),
        (0x1A86, 0x7523),
        (0x0403, 0x6001),
        (0x10C4, 0xEA60),
        (0x2341, 0x8036),
        (0x2341, 0x003D),
        (0x303A, 0x1001),
        (0x16C0, 0x0483),
        (0x2E8A, 0x000A),
        (0x2E8A, 0x000C),
        (0x27B1, 0x0042),
    ],
    ids=[
        "Uno R3",
        "Mega 2560 R3",
        "CH340",
        "FT232R",
        "CP2102",
        "Leonardo",
        "Due",
        "ESP32-S3",
        "Teensy",
        "Pico",
        "Debug Probe",
        "printer",
    ],
)
def test_ports_are_opened_only_once_they_were_named(
    vendor: int, product: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    plug(monkeypatch, ("/dev/ttyACM0", vendor, "1"), product=product)
    assert names() == []
    known_ports.remember("/dev/ttyACM0", known_ports.PANEL)
    assert names() == ["/dev/ttyACM0"]
    plug(monkeypatch, ("/dev/ttyACM0", vendor, "2"), product=product)
    assert names() == [], "another device of the same model"


def test_a_remembered_adapter_is_known_on_any_port(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plug(monkeypatch, ("/dev/ttyUSB0", 0x0403, "A1"), ("/dev/ttyUSB1", 0x0403, "B2"))
    known_ports.remember("/dev/ttyUSB1", known_ports.PANEL)
    known_ports.remember("/dev/ttyUSB9", known_ports.PANEL)
    assert names() == ["/dev/ttyUSB1"]
    plug(monkeypatch, ("/dev/ttyUSB0", 0x0403, "B2"), ("/dev/ttyUSB1", 0x0403, "A1"))
    assert names() == ["/dev/ttyUSB0"]
    known_ports.remember("/dev/ttyUSB0", "dgt")
    assert names() == []
    link = tmp_path / "companion"
    link.symlink_to("/dev/ttyUSB1")
    known_ports.remember(str(link), known_ports.PANEL)
    assert names() == ["/dev/ttyUSB1"]
    known_ports.remember("/dev/ttyUSB1", "dgt")
    assert list(known_ports.known().values()) == ["dgt", "dgt"]


def test_a_damaged_file_is_reported_and_ignored(caplog: pytest.LogCaptureFixture) -> None:
    known_ports.path().parent.mkdir(parents=True)
    known_ports.path().write_text("no toml", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert known_ports.known() == {}
    assert "the known ports cannot be read" in caplog.text


def test_the_error_names_the_ports_that_were_not_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    plug(monkeypatch, ("/dev/ttyUSB0", 0x1A86, ""))
    finder = FittingPanel(GRID, CLOCK, serial_ports)
    with pytest.raises(
        PortUnavailable, match=r"/dev/ttyUSB0 is unknown.*name the port once.*--port /dev/ttyUSB0"
    ):
        asyncio.run(finder.open(lambda _chunk: None, lambda _end: None))


@pytest.mark.native
def test_a_port_that_is_named_is_found_automatically_afterwards(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    device = tmp_path / "panel"
    plug(monkeypatch, (str(device), 0x1A86, ""))

    async def opened(port: str) -> None:
        open_port = opener(port, GRID, CLOCK)
        assert open_port is not None
        await (await open_port(lambda _chunk: None, lambda _end: None)).close()

    panel = VirtualPanel(load_panel("4x8"), unique_id=bytes(8), session=1, now_ms=CLOCK())
    with TerminalPanel(panel, CLOCK, device):
        with pytest.raises(PortUnavailable):
            asyncio.run(opened("auto"))
        asyncio.run(opened(str(device)))
        asyncio.run(opened("auto"))


@pytest.mark.parametrize(
    "port",
    ["/dev/ttyUSB0", "COM3", "socket://localhost:7000", "C:\\port", "/dev/serial/by-id/usb-a:1.0", None],
)
def test_what_is_not_named_like_an_eboard_is_a_port_of_a_panel(port: str | None) -> None:
    assert eboard_at(port) == (None, port or "")


def test_an_eboard_that_is_not_known_is_refused_with_those_that_are() -> None:
    with pytest.raises(
        UnknownName, match="there is no board 'chessmaster'; known are dgt, millennium, "
    ) as why:
        eboard_at("chessmaster:auto")
    assert set(why.value.known) == set(EBOARDS)
    eboard, device = eboard_at("ichessone:auto")
    assert eboard is EBOARDS["ichessone"]
    assert device == "auto"

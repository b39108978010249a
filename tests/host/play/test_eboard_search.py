# SPDX-License-Identifier: Apache-2.0
"""Eboards are listed, examined and found; serial ones after they were named."""

from __future__ import annotations

import asyncio
import io
import json
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest
from rich.console import Console
from serial.tools import list_ports as serial_list_ports

from companion.cli.main import main
from companion.host import settings
from companion.host.clock import monotonic
from companion.host.doctor.commands import examine_panel
from companion.host.play.eboard_search import EboardsAround, resolved
from companion.host.play.plugged import plugged_eboards
from companion.model.errors import PanelSilent, PortUnavailable
from tests.eboards.rig import chess_pieces
from tests.hid_library import HidLibrary
from tests.terminals import TerminalPanel
from tests.virtual.eboards.chessnut import VirtualChessnutEboard
from tests.virtual.eboards.dgt import VirtualDgtEboard

CLOCK = monotonic(10_000)


@pytest.fixture(autouse=True)
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HidLibrary:
    """A computer without devices, known ports and settings."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setattr(serial_list_ports, "comports", list)
    library = HidLibrary(CLOCK)
    monkeypatch.setitem(sys.modules, "hid", library)
    monkeypatch.setitem(sys.modules, "bleak", None)
    return library


def plug(monkeypatch: pytest.MonkeyPatch, device: Path) -> None:
    """Give the computer a serial adapter that anything may have."""
    port = types.SimpleNamespace(device=str(device), description="", vid=0x0403, pid=1, serial_number="A1")
    monkeypatch.setattr(serial_list_ports, "comports", lambda: [port])


def plug_in(library: HidLibrary, *serial_numbers: str) -> None:
    for number in serial_numbers:
        library.plug(number.encode(), VirtualChessnutEboard(chess_pieces(), CLOCK()), number)


def announce(monkeypatch: pytest.MonkeyPatch, there: dict[str, str]) -> None:
    """Let the eboards *there* announce their names over Bluetooth LE, by address."""

    async def discover(**_how: object) -> dict[str, tuple[object, object]]:
        return {
            address: (
                types.SimpleNamespace(address=address, name=name),
                types.SimpleNamespace(local_name=None),
            )
            for address, name in there.items()
        }

    errors = types.SimpleNamespace(BleakError=ValueError)
    scanner = types.SimpleNamespace(discover=discover)
    library = types.SimpleNamespace(BleakScanner=scanner, exc=errors, __spec__=ModuleSpec("bleak", None))
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:abstract=simulated")
    monkeypatch.setitem(sys.modules, "bleak", library)
    monkeypatch.setitem(sys.modules, "bleak.exc", errors)


def listed_by(capsys: pytest.CaptureFixture[str], *names: str) -> str:
    """What `companion tools panels` prints."""
    main(["tools", "panels", *names])
    return " ".join(capsys.readouterr().out.split())


def said_by(show: object, *arguments: object) -> str:
    out = Console(file=io.StringIO(), width=300)
    show(*arguments, out)  # type: ignore[operator]
    assert isinstance(out.file, io.StringIO)
    return " ".join(out.file.getvalue().split())


def test_an_eboard_on_usb_is_listed_without_being_named(
    library: HidLibrary, capsys: pytest.CaptureFixture[str]
) -> None:
    plug_in(library, "X7")
    assert "chessnut:X7 Chessnut 64 cells, 8×8 battery 77 %" in listed_by(capsys)
    assert main(["tools", "panels", "--json", "--language", "de"]) == 0
    (listed,) = json.loads(capsys.readouterr().out)
    assert (listed["panel"], listed["identity"]) == ("Chessnut", "Akku 77 %")


def test_a_serial_eboard_is_listed_once_it_was_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    device = tmp_path / "board"
    plug(monkeypatch, device)
    eboard = VirtualDgtEboard(chess_pieces("4k3/8/8/8/8/8/8/R3K3"), CLOCK())
    with TerminalPanel(eboard, CLOCK, device):
        assert plugged_eboards() == ()
        assert "not opened" in listed_by(capsys)
        assert eboard.commands == []
        assert f"dgt:{device} DGT e-Board 12345 64 cells, 8×8" in listed_by(capsys, f"dgt:{device}")
        assert plugged_eboards() == (f"dgt:{device}",)
        assert resolved("auto") == f"dgt:{device}"
        assert f"dgt:{device} DGT e-Board 12345" in listed_by(capsys)


def test_the_doctor_says_what_an_eboard_reports(tmp_path: Path) -> None:
    device = tmp_path / "board"
    eboard = VirtualDgtEboard(chess_pieces("4k3/8/8/8/8/8/8/R3K3"), CLOCK())
    with TerminalPanel(eboard, CLOCK, device):
        said = said_by(examine_panel, f"dgt:{device}", 0)
    assert "DGT e-Board 12345 · 64 cells, 8×8" in said
    assert "Pieces stand on a1, e1, e8." in said
    assert "Games that fit: Chess, Close Quarters" in said


@pytest.mark.long
def test_an_eboard_that_does_not_answer_is_reported(tmp_path: Path) -> None:
    device = tmp_path / "board"
    eboard = VirtualDgtEboard({}, CLOCK())
    eboard.is_mute = True
    with TerminalPanel(eboard, CLOCK, device), pytest.raises(PanelSilent, match="switched on"):
        examine_panel(f"dgt:{device}", 0, Console(file=io.StringIO()))


def test_auto_means_the_only_eboard_and_several_have_to_be_named(library: HidLibrary) -> None:
    assert resolved("auto") == "auto"
    assert resolved(None) is None
    plug_in(library, "A1")
    assert resolved("auto") == "chessnut:A1"
    plug_in(library, "B2")
    with pytest.raises(PortUnavailable, match=r"several boards are plugged in.*chessnut:A1, chessnut:B2"):
        resolved("auto")
    assert resolved("chessnut:B2") == "chessnut:B2"


def test_auto_searches_over_bluetooth_if_nothing_is_plugged_in(
    library: HidLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    announce(monkeypatch, {"C0:01": "Chessnut Air", "C0:02": "Fridge"})
    assert resolved("auto") == "chessnut-le:C0:01"
    plug_in(library, "A1")
    assert resolved("auto") == "chessnut:A1"


def test_eboards_in_reach_are_searched_now_and_then_and_stay_listed(
    library: HidLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    now_ms = 0
    plug_in(library, "A1")
    announce(monkeypatch, {"C0:01": "Chessnut Air"})
    around = EboardsAround(lambda: now_ms)
    assert asyncio.run(around()) == ("chessnut:A1", "chessnut-le:C0:01")
    announce(monkeypatch, {"C0:04": "DGT_PEGASUS_1"})
    assert asyncio.run(around()) == ("chessnut:A1", "chessnut-le:C0:01")
    now_ms = 60_000
    assert asyncio.run(around()) == ("chessnut:A1", "chessnut-le:C0:01", "pegasus:C0:04")
    library.unplug(b"A1")
    assert asyncio.run(around()) == ("chessnut-le:C0:01", "pegasus:C0:04")


def test_bluetooth_is_not_searched_if_the_settings_forbid_it(
    library: HidLibrary, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = settings.path()
    file.parent.mkdir(parents=True)
    file.write_text("[boards]\nsearch_bluetooth = false\n")
    announce(monkeypatch, {"C0:01": "Chessnut Air"})
    assert asyncio.run(EboardsAround(CLOCK)()) == ()
    assert resolved("auto") == "auto"
    assert "no serial port" in listed_by(capsys)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere Bluetooth needs no D-Bus")
def test_bluetooth_is_searched_only_with_a_bus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: HidLibrary
) -> None:
    announce(monkeypatch, {"C0:01": "Chessnut Air"})
    monkeypatch.setenv("DBUS_SYSTEM_BUS_ADDRESS", f"unix:path={tmp_path / 'bus'}")
    assert resolved("auto") == "auto"
    (tmp_path / "bus").touch()
    assert resolved("auto") == "chessnut-le:C0:01"


def test_a_move_is_told_from_other_chessnut_eboards_by_its_name(library: HidLibrary) -> None:
    plug_in(library, "A1")
    library.plug(b"M1", VirtualChessnutEboard({}, CLOCK()), "M1", product_string="Chessnut Move")
    assert plugged_eboards() == ("chessnut:A1", "chessnut-move:M1")


def test_without_the_library_no_eboard_is_found(library: HidLibrary, monkeypatch: pytest.MonkeyPatch) -> None:
    plug_in(library, "A1")
    monkeypatch.setitem(sys.modules, "hid", None)
    assert plugged_eboards() == ()

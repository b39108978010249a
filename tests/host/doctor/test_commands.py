# SPDX-License-Identifier: Apache-2.0
"""Commands for panel builders, tested on pseudo-terminals with a panel."""

from __future__ import annotations

import asyncio
import io
import json
import sys
from pathlib import Path

import pytest
from rich.console import Console

from companion.cli.main import main
from companion.host.clock import monotonic
from companion.host.devices.panel_session import PanelSession
from companion.host.doctor import as_data
from companion.host.doctor.commands import examine_panel
from companion.link.panel import load_panel
from companion.link.port import FoundPort
from companion.link.protocol_gen import Fault, HelloReply
from companion.model.errors import PortUnavailable
from companion.virtual.panel import VirtualPanel
from tests.terminals import TerminalPanel

pytestmark = [
    pytest.mark.native,
    pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are not to be had"),
]

CLOCK = monotonic(10_000)


def behind(path: Path, name: str = "4x8", number: int = 1) -> TerminalPanel:
    panel = VirtualPanel(load_panel(name), unique_id=bytes((number,) * 8), session=1, now_ms=CLOCK())
    return TerminalPanel(panel, CLOCK, path)


def text_of(console: Console) -> str:
    return " ".join(console.export_text(clear=False).split())


def said_by(capsys: pytest.CaptureFixture[str]) -> str:
    return " ".join(capsys.readouterr().out.split())


def console() -> Console:
    return Console(record=True, width=150, file=io.StringIO())


def test_several_boards_are_recognised_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Neither panel answers before both were asked.

    Asking one after the other would never succeed.
    """
    greet, asked, both = PanelSession.greet, list[PanelSession](), asyncio.Event()

    async def greet_together(session: PanelSession) -> HelloReply:
        asked.append(session)
        if len(asked) == 2:
            both.set()
        await asyncio.wait_for(both.wait(), 60)
        return await greet(session)

    monkeypatch.setattr(PanelSession, "greet", greet_together)
    with behind(tmp_path / "A", "4x8", 1), behind(tmp_path / "B", "20x20", 2):
        assert main(["tools", "panels", str(tmp_path / "A"), str(tmp_path / "C"), str(tmp_path / "B")]) == 0
    said = said_by(capsys)
    assert "4x8 32 cells, 4×8 virtual 1.1.0 0101010101010101" in said
    assert "20x20 400 cells, 20×20 virtual 1.1.0 0202020202020202" in said
    assert f"there is no port {tmp_path / 'C'}" in said


@pytest.mark.parametrize(("vendor", "usb"), [("CH340", "1a86:7523:1-2"), ("Arduino", "2341:0042:1-2")])
def test_a_port_is_asked_once_it_was_named(
    vendor: str,
    usb: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    found = FoundPort(str(tmp_path / "A"), "USB2.0-Serial", vendor, "", usb)
    for module in ("doctor.panel_list", "devices.known_ports"):
        monkeypatch.setattr(f"companion.host.{module}.list_ports", lambda: (found,))
    with behind(tmp_path / "A") as far:
        assert main(["tools", "panels"]) == 1
        assert "not opened, since anything may be there: name it" in said_by(capsys)
        assert isinstance(far.panel, VirtualPanel)
        assert far.panel.device.packets == 0
        assert main(["tools", "panels", found.name]) == 0
        assert f"USB2.0-Serial {vendor} 4x8" in said_by(capsys)
        assert main(["tools", "panels"]) == 0
    assert f"USB2.0-Serial {vendor} 4x8" in said_by(capsys)


def test_missing_ports_are_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("companion.host.doctor.panel_list.list_ports", tuple)
    assert main(["tools", "panels"]) == 1
    assert "no serial port" in said_by(capsys)


def test_a_good_panel_has_no_findings(tmp_path: Path) -> None:
    out = console()
    with behind(tmp_path / "A"):
        assert any(examine_panel(str(tmp_path / "A"), out) for _ in range(3)), "not on a busy machine"
    assert "300 pings: median" in text_of(out)
    assert "No faults." in text_of(out)


def test_a_panel_is_examined_in_the_users_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = console()
    with behind(tmp_path / "A") as far:
        far.close(3)
        examine_panel(str(tmp_path / "A"), out, "de")
    said = text_of(out)
    assert "300 Pings: Median" in said
    assert "Figuren stehen auf d1." in said
    assert f"Um jeden Schalter zu prüfen: companion tools switches --port {tmp_path / 'A'}" in said
    assert main(["tools", "panels", str(tmp_path / "C"), "--language", "de"]) == 1
    assert "gibt es nicht. Vorhanden" in said_by(capsys)


def test_a_panel_is_described_for_other_programs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    port, missing = str(tmp_path / "A"), str(tmp_path / "C")
    with behind(tmp_path / "A") as far:
        assert isinstance(far.panel, VirtualPanel)
        far.close(3)
        far.panel.device.faults = Fault.COLUMN_SHORTED
        assert main(["tools", "panels", port, missing, "--json", "--language", "de"]) == 0
        found = json.loads(capsys.readouterr().out)
        examined = as_data.panel(port, "de")
    assert found[0] == {
        "port": port,
        "device": "",
        "panel": "4x8",
        "cells": "32 cells, 4×8",
        "chip": "virtual",
        "firmware": "1.1.0",
        "identity": "0101010101010101",
    }
    assert "gibt es nicht" in found[1]["fault"]
    assert examined[0]["level"] == "good"
    assert examined[0]["times"]["pings"] == 300
    assert examined[0]["closed"] == ["d1"]
    assert any("Selbsttest" in each["text"] for each in examined if each["level"] == "fault")
    assert not as_data.is_well(examined)


def test_a_missing_panel_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PortUnavailable):
        examine_panel(str(tmp_path / "A"), console())

# SPDX-License-Identifier: Apache-2.0
"""Probing a real or simulated computer does not change it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.host.doctor import probe
from companion.host.doctor.camera import CameraProbe
from companion.host.doctor.checks import Device, examine
from companion.host.web import server as web


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Store and settings of this test only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    return tmp_path


def test_probing_this_computer_does_not_change_it(own_folder: Path) -> None:
    seen = probe.look()
    assert seen.python == sys.version_info[:2]
    assert 0 < seen.answer_ms < 1000
    assert seen.data_fault == ""
    assert seen.store_fault == ""
    assert not [library for library in seen.missing if not library.extra]
    assert not [path for path in own_folder.rglob("*") if path.is_file()]
    assert {finding.subject for finding in examine(seen)} >= {"Python", "Data folder", "Store", "Speed"}


def test_the_command_exits_with_1_for_a_fault(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = own_folder / "config/companion/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[page]\nprot = 1\n")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"FAULT Settings: {settings}, line 2: unknown key 'page.prot'" in out
    assert f'      nano "{settings}"\n' in out or sys.platform == "win32"
    assert "Faults: " in out


def test_the_command_speaks_the_language_of_its_option_or_of_the_settings(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = own_folder / "config/companion/settings.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('language = "de"\n[page]\nprot = 1\n', encoding="utf-8")
    assert main(["doctor"]) == 1
    out = capsys.readouterr().out
    assert f"FEHLER  Einstellungen: {settings}, Zeile 3: unbekannter Schlüssel 'page.prot'" in out
    assert "MB sind frei" in out
    assert "eine Antwort braucht" in out
    assert "Fehler: " in out
    assert main(["doctor", "--language", "fr"]) == 1
    out = capsys.readouterr().out
    assert f"DÉFAUT Réglages: {settings}, ligne 3" in out
    assert "une réponse demande" in out


def test_an_invalid_store_is_reported(own_folder: Path) -> None:
    broken = own_folder / "broken.sqlite"
    broken.write_text("Dear Ada, " * 100)
    assert "file is not a database" in probe.look(f"sqlite:///{broken}").store_fault


def test_a_password_is_not_shown() -> None:
    assert "secret" not in probe.look("nonsense://ada:secret@server/games").store


def test_an_occupied_page_port_is_reported(own_folder: Path) -> None:
    settings = own_folder / "config/companion/settings.toml"
    settings.parent.mkdir(parents=True)
    with web.listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        settings.write_text(f"[page]\nport = {port}\n")
        assert f"port {port}" in probe.look().page_fault


def test_a_folder_that_is_a_file_cannot_be_written_to(own_folder: Path) -> None:
    file = own_folder / "file"
    file.write_text("")
    assert probe.write_fault(file / "companion")
    assert not probe.write_fault(own_folder / "new" / "companion")


@pytest.mark.skipif(sys.platform == "win32", reason="devices are no files there")
def test_a_device_without_permission_is_reported_with_its_group(
    own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = own_folder / "ttyUSB0"
    path.write_text("")
    assert probe.device(path).is_permitted
    assert probe.device(own_folder / "gone").is_permitted
    monkeypatch.setattr(os, "access", lambda *_wanted: False)
    closed = probe.device(path)
    assert not closed.is_permitted
    assert closed.group


def test_each_accessible_camera_is_opened() -> None:
    asked: list[str] = []

    def look(source: str) -> CameraProbe:
        asked.append(source)
        return CameraProbe("no picture", is_good=False)

    seen = probe.tried(Device("/dev/video12"), look)
    assert (seen.tried, seen.fails) == ("no picture", True)
    assert probe.tried(Device("/dev/video1", False, "video"), look).tried == ""
    assert asked == ["12"]

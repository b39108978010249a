# SPDX-License-Identifier: Apache-2.0
"""Each defect of a computer gets one sentence and the command that fixes it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from companion.host.doctor.checks import Device, Finding, Level, Library, Machine, examine, is_well
from companion.host.text.error_translation import translate
from companion.model.installation import Installation, Tool
from companion.model.phrase import Phrase

WELL = Machine(
    system="linux",
    python=(3, 12),
    installation=Installation("/venv/bin/python", Tool.PIP),
    missing=(),
    ports=(Device("/dev/ttyUSB0"),),
    has_brltty=False,
    cameras=(Device("/dev/video0", tried="1920×1080 pixels"),),
    settings_file="/home/ada/.config/companion/settings.toml",
    settings_fault="",
    data_folder="/home/ada/.local/share/companion",
    data_fault="",
    free_mb=9000,
    store="sqlite:////home/ada/.local/share/companion/records.sqlite",
    store_fault="",
    page_fault="",
    has_browser=True,
    has_screen=True,
    encoding="utf-8",
    answer_ms=1.2,
    tick_ms=0.001,
    engine="/usr/games/stockfish",
)
NUMPY = Library("numpy>=2.0", "camera")


def the_finding(**different: Any) -> Finding:
    """The only finding on a good machine with these differences."""
    (found,) = (each for each in examine(replace(WELL, **different)) if each.level is not Level.GOOD)
    return found


def test_a_good_machine_has_no_findings() -> None:
    found = examine(WELL)
    assert {finding.level for finding in found} == {Level.GOOD}
    assert is_well(found)
    assert not any(finding.mend for finding in found)


@pytest.mark.parametrize(
    ("different", "level", "said", "mend"),
    [
        ({"python": (3, 10)}, "fault", "3.10 is too old", "uv tool install --python 3.11 companion-table"),
        (
            {"missing": (Library("typer>=0.15"),)},
            "fault",
            "nothing works without typer>=0.15",
            "/venv/bin/python -m pip install 'typer>=0.15'",
        ),
        (
            {"missing": (NUMPY,), "installation": Installation("/venv/bin/python", Tool.PIPX)},
            "note",
            "a camera table needs numpy>=2.0: not installed",
            "pipx inject companion-table 'companion-table[camera]'",
        ),
        (
            {"missing": (NUMPY,), "installation": Installation("/venv/bin/python", Tool.UV)},
            "note",
            "not installed",
            "uv pip install --python /venv/bin/python 'companion-table[camera]'",
        ),
        ({"engine": ""}, "note", "none was found", "sudo apt-get install stockfish"),
        ({"engine": "", "system": "macos"}, "note", "none was found", "brew install stockfish"),
        ({"ports": ()}, "note", "none: plug the panel in", "sudo dmesg | tail"),
        ({"ports": (), "has_brltty": True}, "note", "brltty is installed", "sudo apt-get remove brltty"),
        ({"ports": (), "system": "macos"}, "note", "none: plug", "ls /dev/cu.*"),
        ({"ports": (), "system": "windows"}, "note", "none: plug", "pnputil /enum-devices /class Ports"),
        (
            {"ports": (Device("/dev/ttyUSB0", False, "dialout"),)},
            "fault",
            "no permission to open /dev/ttyUSB0: it belongs to the group dialout",
            "sudo usermod -aG dialout $USER",
        ),
        (
            {"ports": (Device("/dev/ttyACM0", False, "uucp", True),)},
            "fault",
            "you were added to the group uucp, but logged in before",
            "newgrp uucp",
        ),
        (
            {"cameras": (Device("/dev/video0", False, "video"),)},
            "fault",
            "no permission to open /dev/video0",
            "sudo usermod -aG video $USER",
        ),
        ({"cameras": None}, "note", "does not list them", "companion doctor --camera 0"),
        (
            {"cameras": (Device("/dev/video2", tried="camera 2 is used by another program", fails=True),)},
            "fault",
            "/dev/video2: camera 2 is used by another program",
            "companion doctor --camera 2",
        ),
        ({"cameras": ()}, "note", "only camera tables need one", ""),
        (
            {"settings_fault": "settings.toml, line 2: unknown key 'langage'"},
            "fault",
            "line 2: unknown key",
            'nano "/home/ada/.config/companion/settings.toml"',
        ),
        (
            {"settings_fault": "bad", "system": "windows"},
            "fault",
            "bad",
            'notepad "/home/ada/.config/companion/settings.toml"',
        ),
        (
            {"data_fault": "Permission denied"},
            "fault",
            "journals cannot be written to /home/ada/.local/share/companion: Permission denied",
            'sudo chown -R "$USER" "/home/ada/.local/share/companion"',
        ),
        ({"free_mb": 100}, "note", "only 100 MB are free", "sudo apt-get clean"),
        ({"free_mb": 3}, "fault", "only 3 MB are free", "sudo apt-get clean"),
        ({"free_mb": 3, "system": "windows"}, "fault", "only 3 MB", "cleanmgr"),
        (
            {"store_fault": "file is not a database"},
            "fault",
            "file is not a database",
            'mv "/home/ada/.local/share/companion/records.sqlite"',
        ),
        (
            {"store": "postgresql://club@server/games", "store_fault": "connection refused"},
            "fault",
            "connection refused",
            "companion settings show",
        ),
        (
            {"page_fault": "port 8765: in use"},
            "note",
            "in use",
            "companion play close-quarters --http-port 0",
        ),
        ({"has_browser": False}, "note", "none was found", "sudo apt-get install firefox-esr"),
        ({"has_screen": False}, "note", "no screen here", "--http-address 0.0.0.0"),
        ({"encoding": "ascii"}, "note", "encoding is ascii", "export PYTHONUTF8=1"),
        ({"encoding": "cp850", "system": "windows"}, "note", "cp850", "chcp 65001"),
        (
            {"answer_ms": 40.0, "governor": "powersave"},
            "note",
            "saves power (powersave)",
            "echo performance | sudo tee",
        ),
        ({"answer_ms": 40.0}, "note", "lamps will be late", ""),
        ({"tick_ms": 64.0}, "note", "steps of 64 ms", ""),
    ],
)
def test_each_defect_is_named_with_its_remedy(
    different: dict[str, Any], level: str, said: str, mend: str
) -> None:
    finding = the_finding(**different)
    assert finding.level == level
    assert said in finding.said
    assert finding.mend.startswith(mend) or mend in finding.mend
    assert bool(mend) == bool(finding.mend)
    assert isinstance(finding.subject, Phrase) or finding.subject == "Python"
    assert isinstance(finding.said, Phrase) or finding.said in different.values()


def test_a_finding_is_translated_with_the_error_in_it() -> None:
    finding = the_finding(data_fault=Phrase("Permission denied"))
    assert translate(finding.subject, "de") == "Datenordner"
    assert translate(finding.said, "de").endswith("companion schreiben: keine Berechtigung")


def test_only_faults_make_a_machine_fail() -> None:
    assert is_well(examine(replace(WELL, cameras=(), has_screen=False)))
    assert not is_well(examine(replace(WELL, data_fault="Read-only file system")))

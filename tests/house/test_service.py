# SPDX-License-Identifier: Apache-2.0
"""The systemd unit is valid, starts the documented program, and grants only what it needs."""

from __future__ import annotations

import configparser
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.commands import check

ROOT = Path(__file__).resolve().parents[2]
UNIT = ROOT / "docs" / "companion.service"


class Unit(configparser.RawConfigParser):
    """A unit file: keys may come again, and then all of their values count."""

    def __init__(self) -> None:
        super().__init__(strict=False, dict_type=_Repeating)

    def optionxform(self, optionstr: str) -> str:
        return optionstr


class _Repeating(dict):  # type: ignore[type-arg]
    """Keeps every value that is set to a list."""

    def __setitem__(self, key: object, value: object) -> None:
        if isinstance(value, list) and isinstance(self.get(key), list):
            self[key].extend(value)
        else:
            super().__setitem__(key, value)


@pytest.fixture(scope="module")
def service() -> dict[str, str]:
    """The section of the service; values that come again are on lines of their own."""
    unit = Unit()
    unit.read(UNIT)
    return dict(unit["Service"])


def words_of(service: dict[str, str]) -> str:
    """The words after the game where nobody says others."""
    found = re.search(r'"WORDS=([^"]*)"', service["Environment"])
    assert found is not None
    return found[1]


def test_the_unit_is_understood() -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is missing")
    done = subprocess.run(["systemd-analyze", "verify", UNIT], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_command_of_the_service_is_valid(service: dict[str, str]) -> None:
    words = words_of(service)
    for found in re.findall(r'companion play "\$GAME"([^|\']*)', service["ExecStart"]):
        said = found.replace("$WORDS", words).replace("$NEW", "-o turn_limit=20 --clock 5+3")
        check(f"companion play close-quarters{said}")


def test_the_service_is_unprivileged_and_sees_boards_and_cameras_only(service: dict[str, str]) -> None:
    assert service["User"] == "companion"
    assert service["CapabilityBoundingSet"] == ""
    assert service["ProtectSystem"] == "strict"
    assert service["DevicePolicy"] == "closed"
    assert {"char-ttyUSB rw", "char-ttyACM rw", "char-video4linux rw"} <= set(
        service["DeviceAllow"].split("\n")
    )


@pytest.mark.skipif(sys.platform == "win32", reason="systemd is another system's")
def test_the_service_begins_a_game_if_none_was_interrupted(service: dict[str, str], tmp_path: Path) -> None:
    line = re.fullmatch(r"/bin/sh -c '(.*)'", service["ExecStart"])
    assert line is not None
    command = tmp_path / "bin" / "companion"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m companion "$@"\n')
    command.chmod(0o755)
    surroundings = {
        **os.environ,
        "PATH": f"{command.parent}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        "XDG_DATA_HOME": str(tmp_path),
        "GAME": "close-quarters",
        "WORDS": "--port virtual --no-browser --http-port 0",
        "NEW": "-o turn_limit=20",
    }
    with subprocess.Popen(
        ["/bin/sh", "-c", line[1]],
        env=surroundings,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        for said in program.stdout:
            if "connected" in said:
                break
        os.killpg(program.pid, signal.SIGINT)
        program.stdout.read()
        assert "there is no unfinished game of close-quarters" in " ".join(program.stderr.read().split())
    assert program.returncode == 0

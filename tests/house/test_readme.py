# SPDX-License-Identifier: Apache-2.0
"""The README tells the truth: its commands, files and diagram are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.referee import chart

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_ci_runs_the_second_of_the_two_commands() -> None:
    first, second = re.findall(r"^python3 (\S+)", README, flags=re.MULTILINE)[:2]
    assert (ROOT / first).is_file()
    assert f"python3 {second}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "command", sorted(set(re.findall(r"`?companion ([a-z]+)\b", README.split("## Floor")[0])))
)
def test_every_command_that_is_named_exists(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_every_file_that_is_linked_exists(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    linked = [target for target in re.findall(r"\]\(([^)#]+)", text) if "://" not in target]
    assert not [target for target in linked if not (ROOT / target).exists()]


def test_every_room_of_the_floor_plan_exists() -> None:
    rooms = re.findall(r"^\| `((?:companion|firmware|calibration)/[a-z/]*)`", README, flags=re.MULTILINE)
    assert len(rooms) >= 10
    assert not [room for room in rooms if not (ROOT / room).is_dir()]


def test_the_diagram_is_that_of_the_statechart() -> None:
    assert chart.diagram() in README

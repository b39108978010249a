# SPDX-License-Identifier: Apache-2.0
"""The README is short, and its commands and files are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import games
from companion.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHORTEST, LONGEST = 600, 900


def prose(text: str) -> str:
    """*text* without the targets of its links and pictures."""
    return re.sub(r"\]\([^)]*\)", "]", text)


def test_a_newcomer_can_read_it_in_a_few_minutes() -> None:
    words = re.findall(r"\w+(?:[.'’-]\w+)*", prose(README))
    assert SHORTEST <= len(words) <= LONGEST


def test_ci_runs_the_second_of_the_two_commands() -> None:
    first, second = re.findall(r"^python3 (\S+)", README, flags=re.MULTILINE)[:2]
    assert (ROOT / first).is_file()
    assert f"python3 {second}" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`companion ([a-z]+)\b", README))))
def test_every_command_that_is_named_exists(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("slug", games.slugs())
def test_every_game_has_a_row_with_its_smallest_board(slug: str) -> None:
    table = README.split("## Six games")[1].split("## ")[0]
    rows = [[re.sub("<[^>]*>", "", cell).strip() for cell in line.split("|")] for line in table.splitlines()]
    (row,) = (row for row in rows if slug in [cell.lower().replace(" ", "-") for cell in row])
    grid = games.find(slug).rules({}).grid
    assert any(cell.startswith(f"{grid.files} × {grid.ranks}") for cell in row)

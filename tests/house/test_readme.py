# SPDX-License-Identifier: Apache-2.0
"""The README is short, and its commands and files are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion import games
from companion.cli.main import main
from tests.readme import README, game_rows

ROOT = Path(__file__).resolve().parents[2]
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


@pytest.mark.parametrize(("slug", "cells"), game_rows().items())
def test_every_row_is_of_a_game_and_has_its_smallest_board(slug: str, cells: list[str]) -> None:
    grid = games.find(slug).rules({}).grid
    assert cells[2].startswith(f"{grid.files} × {grid.ranks}")


def test_every_row_of_the_games_is_read() -> None:
    table = README.split("## Six games")[1].split("\n## ")[0]
    assert table.count("\n| <img ") == len(game_rows()) == 6

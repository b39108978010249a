# SPDX-License-Identifier: Apache-2.0
"""`companion tools maps` checks and shows players' own maps."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.cli.program import FAILED
from companion.host.maps import check_map

CLOSE = 'title = "Close"\nsize = [4, 4]\nboard = """\n4 . c . l\n3 . . . .\n2 . . . .\n1 C M . .\n"""\n[facing]\nB4 = "E"\n'


def test_our_own_map_is_valid_and_fair() -> None:
    path = Path(str(resources.files("companion.games") / "maps" / "companion-20.toml"))
    lines = check_map(path)
    assert lines[0].endswith("Companion 20 × 20, 20 × 20 spaces, 80 obstacles")
    force = "4 light-tank, 3 medium-tank, 2 heavy-tank, 1 command-tank, 2 tank-destroyer, 2 heavy-mortar"
    assert lines[1:3] == (f"White: {force}", f"Black: {force}")
    assert not any(line.startswith("note") for line in lines)


def test_unusual_properties_of_a_map_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "close.toml"
    path.write_text(CLOSE, encoding="utf-8")
    assert [line for line in check_map(path) if line.startswith("note")] == [
        "note: it is not the same from both sides",
        "note: the first move can destroy B4 D4",
        "note: White's Command Tank can leave with the first move",
    ]


def test_border_surfaces_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "close.toml"
    path.write_text(CLOSE.replace("2 . . . .", "2 % # . %"), encoding="utf-8")
    assert check_map(path)[0].endswith("4 × 4 spaces, 1 obstacles, 2 spaces outside the board")


def test_the_commands_print_notes_and_errors(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "close.toml"
    path.write_text(CLOSE, encoding="utf-8")
    assert main(["tools", "maps", "check", str(path)]) == 0
    assert "4 × 4 spaces" in capsys.readouterr().out
    assert main(["tools", "maps", "show", str(path)]) == 0
    assert capsys.readouterr().out.startswith("Close\n 4 . c . l\n")
    path.write_text(CLOSE.replace("3 . . . .", "3 . ? . ."), encoding="utf-8")
    assert main(["tools", "maps", "check", str(path)]) == FAILED
    assert "rank 3, file B: '?' is not a sign" in " ".join(capsys.readouterr().err.split())

# SPDX-License-Identifier: Apache-2.0
"""`companion review` analyses files and stored games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion.cli.main import main

MATE = '[Event "Club"]\n[White "Ada"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of this test only, with a game in a file."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "club.pgn").write_text(MATE)
    return tmp_path


def test_a_file_and_a_stored_game_are_reviewed_alike(
    own_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["review", str(own_folder / "club.pgn"), "--seconds", "1", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    (curve,) = found["curves"]
    assert found["done"] == found["total"] == len(curve["points"]) == 5
    assert curve["side"] == 0
    assert curve["points"][-1] == [4, -1]
    assert found["best"][3]["line"] == ["Qh4#"]
    assert found["best"][3]["sentence"] == "Best for Black: Qh4#. This wins the game."
    assert found["best"][4] == {"line": [], "sentence": ""}
    (mistake,) = (each for each in found["mistakes"] if each["played"] == "g4")
    assert mistake["loss"] > 0.5
    assert main(["records", "import", str(own_folder / "club.pgn")]) == 0
    capsys.readouterr()
    assert main(["review", "1", "--language", "de"]) == 0
    out = capsys.readouterr().out
    assert "2. g4 erlaubt ein Matt: Qh4#." in out
    assert f"companion play chess --position '{mistake['position']}' --computer black" in out


def test_a_file_without_a_game_is_named(own_folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty = own_folder / "empty.pgn"
    empty.write_text("")
    assert main(["review", str(empty)]) == 2
    assert f"{empty} holds no game with a move" in capsys.readouterr().err
    assert main(["review", "7", "--store", f"sqlite:///{own_folder}/none.sqlite"]) == 1
    assert "there is no store" in capsys.readouterr().err

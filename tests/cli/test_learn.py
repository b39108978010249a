# SPDX-License-Identifier: Apache-2.0
"""`companion learn`: lessons in a real terminal, their list, and mistaken names."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from companion.cli.main import main
from companion.host.records.lessons import note_done
from tests.terminals import ScreenOf


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Journals and lessons of this test only."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals are another thing there")
def test_lessons_are_learned_by_typing_and_the_next_sitting_goes_on_there(own_folder: Path) -> None:
    with ScreenOf("learn", "fightopia", "--terminal") as seen:
        for typed, then in (
            ("c3-c5", "The pawn moves one cell in any direction: not from c3 to c5."),
            ("right", "Move the pawn from c3 to d4."),
            ("c3-c4", "That was one cell, too. But the pawn is to go to d4."),
            ("c3-d4", "Right. The lesson is done."),
            ("next", "its lower left cell goes from c3 to d4."),
        ):
            seen.until(lambda: "White" in seen.text and "Set up" not in seen.text and "…" not in seen.text)
            seen.type(typed)
            seen.until(lambda then=then: then in " ".join(seen.text.split()))  # type: ignore[misc]
        seen.type("quit")
        assert seen.wait() == 0
    assert not list(own_folder.rglob("*.jsonl"))
    with ScreenOf("learn", "fightopia", "--terminal") as seen:
        seen.until(lambda: "The giant" in seen.text)
        seen.type("quit")
        assert seen.wait() == 0


def test_the_list_says_which_lessons_are_done(capsys: pytest.CaptureFixture[str]) -> None:
    note_done("fightopia", "giant")
    assert main(["learn", "fightopia", "--list"]) == 0
    rows = [line.split(maxsplit=3) for line in capsys.readouterr().out.splitlines()]
    assert ["fightopia", "giant", "✓", "The giant"] in rows
    assert ["fightopia", "pawn", "The", "pawn"] in rows


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "name a game, or list the lessons with --list"),
        (["fightopia", "queen"], "there is no lesson 'queen'; lessons are pawn"),
        (["halma"], "there is no game 'halma'"),
    ],
)
def test_mistaken_names_are_answered_with_the_known_ones(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["learn", *words]) == 2
    assert said in " ".join(capsys.readouterr().err.split())

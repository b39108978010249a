# SPDX-License-Identifier: Apache-2.0
"""The lessons that were done are kept, and damaged files are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.host.journal.lessons import Done, note_done, read_done
from companion.lessons.course import course
from companion.model.errors import SettingsError


def test_lessons_that_were_done_are_kept_once_and_in_order(tmp_path: Path) -> None:
    file = tmp_path / "lessons.toml"
    assert read_done(file) == Done()
    for game, lesson in (("fightopia", "giant"), ("fightopia", "pawn"), ("fightopia", "giant")):
        note_done(game, lesson, file)
    assert read_done(file).of("fightopia") == ("giant", "pawn")
    assert read_done(file).of("chess") == ()


def test_learning_begins_with_the_first_open_lesson_and_again_with_the_first() -> None:
    slugs = course("fightopia").slugs
    assert Done().first_open("fightopia") == slugs[0]
    assert Done({"fightopia": (slugs[1], slugs[0])}).first_open("fightopia") == slugs[2]
    assert Done({"fightopia": slugs}).first_open("fightopia") == slugs[0]


def test_a_damaged_file_is_named_with_its_key(tmp_path: Path) -> None:
    file = tmp_path / "lessons.toml"
    file.write_text("[lessons]\nfightopia = 3\n")
    with pytest.raises(SettingsError, match=r"lessons\.toml: lessons.fightopia must be an array"):
        read_done(file)


def test_a_folder_that_cannot_be_written_is_named_with_the_cause(tmp_path: Path) -> None:
    (tmp_path / "companion").write_text("a file where a folder should be")
    with pytest.raises(SettingsError, match=r"lessons\.toml cannot be written: "):
        note_done("fightopia", "pawn", tmp_path / "companion" / "lessons.toml")

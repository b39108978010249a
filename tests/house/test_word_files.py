# SPDX-License-Identifier: Apache-2.0
"""Every file of words, of tables, hall and workshop, says the same in every language."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from calibration.wording import WordFile as WorkshopWords
from calibration.wording import folder as workshop_folder
from companion.feedback.lesson_words import CourseWords
from companion.feedback.template import gaps
from companion.feedback.word_reader import read
from companion.feedback.word_tables import Common, GameWords
from companion.feedback.wordfiles import choose, grammar, languages, read_common
from companion.host.hall.word_files import HallWords
from companion.host.hall.word_files import folder as hall_folder
from tests.words import differences, texts

ROOT = Path(__file__).parents[2]


def word_files() -> Iterator[tuple[Path, type[object], str]]:
    """Each file of words with what it holds and its language."""
    for code in languages():
        for file in sorted((ROOT / "companion" / "feedback" / "words" / code).iterdir()):
            yield file, Common if file.stem == "common" else GameWords, code
        for file in sorted((ROOT / "companion" / "lessons" / "words" / code).iterdir()):
            yield file, CourseWords, code
        yield hall_folder() / f"{code}.toml", HallWords, code
        yield workshop_folder() / f"{code}.toml", WorkshopWords, code


FILES = [pytest.param(*each, id=str(each[0].relative_to(ROOT))) for each in word_files()]


def english_of(file: Path, code: str) -> Path:
    """The English file that says the same as *file*."""
    if file.stem == code:
        return file.with_stem("en")
    return file.parent.with_name("en") / file.name


@pytest.mark.parametrize(("file", "kind", "code"), FILES)
def test_every_file_has_the_keys_and_gaps_of_the_english_one(
    file: Path, kind: type[object], code: str
) -> None:
    ours = read(kind, file, grammar(code))
    english = read(kind, english_of(file, code), grammar("en"))
    assert list(texts(ours)), "there is something to compare"
    assert differences(ours, english) == []


def test_no_file_of_words_is_left_out() -> None:
    found = {path for path in ROOT.glob("c*/**/words/**/*.toml") if ".venv" not in path.parts}
    assert found == {file for file, _, _ in word_files()}
    assert languages() == ("de", "en", "es", "fr", "hr", "ja")


def test_differences_are_named() -> None:
    english = read_common("en")
    prompts = replace(english.prompts, turn="{piece} moves.")
    kinds = {**english.kinds, "stone": english.kinds["unknown"]}
    one: Any = ("north",)
    ours = replace(english, prompts=prompts, kinds=kinds, cries={"check": "!"}, directions=one)
    assert differences(ours, english) == [
        "cries.escape is missing",
        "kinds.stone does not exist in English",
        "directions needs 8 items as in English, not 1 items",
        "prompts.turn needs the gaps ['side'] as in English, not the gaps ['piece']",
    ]
    assert gaps(english.prompts.turn) == {"side"}


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        ((), "en"),
        (("", None), "en"),
        (("de-AT",), "de"),
        (("xx", "fr"), "fr"),
        (("nl, en;q=0.3, hr;q=0.7",), "hr"),
        (("es;q=0, ja;q=nonsense", "de"), "de"),
        (("*", "ja"), "ja"),
        (("../../etc", "\u2028"), "en"),
    ],
)
def test_the_first_supported_requested_language_is_chosen(
    wishes: tuple[str | None, ...], language: str
) -> None:
    assert choose(*wishes) == language

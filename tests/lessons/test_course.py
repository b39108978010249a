# SPDX-License-Identifier: Apache-2.0
"""What lessons say is true by the rules; wrong files are refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from companion.feedback.lesson_words import CourseWords, course_words
from companion.feedback.text import spell
from companion.feedback.word_tables import SHORT_COLUMNS
from companion.feedback.wordfiles import languages, read_common
from companion.lessons.course import course, lessons_of, read, taught
from companion.model.errors import SettingsError, UnknownName
from companion.model.notation import is_legal
from tests.lessons.claims import accepted, doing, line, reached

LESSONS = [pytest.param(game, slug, id=f"{game}-{slug}") for game in taught() for slug in course(game).slugs]
CELLS = re.compile(r"(?<![A-Za-z])[a-pA-P]\d{1,2}(?!\d)")


@pytest.mark.parametrize("game", taught())
def test_a_game_has_at_least_eight_lessons(game: str) -> None:
    assert len(course(game).slugs) >= 8


@pytest.mark.parametrize(("game", "slug"), LESSONS)
def test_every_claim_of_a_lesson_is_true(game: str, slug: str) -> None:
    for task, rules, open_in in line(course(game).find(slug), game):
        for position in open_in:
            if task.claim:
                assert doing(task.claim, rules, position) == set(accepted(task, rules, position))
            for cell, cells in task.reaches.items():
                assert reached(cell, rules, position) == set(cells)
            assert [move for move in task.illegal if is_legal(rules, position, move)] == []


@pytest.mark.parametrize(("game", "slug"), LESSONS)
def test_every_lesson_has_sentences_for_its_tasks_with_the_same_cells_in_every_language(
    game: str, slug: str
) -> None:
    tasks = len(course(game).find(slug).task)
    english = course_words("en", game).lessons[slug]
    for code in languages():
        words = course_words(code, game).lessons[slug]
        assert len(words.tasks) == tasks, code
        for ours, theirs in zip(
            (words.says, words.wrong, *words.tasks),
            (english.says, english.wrong, *english.tasks),
            strict=True,
        ):
            assert sorted(CELLS.findall(ours)) == sorted(CELLS.findall(theirs)), code


@pytest.mark.parametrize("game", taught())
def test_no_sentences_are_left_over(game: str) -> None:
    for code in languages():
        assert tuple(course_words(code, game).lessons) == course(game).slugs


@pytest.mark.parametrize("code", languages())
def test_the_lines_of_lessons_fit_the_display(code: str) -> None:
    said = read_common(code).lessons
    lines = [said[key].format(number=10, count=12) for key in said if key.startswith("short-")]
    assert [line for line in lines if len(spell(line)) > SHORT_COLUMNS] == []


def test_a_game_without_lessons_has_none_and_unknown_names_are_answered_with_the_known_ones() -> None:
    assert lessons_of("nonsense") == ()
    assert course_words("en", "nonsense") == CourseWords({})
    with pytest.raises(UnknownName, match="pawn"):
        course("fightopia").find("queen")


GOOD = """
[[lesson]]
slug = "pawn"
position = "v5gg/v5gg/8/8/8/2P5/V5GG/V5GG w"
[[lesson.task]]
accepts = ["c3-d4"]
"""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('slug = "pawn"', "slug = 3", r"lesson\[0\].slug must be of type str"),
        ('slug = "pawn"', 'slug = "pawn"\nhue = 1', r"unknown key 'lesson\[0\].hue'"),
        ('slug = "pawn"', "", r"key 'slug' is missing in lesson\[0\]"),
        ("/8/8/8/", "/8/8/", r"lesson\[0\].position: "),
        ('slug = "pawn"', 'slug = "pawn"\noptions = { pivot = "wide" }', r"lesson\[0\].options: "),
        ('["c3-d4"]', '["c3-c5"]', r"lesson\[0\].task\[0\].accepts\[0\]: 'c3-c5' is not a legal move"),
        ('["c3-d4"]', '["c3-d4#"]', r"lesson\[0\].task\[0\].accepts\[0\]: write c3-d4 instead of 'c3-d4#'"),
        ('["c3-d4"]', "[]", r"lesson\[0\].task\[0\].accepts: a task needs one accepted move"),
        ('["c3-d4"]', '["c3-d4"]\nreply = "a1-a2"', r"lesson\[0\].task\[0\].reply: "),
        (
            '["c3-d4"]',
            '["c3-d4", "c3-c4"]\nreply = "Ta7a8-a6a7"\n[[lesson.task]]\naccepts = ["d4-d5"]',
            r"lesson\[0\].task\[1\].accepts: none of these moves is legal in ",
        ),
        ('["c3-d4"]', '["c3-d4"]\nshows = ["z9"]', r"lesson\[0\].task\[0\].shows: "),
        ('["c3-d4"]', '["c3-d4"]\nclaim = "shines"', r"lesson\[0\].task\[0\].claim is 'shines'; allowed"),
        (GOOD, GOOD + GOOD, r"lesson\[1\].slug: 'pawn' is there twice"),
        ("[[lesson.task]]", "[[lesson.task]]\n[[lesson.task", "this is not TOML"),
    ],
)
def test_a_wrong_file_is_refused_with_file_table_and_key(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    file = tmp_path / "fightopia.toml"
    file.write_text(GOOD)
    assert read(file, "fightopia").slugs == ("pawn",)
    assert old in GOOD
    file.write_text(GOOD.replace(old, new))
    with pytest.raises(SettingsError, match=f"fightopia.toml: .*{said}|fightopia.toml: {said}"):
        read(file, "fightopia")

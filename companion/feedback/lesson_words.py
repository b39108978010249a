# SPDX-License-Identifier: Apache-2.0
"""The sentences of lessons, in `companion/lessons/words/<language>/<game>.toml`.

A language without a file for a game uses the English one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from companion.feedback.word_reader import read
from companion.feedback.wordfiles import ENGLISH, grammar
from companion.feedback.words import Words
from companion.referee.values.view import LessonView, Phase, TableView


@dataclass(frozen=True, slots=True)
class LessonWords:
    """The sentences of one lesson."""

    title: str
    says: str
    """What it teaches."""
    tasks: tuple[str, ...]
    """What to do, a sentence for each task."""
    wrong: str = ""
    """The reply to a legal move that is not accepted; empty for the common one."""


@dataclass(frozen=True, slots=True)
class CourseWords:
    """Content of a file: the lessons of a game, by slug."""

    lessons: Mapping[str, LessonWords]


def folder() -> Traversable:
    """The folder of the languages."""
    return resources.files("companion.lessons") / "words"


@cache
def course_words(language: str, game: str) -> CourseWords:
    """The sentences of the lessons of *game* in *language*, both slugs. Raises `SettingsError`."""
    named = ((code, folder() / code / f"{game}.toml") for code in (language, ENGLISH))
    code, file = next((each for each in named if each[1].is_file()), (ENGLISH, None))
    return CourseWords({}) if file is None else read(CourseWords, file, grammar(code))


def lesson_words(lesson: LessonView, view: TableView, words: Words) -> LessonWords:
    """The sentences of *lesson* at a table; its slug if there are none."""
    known = course_words(words.language, view.game).lessons.get(lesson.slug)
    return known or LessonWords(lesson.slug, "", ())


def heading(lesson: LessonView, view: TableView, words: Words) -> str:
    """The number and the title of *lesson*."""
    numbered = words.fill(words.common.lessons["title"], number=lesson.number + 1, count=lesson.count)
    return f"{numbered}: {lesson_words(lesson, view, words).title}"


def task_sentence(lesson: LessonView, view: TableView, words: Words) -> str:
    """What the learner is to do."""
    tasks = lesson_words(lesson, view, words).tasks
    return tasks[lesson.task] if lesson.task < len(tasks) else ""


def reply_sentence(lesson: LessonView, view: TableView, words: Words) -> str:
    """The reply to the last answer."""
    return lesson_words(lesson, view, words).wrong or words.common.lessons["wrong"]


def lesson_sentence(view: TableView, words: Words) -> str:
    """The sentence of the lesson in place of the usual prompt; "" without one."""
    lesson = view.lesson
    if lesson is None:
        return ""
    said = words.common.lessons
    if lesson.is_done:
        result = () if view.outcome is None else (words.outcome(view.outcome),)
        return " ".join((said["right"], *result, said["done" if lesson.following else "all-done"]))
    if view.fault is not None or view.decided is not None or view.question is not None:
        return ""
    if lesson.is_wrong and view.phase in (Phase.SETTING_UP, Phase.FINISHED):
        return reply_sentence(lesson, view, words)
    if view.phase is not Phase.WAITING or view.decider is not None:
        return ""
    task = task_sentence(lesson, view, words)
    return f"{reply_sentence(lesson, view, words)} {task}" if lesson.is_wrong else task

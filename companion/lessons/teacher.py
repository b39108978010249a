# SPDX-License-Identifier: Apache-2.0
"""Follows a learner through a lesson: views in, commands and lesson views out.

Rule: what was done follows from the record of the view; only the last wrong answer is remembered.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.lessons.course import Course, Lesson
from companion.model.grid import Cell
from companion.referee.values.commands import Command, Play, TakeBack
from companion.referee.values.events import Stage
from companion.referee.values.view import LessonView, TableView


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a learner is in a lesson."""

    task: int = 0
    """Number of the open task, or of the last one."""
    is_wrong: bool = False
    """True if the last answer to it was legal but not accepted."""
    is_done: bool = False
    command: Command | None = None
    """What the referee is to do now."""


def follow(lesson: Lesson, before: Progress, view: TableView) -> Progress:
    """The progress in *lesson* once *view* is shown."""
    made = [move.move for move in view.record if move.stage is not Stage.PROVISIONAL]
    ply = 0
    for number, task in enumerate(lesson.task):
        if ply == len(made):
            return Progress(number, before.is_wrong and before.task == number)
        if made[ply] not in task.accepts:
            return Progress(number, is_wrong=True, command=TakeBack(len(view.record) - ply))
        ply += 1
        if task.reply and ply == len(made):
            is_due = view.decider is not None and view.decided is None
            return Progress(number, command=Play(ply, task.reply, view.position) if is_due else None)
        ply += bool(task.reply)
    return Progress(len(lesson.task) - 1, is_done=True)


class Teacher:
    """One lesson at a table."""

    def __init__(self, lessons: Course, slug: str) -> None:
        self.lesson = lessons.find(slug)
        self._lessons = lessons
        self._progress = Progress()
        self._ordered: Command | None = None
        """The command that was last taken."""
        self._is_over = False
        """True if somebody wants the next lesson."""

    def follow(self, view: TableView) -> None:
        """Note how far the learner is at *view*."""
        self._progress = follow(self.lesson, self._progress, view)
        if self._progress.command is None:
            self._ordered = None

    def take_command(self) -> Command | None:
        """The command that the referee is to execute now, once."""
        command, before = self._progress.command, self._ordered
        self._ordered = command
        return None if command == before else command

    def go_on(self) -> None:
        """Note that somebody wants the next lesson; no effect before this one is done."""
        self._is_over = self._progress.is_done

    def take_next(self) -> str:
        """The lesson that is to begin now, once; "" if none is."""
        is_over, self._is_over = self._is_over, False
        return self._lessons.after(self.lesson.slug) if is_over else ""

    def lesson_at(self, view: TableView) -> LessonView:
        """What is shown of the lesson at *view*, which it has followed."""
        progress, slugs = self._progress, self._lessons.slugs
        task = self.lesson.task[progress.task]
        shows: tuple[Cell, ...] = () if progress.is_done else tuple(map(view.grid.cell, task.shows))
        return LessonView(
            self.lesson.slug,
            slugs.index(self.lesson.slug),
            len(slugs),
            progress.task,
            is_wrong=progress.is_wrong,
            is_done=progress.is_done,
            following=self._lessons.after(self.lesson.slug),
            shows=shows,
        )

# SPDX-License-Identifier: Apache-2.0
"""The lesson at a table."""

from __future__ import annotations

from dataclasses import dataclass, replace

from companion.feedback.shown import Shown
from companion.host.table.layers.layer import Layer, has_press
from companion.lessons.teacher import Teacher
from companion.model.observation import Observation
from companion.referee.values.view import TableView


@dataclass(frozen=True, slots=True)
class Lesson(Layer):
    """What *teacher* shows, and learns of the game."""

    teacher: Teacher

    def withhold(self, observation: Observation) -> Observation:
        """Go on to the next lesson, if *observation* has a press."""
        if has_press(observation):
            self.teacher.go_on()
        return observation

    def follow(self, view: TableView) -> None:
        """Let the teacher follow *view*."""
        self.teacher.follow(view)

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with the lesson."""
        return shown._replace(view=replace(shown.view, lesson=self.teacher.lesson_at(shown.view)))

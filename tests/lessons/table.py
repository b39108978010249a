# SPDX-License-Identifier: Apache-2.0
"""A table at which a lesson is taught, in virtual time."""

from __future__ import annotations

from typing import Any

from companion.host.journal.setup import GameSetup
from companion.host.play.rig import Rig
from companion.host.play.start import PlayOptions, begin
from companion.host.table.pipeline import Pipeline
from companion.host.table.table_game import Begin
from companion.host.virtual_table.hands import SetRight
from companion.host.virtual_table.set_up import make_virtual_table
from companion.host.virtual_table.table import motions, moving
from companion.link.connection import Connection
from companion.model.moves import Step, is_traceless
from companion.referee.values.commands import Answer
from companion.referee.values.view import LessonView, TableView
from tests.host.tables import Kept


class LessonTable:
    """A virtual table with a learner's hands."""

    def __init__(self, game: str, lesson: str, language: str = "en") -> None:
        started = begin(Begin(GameSetup(game, lesson=lesson)), PlayOptions(GameSetup(game)), language)
        assert started.teacher is not None
        virtual_table, kept = make_virtual_table(started.session, lambda: 1000), Kept()
        pipeline = Pipeline(started.session, started.words, Connection(1), kept.keep)
        pipeline.teach(started.teacher)
        self.teacher = started.teacher
        self.rules = started.rules
        self.rig = Rig(pipeline, virtual_table.panel, virtual_table.pieces, 1000, kept.sync)
        self.rig.advance(300)

    @property
    def view(self) -> TableView:
        return self.rig.pipeline.view

    @property
    def lesson(self) -> LessonView:
        assert self.view.lesson is not None
        return self.view.lesson

    @property
    def position(self) -> Any:
        return self.rules.read_position(self.view.position)

    def do(self, steps: tuple[Step, ...]) -> None:
        """Let hands make *steps*, and let the board rest."""
        if self.view.hands:
            self.rig.become(self.rig.pieces.supply(piece for hand in self.view.hands for piece in hand))
        for pieces in moving(self.rig.pieces, steps):
            self.rig.become(pieces)
            self.rig.advance(150)
        if is_traceless(steps):
            self.press()
        self.rig.advance(3000)  # a piece that has left the board may be in the hand for a while

    def press(self) -> None:
        """Press the first button."""
        self.rig.panel.press(0, self.rig.now_ms)
        self.rig.advance(100)
        self.rig.panel.release(0, self.rig.now_ms)

    def play(self, text: str) -> None:
        """Make the legal move *text*; a question about it is answered."""
        move = self.rules.read_move(self.position, text)
        self.do(self.rules.steps(self.position, move))
        asked = self.view.question
        if asked is not None:
            (choice,) = (number for number, each in enumerate(asked.choices) if text in each.moves)
            self.rig.pipeline.command(Answer(asked.ply, choice), self.rig.now_ms)
            self.rig.advance(1500)

    def carry_out(self) -> None:
        """Make the reply of the lesson, if one is shown."""
        decided = self.view.decided
        if decided is not None:
            self.do(decided.steps)
            if self.view.decided is not None and self.view.decided.needs_press:
                self.press()
                self.rig.advance(1500)

    def put_right(self) -> None:
        """Put all pieces where the view has them."""
        for pieces in motions(self.rig.pieces, SetRight(), self.view.placement):
            self.rig.become(pieces)
            self.rig.advance(150)
        self.rig.advance(1500)

# SPDX-License-Identifier: Apache-2.0
"""Moves the pieces of a virtual table to match decisions made by a click.

Its rule: real pieces are moved by people only; at a virtual table nobody has to carry what a click,
or the computer, has decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.host.virtual_table.hands import PressClock, SetRight, turned
from companion.model.absent import PlayedBy
from companion.model.placement import Placement
from companion.referee.values.commands import Command, Correct, TakeBack
from companion.referee.values.view import DecidedView, TableView

if TYPE_CHECKING:
    from companion.host.table.table_game import TableGame


class PieceFollower:
    """Updates the virtual tables of successive games."""

    def __init__(self) -> None:
        self._tended: TableView | None = None
        """View that the pieces were last compared with."""
        self._plies: int | None = None
        """Number of recorded moves at the last take-back request; None if none is open."""
        self._is_corrected = False
        """True once the place that keeps the game has corrected the record."""
        self._decided: DecidedView | None = None
        """The decided move that was last carried out."""

    def forget(self) -> None:
        """Reset: another game follows."""
        self._tended = self._plies = self._decided = None
        self._is_corrected = False

    def note(self, command: Command, table_game: TableGame) -> None:
        """Note that *command* is about to be executed."""
        view = table_game.pipeline.view
        if isinstance(command, TakeBack) and self._plies is None:
            self._plies = len(view.record)
        if isinstance(command, Correct) and PlayedBy.ELSEWHERE in view.played_by:
            self._is_corrected = True

    def tend(self, table_game: TableGame) -> bool:
        """Follow the view of *table_game*; true if pieces were added beside the board."""
        pipeline, virtual_table = table_game.pipeline, table_game.virtual_table
        if virtual_table is None:
            return False
        view = pipeline.view
        if self._plies is not None and not pipeline.unpublished:
            if len(view.record) < self._plies:
                virtual_table.do(SetRight())
            self._plies = None
        if self._is_corrected and not pipeline.unpublished:
            virtual_table.do(SetRight())
            self._is_corrected = False
        if view is self._tended:
            return False
        is_answered = view.question is None and self._tended is not None and self._tended.question is not None
        self._tended = view
        if is_answered:
            virtual_table.agree()
        self._carry_out(view, table_game)
        return virtual_table.supply(view.hands, view.placement)

    def _carry_out(self, view: TableView, table_game: TableGame) -> None:
        """Carry out the decided move of *view*, once; press if that is asked for."""
        decided, virtual_table = view.decided, table_game.virtual_table
        before, self._decided = self._decided, decided
        if decided is None or virtual_table is None:
            return
        if before is None or before.move != decided.move:
            virtual_table.do(turned(decided.steps, table_game.pipeline.session.rotation))
        elif decided.needs_press and not before.needs_press:
            virtual_table.do(PressClock(decided.side))


def believed(table_game: TableGame) -> Placement:
    """Return the recorded placement of *table_game*, by the panel's cells."""
    pipeline = table_game.pipeline
    return pipeline.session.rotation.back().placement(pipeline.view.placement)

# SPDX-License-Identifier: Apache-2.0
"""Lets what lies on a virtual table follow what is shown, as far as hands would do that without being asked.

Its rule: a real piece is moved by people only; at a virtual table nobody has to carry what a click has decided.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from companion.host.virtual_table.hands import SetRight
from companion.model.placement import Placement
from companion.referee.commands import Command, TakeBack
from companion.referee.view import TableView

if TYPE_CHECKING:
    from companion.host.table.game_setup import TableGame


class PieceFollower:
    """Tends the virtual table of one sitting after the other."""

    def __init__(self) -> None:
        self._tended: TableView | None = None
        """What the pieces were last compared with."""
        self._plies: int | None = None
        """Moves on record when somebody asked to take back; None if nobody has since."""

    def forget(self) -> None:
        """Another sitting follows."""
        self._tended = self._plies = None

    def note(self, command: Command, table_game: TableGame) -> None:
        """*command* is about to be carried out."""
        if isinstance(command, TakeBack) and self._plies is None:
            self._plies = len(table_game.pipeline.view.record)

    def tend(self, table_game: TableGame) -> bool:
        """Follow what *table_game* shows; True if there is more beside the board than before."""
        pipeline, virtual_table = table_game.pipeline, table_game.virtual_table
        if virtual_table is None:
            return False
        view = pipeline.view
        if self._plies is not None and not pipeline.unpublished:
            if len(view.record) < self._plies:
                virtual_table.do(SetRight())
            self._plies = None
        if view is self._tended:
            return False
        is_answered = view.question is None and self._tended is not None and self._tended.question is not None
        self._tended = view
        if is_answered:
            virtual_table.agree()
        return virtual_table.supply(view.hands, view.placement)


def believed(table_game: TableGame) -> Placement:
    """Where the pieces of *table_game* belong as far as is known, by the panel's cells."""
    pipeline = table_game.pipeline
    return pipeline.session.turn.back().placement(pipeline.view.placement)

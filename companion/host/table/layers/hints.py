# SPDX-License-Identifier: Apache-2.0
"""The hint key of a table, and the advice on show.

The key is the first button that belongs to no side, and the button of a side that the computer
plays: nobody else needs that while people move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from companion.feedback.memo import Memo
from companion.feedback.shown import Shown
from companion.host.table.layers.layer import Layer
from companion.model.absent import PlayedBy
from companion.model.advice import Advice
from companion.model.observation import Observation, Press
from companion.referee.values.board.board_rotation import Rotation
from companion.referee.values.view import Phase, TableView
from companion.sensing.taps import Taps


class Hints(Layer):
    """Presses of the hint key, and the advice that answers them."""

    def __init__(self, played: TableView, rotation: Callable[[], Rotation]) -> None:
        """*rotation* says which side a button belongs to."""
        self.played = played
        """The view of the game on show."""
        self._rotation = rotation
        self.presses = 0
        """Presses so far, double taps included."""
        self.advice: Advice | None = None
        self.judged = ""
        """The position on show, once the coach has judged the move to it."""
        self.are_given = False
        """True at a table with a coach."""
        self.wants_result = False
        """True once somebody wants to see who wins, in a solved game."""
        self.evaluate: Callable[[Any], str] | None = None
        """Says the result of a position; None until it is there."""
        self._taps = Taps()
        self._advised = Memo(TableView.with_advice)

    @property
    def news(self) -> tuple[int, bool, str]:
        """The presses, whether somebody wants to see who wins, and what is judged."""
        return self.presses, self.wants_result, self.judged

    def advise(self, advice: Advice | None, judged: str) -> None:
        """Give *advice*; the table has a coach.

        *judged* is the position whose last move it has judged, if it has.
        """
        self.advice, self.are_given = advice, True
        self.judged = judged or self.judged

    def withhold(self, observation: Observation) -> Observation:
        """Count what *observation* has of presses and double taps; return it without presses."""
        inputs = observation.inputs
        others = tuple(each for each in inputs if not (isinstance(each, Press) and self._is_key(each)))
        self.presses += len(inputs) - len(others) + self._taps.count(inputs)
        return observation if len(others) == len(inputs) else replace(observation, inputs=others)

    def _is_key(self, press: Press) -> bool:
        """True for a press of the hint key."""
        entered = self._rotation().input(press)
        assert isinstance(entered, Press)
        played, button = self.played, entered.button
        if button >= len(played.played_by):
            return button == len(played.sides)
        is_open = played.phase in (Phase.WAITING, Phase.HANDLING) and played.decider is None
        is_idle = is_open and played.outcome is None and played.clock_start is None
        return self.are_given and is_idle and played.played_by[button] is PlayedBy.COMPUTER

    def follow(self, view: TableView) -> None:
        """Drop the advice, and what is judged, if they are about another position."""
        self.played = view
        if view.position != self.judged:
            self.judged = ""
        if self.advice is not None and self.are_given:
            self.advice = view.with_advice(self.advice).advice

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with the advice, at a table with a coach."""
        return shown._replace(view=self._advised(shown.view, self.advice)) if self.are_given else shown

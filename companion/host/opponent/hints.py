# SPDX-License-Identifier: Apache-2.0
"""The hint key of a table, and the advice on show."""

from __future__ import annotations

from dataclasses import replace

from companion.model.advice import Advice
from companion.model.observation import Observation, Press
from companion.referee.view import TableView
from companion.sensing.taps import Taps


class Hints:
    """Presses of the hint key, and the advice that answers them."""

    def __init__(self, played: TableView) -> None:
        """The key is the first button that belongs to no side."""
        self.played = played
        """The view on show without advice."""
        self.presses = 0
        """Presses so far, double taps included."""
        self.advice: Advice | None = None
        self.are_given = False
        """True at a table with a coach."""
        self._key = len(played.sides)
        self._taps = Taps()

    def without_presses(self, observation: Observation) -> Observation:
        """Count what *observation* has of presses and double taps; return it without presses."""
        inputs = observation.inputs
        others = tuple(each for each in inputs if not (isinstance(each, Press) and each.button == self._key))
        self.presses += len(inputs) - len(others) + self._taps.count(inputs)
        return observation if len(others) == len(inputs) else replace(observation, inputs=others)

    def added_to(self, view: TableView) -> TableView:
        """Return *view* with the advice, which is dropped if it is about another position."""
        self.played = view
        if not self.are_given:
            return view
        shown = view.with_advice(self.advice)
        self.advice = shown.advice
        return shown

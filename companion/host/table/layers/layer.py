# SPDX-License-Identifier: Apache-2.0
"""A layer over the view of a game, such as the menu.

Its rule: what a layer shows is a value in `Shown`. It changes no lamp, line or page itself, and
takes from the input only what is meant for it.
"""

from __future__ import annotations

from typing import Protocol

from companion.feedback.shown import Shown
from companion.model.observation import Observation, Press
from companion.referee.values.view import TableView


class Layer(Protocol):
    """A layer; one that leaves a method out does nothing there."""

    def withhold(self, observation: Observation) -> Observation:
        """Return what the layers below and the referee learn of *observation*."""
        return observation

    def follow(self, view: TableView) -> None:
        """Note that the game is at *view* from now on."""
        return

    def tend(self, view: TableView, now_ms: int) -> bool:
        """Go on at *now_ms*, with the game at *view*; true if that changes anything."""
        return False

    def next_deadline_ms(self) -> int | None:
        """Return when to call `tend` at the latest; None if nothing is due."""
        return None

    def added_to(self, shown: Shown) -> Shown:
        """Return *shown* with this layer over it."""
        ...


def has_press(observation: Observation) -> bool:
    """Return whether *observation* has a press of a button."""
    return any(isinstance(each, Press) for each in observation.inputs)

# SPDX-License-Identifier: Apache-2.0
"""A forward search that knows `Rules` only, and nothing of the solver."""

from __future__ import annotations

from functools import cache
from typing import Any

from companion.model.game import AnyRules
from companion.model.pieces import Side


class ForwardSearch:
    """Whether a side can force its win within so many plies."""

    def __init__(self, rules: AnyRules) -> None:
        self.rules = rules
        self.wins = cache(self._wins)

    def _wins(self, position: Any, side: Side, plies: int) -> bool:
        outcome = self.rules.status(position)
        if outcome is not None:
            return side in outcome.winners
        if plies == 0:
            return False
        enough = any if position.turn == side else all
        return enough(
            self.wins(self.rules.apply(position, move), side, plies - 1)
            for move in self.rules.legal_moves(position)
        )

    def result(self, position: Any, plies: int) -> tuple[Side, int] | None:
        """The side that can win within *plies*, and its distance, or None."""
        found = ((side, depth) for depth in range(plies + 1) for side in range(2))
        return next(((side, depth) for side, depth in found if self.wins(position, side, depth)), None)

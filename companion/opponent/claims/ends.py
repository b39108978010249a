# SPDX-License-Identifier: Apache-2.0
"""Forced ends of the game, by a tablebase or a proof."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Generic

from companion.model.game import M, P
from companion.model.pieces import Side
from companion.opponent.claims.budget import Budget
from companion.opponent.knowledge import WIN, Knowledge
from companion.opponent.proof import Proof

DEEPEST: Final = 8
"""Moves of the longest win that is looked for."""
_SHOWN_PLIES: Final = 2 * DEEPEST


class Ends(Generic[P, M]):
    """The forced wins of *side*."""

    def __init__(self, knowledge: Knowledge[P, M], side: Side, budget: Budget) -> None:
        self._knowledge = knowledge
        self._side = side
        self._proof = Proof(knowledge, side, budget.spend)

    def least(self, position: P, deepest: int = DEEPEST) -> int | None:
        """In how many own moves the side wins *position*; None if not in *deepest*.

        A tablebase knows no bound. Raises `GaveUp`.
        """
        value = self._value(position)
        if value is not None:
            return (WIN - value + (position.turn == self._side)) // 2 if value > 0 else None
        return next((moves for moves in range(deepest + 1) if self._proof.holds(position, moves)), None)

    def holds(self, position: P, moves: int) -> bool:
        """True if the side wins *position* in *moves* of its own by force. Raises `GaveUp`."""
        value = self._value(position)
        if value is not None:
            found = self.least(position)
            return found is not None and found <= moves
        return moves >= 0 and self._proof.holds(position, moves)

    def is_drawn(self, position: P) -> bool | None:
        """True if *position* is a draw with best play; None if that is not known."""
        outcome = self._knowledge.rules.status(position)
        if outcome is not None:
            return not outcome.winners
        value = self._value(position)
        return None if value is None else value == 0

    def _value(self, position: P) -> int | None:
        """The exact value for the side, or None."""
        knowledge = self._knowledge
        if knowledge.rules.status(position) is not None:
            return None  # a tablebase has no finished games
        value = knowledge.exact_value(position)
        return value if value is None or position.turn == self._side else -value

    def line(self, position: P, moves: int) -> tuple[M, ...]:
        """How the side wins in exactly *moves* of its own: the others hold out longest."""
        found: list[M] = []
        while moves >= 0 and len(found) < _SHOWN_PLIES:
            following = self._best(position, moves)
            if following is None:
                break
            move, position, moves = following
            found.append(move)
        return tuple(found)

    def _best(self, position: P, moves: int) -> tuple[M, P, int] | None:
        """The best move of *position*, and what follows."""
        knowledge = self._knowledge
        if knowledge.decided(position) is not None:
            return None
        is_own = position.turn == self._side
        for move in self._ordered(position):
            after = knowledge.after(position, move)
            if is_own and self.holds(after, moves - 1):
                return move, after, moves - 1
            if not is_own and not self.holds(after, moves - 1):
                return move, after, moves
        return None

    def _ordered(self, position: P) -> Sequence[M]:
        """The moves of *position*, those of a tablebase or the noisy ones first."""
        knowledge = self._knowledge
        moves = knowledge.best_moves(position) or knowledge.moves(position)
        ranks = knowledge.ranks(position, moves)
        return [moves[index] for index in sorted(range(len(moves)), key=ranks.__getitem__, reverse=True)]

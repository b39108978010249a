# SPDX-License-Identifier: Apache-2.0
"""Proof of a win in a number of moves: every reply is tried.

A position that was examined is remembered, and the move that answered one attempt is tried first
against the next.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Generic

from companion.model.game import AnyRules, M, P
from companion.model.pieces import Side
from companion.opponent.find import knowledge_of
from companion.opponent.knowledge import Knowledge


def wins(rules: AnyRules, position: Any, side: Side, moves: int) -> bool:
    """True if *side* wins in *moves* of its own, whatever the others do."""
    return Proof(knowledge_of(rules), side).holds(position, moves)


class Proof(Generic[P, M]):
    """What is known of the positions that *side* wants to win."""

    def __init__(
        self, knowledge: Knowledge[P, M], side: Side, visit: Callable[[], object] = lambda: None
    ) -> None:
        """*visit* is called for each position; it may raise an exception to end the proof."""
        self._knowledge = knowledge
        self._side = side
        self._visit = visit
        self._known: dict[tuple[Hashable, int], bool] = {}
        self._answers: dict[int, M] = {}
        """The last move that settled a position, by the moves left."""

    def holds(self, position: P, moves: int) -> bool:
        """True if the side wins *position* in *moves* of its own, whatever the others do."""
        knowledge = self._knowledge
        self._visit()
        winners = knowledge.decided(position)
        if winners is not None:
            return self._is_won_by(winners)
        is_last = moves == 1 and position.turn == self._side
        legal = knowledge.finishing(position) if is_last else knowledge.moves(position)
        if not legal:
            return self._is_won_by(knowledge.winners(position))
        if moves <= 0:
            return False
        key = (knowledge.key(position), moves)
        if key not in self._known:
            self._known[key] = self._tried(position, legal, moves)
        return self._known[key]

    def _is_won_by(self, winners: tuple[Side, ...]) -> bool:
        """True if *winners* are the side, perhaps with its partners."""
        return self._knowledge.worth(winners, self._side) > 0

    def _tried(self, position: P, legal: Sequence[M], moves: int) -> bool:
        """The result of *position* after its *legal* moves."""
        is_own = position.turn == self._side
        slot = 2 * moves + is_own
        for move in self._ordered(position, legal, self._answers.get(slot)):
            after = self._knowledge.after(position, move)
            if self.holds(after, moves - is_own) is is_own:
                self._answers[slot] = move
                return is_own
        return not is_own

    def _ordered(self, position: P, legal: Sequence[M], answer: M | None) -> Iterator[M]:
        """*legal* with *answer* first, if it is one of them, then by rank."""
        if answer is not None and answer in legal:
            yield answer
        ranks = self._knowledge.ranks(position, legal)
        for index in sorted(range(len(legal)), key=ranks.__getitem__, reverse=True):
            if legal[index] != answer:
                yield legal[index]

# SPDX-License-Identifier: Apache-2.0
"""Max-n search: every side wants the most for itself.

Source: C. Luckhardt, K. Irani, *An Algorithmic Solution of N-Person Games*, 1986.
A tuple of values, one for each side, goes up the tree: the side to move chooses by its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, Generic, TypeAlias

from companion.model.game import M, P
from companion.opponent.found import Found
from companion.opponent.knowledge import SURE, Knowledge

Values: TypeAlias = tuple[int, ...]
_NOISY_PLIES: Final = 4


class MaxN(Generic[P, M]):
    """One search from a root position."""

    def __init__(
        self,
        knowledge: Knowledge[P, M],
        root: P,
        *,
        most_nodes: int | None = None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> None:
        self.nodes = 0
        self._knowledge = knowledge
        self._root = root
        self._most_nodes = most_nodes
        self._should_stop = should_stop
        self._depth = 0

    def iterations(self, deepest: int = 20) -> Iterator[Found[M]]:
        """Yield a result after each depth, until the limits are reached; one at least."""
        moves = self._ordered(self._root, self._knowledge.moves(self._root))
        last = Found(moves[0], 0, 0, 0, (moves[0],), is_complete=False)
        for depth in range(1, deepest + 1):
            self._depth = depth
            values: list[tuple[int, M]] = []
            for move in moves:
                found = self._search(self._knowledge.after(self._root, move), depth - 1)
                if found is None:
                    break
                values.append((found[self._root.turn], move))
            is_complete = len(values) == len(moves)
            if values:
                value, move = max(values, key=lambda each: each[0])
                last = Found(move, value, depth, self.nodes, (move,), is_complete)
                moves = [each for _, each in sorted(values, key=lambda each: -each[0])]
            if values or depth == 1:
                yield last
            if not is_complete or abs(last.value) >= SURE or len(moves) == 1:
                return

    def _is_over(self) -> bool:
        """True at the limits; the limit of nodes does not cut the first iteration short."""
        self.nodes += 1
        most = self._most_nodes
        return (most is not None and self.nodes > most and self._depth > 1) or self._should_stop()

    def _search(self, position: P, depth: int, noisy_plies: int = 0) -> Values | None:
        """The value of *position* for each side; None if the search was stopped."""
        knowledge = self._knowledge
        if self._is_over():
            return None
        winners = knowledge.decided(position)
        if winners is not None:
            return self._final(winners)
        best: Values | None = None
        if depth <= 0:
            best = tuple(knowledge.value(position, side) for side in knowledge.sides)
            moves = knowledge.noisy(position) if noisy_plies < _NOISY_PLIES else ()
        elif not (moves := knowledge.moves(position)):
            return self._final(knowledge.winners(position))
        return self._best(position, moves, best, (depth - 1, noisy_plies + (depth <= 0)))

    def _best(
        self, position: P, moves: Sequence[M], best: Values | None, depths: tuple[int, int]
    ) -> Values | None:
        """The values after the best of *moves* for the side to move, or *best*."""
        side = position.turn
        for move in self._ordered(position, moves):
            found = self._search(self._knowledge.after(position, move), *depths)
            if found is None:
                return None
            if best is None or found[side] > best[side]:
                best = found
                if best[side] >= SURE:
                    break
        return best

    def _final(self, winners: tuple[int, ...]) -> Values:
        """The values of a finished game."""
        return tuple(self._knowledge.worth(winners, side) for side in self._knowledge.sides)

    def _ordered(self, position: P, moves: Sequence[M]) -> list[M]:
        """*moves* with the highest ranks first."""
        listed = list(moves)
        ranks = self._knowledge.ranks(position, listed)
        order = sorted(range(len(listed)), key=ranks.__getitem__, reverse=True)
        return [listed[index] for index in order]

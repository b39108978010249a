# SPDX-License-Identifier: Apache-2.0
"""Plain minimax over material, and forced wins: what the judge of claims asks.

Every legal move is tried to the full depth, and at the end what can be captured at once. The
questions are answered by yes or no, so that one good move or one good reply is enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from companion.model.pieces import Side
from tests.opponent.plain_material import Table

CALM_PLIES: Final = 10
"""Captures in a row that are tried at the end."""


class TooLarge(Exception):
    """The search needs more nodes than allowed."""


class Minimax:
    """Questions about a position of one game, each a search of all legal moves."""

    def __init__(self, table: Table, most_nodes: int) -> None:
        self.table = table
        self.left = most_nodes
        self._best: dict[Any, Any] = {}
        self._killers: dict[Side, list[Any]] = {0: [], 1: []}
        self._known: dict[Any, bool] = {}

    def suggest(self, position: Any, move: Any) -> None:
        """Try *move* first in *position*."""
        self._best[self.table.key(position)] = move

    def _count(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise TooLarge

    def _ordered(self, position: Any, moves: Sequence[Any]) -> Iterator[Any]:
        """All *moves*: those that decided before, noisy ones, others."""
        first = dict.fromkeys([self._best.get(self.table.key(position)), *self._killers[position.turn]])
        legal = set(moves)
        hinted = [move for move in first if move in legal]
        yield from hinted
        noisy = [move for move in moves if self.table.is_noisy(position, move)]
        yield from (move for move in noisy if move not in first)
        tried = {*hinted, *noisy}
        yield from (move for move in moves if move not in tried)

    def _decides(self, position: Any, move: Any) -> None:
        self.suggest(position, move)
        killers = self._killers[position.turn]
        if move not in killers:
            self._killers[position.turn] = [move, *killers[:2]]

    # material

    def gets(self, position: Any, side: Side, need: float, depth: int, got: float = 0.0) -> bool:
        """True if *side*, which has *got* something, gets *need* against every reply.

        All moves of *depth* plies are tried, then captures. A win is enough, a draw is 0.
        """
        self._count()
        table = self.table
        winners = table.decided(position)
        if winners is None and depth <= 0:
            return self.gets_calmly(position, side, need, got)
        moves = () if winners is not None else table.moves(position)
        if not moves:
            winners = table.ended(position, ())
            return side in winners if winners else need <= 0
        known = (table.key(position), side, need, depth, got)
        if known in self._known:
            return self._known[known]
        is_own: bool = position.turn == side
        found = not is_own
        for move in self._ordered(position, moves):
            after = table.after(position, move)
            gain = table.gain(position, move, after)
            if self.gets(after, side, need, depth - 1, got + gain if is_own else got - gain) == is_own:
                self._decides(position, move)
                found = is_own
                break
        self._known[known] = found
        return found

    def gets_calmly(self, position: Any, side: Side, need: float, got: float, left: int = CALM_PLIES) -> bool:
        """The same with captures only; the side to move may also stand still."""
        self._count()
        table = self.table
        winners = table.decided(position)
        if winners is not None:
            return side in winners if winners else need <= 0
        is_own: bool = position.turn == side
        is_forced = table.must_answer(position)
        if left == 0 or (not is_forced and (got >= need) == is_own):
            return got >= need
        moves = table.moves(position)
        if not moves:
            winners = table.ended(position, ())
            return side in winners if winners else need <= 0
        tried = []
        for move in moves:
            if is_forced or table.is_noisy(position, move):
                after = table.after(position, move)
                gain = table.gain(position, move, after)
                if is_forced or gain > 0 or table.decided(after) is not None:
                    tried.append((gain, after))
        tried.sort(key=lambda each: -each[0])
        for gain, after in tried:
            now = got + gain if is_own else got - gain
            if self.gets_calmly(after, side, need, now, left - 1) == is_own:
                return is_own
        return not is_own

    # ends

    def wins(self, position: Any, side: Side, count: int) -> bool:
        """True if *side* wins within *count* own moves, whatever the other does."""
        self._count()
        table = self.table
        is_own: bool = position.turn == side
        winners = table.decided(position)
        if winners is not None:
            return side in winners
        if count <= 0:
            return table.is_won(position, side)
        if is_own and count == 1:
            return table.wins_at_once(position)
        known = (table.key(position), side, count)
        if known in self._known:
            return self._known[known]
        moves = table.moves(position)
        found = not is_own if moves else table.is_won(position, side)
        for move in self._ordered(position, moves):
            after = table.after(position, move)
            if self.wins(after, side, count - 1 if is_own else count) == is_own:
                self._decides(position, move)
                found = is_own
                break
        self._known[known] = found
        return found

    def avoids_loss(self, position: Any, side: Side, depth: int) -> bool:
        """True if *side* forces an end that is no loss within *depth* plies."""
        self._count()
        table = self.table
        moves = table.moves(position)
        winners = table.ended(position, moves)
        if winners is not None:
            return not winners or side in winners
        if depth <= 0 or not moves:
            return False
        afters = (table.after(position, move) for move in moves)
        answers = (self.avoids_loss(after, side, depth - 1) for after in afters)
        return any(answers) if position.turn == side else all(answers)

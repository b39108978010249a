# SPDX-License-Identifier: Apache-2.0
"""Search of the material that a party gains by force.

Nothing is reduced or pruned by guess.

All moves are tried for some plies, then captures and other noisy moves until a position is quiet.
The party that gains tries them all, too, except where only a capture can still help it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Final, Generic

from companion.model.game import M, P
from companion.model.pieces import Side
from companion.opponent.knowledge import WIN, Knowledge

_MOST_NOISY: Final = 16
"""Plies of noisy moves; then the position counts as quiet."""
_FORCED: Final = 6
"""Plies of noisy moves in which threats such as check are answered by any move."""


class Material(Generic[P, M]):
    """What *party* gains by force, in material; a won game counts as `WIN`."""

    def __init__(
        self,
        knowledge: Knowledge[P, M],
        party: Collection[Side],
        visit: Callable[[], object],
        likely: Sequence[M] = (),
    ) -> None:
        """*visit* is called for each position, and may raise an exception to end the search.

        *likely* are moves that are tried first.
        """
        self.knowledge = knowledge
        self._party = tuple(party)
        self._visit = visit
        self._likely = frozenset(likely)
        self._known: dict[tuple[Hashable, int, int], int] = {}
        self._answers: dict[tuple[int, bool], M] = {}

    # values

    def swing(self, position: P, move: M) -> int:
        """What the party gains by *move* at once."""
        return self.knowledge.swing(position, move, self._party)

    def after(self, position: P, move: M, plies: int, least: int) -> int:
        """What the party gains by *move* and what follows it, compared with *least*.

        If it is less than *least*, the true gain is not higher; else it is not lower.
        """
        swing = self.swing(position, move)
        following = self.knowledge.after(position, move)
        return swing + self.gain(following, plies, least - swing)

    def gain(self, position: P, plies: int, least: int) -> int:
        """What the party gains from *position*, bounded as in `after`.

        All moves are tried for *plies*, then noisy ones.
        """
        if plies <= 0:
            return self._settled(position, least, 0)
        key = (self.knowledge.key(position), plies, least)
        if key not in self._known:
            self._known[key] = self._tried(position, plies, least)
        return self._known[key]

    def exact(self, position: P, plies: int, least: int) -> int | None:
        """What the party gains from *position*, or None if it is less than *least*."""
        found = self.gain(position, plies, least)
        if found < least:
            return None
        while found < WIN and (more := self.gain(position, plies, found + 1)) > found:
            found = more
        return found

    def _tried(self, position: P, plies: int, least: int) -> int:
        knowledge = self.knowledge
        self._visit()
        winners = knowledge.decided(position)
        if winners is not None:
            return self._ended(winners)
        is_own = position.turn in self._party
        only_captures = is_own and plies == 1 and least > 0
        moves = knowledge.capturing(position) if only_captures else knowledge.moves(position)
        if not moves and not only_captures:
            return self._ended(knowledge.winners(position))
        best = 0 if only_captures else -WIN if is_own else WIN
        for move in self._ordered(position, moves, (plies, is_own)):
            found = self.after(position, move, plies - 1, least)
            if (found > best) is is_own and found != best:
                best = found
            if (best >= least) is is_own:
                self._answers[plies, is_own] = move
                break
        return best

    def _settled(self, position: P, least: int, depth: int) -> int:
        """What the party gains by the noisy moves from *position*."""
        knowledge = self.knowledge
        self._visit()
        winners = knowledge.decided(position)
        if winners is not None:
            return self._ended(winners)
        is_own = position.turn in self._party
        is_forced = is_own and depth < _FORCED and knowledge.is_threatened(position)
        best = -WIN if is_forced else 0
        if (best >= least) is is_own or depth >= _MOST_NOISY:
            return best
        moves = knowledge.moves(position) if is_forced else knowledge.capturing(position)
        if is_forced and not moves:
            return self._ended(knowledge.winners(position))
        for move in self._ordered(position, moves, (-depth, is_own)):
            swing = self.swing(position, move)
            found = swing + self._settled(knowledge.after(position, move), least - swing, depth + 1)
            if (found > best) is is_own and found != best:
                best = found
            if (best >= least) is is_own:
                self._answers[-depth, is_own] = move
                break
        return best

    def _ended(self, winners: tuple[Side, ...]) -> int:
        """The value of a finished game; a draw is no gain."""
        return WIN if winners and set(winners) <= set(self._party) else -WIN

    def _ordered(self, position: P, moves: Sequence[M], slot: tuple[int, bool]) -> list[M]:
        """*moves*: likely ones, the one that settled another position, then by rank."""
        if len(moves) < 2:
            return list(moves)
        ranks = self.knowledge.ranks(position, moves)
        answer = self._answers.get(slot)

        def place(index: int) -> tuple[bool, bool, int]:
            move = moves[index]
            return move == answer, move in self._likely, ranks[index]

        return [moves[index] for index in sorted(range(len(moves)), key=place, reverse=True)]

    # the main line

    def line(self, position: P, plies: int, gain: int) -> tuple[M, ...]:
        """Best play of both parties from *position*, which gains *gain*, until nothing hangs."""
        found: list[M] = []
        knowledge, depth = self.knowledge, 0
        while knowledge.decided(position) is None:
            if plies <= 0 and gain == 0 and not self._must_answer(position, depth):
                break
            move = self._best(position, plies, gain, depth)
            if move is None:
                break
            found.append(move)
            gain -= self.swing(position, move)
            position = knowledge.after(position, move)
            depth += plies <= 0
            plies -= 1
        return tuple(found)

    def _must_answer(self, position: P, depth: int) -> bool:
        is_own = position.turn in self._party
        return is_own and depth < _FORCED and self.knowledge.is_threatened(position)

    def _best(self, position: P, plies: int, gain: int, depth: int) -> M | None:
        """A move of *position* that leads to *gain*, or None."""
        knowledge = self.knowledge
        is_own = position.turn in self._party
        is_wide = plies > 0 or self._must_answer(position, depth)
        moves = knowledge.moves(position) if is_wide else knowledge.capturing(position)
        least = gain if is_own else gain + 1
        for move in self._ordered(position, moves, (plies if plies > 0 else -depth, is_own)):
            swing = self.swing(position, move)
            following = knowledge.after(position, move)
            if plies > 0:
                value = self.gain(following, plies - 1, least - swing)
            else:
                value = self._settled(following, least - swing, depth + 1)
            if (swing + value >= least) is is_own:
                return move
        return None

# SPDX-License-Identifier: Apache-2.0
"""Search of the best move between two parties, for any game.

Iterative deepening of principal variation search with a transposition table, aspiration windows,
killer moves, history, reductions of late moves, and quiescence over noisy moves. Between more than
two sides it is paranoid: all others play against the party of the side to move at the root.

Pure: nodes are counted, and a predicate says when to stop. The same root, limits and eyesight give
the same result.

Sources: T. A. Marsland, *A Review of Game-Tree Pruning*, 1986 (principal variation search,
aspiration, transpositions, history, killers); N. Sturtevant, R. Korf, *On Pruning Techniques for
Multi-Player Games*, 2000 (paranoid search).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, Generic

from companion.model.game import M, P
from companion.opponent.eyesight import Eyesight
from companion.opponent.found import Found
from companion.opponent.knowledge import SURE, WIN, Knowledge
from companion.opponent.selection import ALL, quiet_allowed, reduction
from companion.opponent.transpositions import Transpositions

DEEPEST: Final = 60
"""Plies of the deepest iteration."""
_INFINITE: Final = WIN + 1
_ASK_EVERY: Final = 8
"""Nodes between two questions whether to stop."""
_NOISY_PLIES: Final = 10
"""Plies of quiescence."""
_FORCED_PLIES: Final = 4
"""Plies of quiescence in which threats are answered."""
_LESS_AFTER_NULL: Final = 2
"""Plies by which the search after a pass is less deep."""
_NOISY_FIRST: Final = 1_000_000
_KILLER: Final = 500_000
_MOST_HISTORY: Final = 400_000


class _Stopped(Exception):
    """The limits are reached."""


class Search(Generic[P, M]):
    """One search from a root position."""

    def __init__(
        self,
        knowledge: Knowledge[P, M],
        root: P,
        *,
        past: Iterable[Hashable] = (),
        most_nodes: int | None = None,
        should_stop: Callable[[], bool] = lambda: False,
        eyesight: Eyesight | None = None,
        candidates: Mapping[M, int] = MappingProxyType({}),
        is_selective: bool = True,
    ) -> None:
        """*past* are the keys of the game's earlier positions, each as often as it stood.

        Where the rules have repetition, one that stood twice is a draw, and so is one that comes
        back within the search, for it may come back again. Elsewhere nobody wins by coming back:
        one that stood counts as a draw, lest a side that is ahead goes round in circles.
        *candidates* are the root moves to
        choose from, each with what is added to its value when it is compared, unless that is a sure
        win or loss; none for all moves. Without *is_selective* every legal move is searched to the
        full depth.
        """
        self.nodes = 0
        self._knowledge = knowledge
        self._root = root
        self._party = knowledge.party(root.turn)
        self._most_nodes = most_nodes
        self._should_stop = should_stop
        self._eyesight = eyesight
        self._overlooks = eyesight is not None and eyesight.overlooked > 0
        self._root_key = knowledge.key(root)
        self._candidates = candidates
        self._is_selective = is_selective
        least = 2 if knowledge.repeats else 1
        self._stale = frozenset(key for key, times in Counter(past).items() if times >= least)
        self._path: set[Hashable] = set()
        self._table = Transpositions()
        self._killers: list[list[M]] = [[] for _ in range(2 * DEEPEST + _NOISY_PLIES)]
        self._history: list[dict[M, int]] = [{} for _ in knowledge.sides]
        self._depth = 0
        self._is_after_null = False
        """True below a pass, until the next move."""
        self._best: tuple[M, int] | None = None
        """The best root move of this iteration, with its value."""

    # iterations

    def iterations(self, deepest: int = DEEPEST) -> Iterator[Found[M]]:
        """Yield a result after each depth, until the limits are reached.

        The game must go on at the root. At least one result is yielded.
        """
        moves = [move for _, move in self._ordered(self._root, None, 0)]
        last = Found(moves[0], 0, 0, 0, (moves[0],), is_complete=False)
        for depth in range(1, deepest + 1):
            self._depth, self._best = depth, None
            try:
                value = self._aspire(depth, last)
            except _Stopped:
                yield self._interrupted(depth, last)
                return
            move = self._move_of(self._root, moves[0])
            value = self._without_preference(move, value)
            last = Found(move, value, depth, self.nodes, self._line(move, depth))
            yield last
            is_forced = len(moves) == 1 and not self._candidates
            if abs(value) >= WIN - depth or (is_forced and depth >= 2):
                return

    def _aspire(self, depth: int, last: Found[M]) -> int:
        """Search *depth* plies with narrow bounds around the *last* value, then with wider ones."""
        if depth <= 2 or abs(last.value) >= SURE:
            return self._start(depth, -_INFINITE, _INFINITE)
        width, value = self._knowledge.window, last.value + self._candidates.get(last.move, 0)
        low, high = value - width, value + width
        while True:
            value = self._start(depth, low, high)
            width *= 4
            if value <= low:
                low = max(value - width, -_INFINITE)
            elif value >= high:
                high = min(value + width, _INFINITE)
            else:
                return value
            if abs(value) >= SURE:
                low, high = -_INFINITE, _INFINITE

    def _start(self, depth: int, alpha: int, beta: int) -> int:
        """Search the root."""
        self._path.clear()
        self._is_after_null = False
        return self._search(self._root, depth, alpha, beta, 0)

    def _interrupted(self, depth: int, last: Found[M]) -> Found[M]:
        """The result of a stopped iteration: its best move so far, else the *last* one."""
        if self._best is None:
            return Found(last.move, last.value, last.depth, self.nodes, last.line, is_complete=False)
        move, value = self._best
        line = last.line if move == last.move else (move,)
        return Found(move, value, depth, self.nodes, line, is_complete=False)

    def _line(self, first: M, length: int) -> tuple[M, ...]:
        """Best play from the root, as the table has it."""
        knowledge, line = self._knowledge, [first]
        position = knowledge.after(self._root, first)
        while len(line) < length:
            entry = self._table.get(knowledge.key(position))
            if entry is None or entry.move is None:
                break
            line.append(entry.move)
            position = knowledge.after(position, entry.move)
        return tuple(line)

    def _move_of(self, position: P, otherwise: M) -> M:
        """The best move of *position* in the table."""
        entry = self._table.get(self._knowledge.key(position))
        return otherwise if entry is None or entry.move is None else entry.move

    def _without_preference(self, move: M, value: int) -> int:
        """The value of a root *move* that was compared as *value*."""
        return value if abs(value) >= SURE else value - self._candidates.get(move, 0)

    # nodes

    def _visit(self) -> None:
        """Count a node. Raises `_Stopped` at the limits.

        The limit of nodes does not cut the first iteration short.
        """
        self.nodes += 1
        is_over = self._most_nodes is not None and self.nodes > self._most_nodes and self._depth > 1
        if is_over or (self.nodes % _ASK_EVERY == 0 and self._should_stop()):
            raise _Stopped

    def ended(self, winners: tuple[int, ...], position: P, ply: int) -> int:
        """The value of a finished game; a near win is better than a far one."""
        worth = self._knowledge.worth(winners, self._root.turn)
        worth = worth - ply if worth > 0 else worth + ply if worth < 0 else 0
        return worth if position.turn in self._party else -worth

    def _search(self, position: P, depth: int, alpha: int, beta: int, ply: int) -> int:
        """The value of *position* for the side to move, within the bounds."""
        knowledge = self._knowledge
        if (winners := knowledge.decided(position)) is not None:
            self._visit()
            return self.ended(winners, position, ply)
        if depth <= 0:
            return self.quiesce(position, alpha, beta, ply, 0)
        self._visit()
        key = knowledge.key(position)
        if ply and (key in self._path or key in self._stale):
            return 0
        entry = self._table.get(key)
        if ply and entry is not None and (known := entry.answer(depth, alpha, beta, ply)) is not None:
            return known
        is_threatened = knowledge.is_threatened(position)
        longer = depth + (is_threatened and ply < 2 * self._depth)
        static = None if is_threatened or not self._is_selective else self._static(position)
        if self._holds_after_null_move(position, (depth, alpha, beta, ply), static):
            self._table.keep(key, (depth, alpha, beta, ply), beta, None)
            return beta
        moves = self._ordered(position, None if entry is None else entry.move, ply)
        if not moves and knowledge.moves(position):
            return self._static(position)  # all are overlooked
        if not moves:
            return self.ended(knowledge.winners(position), position, ply)
        self._path.add(key)
        value, move = self._try(position, moves, (longer, alpha, beta, ply), static)
        self._path.discard(key)
        is_own_value = ply or not self._candidates  # the root's is that of no other position then
        self._table.keep(key, (depth if is_own_value else 0, alpha, beta, ply), value, move)
        return value

    def _try(
        self,
        position: P,
        moves: list[tuple[int, M]],
        bounds: tuple[int, int, int, int],
        static: int | None,
    ) -> tuple[int, M | None]:
        """The value of the best of *moves*, and that move, or None below the bounds.

        Without the *static* value all moves are searched to the full depth.
        """
        depth, alpha, beta, ply = bounds
        best, best_move = -_INFINITE, None
        allowed = ALL if static is None or not ply else quiet_allowed(self._knowledge, depth, alpha, static)
        tried_quiet = 0
        for number, (rank, move) in enumerate(moves):
            is_quiet = rank <= 0
            if is_quiet and best > -SURE and tried_quiet >= allowed:
                continue
            tried_quiet += is_quiet
            less = reduction(depth, number, beta - alpha) if is_quiet and static is not None else 0
            extra = 0 if ply else self._candidates.get(move, 0)
            bounds = (depth - 1, alpha - extra, beta - extra, ply + 1)
            value = self._descend(position, move, bounds, number, less)
            value += 0 if abs(value) >= SURE else extra
            if value > best:
                best = value
                if value > alpha:
                    alpha, best_move = value, move
                    if not ply:
                        self._best = move, self._without_preference(move, value)
                if value >= beta:
                    if is_quiet:
                        self._remember(position.turn, move, depth, ply)
                    break
        return best, best_move

    def _holds_after_null_move(
        self, position: P, bounds: tuple[int, int, int, int], static: int | None
    ) -> bool:
        """True if the side to move reaches its upper bound even by a pass.

        Then a move reaches it, too. Not asked where the exact value is wanted, nor twice in a row.
        """
        depth, alpha, beta, ply = bounds
        was_null, self._is_after_null = self._is_after_null, False
        if was_null or static is None or static < beta or beta - alpha > 1 or abs(beta) >= SURE:
            return False
        passed = self._knowledge.null_move(position)
        if passed is None:
            return False
        self._is_after_null = True
        value = -self._search(passed, depth - 1 - _LESS_AFTER_NULL, -beta, 1 - beta, ply + 1)
        self._is_after_null = False
        return value >= beta

    def _descend(
        self, position: P, move: M, bounds: tuple[int, int, int, int], number: int, less: int
    ) -> int:
        """The value of *move*; all but the first are only asked if they are better."""
        depth, alpha, beta, ply = bounds
        after = self._knowledge.after(position, move)
        flips = (after.turn in self._party) != (position.turn in self._party)
        if number:
            value = self._child(after, depth - less, alpha, alpha + 1, ply, flips=flips)
            if value > alpha and less:
                value = self._child(after, depth, alpha, alpha + 1, ply, flips=flips)
            if not alpha < value < beta:
                return value
        return self._child(after, depth, alpha, beta, ply, flips=flips)

    def _child(self, after: P, depth: int, alpha: int, beta: int, ply: int, *, flips: bool) -> int:
        """The value of *after* for the party that moved to it."""
        if flips:
            return -self._search(after, depth, -beta, -alpha, ply)
        return self._search(after, depth, alpha, beta, ply)

    def quiesce(self, position: P, alpha: int, beta: int, ply: int, noisy_plies: int) -> int:
        """The value of *position* after the noisy moves that the side to move wants."""
        self._visit()
        knowledge = self._knowledge
        is_forced = noisy_plies < _FORCED_PLIES and knowledge.is_threatened(position)
        if is_forced and not knowledge.moves(position):
            return self.ended(knowledge.winners(position), position, ply)
        moves = self._by_rank(position, knowledge.moves(position)) if is_forced else []
        best = -_INFINITE
        if not moves:
            best = self._static(position)
            if best >= beta or noisy_plies >= _NOISY_PLIES:
                return best
            alpha = max(alpha, best)
            moves = self._by_rank(position, knowledge.noisy(position, alpha - best))
        for move in moves:
            value = self._quiet_child(position, move, (alpha, beta, ply + 1, noisy_plies + 1))
            if value > best:
                best, alpha = value, max(alpha, value)
                if value >= beta:
                    break
        return best

    def _quiet_child(self, position: P, move: M, bounds: tuple[int, int, int, int]) -> int:
        """The value of *move* in quiescence."""
        alpha, beta, ply, noisy_plies = bounds
        after = self._knowledge.after(position, move)
        winners = self._knowledge.decided(after)
        flips = (after.turn in self._party) != (position.turn in self._party)
        if winners is not None:
            self._visit()
            value = self.ended(winners, after, ply)
            return -value if flips else value
        if flips:
            return -self.quiesce(after, -beta, -alpha, ply, noisy_plies)
        return self.quiesce(after, alpha, beta, ply, noisy_plies)

    def _static(self, position: P) -> int:
        """The value without search, for the side to move."""
        value = self._knowledge.value(position, self._root.turn)
        if self._eyesight is not None:
            value += self._eyesight.blur(self._knowledge.key(position))
        return value if position.turn in self._party else -value

    # order, reductions

    def _ordered(self, position: P, first: M | None, ply: int) -> list[tuple[int, M]]:
        """The moves that are seen, with their ranks, the best ones first; *first* before all."""
        moves = self._knowledge.moves(position) if ply or not self._candidates else [*self._candidates]
        ranks = self._knowledge.ranks(position, moves)
        history, killers = self._history[position.turn], self._killers[ply]
        places = [
            rank * _NOISY_FIRST if rank > 0 else history.get(move, 0) + rank
            for move, rank in zip(moves, ranks, strict=True)
        ]
        for move, place in ((first, _INFINITE * _NOISY_FIRST), *((move, _KILLER) for move in killers)):
            if move in moves:
                index = moves.index(move)
                places[index] = max(places[index], place)
        order = sorted(range(len(moves)), key=places.__getitem__, reverse=True)
        return self._seen(position, [(ranks[index], moves[index]) for index in order])

    def _seen(self, position: P, ranked: list[tuple[int, M]]) -> list[tuple[int, M]]:
        """*ranked* without the noisy replies of the other party that are overlooked."""
        eyesight, way = self._eyesight, self._knowledge.way
        if eyesight is None or not self._overlooks or position.turn in self._party:
            return ranked
        return [
            (rank, move)
            for rank, move in ranked
            if rank <= 0 or not eyesight.overlooks(self._root_key, way(position, move))
        ]

    def _by_rank(self, position: P, moves: Sequence[M]) -> list[M]:
        """Those of *moves* that are seen, with the highest ranks first."""
        if len(moves) < 2 and not self._overlooks:
            return list(moves)
        ranks = self._knowledge.ranks(position, moves)
        order = sorted(range(len(moves)), key=ranks.__getitem__, reverse=True)
        return [move for _, move in self._seen(position, [(ranks[index], moves[index]) for index in order])]

    def _remember(self, side: int, move: M, depth: int, ply: int) -> None:
        """Note that the quiet *move* was too good for the opponent to allow."""
        killers = self._killers[ply]
        if move not in killers:
            killers.insert(0, move)
            del killers[2:]
        history = self._history[side]
        history[move] = min(history.get(move, 0) + depth * depth, _MOST_HISTORY)

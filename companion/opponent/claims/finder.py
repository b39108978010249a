# SPDX-License-Identifier: Apache-2.0
"""The claims about a move, of each kind in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from companion.model.claims import Claim, ClaimKind
from companion.model.game import AnyRules
from companion.model.pieces import Piece
from companion.opponent.claims.budget import Budget
from companion.opponent.claims.ends import DEEPEST, Ends
from companion.opponent.claims.exchange import exchange, exchanged
from companion.opponent.claims.material import Material
from companion.opponent.claims.threats import Threats
from companion.opponent.find import knowledge_of

MOST_NODES: Final = 12_000
"""Positions that are looked at if no other number is wished."""
LEAST: Final = 100
"""The material of a least piece."""
_ONLY: Final = 2 * LEAST
"""What every other move loses beside an only move."""
_QUICK: Final = 2
"""Moves of a win that is looked for where the line does not show one."""


def claims(
    rules: AnyRules,
    position: Any,
    line: Sequence[Any],
    *,
    most_nodes: int = MOST_NODES,
    should_stop: Callable[[], bool] = lambda: False,
) -> tuple[Claim, ...]:
    """What is true of the move `line[0]` in *position*, where the game goes on.

    *line* is best play as a search has found it, a hint only: each claim is verified, within
    *most_nodes* positions and until *should_stop*.
    """
    return tuple(_Finder(rules, position, line, Budget(most_nodes, should_stop)).found())


class _Finder:
    """The search for claims about one move."""

    def __init__(self, rules: AnyRules, position: Any, line: Sequence[Any], budget: Budget) -> None:
        self._rules, self._before, self._move = rules, position, line[0]
        self._knowledge = knowledge = knowledge_of(rules)
        self._budget = budget
        self._after = knowledge.after(position, line[0])
        self._moves = knowledge.moves(position)
        own = knowledge.party(position.turn)
        others = [side for side in knowledge.sides if side not in own]
        self._own = Material(knowledge, own, budget.spend, line)
        self._others = Material(knowledge, others, budget.spend, line)
        self._wins = Ends(knowledge, position.turn, budget)
        self._losses = Ends(knowledge, 1 - position.turn, budget) if len(knowledge.sides) == 2 else None
        self._line_winners = self._winners_of(line)
        self._plies = knowledge.claim_plies
        self._is_mated = False
        """True if the other side is known to win by force after the move."""

    def _winners_of(self, line: Sequence[Any]) -> tuple[int, ...]:
        """The winners of the game at the end of *line*; () if it goes on."""
        position = self._before
        for move in line:
            position = self._knowledge.after(position, move)
        outcome = self._rules.status(position)
        return () if outcome is None else outcome.winners

    def found(self) -> Iterator[Claim]:
        """Yield all claims."""
        end = [*self._ends()]
        yield from end
        if self._rules.status(self._after) is not None:
            yield from self._reached(is_over=True)
            return
        is_decided = any(each.kind is not ClaimKind.DRAW for each in end)
        gain = [*self._gain()] if not is_decided else []
        yield from gain
        loss = [*self._loss()] if not is_decided and not gain else []
        yield from loss
        refuted = [each for each in (*end, *loss) if each.kind in (ClaimKind.MATED, ClaimKind.LOSES)]
        yield from (replace(each, kind=ClaimKind.REFUTED) for each in refuted)
        if not refuted and not self._is_mated:
            yield from self._only()
            yield from () if is_decided else self._threats()
            yield from self._reached(is_over=False)

    # the end of the game

    def _ends(self) -> Iterator[Claim]:
        """What is proven of the end."""
        side = self._before.turn
        if self._wins.is_drawn(self._after):
            yield Claim(ClaimKind.DRAW, line=(self._move,))
            return
        is_seen = side in self._line_winners
        with self._budget.attempt(0.6 if is_seen else 0.1):
            count = self._wins.least(self._after, DEEPEST if is_seen else _QUICK - 1)
            if count is not None:
                shown = self._wins.line(self._after, count)
                yield Claim(ClaimKind.MATE, count=count + 1, line=(self._move, *shown))
                return
        if self._losses is not None and self._rules.status(self._after) is None:
            yield from self._lost_end(self._losses)

    def _lost_end(self, losses: Ends[Any, Any]) -> Iterator[Claim]:
        """The move loses the game by force, and another one not so soon."""
        is_seen = 1 - self._before.turn in self._line_winners
        with self._budget.attempt(0.6 if is_seen else 0.2):
            count = losses.least(self._after, DEEPEST if is_seen else _QUICK)
            self._is_mated = count is not None
            if count is not None and any(not losses.holds(each, count) for each in self._instead()):
                shown = losses.line(self._after, count)
                yield Claim(ClaimKind.MATED, count=count, line=(self._move, *shown))

    def _instead(self) -> Iterator[Any]:
        """The positions after the other moves, the likeliest first."""
        ranks = self._knowledge.ranks(self._before, self._moves)
        for index in sorted(range(len(self._moves)), key=ranks.__getitem__, reverse=True):
            if self._moves[index] != self._move:
                yield self._knowledge.after(self._before, self._moves[index])

    # material

    def _gain(self) -> Iterator[Claim]:
        """The move wins material."""
        with self._budget.attempt(0.4):
            swing = self._knowledge.swing(self._before, self._move, self._knowledge.party(self._before.turn))
            found = exchange(self._own, self._after, self._knowledge.gain_plies, LEAST - swing)
            if found is not None:
                yield from self._material(ClaimKind.WINS, found.line)

    def _loss(self) -> Iterator[Claim]:
        """The move loses material that another move does not lose."""
        with self._budget.attempt(0.4):
            swing = self._swing_of(self._move)
            found = exchange(self._others, self._after, self._plies + 1, LEAST - swing)
            if found is None:
                return
            lost = found.gain + swing
            others = (move for move in self._moves if move != self._move)
            if any(not self._is_lost(move, lost - LEAST + 1) for move in others):
                yield from self._material(ClaimKind.LOSES, found.line)

    def _swing_of(self, move: Any) -> int:
        """What the others gain by *move* itself."""
        others = [
            side for side in self._knowledge.sides if side not in self._knowledge.party(self._before.turn)
        ]
        return self._knowledge.swing(self._before, move, others)

    def _is_lost(self, move: Any, least: int) -> bool:
        """True if the others gain *least* by force after *move*, or win at once."""
        swing = self._swing_of(move)
        after = self._knowledge.after(self._before, move)
        plies = (1, self._plies + 1)
        return any(self._others.gain(after, each, least - swing) >= least - swing for each in plies)

    def _material(self, kind: ClaimKind, shown: Sequence[Any]) -> Iterator[Claim]:
        """The claim that material is won or lost, if pieces can be named."""
        line = (self._move, *shown)
        won, lost = exchanged(self._knowledge, self._before, line)
        if kind is ClaimKind.LOSES:
            won, lost = lost, won
        pieces, given = (tuple(each.piece for each in some) for some in (won, lost))
        worth = self._knowledge.worth_of
        if sum(map(worth, pieces)) - sum(map(worth, given)) >= LEAST:
            cells = tuple(cell for each in won for cell in each.cells)
            points = self._knowledge.points(pieces, given)
            yield Claim(kind, pieces, given, cells, points=points, line=line)

    # other kinds

    def _only(self) -> Iterator[Claim]:
        """Every other move loses the game, or two least pieces."""
        others = [move for move in self._moves if move != self._move]
        if not others:
            return
        with self._budget.attempt(0.5):
            if self._is_lost(self._move, LEAST) or self._loses_game(self._after, _QUICK):
                return
            if all(self._is_bad(move) for move in others):
                yield Claim(ClaimKind.ONLY_MOVE, line=(self._move,))

    def _is_bad(self, move: Any) -> bool:
        """True if *move* loses the game, or two least pieces."""
        after = self._knowledge.after(self._before, move)
        if self._loses_game(after):
            return True
        swing = self._swing_of(move)
        plies = (1, self._plies + 1)
        return all(self._others.gain(after, each, _ONLY - swing) >= _ONLY - swing for each in plies)

    def _loses_game(self, position: Any, moves: int = 1) -> bool:
        """True if the other side wins *position* in *moves* of its own by force."""
        return self._losses is not None and self._losses.least(position, moves) is not None

    def _threats(self) -> Iterator[Claim]:
        """What is threatened, defended, and escapes."""
        if len(self._knowledge.sides) == 2:
            threats = Threats(self._rules, self._knowledge, self._before, self._move, self._budget)
            for find in (threats.defended, threats.threatened):
                with self._budget.attempt(0.3):
                    yield from find()

    def _reached(self, *, is_over: bool) -> Iterator[Claim]:
        """A cell that matters is reached."""
        cells = self._knowledge.reached(self._before, self._move)
        if not cells:
            return
        with self._budget.attempt(0.2):
            moved = [
                step for step in self._rules.steps(self._before, self._move) if set(step.target) & set(cells)
            ]
            pieces: tuple[Piece, ...] = tuple(step.becomes for step in moved)
            threats = Threats(self._rules, self._knowledge, self._before, self._move, self._budget)
            if pieces and (is_over or not threats.is_lost(cells)):
                yield Claim(ClaimKind.REACHES, pieces, cells=cells, line=(self._move,))

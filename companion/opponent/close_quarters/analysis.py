# SPDX-License-Identifier: Apache-2.0
"""The exact value of a position of Close Quarters, and best play.

The stored distances know no turn limit. With one, the Sword wins as soon as the weapons' last reply
has not hit it. So a win that fits into the turns that are left stays what it is, and every other
game ends at the limit in favour of the Sword.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companion.games.close_quarters import SWORD_SIDE, CloseQuartersRules, GameState, Move
from companion.model.grid import OFF
from companion.model.pieces import Side
from companion.opponent.close_quarters.paths import MoveOptions
from companion.opponent.close_quarters.tablebase import Tablebase

NO_LIMIT: Final = "none"


class Value(StrEnum):
    """A result, for the side to move."""

    WIN = "win"
    LOSS = "loss"
    DRAW = "draw"


@dataclass(frozen=True, slots=True)
class Score:
    """The result of a position with best play of both sides."""

    winner: Side | None
    """None in a draw: neither side can force a win."""
    plies: int | None = None
    """How many plies the game takes: the winner plays for few, the loser for many."""

    def value(self, turn: Side) -> Value:
        """The result for the side *turn*."""
        if self.winner is None:
            return Value.DRAW
        return Value.WIN if self.winner == turn else Value.LOSS

    def before(self) -> Score:
        """The score one ply earlier, if the best move leads to this one."""
        return Score(self.winner, None if self.plies is None else self.plies + 1)


@dataclass(frozen=True, slots=True)
class Analysis:
    """What is known about a position."""

    score: Score
    best: tuple[Move, ...]
    """All moves that keep the value and the distance."""
    line: tuple[Move, ...]
    """A game with best play to its end; () in a draw."""


class Analyst:
    """Scores positions under *rules* with a tablebase of their options."""

    def __init__(self, rules: CloseQuartersRules, tablebase: Tablebase) -> None:
        if tablebase.options != MoveOptions.of(rules.options):
            raise ValueError(f"a tablebase of {tablebase.options} for rules with {dict(rules.options)}")
        limit = rules.options["turn_limit"]
        self._rules = rules
        self._tablebase = tablebase
        self._limit = None if limit == NO_LIMIT else int(limit)

    @staticmethod
    def is_possible(position: GameState) -> bool:
        """True if the side that has just moved has a piece."""
        sword, *weapons = position[1:5]
        return any(cell != OFF for cell in (weapons if position.turn == SWORD_SIDE else [sword]))

    def score(self, position: GameState) -> Score:
        """The score of *position*, which must be possible."""
        outcome = self._rules.status(position)
        if outcome is not None:
            return Score(outcome.winners[0], 0)
        plies = self._tablebase.distance(position.turn, position[1:5])
        if self._limit is not None:
            left = 2 * max(self._limit - position.rounds, 0) + (position.turn != SWORD_SIDE)
            if plies is None or plies > left:
                return Score(SWORD_SIDE, left)
        if plies is None:
            return Score(None)
        return Score(position.turn if plies % 2 else 1 - position.turn, plies)

    def best(self, position: GameState) -> tuple[Move, ...]:
        """The moves of *position* that keep its score."""
        score = self.score(position)
        return tuple(
            move
            for move in self._rules.legal_moves(position)
            if self.score(self._rules.apply(position, move)).before() == score
        )

    def line(self, position: GameState) -> tuple[Move, ...]:
        """A game with best play from *position* to its end; () in a draw."""
        moves: list[Move] = []
        for _ in range(self.score(position).plies or 0):
            moves.append(self.best(position)[0])
            position = self._rules.apply(position, moves[-1])
        return tuple(moves)

    def analyse(self, position: GameState) -> Analysis:
        """Score, best moves and a line of *position*."""
        return Analysis(self.score(position), self.best(position), self.line(position))

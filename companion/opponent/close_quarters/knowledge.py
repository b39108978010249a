# SPDX-License-Identifier: Apache-2.0
"""Close Quarters: the exact moves where a tablebase is at hand, else weapons and distances.

Source of the aims: TooToneGames, *close quarters game*, 2010. The shipped tablebase is that of the
default options; other options are searched. The terms and weights are our own;
`tests/tools/tune.py` can tune them.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, cast

from companion.games.close_quarters import SWORD_SIDE, CloseQuartersRules, GameState, Move
from companion.model.game import Rules
from companion.model.grid import OFF
from companion.model.pieces import Piece, Side
from companion.opponent.close_quarters.analysis import Analyst, Value
from companion.opponent.close_quarters.paths import FILES, MoveOptions
from companion.opponent.close_quarters.tablebase import SHIPPED, Tablebase, shipped
from companion.opponent.knowledge import WIN, Knowledge

_WINS, _CAPTURES = 20, 10
_NEAR: Final = 3
"""Steps within which the distance of a weapon counts."""


class CloseQuartersKnowledge(Knowledge[GameState, Move]):
    """Values and order of moves."""

    weights = MappingProxyType({"weapon": 100, "edge": 6, "near": 4, "turn": 5})
    margin = 60

    def __init__(
        self,
        rules: Rules[GameState, Move],
        weights: Mapping[str, int] | None = None,
        tablebase: Tablebase | None = None,
    ) -> None:
        super().__init__(rules, weights)
        self._analyst = None if tablebase is None else Analyst(cast(CloseQuartersRules, rules), tablebase)
        self._limit = rules.options["turn_limit"] != "none"

    def best_moves(self, position: GameState) -> Sequence[Move]:
        """The moves that keep the exact value and distance; () without a tablebase."""
        if self._analyst is None or not self._analyst.is_possible(position):
            return ()
        return self._analyst.best(position)

    def exact_value(self, position: GameState) -> int | None:
        """The result and its distance; None without a tablebase."""
        if self._analyst is None or not self._analyst.is_possible(position):
            return None
        score = self._analyst.score(position)
        worth = {Value.WIN: WIN, Value.LOSS: -WIN, Value.DRAW: 0}[score.value(position.turn)]
        plies = score.plies or 0
        return worth - plies if worth > 0 else worth + plies if worth < 0 else 0

    def noisy(self, position: GameState, least: int = 0) -> Sequence[Move]:
        """Captures."""
        targets = position[2:5] if position.turn == SWORD_SIDE else position[1:2]
        return [move for move in self.rules.legal_moves(position) if move % 32 in targets]

    def worth_of(self, piece: Piece) -> int:
        """Every weapon counts the same; the Sword's loss ends the game."""
        return 0 if piece.side == SWORD_SIDE else self.weight["weapon"]

    def ranks(self, position: GameState, moves: Sequence[Move]) -> list[int]:
        """The capture of the Sword, then those of weapons."""
        if position.turn == SWORD_SIDE:
            weapons = position[2:5]
            return [_CAPTURES if move % 32 in weapons else 0 for move in moves]
        return [_WINS if move % 32 == position.sword else 0 for move in moves]

    def key(self, position: GameState) -> Hashable:
        """The cells and the side to move; the rounds only under a turn limit."""
        return position if self._limit else position[:5]

    def decided(self, position: GameState) -> tuple[Side, ...] | None:
        """The side that has captured everything, or the Sword at the turn limit."""
        _, sword, spear, mace, axe, _ = position
        if sword == OFF:
            return (1 - SWORD_SIDE,)
        if spear == mace == axe == OFF:
            return (SWORD_SIDE,)
        if self._limit and self.rules.status(position) is not None:
            return self.winners(position)
        return None

    def value(self, position: GameState, side: Side) -> int:
        """Captured weapons, and whether the Sword is driven to the edge."""
        turn, sword, *weapons, _ = position
        weight = self.weight
        rank, file = divmod(sword, FILES)
        value = -weight["edge"] * ((rank in (0, 7)) + (file in (0, FILES - 1)))
        for cell in weapons:
            if cell == OFF:
                value += weight["weapon"]
            else:
                distance = max(abs(cell // FILES - rank), abs(cell % FILES - file))
                value += weight["near"] * max(_NEAR - distance, 0)
        value += weight["turn"] if turn == SWORD_SIDE else -weight["turn"]
        return value if side == SWORD_SIDE else -value


def knowledge(
    rules: Rules[GameState, Move], weights: Mapping[str, int] | None = None
) -> Knowledge[GameState, Move]:
    """The knowledge of Close Quarters under *rules*, with the shipped tablebase where it fits."""
    is_shipped = MoveOptions.of(rules.options) == SHIPPED
    return CloseQuartersKnowledge(rules, weights, shipped() if is_shipped else None)

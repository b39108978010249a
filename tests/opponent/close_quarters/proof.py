# SPDX-License-Identifier: Apache-2.0
"""The proof that a tablebase is right, with the rules of the game only.

By induction: a distance is right if it follows from those of all successors. A draw is right if no
move wins and one move leads to a draw, since both sides can then go on for ever.
"""

from __future__ import annotations

from collections.abc import Iterator

from companion.games.close_quarters import CloseQuartersRules, GameState
from companion.opponent.close_quarters.tablebase import Tablebase
from tests.opponent.close_quarters.samples import every_position

POSITIONS = 1_910_592
"""Positions in which the game goes on, of both sides."""


def follows(rules: CloseQuartersRules, tablebase: Tablebase, position: GameState) -> int | None:
    """The distance of *position* that the distances after each of its moves imply."""
    after = []
    for move in rules.legal_moves(position):
        reached = rules.apply(position, move)
        after.append(0 if rules.status(reached) else tablebase.distance(reached.turn, reached[1:5]))
    lost = [plies for plies in after if plies is not None and plies % 2 == 0]
    if lost:
        return min(lost) + 1
    won = [plies for plies in after if plies is not None]
    return max(won) + 1 if len(won) == len(after) else None


def contradictions(rules: CloseQuartersRules, tablebase: Tablebase) -> Iterator[str]:
    """The positions whose distance does not follow; takes some minutes."""
    count = 0
    for position in every_position(rules):
        count += 1
        if tablebase.distance(position.turn, position[1:5]) != follows(rules, tablebase, position):
            yield rules.write_position(position)
    if count != POSITIONS:
        yield f"{count} positions instead of {POSITIONS}"

# SPDX-License-Identifier: Apache-2.0
"""Proof of a win in a number of moves: every reply is tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion.model.game import AnyRules
from companion.model.pieces import Side


def winning_moves(rules: AnyRules, position: Any, moves: int) -> list[Any]:
    """The moves that win in *moves* of the side to move, whatever is replied."""
    side = position.turn
    return [
        move
        for move in rules.legal_moves(position)
        if wins(rules, rules.apply(position, move), side, moves - 1)
    ]


def wins(rules: AnyRules, position: Any, side: Side, moves: int) -> bool:
    """True if *side* wins in *moves* of its own, whatever the others do."""
    replies: Sequence[Any] = rules.legal_moves(position)
    if not replies:
        outcome = rules.status(position)
        return outcome is not None and outcome.winners == (side,)
    if moves <= 0:
        return False
    if position.turn == side:
        return any(wins(rules, rules.apply(position, move), side, moves - 1) for move in replies)
    return all(wins(rules, rules.apply(position, move), side, moves) for move in replies)

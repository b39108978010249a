# SPDX-License-Identifier: Apache-2.0
"""Perft: counts of move sequences, the standard test of a move generator.

The last ply is counted without being played.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from companion.model.game import AnyRules


def perft(rules: AnyRules, position: Any, depth: int) -> int:
    """The number of legal move sequences of *depth* plies from *position*.

    Sequences end early at the end of a game.
    """
    if depth == 0:
        return 1
    moves = rules.legal_moves(position)
    if depth == 1:
        return len(moves)
    return sum(perft(rules, rules.apply(position, move), depth - 1) for move in moves)


def split(rules: AnyRules, position: Any, depth: int) -> Iterator[tuple[str, int]]:
    """The count of `perft` by first move, as (notation, count); *depth* is at least 1.

    Yields each count as soon as it is known.
    """
    for move in rules.legal_moves(position):
        yield rules.write_move(position, move), perft(rules, rules.apply(position, move), depth - 1)

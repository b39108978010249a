# SPDX-License-Identifier: Apache-2.0
"""The transposition table of a search: what is known of positions searched before."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Final, NamedTuple

from companion.opponent.knowledge import SURE

_MOST: Final = 200_000
"""Positions in a table; a full one is emptied."""

_EXACT, _AT_LEAST, _AT_MOST = range(3)


class Entry(NamedTuple):
    """What is known of a position."""

    depth: int
    bound: int
    value: int
    """Of a won or lost game counted from this position."""
    move: Any
    """The best move, or None."""

    def answer(self, depth: int, alpha: int, beta: int, ply: int) -> int | None:
        """The value for a search of *depth* with these bounds, or None."""
        if self.depth < depth:
            return None
        value = _further(self.value, -ply)
        is_answer = (
            self.bound == _EXACT
            or (self.bound == _AT_LEAST and value >= beta)
            or (self.bound == _AT_MOST and value <= alpha)
        )
        return value if is_answer else None


class Transpositions:
    """The table."""

    def __init__(self) -> None:
        self._entries: dict[Hashable, Entry] = {}
        self.get = self._entries.get

    def keep(self, key: Hashable, node: tuple[int, int, int, int], value: int, move: Any) -> None:
        """Store the *value* of a *node* (depth, bounds, ply) and its best *move* or None."""
        depth, alpha, beta, ply = node
        if len(self._entries) >= _MOST:
            self._entries.clear()
        bound = _AT_LEAST if value >= beta else _EXACT if value > alpha else _AT_MOST
        before = self._entries.get(key)
        if move is None and before is not None:
            move = before.move
        self._entries[key] = Entry(depth, bound, _further(value, ply), move)


def _further(value: int, plies: int) -> int:
    """A value of a won or lost game, counted from *plies* further on."""
    return value + plies if value >= SURE else value - plies if value <= -SURE else value

# SPDX-License-Identifier: Apache-2.0
"""The plies that are settled, and what follows from all of them together: repetitions and the end of the game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Final

from companion.model.game import AnyRules, Outcome
from companion.model.grid import Cell
from companion.model.pieces import Side

THREEFOLD: Final = "threefold-draw"
"""Value of the option `repetition` under which the third occurrence of a position is a draw."""


@dataclass(frozen=True, slots=True)
class Played:
    """A ply of the record, from the position in which it was played."""

    before: Any
    side: Side
    text: str
    """Notation of the move; empty where an arbiter let a position stand."""
    source: tuple[Cell, ...] = ()
    target: tuple[Cell, ...] = ()


def outcome(rules: AnyRules, earlier: list[Any], position: Any) -> Outcome | None:
    """How the game has ended in *position*, after the *earlier* ones; None while it goes on."""
    ended = rules.status(position)
    if ended is not None or rules.options.get("repetition") != THREEFOLD:
        return ended
    counts: Counter[Hashable] = Counter(rules.key(other) for other in earlier)
    return Outcome((), "repetition") if counts[rules.key(position)] >= 2 else None

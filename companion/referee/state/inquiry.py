# SPDX-License-Identifier: Apache-2.0
"""A question that is not about a move, with its board: a value.

`inquiry_flow` opens and closes it.
"""

from __future__ import annotations

from dataclasses import dataclass

from companion.referee.inference.piece_identification import Ask, BoardAtRest
from companion.referee.values.board.looks import Seen
from companion.referee.values.questions import Question


@dataclass(frozen=True, slots=True)
class Inquiry:
    """A question that suspends play."""

    question: Question
    seen: Seen
    """The board that it concerns."""
    edges: int
    """Number of edges before it."""
    board: BoardAtRest | None = None
    """The board to be let stand; None for the question about a new game."""
    ask: Ask | None = None
    """The part in question."""

# SPDX-License-Identifier: Apache-2.0
"""A question that is not about a move, with the board for which it was asked: a value. `inquiring` asks and closes it."""

from __future__ import annotations

from dataclasses import dataclass

from companion.referee.adopting import Ask, Board
from companion.referee.looks import Seen
from companion.referee.questions import Question


@dataclass(frozen=True, slots=True)
class Inquiry:
    """What is asked while play waits."""

    question: Question
    seen: Seen
    """The board that it is about."""
    edges: int
    """Number of edges until it was asked."""
    board: Board | None = None
    """What is to be let stand; None if it is asked whether a new game begins."""
    ask: Ask | None = None
    """What of it is asked."""

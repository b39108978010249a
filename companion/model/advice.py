# SPDX-License-Identifier: Apache-2.0
"""Advice about a position: a hint, or a warning of a move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum

from companion.model.claims import WrittenClaim
from companion.model.game import CallOut
from companion.model.grid import Cell
from companion.model.written_move import WrittenMove


class AdviceKind(StrEnum):
    """The kinds of advice."""

    HINT = "hint"
    WARNING = "warning"
    TASK = "task"
    """What is to be done in a puzzle."""
    MISSED = "missed"
    """A move that gives the win of a puzzle away."""


class HintStage(IntEnum):
    """How much of a hint is said."""

    PIECE = 1
    MOVE = 2
    REASON = 3


@dataclass(frozen=True, slots=True)
class Advice:
    """What is advised in one position."""

    kind: AdviceKind
    position: str
    """The position, as text: the advice disappears with it."""
    source: tuple[Cell, ...] = ()
    """Cells of the piece."""
    target: tuple[Cell, ...] = ()
    """Cells where it goes; () as long as that is not said."""
    claims: tuple[WrittenClaim, ...] = ()
    """What is verified of the move."""
    cries: tuple[CallOut, ...] = ()
    """What the rules announce after it."""
    move: WrittenMove | None = None
    """The move of a hint; None while it is sought."""
    stage: HintStage = HintStage.REASON
    count: int = 0
    """Moves left in a puzzle."""

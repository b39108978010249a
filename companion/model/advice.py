# SPDX-License-Identifier: Apache-2.0
"""Advice about a position: a hint, or a warning of a move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.claims import WrittenClaim
from companion.model.game import CallOut
from companion.model.grid import Cell


class AdviceKind(StrEnum):
    """The kinds of advice."""

    HINT = "hint"
    WARNING = "warning"
    TASK = "task"
    """What is to be done in a puzzle."""
    MISSED = "missed"
    """A move that gives the win of a puzzle away."""


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
    line: tuple[str, ...] = ()
    """Best play from the move on; said where nothing is claimed."""
    count: int = 0
    """Moves left in a puzzle."""

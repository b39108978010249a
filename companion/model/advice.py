# SPDX-License-Identifier: Apache-2.0
"""Advice about a position: a hint, or a warning of a move."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.game import Argument
from companion.model.grid import Cell


@dataclass(frozen=True, slots=True)
class Reason:
    """One consequence of a line of play."""

    slug: str
    """The key of its sentence in the words of hints."""
    arguments: tuple[tuple[str, Argument], ...] = ()
    """Values of the sentence's gaps, by name."""

    @classmethod
    def of(cls, slug: str, **arguments: Argument) -> Reason:
        """A reason with *arguments*."""
        return cls(slug, tuple(arguments.items()))


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
    reasons: tuple[Reason, ...] = ()

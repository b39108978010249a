# SPDX-License-Identifier: Apache-2.0
"""Hand motions at a virtual table, as sent by browsers and scripts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.pieces import Side
from companion.referee.values.board.board_rotation import Rotation


@dataclass(frozen=True, slots=True)
class Lift:
    """Take the piece on *cell* into the hand."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Drop:
    """Put the held piece on *cell*, removing what stands there first."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Touch:
    """Lift the piece on *cell*, or drop the held piece there.

    So a click or a typed cell needs no knowledge of the result of the previous one.
    """

    cell: Cell


@dataclass(frozen=True, slots=True)
class PutBack:
    """Return the held piece to its origin."""


@dataclass(frozen=True, slots=True)
class PutAway:
    """Put a piece into the box: the held one, or that on *cell*."""

    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """Take a piece from the box into the hand."""

    index: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Rotate the held piece, or that on *cell*, clockwise.

    A long piece turns by 90 degrees, another by one step.
    """

    cell: Cell | None = None
    back: bool = False
    """Rotate counterclockwise."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Turn up the next face of the held piece, or of that on *cell*."""

    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Choose:
    """Complete the move that the hand has begun in the way that a choice names."""

    ply: int
    """That of the question."""
    choice: int
    """Counted from 0."""


@dataclass(frozen=True, slots=True)
class PressClock:
    """Press the clock of *side*."""

    side: Side


@dataclass(frozen=True, slots=True)
class SetRight:
    """Bring all pieces to their recorded cells."""


@dataclass(frozen=True, slots=True)
class Clear:
    """Put all pieces into the box."""


Hand: TypeAlias = Lift | Drop | Touch | PutBack | PutAway | Take | Turn | Flip | PressClock | SetRight | Clear
Motion: TypeAlias = Hand | Choose | tuple[Step, ...]
"""A motion, the choice between moves, or the steps of a whole one."""


def turned(hand: Motion, rotation: Rotation) -> Motion:
    """Convert *hand* from the game's cells to those of a board turned by *rotation*."""
    if isinstance(hand, tuple):
        return tuple(map(rotation.back().step, hand))
    cell = getattr(hand, "cell", None)
    return replace(hand, cell=rotation.under[cell]) if cell is not None and rotation.quarters else hand

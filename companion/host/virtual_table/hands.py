# SPDX-License-Identifier: Apache-2.0
"""What people do with their hands at a virtual table, as a browser says it and as a script does."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.pieces import Side
from companion.referee.turning import Turn as BoardTurn


@dataclass(frozen=True, slots=True)
class Lift:
    """Take the piece from *cell* into the hand."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Drop:
    """Put the piece in the hand on *cell*; what stands there is taken off first."""

    cell: Cell


@dataclass(frozen=True, slots=True)
class Touch:
    """Lift what stands on *cell*; a full hand drops there what it holds.

    So whoever clicks or types need not have seen what came of the time before.
    """

    cell: Cell


@dataclass(frozen=True, slots=True)
class PutBack:
    """Put the piece in the hand back where it came from."""


@dataclass(frozen=True, slots=True)
class PutAway:
    """Put a piece into the box: the one in the hand, else that on *cell*."""

    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class Take:
    """Take a piece from the box into the hand."""

    index: int


@dataclass(frozen=True, slots=True)
class Turn:
    """Turn the piece in the hand, else that on *cell*, clockwise: a long one by a quarter, another by one step."""

    cell: Cell | None = None
    back: bool = False
    """The other way round."""


@dataclass(frozen=True, slots=True)
class Flip:
    """Let the next face of the piece in the hand, else of that on *cell*, lie up."""

    cell: Cell | None = None


@dataclass(frozen=True, slots=True)
class PressClock:
    """Press the clock of *side*."""

    side: Side


@dataclass(frozen=True, slots=True)
class SetRight:
    """Bring all pieces to where the companion believes they belong."""


Hand: TypeAlias = Lift | Drop | Touch | PutBack | PutAway | Take | Turn | Flip | PressClock | SetRight
Doing: TypeAlias = Hand | tuple[Step, ...]
"""A hand, or the steps of a whole move."""


def turned(hand: Doing, turn: BoardTurn) -> Doing:
    """*hand*, which speaks of the game's cells, at a board on which the pieces stand turned by *turn*."""
    if isinstance(hand, tuple):
        return tuple(map(turn.back().step, hand))
    cell = getattr(hand, "cell", None)
    return replace(hand, cell=turn.under[cell]) if cell is not None and turn.quarters else hand

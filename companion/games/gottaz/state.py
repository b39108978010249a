# SPDX-License-Identifier: Apache-2.0
"""The positions and actions of GOTTAZ as values.

A piece on the board is a code: 0 for none, else 1 + side * faces + face,
a face being 2 * pawn + (0 weaker, 1 stronger).
"""

from __future__ import annotations

from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import OFF, Cell, rectangle
from companion.model.pieces import Side

GRID: Final = rectangle(5, 5)
CENTRE: Final = range(10, 15)
TERRITORIES: Final = (range(5), range(20, 25))
LIMIT: Final = 8
GOAL: Final = 3
TEN: Final = 10
CHOSEN: Final = ("common", "free-choice", "draft")
"""Values of `pawns` under which pawns are chosen before the first turn."""

PLACE, MOVE, LEAP, SLANT, JUMP, SWAP, TSUNAMI, ROTATE, PASS, PICK = range(10)
"""Kinds of actions; of several with the same result the first is kept."""

Move: TypeAlias = tuple[int, int, int]
"""(kind, what, where).

A face and a cell for PLACE, a pawn for PICK, else two cells.
"""


class GameState(NamedTuple):
    """A position."""

    turn: Side
    board: bytes
    """Code of the piece on each cell."""
    hands: tuple[bytes, bytes]
    """Number of each pawn in each side's hand."""
    winner: int = OFF
    """The side whose own action put three of its pawns into the centre row."""


class Change(NamedTuple):
    """A board before its battle."""

    board: bytes
    arrivals: tuple[tuple[Cell, int], ...]
    """Pieces that have entered a cell, by code; an enemy may still be there."""
    gains: tuple[tuple[Side, int], ...]
    """Rows, by side, whose sum may have grown."""


class Battle(NamedTuple):
    """Attacker, defender, and the strength of each side."""

    cell: Cell
    attacker: int
    defender: int
    strengths: tuple[int, int]


def ahead(side: Side, cell: Cell, distance: int) -> Cell:
    """The cell *distance* rows ahead of *cell* for *side*, or OFF."""
    target = cell + (5 * distance if side == 0 else -5 * distance)
    return target if 0 <= target < 25 else OFF

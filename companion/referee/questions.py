# SPDX-License-Identifier: Apache-2.0
"""What is asked when the board cannot tell: the values. How they are made is in `asking`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.grid import Cell
from companion.model.pieces import Piece, Side


class Aspect(StrEnum):
    """What is asked."""

    PIECE = "piece"
    """Which piece did something: the cells are where it stood."""
    CELL = "cell"
    """Where it went."""
    KIND = "kind"
    """What it became."""
    FACING = "facing"
    """Which way it faces now."""
    POSE = "pose"
    """Which face of it is up."""
    VICTIM = "victim"
    """Which other piece was taken off, laid down or changed; no cell for none."""
    MOVE = "move"
    """Which of these moves, by notation."""
    STANDS = "stands"
    """Which piece stands on a cell of a board that is let stand; the cells of a choice are where it stood."""
    NEW_GAME = "new-game"
    """Whether a new game begins: the start position was set up in the middle of one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer."""

    cells: tuple[Cell, ...] = ()
    """The cells it speaks of."""
    touch: Cell | None = None
    """The cell to touch on the board to choose it: lift and replace what stands there, or hold a magnet to it."""
    piece: Piece | None = None
    """The piece as it would be, where kind, facing or pose is asked."""
    moves: tuple[str, ...] = ()
    """Notation of the moves that are left with it; none if it says that no move was made, or is not about one."""
    is_yes: bool | None = None
    """What it says, where yes or no is asked."""


@dataclass(frozen=True, slots=True)
class Question:
    """What *side* is asked about its ply; the choices exclude one another."""

    ply: int
    side: Side
    aspect: Aspect
    cells: tuple[Cell, ...]
    """The cells it is about."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Pointed:
    """The choice of a question that is shown as the one which two quick presses of a button take."""

    asked: Question
    choice: int
    """Counted from 0."""
    at_ms: int
    """When the press came that led to it."""
    before: int | None = None
    """The choice that was shown before that press; None if none was."""

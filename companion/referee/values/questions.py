# SPDX-License-Identifier: Apache-2.0
"""Questions about undetectable facts, as values. `open_question` makes them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.pieces import Piece, Side


class Aspect(StrEnum):
    """Subjects of questions."""

    PIECE = "piece"
    """The piece that acted: the cells are its former ones."""
    CELL = "cell"
    """Its target."""
    KIND = "kind"
    """Its new kind."""
    FACING = "facing"
    """Its new facing."""
    POSE = "pose"
    """Its upper face."""
    VICTIM = "victim"
    """The other piece that was removed, laid down or changed; no cell for none."""
    PICKED = "picked"
    """The piece that was picked, by a move without steps."""
    MOVE = "move"
    """The move, by notation."""
    STANDS = "stands"
    """The piece on a cell of a board let stand; cells: its former ones."""
    NEW_GAME = "new-game"
    """A new game: the start position was set up in the middle of one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer."""

    cells: tuple[Cell, ...] = ()
    """The cells concerned."""
    touch: Cell | None = None
    """The cell to touch on the board to choose it.

    Lift and replace its piece, or hold a magnet to it.
    """
    piece: Piece | None = None
    """The resulting piece, where kind, facing or pose is asked."""
    moves: tuple[str, ...] = ()
    """Notation of the remaining moves; () for no move, or another subject."""
    step: Step | None = None
    """What is moved or removed by this choice only, where the move is asked."""
    is_yes: bool | None = None
    """Its meaning in a question for yes or no."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question to *side* about its ply; the choices exclude one another."""

    ply: int
    side: Side
    aspect: Aspect
    cells: tuple[Cell, ...]
    """The cells concerned."""
    choices: tuple[Choice, ...]


@dataclass(frozen=True, slots=True)
class Pointed:
    """The selected choice of a question, which two quick presses take."""

    asked: Question
    choice: int
    """Counted from 0."""
    at_ms: int
    """Time of the press that selected it."""
    before: int | None = None
    """The choice selected before that press, or None."""

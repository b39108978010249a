# SPDX-License-Identifier: Apache-2.0
"""Physical effect of a move on the pieces: its steps.

A game's own move value is compact and opaque; hands and sensors know its steps only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from companion.model.grid import Cell
from companion.model.pieces import Piece


@dataclass(frozen=True, slots=True)
class Step:
    """Effect of a move on one piece: it moves, enters, leaves, turns or is flipped."""

    piece: Piece
    """The piece before the step, on the board or in the hand."""
    source: tuple[Cell, ...]
    """The cells it covers before; () if it enters the board."""
    target: tuple[Cell, ...]
    """The cells it covers after; () if it leaves the board."""
    becomes: Piece
    """The piece after the step; equal to *piece* for a plain move."""

    @classmethod
    def move(cls, piece: Piece, source: Cell, target: Cell) -> Step:
        """A one-cell piece moves from *source* to *target* unchanged."""
        return cls(piece, (source,), (target,), piece)

    @classmethod
    def remove(cls, piece: Piece, *cells: Cell) -> Step:
        """A piece leaves the board."""
        return cls(piece, cells, (), piece)


def lit_cells(steps: Sequence[Step]) -> tuple[tuple[Cell, ...], tuple[Cell, ...]]:
    """The cells of the piece that *steps* move, and where it goes.

    If it leaves the board together with another piece, the cells of that one.
    """
    if not steps:
        return (), ()
    own = next((step for step in steps if step.target), steps[0])
    others = tuple(cell for step in steps if step is not own for cell in step.source)
    return own.source, own.target or others


def is_traceless(steps: Sequence[Step]) -> bool:
    """True if an occupancy sensor sees nothing of *steps* once nothing is lifted."""
    return all(step.source == step.target for step in steps)

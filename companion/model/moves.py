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


def is_traceless(steps: Sequence[Step]) -> bool:
    """True if an occupancy sensor sees nothing of *steps* once nothing is lifted."""
    return all(step.source == step.target for step in steps)

# SPDX-License-Identifier: Apache-2.0
"""Pieces and the sides that own them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Side: TypeAlias = int
"""Index of a side in `Rules.sides`, in the order of the turns."""

STANDING: Final = "standing"
"""The pose of a piece as it is set up."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece as it stands; equal pieces are not told apart."""

    kind: str
    """Slug of the kind, unique in its game: `mace`, `light-tank`."""
    side: Side | None = None
    """Its owner, or None.

    None where the cell decides, as in Martian Chess, or where nobody owns it.
    """
    facing: int | None = None
    """Steps clockwise from the first player's forward; None where it does not matter."""
    pose: str = STANDING
    """`standing`, `wreck`, or the face that is up: changed by hand without moving the piece."""
    shows: str | None = None
    """The visible kind where it differs: the upper piece of a stack."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One physical piece of the set, independent of how it lies."""

    faces: tuple[Piece, ...]
    """All its faces, the set-up one first; facing 0 where the piece has a front."""
    shape: tuple[tuple[int, int], ...] = ((0, 0),)
    """Offsets of its cells at set-up, in the order of the placement.

    An offset is (cells to the right, cells away from the first player), relative to the first cell.
    """

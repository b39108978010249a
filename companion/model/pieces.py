# SPDX-License-Identifier: Apache-2.0
"""Pieces and the sides that own them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeAlias

Side: TypeAlias = int
"""Who plays: the index into `Rules.sides`, in the order of the turns."""

STANDING: Final = "standing"
"""The pose of a piece as it is set up."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece as it stands, whichever of its kin it is."""

    kind: str
    """Slug of the kind, unique in its game: `mace`, `light-tank`."""
    side: Side | None = None
    """Its owner; None where location decides, as in Martian Chess, or nobody owns it."""
    facing: int | None = None
    """Steps clockwise from the first player's forward; None where it does not matter."""
    pose: str = STANDING
    """`standing`, `wreck`, or which face is up: what a hand can change without moving the piece."""
    shows: str | None = None
    """The kind that eyes see where it is another: the upper piece of a stack."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One piece out of the box, however it lies."""

    faces: tuple[Piece, ...]
    """All that it can show, as set up first; facing 0 where it has a forward."""
    shape: tuple[tuple[int, int], ...] = ((0, 0),)
    """The cells that it covers as it is set up, in the order of the placement: cells to the right and away from the first."""

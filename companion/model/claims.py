# SPDX-License-Identifier: Apache-2.0
"""Claims about one move, each verified by a search of its own."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from companion.model.grid import Cell
from companion.model.pieces import Piece
from companion.model.written_move import WrittenMove


class ClaimKind(StrEnum):
    """The kinds of claims; the mover is the side that makes the move."""

    WINS = "wins"
    """The mover comes out ahead in material, whatever is replied."""
    LOSES = "loses"
    """The others come out ahead in material; another move loses less."""
    MATE = "mate"
    """The mover wins the game by force."""
    MATED = "mated"
    """The other side wins by force; another move holds out longer."""
    THREATENS = "threatens"
    """If the other side passed, the mover would win what it could not take before."""
    DEFENDS = "defends"
    """A piece that stays where it is would have been lost before."""
    ESCAPES = "escapes"
    """The moved piece would have been lost where it stood."""
    REACHES = "reaches"
    """A piece reaches a cell that matters for the aim of the game."""
    ONLY_MOVE = "only-move"
    """Every other move loses the game, or two least pieces at least."""
    DRAW = "draw"
    """With best play the game is a draw."""
    REFUTED = "refuted"
    """The rest of the line refutes the move; it repeats `LOSES` or `MATED`."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a claim says, apart from moves."""

    kind: ClaimKind
    pieces: tuple[Piece, ...] = ()
    """What is won, lost, threatened or safe; the most valuable first."""
    given: tuple[Piece, ...] = ()
    """What is given for them; () where nothing is."""
    cells: tuple[Cell, ...] = ()
    """Where the pieces stand before the move, or what is reached."""
    count: int = 0
    """Moves of the winning side to the end of the game, the last included."""
    points: int = 0
    """What the pieces are worth more than the given ones, where pieces count as points."""


@dataclass(frozen=True, slots=True)
class Claim(Facts):
    """A claim in the moves of the rules."""

    line: tuple[Any, ...] = ()
    """Legal moves that show it; the first is the move judged."""
    threat: Any = None
    """The move that is threatened."""


@dataclass(frozen=True, slots=True)
class WrittenClaim(Facts):
    """A claim whose moves can be said and kept."""

    line: tuple[WrittenMove, ...] = ()
    threat: WrittenMove | None = None
    places: tuple[str, ...] = ()
    """The names of the `cells`."""
    ending: str = ""
    """Slug of the termination with which the line ends; "" where the game goes on."""

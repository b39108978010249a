# SPDX-License-Identifier: Apache-2.0
"""What eboards have in common: their reports, their timing, and their codec's interface."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final, Protocol, TypeAlias

from companion.link.panel import Shape
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.model.pieces import Side

KINDS: Final = ("pawn", "knight", "bishop", "rook", "queen", "king")
"""The kinds of pieces that eboards know, as chess calls them."""
CLOCK_BUTTONS: Final = 5
FILES: Final = 8
CHESS_SHAPE: Final = Shape(64, FILES, 8)


@dataclass(frozen=True, slots=True)
class Whole:
    """A report of all cells."""

    pieces: tuple[Sighting, ...]
    """What is on each cell, from a1 rank by rank."""


@dataclass(frozen=True, slots=True)
class Field:
    """A report that one cell has changed."""

    cell: Cell
    piece: Sighting


@dataclass(frozen=True, slots=True)
class Named:
    """A report of what the eboard is: its model, version or serial number."""

    text: str


@dataclass(frozen=True, slots=True)
class Battery:
    """A report of the battery."""

    percent: int
    is_charging: bool


@dataclass(frozen=True, slots=True)
class ClockRead:
    """A report of a clock that is connected to the eboard."""

    left_s: tuple[int, int] | None
    """Seconds left for the first and the second side; None if there is no clock."""
    running: Side | None = None
    pressed: Side = 0
    """The side whose end of the lever is down."""


@dataclass(frozen=True, slots=True)
class ClockAnswered:
    """The clock has taken a message, or refused it."""

    is_good: bool


@dataclass(frozen=True, slots=True)
class ClockButton:
    """A button of the clock was pressed."""

    number: int
    """Counted from the left end, from 0; the clock has `CLOCK_BUTTONS`."""


@dataclass(frozen=True, slots=True)
class Garbled:
    """Bytes that make no sense: a report was lost."""


Report: TypeAlias = Whole | Field | Named | Battery | ClockRead | ClockAnswered | ClockButton | Garbled


@dataclass(frozen=True, slots=True)
class Timing:
    """How an eboard is asked, and how far its reports are believed."""

    confirmations: int = 1
    """Equal reports of all cells that are needed to believe a changed one."""
    poll_ms: int = 0
    """Interval of requests, whose answers show a working eboard; 0: it reports unasked."""
    settle_ms: int = 0
    """Rest after a changed cell before all cells are requested; 0 without such reports."""
    hold_ms: int = 0
    """Longest wait for a piece's old cell, where the new one may be reported first."""
    silence_ms: int = 3000
    """Silence after which the eboard counts as lost."""
    write_gap_ms: int = 0
    """Shortest interval between two messages to the eboard."""
    greet_ms: int = 1000
    """Interval of greetings of an eboard that does not answer."""


class Codec(Protocol):
    """The protocol of one kind of eboard; made for each connection."""

    title: str
    """Maker and model."""
    timing: Timing

    def restart(self) -> None:
        """Forget bytes that were received: the port was opened again."""
        ...

    def greeting(self) -> bytes:
        """The bytes that make the eboard report."""
        ...

    def request(self) -> bytes:
        """The request for all cells; empty if the eboard reports them unasked."""
        ...

    def feed(self, data: bytes) -> Sequence[Report]:
        """The reports that are complete with *data*."""
        ...

    def lamps(self, lit: Set[Cell]) -> bytes:
        """The bytes that light exactly the cells *lit*; empty without lamps."""
        ...

    def tones(self, notes: Sequence[Note]) -> bytes:
        """The bytes that play *notes*; empty without a buzzer."""
        ...


def chess_piece(letter: str) -> Sighting:
    """The piece with the FEN letter *letter*: capitals for the first side.

    >>> chess_piece("n").kind, chess_piece("n").side
    ('knight', 1)
    """
    return _PIECES[letter]


_PIECES: Final = {
    letter.upper() if side == 0 else letter: Sighting(occupied=True, kind=kind, side=side)
    for letter, kind in zip("pnbrqk", KINDS, strict=True)
    for side in (0, 1)
}


def from_rank_8(pieces: Sequence[Sighting]) -> tuple[Sighting, ...]:
    """*pieces*, reported from a8 to h1 rank by rank, in the order of our cells.

    >>> from_rank_8([chess_piece("p")] * 63 + [chess_piece("K")])[7].kind
    'king'
    """
    return tuple(piece for rank in range(7, -1, -1) for piece in pieces[rank * FILES : (rank + 1) * FILES])

# SPDX-License-Identifier: Apache-2.0
"""Acts in the arbiter's book: all events of an evening's tournaments, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from companion.model.phrase import Text
from companion.tournament.event import Event
from companion.tournament.values import Acceleration, Bye, Format, Lineup, Number, Player, Points, Round


@dataclass(frozen=True, slots=True)
class Opened:
    """A tournament was announced."""

    key: str
    """Its key in other acts: a short name without spaces."""
    name: str
    format: Format
    game: str
    options: tuple[tuple[str, str], ...] = ()
    planned: int = 0
    seats: int = 2
    tie_breaks: tuple[str, ...] = ()
    boards: int = 0
    """Boards of a match, where teams play."""
    acceleration: Acceleration = Acceleration.NONE


@dataclass(frozen=True, slots=True)
class Described:
    """Place, dates and arbiters were entered, for the federation's report."""

    key: str
    event: Event


@dataclass(frozen=True, slots=True)
class Entered:
    """A player entered; the book assigns the number."""

    key: str
    player: Player


@dataclass(frozen=True, slots=True)
class Corrected:
    """A player's entry was corrected."""

    key: str
    number: Number
    name: str
    rating: int
    """0 without a rating."""


@dataclass(frozen=True, slots=True)
class Withdrew:
    """A player left, permanently unless they return."""

    key: str
    number: Number


@dataclass(frozen=True, slots=True)
class Returned:
    """A player who had left plays again, from the next round on."""

    key: str
    number: Number


@dataclass(frozen=True, slots=True)
class Excused:
    """A player will not be paired in a round."""

    key: str
    number: Number
    round: int
    bye: Bye


@dataclass(frozen=True, slots=True)
class LinedUp:
    """A team named its line-up for the next round."""

    key: str
    lineup: Lineup


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """A round was paired."""

    key: str
    round: Round


@dataclass(frozen=True, slots=True)
class RoundDropped:
    """The last round was paired in error and is void."""

    key: str


@dataclass(frozen=True, slots=True)
class TableGiven:
    """A pairing was assigned to a station of the hall."""

    key: str
    round: int
    table: int
    board: str
    """Identity of the station."""
    journal: str = ""
    """The station's last known journal and its length in bytes.

    Games that ended before that point belong to others.
    """
    size: int = 0
    order: str = ""
    """Name of the order that begins the table's game: earlier games belong to others.

    Empty where the game under way is the table's.
    """


@dataclass(frozen=True, slots=True)
class ResultReported:
    """A station reported its result. It counts once the arbiter has confirmed it."""

    stored_as: ClassVar[str] = "ResultTold"

    key: str
    round: int
    table: int
    points: tuple[Points, ...]
    reason: str
    """Slug of the termination."""


@dataclass(frozen=True, slots=True)
class ResultDecided:
    """The arbiter confirmed, changed or withdrew a result."""

    key: str
    round: int
    table: int
    points: tuple[Points, ...] | None
    is_forfeit: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """A drawn game that must have a winner is replayed with the sides exchanged."""

    key: str
    round: int
    table: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class WinnerDecided:
    """The arbiter decided who advances where the games did not."""

    key: str
    round: int
    table: int
    """Where teams play: the match, counted from 1."""
    winner: Number
    """The player or the team; 0 withdraws the decision."""
    note: str = ""
    """The rule applied."""


@dataclass(frozen=True, slots=True)
class DelaySet:
    """The spectators' delay of a tournament was set."""

    key: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Ordered:
    """An arbiter gave an order to a station."""

    board: str
    order: str
    """Its own name."""
    command: str
    """The command in the program's notation."""
    note: str = ""
    journal: str = ""
    """Journal of the game concerned; empty for the game at the board, whichever it is."""
    ply: int | None = None
    """The next ply of that game, if the order is for that moment only."""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A station replied to an order."""

    board: str
    order: str
    fault: Text = ""
    """The reason of a failure, or empty."""


@dataclass(frozen=True, slots=True)
class Photographed:
    """A score sheet was photographed."""

    key: str
    round: int
    table: int
    photograph: str
    """Name of the file, which follows from its content."""


@dataclass(frozen=True, slots=True)
class Noted:
    """A note."""

    text: str


Act: TypeAlias = (
    Opened
    | Described
    | Entered
    | Corrected
    | Withdrew
    | Returned
    | Excused
    | LinedUp
    | RoundPaired
    | RoundDropped
    | TableGiven
    | ResultReported
    | ResultDecided
    | PlayedOn
    | WinnerDecided
    | DelaySet
    | Ordered
    | Obeyed
    | Photographed
    | Noted
)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the book."""

    number: int
    """From 1, without gaps."""
    at: str
    """UTC, ISO 8601."""
    by: str
    """Author: an arbiter's name, or a station's."""
    act: Act

# SPDX-License-Identifier: Apache-2.0
"""What is written into the arbiter's book: everything that shapes the tournaments of an evening, as values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from companion.tournament.values import Bye, Format, Lineup, Number, Player, Points, Round


@dataclass(frozen=True, slots=True)
class Opened:
    """A tournament was announced."""

    key: str
    """What the other acts call it: a short name without spaces."""
    name: str
    format: Format
    game: str
    options: tuple[tuple[str, str], ...] = ()
    planned: int = 0
    seats: int = 2
    tie_breaks: tuple[str, ...] = ()
    boards: int = 0
    """Of a match, where teams play."""


@dataclass(frozen=True, slots=True)
class Entered:
    """A player entered; the number is given by the book."""

    key: str
    player: Player


@dataclass(frozen=True, slots=True)
class Corrected:
    """What was entered of a player was wrong."""

    key: str
    number: Number
    name: str
    rating: int
    """0 if there is none."""


@dataclass(frozen=True, slots=True)
class Withdrew:
    """A player left, for good unless they return."""

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
    """A team named who plays the next round."""

    key: str
    lineup: Lineup


@dataclass(frozen=True, slots=True)
class RoundPaired:
    """A round was drawn."""

    key: str
    round: Round


@dataclass(frozen=True, slots=True)
class RoundDropped:
    """The last round was drawn in error and is void."""

    key: str


@dataclass(frozen=True, slots=True)
class TableGiven:
    """A pairing plays at a board of the hall."""

    key: str
    round: int
    table: int
    board: str
    """Identity of the board."""
    journal: str = ""
    """The last journal that was known of the board, and how many bytes of it: games that ended before are not this one."""
    size: int = 0
    order: str = ""
    """Name of the order by which the board begins the table's game: what was played there before is not the table's.

    Empty where the game under way is the table's.
    """


@dataclass(frozen=True, slots=True)
class ResultTold:
    """A board told how its game ended. It counts when the arbiter has confirmed it."""

    key: str
    round: int
    table: int
    points: tuple[Points, ...]
    reason: str
    """Slug of the way it ended."""


@dataclass(frozen=True, slots=True)
class ResultDecided:
    """The arbiter confirmed, changed or took back a result."""

    key: str
    round: int
    table: int
    points: tuple[Points, ...] | None
    is_forfeit: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True)
class PlayedOn:
    """A game ended in a draw where somebody has to win: another is played, with the sides changed."""

    key: str
    round: int
    table: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class WinnerDecided:
    """The arbiter let somebody go on where the games did not tell who."""

    key: str
    round: int
    table: int
    """Where teams play: the match, counted from 1."""
    winner: Number
    """Of the player, or the team; 0 takes it back."""
    note: str = ""
    """By which rule."""


@dataclass(frozen=True, slots=True)
class DelaySet:
    """Spectators see a tournament so much later."""

    key: str
    seconds: int


@dataclass(frozen=True, slots=True)
class Ordered:
    """Somebody intervened at a board."""

    board: str
    order: str
    """Its own name."""
    command: str
    """What is to be done there, as the program writes it."""
    note: str = ""
    journal: str = ""
    """Of the game that is meant; empty for whichever is played there."""


@dataclass(frozen=True, slots=True)
class Obeyed:
    """A board answered an order."""

    board: str
    order: str
    fault: str = ""
    """Why it could not be carried out."""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something to remember."""

    text: str


Act: TypeAlias = (
    Opened
    | Entered
    | Corrected
    | Withdrew
    | Returned
    | Excused
    | LinedUp
    | RoundPaired
    | RoundDropped
    | TableGiven
    | ResultTold
    | ResultDecided
    | PlayedOn
    | WinnerDecided
    | DelaySet
    | Ordered
    | Obeyed
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
    """Who did it: an arbiter's name, or a board's."""
    act: Act

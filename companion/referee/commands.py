# SPDX-License-Identifier: Apache-2.0
"""What people ask for through the page, the terminal or a button: the one entrance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from companion.model.pieces import Side


@dataclass(frozen=True, slots=True)
class Resign:
    """*side* gives up."""

    side: Side


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """*side* offers a draw, agrees to the opponent's, or claims the one that the rules grant it.

    The side to move also claims with the move that it makes next, or that it names.
    """

    side: Side
    move: str = ""
    """The move with which it claims, in the game's notation; empty if it names none."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The last *plies* are taken back, if the game allows it."""

    plies: int = 1


@dataclass(frozen=True, slots=True)
class LetStand:
    """What stands on the board is accepted; *turn* moves next. What the sensor cannot see is asked."""

    turn: Side


@dataclass(frozen=True, slots=True)
class Pause:
    """Play rests."""


@dataclass(frozen=True, slots=True)
class Adjourn:
    """Play ends for now: the pieces may be put away, and are set up again when it is resumed."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Play goes on, once the position stands on the board."""


@dataclass(frozen=True, slots=True)
class StartClock:
    """The clock of the side to move runs from now on, if none has been started; not while an arbiter holds play."""


@dataclass(frozen=True, slots=True)
class NewGame:
    """The start position is to be set up again."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The question about *ply* is answered by its choice number *choice*, counted from 0."""

    ply: int
    choice: int


_PlayersOrder: TypeAlias = (
    Resign | OfferDraw | TakeBack | LetStand | Pause | Adjourn | Resume | StartClock | NewGame
)


@dataclass(frozen=True, slots=True)
class Hold:
    """Play rests, or once set up does not begin, until it is released; a program that is started again waits on."""


@dataclass(frozen=True, slots=True)
class Release:
    """Play goes on, whether it was held or only paused; the players cannot resume what is held."""

    starts_clock: bool = False
    """The first clock runs from then on, or as soon as the start position is set up, even if nobody has moved."""


@dataclass(frozen=True, slots=True)
class AdjustClock:
    """An arbiter gives *side* more time, or takes some."""

    side: Side
    by_ms: int
    """Less than 0 to take it."""


@dataclass(frozen=True, slots=True)
class Correct:
    """The record is put right, in a hall by an arbiter: from number *ply* on it has *moves* and nothing else.

    The clocks stay as they are. What follows from the moves is to stand on the board before play goes on.
    """

    ply: int
    """Counted from 0; the plies before it stay."""
    moves: tuple[str, ...] = ()
    """In the game's notation."""


@dataclass(frozen=True, slots=True)
class Restore:
    """*position* is set up, in a hall as an arbiter has it, whatever was played; the game goes on from it."""

    position: str
    """As the game writes it."""


PlayersCommand: TypeAlias = _PlayersOrder | Correct | Restore | Answer
"""What players may ask for, the record and the position at a table of their own only; an answer may change how all that followed is understood, which takes longer."""

Order: TypeAlias = _PlayersOrder | Hold | Release | AdjustClock | Correct | Restore
"""What is done at once."""

Command: TypeAlias = Order | Answer
"""What players may ask for, and what only an arbiter may."""

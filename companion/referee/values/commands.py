# SPDX-License-Identifier: Apache-2.0
"""Commands of people, from the page, the terminal or a button."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from companion.model.pieces import Side


@dataclass(frozen=True, slots=True)
class Resign:
    """*side* resigns."""

    side: Side


@dataclass(frozen=True, slots=True)
class OfferDraw:
    """*side* offers a draw, agrees to one, or claims one under the rules.

    The side to move also claims with its next move, or with the named one.
    """

    side: Side
    move: str = ""
    """The move with which it claims, in the game's notation, or empty."""


@dataclass(frozen=True, slots=True)
class DeclineDraw:
    """*side* declines the draw that another side has offered."""

    side: Side


@dataclass(frozen=True, slots=True)
class TakeBack:
    """Take back the last *plies*, if the game allows it."""

    plies: int = 1


@dataclass(frozen=True, slots=True)
class LetStand:
    """Accept the position on the board; *turn* moves next.

    Facts that the sensor cannot see are asked.
    """

    turn: Side


@dataclass(frozen=True, slots=True)
class Pause:
    """Pause play."""


@dataclass(frozen=True, slots=True)
class Adjourn:
    """End play for now: the pieces may be removed until resumption."""


@dataclass(frozen=True, slots=True)
class Resume:
    """Resume play, once the position is on the board."""


@dataclass(frozen=True, slots=True)
class StartClock:
    """Start the clock of the side to move, if none has been started.

    Refused while an arbiter holds play.
    """


@dataclass(frozen=True, slots=True)
class NewGame:
    """Set up the start position again."""


@dataclass(frozen=True, slots=True)
class SetLevel:
    """The computer plays at *level* from its next move on.

    The referee knows no levels: for it nothing changes.
    """

    level: int
    """From 1."""
    side: Side | None = None
    """None for all sides that the computer plays."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer the question about *ply* with choice number *choice*, counted from 0."""

    ply: int
    choice: int


_PlayersOrder: TypeAlias = (
    Resign
    | OfferDraw
    | DeclineDraw
    | TakeBack
    | LetStand
    | Pause
    | Adjourn
    | Resume
    | StartClock
    | NewGame
    | SetLevel
)


@dataclass(frozen=True, slots=True)
class Play:
    """The side to move, played elsewhere, plays *move* as ply number *ply*.

    Refused if that is not the next ply. The hands at the table carry it out.
    """

    ply: int
    """Counted from 0."""
    move: str
    """In the game's notation."""
    position: str = ""
    """The position in which it was decided, in the game's notation; empty for any."""


@dataclass(frozen=True, slots=True)
class ShowClocks:
    """Show the clocks as the place reports them that keeps the game's time.

    The table has no time control then: no flag falls here.
    """

    left_ms: tuple[int, ...]
    running: Side | None = None


@dataclass(frozen=True, slots=True)
class Conclude:
    """The game has ended elsewhere, by decision of the place that keeps it."""

    winners: tuple[Side, ...]
    """() for a draw."""
    termination: str
    """Slug of the reason, as in `Outcome`."""


@dataclass(frozen=True, slots=True)
class Hold:
    """Stop play, or prevent its start, until it is released.

    A restarted program keeps the hold.
    """


@dataclass(frozen=True, slots=True)
class Release:
    """Resume play that was held or paused; players cannot resume held play."""

    starts_clock: bool = False
    """The first clock starts then, or after the set-up, even before a move."""


@dataclass(frozen=True, slots=True)
class AdjustClock:
    """Give *side* more time, or deduct some: for arbiters."""

    side: Side
    by_ms: int
    """Negative to deduct time."""


@dataclass(frozen=True, slots=True)
class Correct:
    """Correct the record, in a hall by an arbiter: *moves* replace all from *ply* on.

    The clocks stay as they are. The resulting position must be on the board before play goes on.
    """

    ply: int
    """Counted from 0; earlier plies stay."""
    moves: tuple[str, ...] = ()
    """In the game's notation."""


@dataclass(frozen=True, slots=True)
class Restore:
    """Set up *position*, from which the game goes on; in a hall by an arbiter."""

    position: str
    """In the game's notation."""


PlayersCommand: TypeAlias = _PlayersOrder | Correct | Restore | Answer
"""Commands of players.

Record and position only at a table of their own;
an answer may change the interpretation of all that followed, which takes longer.
"""

Order: TypeAlias = (
    _PlayersOrder | Play | ShowClocks | Conclude | Hold | Release | AdjustClock | Correct | Restore
)
"""Commands that are carried out at once."""

Command: TypeAlias = Order | Answer
"""Commands of players, of arbiters, and of who plays an absent side."""

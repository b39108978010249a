# SPDX-License-Identifier: Apache-2.0
"""What happened, in the past tense: what the journal keeps and what the view is derived from.

A move passes three stages:
provisional (shown), announced (nothing can extend it, the clock was pressed, or the board was at rest for the dwell),
settled (the opponent has acted).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from companion.model.game import Announcement, Outcome, Violation
from companion.model.observation import Difference
from companion.model.pieces import Side
from companion.referee.questions import Question


class Stage(StrEnum):
    """How sure a move is."""

    PROVISIONAL = "provisional"
    ANNOUNCED = "announced"
    SETTLED = "settled"


class Level(StrEnum):
    """How serious an illegal move is."""

    HINT = "hint"
    """The board is at rest and nothing lawful can follow from it."""
    COMPLETED = "completed"
    """The mover has finished with it: an event for an arbiter."""


@dataclass(frozen=True, slots=True)
class GameBegan:
    """The start position stands on the board and the first side is to move."""

    at_ms: int
    position: str


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move has reached *stage*: provisional, announced, settled, each at most once for a ply unless retracted."""

    at_ms: int
    ply: int
    side: Side
    move: str
    """Its notation."""
    stage: Stage
    position: str
    """The position after it."""
    announcements: tuple[Announcement, ...] = ()
    spent_ms: int | None = None
    """How long its side thought, once announced, if there are clocks."""
    started_ms: int | None = None
    """When it was made, if no clock ran before and it started the next side's; else `spent_ms` tells."""


@dataclass(frozen=True, slots=True)
class MoveRetracted:
    """The last move was no move: slid on, put back, or taken back; the position before it holds again."""

    at_ms: int
    ply: int
    move: str
    stage: Stage
    """The stage it had reached."""
    keeps_press: bool = False
    """True if the clock stays pressed for it: nobody has put it back."""


@dataclass(frozen=True, slots=True)
class IllegalSeen:
    """What stands on the board is no legal move, nor the way to one."""

    at_ms: int
    side: Side
    """Whose turn it was."""
    level: Level
    difference: Difference
    violation: Violation


@dataclass(frozen=True, slots=True)
class IllegalMended:
    """The board is lawful again after an illegal move."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PositionAdopted:
    """An arbiter let an illegal position stand: the game goes on from *position*."""

    at_ms: int
    position: str


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The board cannot tell which move was made; nobody has to wait for the answer."""

    at_ms: int
    question: Question


@dataclass(frozen=True, slots=True)
class QuestionClosed:
    """The question about *ply* was answered, or became needless."""

    at_ms: int
    ply: int


@dataclass(frozen=True, slots=True)
class ClockStarted:
    """The first clock was started by a command, or by a press of an opponent where moves switch the clocks."""

    at_ms: int
    side: Side | None = None
    """Whose clock runs from now on; None if play has to begin first: then that of the side to move runs with it."""


@dataclass(frozen=True, slots=True)
class ClockPressed:
    """*side* has stopped its clock by button or lever, and the next one's runs."""

    at_ms: int
    side: Side
    ply: int
    """The ply that is complete with it."""
    spent_ms: int | None = None
    """How long its side thought; None if no clock ran before."""


@dataclass(frozen=True, slots=True)
class ClockReturned:
    """*side* has pressed, and the clock runs on for *ply*, for which it was pressed before anything was moved."""

    at_ms: int
    side: Side
    ply: int


@dataclass(frozen=True, slots=True)
class BoardTurned:
    """All stands set up, but turned on the sensor's cells: play goes on as it stands."""

    at_ms: int
    degrees: int
    """Clockwise; 0 if it was turned before and is not any more."""


@dataclass(frozen=True, slots=True)
class GamePaused:
    """Play rests until it is resumed."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PlayHeld:
    """Play is not to begin, nor to go on, until it is resumed: not even when the program is started again."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """An arbiter gave *side* more time, or took some."""

    at_ms: int
    side: Side
    by_ms: int


@dataclass(frozen=True, slots=True)
class RecordCorrected:
    """An arbiter put the record right: from number *ply* on it has *moves* and nothing else; *position* is to stand then.

    What was on record before stays in the journal; nothing is written over.
    """

    at_ms: int
    ply: int
    moves: tuple[str, ...]
    base: str
    """The position before them."""
    position: str


@dataclass(frozen=True, slots=True)
class GameAdjourned:
    """Play ends for now; what was announced by then holds."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class GameResumed:
    """Play goes on."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """*side* has offered a draw, which stands until the opponent moves or agrees."""

    at_ms: int
    side: Side


@dataclass(frozen=True, slots=True)
class GameEnded:
    """The game is over."""

    at_ms: int
    outcome: Outcome


Event: TypeAlias = (
    GameBegan
    | MoveMade
    | MoveRetracted
    | IllegalSeen
    | IllegalMended
    | PositionAdopted
    | QuestionAsked
    | QuestionClosed
    | ClockStarted
    | ClockPressed
    | ClockReturned
    | BoardTurned
    | GamePaused
    | PlayHeld
    | ClockAdjusted
    | RecordCorrected
    | GameAdjourned
    | GameResumed
    | DrawOffered
    | GameEnded
)

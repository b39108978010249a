# SPDX-License-Identifier: Apache-2.0
"""Events of a game, in the past tense: the content of the journal.

A move passes three stages:
provisional (shown), announced (nothing can extend it, the clock was pressed,
or the board was at rest for the dwell), settled (the opponent has acted).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from companion.model.game import Announcement, Outcome, Violation
from companion.model.observation import Difference
from companion.model.pieces import Side
from companion.referee.values.questions import Question


class Stage(StrEnum):
    """Certainty of a move."""

    PROVISIONAL = "provisional"
    ANNOUNCED = "announced"
    SETTLED = "settled"


class Level(StrEnum):
    """Severity of an illegal move."""

    HINT = "hint"
    """The board is at rest and nothing legal can follow from it."""
    COMPLETED = "completed"
    """The mover has finished: an event for an arbiter."""


@dataclass(frozen=True, slots=True)
class GameBegan:
    """The start position is on the board and the first side is to move."""

    at_ms: int
    position: str


@dataclass(frozen=True, slots=True)
class MoveDecided:
    """*side*, which is not played at the table, has decided its move; its clock stops.

    `MoveMade` follows when the hands at the table have carried it out.
    """

    at_ms: int
    ply: int
    side: Side
    move: str
    """Its notation."""


@dataclass(frozen=True, slots=True)
class MoveMade:
    """A move has reached *stage*, each at most once for a ply unless retracted.

    The stages are provisional, announced, settled.
    """

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
    """Thinking time of its side, once announced, if there are clocks."""
    started_ms: int | None = None
    """Time of the move if it started the next side's clock and none ran before.

    Otherwise `spent_ms` gives it.
    """


@dataclass(frozen=True, slots=True)
class MoveRetracted:
    """The last move was not final: continued, put back, or taken back.

    The position before it is valid again.
    """

    at_ms: int
    ply: int
    move: str
    stage: Stage
    """The stage it had reached."""
    keeps_press: bool = False
    """True if the clock stays pressed for it."""


@dataclass(frozen=True, slots=True)
class IllegalSeen:
    """The board shows neither a legal move nor a part of one."""

    at_ms: int
    side: Side
    """The side to move."""
    level: Level
    difference: Difference
    violation: Violation


@dataclass(frozen=True, slots=True)
class IllegalMended:
    """The board is legal again after an illegal move."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PositionAdopted:
    """An arbiter let an illegal position stand: the game goes on from *position*."""

    at_ms: int
    position: str


@dataclass(frozen=True, slots=True)
class PlyUndecided:
    """A ply rested on the board for long, neither announced nor asked about.

    A fault of the referee, for those who look after it; players need not know.
    """

    at_ms: int
    ply: int
    move: str
    """Its notation."""
    rivals: tuple[str, ...]
    """The moves that it is not told from; "" if there may have been none."""


@dataclass(frozen=True, slots=True)
class QuestionAsked:
    """The move cannot be determined from the board; play goes on before the answer."""

    at_ms: int
    question: Question


@dataclass(frozen=True, slots=True)
class QuestionClosed:
    """The question about *ply* was answered, or is obsolete."""

    at_ms: int
    ply: int


@dataclass(frozen=True, slots=True)
class ClockStarted:
    """The first clock was started by a command or a press.

    A press of an opponent, where moves switch the clocks.
    """

    at_ms: int
    side: Side | None = None
    """The side whose clock runs.

    None if play has to begin first: then that of the side to move runs.
    """


@dataclass(frozen=True, slots=True)
class ClockPressed:
    """*side* has stopped its clock by button or lever, and the next one's runs."""

    at_ms: int
    side: Side
    ply: int
    """The ply that it completes."""
    spent_ms: int | None = None
    """Thinking time of its side; None if no clock ran before."""


@dataclass(frozen=True, slots=True)
class ClockReturned:
    """*side* has pressed, and the clock runs on for *ply*.

    It was pressed for this ply before any move.
    """

    at_ms: int
    side: Side
    ply: int


@dataclass(frozen=True, slots=True)
class BoardTurned:
    """The position is set up, but turned on the sensor's cells.

    Play goes on in this orientation.
    """

    at_ms: int
    degrees: int
    """Clockwise; 0 if the board was turned before and is not any more."""


@dataclass(frozen=True, slots=True)
class GamePaused:
    """Play is paused until it is resumed."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class PlayHeld:
    """Play must not begin or go on until it is released, even after a restart."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class ClockAdjusted:
    """An arbiter gave *side* more time, or deducted some."""

    at_ms: int
    side: Side
    by_ms: int


@dataclass(frozen=True, slots=True)
class RecordCorrected:
    """An arbiter corrected the record: from number *ply* on it has *moves* only.

    *position* is to be set up then.
    The former record stays in the journal; nothing is overwritten.
    """

    at_ms: int
    ply: int
    moves: tuple[str, ...]
    base: str
    """The position before them."""
    position: str


@dataclass(frozen=True, slots=True)
class GameAdjourned:
    """Play has ended for now; announced moves stay."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class GameResumed:
    """Play goes on."""

    at_ms: int


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """*side* has offered a draw, valid until the opponent moves or agrees."""

    at_ms: int
    side: Side


@dataclass(frozen=True, slots=True)
class DrawDeclined:
    """*side* has declined the draw that was offered."""

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
    | PlyUndecided
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
    | DrawDeclined
    | GameEnded
    | MoveDecided
)

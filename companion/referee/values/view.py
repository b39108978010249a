# SPDX-License-Identifier: Apache-2.0
"""The complete state to be shown: lamps, lines and page derive from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from companion.model.absent import PlayedBy, absent_sides
from companion.model.advice import Advice, AdviceKind
from companion.model.game import Announcement, Count, Outcome, Region, Violation
from companion.model.grid import Cell, Grid
from companion.model.moves import Step
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.referee.values.events import Level, Stage
from companion.referee.values.gestures import Gestures, Middle
from companion.referee.values.questions import Question


class Phase(StrEnum):
    """The state of the table's statechart."""

    SETTING_UP = "setting_up"
    WAITING = "waiting"
    HANDLING = "handling"
    CHOOSING = "choosing"
    ILLEGAL = "illegal"
    PAUSED = "paused"
    FINISHED = "finished"
    CARRYING_OUT = "carrying_out"
    """The hands carry out a move that was decided elsewhere."""


@dataclass(frozen=True, slots=True)
class Guide:
    """One correction: carry, set up, or remove a piece."""

    piece: Piece
    source: Cell | None
    """Its wrong cell; None if it is in the hand or the box."""
    target: Cell | None
    """Its proper cell; None if it has to leave the board."""
    is_part: bool = False
    """True for further cells of a large piece: another guide covers it."""
    is_later: bool = False
    """True if others are shown first, so that lamps are unambiguous."""

    @property
    def is_turn(self) -> bool:
        """True if the piece is turned on its cell."""
        return self.source is not None and self.source == self.target


class MoveView(NamedTuple):
    """One line of the record."""

    ply: int
    side: Side
    move: str
    """Its notation; empty for an adopted position."""
    stage: Stage
    source: tuple[Cell, ...]
    """Cells that the mover left."""
    target: tuple[Cell, ...]
    """Cells that it entered."""
    spent_ms: int | None = None
    """Thinking time of its side, if there are clocks."""
    is_amended: bool = False
    """True if an arbiter adopted another position after it, with its opponent to move."""
    brought: Piece | None = None
    """The piece from beside the board that its notation names, if any."""


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of one side."""

    left_ms: int
    """At the last event; a running clock has gone on since."""
    is_running: bool
    at_ms: int
    """Time of that event."""
    spans: int = 0
    """Byo-yomi spans left, the one that runs included."""
    delay_ms: int = 0
    """Delay before a running clock counts, at *at_ms*."""
    span_ms: int = 0
    """Length of a byo-yomi span; 0 without."""
    is_in_span: bool = False
    """True once the main time is used up."""
    is_growing: bool = False
    """True if it gains what the running clock loses, as in an hourglass."""

    def at(self, now_ms: int) -> ClockView:
        """The clock at *now_ms*, not before *at_ms*; the flag has fallen without time and spans."""
        passed = now_ms - self.at_ms
        if passed <= 0 or not (self.is_running or self.is_growing):
            return self
        used, delay = max(0, passed - self.delay_ms), max(0, self.delay_ms - passed)
        if self.is_growing:
            return replace(self, left_ms=self.left_ms + used, at_ms=now_ms, delay_ms=delay)
        left, spans, is_in_span = self.left_ms - used, self.spans, self.is_in_span
        while left <= 0 and spans > 0:
            left, spans, is_in_span = left + self.span_ms, spans - is_in_span, True
            if spans == 0:
                left = 0
        return replace(
            self, left_ms=max(0, left), at_ms=now_ms, spans=spans, delay_ms=delay, is_in_span=is_in_span
        )


class ClockStart(StrEnum):
    """The start of the first clock, besides a command."""

    MOVE = "move"
    PRESS = "press"


@dataclass(frozen=True, slots=True)
class IllegalPosition:
    """An illegal position of the board, with its reason."""

    level: Level
    violation: Violation
    cells: tuple[Cell, ...]
    """Cells that differ from the last legal position."""


@dataclass(frozen=True, slots=True)
class JointMove:
    """A move of several pieces that hands have begun."""

    name: str
    """Slug of its name."""
    guides: tuple[Guide, ...]
    """What is still to be moved, at least one piece."""


@dataclass(frozen=True, slots=True)
class DecidedView:
    """A move that was decided elsewhere and is to be carried out."""

    side: Side
    by: PlayedBy
    move: str
    """Its notation."""
    steps: tuple[Step, ...]
    is_amiss: bool = False
    """True if hands have done something that does not belong to it."""
    needs_press: bool = False
    """True if the board looks right, but only people know whether it is carried out."""


@dataclass(frozen=True, slots=True)
class LessonView:
    """The lesson at the table, and how far the learner is in it."""

    slug: str
    number: int
    """Its place among the lessons of the game, counted from 0."""
    count: int
    """The number of those lessons."""
    task: int
    """The open task, or the last one, counted from 0."""
    is_wrong: bool = False
    """True if the last answer was legal but not accepted."""
    is_done: bool = False
    following: str = ""
    """Slug of the next lesson; empty in the last one."""
    shows: tuple[Cell, ...] = ()
    """Cells that the task is about."""


@dataclass(frozen=True, slots=True)
class TableView:
    """The complete state of the table to be shown."""

    game: str
    """Slug of the game."""
    options: tuple[tuple[str, str], ...]
    grid: Grid
    sides: tuple[str, ...]
    phase: Phase
    turn: Side
    ply: int
    position: str
    """The believed position, as text."""
    placement: Placement
    """The pieces of that position; while a decided move is carried out, those after it."""
    occupied: int
    """Cells that the sensors see occupied now."""
    is_sensed: bool = True
    """False before the sensors have reported for the first time."""
    lifted: tuple[Cell, ...] = ()
    """Cells whose piece is in a hand."""
    targets: tuple[Cell, ...] = ()
    """Legal targets of the lifted piece."""
    immobile: Violation | None = None
    """Why the lifted piece cannot move; None if it can."""
    joint: JointMove | None = None
    """The move of several pieces that is under way, if nothing else explains the board."""
    guides: tuple[Guide, ...] = ()
    """Corrections, during set-up and after an illegal move."""
    fault: IllegalPosition | None = None
    announcements: tuple[Announcement, ...] = ()
    outcome: Outcome | None = None
    draw_offered_by: Side | None = None
    draw_declined_by: Side | None = None
    """The side that has declined the last offer, until somebody moves."""
    may_claim: bool = False
    """True if the side to move may claim a draw at once."""
    claiming: tuple[str, ...] = ()
    """Otherwise the moves with which it may claim one."""
    allows_take_back: bool = True
    record: tuple[MoveView, ...] = ()
    is_start_amended: bool = False
    """True if an arbiter adopted another position before the first line, same side to move."""
    clocks: tuple[ClockView, ...] = ()
    """One for each side; () without time control."""
    clock_start: ClockStart | None = None
    """The event that starts the first clock; None once it is started or imminent."""
    pressers: tuple[Side, ...] = ()
    """The sides whose presses have an effect."""
    regions: tuple[Region, ...] = ()
    """Regions of the board, with their sides."""
    hands: tuple[tuple[Piece, ...], ...] = ()
    """Pieces in hand of each side, as with `placement`; () in a game without hands."""
    captured: tuple[Piece, ...] = ()
    """Captured pieces beside the board, in the order of their captures."""
    scores: tuple[int, ...] = ()
    """The points of each side; () in games without points."""
    counts: tuple[Count, ...] = ()
    """Limits that are counted, until the game ends."""
    is_adjourned: bool = False
    """True if play has ended for now, and the pieces may be removed."""
    is_held: bool = False
    """True if an arbiter holds play: only an arbiter can release it."""
    blind: tuple[Cell, ...] = ()
    """Cells with broken switches."""
    gestures: Gestures = Gestures.OFF
    """Gestures by which the players may end the game."""
    middle: Middle | None = None
    """Cells for leading pieces, if these are the gestures."""
    leader: Piece | None = None
    """Such a piece."""
    turned: int = 0
    """Clockwise turn of the pieces in degrees; cells in a view are the game's."""
    is_turn_unclear: bool = False
    """True if the position is set up in an ambiguous orientation."""
    question: Question | None = None
    """The pending question."""
    pointed: int | None = None
    """The selected choice, which two quick presses take; None before a press."""
    is_suspended: bool = False
    """True while play waits for the answer: the question is not about a move."""
    is_begun: bool = False
    """True once the game has begun, whatever is to be set up again since."""
    played_by: tuple[PlayedBy, ...] = ()
    """Who plays each side; () if people at the table play all."""
    decider: Side | None = None
    """The side that is to decide its move elsewhere now."""
    decided: DecidedView | None = None
    """The move of such a side, while it is carried out."""
    gives_hints: bool = False
    """True if the computer gives hints at this table."""
    advice: Advice | None = None
    """Its hint for the side to move, or its warning of the last move."""
    lesson: LessonView | None = None
    """The lesson at the table; None in a game."""

    @property
    def seated(self) -> tuple[Side, ...]:
        """The sides that are played at the table."""
        absent = absent_sides(self.played_by)
        return tuple(side for side in range(len(self.sides)) if side not in absent)

    @property
    def errands(self) -> tuple[Guide, ...]:
        """The guides, one for each piece."""
        return tuple(guide for guide in self.guides if not guide.is_part)

    def with_advice(self, advice: Advice | None) -> TableView:
        """The same with hints, and with *advice* if it is about this position.

        Nobody is helped against somebody elsewhere: hints would be forbidden help there.
        """
        if PlayedBy.ELSEWHERE in self.played_by:
            return self
        is_apt = (
            advice is not None
            and advice.position == self.position
            and self.phase in (Phase.WAITING, Phase.HANDLING)
            and (self.decider is None or advice.kind in (AdviceKind.WARNING, AdviceKind.MISSED))
        )
        return replace(self, gives_hints=True, advice=advice if is_apt else None)

    def before_announcing(self, stages: Mapping[int, Stage]) -> TableView:
        """The same while the moves of these plies are at most in these *stages*."""
        if not stages:
            return self
        first = min(stages)
        recent = [move._replace(stage=stages.get(move.ply, move.stage)) for move in self.record[first:]]
        is_told = not recent or stages.get(recent[-1].ply) is not Stage.PROVISIONAL
        record = (*self.record[:first], *recent)
        return replace(self, record=record, announcements=self.announcements if is_told else ())

    def is_news_after(self, before: TableView) -> bool:
        """True if it shows news compared to *before*; a running clock is not news."""
        clocks = tuple(
            replace(clock.at(now.at_ms), at_ms=now.at_ms)
            for clock, now in zip(before.clocks, self.clocks, strict=False)
        )
        return clocks != self.clocks or self != (replace(before, clocks=clocks) if clocks else before)

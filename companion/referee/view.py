# SPDX-License-Identifier: Apache-2.0
"""All that should be shown now: what every lamp, line and page gets, whole, every time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import NamedTuple

from companion.model.game import Announcement, Outcome, Region, Violation
from companion.model.grid import Cell, Grid
from companion.model.pieces import Piece, Side
from companion.model.placement import Placement
from companion.referee.events import Level, Stage
from companion.referee.gestures import Gestures, Middle
from companion.referee.questions import Question


class Phase(StrEnum):
    """The state of the table's statechart."""

    SETTING_UP = "setting_up"
    WAITING = "waiting"
    HANDLING = "handling"
    CHOOSING = "choosing"
    ASTRAY = "astray"
    PAUSED = "paused"
    FINISHED = "finished"


@dataclass(frozen=True, slots=True)
class Guide:
    """One thing to put right: a piece to carry from *source* to *target*, to set up, or to take off."""

    piece: Piece
    source: Cell | None
    """Where it lies wrongly; None if it is in the hand or the box."""
    target: Cell | None
    """Where it belongs; None if it has to leave the board."""
    is_part: bool = False
    """True for the further cells of a piece that covers several: another guide has told of it."""
    is_later: bool = False
    """True if others are shown first, so that lamps tell which piece goes where."""


class MoveView(NamedTuple):
    """One line of the record."""

    ply: int
    side: Side
    move: str
    """Its notation; empty where an arbiter let a position stand."""
    stage: Stage
    source: tuple[Cell, ...]
    """Cells that the mover left."""
    target: tuple[Cell, ...]
    """Cells that it came to."""
    spent_ms: int | None = None
    """How long its side thought, if there are clocks."""
    is_amended: bool = False
    """True if an arbiter let another position stand after it, in which its opponent is to move all the same."""


@dataclass(frozen=True, slots=True)
class ClockView:
    """The clock of one side."""

    left_ms: int
    """As of the last thing that happened; a running clock has gone on since."""
    is_running: bool
    at_ms: int
    """When that was."""
    spans: int = 0
    """Byo-yomi spans left, the one that runs included."""
    delay_ms: int = 0
    """Before a running clock begins to count, as of *at_ms*."""
    span_ms: int = 0
    """Length of a byo-yomi span; 0 without."""
    is_in_span: bool = False
    """True once the main time is used up."""
    is_growing: bool = False
    """True if it gains what the running clock loses, as in an hourglass."""

    def at(self, now_ms: int) -> ClockView:
        """The same clock at *now_ms*, not before *at_ms*; with no time and no spans left its flag has fallen."""
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
    """What starts the first clock, besides a command."""

    MOVE = "move"
    PRESS = "press"


@dataclass(frozen=True, slots=True)
class Fault:
    """An illegal position of the board, with its reason."""

    level: Level
    violation: Violation
    cells: tuple[Cell, ...]
    """Cells that differ from the last lawful position."""


@dataclass(frozen=True, slots=True)
class TableView:
    """The table as it should be shown."""

    game: str
    """Slug of the game."""
    options: tuple[tuple[str, str], ...]
    grid: Grid
    sides: tuple[str, ...]
    phase: Phase
    turn: Side
    ply: int
    position: str
    """The position believed, as text."""
    placement: Placement
    """The pieces of that position."""
    occupied: int
    """Cells that the sensors see occupied now."""
    lifted: tuple[Cell, ...] = ()
    """Cells whose piece is in somebody's hand."""
    targets: tuple[Cell, ...] = ()
    """Cells where the lifted piece may lawfully go."""
    guides: tuple[Guide, ...] = ()
    """What to put where, in setting up and after an illegal move."""
    fault: Fault | None = None
    announcements: tuple[Announcement, ...] = ()
    outcome: Outcome | None = None
    draw_offered_by: Side | None = None
    may_claim: bool = False
    """True if the side to move may claim a draw as it stands."""
    claiming: tuple[str, ...] = ()
    """Else the moves with which it may claim one."""
    allows_take_back: bool = True
    record: tuple[MoveView, ...] = ()
    is_start_amended: bool = False
    """True if an arbiter let another position stand before its first line, in which the same side is to move."""
    clocks: tuple[ClockView, ...] = ()
    """One for each side; none if time is not kept."""
    clock_start: ClockStart | None = None
    """What is to start the first clock; None once it was started, or is to run as soon as play begins."""
    pressers: tuple[Side, ...] = ()
    """Whose presses of the clock say something: so it is switched, or a move may leave no trace."""
    regions: tuple[Region, ...] = ()
    """What is set off on the board, and whose it is."""
    hands: tuple[tuple[Piece, ...], ...] = ()
    """What each side may still bring in; () in a game without hands."""
    scores: tuple[int, ...] = ()
    """The points of each side; () where none are counted."""
    is_adjourned: bool = False
    """True if play has ended for now, and the pieces may be put away."""
    is_held: bool = False
    """True if an arbiter holds play: only an arbiter lets it go on."""
    blind: tuple[Cell, ...] = ()
    """Cells that the switches can never tell of, because these are broken."""
    gestures: Gestures = Gestures.OFF
    """By which the players may end the game."""
    middle: Middle | None = None
    """Where leading pieces do so, if these are the gestures."""
    leader: Piece | None = None
    """Such a piece."""
    turned: int = 0
    """Degrees clockwise by which the pieces stand turned on the sensor's cells; cells in a view are the game's."""
    is_turn_unclear: bool = False
    """True if all is set up, but turned in a way that could be one or another."""
    question: Question | None = None
    """What the board cannot tell and somebody should."""
    pointed: int | None = None
    """The choice of it that two quick presses take; None until somebody has pressed."""
    is_suspended: bool = False
    """True while play waits for the answer: the question is not about a move."""
    is_begun: bool = False
    """True once the game has begun, whatever has to be set up again since."""

    @property
    def errands(self) -> tuple[Guide, ...]:
        """The guides, one for each piece."""
        return tuple(guide for guide in self.guides if not guide.is_part)

    def before_announcing(self, stages: Mapping[int, Stage]) -> TableView:
        """The same as long as the moves of these plies are no further than in these *stages*."""
        if not stages:
            return self
        first = min(stages)
        recent = [move._replace(stage=stages.get(move.ply, move.stage)) for move in self.record[first:]]
        is_told = not recent or stages.get(recent[-1].ply) is not Stage.PROVISIONAL
        record = (*self.record[:first], *recent)
        return replace(self, record=record, announcements=self.announcements if is_told else ())

    def is_news_after(self, before: TableView) -> bool:
        """True if it shows anything that *before* does not show by now: that a running clock goes on is no news."""
        clocks = tuple(
            replace(clock.at(now.at_ms), at_ms=now.at_ms)
            for clock, now in zip(before.clocks, self.clocks, strict=True)
        )
        return clocks != self.clocks or self != (replace(before, clocks=clocks) if clocks else before)

# SPDX-License-Identifier: Apache-2.0
"""Helpers for referee tests: tables, traces of actions, and events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TypeVar

from companion import games
from companion.model.game import HasBox
from companion.model.grid import COMPASS
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.session.session import Session
from companion.referee.values.commands import Release
from companion.referee.values.controls import read_control
from companion.referee.values.events import (
    BoardTurned,
    ClockAdjusted,
    ClockPressed,
    ClockReturned,
    ClockStarted,
    DrawDeclined,
    DrawOffered,
    Event,
    GameAdjourned,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    IllegalSeen,
    MoveDecided,
    MoveMade,
    MoveRetracted,
    PlayHeld,
    PlyUndecided,
    PositionAdopted,
    QuestionAsked,
    QuestionClosed,
    RecordCorrected,
)
from tests.fakes import FakeTable

AnyEvent = TypeVar("AnyEvent", bound=Event)

UNIDENTIFIED = Piece("unknown")
"""A piece that an occupancy sensor cannot identify."""


def table(
    slug: str,
    position: str = "",
    kind: SensorKind = SensorKind.OCCUPANCY,
    hidden: str = "",
    clock: str = "none",
    *,
    is_started: bool = True,
    **options: str,
) -> FakeTable:
    """A table of *slug* in *position* or its start position.

    The cells *hidden* are not seen. With *is_started* a clock that moves switch runs as soon as the
    board is set up, as if an arbiter had started it.
    """
    rules = games.find(slug).rules(options)
    start = rules.read_position(position) if position else None
    control = read_control(clock, len(rules.sides))
    fake = FakeTable(rules, kind, session=Session(rules, kind, start=start, control=control))
    if is_started and control is not None and control.by_moves:
        fake.ask(Release(starts_clock=True))
    fake.set_up()
    if hidden:
        fake.hide(hidden)
    fake.take_events()
    return fake


def perform(
    fake: FakeTable,
    trace: str,
    answer: Callable[[], None] | None = None,
    lifted: dict[str, Piece] | None = None,
) -> None:
    """Execute the actions of *trace*; *answer* is called where players answer.

    Pieces *lifted* by earlier actions are known by their cells.

    `a1-` lifts, `a1+` puts an unidentified piece, `a1+0` one of side 0, `a1+b2` the piece lifted
    last from b2 or standing there; `a1+b2=W` turns it to the west, `a1+b2=rook` into a rook, and
    `a1+b2=wreck` changes its pose; `a1+0=light-tank=W` does several. Of an action in parentheses,
    as in `(a1-)`, the sensor reports nothing. `gap` is a report of all cells after a loss of
    changes, `hide:a1,b2` hides these cells only. `!0` turns the lever of side 0's clock, `*0`
    presses its button. `?` answers the open questions, and a number waits that many ms.
    """
    lifted = {} if lifted is None else lifted
    for word in trace.split():
        if word.isdecimal():
            fake.wait(int(word))
        elif word == "gap":
            fake.report_gap()
        elif word == "?":
            assert answer is not None, "there is nobody to answer"
            answer()
        elif word.startswith("hide:"):
            fake.hide(word.removeprefix("hide:").replace(",", " "))
        elif word.startswith("!"):
            fake.turn_lever(int(word[1:]))
        elif word.startswith("*"):
            fake.press(int(word[1:]))
        else:
            _handle(fake, word, lifted)


def _handle(fake: FakeTable, word: str, lifted: dict[str, Piece]) -> None:
    """Lift or put a piece as *word* says.

    The pieces *lifted* before are kept by the cells on which they stood.
    """
    is_reported = not word.startswith("(")
    word = word.strip("()")
    if word.endswith("-"):
        lift = fake.lift if is_reported else fake.lift_unheard
        lifted[word[:-1]] = lift(word[:-1])
        return
    name, _, what = word.partition("+")
    origin, _, becomes = what.partition("=")
    piece = lifted.get(origin)
    if piece is None and origin and not origin.isdecimal():
        piece = fake.on[fake.rules.grid.cell(origin)]
    if piece is None:
        piece = replace(UNIDENTIFIED, side=int(origin) if origin else None)
    put = fake.put if is_reported else fake.put_unheard
    put(name, _changed(fake, piece, becomes) if becomes else piece)


def _changed(fake: FakeTable, piece: Piece, becomes: str) -> Piece:
    """*piece* with the facing, kind or pose *becomes*; several are separated by `=`."""
    kinds = {entry.kind for entry, _ in fake.rules.placement(fake.rules.initial()).entries}
    if isinstance(fake.rules, HasBox):
        kinds |= {face.kind for figure in fake.rules.box() for face in figure.faces}
    for change in becomes.split("="):
        if change in COMPASS:
            piece = replace(piece, facing=COMPASS.index(change))
        else:
            piece = replace(piece, kind=change) if change in kinds else replace(piece, pose=change)
    return piece


def seconds_left(fake: FakeTable) -> list[float]:
    """The current clocks."""
    fake.observe()
    return [clock.left_ms / 1000 for clock in fake.session.view().clocks]


def running(fake: FakeTable) -> list[int]:
    """Sides whose clock runs."""
    return [side for side, clock in enumerate(fake.session.view().clocks) if clock.is_running]


def only(kind: type[AnyEvent], events: Iterable[Event]) -> list[AnyEvent]:
    """The events of *kind*."""
    return [event for event in events if isinstance(event, kind)]


def brief(events: Iterable[Event]) -> list[str]:
    """One phrase for each of *events*, without the time."""
    return [_phrase(event) for event in events]


def _phrase(event: Event) -> str:
    match event:
        case MoveMade():
            return f"{event.stage} {event.move}"
        case MoveRetracted():
            return f"retracted {event.move}"
        case MoveDecided():
            return f"decided {event.move}"
        case IllegalSeen():
            return f"{event.level} {event.violation.rule}"
        case GameEnded():
            return f"ended {event.outcome.termination}"
        case PositionAdopted():
            return f"adopted {event.position}"
        case DrawDeclined():
            return f"draw declined by {event.side}"
        case DrawOffered():
            return f"draw offered by {event.side}"
        case PlyUndecided():
            return f"undecided {event.move}"
        case QuestionAsked():
            return f"asked {event.question.aspect}"
        case ClockPressed():
            return f"pressed by {event.side}"
        case ClockStarted():
            return "clock started with play" if event.side is None else f"clock of {event.side} started"
        case ClockReturned():
            return f"given back by {event.side}"
        case BoardTurned():
            return f"turned by {event.degrees}"
        case ClockAdjusted():
            return f"clock {event.side} {event.by_ms:+}"
        case RecordCorrected():
            return f"corrected from {event.ply}: {' '.join(event.moves)}"
        case (
            GameBegan()
            | GameAdjourned()
            | GamePaused()
            | GameResumed()
            | IllegalMended()
            | PlayHeld()
            | QuestionClosed()
        ):
            return {
                GameBegan: "began",
                GamePaused: "paused",
                PlayHeld: "held",
                GameAdjourned: "adjourned",
                GameResumed: "resumed",
                IllegalMended: "mended",
                QuestionClosed: "closed",
            }[type(event)]

# SPDX-License-Identifier: Apache-2.0
"""Tables, hands and events in a few words, so that a test reads as what happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple, TypeVar

from companion import games
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.commands import Answer, Release
from companion.referee.controls import read_control
from companion.referee.events import (
    BoardTurned,
    ClockAdjusted,
    ClockPressed,
    ClockReturned,
    ClockStarted,
    DrawOffered,
    Event,
    GameAdjourned,
    GameBegan,
    GameEnded,
    GamePaused,
    GameResumed,
    IllegalMended,
    IllegalSeen,
    MoveMade,
    MoveRetracted,
    PlayHeld,
    PositionAdopted,
    QuestionAsked,
    QuestionClosed,
    RecordCorrected,
)
from companion.referee.session import Session
from tests.fakes import FakeTable

AnyEvent = TypeVar("AnyEvent", bound=Event)

WOOD = Piece("wood")
"""What an occupancy sensor cannot tell from anything else."""


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
    """A table of the game *slug* with *position*, or its start, set up, at which the cells called *hidden* are not seen.

    With *is_started* a clock that moves switch runs as soon as it is set up, as an arbiter had it.
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


def perform(fake: FakeTable, trace: str) -> None:
    """Let hands do *trace*.

    `a1-` lifts, `a1+` puts wood, `a1+0` wood of side 0, `a1+b2` the piece that was lifted last from b2;
    `!0` presses side 0's clock, and a number waits so many ms.
    """
    lifted = dict[str, Piece]()
    for word in trace.split():
        name, _, what = word.partition("+")
        if word.isdecimal():
            fake.wait(int(word))
        elif word.startswith("!"):
            fake.turn_lever(int(word[1:]))
        elif word.endswith("-"):
            lifted[word[:-1]] = fake.lift(word[:-1])
        else:
            fake.put(name, lifted.get(what) or replace(WOOD, side=int(what) if what else None))


def told(fake: FakeTable, truth: str) -> list[str]:
    """The moves on record once everything that is asked is answered with what *truth* says of it."""
    moves = truth.split()
    while (question := fake.session.view().question) is not None:
        wanted = [n for n, choice in enumerate(question.choices) if moves[question.ply] in choice.moves]
        assert wanted, f"{moves[question.ply]} is none of {question.choices}"
        fake.ask(Answer(question.ply, wanted[0]))
        fake.wait(100)
    assert not only(IllegalSeen, fake.history)
    return fake.record


def seconds_left(fake: FakeTable) -> list[float]:
    """What the clocks show now."""
    fake.observe()
    return [clock.left_ms / 1000 for clock in fake.session.view().clocks]


def running(fake: FakeTable) -> list[int]:
    """Sides whose clock runs."""
    return [side for side, clock in enumerate(fake.session.view().clocks) if clock.is_running]


class Case(NamedTuple):
    """What hands did from a position, what could not be seen, and what it was."""

    game: str
    position: str
    trace: str
    truth: str
    hidden: str = ""
    kind: SensorKind = SensorKind.OCCUPANCY


def understood(case: Case) -> list[str]:
    """The moves on record after *case*, once what is asked is answered."""
    fake = table(case.game, case.position, case.kind, case.hidden)
    perform(fake, case.trace)
    return told(fake, case.truth)


def only(kind: type[AnyEvent], events: Iterable[Event]) -> list[AnyEvent]:
    """Those of *events* that are of *kind*."""
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
        case IllegalSeen():
            return f"{event.level} {event.violation.rule}"
        case GameEnded():
            return f"ended {event.outcome.termination}"
        case PositionAdopted():
            return f"adopted {event.position}"
        case DrawOffered():
            return f"draw offered by {event.side}"
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

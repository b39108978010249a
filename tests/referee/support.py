# SPDX-License-Identifier: Apache-2.0
"""Events in a few words, so that a test reads as what happened."""

from __future__ import annotations

from collections.abc import Iterable

from companion.referee.events import (
    BoardTurned,
    ClockAdjusted,
    ClockPressed,
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

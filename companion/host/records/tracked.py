# SPDX-License-Identifier: Apache-2.0
"""Replays a journal with today's program.

Pure, except for what reads the file. The program may decide otherwise than the one that wrote the
journal: its inputs are the same, and an answer is the same choice.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from companion.host.journal.journal import CommandEntry, Continued, Input, Journal, following
from companion.host.records.replay import after, opened
from companion.model.game import AnyRules
from companion.referee.inference.costs import Costs
from companion.referee.session.session import Session
from companion.referee.state.replay_events import Replay
from companion.referee.values.commands import Answer
from companion.referee.values.events import Event, QuestionAsked
from companion.referee.values.questions import Question


def tracked(journal: Journal, costs: Costs | None = None) -> Iterator[tuple[Session, tuple[Event, ...]]]:
    """The session after each input of *journal*, and its new events.

    Stories cost what the header says, or *costs*.
    Raises `CompanionError` if the game is unknown or a line is invalid.
    """
    session, past, answers = opened(journal, costs), list[Event](), _Answers()
    with following(journal) as entries:
        for entry in entries:
            if isinstance(entry, Event):
                answers.follow(entry)
                continue
            led = answers.again(entry, session)
            if led is not None:
                session, events = after(session, led, past, journal)
                past += events
                yield session, tuple(events)


def kept_moves(journal: Journal, rules: AnyRules) -> dict[int, str]:
    """The moves of the last game in the events of *journal*, by ply."""
    state = Replay(rules, journal.header.control)
    with following(journal) as entries:
        for entry in entries:
            if isinstance(entry, Event):
                state.take(entry)
    return {entry.ply: entry.move for entry in state.entries if entry.move}


class _Answers:
    """Finds for each recorded answer the same choice of the question that is asked now."""

    def __init__(self) -> None:
        self._asked: Question | None = None

    def follow(self, event: Event) -> None:
        """Note the question of a recorded *event*."""
        if isinstance(event, QuestionAsked):
            self._asked = event.question

    def again(self, entry: Input | Continued, session: Session) -> Input | Continued | None:
        """*entry* with the number of the same choice.

        None if *session* does not offer it.
        """
        if not isinstance(entry, CommandEntry) or not isinstance(entry.command, Answer):
            return entry
        asked, recorded, number = session.view().question, self._asked, entry.command.choice
        if asked is None or recorded is None or not 0 <= number < len(recorded.choices):
            return None
        choice = recorded.choices[number]
        if asked.ply != recorded.ply or choice not in asked.choices:
            return None
        return replace(entry, command=Answer(asked.ply, asked.choices.index(choice)))

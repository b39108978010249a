# SPDX-License-Identifier: Apache-2.0
"""What a session makes of a trace, compared with what is right."""

from __future__ import annotations

from collections import Counter
from functools import partial
from itertools import groupby
from typing import NamedTuple

from companion.model.observation import SensorKind
from companion.referee.values.commands import Answer
from companion.referee.values.events import Event, IllegalMended, IllegalSeen, QuestionAsked
from companion.referee.values.view import IllegalPosition
from tests.fakes import FakeTable
from tests.referee.support import brief, only, perform, table
from tests.referee.trace_files import NO_MOVE, Trace


class NotOfferedError(Exception):
    """A question does not offer the truth."""


class Result(NamedTuple):
    """What a trace leads to; the fields are those of `Trace`."""

    record: list[str]
    illegal: tuple[str, ...]
    questions: tuple[str, ...]
    offered: frozenset[str] | None
    spent: str
    events: tuple[str, ...]

    def differences(self, right: Result, *, may_ask_less: bool = False) -> list[str]:
        """The fields that differ from *right*; with *may_ask_less*, fewer questions do not."""
        is_spared = may_ask_less and not Counter(self.questions) - Counter(right.questions)
        found = self._replace(questions=right.questions) if is_spared else self
        return [
            f"{name}: {each}, right is {wanted}"
            for name, each, wanted in zip(self._fields, found, right, strict=True)
            if each != wanted
        ]


def right(trace: Trace) -> Result:
    """What *trace* should lead to."""
    return Result(
        trace.record.split(),
        trace.illegal,
        trace.questions,
        trace.offered,
        trace.spent or "",
        trace.events or (),
    )


def performed(trace: Trace, kind: SensorKind) -> Result:
    """What *trace* leads to with a sensor of *kind*."""
    fake = table(
        trace.game, trace.position, kind, trace.hidden, trace.clock, is_started=True, **trace.options
    )
    began_ms, truth = fake.now_ms, trace.record.split()
    perform(fake, trace.trace, partial(answer, fake, truth))
    events = fake.take_events()
    question, record, offered = fake.session.view().question, fake.record, None
    if question is not None:
        offered = frozenset(fake.offered())
        is_recorded = question.ply < min(len(truth), len(record))
        if is_recorded and {truth[question.ply], record[question.ply]} <= offered:
            record[question.ply] = truth[question.ply]  # until the answer, any of them is right
    return Result(
        record,
        rules_broken(events, fake.session.view().fault),
        asked_about(events, truth),
        offered,
        "" if trace.spent is None else thinking_times(fake),
        () if trace.events is None else phrases(events, trace.events, began_ms),
    )


def answer(fake: FakeTable, truth: list[str]) -> None:
    """Answer the open questions as players do who made the moves *truth*.

    Raises `NotOfferedError` if they cannot.
    """
    while (question := fake.session.view().question) is not None:
        move = truth[question.ply] if question.ply < len(truth) else NO_MOVE
        offered = [choice.moves or (NO_MOVE,) for choice in question.choices]
        fitting = [number for number, moves in enumerate(offered) if move in moves]
        if not fitting:
            raise NotOfferedError(f"{move!r}, ply {question.ply}, is not offered: {offered}")
        fake.ask(Answer(question.ply, fitting[0]))
        fake.wait(100)


def asked_about(events: list[Event], truth: list[str]) -> tuple[str, ...]:
    """The moves that questions were about, in the order of their plies."""
    plies = sorted({event.question.ply for event in only(QuestionAsked, events)})
    return tuple(truth[ply] if ply < len(truth) else NO_MOVE for ply in plies)


def rules_broken(events: list[Event], fault: IllegalPosition | None) -> tuple[str, ...]:
    """The rules by which moves were illegal, once for hint and report, and the returns.

    The *fault* that the view shows at the end has been reported.
    """
    said = [
        event.violation.rule if isinstance(event, IllegalSeen) else "mended"
        for event in events
        if isinstance(event, IllegalSeen | IllegalMended)
    ]
    found = tuple(rule for rule, _ in groupby(said))
    if fault is not None and found[-1:] != (fault.violation.rule,):
        return (*found, f"unreported {fault.violation.rule}")
    return found


def thinking_times(fake: FakeTable) -> str:
    """The thinking time of each ply on record in ms."""
    return " ".join(str(line.spent_ms) for line in fake.session.view().record)


def phrases(events: list[Event], wanted: tuple[str, ...], began_ms: int) -> tuple[str, ...]:
    """*events* in brief, with their times where those in *wanted* have one."""
    timed = [phrase.partition(" ")[0].isdecimal() for phrase in wanted]
    timed += [False] * len(events)
    return tuple(
        f"{event.at_ms - began_ms} {phrase}" if is_timed else phrase
        for event, phrase, is_timed in zip(events, brief(events), timed, strict=False)
    )

# SPDX-License-Identifier: Apache-2.0
"""One simulated game or kept journal with one inference: failures and times."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NamedTuple

from companion.games import find
from companion.host.journal import journal as journals
from companion.host.journal.journal import CommandEntry, Continued
from companion.host.records.replay import after, opened
from companion.model.observation import Observation, SensorKind
from companion.referee.commands import Answer
from companion.referee.events import Event, QuestionAsked
from companion.referee.questions import Choice
from companion.referee.session import Session
from companion.virtual.hands import PROFILES
from tests.bench import variants
from tests.bench.core import INFERENCES, use_measured
from tests.bench.examiner import Examiner
from tests.bench.players.__main__ import play_one
from tests.bench.score import Score

CLASSES: Final = ("wrong", "missed", "stuck", "false alarm", "silent", "needless", "error")
"""The classes of failures; `error`: an exception, a call without end, a wrong clock."""
_OF_JUDGE: Final = {
    "misread": "wrong",
    "stuck": "stuck",
    "false alarm": "false alarm",
    "silent": "silent",
    "needless question": "needless",
    "error": "error",
    "frozen": "error",
}
"""The findings of the independent judge; a record that recovers is no failure."""
RAISED: Final = (
    ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError
)  # fmt: skip
"""Errors of a program, which end the game."""
STEPS: Final = 8
"""Times are counted in so many steps for each doubling."""
_PATIENCE_MS: Final = 10_000
"""A missed ply that is not on record after this time is stuck."""


class Unit(NamedTuple):
    """One game, the same for every inference."""

    game: str
    sensor: str
    hands: str
    """A profile of `companion.virtual.hands`, or `players`."""
    seed: int
    number: int
    plies: int

    @property
    def name(self) -> str:
        """Its identifier."""
        return " ".join(map(str, self))


@dataclass
class Outcome:
    """What one inference made of a game."""

    plies: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    times: Counter[int] = field(default_factory=Counter)
    """Number of calls by the logarithm of their time."""
    longest_ms: float = 0.0
    about: str = ""
    """The first failure, in words."""

    def as_json(self) -> dict[str, Any]:
        """The outcome as data."""
        return {**vars(self), "times": [*self.times.items()]}

    @classmethod
    def of_json(cls, data: Mapping[str, Any]) -> Outcome:
        """The outcome of *data*."""
        return cls(**{**data, "failures": Counter(data["failures"]), "times": Counter(dict(data["times"]))})


def quantile_ms(times: Mapping[int, int], share: float) -> float:
    """The time below which *share* of the calls are, within a step; 0 without calls."""
    left = share * sum(times.values())
    for step in sorted(times):
        left -= times[step]
        if left <= 0:
            return float(2 ** (step / STEPS))
    return 0.0


def play(inference: str, unit: Unit) -> Outcome:
    """Play *unit* with *inference*: in a process that does nothing else."""
    took_ms: list[float] = []
    use_measured(inference, took_ms)
    outcome = _played(unit) if unit.hands == "players" else _examined(unit)
    outcome.times = Counter(round(STEPS * math.log2(max(each, 0.001))) for each in took_ms)
    outcome.longest_ms = max(took_ms, default=0.0)
    return outcome


def _played(unit: Unit) -> Outcome:
    """The independent players, with their own judge."""
    found, judge, _, _ = play_one(unit.game, unit.sensor, f"{unit.seed}/{unit.number}", unit.plies, 0)
    failures = Counter(_OF_JUDGE[each.kind] for each in judge.findings if each.kind in _OF_JUDGE)
    about = next((each.about for each in judge.findings if each.kind in _OF_JUDGE), "")
    return Outcome(found.made, failures, about=about)


def _examined(unit: Unit) -> Outcome:
    """The examiner's hands; every third game has drawn options."""
    own_seed = unit.seed * 1_000_003 + unit.number
    game, kind, score = find(unit.game), SensorKind(unit.sensor), Score()
    seed = f"{kind} {unit.hands} {own_seed}"
    rules = variants.rules_of(game, seed) if variants.is_varied(unit.number) else game.rules()
    examiner = Examiner(rules, kind, unit.hands, score, own_seed)
    try:
        examiner.play(unit.plies)
    except RAISED as error:  # the session must never raise: a failure to be counted
        return Outcome(score.plies, Counter(error=1), about=f"{type(error).__name__}: {error}")
    failures = Counter(
        {
            "wrong": score.wrong,
            "missed": score.missed,
            "false alarm": score.false_alarms,
            "silent": score.illegal_silent,
            "needless": score.asked_needlessly,
            "error": score.clock_wrong,
        }
    )
    if score.missed and _is_stuck(examiner):
        failures["stuck"], failures["missed"] = 1, 0
    about = score.failures[0].what if score.failures else ""
    return Outcome(score.plies, +failures, about=about)


def _is_stuck(examiner: Examiner) -> bool:
    """True if the record does not get to the truth however long the board rests."""
    examiner.table.wait(_PATIENCE_MS)
    question = examiner.table.session.view().question
    return question is None and examiner.table.record != examiner.truth


def hands(number: int) -> str:
    """The hands number *number*: every other time the players, else a profile."""
    profiles = [*PROFILES]
    return "players" if number % 2 else profiles[number // 2 % len(profiles)]


# kept journals


class JournalRecord(NamedTuple):
    """The record of a journal with one inference."""

    moves: tuple[str, ...]
    """The moves of the record at the end, or the error."""
    has_question: bool


def replayed(inference: str, path: Path) -> JournalRecord:
    """The record after the inputs of the journal *path* with *inference*.

    The session is woken when it wants to be. An answer is given to a question that offers what was
    chosen, and left out otherwise. Raises `CompanionError` if the journal cannot be read.
    """
    journal = journals.read(path)
    session, events, asked = opened(journal, INFERENCES[inference]), list[Event](), list[QuestionAsked]()
    now_ms = 0
    for entry in journal.entries:
        if isinstance(entry, QuestionAsked):
            asked.append(entry)
        if not isinstance(entry, Observation | CommandEntry | Continued):
            continue
        if not isinstance(entry, Continued):
            now_ms = max(now_ms, entry.at_ms)
            events += _woken(session, now_ms)
        if isinstance(entry, CommandEntry) and isinstance(entry.command, Answer):
            command = _same_answer(session, entry.command, asked)
            if command is None:
                continue
            entry = CommandEntry(entry.at_ms, command)
        session, found = after(session, entry, events, journal)
        events += found
    _woken(session, now_ms + _PATIENCE_MS)
    view = session.view()
    return JournalRecord(tuple(line.move for line in view.record), view.question is not None)


def _woken(session: Session, until_ms: int) -> list[Event]:
    """The events due to time until *until_ms*."""
    events: list[Event] = []
    while (due_ms := session.next_deadline_ms()) is not None and due_ms <= until_ms:
        events += session.tick(due_ms)
    return events


def _same_answer(session: Session, given: Answer, asked: list[QuestionAsked]) -> Answer | None:
    """The answer to the open question that means what *given* meant; None without one."""
    question = session.view().question
    meant = next((each.question for each in reversed(asked) if each.question.ply == given.ply), None)
    if question is None or meant is None or question.ply != given.ply:
        return None
    wanted = meant.choices[given.choice]
    for number, choice in enumerate(question.choices):
        if _means_same(choice, wanted):
            return Answer(given.ply, number)
    return None


def _means_same(one: Choice, other: Choice) -> bool:
    """True if two choices share a move, or are equal and have none."""
    return bool({*one.moves} & {*other.moves}) or (not one.moves and one == other)

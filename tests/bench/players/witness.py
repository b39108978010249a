# SPDX-License-Identifier: Apache-2.0
"""Runs the referee's session with the reports of a table.

It delivers reports, wakes the session, and records its events, its time, and the truth.
"""

from __future__ import annotations

import signal
import time
from dataclasses import dataclass, field
from random import Random
from typing import Any

from companion import games
from companion.model.observation import (
    EMPTY,
    Change,
    Input,
    LeverTurned,
    Observation,
    Press,
    SensorKind,
    Sighting,
    Sightings,
)
from companion.referee.session.session import Session
from companion.referee.values.commands import Command
from companion.referee.values.controls import read_control
from companion.referee.values.events import Event, IllegalMended, IllegalSeen, QuestionAsked, QuestionClosed
from companion.referee.values.questions import Question
from tests.bench.players import twins
from tests.bench.players.looks import Sight
from tests.bench.players.play import Setting

SETTLED_MS = 100
"""Time within which a board reports the last edge of a ply that stands."""
QUIET_MS = 3000
COMPLETE_MS = 5000
"""Rest after which a complete ply must be decided."""
FROZEN_S = 8.0
"""Limit of processor time for one call, in s; beyond it the game ends."""
ENOUGH_S = 40.0
"""The same for all calls of a game together."""


class Frozen(Exception):
    """A call of the session took far too long."""


def _give_up(*_: object) -> None:
    raise Frozen


@dataclass
class Finding:
    """A finding of the judge."""

    kind: str
    at_ms: int
    ply: int
    about: str
    gestures: list[str]


@dataclass
class Ply:
    """A true move."""

    position: Any
    """The position before it."""
    move: Any
    text: str
    after: Any
    side: int
    begun_ms: int
    stood_ms: int | None = None
    is_pressed: bool = False
    is_sent: bool = False
    """True if the press reached the session: a lever may already lie there."""
    is_found: bool = False
    """True if it was found to be undecided."""
    gestures: list[str] = field(default_factory=list)


class Witness:
    """The session, its inputs and events, and the truth; a judge draws conclusions."""

    def __init__(self, setting: Setting, sightings: Sightings) -> None:
        self.setting = setting
        self.rules = games.find(setting.game).rules(setting.options)
        self.kind = SensorKind(setting.sensor)
        self.control = read_control(setting.control, len(self.rules.sides))
        self.session = Session(self.rules, self.kind, control=self.control)
        self.findings: list[Finding] = []
        self.counts: dict[str, int] = {}
        self.worst_ms = self.spent_ms = 0.0
        self.now = 1000
        self.truth: list[Ply] = []
        self.failure: Finding | None = None
        self.history: list[Event] = []
        self._rng = Random(setting.seed + "/answers")
        self._seen: dict[int, Sighting] = {
            cell: Sighting(True) for cell in range(len(self.rules.grid)) if sightings.occupied >> cell & 1
        } | dict(sightings.seen)
        self._first_seen = dict(self._seen)
        self._inputs: list[Input] = []
        """All inputs, as reported."""
        self._marks = [(0, 1000, 0)]
        """Moments at which all plies were complete: number of inputs, time, plies."""
        self._rest_ms = 1000
        self._busy = 0
        self._pressed_ms = -10_000
        self._lever = -1
        self._undue = False
        """True if the last press was not for a move, so the table may object."""
        self._late_ply = 0
        """The number of plies at the last press for a ply before the last one."""
        self._waiting: list[Input] = []
        self._checked_ms = -1
        self._completed_ms = -1
        """The rest for which it was checked that the last ply is decided."""
        self._between: list[str] = []
        """The gestures since the last ply began."""
        self._suspect: Finding | None = None
        self._agreed = 0
        self._question: Question | None = None
        self._answer_ms: int | None = None
        self._attempt_ms: int | None = None
        self._alarms: list[int] = []
        self._hasty: tuple[Finding, int] | None = None
        self._is_alarmed = False
        self.call(lambda: self.session.observe(self.observation(())))

    def _press(self, at_ms: int, side: int, number: int | None = None) -> None:
        """*side* presses its clock; a lever that already lies there does not move.

        The press may be for a ply *number* before the last one.
        """
        ply = self.truth[-1] if self.truth else None
        if number is not None and number < len(self.truth):
            ply = self.truth[number]
        is_due = ply is not None and ply.side == side and not ply.is_pressed
        if ply is not None and is_due:
            ply.is_pressed = True
        if self.setting.device == "rocker" and self._lever == side:
            return
        if is_due and ply is not self.truth[-1]:
            self._late_ply = len(self.truth)
        # one that late is a press without a move: the table may object, also to the press that follows
        self._undue = not is_due or len(self.truth) <= self._late_ply
        if ply is not None and is_due:
            ply.is_sent = True
        self._lever = side
        is_lever = self.setting.device == "rocker"
        self._report(LeverTurned(at_ms, side) if is_lever else Press(at_ms, side))
        self._pressed_ms = at_ms
        self._deliver()

    def _report(self, what: Input) -> None:
        self._inputs.append(what)
        self._waiting.append(what)

    def pass_time(self, until: int) -> None:
        """Let time pass: wake the session, answer questions and check quiet moments."""
        while True:
            dues = [each for each in self._dues() if each[0] <= until]
            if not dues:
                break
            at, what = min(dues)
            self.now = max(self.now, at)
            if what == "deliver":
                self._deliver()
            elif what == "tick":
                self.call(lambda: self.session.tick(self.now))
            elif what == "answer":
                self._answer()
            elif what == "quiet":
                self._checked_ms = self._rest_ms
                self._quiet()
            else:
                self._completed_ms = max(self._rest_ms, self._pressed_ms)
                self._is_undecided()
        self.now = until

    def _dues(self) -> list[tuple[int, str]]:
        dues: list[tuple[int, str]] = []
        if self._waiting:
            dues.append((self._waiting[0].t_ms + self.setting.delivery_ms, "deliver"))
        deadline = self.session.next_deadline_ms()
        if deadline is not None:
            dues.append((deadline, "tick"))
        if self._answer_ms is not None:
            dues.append((self._answer_ms, "answer"))
        if self._checked_ms != self._rest_ms:
            dues.append((self._rest_ms + QUIET_MS, "quiet"))
        since = max(self._rest_ms, self._pressed_ms)
        if self._completed_ms != since:
            dues.append((since + COMPLETE_MS, "undecided"))
        return dues

    def _deliver(self) -> None:
        inputs, self._waiting = tuple(self._waiting), []
        for each in inputs:
            if isinstance(each, Change):
                self._rest_ms = each.t_ms
                if each.sighting == EMPTY:
                    self._seen.pop(each.cell, None)
                else:
                    self._seen[each.cell] = each.sighting
        if inputs:
            self.call(lambda: self.session.observe(self.observation(inputs)))

    def observation(self, inputs: tuple[Input, ...]) -> Observation:
        occupied = sum(1 << cell for cell in self._seen)
        looks = () if self.kind is SensorKind.OCCUPANCY else tuple(sorted(self._seen.items()))
        return Observation(self.now, inputs, Sightings(occupied, 0, looks), self._rest_ms)

    def _command(self, command: Command) -> None:
        self.call(lambda: self.session.command(command, self.now))

    def call(self, what: Any) -> None:
        """Call the session, measure its time, and process its events."""
        began = time.process_time()
        signal.signal(signal.SIGVTALRM, _give_up)
        signal.setitimer(signal.ITIMER_VIRTUAL, FROZEN_S)
        try:
            events = what()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        took = (time.process_time() - began) * 1000
        self.worst_ms = max(self.worst_ms, took)
        self.spent_ms += took
        if self.spent_ms > ENOUGH_S * 1000:
            raise Frozen
        if took > 50:
            self._count("calls over 50 ms")
        for event in events:
            self.history.append(event)
            if isinstance(event, IllegalSeen):
                self._alarmed(event)
            elif isinstance(event, IllegalMended):
                self._is_alarmed = False
            elif isinstance(event, QuestionAsked):
                self._asked(event.question)
            elif isinstance(event, QuestionClosed):
                self._question = None
                self._answer_ms = None

    def _count(self, what: str) -> None:
        self.counts[what] = self.counts.get(what, 0) + 1

    def _find(self, kind: str, about: str) -> Finding:
        found = Finding(kind, self.now, len(self.truth), about, self.gestures(1))
        self.findings.append(found)
        self._count(kind)
        return found

    def gestures(self, plies: int) -> list[str]:
        """The gestures of the last *plies*, and those since."""
        names = [name for ply in self.truth[-plies:] for name in ply.gestures] + self._between
        return list(dict.fromkeys(names))

    def _twin(self) -> str:
        """Both lines, if plain hands that play the record leave the truth's edges."""
        plies, record = self.truth[self._agreed :], [line.move for line in self.session.view().record]
        last = self.truth[self._agreed - 1] if self._agreed else None
        before = last.after if last is not None else self.rules.initial()
        looks = Sight(self.rules, before, self.kind).looks
        end = self.truth[-1].after if self.truth else before
        if Sight(self.rules, end, self.kind).differing(self._seen):  # the board does not show the truth
            return ""
        for at, at_ms, number in self._marks:
            if number != self._agreed:
                continue
            first = twins.start(looks, self._first_seen, self._inputs, at, at_ms + SETTLED_MS)
            if first is not None:
                case = twins.Case(
                    self.rules,
                    self.kind,
                    before,
                    self._inputs[first:],
                    [ply.text for ply in plies],
                    [ply.is_sent for ply in plies] if self.setting.clock == "press" else None,
                    last.side if last is not None else None,
                )
                if both := case.twin(record[self._agreed :]):
                    return both
        return ""

    # what a judge does about it

    def _alarmed(self, event: IllegalSeen) -> None:
        raise NotImplementedError

    def _asked(self, question: Question) -> None:
        raise NotImplementedError

    def _answer(self) -> None:
        raise NotImplementedError

    def _quiet(self) -> None:
        raise NotImplementedError

    def _is_undecided(self) -> None:
        raise NotImplementedError

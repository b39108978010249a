# SPDX-License-Identifier: Apache-2.0
"""A judge of the referee, with rules of its own.

It passes the board's reports to the session, answers like the players, and compares the record
with the truth. Of the referee it knows only commands, events and the view.

- At a quiet moment (nothing planned, no change for 3 s) the record must be the truth. If it is
  not, and does not become so within four more plies or by the end, it is `stuck` if it lacks
  moves, and `misread` if it has others, or `undecidable` if plain hands that play the record would
  leave the same edges at the same times (`twins`). If it recovers, the moment counts as `unsteady`.
- An alarm is `false` if the board may occur during a legal move or the moves being made, or if it
  has not rested for 0.5 s. An illegal position that rests for more than 0.7 s without an alarm is
  `silent`.
- A ply is `undecided` if it stands complete at rest for 5 s, after the press where there is a
  button, and is not announced, asked about or reported as illegal.
- Plies that are taken back by hand must leave the record. Where the game forbids it, the board is
  illegal. Once the clock was pressed for them, the table may allow or forbid it.
- A question is `needless` if everything is at rest and exactly one legal move fits the board, but
  not the position before.
"""

from __future__ import annotations

import traceback
from typing import Any

from companion.model.errors import CompanionError
from companion.model.observation import EMPTY, Change, Sighting
from companion.referee.values.commands import Answer, NewGame
from companion.referee.values.events import IllegalSeen, Level, Stage
from companion.referee.values.questions import Question
from companion.referee.values.view import TableView
from tests.bench.players.looks import Sight
from tests.bench.players.witness import Finding, Frozen, Ply, Witness

SILENT_MS = 700
HASTY_MS = 500
HEALS_WITHIN = 4
"""Plies within which a record may recover."""
LOST_AFTER = 10
"""Plies after which a wrong record counts as lost."""


class Judge(Witness):
    """Compares the session with the truth."""

    def feed(self, at_ms: int, what: Any) -> None:
        """Process changes of cells, or a note of the players."""
        self.pass_time(at_ms)
        if isinstance(what, tuple):
            for change in what:
                assert isinstance(change, Change)
                self._report(change)
        elif what["note"] == "press":
            self._press(at_ms, what["side"], what.get("ply"))
        else:
            self._note(at_ms, what)

    def _note(self, at_ms: int, what: dict[str, Any]) -> None:
        match what["note"]:
            case "busy":
                self._busy += 1
            case "idle":
                self._busy -= 1
                if len(self.truth) % 5 == 0 and self.failure is None:
                    self._look_back()
            case "begins":
                before = self.truth[-1].after if self.truth else self.rules.initial()
                move = self.rules.read_move(before, what["move"])
                after = self.rules.apply(before, move)
                names, self._between = list(dict.fromkeys([*self._between, *what["kinds"]])), []
                self.truth.append(Ply(before, move, what["move"], after, what["side"], at_ms, gestures=names))
            case "stands":
                self.truth[what["ply"]].stood_ms = at_ms
                self._marks.append((len(self._inputs), at_ms, what["ply"] + 1))
                self._forgive(at_ms)
            case "attempt":
                self._attempt_ms = at_ms
                self._alarms = [each for each in self._alarms if each > at_ms - 1500]
            case "takes_back":
                self._attempt_ms = at_ms
            case "attempt_over":
                self._judge_attempt(at_ms)
            case "gesture":
                self._between.append(what["name"])
            case "taken_back":
                self._take_back(what["plies"])
            case "new_game":
                self._deliver()
                self._busy += 1
                self._command(NewGame())
            case "begins_again":
                self._busy -= 1
                self._restart()

    def _restart(self) -> None:
        """Begin a new game, which has been set up."""
        self.truth, self._agreed, self._suspect, self._undue = [], 0, None, False
        self._late_ply = 0
        self._question, self._answer_ms = None, None
        self._checked_ms = -1
        self._marks = [(len(self._inputs), self.now, 0)]

    def _take_back(self, plies: int) -> None:
        """The last *plies* have been taken back by hand: they must leave the record."""
        self._between, self._attempt_ms = self.gestures(plies), None
        del self.truth[len(self.truth) - plies :]
        self._marks = [each for each in self._marks if each[2] <= len(self.truth)]
        self._marks.append((len(self._inputs), self.now, len(self.truth)))
        self._agreed = min(self._agreed, len(self.truth))
        self._hasty, self._late_ply = None, 0
        self._checked_ms = -1

    def is_asking(self) -> bool:
        """True while the table waits for an answer."""
        return self._question is not None

    def is_told(self) -> bool:
        """True while the table reports an illegal position."""
        return self._is_alarmed

    # alarms

    def _last_position(self) -> tuple[Any, list[Ply]]:
        """The last completed position, and the moves begun since."""
        pending = [ply for ply in self.truth[-4:] if ply.stood_ms is None or ply.stood_ms > self.now]
        if not pending:
            return (self.truth[-1].after if self.truth else self.rules.initial()), []
        return pending[0].position, pending

    def _is_legal(self) -> bool:
        """True if the board is a position, or may occur during a move.

        The move is a legal one, or one of those being made.
        """
        base, pending = self._last_position()
        sight = Sight(self.rules, base, self.kind)
        if sight.is_on_the_way(self._seen):
            return True
        allowed: dict[int, set[Sighting]] = {}
        for ply in pending:
            step_sight = Sight(self.rules, ply.position, self.kind)
            steps = self.rules.steps(ply.position, ply.move)
            after = step_sight.after(steps)
            for cell in {cell for step in steps for cell in (*step.source, *step.target)}:
                allowed.setdefault(cell, set()).update(
                    {EMPTY, step_sight.looks.get(cell, EMPTY), after.get(cell, EMPTY)}
                )
        off = sight.differing(self._seen)
        return all(self._seen.get(cell, EMPTY) in allowed.get(cell, ()) for cell in off)

    def _alarmed(self, event: IllegalSeen) -> None:
        was_alarmed, self._is_alarmed = self._is_alarmed, True
        self._alarms.append(self.now)
        if was_alarmed or self._attempt_ms is not None or self._suspect is not None:
            return
        wrong = self._compare(self.session.view(), ahead=True)
        if wrong is not None:  # the record is wrong, which is found elsewhere
            return
        is_lawful = self._is_legal()
        since_press = self.now - self._pressed_ms
        _, pending = self._last_position()
        if is_lawful and self._undue:
            return
        if is_lawful and event.level is Level.COMPLETED and pending and 400 < since_press < 5000:
            return
        if is_lawful:
            found = self._find("false alarm", f"{event.violation.rule}: legal, or part of a legal move")
            if event.level is Level.COMPLETED and pending and since_press <= 400:
                self._hasty = found, self._pressed_ms
        elif self.now - self._rest_ms < HASTY_MS and since_press > 1000:
            self._find("false alarm", f"{event.violation.rule}: at rest for {self.now - self._rest_ms} ms")

    def _forgive(self, stood_ms: int) -> None:
        """Drop an alarm at a press if the piece came over a second later."""
        if self._hasty is None:
            return
        (found, pressed_ms), self._hasty = self._hasty, None
        if stood_ms - pressed_ms > 1000 and found in self.findings:
            self.findings.remove(found)
            self.counts[found.kind] -= 1

    def _judge_attempt(self, at_ms: int) -> None:
        since, self._attempt_ms = self._attempt_ms, None
        rested = at_ms - max(since or 0, self._rest_ms)
        if self._suspect is not None or rested <= SILENT_MS:
            return
        base, _ = self._last_position()
        if Sight(self.rules, base, self.kind).is_on_the_way(self._seen):
            return
        if self._is_alarmed or self._alarms:
            self._count("raised")
        else:
            self._find("silent", f"an illegal position rested for {rested} ms")
        self._alarms = []

    # questions

    def _asked(self, question: Question) -> None:
        self._count("questions")
        self._question = question
        self._answer_ms = self.now + round(self._rng.lognormvariate(8.0, 0.7))
        self._is_needless(question)

    def _is_needless(self, question: Question) -> None:
        if self._busy or self._suspect is not None or question.ply != len(self.truth) - 1:
            return
        ply = self.truth[question.ply]
        sight = Sight(self.rules, ply.position, self.kind)
        if not sight.differing(self._seen):
            return
        found = list(sight.matching(self._seen))
        if len(found) == 1:
            self._find("needless question", f"{question.aspect.value} of ply {question.ply}, {ply.text}")

    def _answer(self) -> None:
        """Answer truthfully, as the players would."""
        self._answer_ms = None
        question = self.session.view().question
        self._question = question
        if question is None:
            return
        if question.ply >= len(self.truth) or self.truth[question.ply].stood_ms is None:
            self._answer_ms = self.now + 2000 if not self._gives_up(question) else None
            return
        ply = self.truth[question.ply]
        for index, choice in enumerate(question.choices):
            if any(self._is_same(ply, text) for text in choice.moves):
                self._command(Answer(question.ply, index))
                again = self.session.view().question
                if again is not None and self._answer_ms is None:
                    self._answer_ms = self.now + 2000
                    self._question = again
                return
        if self._suspect is None:
            texts = ", ".join(text for choice in question.choices for text in choice.moves[:6])
            self._suspect = self._note_suspect("misread", f"asked about {ply.text}, offers {texts[:150]}")

    def _gives_up(self, question: Question) -> bool:
        """Answer "no move" to a question about a move that was not made.

        Returns True if that is offered and was answered.
        """
        if self._busy or self.now - self._rest_ms < 5000 or question.ply < len(self.truth):
            return False
        for index, choice in enumerate(question.choices):
            if not choice.moves:
                self._command(Answer(question.ply, index))
                return True
        return False

    def _is_same(self, ply: Ply, text: str) -> bool:
        """True if the move *text* has the result of the true one."""
        if text == ply.text:
            return True
        try:
            move = self.rules.read_move(ply.position, text)
        except CompanionError:
            return False
        return bool(self.rules.apply(ply.position, move) == ply.after)

    # the record

    def _quiet(self) -> None:
        if self._busy or self._attempt_ms is not None or self.failure is not None:
            return
        view = self.session.view()
        if view.question is not None:
            return
        wrong = self._compare(view)
        if wrong is None:
            if self._suspect is not None:
                self._find("unsteady", self._suspect.about)
                self._suspect = None
        elif self._suspect is None:
            self._suspect = self._note_suspect(*wrong)
        elif len(self.truth) >= self._suspect.ply + HEALS_WITHIN:
            self._fail(wrong)

    def _is_undecided(self) -> None:
        """Find a complete ply that is neither announced, nor asked about, nor called illegal."""
        ply = self.truth[-1] if self.truth else None
        if ply is None or ply.stood_ms is None or self._attempt_ms is not None or self.failure is not None:
            return
        if self.setting.clock == "press" and not ply.is_sent:  # it may be changed until the press
            return
        sight = Sight(self.rules, ply.position, self.kind)
        steps = self.rules.steps(ply.position, ply.move)
        is_complete = not Sight(self.rules, ply.after, self.kind).differing(self._seen)
        if self._busy or not is_complete or not sight.differing(sight.after(steps)):
            return
        view = self.session.view()
        if view.question is not None or view.fault is not None or ply.is_found:
            return
        lines = view.record[len(self.truth) - 1 :]
        if not lines or lines[0].stage is Stage.PROVISIONAL:
            ply.is_found = True
            self._find(
                "undecided", f"{ply.text} stands for {self.now - self._rest_ms} ms; {view.phase.value}"
            )

    def _look_back(self) -> None:
        """Without rest, fail a record that has been wrong or too short for many plies."""
        wrong = self._compare(self.session.view())
        if wrong is not None and len(self.truth) - self._agreed > LOST_AFTER and not self.is_asking():
            self._fail(wrong)

    def _note_suspect(self, kind: str, about: str) -> Finding:
        return Finding(kind, self.now, len(self.truth), about, self.gestures(2))

    def _fail(self, wrong: tuple[str, str]) -> None:
        suspect = self._suspect or self._note_suspect(*wrong)
        both = self._twin() if wrong[0] == "misread" else ""
        kind, about = ("undecidable", both) if both else wrong
        self.failure = Finding(kind, suspect.at_ms, suspect.ply, about, suspect.gestures)
        self.findings.append(self.failure)
        self._count(kind)

    def crash(self, error: Exception) -> None:
        """Record *error*, which the session must never raise."""
        where = traceback.extract_tb(error.__traceback__)[-1]
        kind = "frozen" if isinstance(error, Frozen) else "error"
        about = f"{type(error).__name__}: {error} in {where.name}"
        if kind == "frozen":
            about = (
                f"the slowest call took {self.worst_ms:.0f} ms, all of the game {self.spent_ms / 1000:.0f} s"
            )
        self.failure = Finding(kind, self.now, len(self.truth), about, self.gestures(2))
        self.findings.append(self.failure)
        self._count(kind)

    def _compare(self, view: TableView, *, ahead: bool = False) -> tuple[str, str] | None:
        """The error of the record, or None.

        With *ahead*, hands are moving: the last moves may be missing or additional.
        """
        record = [line.move for line in view.record]
        self._agreed = min(self._agreed, len(record), len(self.truth))
        while self._agreed > 0 and record[self._agreed - 1] != self.truth[self._agreed - 1].text:
            if self._is_same(self.truth[self._agreed - 1], record[self._agreed - 1]):
                break
            self._agreed -= 1
        for number in range(self._agreed, min(len(record), len(self.truth))):
            ply = self.truth[number]
            if not self._is_same(ply, record[number]):
                return "misread", f"ply {number} was {ply.text}, the record has {record[number]}"
            self._agreed = number + 1
        if ahead:
            return None
        if len(record) > len(self.truth):
            return "misread", f"the record has {record[len(self.truth)]}, which was not played"
        if len(record) < len(self.truth):
            missing = self.truth[len(record)].text
            return (
                "stuck",
                f"the record lacks {len(self.truth) - len(record)}, first {missing}; {view.phase.value}",
            )
        if view.fault is not None and not self._undue:
            return "stuck", f"the record is right, but {view.fault.violation.rule} is reported as a fault"
        return None

    def finish(self) -> None:
        """End the game: everybody waits, and questions are answered."""
        for _ in range(60):
            self.pass_time(self.now + 1000)
            if _ >= 29 and not self.is_asking():
                break
        if self.failure is None:
            wrong = self._compare(self.session.view())
            if wrong is not None:
                self._fail(wrong)
            elif self._suspect is not None:
                self._find("unsteady", self._suspect.about)

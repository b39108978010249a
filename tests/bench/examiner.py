# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one examiner, from the game that it plays to what it reports.
"""Plays random games with virtual hands and compares the session with the truth."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from companion.model.game import AnyRules, Game
from companion.model.observation import SensorKind
from companion.model.pieces import Piece
from companion.referee.values.board.looks import look
from companion.referee.values.commands import Answer
from companion.referee.values.controls import read_control
from companion.referee.values.events import Event, GameEnded, IllegalSeen, QuestionAsked, Stage
from companion.referee.values.record import outcome
from companion.referee.values.timing import BOUNCE_MS, DEFAULT_TIMING
from tests.bench import attempt_judge, oracle, stopwatch, variants
from tests.bench.attempt_judge import LONG_MS
from tests.bench.attempts import Attempts
from tests.bench.score import Failure, Score
from tests.bench.stopwatch import Stopwatch
from tests.fakes import FakeTable
from tests.virtual.hands import PROFILES, Motion, motions, pause

_FLAGGED_MS = DEFAULT_TIMING.hint_ms + 200
"""Time within which an illegal position must be reported."""
_LONGEST = 60
"""Plies after which a game is ended."""


class Examiner:
    """One game at one table."""

    def __init__(
        self,
        rules: AnyRules,
        kind: SensorKind,
        profile: str,
        score: Score,
        seed: int,
        table: FakeTable | None = None,
    ) -> None:
        """*table* is one without a clock, whose sensor has no faults; None makes one."""
        self.rules = rules
        self.kind = kind
        self.profile = profile
        stops = (
            PROFILES[profile].stops if rules.allows_take_back else 0.0
        )  # a hand that rests has released the piece
        early = PROFILES[profile].early if table is None else 0.0  # the fault of another sensor
        self.habits = replace(PROFILES[profile], stops=stops, early=early)
        self.score = score
        self.seed = seed
        self.chance = Random(seed)
        self.has_clock = table is None and self.chance.random() < 0.5
        self.attempts = Attempts(rules, kind, self.chance)
        clock = Random(
            f"clock {rules.slug} {kind} {profile} {seed}"
        )  # separate, so that hands are the same with and without clocks
        given = stopwatch.draw_allowance(clock, may_fall=len(rules.sides) == 2) if self.has_clock else None
        self.control = read_control(given.text, len(rules.sides)) if given else None
        self.table = table or FakeTable(rules, kind, control=self.control)
        if self.habits.is_stuck:
            self.table.hidden = 1 << self.chance.randrange(len(rules.grid))
        self.silent_until_ms: int | None = None
        """When a silent link works again; None while it works."""
        self.stroke_ms = self.table.now_ms
        """When the last stroke of a hand was first sensed.

        Contacts bounce, and a long piece closes two switches.
        """
        self.looked_ms: int | None = None
        """When the board first looked like after the last ply."""
        self.boards: deque[tuple[int, Any, dict[int, Piece]]] = deque()
        """Boards that may not be reported yet: until when they stood, in which position."""
        self.attempted: list[tuple[int, dict[int, Piece]]] = []
        """The reported boards since the last illegal attempt began, with their times."""
        self.table.set_up()
        self.watch = Stopwatch(given, len(rules.sides)) if given else None
        """Computes the correct clocks."""
        self.reported = dict(self.table.on)
        """The board as reported so far; a silent link reports no change."""
        self.truth: list[str] = []
        self.position = rules.initial()
        self.before = self.position
        """The position before the last ply."""
        self.earlier: list[Any] = []
        """The positions before each ply."""
        self.past: list[Any] = []
        """The same if hands may revise a ply or take plies back; otherwise empty."""
        self.trace: list[tuple[int, Piece | None]] = []
        """What was put down and lifted for the last ply."""
        self.is_pressed = False
        """True if the side of the last ply has pressed the clock."""
        self.entered: set[int] = set()
        """Cells on which the last ply put pieces."""
        self.left: set[int] = set()
        """Cells that the last ply emptied."""
        self.is_lawful = True
        """False while an illegal attempt stands on the board."""
        self.is_failed = self.is_lost = False
        self.log: list[str] = []
        self.asked: set[int] = set()
        self._compared = 0
        """Number of compared plies; the plies of a fast burst are compared at its end."""

    @property
    def is_over(self) -> bool:
        """True if the game has failed or was lost on time."""
        return self.is_failed or self.is_lost

    def play(self, plies: int) -> None:
        """Play a game of at most *plies*."""
        for _ in range(plies):
            moves = self.rules.legal_moves(self.position)
            if not moves or self.is_over or outcome(self.rules, self.earlier, self.position):
                break
            made: tuple[Any, list[Motion] | None] | None = None
            if self.profile == "illegal" and self.chance.random() < 0.4:
                made = attempt_judge.make_attempt(self)
            if not self.is_over:
                self._make(*(made or (self.chance.choice(moves), None)))
        if not self.is_over and self._compared < len(self.truth):  # the game ended in a burst
            self._settle()

    def _make(self, move: Any, continuation: list[Motion] | None = None) -> None:
        """Let hands make *move*, and check what the session reports.

        *continuation* replaces the motions if an illegal attempt has begun the move.
        """
        side, before, begun_ms = self.position.turn, self.position, self.table.now_ms
        text = self.rules.write_move(before, move)
        steps = tuple(self.rules.steps(before, move))
        self.log.append(f"-- {text} in {self.rules.write_position(before)}")
        self.truth.append(text)
        earlier, handled = self.before, self.trace
        self.before = before
        self.entered = set(steps[0].target) if steps else set()
        self.left = set(steps[0].source) if steps else set()
        self.earlier.append(before)
        self.past += [before] if self.rules.allows_take_back else []
        self.trace, self.is_pressed, self.looked_ms = [], False, None
        self.position = self.rules.apply(before, move)
        if continuation is not None and self._looks_made(
            self.reported
        ):  # for this sensor, the attempt was the ply
            looks = (ms for ms, reported in self.attempted if self._looks_made(reported))
            self.looked_ms = next(looks, self.table.now_ms)
        self.perform(continuation or motions(self.rules.grid, self.table.on, steps, self.habits, self.chance))
        # Lost changes are known when the link works again. An action may be recognised before its last
        # contact, and no sensor shows that a hand continues once the board looks like after the ply: it
        # may also adjust a piece.
        soonest = self.stroke_ms if self.looked_ms is None else min(self.looked_ms, self.stroke_ms)
        made = soonest, self.silent_until_ms or self.table.rest_since_ms
        is_adjustment = len(self.truth) > self._compared + 1 and oracle.changes_one_cell(handled + self.trace)
        is_unseen = self._looks_like(before) or (is_adjustment and self._looks_like(earlier))
        if not is_unseen:
            self._complete(made)
        is_press = is_unseen or (self.has_clock and self.chance.random() < 0.9)
        if is_press:
            self.wait(pause(self.habits, self.chance))
            if self.silent_until_ms is not None:  # a lost press would be repeated
                self.wait(self.silent_until_ms - self.table.now_ms)
            self.is_pressed = True
            self.press(side, len(self.truth) - 1)
            if is_unseen:  # the press completes it, or the pieces that moved for it
                self._complete(
                    (self.stroke_ms if self.stroke_ms > begun_ms else self.table.now_ms, self.table.now_ms)
                )
        is_fast = self.profile == "blitz" and self.chance.random() < 0.8
        self.wait(100 if is_fast else LONG_MS)
        self.score.plies += not self.is_lost
        if not is_fast and not self.is_lost:
            self._settle()

    def _complete(self, made: tuple[int, int]) -> None:
        """Record that a ply was completed in the interval *made*."""
        if self.watch is not None:
            self.watch.made.append(made)

    def press(self, side: int, ply: int) -> None:
        """Let *side* press the clock after *ply*."""
        if self.watch is not None:
            self.watch.presses.append((self.table.now_ms, side, ply))
        self.table.turn_lever(side)
        self._read()

    def _looks_like(self, earlier: Any) -> bool:
        """True if the board looks like in *earlier*."""
        return oracle.looks_alike(self.rules, earlier, self.position, self.kind, self.table.hidden)

    def _settle(self) -> None:
        """Let the board rest, answer questions, and compare."""
        self.wait(max(0, self.table.rest_since_ms + LONG_MS - self.table.now_ms))
        self.answer()
        self.wait(LONG_MS)
        self.answer()  # questions asked since
        self.compare()
        if not self.is_over:
            self.score.right += len(self.truth) - self._compared
            self._compared = len(self.truth)

    def perform(self, found: list[Motion]) -> int:
        """Perform the motions; returns the time of the last one."""
        for motion in found:
            start = len(self.table.history)
            self.wait(motion.wait_ms)
            if motion.wait_ms > _FLAGGED_MS + self.table.lag_ms and self.is_lawful:
                self._look_at_rest(self.table.history[start:])
            self._move(motion)
        return self.table.now_ms

    def _look_at_rest(self, events: list[Event]) -> None:
        """Fail if *events* do not report a piece that rested on an illegal cell."""
        is_flagged = any(isinstance(event, IllegalSeen) for event in events)
        if is_flagged or not self._is_illegal(SensorKind.IDENTITY_FACING) or self._is_revised():
            return
        trace = self.trace
        if self._is_illegal(self.kind) and not oracle.consistent(
            self.rules, self.before, self.table.on, self.kind, self.table.hidden, trace
        ):
            self.score.illegal_silent += 1
            self.fail("silent about a hand that rests where no legal move leads")

    def _is_illegal(self, kind: SensorKind) -> bool:
        """True if a piece stands where no legal move puts it.

        The board is as a sensor of *kind* shows it, and the hand is making a legal move. A hand
        that pushes a piece may rest on a cell where the piece must not stand. Until it moves on,
        that board looks like any illegal attempt, but belongs to a legal move.
        """
        return not oracle.is_lawful(self.rules, self.before, self.table.on, kind)

    def _is_revised(self) -> bool:
        """True if the opponent's last piece was knocked to another legal target.

        That looks like a hand that revises its move.
        """
        stood = self.rules.placement(self.before).by_cell()
        board = {**{cell: stood[cell] for cell in self.left}, **self.table.on}
        return any(oracle.is_lawful(self.rules, each, board, self.kind) for each in self.past[-2:-1])

    def _move(self, motion: Motion) -> None:
        table = self.table
        self._keep_board()
        if motion.piece is None:
            table.on.pop(motion.cell, None)
        else:
            table.on[motion.cell] = motion.piece
        self.trace.append((motion.cell, motion.piece))  # even if its report is lost
        if self._is_unreported(motion):
            return
        stood, self.reported = self.reported.get(motion.cell), dict(table.on)
        self.attempted.append((table.now_ms, self.reported))
        sighting = look(motion.piece, self.kind)
        if sighting == look(stood, self.kind):  # sensors report changes only
            return
        if table.now_ms - table.rest_since_ms > BOUNCE_MS:
            self.stroke_ms = table.now_ms
        if self.looked_ms is None and self._looks_made(self.reported):
            self.looked_ms = table.now_ms
        table.change(motion.cell, sighting)
        name = self.rules.grid.name(motion.cell)
        self.log.append(f"{table.now_ms} {name} {motion.piece.kind if motion.piece else '.'}")
        self._read()

    def _keep_board(self) -> None:
        """Keep the board, which changes now, as long as it may not be reported yet."""
        now_ms, lag_ms = self.table.now_ms, self.table.lag_ms
        if lag_ms:
            self.boards.append((now_ms, self.before, dict(self.table.on)))
        while self.boards and self.boards[0][0] < now_ms - lag_ms:
            self.boards.popleft()

    def _looks_made(self, reported: dict[int, Piece]) -> bool:
        """True if the board *reported* looks like after the last ply."""
        return oracle.looks_like(self.rules, self.position, reported, self.kind, self.table.hidden)

    def _is_unreported(self, motion: Motion) -> bool:
        """True if *motion* is not reported.

        Its switch is stuck, or the link is silent, or becomes silent now.
        """
        if self.table.hidden >> motion.cell & 1:
            return True
        losses = self.habits.losses
        if losses and self.silent_until_ms is None and self.chance.random() < losses:
            self.silent_until_ms = self.table.now_ms + self.chance.randrange(20, 300)
        return self.silent_until_ms is not None

    def wait(self, ms: int) -> None:
        """Let *ms* pass; a silent link reports all cells once it works again."""
        table, until_ms = self.table, self.table.now_ms + ms
        if self.silent_until_ms is not None and self.silent_until_ms <= until_ms:
            table.wait(max(0, self.silent_until_ms - table.now_ms))
            self._read()
            self.silent_until_ms, self.reported = None, dict(table.on)
            table.report_gap()
        table.wait(until_ms - table.now_ms)
        self._read()

    def _read(self) -> None:
        """Check the events since the last call."""
        for event in self.table.take_events():
            self.log.append(f"    {event}")
            if isinstance(event, QuestionAsked):
                self.note(event.question.ply)
            if self.watch is not None and self.watch.is_lost_by(event):
                self.is_lost = True
                self.score.flags += 1
                self._compare_clocks(event)
            if isinstance(event, IllegalSeen) and self.is_lawful and not self._is_due(event):
                self.score.false_alarms += 1
                self.fail("false alarm")

    def _is_due(self, seen: IllegalSeen) -> bool:
        """True if *seen* was reported no sooner than the hint time, and is illegal.

        An illegal board counts even while a legal move is being made.
        """
        rested_ms, everything = seen.at_ms - self.table.rest_since_ms, SensorKind.IDENTITY_FACING
        was_illegal = any(
            not oracle.is_lawful(self.rules, before, board, everything)
            for until_ms, before, board in self.boards
            if until_ms >= seen.at_ms - self.table.lag_ms
        )
        return rested_ms >= DEFAULT_TIMING.hint_ms and (was_illegal or self._is_illegal(everything))

    def note(self, ply: int) -> None:
        """Count a question about *ply*.

        It is needless if it is about the last ply and the board allows only one answer.
        """
        if ply in self.asked:
            return
        self.asked.add(ply)
        self.score.asked += 1
        if ply == len(self.truth) - 1:
            trace = None if self.is_pressed else self.trace
            possible = oracle.consistent(
                self.rules, self.before, self.reported, self.kind, self.table.hidden, trace
            )
            if possible == [self.truth[ply]]:  # otherwise the hands are still moving
                self.score.asked_needlessly += 1
                self.fail(f"asked needlessly about {possible}")

    def answer(self) -> None:
        """Answer all questions truthfully."""
        for _ in range(60):
            question = self.table.session.view().question
            if question is None:
                return
            text = self.truth[question.ply] if question.ply < len(self.truth) else ""
            choices = [
                number
                for number, choice in enumerate(question.choices)
                if (text in choice.moves if text else not choice.moves)
            ]
            if not choices:
                self.score.wrong += 1
                self.fail(f"asked {question} but it was {text}")
                return
            self.table.ask(Answer(question.ply, choices[0]))
            self.wait(100)

    def compare(self) -> None:
        """Compare the record with the truth and count the differences."""
        if self.is_lost:
            return
        session = self.table.session
        made = [line.move for line in session.view().record if line.stage is not Stage.PROVISIONAL]
        if len(made) == len(self.truth) and session.position == self.position:
            self._compare_clocks()
            return
        if made == self.truth[: len(made)]:
            self.score.missed += len(self.truth) - len(made)
            self.fail(f"missed: {made[-2:]} but it was {self.truth[-3:]}")
        else:
            self.score.wrong += 1
            self.fail(f"wrong: {made[-3:]} but it was {self.truth[-3:]}")

    def _compare_clocks(self, ended: GameEnded | None = None) -> None:
        """Fail if a clock is wrong, or the wrong side lost on time."""
        if self.watch is None:
            return
        turns = [each.turn for each in (*self.earlier, self.position)]
        if ended is not None:
            fault = self.watch.wrong_loss(ended, turns)
        else:
            fault = self.watch.fault(self.table.session.view(), turns, self.table.now_ms)
        if fault:
            self.score.clock_wrong += 1
            self.fail(f"clock: {fault}")

    def fail(self, what: str) -> None:
        """Record the failed game and end it."""
        self.is_failed = True
        log = "\n".join(self.log[-30:])
        self.score.failures.append(Failure(self.seed, what, log))


def examine(
    game: Game,
    kind: SensorKind,
    profile: str,
    plies: int,
    seed: int,
    table: Callable[[AnyRules], FakeTable] | None = None,
) -> Score:
    """The score of random games until *plies* are played; some have drawn options.

    *table* makes a table for each game, which has the usual options: its board may have no room
    for others.
    """
    score = Score()
    for number in itertools.count():
        if score.plies >= plies:
            break
        own_seed, varied = seed * 1_000_003 + number, table is None and variants.is_varied(number)
        rules = variants.rules_of(game, f"{kind} {profile} {own_seed}") if varied else game.rules()
        made = None if table is None else table(rules)
        before, examiner = score.plies, Examiner(rules, kind, profile, score, own_seed, made)
        examiner.play(min(_LONGEST, plies - score.plies))
        score.plies_timed += (score.plies - before) * (examiner.control is not None)
    return score

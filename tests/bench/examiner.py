# SPDX-License-Identifier: Apache-2.0
"""Plays random games by virtual hands before a session, and compares what it says with the truth."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from random import Random
from typing import Any

from companion.model.game import AnyRules, Game
from companion.model.observation import Change, Observation, SensorKind
from companion.model.pieces import Piece
from companion.referee.commands import Answer
from companion.referee.controls import read_control
from companion.referee.events import Event, GameEnded, IllegalSeen, MoveMade, QuestionAsked, Stage
from companion.referee.looks import look
from companion.referee.record import outcome
from companion.referee.timing import BOUNCE_MS, DEFAULT_TIMING
from companion.virtual.hands import PROFILES, Motion, motions, pause
from tests.bench import oracle, stopwatch, trespass, variants
from tests.bench.attempts import Attempts
from tests.bench.score import Failure, Score
from tests.bench.stopwatch import Stopwatch
from tests.bench.trespass import LONG_MS
from tests.fakes import FakeTable

_FLAGGED_MS = DEFAULT_TIMING.hint_ms + 200
"""What must not stand is said to be illegal by then."""


class Examiner:
    """One game at one table."""

    def __init__(self, rules: AnyRules, kind: SensorKind, profile: str, score: Score, seed: int) -> None:
        self.rules = rules
        self.kind = kind
        self.profile = profile
        stops = (
            PROFILES[profile].stops if rules.allows_take_back else 0.0
        )  # who rests has let go of the piece
        self.habits = replace(PROFILES[profile], stops=stops)
        self.score = score
        self.seed = seed
        self.chance = Random(seed)
        self.has_clock = self.chance.random() < 0.5
        self.attempts = Attempts(rules, kind, self.chance)
        clock = Random(
            f"clock {rules.slug} {kind} {profile} {seed}"
        )  # of its own: hands are the same with clocks and without
        given = stopwatch.drawn(clock, may_fall=len(rules.sides) == 2) if self.has_clock else None
        self.control = read_control(given.text, len(rules.sides)) if given else None
        self.table = FakeTable(rules, kind, control=self.control)
        if self.habits.is_stuck:
            self.table.hidden = 1 << self.chance.randrange(len(rules.grid))
        self.silent_until_ms: int | None = None
        """When the line will be heard again; None while it is."""
        self.stroke_ms = self.table.now_ms
        """When the last stroke of a hand was first sensed: its contacts bounce, and a long piece closes two."""
        self.looked_ms: int | None = None
        """When the board first looked as after the last ply."""
        self.attempted: list[tuple[int, dict[int, Piece]]] = []
        """The reported board since the last illegal attempt began, with its time."""
        self.table.set_up()
        self.watch = Stopwatch(given, len(rules.sides)) if given else None
        """What knows how the clocks should go."""
        self.heard = dict(self.table.on)
        """The board as far as it was reported; a silent line reports no change."""
        self.truth: list[str] = []
        self.position = rules.initial()
        self.before = self.position
        """The position before the last ply."""
        self.earlier: list[Any] = []
        """The positions before each ply."""
        self.past: list[Any] = []
        """The positions before each ply, where a hand may revise the last one, or take back several."""
        self.trace: list[tuple[int, Piece | None]] = []
        """What was put down and lifted for the last ply."""
        self.is_pressed = False
        """True if its side has pressed the clock."""
        self.entered: set[int] = set()
        """Cells on which the mover of the last ply was put."""
        self.left: set[int] = set()
        """Cells that it came from."""
        self.is_lawful = True
        """False while an illegal attempt stands on the board."""
        self.is_failed = self.is_lost = False
        self.log: list[str] = []
        self.asked: set[int] = set()
        self._compared = 0
        """Plies of which it is known whether they were recognised: those of a fast burst are compared at its end."""
        self._held_up = False
        """True if something was asked about those that were compared last."""

    @property
    def is_over(self) -> bool:
        """True if it has failed, or was lost on time."""
        return self.is_failed or self.is_lost

    def play(self, plies: int) -> None:
        """A game of at most *plies*."""
        for _ in range(plies):
            moves = self.rules.legal_moves(self.position)
            if not moves or self.is_over or outcome(self.rules, self.earlier, self.position):
                break
            made: tuple[Any, list[Motion] | None] | None = None
            if self.profile == "illegal" and self.chance.random() < 0.4:
                made = trespass.tried(self)
            if not self.is_over:
                self._make(*(made or (self.chance.choice(moves), None)))
        if not self.is_over and self._compared < len(self.truth):  # it ended in a burst
            self._settle()

    def _make(self, move: Any, onward: list[Motion] | None = None) -> None:
        """Let hands make *move*, or what is left of it to be done *onward*, and look at what the session says."""
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
        if onward is not None and self._looks_made(self.heard):  # to this sensor, the attempt was the ply
            looks = (ms for ms, heard in self.attempted if self._looks_made(heard))
            self.looked_ms = next(looks, self.table.now_ms)
        self.perform(onward or motions(self.rules.grid, self.table.on, steps, self.habits, self.chance))
        # Lost changes are known when the line is back. An action may be recognised before its last
        # contact, and no sensor shows that a hand goes on once the board looks as after the ply: it
        # may as well adjust a piece.
        soonest = self.stroke_ms if self.looked_ms is None else min(self.looked_ms, self.stroke_ms)
        made = soonest, self.silent_until_ms or self.table.rest_since_ms
        is_blink = len(self.truth) > self._compared + 1 and oracle.is_blink(handled + self.trace)
        is_unseen = self._looks_like(before) or (is_blink and self._looks_like(earlier))
        if not is_unseen:
            self._complete(made)
        is_press = is_unseen or (self.has_clock and self.chance.random() < 0.9)
        if is_press:
            self.wait(pause(self.habits, self.chance))
            if self.silent_until_ms is not None:  # a press that was lost too would be made again
                self.wait(self.silent_until_ms - self.table.now_ms)
            self.is_pressed = True
            self.press(side, len(self.truth) - 1)
            if is_unseen:  # the press shows that it was made; if pieces were moved for it, that was when
                self._complete(
                    (self.stroke_ms if self.stroke_ms > begun_ms else self.table.now_ms, self.table.now_ms)
                )
        pressed_ms = self.table.now_ms
        is_fast = self.profile == "blitz" and self.chance.random() < 0.8
        self.wait(100 if is_fast else LONG_MS)
        self.score.plies += not self.is_lost
        if not is_fast and not self.is_lost:
            self._settle()
            self._time(pressed_ms if is_unseen else self.table.rest_since_ms)

    def _complete(self, made: tuple[int, int]) -> None:
        """A ply is complete, at the soonest and at the latest as *made* says."""
        if self.watch is not None:
            self.watch.made.append(made)

    def press(self, side: int, ply: int) -> None:
        """Let *side* press the clock after *ply*."""
        if self.watch is not None:
            self.watch.presses.append((self.table.now_ms, side, ply))
        self.table.turn_lever(side)
        self._read()

    def _looks_like(self, earlier: Any) -> bool:
        """True if the board looks as in *earlier*."""
        return oracle.looks_alike(self.rules, earlier, self.position, self.kind, self.table.hidden)

    def _settle(self) -> None:
        """Answer what is asked once the board has been at rest for long, and compare."""
        self.wait(max(0, self.table.rest_since_ms + LONG_MS - self.table.now_ms))
        self.answer()
        self.wait(LONG_MS)
        self.answer()  # what was asked only now
        self.compare()
        if not self.is_over:
            self.score.right += len(self.truth) - self._compared
            self._held_up = not self.asked.isdisjoint(range(self._compared, len(self.truth)))
            self._compared = len(self.truth)

    def perform(self, found: list[Motion]) -> int:
        """Do the motions; the time of the last."""
        for motion in found:
            start = len(self.table.history)
            self.wait(motion.wait_ms)
            if motion.wait_ms > _FLAGGED_MS and self.is_lawful:
                self._look_at_rest(self.table.history[start:])
            self._move(motion)
        return self.table.now_ms

    def _look_at_rest(self, events: list[Event]) -> None:
        """Fail if *events* do not report a piece that rested on an illegal cell."""
        is_told = any(isinstance(event, IllegalSeen) for event in events)
        if is_told or not self._is_astray(SensorKind.IDENTITY_FACING) or self._is_revised():
            return
        trace = self.trace
        if self._is_astray(self.kind) and not oracle.consistent(
            self.rules, self.before, self.table.on, self.kind, self.table.hidden, trace
        ):
            self.score.illegal_silent += 1
            self.fail("silent about a hand that rests where no lawful move leads")

    def _is_astray(self, kind: SensorKind) -> bool:
        """True if a piece stands where no legal move puts it.

        The board is as a sensor of *kind* shows it, and the hand is on its way to a legal move. A
        hand that pushes a piece may rest on a cell where the piece must not stand. As long as it is
        there, that board looks like any illegal attempt, but belongs to a legal move.
        """
        return not oracle.is_lawful(self.rules, self.before, self.table.on, kind)

    def _is_revised(self) -> bool:
        """True if the opponent's last piece was knocked to where it might have gone as well: that looks like a hand that thinks better of it."""
        stood = self.rules.placement(self.before).by_cell()
        board = {**{cell: stood[cell] for cell in self.left}, **self.table.on}
        return any(oracle.is_lawful(self.rules, each, board, self.kind) for each in self.past[-2:-1])

    def _move(self, motion: Motion) -> None:
        table = self.table
        if motion.piece is None:
            table.on.pop(motion.cell, None)
        else:
            table.on[motion.cell] = motion.piece
        self.trace.append((motion.cell, motion.piece))  # if it is lost, nobody can say that it was not
        if self._is_unheard(motion):
            return
        stood, self.heard = self.heard.get(motion.cell), dict(table.on)
        self.attempted.append((table.now_ms, self.heard))
        sighting = look(motion.piece, self.kind)
        if sighting == look(stood, self.kind):  # no sensor tells that nothing has changed
            return
        if table.now_ms - table.rest_since_ms > BOUNCE_MS:
            self.stroke_ms = table.now_ms
        table.rest_since_ms = table.now_ms
        if self.looked_ms is None and self._looks_made(self.heard):
            self.looked_ms = table.now_ms
        change = Change(table.now_ms, motion.cell, sighting)
        observation = Observation(table.now_ms, (change,), table.sightings(), table.now_ms)
        began = time.process_time()
        events = table.report(observation)
        spent_ms = (time.process_time() - began) * 1000
        if any(isinstance(event, MoveMade) and event.stage is Stage.PROVISIONAL for event in events):
            self.score.accept_ms.append(spent_ms)
        name = self.rules.grid.name(motion.cell)
        self.log.append(f"{table.now_ms} {name} {motion.piece.kind if motion.piece else '.'}")
        self._read()

    def _looks_made(self, heard: dict[int, Piece]) -> bool:
        """True if the board, as reported, looks as after the last ply."""
        return oracle.looks_like(self.rules, self.position, heard, self.kind, self.table.hidden)

    def _is_unheard(self, motion: Motion) -> bool:
        """True if nobody hears of *motion*: its switch is stuck, or the line is silent, or falls silent now."""
        if self.table.hidden >> motion.cell & 1:
            return True
        losses = self.habits.losses
        if losses and self.silent_until_ms is None and self.chance.random() < losses:
            self.silent_until_ms = self.table.now_ms + self.chance.randrange(20, 300)
        return self.silent_until_ms is not None

    def wait(self, ms: int) -> None:
        """Let *ms* pass; a silent line reports all cells once it is back."""
        table, until_ms = self.table, self.table.now_ms + ms
        if self.silent_until_ms is not None and self.silent_until_ms <= until_ms:
            table.wait(max(0, self.silent_until_ms - table.now_ms))
            self._read()
            self.silent_until_ms, self.heard = None, dict(table.on)
            table.report_gap()
        table.wait(until_ms - table.now_ms)
        self._read()

    def _read(self) -> None:
        """Look at the events since last time."""
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
        """True if what is *seen* has stood for the hint time, and is not lawful although a lawful move is under way."""
        rested_ms = seen.at_ms - self.table.rest_since_ms
        return rested_ms >= DEFAULT_TIMING.hint_ms and self._is_astray(SensorKind.IDENTITY_FACING)

    def note(self, ply: int) -> None:
        """Count a question about *ply*: needless if it is about the last and the board allows only one answer."""
        if ply in self.asked:
            return
        self.asked.add(ply)
        self.score.asked += 1
        if ply == len(self.truth) - 1:
            trace = None if self.is_pressed else self.trace
            possible = oracle.consistent(
                self.rules, self.before, self.heard, self.kind, self.table.hidden, trace
            )
            if possible == [self.truth[ply]]:  # else the hands are still on their way to it
                self.score.asked_needlessly += 1
                self.fail(f"asked needlessly about {possible}")

    def answer(self) -> None:
        """Answer what is asked, truthfully, until nothing is."""
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
        """Count what is on record against the truth."""
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
        """Fail if the clocks do not go as they should, or if the game *ended* on time for nobody whose flag has fallen."""
        if self.watch is None:
            return
        turns = [each.turn for each in (*self.earlier, self.position)]
        if ended is not None:
            fault = self.watch.misjudged(ended, turns)
        else:
            fault = self.watch.fault(self.table.session.view(), turns, self.table.now_ms)
        if fault:
            self.score.clock_wrong += 1
            self.fail(f"clock: {fault}")

    def _time(self, since_ms: int) -> None:
        """Time to the announcement of the last ply, unless a question held it up.

        From *since_ms* on: the last that was sensed, or the press without which nobody could know of it.
        """
        if self.is_over or self._held_up:
            return
        ply = len(self.truth) - 1
        made = [
            event.at_ms
            for event in self.table.history
            if isinstance(event, MoveMade) and event.ply == ply and event.stage is Stage.ANNOUNCED
        ]
        if made:
            self.score.final_ms.append(max(0, made[-1] - since_ms))

    def fail(self, what: str) -> None:
        """Keep the game for investigation, and stop it."""
        self.is_failed = True
        log = "\n".join(self.log[-30:])
        options = tuple(self.rules.options.items())
        self.score.failures.append(
            Failure(self.seed, what, log, tuple(self.table.entries), options, self.control)
        )


def examine(game: Game, kind: SensorKind, profile: str, plies: int, seed: int) -> Score:
    """The score of random games until *plies* are played; some are played with drawn options."""
    score = Score()
    for number in itertools.count():
        if score.plies >= plies:
            break
        own_seed, varied = seed * 1_000_003 + number, variants.is_varied(number)
        rules = variants.rules_of(game, f"{kind} {profile} {own_seed}") if varied else game.rules()
        before, examiner = score.plies, Examiner(rules, kind, profile, score, own_seed)
        examiner.play(60)
        score.plies_varied += (score.plies - before) * varied
        score.plies_timed += (score.plies - before) * (examiner.control is not None)
    return score

# SPDX-License-Identifier: Apache-2.0
"""Replay recorded hands in the tree that runs this file and measure its session.

`tests.bench.reconcile` starts it in both trees, by `tests.bench.against`. It imports only
`companion`, which is that of the tree in whose folder it runs. Each input line is a game, with the
reports of its board; each output line has the figures of its plies and calls.

The session is woken when it asks for it, and each call does as much as at a table. A question is
answered truthfully three seconds later, or never. The processor time of plies is that of `observe`
and `tick`; the longest calls may also be answers.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from companion.games import find
from companion.model.errors import CompanionError
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
from companion.referee.values.commands import Answer
from companion.referee.values.controls import read_control
from companion.referee.values.events import (
    Event,
    MoveMade,
    MoveRetracted,
    QuestionAsked,
    QuestionClosed,
    Stage,
)

ANSWER_MS: Final = 3000
AGAIN_MS: Final = 2000
"""Time after which people try again to answer what they cannot answer yet."""
LAST_MS: Final = 30_000
"""Time that passes after the last ply."""
SWEEP: Final = (20_000, 20, 20)
"""The thresholds of garbage collection at a table."""


class TimeUp(Exception):
    """The game has used its processor time."""


def end_game(*_: object) -> None:
    """End the game, in the middle of a call."""
    raise TimeUp


class Replay:
    """A session that sees the hands of one game."""

    def __init__(self, game: dict[str, Any]) -> None:
        self.rules = find(game["game"]).rules(game["options"])
        self.kind = SensorKind(game["sensor"])
        control = read_control(game["control"], len(self.rules.sides))
        self.session = Session(self.rules, self.kind, control=control)
        self.is_answering: bool = game["answers"]
        self.now = self.rest_ms = 1000
        self.seen = {cell: sighting(line) for cell, line in game["start"]}
        self.costs: list[float] = []
        """Processor time in ms of each ply, begun with the hand's first touch."""
        self.open: list[list[int]] = []
        """The plies whose questions are open when each ply begins."""
        self.longest = [0.0, 0.0]
        """Of one call, and of an input with the calls it leads to, in ms."""
        self._whole = 0.0
        self._truth: list[tuple[int, str]] = []
        """Number in `costs` and notation of the plies that were not taken back."""
        self._positions = [self.rules.initial()]
        self._announced: dict[int, str] = {}
        self._heard: list[tuple[int, str, int]] = []
        """Ply, move and time of all announcements, also of those that were retracted."""
        self._begun_ms: list[int] = []
        """When the hands began each ply."""
        self._asked: set[int] = set()
        self._answer_ms: int | None = None
        self.call(lambda: self.session.observe(self.observation(())))

    def call(self, what: Callable[[], tuple[Event, ...]], *, is_first: bool = True) -> float:
        """Call the session, note its events, and return its processor time in ms.

        It is that of the thread: that of the process goes in steps of 4 ms while a timer runs.
        """
        began = time.thread_time_ns()
        events = what()
        took = (time.thread_time_ns() - began) / 1e6
        self._whole = took if is_first else self._whole + took
        self.longest = [max(self.longest[0], took), max(self.longest[1], self._whole)]
        for event in events:
            self._note(event)
        return took

    def _note(self, event: Event) -> None:
        match event:
            case MoveMade(ply=ply, move=move, stage=stage) if stage is not Stage.PROVISIONAL:
                self._announced.setdefault(ply, move)
                self._heard.append((ply, move, self.now))
            case MoveRetracted(ply=ply):
                self._announced.pop(ply, None)
            case QuestionAsked(question=question):
                self._asked.add(question.ply)
                self._answer_ms = self.now + ANSWER_MS if self.is_answering else None
            case QuestionClosed(ply=ply):
                self._asked.discard(ply)

    def spend(self, took: float) -> None:
        """Count the time of a call to the present ply."""
        if self.costs:
            self.costs[-1] += took

    def observation(self, inputs: tuple[Input, ...]) -> Observation:
        """What the board reports with *inputs*."""
        occupied = sum(1 << cell for cell in self.seen)
        looks = () if self.kind is SensorKind.OCCUPANCY else tuple(sorted(self.seen.items()))
        return Observation(self.now, inputs, Sightings(occupied, 0, looks), self.rest_ms)

    def pass_time(self, until: int) -> None:
        """Wake the session and answer questions until then."""
        while True:
            due = self.session.next_deadline_ms()
            if self._answer_ms is not None and self._answer_ms <= min(until, until if due is None else due):
                self.now, self._answer_ms = max(self.now, self._answer_ms), None
                self._answer()
            elif due is not None and due <= until:
                is_later = due > self.now
                self.now = max(self.now, due)
                self.spend(self.call(lambda: self.session.tick(self.now), is_first=is_later))
            else:
                break
        self.now = until

    def enter(self, item: dict[str, Any]) -> None:
        """What happens at the board, or a note of what the hands do."""
        self.pass_time(item["t"])
        if "begins" in item:
            self._truth.append((len(self.costs), item["begins"]))
            self.costs.append(0.0)
            self._begun_ms.append(item["t"])
            self.open.append(sorted(self._asked))
            move = self.rules.read_move(self._positions[-1], item["begins"])
            self._positions.append(self.rules.apply(self._positions[-1], move))
        elif "taken_back" in item:
            kept = len(self._truth) - item["taken_back"]
            del self._truth[kept:], self._positions[kept + 1 :]
        else:
            inputs = tuple(map(self._read, item["inputs"]))
            self.spend(self.call(lambda: self.session.observe(self.observation(inputs))))

    def _read(self, line: list[Any]) -> Input:
        at_ms, what, value = line
        if what in ("press", "lever"):
            return Press(at_ms, value) if what == "press" else LeverTurned(at_ms, value)
        seen, self.rest_ms = sighting(value), at_ms
        self.seen[what] = seen
        if seen == EMPTY:
            del self.seen[what]
        return Change(at_ms, what, seen)

    def _answer(self) -> None:
        """Answer truthfully; try again later while the ply is not made."""
        question = self.session.view().question
        if question is None:
            return
        self._answer_ms = self.now + AGAIN_MS
        for index, choice in enumerate(question.choices):
            if any(self._is_true(question.ply, text) for text in choice.moves):
                answer = Answer(question.ply, index)
                try:
                    self.call(partial(self.session.command, answer, self.now))
                except CompanionError:
                    self._answer_ms = None
                return

    def _is_true(self, ply: int, text: str) -> bool:
        """True if the move *text* has the same result as that which was played."""
        if ply >= len(self._truth) or text == self._truth[ply][1]:
            return ply < len(self._truth)
        try:
            move = self.rules.read_move(self._positions[ply], text)
        except CompanionError:
            return False
        return bool(self.rules.apply(self._positions[ply], move) == self._positions[ply + 1])

    def figures(self, how: str) -> dict[str, Any]:
        """The figures of the game, which ended as *how* says."""
        announced, wrong = {}, len(self.costs)
        for ply, (number, _) in enumerate(self._truth):
            found = self._announced.get(ply)
            if found is None or not self._is_true(ply, found):
                wrong = min(wrong, number)
                continue
            begun_ms = self._begun_ms[number]
            heard = (at_ms for at, move, at_ms in self._heard if at == ply and self._is_true(ply, move))
            announced[number] = min((at_ms for at_ms in heard if at_ms >= begun_ms), default=begun_ms)
        return {
            "how": how,
            "costs": [round(each, 4) for each in self.costs],
            "open": self.open,
            "announced": announced,
            "wrong": wrong,
            "longest": self.longest,
        }


def sighting(line: Any) -> Sighting:
    """A sighting from JSON."""
    return EMPTY if line is None else Sighting(True, *line)


def played(game: dict[str, Any]) -> dict[str, Any]:
    """Replay *game*; it ends as `played`, `time is up`, or with an error."""
    gc.collect()
    gc.freeze()
    replay, how = Replay(game), "played"
    signal.setitimer(signal.ITIMER_VIRTUAL, game["limit_s"])
    try:
        for item in game["items"]:
            replay.enter(item)
        replay.pass_time(replay.now + LAST_MS)
    except TimeUp:
        how = "time is up"
    except Exception as error:  # noqa: BLE001 (any error of a session ends its game)
        how = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return replay.figures(how)


def main() -> None:
    """Replay the games on standard input."""
    gc.set_threshold(*SWEEP)
    signal.signal(signal.SIGVTALRM, end_game)
    for line in sys.stdin:
        print(json.dumps(played(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What the process that thinks works on: questions, then those that may follow.

Its rule: a foreseen question is answered as it would be if it were asked, so thinking ahead changes
no move. A question that is being thought about already is not begun again, and what was found for
one reply is kept while that reply is made.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from companion.games import find
from companion.host.clock import monotonic
from companion.host.opponent.protocol import LEVELS, QUIT, REST, STOP, Answer, Question
from companion.model.game import AnyRules
from companion.opponent.find import knowledge_of
from companion.opponent.search import Search

_MOST_REPLIES: Final = 12
"""Replies whose answers are thought about."""
_MOST_READY: Final = 2 * _MOST_REPLIES
"""Answers that are kept until a question comes."""
_NODES: Final = 400
"""Positions looked at to find the likeliest reply."""


class Limits:
    """When a search ends: at its time, or when its result is not wanted."""

    def __init__(self, most_ms: int) -> None:
        self.clock: Final = monotonic()
        self.is_dropped = False
        self._since_ms: int | None = None  # before the search has begun
        self._most_ms = most_ms

    def extend(self, most_ms: int) -> None:
        """Let the search go on for *most_ms* from now."""
        self._since_ms, self._most_ms = self.clock(), most_ms

    def finish(self) -> None:
        """End the search; its result is wanted."""
        self._most_ms = 0

    def drop(self) -> None:
        """End the search; its result is not wanted."""
        self.is_dropped = True

    def is_over(self, reserve_ms: int = 0) -> bool:
        """True if the search is to end, so that *reserve_ms* of its time are left."""
        return self.is_dropped or self._spent_ms() >= self._most_ms - reserve_ms

    def is_late(self) -> bool:
        """True if a further iteration would hardly end in time."""
        return self.is_dropped or 2 * self._spent_ms() >= self._most_ms

    def _spent_ms(self) -> int:
        """Return the time since the search asked first."""
        now_ms = self.clock()
        if self._since_ms is None:
            self._since_ms = now_ms
        return now_ms - self._since_ms


@dataclass(frozen=True, slots=True)
class Work:
    """A question to think about."""

    question: Question
    limits: Limits
    is_foreseen: bool


class Mind:
    """What is asked and foreseen. One thread calls `take`, another one the rest."""

    def __init__(self) -> None:
        self.is_idle = threading.Event()
        """Set while there is nothing to think about."""
        self._changed = threading.Condition()
        self._waiting: deque[Question] = deque()
        self._is_ended = False
        self._foreseen: Iterator[Question] | None = None
        self._ready: dict[str, Answer] = {}
        self._work: Work | None = None

    # the input

    def take(self, line: str) -> None:
        """Take a line of the input."""
        with self._changed:
            if line == STOP:
                self._finish()
            elif line in (REST, QUIT):
                self._foreseen = None
                self._is_ended = self._is_ended or line == QUIT
                self._let_go(is_last=line == QUIT)
            else:
                question = json.loads(line)
                self._waiting.append(question)
                self._continue_or_drop(question)
            self.is_idle.clear()
            self._changed.notify()

    def _finish(self) -> None:
        """Let the newest question be answered at once."""
        work = self._work
        if self._waiting:
            self._waiting[-1]["most_ms"] = 0
            if work is not None and _key(work.question) == _key(self._waiting[-1]):
                work.limits.finish()
        elif work is not None and not work.is_foreseen:
            work.limits.finish()

    def _let_go(self, *, is_last: bool) -> None:
        """End what is foreseen, and if *is_last* also what was asked."""
        if self._work is not None and (self._work.is_foreseen or is_last):
            self._work.limits.drop()

    def _continue_or_drop(self, question: Question) -> None:
        """Go on with what is foreseen if *question* is about the same position."""
        work = self._work
        if work is None or not work.is_foreseen:
            return
        if LEVELS in question and _is_begun(question, work.question):
            return
        if _key(question) == _key(work.question):
            work.limits.extend(question["most_ms"])
        else:
            work.limits.drop()

    # the work

    def next(self) -> Work | None:
        """Wait for work; None at the end of the input."""
        while True:
            with self._changed:
                self._work = None
                while not self._waiting and not self._is_ended and self._foreseen is None:
                    self.is_idle.set()
                    self._changed.wait()
                if self._is_ended:
                    return None
                if self._waiting and (asked := self._take_question()) is not None:
                    return asked
                foreseen = self._foreseen
            if foreseen is not None and (work := self._foresee(foreseen)) is not None:
                return work

    def _take_question(self) -> Work | None:
        """Return the next question as work; None if it is for thinking ahead."""
        question = self._waiting.popleft()
        if LEVELS in question:
            self._foreseen = questions_ahead(question, lambda: bool(self._waiting) or self._foreseen is None)
            return None
        self._foreseen = None
        self._work = Work(question, Limits(question["most_ms"]), is_foreseen=False)
        return self._work

    def _foresee(self, foreseen: Iterator[Question]) -> Work | None:
        """Return the next of *foreseen* as work; None if it is not wanted any more."""
        question = next((each for each in foreseen if _key(each) not in self._ready), None)
        with self._changed:
            if self._foreseen is not foreseen or self._waiting:
                return None
            if question is None:
                self._foreseen = None
                return None
            self._work = Work(question, Limits(question["most_ms"]), is_foreseen=True)
            return self._work

    def ready(self, question: Question) -> Answer | None:
        """Return the answer to *question* if it was found ahead."""
        found = self._ready.get(_key(question))
        self._ready.clear()
        return found

    def keep(self, work: Work, answer: Answer) -> None:
        """Keep the *answer* to what was foreseen, if its search was not broken off."""
        with self._changed:
            if not work.limits.is_dropped:
                self._ready[_key(work.question)] = {**answer, "ms": 0}
                while len(self._ready) > _MOST_READY:
                    del self._ready[next(iter(self._ready))]


def _key(question: Question, *without: str) -> str:
    """*question* without its time."""
    left_out = ("most_ms", *without)
    return json.dumps(
        {name: value for name, value in question.items() if name not in left_out}, sort_keys=True
    )


def _is_begun(ahead: Question, question: Question) -> bool:
    """True if *question* is about the position of *ahead*, at one of its levels."""
    return _key({**ahead, "level": question["level"]}, LEVELS) == _key(question) and (
        int(question["level"]) in ahead[LEVELS]
    )


def questions_ahead(ahead: Question, should_stop: Callable[[], bool]) -> Iterator[Question]:
    """Yield the questions that may follow *ahead*, the likeliest first.

    That is its own position if the computer is to move there, otherwise those after replies.
    """
    question = dict(ahead)
    levels = question.pop(LEVELS)
    rules: AnyRules = find(question["game"]).rules(question["options"])
    position = rules.read_position(question["position"])
    if rules.status(position) is not None:
        return
    if levels[position.turn]:
        yield {**question, "level": str(levels[position.turn])}
        return
    past = [*question["past"], question["position"]]
    for move in _likeliest(rules, position, should_stop)[:_MOST_REPLIES]:
        after = rules.apply(position, move)
        if levels[after.turn] and rules.status(after) is None:
            yield {
                **question,
                "position": rules.write_position(after),
                "past": past,
                "seed": question["seed"] + 1,
                "level": str(levels[after.turn]),
            }


def _likeliest(rules: AnyRules, position: Any, should_stop: Callable[[], bool]) -> list[Any]:
    """The moves of *position*: the best ones of a short search first, then by rank."""
    knowledge = knowledge_of(rules)
    search: Search[Any, Any] = Search(knowledge, position, most_nodes=_NODES, should_stop=should_stop)
    best = [found.move for found in search.iterations()]
    moves = list(rules.legal_moves(position))
    ranks = dict(zip(moves, knowledge.ranks(position, moves), strict=True))
    return list(dict.fromkeys([*reversed(best), *sorted(moves, key=lambda move: -ranks[move])]))

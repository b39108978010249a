# SPDX-License-Identifier: Apache-2.0
"""Let sessions use the former inference instead of the tracker, to compare the two."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from companion.model.observation import Input
from companion.referee import session
from companion.referee.belief import Belief
from companion.referee.inference import FORMER, TRACKER, Inference
from companion.referee.reconcile import Hurried, Search

INFERENCES: Final = {"former": FORMER, "tracker": TRACKER}


def use_former(replace: Callable[[object, str, object], None] = setattr) -> None:
    """Let new sessions use the former inference; *replace* sets an attribute of a module."""
    replace(session, "TRACKER", FORMER)


def use_measured(name: str, took_ms: list[float]) -> None:
    """Let new sessions use the inference *name*.

    The time of each of its calls is added to *took_ms*.
    """
    setattr(session, "TRACKER", measured(INFERENCES[name], took_ms))  # noqa: B010 (a constant is replaced)


def measured(inference: Inference, took_ms: list[float]) -> Inference:
    """*inference* that adds the processor time of each call in ms to *took_ms*."""

    def reconcile(belief: Belief, entered: Input) -> Search:
        return _timed(inference.reconcile(belief, entered), took_ms)

    def rested(belief: Belief, now_ms: int) -> Search:
        return _timed(inference.rested(belief, now_ms), took_ms)

    def answered(belief: Belief, choice: int) -> Search:
        return _timed(inference.answered(belief, choice), took_ms)

    def understood(belief: Belief) -> Search:
        return _timed(inference.understood(belief), took_ms)

    return inference._replace(reconcile=reconcile, rested=rested, answered=answered, understood=understood)


def _timed(search: Search, took_ms: list[float]) -> Search:
    """*search*, whose time over all its steps is added to *took_ms*.

    A virtual timer, as the independent judge sets, coarsens the time of the process to 4 ms, but
    not that of the thread.
    """
    spent, hurried = 0.0, False
    while True:
        began = time.thread_time()
        try:
            search.throw(Hurried()) if hurried else next(search)
        except StopIteration as end:
            took_ms.append((spent + time.thread_time() - began) * 1000)
            found: Belief = end.value
            return found
        spent += time.thread_time() - began
        try:
            yield
        except Hurried:
            hurried = True
        else:
            hurried = False

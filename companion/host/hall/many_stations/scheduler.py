# SPDX-License-Identifier: Apache-2.0
"""Limits the tasks woken per iteration of an event loop shared by many tables."""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Final

from companion.host.mailbox import Priority, Waiter, wake

_AT_ONCE: Final = 4
"""Tasks that are woken per iteration of the event loop."""
_HASTY_AT_ONCE: Final = 12
"""Limit with that many urgent tasks: fewer would not keep up."""


class Scheduler:
    """Wakes a few of a loop's many tasks per iteration, urgent ones first.

    An action takes several iterations to reach the watchers; it must not wait behind all other
    tasks in each of them.
    """

    def __init__(self) -> None:
        self._hasty: deque[Waiter] = deque()
        self._others: deque[Waiter] = deque()
        self._is_giving = False

    def ask(self, waiter: Waiter, haste: Priority) -> None:
        """Queue *waiter*; it may queue again, and may have ended before its turn."""
        (self._hasty if haste is Priority.FIRST else self._others).append(waiter)
        if not self._is_giving:
            self._is_giving = True
            asyncio.get_running_loop().call_soon(self._give)

    def _give(self) -> None:
        """Wake some tasks, at least one that is not urgent, so that none starves."""
        given = _give(self._hasty, _HASTY_AT_ONCE)
        _give(self._others, max(1, _AT_ONCE - given))
        self._is_giving = bool(self._hasty or self._others)
        if self._is_giving:
            asyncio.get_running_loop().call_soon(self._give)


def _give(queue: deque[Waiter], most: int) -> int:
    """Wake up to *most* tasks of *queue*; return their number."""
    given = 0
    while queue and given < most:
        given += wake(queue.popleft())
    return given

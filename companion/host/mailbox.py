# SPDX-License-Identifier: Apache-2.0
"""A per-task mailbox, and a scheduler that limits the tasks woken per loop iteration.

Its rule: waiting ends with an item or a timeout, and a timeout costs a timer, not an exception,
since a table waits ten times for each motion of a hand.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum, auto
from typing import Final, Generic, TypeAlias, TypeVar

T = TypeVar("T")
_Waiter: TypeAlias = "asyncio.Future[None]"

_AT_ONCE: Final = 4
"""Tasks that are woken per iteration of the event loop."""
_HASTY_AT_ONCE: Final = 12
"""Limit with that many urgent tasks: fewer would not keep up."""


class Priority(Enum):
    """When a task is woken for an item."""

    FIRST = auto()
    """Before all others: a person expects a reaction."""
    IN_TURN = auto()
    """In its turn, like after a timeout."""
    NONE = auto()
    """Not for this item."""


class Scheduler:
    """Wakes a few of a loop's many tasks per iteration, urgent ones first.

    An action takes several iterations to reach the watchers; it must not wait behind all other
    tasks in each of them.
    """

    def __init__(self) -> None:
        self._hasty: deque[_Waiter] = deque()
        self._others: deque[_Waiter] = deque()
        self._is_giving = False

    def ask(self, waiter: _Waiter, haste: Priority) -> None:
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


def _give(queue: deque[_Waiter], most: int) -> int:
    """Wake up to *most* tasks of *queue*; return their number."""
    given = 0
    while queue and given < most:
        given += _end(queue.popleft())
    return given


def _end(waiter: _Waiter) -> bool:
    """Wake *waiter*; false if it has ended."""
    if waiter.done():
        return False
    waiter.set_result(None)
    return True


class Mailbox(Generic[T]):
    """A queue filled on one event loop and emptied by one task."""

    def __init__(self, turns: Scheduler | None = None) -> None:
        """The waiting task is woken at once, or by *turns*."""
        self._items: deque[T] = deque()
        self._waiter: _Waiter | None = None
        self._turns = turns

    def put(self, item: T, haste: Priority = Priority.FIRST) -> None:
        """Append *item*, and wake the waiting task with *haste*."""
        self._items.append(item)
        if self._waiter is not None and haste is not Priority.NONE:
            self._let(self._waiter, haste)

    def empty(self) -> list[T]:
        """Remove and return all items."""
        items = list(self._items)
        self._items.clear()
        return items

    def pop(self) -> T | None:
        """Remove and return the next item; None if the mailbox is empty."""
        return self._items.popleft() if self._items else None

    async def take(self, wait_ms: int | None) -> T | None:
        """Wait for the next item; None after *wait_ms*. With None, wait forever."""
        if not self._items:
            await self._wait(wait_ms)
        return self.pop()

    async def _wait(self, wait_ms: int | None) -> None:
        """Return on an item, or after *wait_ms*."""
        loop = asyncio.get_running_loop()
        waiter = self._waiter = loop.create_future()
        alarm = (
            None
            if wait_ms is None
            else loop.call_later(max(wait_ms, 0) / 1000, self._let, waiter, Priority.IN_TURN)
        )
        try:
            await waiter
        finally:
            self._waiter = None
            if alarm is not None:
                alarm.cancel()

    def _let(self, waiter: _Waiter, haste: Priority) -> None:
        """Wake *waiter*, now or in its turn."""
        if self._turns is None:
            _end(waiter)
        else:
            self._turns.ask(waiter, haste)

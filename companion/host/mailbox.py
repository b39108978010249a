# SPDX-License-Identifier: Apache-2.0
"""What waits for one task, in its order, and whose turn it is when there are many of them.

Its rule: whoever waits does so until something comes or a time has passed, and the time costs a timer, not an exception:
a table waits ten times for each thing that a hand does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum, auto
from typing import Final, Generic, TypeAlias, TypeVar

T = TypeVar("T")
_Waiter: TypeAlias = "asyncio.Future[None]"

_AT_ONCE: Final = 4
"""Tasks that go on in one round of the loop."""
_HASTY_AT_ONCE: Final = 12
"""Of those that are in haste, if so many are: else more would come in a long round than go on in it."""


class Priority(Enum):
    """When a task is to go on for what has come."""

    FIRST = auto()
    """Before all others: somebody has done something and looks whether it was noticed."""
    IN_TURN = auto()
    """When it is its turn, as after a time."""
    NONE = auto()
    """For something else, or when it is time."""


class Scheduler:
    """Lets only a few of a loop's many tasks go on in each of its rounds, those first that are in haste.

    What a task has done takes several rounds to reach those who watch: they must not wait behind all other tasks in each.
    """

    def __init__(self) -> None:
        self._hasty: deque[_Waiter] = deque()
        self._others: deque[_Waiter] = deque()
        self._is_giving = False

    def ask(self, waiter: _Waiter, haste: Priority) -> None:
        """Let *waiter* go on in its turn; it may ask again, and may be gone by then."""
        (self._hasty if haste is Priority.FIRST else self._others).append(waiter)
        if not self._is_giving:
            self._is_giving = True
            asyncio.get_running_loop().call_soon(self._give)

    def _give(self) -> None:
        """Let some go on, at least one of them of those who are in no haste: in a hall that is too large they would wait for ever."""
        given = _give(self._hasty, _HASTY_AT_ONCE)
        _give(self._others, max(1, _AT_ONCE - given))
        self._is_giving = bool(self._hasty or self._others)
        if self._is_giving:
            asyncio.get_running_loop().call_soon(self._give)


def _give(queue: deque[_Waiter], most: int) -> int:
    """Let up to *most* of *queue* go on; how many have."""
    given = 0
    while queue and given < most:
        given += _end(queue.popleft())
    return given


def _end(waiter: _Waiter) -> bool:
    """Let *waiter* go on; False if it has, or is gone."""
    if waiter.done():
        return False
    waiter.set_result(None)
    return True


class Mailbox(Generic[T]):
    """For one event loop, on which alone it is filled, and one task, which empties it."""

    def __init__(self, turns: Scheduler | None = None) -> None:
        """Whoever waits goes on at once, or in one of *turns*."""
        self._items: deque[T] = deque()
        self._waiter: _Waiter | None = None
        self._turns = turns

    def put(self, item: T, haste: Priority = Priority.FIRST) -> None:
        """Add *item* at the end; whoever waits goes on for it with *haste*."""
        self._items.append(item)
        if self._waiter is not None and haste is not Priority.NONE:
            self._let(self._waiter, haste)

    def empty(self) -> list[T]:
        """All that waits; nothing waits then."""
        items = list(self._items)
        self._items.clear()
        return items

    def pop(self) -> T | None:
        """What comes next; None if nothing waits."""
        return self._items.popleft() if self._items else None

    async def take(self, wait_ms: int | None) -> T | None:
        """What comes next, or None if nothing has within *wait_ms*; None waits for ever."""
        if not self._items:
            await self._wait(wait_ms)
        return self.pop()

    async def _wait(self, wait_ms: int | None) -> None:
        """Return when something waits, or after *wait_ms*."""
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
        """Let *waiter* go on, now or in its turn."""
        if self._turns is None:
            _end(waiter)
        else:
            self._turns.ask(waiter, haste)

# SPDX-License-Identifier: Apache-2.0
"""What waits for one task, in its order.

Its rule: whoever waits does so until something comes or a time has passed, and the time costs a timer, not an exception:
a table waits ten times for each thing that a hand does.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Inbox(Generic[T]):
    """For one event loop, on which alone it is filled, and one task, which empties it."""

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._waiter: asyncio.Future[None] | None = None

    def put(self, item: T) -> None:
        """Add *item* at the end."""
        self._items.append(item)
        self._wake()

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
        self._waiter = loop.create_future()
        alarm = None if wait_ms is None else loop.call_later(max(wait_ms, 0) / 1000, self._wake)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if alarm is not None:
                alarm.cancel()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

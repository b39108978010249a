# SPDX-License-Identifier: Apache-2.0
"""A per-task mailbox.

Its rule: waiting ends with an item or a timeout, and a timeout costs a timer, not an exception,
since a table waits ten times for each motion of a hand.
"""

from __future__ import annotations

import asyncio
from collections import deque
from enum import Enum, auto
from typing import Generic, Protocol, TypeAlias, TypeVar

T = TypeVar("T")
Waiter: TypeAlias = "asyncio.Future[None]"


class Priority(Enum):
    """When a task is woken for an item."""

    FIRST = auto()
    """Before all others: a person expects a reaction."""
    IN_TURN = auto()
    """In its turn, like after a timeout."""
    NONE = auto()
    """Not for this item."""


def wake(waiter: Waiter) -> bool:
    """Wake *waiter*; false if it has ended."""
    if waiter.done():
        return False
    waiter.set_result(None)
    return True


class Turns(Protocol):
    """Decides when the waiting tasks of an event loop are woken."""

    def ask(self, waiter: Waiter, haste: Priority) -> None:
        """Call `wake` with *waiter* in its turn; it may have ended by then."""
        ...


class Mailbox(Generic[T]):
    """A queue filled on one event loop and emptied by one task."""

    def __init__(self, turns: Turns | None = None) -> None:
        """The waiting task is woken at once, or by *turns*."""
        self._items: deque[T] = deque()
        self._waiter: Waiter | None = None
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

    def _let(self, waiter: Waiter, haste: Priority) -> None:
        """Wake *waiter*, now or in its turn."""
        if self._turns is None:
            wake(waiter)
        else:
            self._turns.ask(waiter, haste)

# SPDX-License-Identifier: Apache-2.0
"""Group fsync: journals that wait at the same time share one thread.

Its rule: a caller waits until everything it wrote before is on the disk, or its journal has a
fault.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from math import inf
from typing import Final, TypeAlias

from companion.host.journal.journal import JournalWriter

_WALKERS: Final = 4
"""Limit of threads; a slow disk commits the requests of several together."""
_FEW: Final = 4
"""Journals per thread run; a caller waits for all of them."""
GATHER_S: Final = 0.02
"""Smallest interval between two starts, since a thread switch costs more than the fsync."""


Sync: TypeAlias = Callable[[list[JournalWriter]], None]
"""Puts journals on the disk."""


class GroupFsync:
    """Syncs the journals of all tables of an event loop."""

    def __init__(self, sync: Sync | None = None, *, gather_s: float = GATHER_S) -> None:
        """*sync* puts journals on the disk; two starts are at least *gather_s* apart."""
        self._sync = sync or sync_all
        self._gather_s = gather_s
        self._waiting: deque[tuple[JournalWriter, asyncio.Future[None]]] = deque()
        self._walks: set[asyncio.Task[None]] = set()
        self._set_off_s = -inf
        """Time of the last start, on the event loop's clock."""
        self._is_called = False
        """True while a start is scheduled."""

    def keep(self, journal: JournalWriter) -> asyncio.Future[None]:
        """Return a future that is done once *journal* is synced, or has a `fault`."""
        is_safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((journal, is_safe))
        self._call()
        return is_safe

    def _call(self) -> None:
        """Schedule a start if journals wait: at once, or after the interval."""
        if self._waiting and not self._is_called and len(self._walks) < _WALKERS:
            self._is_called = True
            loop = asyncio.get_running_loop()
            loop.call_later(max(0.0, self._set_off_s + self._gather_s - loop.time()), self._set_off)

    def _set_off(self) -> None:
        """Sync the waiting journals with the available threads."""
        self._is_called, self._set_off_s = False, asyncio.get_running_loop().time()
        while self._waiting and len(self._walks) < _WALKERS:
            taken = [self._waiting.popleft() for _ in range(min(_FEW, len(self._waiting)))]
            walk = asyncio.create_task(self._walk(taken), name="fsync")
            self._walks.add(walk)
            walk.add_done_callback(self._return)

    def _return(self, walk: asyncio.Task[None]) -> None:
        """Handle the end of *walk*: sync what has arrived meanwhile."""
        self._walks.discard(walk)
        if not walk.cancelled():
            self._call()

    async def _walk(self, taken: Sequence[tuple[JournalWriter, asyncio.Future[None]]]) -> None:
        """Sync the journals *taken*."""
        try:
            await asyncio.to_thread(self._sync, [journal for journal, _ in taken])
            for _, is_safe in taken:
                if not is_safe.done():
                    is_safe.set_result(None)
        finally:
            for _, is_safe in taken:
                is_safe.cancel()  # no caller may take an unfinished sync for a success


def sync_all(journals: Sequence[JournalWriter]) -> None:
    """Put *journals* on the disk, one after another."""
    for journal in journals:
        journal.sync()

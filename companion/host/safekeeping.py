# SPDX-License-Identifier: Apache-2.0
"""Journals made safe on the disk, those of one moment together: many tables need one thread's walk instead of one each.

Its rule: whoever waits for a journal waits until what was written before the wait is on the disk, or until the journal has a fault.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

from companion.host.journal import JournalWriter

_WALKERS: Final = 4
"""Threads at most: a disk that takes its time puts what several ask for into one commit."""
_FEW: Final = 4
"""Journals that one takes at a time: who waits for one of them waits for all."""


class Safekeeper:
    """Makes the journals of all tables of one event loop safe."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[JournalWriter, asyncio.Future[None]]] = deque()
        self._walks: set[asyncio.Task[None]] = set()

    def keep(self, journal: JournalWriter) -> asyncio.Future[None]:
        """Done when *journal*, as far as it is written, survives a power cut, or has a `fault`."""
        is_safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((journal, is_safe))
        if len(self._walks) < _WALKERS:
            walk = asyncio.create_task(self._walk(), name="safekeeper")
            self._walks.add(walk)
            walk.add_done_callback(self._walks.discard)
        return is_safe

    async def _walk(self) -> None:
        """Make safe what waits, and what has come meanwhile, until nothing waits."""
        while self._waiting:
            taken = [self._waiting.popleft() for _ in range(min(_FEW, len(self._waiting)))]
            try:
                await asyncio.to_thread(_sync, [journal for journal, _ in taken])
                for _, is_safe in taken:
                    if not is_safe.done():
                        is_safe.set_result(None)
            finally:
                for _, is_safe in taken:
                    is_safe.cancel()  # nobody is told that it is safe if that is not known


def _sync(journals: Sequence[JournalWriter]) -> None:
    for journal in journals:
        journal.sync()

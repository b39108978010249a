# SPDX-License-Identifier: Apache-2.0
"""Journals made safe on the disk, those of one moment together: many tables need one thread's walk instead of one each.

Its rule: whoever waits for a journal waits until what was written before the wait is on the disk, or until the journal has a fault.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from math import inf
from typing import Final

from companion.host.journal.journal import JournalWriter

_WALKERS: Final = 4
"""Threads at most: a disk that takes its time puts what several ask for into one commit."""
_FEW: Final = 4
"""Journals that one takes at a time: who waits for one of them waits for all."""
_GATHER_S: Final = 0.02
"""Between two times at which some set off, if so many are waited for: the walk costs more than what is done at the disk, and play does not wait."""


class GroupFsync:
    """Makes the journals of all tables of one event loop safe."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[JournalWriter, asyncio.Future[None]]] = deque()
        self._walks: set[asyncio.Task[None]] = set()
        self._set_off_s = -inf
        """When some set off last, by the loop's clock."""
        self._is_called = False
        """True while some are about to set off."""

    def keep(self, journal: JournalWriter) -> asyncio.Future[None]:
        """Done when *journal*, as far as it is written, survives a power cut, or has a `fault`."""
        is_safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((journal, is_safe))
        self._call()
        return is_safe

    def _call(self) -> None:
        """Have somebody set off if something waits: at once, unless others just have."""
        if self._waiting and not self._is_called and len(self._walks) < _WALKERS:
            self._is_called = True
            loop = asyncio.get_running_loop()
            loop.call_later(max(0.0, self._set_off_s + _GATHER_S - loop.time()), self._set_off)

    def _set_off(self) -> None:
        """Make safe what waits, with as many walkers as there may be."""
        self._is_called, self._set_off_s = False, asyncio.get_running_loop().time()
        while self._waiting and len(self._walks) < _WALKERS:
            taken = [self._waiting.popleft() for _ in range(min(_FEW, len(self._waiting)))]
            walk = asyncio.create_task(_walk(taken), name="safekeeper")
            self._walks.add(walk)
            walk.add_done_callback(self._return)

    def _return(self, walk: asyncio.Task[None]) -> None:
        """*walk* has ended: what has come meanwhile is next."""
        self._walks.discard(walk)
        if not walk.cancelled():
            self._call()


async def _walk(taken: Sequence[tuple[JournalWriter, asyncio.Future[None]]]) -> None:
    """Make safe what was *taken*."""
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

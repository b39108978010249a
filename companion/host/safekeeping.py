# SPDX-License-Identifier: Apache-2.0
"""Journals made safe on the disk, those of one moment together: many tables need one thread's walk instead of one each.

Its rule: whoever waits for a journal waits until what was written before the wait is on the disk, or until the journal has a fault.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from companion.host.journal import JournalWriter

_WALKERS: Final = 4
"""Threads at most: a disk that takes its time puts what several ask for into one commit."""
_FEW: Final = 4
"""Journals that one thread takes by itself."""


class Safekeeper:
    """Makes the journals of all tables of one event loop safe."""

    def __init__(self) -> None:
        self._waiting: list[tuple[JournalWriter, asyncio.Future[None]]] = []
        self._walk: asyncio.Task[None] | None = None

    async def keep(self, journal: JournalWriter) -> None:
        """Return when *journal*, as far as it is written, survives a power cut, or has a `fault`."""
        is_safe: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((journal, is_safe))
        if self._walk is None:
            self._walk = asyncio.create_task(self._keep_all(), name="safekeeper")
        await is_safe

    async def _keep_all(self) -> None:
        """Make safe what waits, and what has come meanwhile, until nothing waits."""
        try:
            while self._waiting:
                walked, self._waiting = self._waiting, []
                shares = min(_WALKERS, -(-len(walked) // _FEW))
                await asyncio.gather(
                    *(
                        asyncio.to_thread(_sync, [each for each, _ in walked[share::shares]])
                        for share in range(shares)
                    )
                )
                for _, is_safe in walked:
                    if not is_safe.done():
                        is_safe.set_result(None)
        finally:
            self._walk = None
            for _, is_safe in self._waiting:
                is_safe.cancel()


def _sync(journals: Sequence[JournalWriter]) -> None:
    for journal in journals:
        journal.sync()

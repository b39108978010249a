# SPDX-License-Identifier: Apache-2.0
"""Checks during an evening that the book is still locked for this hall."""

from __future__ import annotations

import asyncio

from companion.host.hall.book_lock import BookLock
from companion.host.hall.core.hall import Hall
from companion.host.retry import USUAL, Intervals
from companion.model.errors import StoreError


async def stay_alone(hall: Hall, lock: BookLock, intervals: Intervals = USUAL) -> None:
    """Keep the lock of the book, and report while it cannot be held."""
    while True:
        try:
            await asyncio.to_thread(lock.look)
            hall.complain("book")
        except StoreError as fault:
            hall.complain("book", str(fault))
        await asyncio.sleep(intervals.book_lock_s)

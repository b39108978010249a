# SPDX-License-Identifier: Apache-2.0
"""Exclusive lock of a book: for one running hall, or one person without a hall.

Its rule: the lock ends with the process: an advisory lock of a PostgreSQL server, or an SQLite lock
on a file beside the book. A restarted server has lost it, so it is taken again; until then the
numbers of the book's entries prevent conflicts.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any, Final

from companion.host import private_files
from companion.host.records.database import Database, open_file
from companion.model.errors import StoreError

_LOCK: Final = 0x48616C6C
"""Key of the PostgreSQL advisory lock; an arbitrary number."""
_NOT_AVAILABLE: Final = "55P03"
"""PostgreSQL's error code for a lock held by another session."""
PATIENCE_MS: Final = 2_000
"""A server needs time to notice that a client was killed."""
BRIEFLY_MS: Final = 200
"""For interactive use, where a running hall is reported at once."""


class BookLock:
    """The lock of a book."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._lock = contextlib.ExitStack()
        self._connection: Any = None
        """Connection to the server that holds the lock."""

    def take(self, patience_ms: int) -> None:
        """Acquire the lock within *patience_ms*. Raises `StoreError`."""
        taken = StoreError(
            "the book at {store} is held by a hall that runs: act at its desk, say with --at where "
            "it is, or name another book with --store",
            store=self._database.url,
        )
        self._take(patience_ms, taken)

    def look(self) -> None:
        """Acquire the lock again if the server has lost it. Raises `StoreError` if impossible."""
        if self._database.file is not None:
            return
        try:
            with self._database.failing():
                if self._connection is not None:
                    self._connection.execute("SELECT 1")
                    return
        except StoreError:
            self.release()
        taken = StoreError(
            "the book at {store} is held by another hall, too: stop one of the two", store=self._database.url
        )
        self._take(BRIEFLY_MS, taken)

    def release(self) -> None:
        """Release the lock."""
        self._connection = None
        self._lock.close()

    def _take(self, patience_ms: int, taken: StoreError) -> None:
        """Acquire the lock. Raises *taken* if it is held for too long, and `StoreError`."""
        try:
            with self._database.failing(), contextlib.ExitStack() as stack:
                self._lock_until(stack, patience_ms)
                self._lock = stack.pop_all()
        except StoreError as fault:
            if not _is_taken(fault.__cause__):
                raise
            raise taken from fault

    def _lock_until(self, stack: contextlib.ExitStack, patience_ms: int) -> None:
        """Acquire the lock until *stack* closes. Raises the driver's errors."""
        if file := self._database.file:
            lock = file.with_name(f"{file.name}-held")
            private_files.make_database(lock)
            connection = stack.enter_context(contextlib.closing(open_file(lock, patience_ms / 1000)))
            connection.execute("BEGIN EXCLUSIVE")
        else:
            server = stack.enter_context(contextlib.closing(self._database.open()))
            server.execute(f"SET lock_timeout = {patience_ms}")
            server.execute(f"SELECT pg_advisory_lock({_LOCK})")
            self._connection = server


@contextlib.contextmanager
def held(database: Database, patience_ms: int = PATIENCE_MS) -> Iterator[BookLock]:
    """Hold the lock of the book in *database* inside the block. Raises `StoreError`."""
    lock = BookLock(database)
    lock.take(patience_ms)
    try:
        yield lock
    finally:
        lock.release()


def _is_taken(cause: BaseException | None) -> bool:
    """True if a lock is held by another process."""
    return getattr(cause, "sqlstate", "") == _NOT_AVAILABLE or "database is locked" in str(cause)

# SPDX-License-Identifier: Apache-2.0
"""Who writes into a book: one hall, or one person who sets up an evening while none runs.

Its rule: who holds a book holds a lock that dies with the program, however that ends: a server's own, and beside a file one
that SQLite has on every system. A server that was gone has forgotten it, so it is taken again; until then the numbers of the book tell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sql

from companion.host import private_files
from companion.host.records.database import failing, file_of, shown
from companion.model.errors import StoreError

_LOCK: Final = 0x48616C6C
"""PostgreSQL's advisory lock for whoever writes: any number that is ours."""
_NOT_AVAILABLE: Final = "55P03"
"""How PostgreSQL says that somebody else has a lock."""
PATIENCE_MS: Final = 2_000
"""A server takes its time to notice that a program was killed."""
BRIEFLY_MS: Final = 200
"""For somebody who sits and waits, and sees at once that a hall runs."""


class BookLock:
    """The lock of a book."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine
        self._lock = contextlib.ExitStack()
        self._connection: sql.Connection | None = None
        """With the server that knows who holds it."""

    def take(self, patience_ms: int) -> None:
        """Hold the book, as soon as nobody else does. Raises `StoreError`: also if somebody does for so long."""
        taken = StoreError(
            "the book at {store} is held by a hall that runs: act at its desk, say with --at where "
            "it is, or name another book with --store",
            store=shown(self._engine),
        )
        self._take(patience_ms, taken)

    def look(self) -> None:
        """Hold the book again where its server has forgotten who did. Raises `StoreError` while that cannot be."""
        if self._engine.dialect.name == "sqlite":
            return
        try:
            with failing(self._engine):
                if self._connection is not None:
                    self._connection.exec_driver_sql("SELECT 1")
                    return
        except StoreError:
            self.release()
        taken = StoreError(
            "the book at {store} is held by another hall, too: stop one of the two", store=shown(self._engine)
        )
        self._take(BRIEFLY_MS, taken)

    def release(self) -> None:
        """Let others hold it."""
        self._connection = None
        self._lock.close()

    def _take(self, patience_ms: int, taken: StoreError) -> None:
        """Take the lock. Raises *taken* if somebody else has it for so long, and `StoreError`."""
        try:
            with failing(self._engine), contextlib.ExitStack() as stack:
                self._lock_until(stack, patience_ms)
                self._lock = stack.pop_all()
        except StoreError as fault:
            if not _is_taken(fault.__cause__):
                raise
            raise taken from fault

    def _lock_until(self, stack: contextlib.ExitStack, patience_ms: int) -> None:
        """Take the lock until *stack* ends. Raises as the library does."""
        if self._engine.dialect.name != "sqlite":
            unlogged = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            connection = stack.enter_context(unlogged)
            stack.callback(connection.invalidate)  # closed, not given back to others with the lock
            connection.exec_driver_sql(f"SET lock_timeout = {patience_ms}")
            connection.exec_driver_sql(f"SELECT pg_advisory_lock({_LOCK})")
            self._connection = connection
        elif file := file_of(self._engine):
            lock = file.with_name(f"{file.name}-held")
            private_files.make_database(lock)
            beside = sql.create_engine(
                sql.URL.create("sqlite", database=str(lock)),
                connect_args={"timeout": patience_ms / 1000},
            )
            stack.callback(beside.dispose)
            connection = stack.enter_context(beside.connect())
            connection.exec_driver_sql("BEGIN EXCLUSIVE")


@contextlib.contextmanager
def held(engine: sql.Engine, patience_ms: int = PATIENCE_MS) -> Iterator[BookLock]:
    """The book at *engine* is ours meanwhile. Raises `StoreError` if it is somebody else's for so long."""
    holding = BookLock(engine)
    holding.take(patience_ms)
    try:
        yield holding
    finally:
        holding.release()


def _is_taken(fault: BaseException | None) -> bool:
    """True if a lock was refused because somebody else has it."""
    told = getattr(fault, "orig", None)
    return getattr(told, "sqlstate", "") == _NOT_AVAILABLE or "database is locked" in str(told)

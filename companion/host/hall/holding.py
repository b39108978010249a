# SPDX-License-Identifier: Apache-2.0
"""Who writes into a book: one hall, or one person who sets up an evening while none runs.

Its rule: who holds a book holds a lock that dies with the program, however that ends: a server's own, and beside a file one
that SQLite has on every system. A server that was gone has forgotten it; then the numbers of the book tell.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

import sqlalchemy as sql

from companion.host.database import failing, shown
from companion.model.errors import StoreError

_LOCK: Final = 0x48616C6C
"""PostgreSQL's advisory lock for whoever writes: any number that is ours."""
_NOT_AVAILABLE: Final = "55P03"
"""How PostgreSQL says that somebody else has a lock."""
_PATIENCE_MS: Final = 2_000
"""A server takes its time to notice that a program was killed."""


@contextlib.contextmanager
def held(engine: sql.Engine) -> Iterator[None]:
    """The book at *engine* is ours meanwhile. Raises `StoreError` if it is somebody else's."""
    with contextlib.ExitStack() as stack:
        try:
            with failing(engine):
                _lock(engine, stack)
        except StoreError as fault:
            if not _is_taken(fault.__cause__):
                raise
            raise StoreError(
                f"the book at {shown(engine)} is held by a hall that runs: act at its desk, say with --at where it is, "
                "or name another book with --store"
            ) from fault
        yield


def _is_taken(fault: BaseException | None) -> bool:
    """True if a lock was refused because somebody else has it."""
    told = getattr(fault, "orig", None)
    return getattr(told, "sqlstate", "") == _NOT_AVAILABLE or "database is locked" in str(told)


def _lock(engine: sql.Engine, stack: contextlib.ExitStack) -> None:
    """Take the lock until *stack* ends. Raises as the library does."""
    if engine.dialect.name != "sqlite":
        connection = stack.enter_context(engine.connect().execution_options(isolation_level="AUTOCOMMIT"))
        connection.exec_driver_sql(f"SET lock_timeout = {_PATIENCE_MS}")
        connection.exec_driver_sql(f"SELECT pg_advisory_lock({_LOCK})")
        stack.callback(connection.invalidate)  # closed, not given back to others with the lock
    elif engine.url.database not in (None, "", ":memory:"):
        beside = sql.create_engine(
            sql.URL.create("sqlite", database=f"{engine.url.database}-held"),
            connect_args={"timeout": _PATIENCE_MS / 1000},
        )
        stack.callback(beside.dispose)
        connection = stack.enter_context(beside.connect())
        connection.exec_driver_sql("BEGIN EXCLUSIVE")

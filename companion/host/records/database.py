# SPDX-License-Identifier: Apache-2.0
"""The database of stored games and of a hall's book:

SQLite by default, PostgreSQL by URL.

Its rule: opening it migrates the tables to this program's version. Several programs may open it at
the same time.
"""

from __future__ import annotations

import contextlib
import socket
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import platformdirs
import sqlalchemy as sql
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from companion.host import private_files
from companion.model.errors import StoreError
from companion.model.phrase import Phrase

VERSION: Final = "0007"
"""Version of the tables: the last file in `migrations/versions`."""
KNOWN_VERSIONS: Final = frozenset(f"{number:04}" for number in range(1, int(VERSION) + 1))
_LOCK: Final = 0x436F6D70
"""Key of the PostgreSQL advisory lock for migrations; an arbitrary number."""
_POSTGRES: Final = "postgresql+psycopg"
"""The bundled driver."""
_CONNECT_S: Final = 5
"""Limit of a connection attempt; a machine that is off does not answer at all."""
_PING_S: Final = 2
"""Limit of a ping to a server that has just answered: the least of libpq."""
_TIMED_OUT: Final = "timeout expired"
"""Part of the driver's message."""
_CONNECTION: Final = "08"
"""Class of PostgreSQL's error codes for lost connections."""
_SHUT: Final = frozenset({"57P01", "57P02", "57P03"})
"""PostgreSQL's error codes for a server that stops, has crashed, or starts."""


def default_url() -> str:
    """Return the URL of the database in the platform's data folder."""
    path = platformdirs.user_data_path("companion", appauthor=False) / "records.sqlite"
    return f"sqlite:///{path}"


def shown(engine: sql.Engine) -> str:
    """Return the URL of *engine* without its password."""
    return engine.url.render_as_string(hide_password=True)


def connect(url: str | None) -> sql.Engine:
    """Open the database at *url*, or the default one, with current tables. Raises `StoreError`."""
    return _connect(url or default_url(), is_there=False)


def find(url: str | None) -> sql.Engine:
    """Like `connect`, but a database named by *url* has to exist."""
    return _connect(url or default_url(), is_there=bool(url))


@contextlib.contextmanager
def engine_at(url: str | None, *, may_make: bool = False) -> Iterator[sql.Engine]:
    """Open the database at *url*, or the default one, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    engine = connect(url) if may_make else find(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _connect(url: str, *, is_there: bool) -> sql.Engine:
    try:
        engine = _engine_at(url)
        if is_there:
            _look_for_tables(engine)
        if engine.dialect.name == "sqlite":
            _prepare_sqlite(engine)
    except (ArgumentError, ImportError, OSError) as fault:
        raise StoreError(
            "{url!r} is not a store: {reason}; sqlite:///FILE is one, postgresql://HOST/NAME another",
            url=_without_password(url),
            reason=fault,
        ) from fault
    try:
        with failing(engine), engine.begin() as connection:
            _provide_tables(connection)
    except BaseException:
        engine.dispose()
        raise
    return engine


_REASONS: Final[dict[str, Phrase]] = {
    each: each
    for each in (
        Phrase("attempt to write a readonly database"),
        Phrase("database is locked"),
        Phrase("database or disk is full"),
        Phrase("disk I/O error"),
        Phrase("unable to open database file"),
    )
}
"""The usual ones of SQLite."""


@contextlib.contextmanager
def failing(engine: sql.Engine) -> Iterator[None]:
    """Convert database errors to `StoreError` inside the block."""
    try:
        yield
    except SQLAlchemyError as fault:
        reason = str(getattr(fault, "orig", None) or fault).strip()
        reason = _REASONS.get(reason, reason)
        raise StoreError(
            "the store at {store} cannot be used: {reason}", store=shown(engine), reason=reason
        ) from fault


def _with_driver(url: str) -> sql.URL:
    """Parse *url* and add the bundled driver if it names none. Raises `ArgumentError`."""
    parsed = sql.make_url(url)
    return parsed.set(drivername=_POSTGRES) if parsed.drivername == "postgresql" else parsed


def _engine_at(url: str) -> sql.Engine:
    """Return the engine for *url*, not connected yet. Raises `ArgumentError` and `ImportError`."""
    parsed = _with_driver(url)
    is_patient = parsed.drivername != _POSTGRES or "connect_timeout" in parsed.query
    limits = {} if is_patient else {"connect_timeout": _CONNECT_S}
    return sql.create_engine(parsed, pool_pre_ping=True, connect_args=limits)


def is_away(url: str | None, fault: StoreError) -> bool:
    """True if *fault* of the store at *url* passes: its server is away.

    It asks the server for up to 7 s, since a refused login has no error code.
    """
    cause = getattr(fault.__cause__, "orig", None)
    if cause is None or _with_driver(url or default_url()).drivername != _POSTGRES:
        return False
    state = getattr(cause, "sqlstate", None)
    if state is not None:
        return state.startswith(_CONNECTION) or state in _SHUT
    from psycopg import conninfo, pq

    engine = _engine_at(url or default_url())
    given = {**engine.dialect.create_connect_args(engine.url)[1], "connect_timeout": _PING_S}
    given.pop("context", None)
    if _TIMED_OUT in str(cause) or not _is_known(str(given.get("host", ""))):
        return True  # the ping, which stops all threads, would take as long
    answer = pq.PGconn.ping(conninfo.make_conninfo(**given).encode())
    if answer != pq.Ping.OK:
        return answer != pq.Ping.NO_ATTEMPT  # that is a wrong URL
    try:
        with engine.connect():  # it may have started since
            return True
    except SQLAlchemyError:
        return False
    finally:
        engine.dispose()


def _is_known(hosts: str) -> bool:
    """True if *hosts* can be looked up; a path is a local socket."""
    try:
        for host in filter(None, hosts.split(",")):
            if not host.startswith("/"):
                socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True


def _without_password(url: str) -> str:
    try:
        return sql.make_url(url).render_as_string(hide_password=True)
    except ArgumentError:
        return url


def file_of(engine: sql.Engine) -> Path | None:
    """Return the SQLite file of the database, if it has one."""
    name = engine.url.database if engine.dialect.name == "sqlite" else None
    return Path(name) if name and not name.startswith((":", "file:")) else None


def _look_for_tables(engine: sql.Engine) -> None:
    """Check that the tables exist, without creating a file. Raises `StoreError`."""
    file = file_of(engine)
    is_ours = False
    if file is None or file.exists():
        with failing(engine), engine.connect() as connection:
            seen = sql.inspect(connection)
            is_ours = seen.has_table("alembic_version") or seen.has_table("games")  # an unversioned store
    engine.dispose()
    if is_ours:
        return
    raise StoreError(
        "there is no store at {store}: name the right one with --store, or make one there with "
        "`companion hall admit NAME` or `companion records import`",
        store=shown(engine),
    )


def _prepare_sqlite(engine: sql.Engine) -> None:
    """Create the file's folder, and let readers work beside a writer."""
    if file := file_of(engine):
        private_files.make_database(file)

    @sql.event.listens_for(engine, "connect")
    def _journal_mode(connection: Any, _record: object) -> None:
        cursor = connection.cursor()
        try:
            cursor.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as fault:
            if "locked" not in str(fault):  # locked: another program sets it just now
                raise
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()


def _provide_tables(connection: sql.Connection) -> None:
    """Migrate the tables to `VERSION`. Raises `StoreError` if they are newer."""
    found = _version(connection)
    if found == VERSION:
        return
    if found is not None and found not in KNOWN_VERSIONS:
        raise StoreError(
            "the store at {store} has version {found}, this program knows {version}: use a newer Companion",
            store=shown(connection.engine),
            found=found,
            version=VERSION,
        )
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql("BEGIN IMMEDIATE")  # another program may be migrating at this moment
    else:
        connection.execute(sql.select(sql.func.pg_advisory_xact_lock(_LOCK)))
    if _version(connection) != VERSION:
        _migrate(connection)


def _version(connection: sql.Connection) -> str | None:
    """Return the version of the tables; None if it is not recorded."""
    if not sql.inspect(connection).has_table("alembic_version"):
        return None
    version: str | None = connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar()
    return version


def _migrate(connection: sql.Connection) -> None:
    """Run the missing migrations; Alembic is imported only here, since its import is slow."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, VERSION)

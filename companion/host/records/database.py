# SPDX-License-Identifier: Apache-2.0
"""The database of stored games and of a hall's book:

SQLite by default, PostgreSQL by URL.

Its rule: opening it migrates the tables to this program's version. Several programs may open it at
the same time. Statements are in the SQL that both know, with `?` for a value.
"""

from __future__ import annotations

import contextlib
import re
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote

import platformdirs

from companion.host import private_files
from companion.host.records import migrations
from companion.model.errors import StoreError
from companion.model.os_errors import reason_of
from companion.model.phrase import Phrase

_LOCK: Final = 0x436F6D70
"""Key of the PostgreSQL advisory lock for migrations; an arbitrary number."""
_FILE: Final = "sqlite:///"
_SERVER: Final = re.compile(r"postgresql(\+psycopg)?://")
_LOGIN: Final = re.compile(r"(?<=://)([^:/@]*):([^@]*)@")
"""User and password in a URL."""
_SECRET: Final = re.compile(r"(?<=[?&])((?:ssl)?password)=[^&]*")
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
_BUSY_S: Final = 5.0
"""How long SQLite waits for another program's transaction."""
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


@dataclass(frozen=True, slots=True)
class _Dialect:
    """Where the SQL of the two differs."""

    begin_writing: str
    count_table: str
    """Counts the tables of a name: 0 or 1."""
    replaced: tuple[str, str]
    """What every statement has instead."""


_SQLITE: Final = _Dialect(
    "BEGIN IMMEDIATE",  # with what it reads first, no other program interferes
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = ?",
    ("SERIAL", "INTEGER"),
)
_POSTGRESQL: Final = _Dialect(
    "BEGIN",
    # to_regclass() would answer from a cache, without what others have made meanwhile
    "SELECT count(*) FROM pg_tables WHERE schemaname = ANY (current_schemas(false)) AND tablename = ?",
    ("?", "%s"),
)


class Transaction:
    """A transaction that runs."""

    def __init__(self, connection: Any, dialect: _Dialect) -> None:
        self._connection = connection
        self._dialect = dialect

    def execute(self, statement: str, values: Sequence[object] = ()) -> Any:
        """Execute *statement* and return the DB-API cursor with its rows."""
        return self._connection.execute(statement.replace(*self._dialect.replaced), values)

    def executemany(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        """Execute *statement* with the values of each row."""
        self._connection.cursor().executemany(statement.replace(*self._dialect.replaced), rows)

    def has_table(self, name: str) -> bool:
        """True if there is a table *name*."""
        (count,) = self.execute(self._dialect.count_table, (name,)).fetchone()
        return bool(count)


class Database(ABC):
    """A database, with a connection for each transaction at a time.

    Threads may share it. Its connections are in autocommit mode: transactions begin explicitly.
    """

    file: Path | None = None
    """The file of the database; None if it is on a server."""

    def __init__(self, url: str, driver: Any, dialect: _Dialect) -> None:
        self.url = _without_password(url)
        """The URL without its password."""
        self.driver = driver
        """The DB-API module."""
        self._dialect = dialect
        self._idle: list[Any] = []
        self._is_closed = False

    @abstractmethod
    def open(self) -> Any:
        """Open a connection of the caller's own. Raises the driver's errors."""

    @abstractmethod
    def _is_usable(self, connection: Any) -> bool:
        """True if *connection*, which was idle, still is one."""

    @contextlib.contextmanager
    def failing(self) -> Iterator[None]:
        """Convert database errors to `StoreError` inside the block."""
        try:
            yield
        except (self.driver.Error, OSError) as fault:
            reason = reason_of(fault) if isinstance(fault, OSError) else str(fault).strip()
            raise StoreError(
                "the store at {store} cannot be used: {reason}",
                store=self.url,
                reason=_REASONS.get(reason, reason),
            ) from fault

    @contextlib.contextmanager
    def reading(self) -> Iterator[Transaction]:
        """Read in a transaction. Raises `StoreError`."""
        with self._transaction("BEGIN") as transaction:
            yield transaction

    @contextlib.contextmanager
    def writing(self) -> Iterator[Transaction]:
        """Read and write in a transaction, which an exception undoes. Raises `StoreError`."""
        with self._transaction(self._dialect.begin_writing) as transaction:
            yield transaction

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[Transaction]:
        with self.failing():
            connection = self._take()
            try:
                connection.execute(begin)
                yield Transaction(connection, self._dialect)
                connection.execute("COMMIT")
            except BaseException:
                connection.close()  # which rolls back
                raise
        if self._is_closed:
            connection.close()
        else:
            self._idle.append(connection)

    def _take(self) -> Any:
        """Return a connection that works: an idle one, or a new one."""
        with contextlib.suppress(IndexError):  # none is idle
            while not self._is_usable(connection := self._idle.pop()):
                connection.close()
            return connection
        return self.open()

    def close(self) -> None:
        """Close the idle connections, and the others as soon as their transactions have ended."""
        self._is_closed = True
        while self._idle:
            self._idle.pop().close()


def open_file(file: Path, patience_s: float = _BUSY_S) -> sqlite3.Connection:
    """Open the SQLite database in *file*. Threads may share the connection, one at a time."""
    return sqlite3.connect(file, timeout=patience_s, isolation_level=None, check_same_thread=False)


class _File(Database):
    """A database in SQLite."""

    def __init__(self, url: str) -> None:
        super().__init__(url, sqlite3, _SQLITE)
        self.file: Path = Path(url.removeprefix(_FILE))

    def open(self) -> sqlite3.Connection:
        connection = open_file(self.file)
        connection.execute("PRAGMA foreign_keys=ON")
        return connection

    def _is_usable(self, connection: Any) -> bool:
        return True

    def prepare(self) -> None:
        """Create file and folder, and let readers work beside a writer. Raises `StoreError`."""
        with self.failing():
            private_files.make_database(self.file)
            self._idle.append(connection := self.open())
            try:
                connection.execute("PRAGMA journal_mode=WAL")
            except sqlite3.OperationalError as fault:
                if "locked" not in str(fault):  # locked: another program sets it just now
                    raise


class _Server(Database):
    """A database of a PostgreSQL server."""

    def __init__(self, url: str) -> None:
        """Raises `StoreError` without the driver, or for a parameter that libpq does not know."""
        try:
            import psycopg
            from psycopg import conninfo
        except ImportError as fault:
            from companion.model.installation import install_command

            raise StoreError(
                "a store on a server needs {library}, which is not installed: {install}",
                library="psycopg",
                install=install_command("hall"),
            ) from fault
        super().__init__(url, psycopg, _POSTGRESQL)
        login = _LOGIN.search(url)
        password = {"password": unquote(login[2])} if login and login[2] else {}
        plain = _LOGIN.sub(r"\1@", _SERVER.sub("postgresql://", url))
        with self.failing():
            given = conninfo.conninfo_to_dict(plain)
        self.parameters: dict[str, Any] = {"connect_timeout": _CONNECT_S, **given, **password}

    def open(self) -> Any:
        return self.driver.connect(**self.parameters, autocommit=True)

    def _is_usable(self, connection: Any) -> bool:
        try:
            connection.execute("SELECT 1")
        except self.driver.OperationalError:
            return False
        return True


def default_url() -> str:
    """Return the URL of the database in the platform's data folder."""
    path = platformdirs.user_data_path("companion", appauthor=False) / "records.sqlite"
    return f"{_FILE}{path}"


def connect(url: str | None) -> Database:
    """Open the database at *url*, or the default one, with current tables. Raises `StoreError`."""
    return _connect(url or default_url(), is_there=False)


def find(url: str | None) -> Database:
    """Like `connect`, but a database named by *url* has to exist."""
    return _connect(url or default_url(), is_there=bool(url))


@contextlib.contextmanager
def database_at(url: str | None, *, may_make: bool = False) -> Iterator[Database]:
    """Open the database at *url*, or the default one, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    with contextlib.closing(connect(url) if may_make else find(url)) as database:
        yield database


def _connect(url: str, *, is_there: bool) -> Database:
    database = _unopened(url)
    try:
        if is_there:
            _look_for_tables(database)
        if isinstance(database, _File):
            database.prepare()
        _provide_tables(database)
    except BaseException:
        database.close()
        raise
    return database


def _unopened(url: str) -> _File | _Server:
    """Return the database at *url*, without a connection. Raises `StoreError`."""
    if _SERVER.match(url):
        return _Server(url)
    path = url.removeprefix(_FILE)
    if path in (url, "") or path.startswith((":", "file:")) or "?" in path:
        raise StoreError(
            "{url!r} is not a store: write sqlite:///FILE, or postgresql://HOST/NAME",
            url=_without_password(url),
        )
    return _File(url)


def _without_password(url: str) -> str:
    return _SECRET.sub(r"\1=***", _LOGIN.sub(r"\1:***@", url))


def _look_for_tables(database: Database) -> None:
    """Check that the tables exist, without creating a file. Raises `StoreError`."""
    if database.file is None or database.file.exists():
        with database.reading() as transaction:
            if migrations.is_store(transaction):
                return
    raise StoreError(
        "there is no store at {store}: name the right one with --store, or make one there with "
        "`companion hall admit NAME` or `companion records import`",
        store=database.url,
    )


def _provide_tables(database: Database) -> None:
    """Migrate the tables to this version. Raises `StoreError` if they are newer."""
    with database.reading() as transaction:
        found = migrations.version_of(transaction)
    if found == migrations.VERSION:
        return
    if found is not None and found not in migrations.STEPS:
        raise StoreError(
            "the store at {store} has version {found}, this program knows {version}: use a newer Companion",
            store=database.url,
            found=found,
            version=migrations.VERSION,
        )
    with database.writing() as transaction:  # another program may be migrating at this moment
        if database.file is None:
            transaction.execute(f"SELECT pg_advisory_xact_lock({_LOCK})")
        if migrations.version_of(transaction) != migrations.VERSION:
            migrations.migrate(transaction)


def is_away(url: str | None, fault: StoreError) -> bool:
    """True if *fault* of the store at *url* passes: its server is away.

    It asks the server for up to 7 s, since a refused login has no error code.
    """
    cause = fault.__cause__
    if not hasattr(cause, "sqlstate"):
        return False  # no error of a server
    from psycopg import OperationalError, conninfo, pq

    if not isinstance(cause, OperationalError):
        return False  # another error, or a wrong URL
    if cause.sqlstate is not None:
        return cause.sqlstate.startswith(_CONNECTION) or cause.sqlstate in _SHUT
    database = _Server(url or default_url())
    if _TIMED_OUT in str(cause) or not _is_known(str(database.parameters.get("host", ""))):
        return True  # the ping, which stops all threads, would take as long
    asked = conninfo.make_conninfo(**{**database.parameters, "connect_timeout": _PING_S})
    answer = pq.PGconn.ping(asked.encode())
    if answer != pq.Ping.OK:
        return answer != pq.Ping.NO_ATTEMPT  # that is a wrong URL
    try:
        database.open().close()  # it may have started since
    except OperationalError:
        return False
    return True


def _is_known(hosts: str) -> bool:
    """True if *hosts* can be looked up; a path is a local socket."""
    import socket  # the others need none

    try:
        for host in filter(None, hosts.split(",")):
            if not host.startswith("/"):
                socket.getaddrinfo(host, None)
    except OSError:
        return False
    return True

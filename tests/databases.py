# SPDX-License-Identifier: Apache-2.0
"""A real PostgreSQL for tests: started once, with fresh databases."""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from companion.host.records.database import Database, Transaction
from tests.ports import free_port

_NAMES = itertools.count(1)


def _program(name: str) -> str | None:
    """The path of *name* in Debian's layout; of the newest version, if there are several."""
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    return str(found[-1]) if found else shutil.which(name)


class Postgres:
    """One server on loopback.

    It runs as user `postgres` if the tests run as root, since it refuses to be root.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._user: dict[str, Any] = {}
        if os.geteuid() == 0:
            self._user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        self.port = free_port()
        self._run("initdb", "--auth=trust", "--username=companion", "--no-sync", "-D", f"{folder}/data")
        self.start()

    def start(self) -> None:
        options = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c fsync=off"
        self._control("start", "-l", f"{self.folder}/log", "-o", options)

    def stop(self) -> None:
        """Stop at once, as in a power failure."""
        self._control("stop", "-m", "immediate")

    def fresh(self) -> str:
        """The URL of an empty database."""
        name = f"test{next(_NAMES)}"
        self._run("createdb", "-h", "127.0.0.1", "-p", str(self.port), "-U", "companion", name)
        return f"postgresql://companion@127.0.0.1:{self.port}/{name}"

    def _control(self, verb: str, *words: str) -> None:
        self._run("pg_ctl", verb, "-w", "-D", f"{self.folder}/data", *words)

    def _run(self, name: str, *words: str) -> None:
        program = _program(name)
        assert program
        subprocess.run(
            [program, *words], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self._user
        )


@dataclass
class Disk:
    """The disk to which SQLite writes."""

    is_full: bool = False


@contextmanager
def disk() -> Iterator[Disk]:
    """A disk that can be full: SQLite gets no further page then."""
    found, writing = Disk(), Database.writing

    @contextmanager
    def limited(self: Database) -> Iterator[Transaction]:
        most = 1 if found.is_full else 1 << 30  # never below the current number
        with writing(self) as transaction:
            transaction.execute(f"PRAGMA max_page_count={most}")
            yield transaction

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Database, "writing", limited)
        yield found


@functools.cache
def is_postgres_here() -> bool:
    return _program("initdb") is not None


@contextmanager
def postgres(folder: Path) -> Iterator[Postgres]:
    """A running server. Skips the calling test if PostgreSQL is not installed."""
    if not is_postgres_here():
        reason = "PostgreSQL is missing: apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    folder.chmod(0o755)
    server = Postgres(folder)
    try:
        yield server
    finally:
        server.stop()

# SPDX-License-Identifier: Apache-2.0
"""The programs of an evening with kills: each can be killed, and started again."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import CalledProcessError
from typing import Any, Final, Protocol

from companion.host.records.database import database_at
from tests.bench.report import say
from tests.brokers import Mosquitto
from tests.cli.test_hall import PASSWORD
from tests.databases import Postgres, is_postgres_here
from tests.ports import free_port
from tests.programs import Program, companion
from tests.waits import brisk

OWN: Final = ("h1", "h2")
"""Stations in the process of the hall."""
TABLES: Final = ("t1", "t2", "t3")
"""Tables as programs, which are seated."""
GUEST: Final = "guest"
"""A table that joins from another machine each time. It is never seated."""


class Killable(Protocol):
    """What can be killed, and started again."""

    async def start(self) -> None: ...

    def kill(self) -> None: ...


@dataclass
class Running:
    """A program with its output in files; *words* are asked for at each start."""

    name: str
    folder: Path
    words: Callable[[], tuple[str, ...]]
    data: Callable[[], Path]
    process: Program | None = None
    exits: list[str] = field(default_factory=list)
    """Ends that nobody asked for."""

    @property
    def out(self) -> Path:
        return self.folder / f"{self.name}.out"

    @property
    def err(self) -> Path:
        return self.folder / f"{self.name}.err"

    async def start(self) -> None:
        """Start it, unless it runs."""
        self.note_exit()
        if self.process is None:
            await asyncio.to_thread(self._start)

    def _start(self) -> None:
        environment = {
            **os.environ,
            "XDG_DATA_HOME": str(self.data()),
            "PYTHONUNBUFFERED": "1",
            "COLUMNS": "200",
            **brisk(self.folder),
        }
        with self.out.open("w") as out, self.err.open("a") as err:
            self.process = Program(
                "companion",
                self.words(),
                stdout=out.fileno(),
                stderr=err.fileno(),
                env=environment,
                start_new_session=True,
            )

    def kill(self) -> None:
        """Kill it like `kill -9`."""
        self.note_exit()
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def note_exit(self) -> bool:
        """True if it has ended by itself, which is noted once."""
        if self.process is None or self.process.poll() is None:
            return False
        code, self.process = self.process.returncode, None
        said = (self.out.read_text() + self.err.read_text())[-1500:]
        self.exits.append(f"{self.name} ended by itself with {code}: …{said}")
        return True

    def addresses(self) -> dict[str, str]:
        """The pages of its tables, by station."""
        if self.process is None or not self.out.exists():
            return {}
        found = re.findall(r"^(?:(\w+): )?the table is at (http://\S+)", self.out.read_text(), re.M)
        return {station or self.name: page for station, page in found}


class Database:
    """PostgreSQL, which loses its power."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        folder.chmod(0o755)
        self._server = Postgres(folder)
        self._is_up = True
        self.url = self._server.fresh()

    async def start(self) -> None:
        """Start it, unless it runs.

        It refuses for a moment, while processes of the one before are about to end.
        """
        while not self._is_up:
            try:
                await asyncio.to_thread(self._server.start)
                self._is_up = True
            except CalledProcessError:
                await asyncio.sleep(0.2)

    def kill(self) -> None:
        """Cut its power, unless it is off."""
        if self._is_up:
            self._is_up = False
            self._server.stop()


class Site:
    """All programs, in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.chmod(0o755)
        self.database = Database(folder / "database") if is_postgres_here() else None
        self.store = self.database.url if self.database else f"sqlite:///{folder}/hall.sqlite"
        self.broker = Mosquitto(folder)
        self.url = f"mqtt://127.0.0.1:{self.broker.port}/club"
        self.address = f"http://127.0.0.1:{free_port()}/"
        self.codes: dict[str, str] = {}
        """The codes with which tables join, by station."""
        self.machine = 0
        """The number of the guest's machine."""
        self.kills: list[tuple[float, str, str]] = []
        """The time, what was done, and to which program."""
        hall = (
            "hall",
            "--store",
            self.store,
            "--broker",
            self.url,
            "--http-port",
            self._port,
            "--clock",
            "90",
        )
        stations = (f"--board={name}=chess" for name in OWN)
        self.hall = Running("hall", folder, lambda words=(*hall, *stations): words, lambda: folder / "hall")  # type: ignore[misc]
        self.tables = {name: self._table(name) for name in (*TABLES, GUEST)}

    @property
    def _port(self) -> str:
        return self.address.rsplit(":", 1)[1].strip("/")

    def _table(self, name: str) -> Running:
        def words() -> tuple[str, ...]:
            usual = ("hall", "table", name, "chess", "--hall", self.url, "--clock", "90")
            return usual if self.has_key(name) else (*usual, "--join", self.codes[name])

        return Running(name, self.folder, words, lambda: self.machine_of(name))

    def machine_of(self, station: str) -> Path:
        """The folder with the data of the machine of *station*."""
        machine = "hall" if station in OWN else f"{GUEST}-{self.machine}" if station == GUEST else station
        return self.folder / machine

    def has_key(self, station: str) -> bool:
        """True if the table *station* has joined."""
        return any(self.machine_of(station).glob("companion/keys/*.key"))

    @property
    def programs(self) -> dict[str, Killable]:
        """All of them by name."""
        found: dict[str, Killable] = {"broker": self.broker, "hall": self.hall, **self.tables}
        return {"database": self.database, **found} if self.database else found

    async def prepare(self) -> None:
        """Start what the tables need."""
        await self.broker.start()
        await asyncio.to_thread(
            companion, "hall", "admit", "Ana", "--password", PASSWORD, "--store", self.store
        )
        await self.hall.start()

    async def start(self, name: str) -> None:
        """Start the program *name* again."""
        if name != "broker" or self.broker.process is None:
            await self.programs[name].start()
        self.kills.append((time.monotonic(), "started", name))

    def kill(self, name: str) -> None:
        """Kill the program *name*."""
        self.programs[name].kill()
        self.kills.append((time.monotonic(), "killed", name))

    def pages(self) -> dict[str, str]:
        """The pages of the tables that run, by station."""
        found = self.hall.addresses()
        for table in self.tables.values():
            found |= table.addresses()
        return found

    def journals(self, station: str) -> dict[str, bytes]:
        """The journals of *station*, oldest first; of the guest those of its machine."""
        return _content(self.machine_of(station) / "companion" / "journals" / station)

    def copies(self, station: str) -> dict[str, bytes]:
        """The copies of the journals of *station* in the hall."""
        return _content(self.folder / "hall" / "companion" / "hall" / station)

    def book(self) -> list[dict[str, Any]]:
        """All entries of the book, from the store; the desk shows the newest ones."""
        with database_at(self.store) as db, db.reading() as transaction:
            rows = transaction.execute("SELECT number, act FROM acts ORDER BY number").fetchall()
        return [{"number": number, "act": json.loads(act)} for number, act in rows]

    def complaints(self) -> list[str]:
        """Tracebacks and lost exceptions in what the programs wrote."""
        found = []
        for path in sorted(self.folder.glob("*.err")):
            lines = path.read_text(errors="replace").splitlines()
            for number, line in enumerate(lines):
                if line.startswith("Traceback") or "was never retrieved" in line:
                    whole = "\n".join(lines[max(0, number - 12) : number + 40])
                    found.append(f"{path.name}: {whole}")
        return found

    async def close(self) -> None:
        """End all programs."""
        for name in ("hall", *self.tables, "broker", "database"):
            if name in self.programs:
                with contextlib.suppress(Exception):
                    await asyncio.to_thread(self.programs[name].kill)
        say(f"all programs have ended; their files: {self.folder}")


def _content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.glob("*.jsonl"))}

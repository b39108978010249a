# SPDX-License-Identifier: Apache-2.0
"""Copies of all journals, synced in groups before they are acknowledged.

Its rule: nothing is acknowledged before it is on the disk; what fails to be written is not
answered, so that it is sent again. Each table may use only a limited part of the disk.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias

import platformdirs

from companion.host.hall.core.journal_sync import Have, JournalFolder
from companion.host.hall.core.wire import Down
from companion.host.journal import journal as journals
from companion.model.errors import JournalError

Route: TypeAlias = Callable[[Down], None]
"""Sends to a station; lost messages are repeated by the protocol."""


_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on what tables may send; a long journal has about 0.5 MiB."""

    journals: int = 10_000
    """Journals per table."""
    table_mib: int = 1024
    """Size of all journals of a table."""
    hall_mib: int = 16 * 1024
    """Size of all journals."""


class CopyRefused(JournalError):
    """A table exceeds its limits; permanent until somebody intervenes."""


class _Rationed(JournalFolder):
    """The folder of one table, within the limits."""

    def __init__(self, copies: JournalCopies, station: str) -> None:
        super().__init__(copies.path / station, is_lazy=True)
        self._copies = copies
        self._station = station
        self._sizes = _sizes(copies.path / station)

    def append(self, journal: str, data: bytes) -> None:
        """Append *data*. Raises `CopyRefused`, and like `JournalFolder`."""
        limits, path = self._copies.limits, self._copies.path
        if not journal.endswith(journals.SUFFIX):
            raise CopyRefused(
                "{board} sends {journal!r}, which is not a name of a journal",
                board=self._station,
                journal=journal,
            )
        if journal not in self._sizes and len(self._sizes) >= limits.journals:
            raise CopyRefused(
                "{board} sends more than {most} journals: move old ones out of {path}, and start the "
                "hall again",
                board=self._station,
                most=limits.journals,
                path=path,
            )
        if sum(self._sizes.values()) + len(data) > limits.table_mib * _MIB:
            raise CopyRefused(
                "the journals of {board} have more than {mib} MiB: move old ones out of {path}, and "
                "start the hall again",
                board=self._station,
                mib=limits.table_mib,
                path=path,
            )
        if self._copies.used + len(data) > limits.hall_mib * _MIB:
            raise CopyRefused(
                "the copies of all journals have {mib} MiB, those of {board} are not kept: move old ones "
                "out of {path}, and start the hall again",
                mib=limits.hall_mib,
                board=self._station,
                path=path,
            )
        super().append(journal, data)
        self._sizes[journal] = self._sizes.get(journal, 0) + len(data)
        self._copies.used += len(data)


def _sizes(folder: Path) -> dict[str, int]:
    """Return the sizes of the journals in *folder*."""
    return {path.name: path.stat().st_size for path in folder.glob(f"*{journals.SUFFIX}")}


class JournalCopies:
    """The copies of the journals of all stations."""

    def __init__(self, path: Path, complain: Callable[[str], None], limits: Limits | None = None) -> None:
        """Use a folder per station in *path*; *complain* receives write faults."""
        self.path = path
        self.limits = limits or Limits()
        self.used = sum(sum(_sizes(folder).values()) for folder in path.glob("*/"))
        """Size of all copies, in bytes."""
        self._complain = complain
        self._stores: dict[str, JournalFolder] = {}
        self._owed: list[tuple[Route, Down]] = []
        """Acknowledgements that wait for a sync."""
        self._is_owing = asyncio.Event()

    def store(self, station: str) -> JournalFolder:
        """Return the folder for *station*."""
        if station not in self._stores:
            self._stores[station] = _Rationed(self, station)
        return self._stores[station]

    def answer(self, route: Route, answer: Down) -> None:
        """Send *answer* by *route*; an acknowledgement only after the sync."""
        store = self._stores.get(answer.board)
        if isinstance(answer.what, Have) and store is not None and store.unsafe:
            self._owed.append((route, answer))
            self._is_owing.set()
        else:
            route(answer)

    async def run(self) -> None:
        """Sync copies in groups and acknowledge them, until cancelled."""
        while True:
            await self._is_owing.wait()
            self._is_owing.clear()
            owed, self._owed = self._owed, []
            stores = {answer.board: self._stores[answer.board] for _, answer in owed}
            failed = await asyncio.to_thread(_made_safe, stores)
            for fault in failed.values():
                self._complain(fault)
            for route, answer in owed:
                if answer.board not in failed:
                    route(answer)


def _made_safe(stores: Mapping[str, JournalFolder]) -> dict[str, str]:
    """Sync *stores*; return the faults by station."""
    failed = {}
    for station, store in stores.items():
        try:
            store.make_safe()
        except JournalError as fault:
            failed[station] = str(fault)
    return failed


def copies_folder() -> Path:
    """Return the default folder for copies of journals."""
    return platformdirs.user_data_path("companion", appauthor=False) / "hall"

# SPDX-License-Identifier: Apache-2.0
"""The copies of all journals, and the answers that acknowledge them: those of one moment are made safe together.

Its rule: nothing is acknowledged before it is on the disk; what the disk did not keep is not answered, so that it comes again.
A table may fill only so much of the disk.
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
"""The way back to a board; what cannot be sent is lost, and comes again."""


_MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """How much tables may send; a journal of a long game has some 0.5 MiB."""

    journals: int = 10_000
    """Of one table."""
    table_mib: int = 1024
    """For all journals of one table."""
    hall_mib: int = 16 * 1024
    """For all journals of all tables."""


class CopyRefused(JournalError):
    """A table sends what the hall does not keep; it goes on so until somebody looks."""


class _Rationed(JournalFolder):
    """The folder of one table, which takes no more than the limits say."""

    def __init__(self, copies: JournalCopies, board: str) -> None:
        super().__init__(copies.path / board, is_lazy=True)
        self._copies = copies
        self._board = board
        self._sizes = _sizes(copies.path / board)

    def append(self, journal: str, data: bytes) -> None:
        """Add *data*. Raises `CopyRefused`, and as a folder does."""
        limits, path = self._copies.limits, self._copies.path
        if not journal.endswith(journals.SUFFIX):
            raise CopyRefused(
                "{board} sends {journal!r}, which is no name of a journal", board=self._board, journal=journal
            )
        if journal not in self._sizes and len(self._sizes) >= limits.journals:
            raise CopyRefused(
                "{board} sends more than {most} journals: move old ones out of {path}, and start the "
                "hall again",
                board=self._board,
                most=limits.journals,
                path=path,
            )
        if sum(self._sizes.values()) + len(data) > limits.table_mib * _MIB:
            raise CopyRefused(
                "the journals of {board} have more than {mib} MiB: move old ones out of {path}, and "
                "start the hall again",
                board=self._board,
                mib=limits.table_mib,
                path=path,
            )
        if self._copies.used + len(data) > limits.hall_mib * _MIB:
            raise CopyRefused(
                "the copies of all journals have {mib} MiB, those of {board} are not kept: move old ones "
                "out of {path}, and start the hall again",
                mib=limits.hall_mib,
                board=self._board,
                path=path,
            )
        super().append(journal, data)
        self._sizes[journal] = self._sizes.get(journal, 0) + len(data)
        self._copies.used += len(data)


def _sizes(folder: Path) -> dict[str, int]:
    """The sizes of the journals in *folder*."""
    return {path.name: path.stat().st_size for path in folder.glob(f"*{journals.SUFFIX}")}


class JournalCopies:
    """Where the copies of all boards' journals are."""

    def __init__(self, path: Path, complain: Callable[[str], None], limits: Limits | None = None) -> None:
        """A folder for each board in *path*; *complain* gets why copies cannot be kept."""
        self.path = path
        self.limits = limits or Limits()
        self.used = sum(sum(_sizes(folder).values()) for folder in path.glob("*/"))
        """Bytes of all copies."""
        self._complain = complain
        self._shelves: dict[str, JournalFolder] = {}
        self._owed: list[tuple[Route, Down]] = []
        """Answers that wait until what they acknowledge is on the disk."""
        self._is_owing = asyncio.Event()

    def shelf(self, board: str) -> JournalFolder:
        """Where those of *board* are kept."""
        if board not in self._shelves:
            self._shelves[board] = _Rationed(self, board)
        return self._shelves[board]

    def answer(self, route: Route, answer: Down) -> None:
        """Send *answer* by *route*, if it acknowledges a copy as soon as that is safe."""
        shelf = self._shelves.get(answer.board)
        if isinstance(answer.what, Have) and shelf is not None and shelf.unsafe:
            self._owed.append((route, answer))
            self._is_owing.set()
        else:
            route(answer)

    async def run(self) -> None:
        """Make copies safe, those of all boards that have come meanwhile together, until cancelled."""
        while True:
            await self._is_owing.wait()
            self._is_owing.clear()
            owed, self._owed = self._owed, []
            shelves = {answer.board: self._shelves[answer.board] for _, answer in owed}
            failed = await asyncio.to_thread(_made_safe, shelves)
            for fault in failed.values():
                self._complain(fault)
            for route, answer in owed:
                if answer.board not in failed:
                    route(answer)


def _made_safe(shelves: Mapping[str, JournalFolder]) -> dict[str, str]:
    """Why those of *shelves* could not be made safe for which that is so."""
    failed = {}
    for board, shelf in shelves.items():
        try:
            shelf.make_safe()
        except JournalError as fault:
            failed[board] = str(fault)
    return failed


def copies_folder() -> Path:
    """Where copies of the journals of boards elsewhere are kept, if nobody says otherwise."""
    return platformdirs.user_data_path("companion", appauthor=False) / "hall"

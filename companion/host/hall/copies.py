# SPDX-License-Identifier: Apache-2.0
"""The copies of all journals, and the answers that acknowledge them: those of one moment are made safe together.

Its rule: nothing is acknowledged before it is on the disk; what the disk did not keep is not answered, so that it comes again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import platformdirs

from companion.host.hall.copying import Folder, Have
from companion.host.hall.wire import Down
from companion.model.errors import JournalError

Route: TypeAlias = Callable[[Down], None]
"""The way back to a board; what cannot be sent is lost, and comes again."""


class Copies:
    """Where the copies of all boards' journals are."""

    def __init__(self, path: Path, complain: Callable[[str], None]) -> None:
        """A folder for each board in *path*; *complain* gets why copies cannot be kept."""
        self.path = path
        self._complain = complain
        self._shelves: dict[str, Folder] = {}
        self._owed: list[tuple[Route, Down]] = []
        """Answers that wait until what they acknowledge is on the disk."""
        self._is_owing = asyncio.Event()

    def shelf(self, board: str) -> Folder:
        """Where those of *board* are kept."""
        return self._shelves.setdefault(board, Folder(self.path / board, is_lazy=True))

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


def _made_safe(shelves: Mapping[str, Folder]) -> dict[str, str]:
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

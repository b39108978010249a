# SPDX-License-Identifier: Apache-2.0
"""Puts the journal of one table on the disk while play goes on, and looks for room on a disk that takes nothing.

Its rule: what comes of it reaches the table through its inbox, in the order of all that happens there.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from companion.host import retry
from companion.host.journal.group_fsync import GroupFsync
from companion.host.table.game_setup import TableGame
from companion.host.table.pipeline import Pipeline

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Saved:
    """The journal of *pipeline* is on the disk, or cannot be, as far as it was written when so much was *unpublished*."""

    pipeline: Pipeline
    unpublished: int


@dataclass(frozen=True, slots=True)
class Room:
    """The disk may have room again."""


class JournalSaver:
    """Makes safe what is written of one sitting after the other."""

    def __init__(self, fsync: GroupFsync, put: Callable[[Saved | Room], None]) -> None:
        """*put* gets what comes of it, which is to be given to `take`."""
        self._fsync = fsync
        self._put = put
        self._saving: asyncio.Future[None] | None = None
        """Done when the journal is on the disk."""
        self._room: asyncio.TimerHandle | None = None
        """Looks for room on the disk, although nothing is played; None while the disk takes what is written."""

    def save(self, table_game: TableGame) -> None:
        """Have the journal of *table_game* made safe if something waits for that, and it is not on its way there."""
        if table_game.pipeline.is_unsafe:
            self._start(table_game)

    def take(self, what: Saved | Room, table_game: TableGame) -> None:
        """Tell the chain of *table_game*, which is played, *what* was put; the end of one that was played before tells nothing."""
        pipeline, journal = table_game.pipeline, table_game.journal
        if isinstance(what, Room):
            self._room = None
            if not pipeline.is_kept:
                self._start(table_game)
        elif what.pipeline is pipeline:
            self._saving = None
            if journal.fault and pipeline.is_kept:
                _LOG.error("%s", journal.fault)
            pipeline.is_kept = not journal.fault
            if journal.fault and self._room is None:
                self._room = asyncio.get_running_loop().call_later(retry.AFTER_S, self._put, Room())
            pipeline.made_safe(what.unpublished)

    def _start(self, table_game: TableGame) -> None:
        """Send the journal of *table_game* to the disk, if it is not on its way there."""
        if self._saving is None or self._saving.cancelled():
            saved = Saved(table_game.pipeline, table_game.pipeline.unpublished)
            self._saving = self._fsync.keep(table_game.journal)
            self._saving.add_done_callback(lambda saving: None if saving.cancelled() else self._put(saved))

    def forget(self) -> None:
        """Another sitting follows, whose journal is another."""
        self._saving = None
        if self._room is not None:
            self._room.cancel()
            self._room = None

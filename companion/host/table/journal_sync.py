# SPDX-License-Identifier: Apache-2.0
"""Syncs a table's journal to disk during play, and retries while the disk is full.

Its rule: results reach the table through its mailbox, in order with everything else.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeAlias

from companion.host.journal.journal import JournalWriter
from companion.host.retry import USUAL, Intervals
from companion.host.table.pipeline import Pipeline
from companion.host.table.table_game import TableGame

_LOG: Final = logging.getLogger(__name__)

Fsync: TypeAlias = Callable[[JournalWriter], "asyncio.Future[None]"]
"""Syncs a journal; done once it is on the disk or has a `fault`."""


def sync_in_thread(journal: JournalWriter) -> asyncio.Future[None]:
    """Sync *journal* in a thread: an `Fsync`."""
    return asyncio.ensure_future(asyncio.to_thread(journal.sync))


@dataclass(frozen=True, slots=True)
class Saved:
    """The sync of *pipeline*'s journal is done or failed.

    It covers the first *unpublished* events that waited when it started.
    """

    pipeline: Pipeline
    unpublished: int


@dataclass(frozen=True, slots=True)
class Room:
    """The disk may have space again."""


class JournalSaver:
    """Syncs the journals of successive games."""

    def __init__(
        self, fsync: Fsync, put: Callable[[Saved | Room], None], intervals: Intervals = USUAL
    ) -> None:
        """*put* receives the results, to be passed to `take`."""
        self._retry_s = intervals.retry_s
        self._fsync = fsync
        self._put = put
        self._saving: asyncio.Future[None] | None = None
        """Done when the journal is on the disk."""
        self._room: asyncio.TimerHandle | None = None
        """Timer of the next retry after a failure; None while the disk accepts writes."""

    def save(self, table_game: TableGame) -> None:
        """Start syncing the journal of *table_game* if an event waits for it."""
        if table_game.pipeline.is_unsafe:
            self._start(table_game)

    def take(self, what: Saved | Room, table_game: TableGame) -> None:
        """Pass *what* was put on to the pipeline; ignore results of earlier games."""
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
                self._room = asyncio.get_running_loop().call_later(self._retry_s, self._put, Room())
            pipeline.made_safe(what.unpublished)

    def _start(self, table_game: TableGame) -> None:
        """Start syncing the journal of *table_game*, unless a sync is running."""
        if self._saving is None or self._saving.cancelled():
            saved = Saved(table_game.pipeline, table_game.pipeline.unpublished)
            self._saving = self._fsync(table_game.journal)
            self._saving.add_done_callback(partial(self._report, saved))

    def _report(self, saved: Saved, saving: asyncio.Future[None]) -> None:
        """Pass *saved* on, unless the sync was cancelled; raise its exception, a bug."""
        if not saving.cancelled():
            saving.result()
            self._put(saved)

    async def __aenter__(self) -> JournalSaver:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Wait for the sync under way, if there is one: its thread cannot be stopped."""
        if self._saving is not None:
            await asyncio.wait({self._saving})

    def forget(self) -> None:
        """Forget the journal of the last game: another game follows."""
        self._saving = None
        if self._room is not None:
            self._room.cancel()
            self._room = None

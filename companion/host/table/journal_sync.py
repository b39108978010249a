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
    """The journal of *chain* is on the disk, or cannot be, as far as it was written when so much was *untold*."""

    chain: Pipeline
    untold: int


@dataclass(frozen=True, slots=True)
class Room:
    """The disk may have room again."""


class JournalSaver:
    """Makes safe what is written of one sitting after the other."""

    def __init__(self, safekeeper: GroupFsync, put: Callable[[Saved | Room], None]) -> None:
        """*put* gets what comes of it, which is to be given to `take`."""
        self._safekeeper = safekeeper
        self._put = put
        self._saving: asyncio.Future[None] | None = None
        """Done when the journal is on the disk."""
        self._room: asyncio.TimerHandle | None = None
        """Looks for room on the disk, although nothing is played; None while the disk takes what is written."""

    def save(self, sitting: TableGame) -> None:
        """Have the journal of *sitting* made safe if something waits for that, and it is not on its way there."""
        if sitting.chain.is_unsafe:
            self._start(sitting)

    def take(self, what: Saved | Room, sitting: TableGame) -> None:
        """Tell the chain of *sitting*, which is played, *what* was put; the end of one that was played before tells nothing."""
        chain, journal = sitting.chain, sitting.journal
        if isinstance(what, Room):
            self._room = None
            if not chain.is_kept:
                self._start(sitting)
        elif what.chain is chain:
            self._saving = None
            if journal.fault and chain.is_kept:
                _LOG.error("%s", journal.fault)
            chain.is_kept = not journal.fault
            if journal.fault and self._room is None:
                self._room = asyncio.get_running_loop().call_later(retry.AFTER_S, self._put, Room())
            chain.made_safe(what.untold)

    def _start(self, sitting: TableGame) -> None:
        """Send the journal of *sitting* to the disk, if it is not on its way there."""
        if self._saving is None or self._saving.cancelled():
            saved = Saved(sitting.chain, sitting.chain.untold)
            self._saving = self._safekeeper.keep(sitting.journal)
            self._saving.add_done_callback(lambda saving: None if saving.cancelled() else self._put(saved))

    def forget(self) -> None:
        """Another sitting follows, whose journal is another."""
        self._saving = None
        if self._room is not None:
            self._room.cancel()
            self._room = None

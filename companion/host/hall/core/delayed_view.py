# SPDX-License-Identifier: Apache-2.0
"""What spectators see of a hall: boards, tournaments, and how far they may read the journals.

Its rule: each board waits as long as the strictest of the tournaments wants that were ever given it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.delay import Feed
from companion.host.hall.core.seats import Hello
from companion.tournament.acts import Act, TableGiven
from companion.tournament.book import Book, Running, written

_OFF_MS: Final = 100
"""By which a clock may be wrong: nobody who looks at it notices."""


class Spectators:
    """What was released to them, and what waits for that."""

    def __init__(self, keeper: BookKeeper) -> None:
        """*keeper* has the tournaments, which say how late they are seen."""
        self.glances: Feed[Glance] = Feed()
        """What they see of the boards."""
        self.described: Feed[Hello] = Feed()
        """How these described themselves then."""
        self.tournaments: Feed[Running] = Feed()
        """What they see of the tournaments, by key."""
        self.copied: Feed[tuple[str, int]] = Feed()
        """What they may read of each board: its newest journal, and how many bytes of it."""
        self._keeper = keeper
        self._played_for: dict[str, set[str]] = {}
        """The tournaments that were ever given each board: what was played for them there waits, wherever they play now."""

    def show(self, hello: Hello, glance: Glance, now_ms: int) -> None:
        """The board of *hello* shows *glance*."""
        self.described.put(hello.board, hello, now_ms)
        self.glances.put(hello.board, glance, now_ms)
        self._release_board(hello.board, now_ms)

    def correct_clock(self, hello: Hello, now_ms: int) -> None:
        """By how much a board's clock is ahead is measured after its first glance: *hello* tells anew."""
        known = self.described.newest(hello.board)
        if known is not None and abs(known.clock_offset_ms - hello.clock_offset_ms) >= _OFF_MS:
            self.described.put(hello.board, hello, now_ms)
            self._release_board(hello.board, now_ms)

    def have(self, board: str, journal: str, size: int, now_ms: int) -> None:
        """So much of *journal* is here now. What is told again, or of an older one, is nothing new."""
        known = self.copied.newest(board)
        if known is None or (journal, size) > known:
            self.copied.put(board, (journal, size), now_ms)
            self._release_board(board, now_ms)

    def forget(self, board: str) -> None:
        """They see nothing more of *board*, until it shows something again."""
        for feed in (self.described, self.glances, self.copied):
            feed.forget(board)

    def publish(self, book: Book, act: Act, at_ms: int) -> None:
        """They are to see what *act*, after which *book* is as it is, has made of its tournament."""
        if isinstance(act, TableGiven):
            self._come_under(act.key, act.board, at_ms)
        key = getattr(act, "key", "")
        if key:
            self.tournaments.put(key, book.of(key), at_ms)

    def publish_past(self, now_ms: int, now: datetime) -> None:
        """Let what the book tells wait from when it was written, as if the hall had been here."""
        book = Book()
        for entry in self._keeper.entries:
            book = written(book, entry.act)
            age_ms = (now - datetime.fromisoformat(entry.at)) // timedelta(milliseconds=1)
            self.publish(book, entry.act, now_ms - max(0, age_ms))

    def release(self, now_ms: int) -> bool:
        """Let them see what has waited long enough; True if they see anything else now."""
        running = self._keeper.book.running.items()
        waiting = self.described.waiting | self.glances.waiting | self.copied.waiting
        changed = [self._release_board(board, now_ms) for board in waiting]
        changed += [self.tournaments.release(key, 1000 * each.delay_s, now_ms) for key, each in running]
        return any(changed)

    def delay_ms(self, board: str) -> int:
        """By how much they see *board* later."""
        running = self._keeper.book.running
        return max((1000 * running[key].delay_s for key in self._played_for.get(board, ())), default=0)

    def _release_board(self, board: str, now_ms: int) -> bool:
        """Let them see of *board* what has waited long enough; True if they see anything else now."""
        delay_ms = self.delay_ms(board)
        feeds = (self.described, self.glances, self.copied)
        return any([feed.release(board, delay_ms, now_ms) for feed in feeds])

    def _come_under(self, key: str, board: str, at_ms: int) -> None:
        """*board* was given to the tournament *key*: what goes on there may be its game already, and waits as long."""
        delay_ms = self.delay_ms(board)
        self._played_for.setdefault(board, set()).add(key)
        if self.delay_ms(board) > delay_ms:
            for feed in (self.described, self.glances, self.copied):
                feed.take_back(board, self.delay_ms(board), at_ms)

# SPDX-License-Identifier: Apache-2.0
"""The spectators' delayed view of a hall: stations, tournaments, journals.

Its rule: each station is delayed as the strictest of all tournaments requires that ever used it.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from companion.feedback.glance import Glance
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.delay import Feed
from companion.host.hall.core.station_states import Hello
from companion.tournament.acts import Act, TableGiven
from companion.tournament.book import Book, Running, written

_OFF_MS: Final = 100
"""Tolerated clock error, which nobody notices."""


class Spectators:
    """Released and held-back values for spectators."""

    def __init__(self, keeper: BookKeeper) -> None:
        """*keeper* has the tournaments with their delays."""
        self.glances: Feed[Glance] = Feed()
        """Views of the stations."""
        self.described: Feed[Hello] = Feed()
        """Descriptions of the stations at the same times."""
        self.tournaments: Feed[Running] = Feed()
        """Tournaments, by key."""
        self.copied: Feed[tuple[str, int]] = Feed()
        """Readable part per station: its newest journal, and a number of bytes."""
        self._keeper = keeper
        self._played_for: dict[str, set[str]] = {}
        """Tournaments that ever used each station: games played for them stay delayed."""

    def show(self, hello: Hello, glance: Glance, now_ms: int) -> None:
        """Note that the station of *hello* shows *glance*."""
        self.described.put(hello.board, hello, now_ms)
        self.glances.put(hello.board, glance, now_ms)
        self._release_station(hello.board, now_ms)

    def correct_clock(self, hello: Hello, now_ms: int) -> None:
        """Note a changed clock offset, which is measured after the first glance."""
        known = self.described.newest(hello.board)
        if known is not None and abs(known.clock_offset_ms - hello.clock_offset_ms) >= _OFF_MS:
            self.described.put(hello.board, hello, now_ms)
            self._release_station(hello.board, now_ms)

    def have(self, station: str, journal: str, size: int, now_ms: int) -> None:
        """Note that *size* bytes of *journal* are here; repetitions are ignored."""
        known = self.copied.newest(station)
        if known is None or (journal, size) > known:
            self.copied.put(station, (journal, size), now_ms)
            self._release_station(station, now_ms)

    def forget(self, station: str) -> None:
        """Remove *station* until it shows something again."""
        for feed in (self.described, self.glances, self.copied):
            feed.forget(station)

    def publish(self, book: Book, act: Act, at_ms: int) -> None:
        """Note the tournament that *act* has changed in *book*."""
        if isinstance(act, TableGiven):
            self._come_under(act.key, act.board, at_ms)
        key = getattr(act, "key", "")
        if key:
            self.tournaments.put(key, book.of(key), at_ms)

    def publish_past(self, now_ms: int, now: datetime) -> None:
        """Publish the whole book with the times of its entries."""
        book = Book()
        for entry in self._keeper.entries:
            book = written(book, entry.act)
            age_ms = (now - datetime.fromisoformat(entry.at)) // timedelta(milliseconds=1)
            self.publish(book, entry.act, now_ms - max(0, age_ms))

    def release(self, now_ms: int) -> bool:
        """Release what has waited long enough; true if the view changed."""
        running = self._keeper.book.running.items()
        waiting = self.described.waiting | self.glances.waiting | self.copied.waiting
        changed = [self._release_station(station, now_ms) for station in waiting]
        changed += [self.tournaments.release(key, 1000 * each.delay_s, now_ms) for key, each in running]
        return any(changed)

    def has_played(self, station: str) -> bool:
        """True if a tournament ever used *station*."""
        return station in self._played_for

    def delay_ms(self, station: str) -> int:
        """Return the delay of *station*."""
        running = self._keeper.book.running
        return max((1000 * running[key].delay_s for key in self._played_for.get(station, ())), default=0)

    def _release_station(self, station: str, now_ms: int) -> bool:
        """Release what has waited long enough of *station*; true if the view changed."""
        delay_ms = self.delay_ms(station)
        feeds = (self.described, self.glances, self.copied)
        return any([feed.release(station, delay_ms, now_ms) for feed in feeds])

    def _come_under(self, key: str, station: str, at_ms: int) -> None:
        """Put *station* under the delay of tournament *key*, whose game it may show already."""
        delay_ms = self.delay_ms(station)
        self._played_for.setdefault(station, set()).add(key)
        if self.delay_ms(station) > delay_ms:
            for feed in (self.described, self.glances, self.copied):
                feed.take_back(station, self.delay_ms(station), at_ms)

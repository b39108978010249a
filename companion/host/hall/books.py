# SPDX-License-Identifier: Apache-2.0
"""The arbiters' book in the database.

Its rule: an act counts once it is in the database. One that could not be written changes nothing
and is reported to its author. The holder of the lock writes (`book_lock`); any other writer is
rejected by the entry numbers.
"""

from __future__ import annotations

import json

from companion.host.codec import decode, encode
from companion.host.records.database import Database
from companion.model.errors import StoreError
from companion.tournament.acts import Act, Entry
from companion.tournament.book import Book, read, written


class BookKeeper:
    """The book, as written so far."""

    def __init__(self, database: Database) -> None:
        """Read the book. Raises `StoreError` and `TournamentError`."""
        self._database = database
        with database.reading() as transaction:
            found = transaction.execute('SELECT number, at, "by", act FROM acts ORDER BY number').fetchall()
        self.entries = [Entry(number, at, by, _act(number, act)) for number, at, by, act in found]
        """All entries, in order."""
        self.book: Book = read(self.entries)
        """The resulting state."""

    def write(self, by: str, at: str, act: Act) -> Entry:
        """Write *act* by *by* at time *at*.

        Raises `TournamentError` if it is invalid, `StoreError` if it cannot be written; nothing has
        then changed.
        """
        after = written(self.book, act)
        entry = Entry(len(self.entries) + 1, at, by, act)
        text = json.dumps(encode(Act, act), ensure_ascii=False, separators=(",", ":"))
        try:
            with self._database.writing() as transaction:
                transaction.execute(
                    'INSERT INTO acts (number, at, "by", act) VALUES (?, ?, ?, ?)',
                    (entry.number, at, by, text),
                )
        except StoreError as fault:
            if isinstance(fault.__cause__, self._database.driver.IntegrityError):
                raise StoreError(
                    "another hall has written into the book at {store}: only one can; stop this one, or "
                    "start it again to go on",
                    store=self._database.url,
                ) from fault
            raise
        self.book = after
        self.entries.append(entry)
        return entry


def _act(number: int, text: str) -> Act:
    """Decode the act of entry *number*. Raises `StoreError` if it is unknown."""
    try:
        act: Act = decode(Act, json.loads(text))
    except ValueError as fault:
        raise StoreError(
            "line {line} of the book is not understood: {reason}", line=number, reason=fault
        ) from fault
    return act

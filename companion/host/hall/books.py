# SPDX-License-Identifier: Apache-2.0
"""The arbiters' book in the database.

Its rule: an act counts once it is in the database. One that could not be written changes nothing
and is reported to its author. The holder of the lock writes (`book_lock`); any other writer is
rejected by the entry numbers.
"""

from __future__ import annotations

import json
from typing import Final

import sqlalchemy as sql
from sqlalchemy.exc import IntegrityError

from companion.host.codec import decode, encode
from companion.host.records.database import failing, shown
from companion.model.errors import StoreError
from companion.tournament.acts import Act, Entry
from companion.tournament.book import Book, read, written

_ACTS: Final = sql.Table(
    "acts",
    sql.MetaData(),
    sql.Column("number", sql.Integer, primary_key=True, autoincrement=False),
    sql.Column("at", sql.String(32), nullable=False),
    sql.Column("by", sql.String, nullable=False),
    sql.Column("act", sql.Text, nullable=False),
)


class BookKeeper:
    """The book, as written so far."""

    def __init__(self, engine: sql.Engine) -> None:
        """Read the book. Raises `StoreError` and `TournamentError`."""
        self._engine = engine
        self.entries: list[Entry] = []
        """All entries, in order."""
        with failing(engine), engine.connect() as connection:
            for row in connection.execute(sql.select(_ACTS).order_by(_ACTS.c.number)):
                self.entries.append(Entry(row.number, row.at, row.by, _act(row.number, row.act)))
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
        values = {"number": entry.number, "at": at, "by": by, "act": text}
        try:
            with failing(self._engine), self._engine.begin() as connection:
                connection.execute(_ACTS.insert().values(values))
        except StoreError as fault:
            if isinstance(fault.__cause__, IntegrityError):
                raise StoreError(
                    "another hall has written into the book at {store}: only one can; stop this one, or "
                    "start it again to go on",
                    store=shown(self._engine),
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

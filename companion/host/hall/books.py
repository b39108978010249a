# SPDX-License-Identifier: Apache-2.0
"""The arbiter's book in the database.

Its rule: an act counts once it is in the database, never before; one that could not be written changes nothing and is told
to whoever did it. One writes, who holds it (`holding`); another who tries all the same is refused by the numbers.
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
    """The book, as far as it is written."""

    def __init__(self, engine: sql.Engine) -> None:
        """Read what is there. Raises `StoreError`, `TournamentError`."""
        self._engine = engine
        self.entries: list[Entry] = []
        """Every line, in order."""
        with failing(engine), engine.connect() as connection:
            for row in connection.execute(sql.select(_ACTS).order_by(_ACTS.c.number)):
                self.entries.append(Entry(row.number, row.at, row.by, _act(row.number, row.act)))
        self.book: Book = read(self.entries)
        """What they come to."""

    def write(self, by: str, at: str, act: Act) -> Entry:
        """Write down that *by* did *act* at the time *at*.

        Raises `TournamentError` if it cannot be, `StoreError` if it could not be written: then nothing has changed.
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
    """The act of line *number*. Raises `StoreError` if this program does not understand it."""
    try:
        act: Act = decode(Act, json.loads(text))
    except ValueError as fault:
        raise StoreError(
            "line {line} of the book is not understood: {reason}", line=number, reason=fault
        ) from fault
    return act

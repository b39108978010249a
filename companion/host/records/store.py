# SPDX-License-Identifier: Apache-2.0
"""The store: all games in one database.

Its rule: journals are the source of truth, and importing them restores everything here. A game that
grows in its journal replaces its earlier version; the same game from another source is recognised
by its digest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Self

import sqlalchemy as sql

from companion.host.records.database import connect, failing, find, shown
from companion.host.records.export import to_text
from companion.host.records.records import KeptGame, KeptMove, players, winners
from companion.model.errors import CompanionError, NotationError, StoreError
from companion.model.notation import read_record
from companion.model.phrase import Phrase
from companion.model.reading import Note

_META: Final = sql.MetaData()
"""The tables, as made by `migrations`."""
_GAMES: Final = sql.Table(
    "games",
    _META,
    sql.Column("number", sql.Integer, primary_key=True),
    sql.Column("origin", sql.String(64), unique=True),
    sql.Column("digest", sql.String(64), nullable=False, unique=True),
    sql.Column("game", sql.String, nullable=False, index=True),
    sql.Column("began", sql.String, nullable=False),
    sql.Column("winners", sql.String, nullable=False),
    sql.Column("result", sql.String, nullable=False),
    sql.Column("plies", sql.Integer, nullable=False),
    sql.Column("thought_ms", sql.Integer),
    sql.Column("record", sql.Text, nullable=False),
)
_MOVES: Final = sql.Table(
    "moves",
    _META,
    sql.Column("game", sql.ForeignKey("games.number", ondelete="CASCADE"), primary_key=True),
    sql.Column("ply", sql.Integer, primary_key=True),
    sql.Column("side", sql.Integer, nullable=False),
    sql.Column("move", sql.String, nullable=False),
    sql.Column("thought_ms", sql.Integer),
    sql.Column("left_ms", sql.Integer),
)
_ANALYSES: Final = sql.Table(
    "analyses",
    _META,
    sql.Column("digest", sql.String(64), primary_key=True),
    sql.Column("analysis", sql.Text, nullable=False),
)


class Added(StrEnum):
    """Result of adding a game."""

    NEW = "new"
    GROWN = "grown"
    KNOWN = "known"


@dataclass(frozen=True, slots=True)
class Row:
    """An entry of the list of games."""

    number: int
    game: str
    began: str
    """Local date and time; empty if unknown."""
    result: str
    plies: int
    thought_ms: int | None
    """Of all sides together; None if unknown."""
    players: tuple[str, ...]
    """Names of the players by side; "" where unknown."""
    sides: tuple[str, ...]
    """The sides, in order; empty for an unknown game."""
    origin: str | None
    """Identity of the game in its journal, if it comes from one."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Statistics of all games of one kind."""

    game: str
    results: tuple[tuple[str, int], ...]
    """Winners (`draw`, `*` for unfinished games) with counts, most frequent first."""
    average_plies: float
    average_ms: float | None
    """Thinking time per game, where known."""
    longest: tuple[int, int, str, int] | None
    """The longest think: game, ply from 0, move, ms."""


class Store:
    """An open store. A context manager."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine

    @classmethod
    def open(cls, url: str | None) -> Self:
        """Open the store at *url*, or the default one; created if missing. Raises `StoreError`."""
        return cls(connect(url))

    @classmethod
    def find(cls, url: str | None) -> Self:
        """Open the existing store at *url*, or the default one. Raises `StoreError`."""
        return cls(find(url))

    @property
    def url(self) -> str:
        """The URL without its password."""
        return shown(self._engine)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def add(self, game: KeptGame) -> Added:
        """Store *game* unless it is known. Raises `StoreError`."""
        values = _values(game)
        with failing(self._engine), self._engine.begin() as connection:
            same = connection.execute(
                sql.select(_GAMES.c.number, _GAMES.c.origin, _GAMES.c.digest).where(
                    (_GAMES.c.digest == values["digest"])
                    | ((_GAMES.c.origin == game.origin) & _GAMES.c.origin.is_not(None))
                )
            ).all()
            if any(row.digest == values["digest"] and (row.origin or not game.origin) for row in same):
                return Added.KNOWN
            for row in same:
                connection.execute(_MOVES.delete().where(_MOVES.c.game == row.number))
                connection.execute(_GAMES.delete().where(_GAMES.c.number == row.number))
            if same:
                values["number"] = min(row.number for row in same)
            number = connection.scalar(_GAMES.insert().values(values).returning(_GAMES.c.number))
            moves = [
                {
                    "game": number,
                    "ply": ply,
                    "side": move.side,
                    "move": move.text,
                    "thought_ms": move.thought_ms,
                    "left_ms": move.left_ms,
                }
                for ply, move in enumerate(game.moves)
            ]
            if moves:
                connection.execute(_MOVES.insert(), moves)
        return Added.GROWN if same else Added.NEW

    def rows(self, game: str | None = None) -> list[Row]:
        """Return the list of games, optionally of one *game*, latest last. Raises `StoreError`."""
        wanted = sql.select(_GAMES)
        if game is not None:
            wanted = wanted.where(_GAMES.c.game == game)
        with failing(self._engine), self._engine.connect() as connection:
            found = connection.execute(wanted.order_by(_GAMES.c.began, _GAMES.c.number))
            return [_row(each) for each in found]

    def game(self, number: int) -> KeptGame:
        """Return the game stored under *number*. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            row = connection.execute(
                sql.select(_GAMES.c.record, _GAMES.c.origin).where(_GAMES.c.number == number)
            ).one_or_none()
            if row is None:
                raise StoreError(
                    "there is no game {number} in the store: `companion records list` shows all",
                    number=number,
                )
            moves = connection.execute(
                sql.select(_MOVES).where(_MOVES.c.game == number).order_by(_MOVES.c.ply)
            )
            kept = tuple(KeptMove(each.side, each.move, each.thought_ms, each.left_ms) for each in moves)
        return KeptGame(read_record(row.record), kept, row.origin)

    def delete(self, number: int) -> None:
        """Delete the game *number* with its analysis. Raises `StoreError` for others."""
        digest = self.game(number).digest
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_MOVES.delete().where(_MOVES.c.game == number))
            connection.execute(_GAMES.delete().where(_GAMES.c.number == number))
            connection.execute(_ANALYSES.delete().where(_ANALYSES.c.digest == digest))

    def analysis(self, digest: str) -> str | None:
        """Return what is kept of the analysis of the game with *digest*. Raises `StoreError`."""
        wanted = sql.select(_ANALYSES.c.analysis).where(_ANALYSES.c.digest == digest)
        with failing(self._engine), self._engine.connect() as connection:
            found: str | None = connection.scalar(wanted)
        return found

    def keep_analysis(self, digest: str, analysis: str) -> None:
        """Keep *analysis* with the game that has *digest*. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_ANALYSES.delete().where(_ANALYSES.c.digest == digest))
            connection.execute(_ANALYSES.insert().values(digest=digest, analysis=analysis))

    def statistics(self, game: str | None = None) -> list[Statistics]:
        """Return statistics by game. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            kinds = sql.select(
                _GAMES.c.game,
                sql.func.avg(_GAMES.c.plies).label("plies"),
                sql.func.avg(_GAMES.c.thought_ms).label("ms"),
            ).group_by(_GAMES.c.game)
            if game is not None:
                kinds = kinds.where(_GAMES.c.game == game)
            return [
                Statistics(
                    kind.game,
                    _results(connection, kind.game),
                    float(kind.plies),
                    None if kind.ms is None else float(kind.ms),
                    _longest(connection, kind.game),
                )
                for kind in connection.execute(kinds.order_by(_GAMES.c.game)).all()
            ]


def _row(row: Any) -> Row:
    """Return the entry of the list for a database row."""
    named = players(row.record)
    names, sides = tuple(named.values()), tuple(named)
    return Row(
        row.number, row.game, row.began, row.result, row.plies, row.thought_ms, names, sides, row.origin
    )


def _values(game: KeptGame) -> dict[str, Any]:
    """Return the database row of *game*."""
    record = game.record
    thoughts = [move.thought_ms for move in game.moves if move.thought_ms is not None]
    return {
        "origin": game.origin,
        "digest": game.digest,
        "game": record.game,
        "began": f"{record.tags.get('Date', '')} {record.tags.get('Time', '')}".strip(),
        "winners": winners(record),
        "result": record.result,
        "plies": len(record.moves),
        "thought_ms": sum(thoughts) if thoughts else None,
        "record": to_text(record),
    }


def _results(connection: sql.Connection, game: str) -> tuple[tuple[str, int], ...]:
    """Count the results of *game*, by winners."""
    count = sql.func.count().label("times")
    rows = connection.execute(
        sql.select(_GAMES.c.winners, count)
        .where(_GAMES.c.game == game)
        .group_by(_GAMES.c.winners)
        .order_by(count.desc(), _GAMES.c.winners)
    )
    return tuple((row.winners, row.times) for row in rows)


def _longest(connection: sql.Connection, game: str) -> tuple[int, int, str, int] | None:
    """Return the longest think in all games of *game*."""
    row = connection.execute(
        sql.select(_MOVES.c.game, _MOVES.c.ply, _MOVES.c.move, _MOVES.c.thought_ms)
        .join(_GAMES, _GAMES.c.number == _MOVES.c.game)
        .where(_GAMES.c.game == game, _MOVES.c.thought_ms.is_not(None))
        .order_by(_MOVES.c.thought_ms.desc(), _MOVES.c.game, _MOVES.c.ply)
        .limit(1)
    ).one_or_none()
    return None if row is None else (row.game, row.ply, row.move, row.thought_ms)


@dataclass(slots=True)
class Imported:
    """What became of the games of files."""

    counts: dict[Added, int] = field(default_factory=lambda: dict.fromkeys(Added, 0))
    faults: list[CompanionError] = field(default_factory=list)
    """Of the games that were left out."""
    notes: list[Phrase] = field(default_factory=list)
    """What else was left out or guessed."""

    def take(self, store: Store, found: Iterable[KeptGame | NotationError | Note], name: str) -> None:
        """Add what was *found* in the file *name* to *store*. Raises `StoreError`."""
        try:
            for each in found:
                if isinstance(each, CompanionError):
                    self.faults.append(each)
                elif isinstance(each, Note):
                    self.notes.append(Phrase("{path}: {reason}", path=name, reason=each.sentence()))
                else:
                    self.counts[store.add(each)] += 1
        except StoreError:
            raise
        except CompanionError as fault:
            self.faults.append(fault)


def keep(url: str | None, games: Sequence[KeptGame]) -> None:
    """Store *games* in the store at *url*, or the default one. Raises `StoreError`."""
    with Store.open(url) as store:
        for game in games:
            store.add(game)

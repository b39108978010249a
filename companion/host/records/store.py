# SPDX-License-Identifier: Apache-2.0
"""The store: all games in one database.

Its rule: journals are the source of truth, and importing them restores everything here. A game that
grows in its journal replaces its earlier version; the same game from another source is recognised
by its digest. What knows the games is imported where it is used, since that is slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from companion.host.records.database import Database, Transaction, connect, find
from companion.model.errors import CompanionError, NotationError, StoreError
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.records.records import KeptGame
    from companion.model.reading import Note


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

    def __init__(self, database: Database) -> None:
        self._database = database

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
        return self._database.url

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.close()

    def add(self, game: KeptGame) -> Added:
        """Store *game* unless it is known. Raises `StoreError`."""
        values = _values(game)
        digest = values["digest"]
        with self._database.writing() as transaction:
            same = transaction.execute(
                "SELECT number, origin, digest FROM games WHERE digest = ? OR origin = ?",
                (digest, game.origin),
            ).fetchall()
            if any(known == digest and (origin or not game.origin) for _, origin, known in same):
                return Added.KNOWN
            for number, _, _ in same:
                _delete(transaction, number)
            if same:
                values["number"] = min(number for number, _, _ in same)
            marks = ", ".join("?" * len(values))
            transaction.execute(
                f"INSERT INTO games ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
            )
            (number,) = transaction.execute("SELECT number FROM games WHERE digest = ?", (digest,)).fetchone()
            transaction.executemany(
                "INSERT INTO moves (game, ply, side, move, thought_ms, left_ms) VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (number, ply, move.side, move.text, move.thought_ms, move.left_ms)
                    for ply, move in enumerate(game.moves)
                ],
            )
        return Added.GROWN if same else Added.NEW

    def rows(self, game: str | None = None) -> list[Row]:
        """Return the list of games, optionally of one *game*, latest last. Raises `StoreError`."""
        with self._database.reading() as transaction:
            found = transaction.execute(
                "SELECT number, game, began, result, plies, thought_ms, origin, record FROM games "
                f"{_of(game)} ORDER BY began, number",
                _given(game),
            ).fetchall()
        return [_row(each) for each in found]

    def game(self, number: int) -> KeptGame:
        """Return the game stored under *number*. Raises `StoreError`."""
        with self._database.reading() as transaction:
            row = transaction.execute(
                "SELECT record, origin FROM games WHERE number = ?", (number,)
            ).fetchone()
            moves = transaction.execute(
                "SELECT side, move, thought_ms, left_ms FROM moves WHERE game = ? ORDER BY ply", (number,)
            ).fetchall()
        if row is None:
            raise StoreError(
                "there is no game {number} in the store: `companion records list` shows all",
                number=number,
            )
        from companion.host.records.records import KeptGame, KeptMove
        from companion.model.notation import read_record

        record, origin = row
        return KeptGame(read_record(record), tuple(KeptMove(*each) for each in moves), origin)

    def delete(self, number: int) -> None:
        """Delete the game *number* with its analysis. Raises `StoreError` for others."""
        digest = self.game(number).digest
        with self._database.writing() as transaction:
            _delete(transaction, number)
            transaction.execute("DELETE FROM analyses WHERE digest = ?", (digest,))

    def analysis(self, digest: str) -> str | None:
        """Return what is kept of the analysis of the game with *digest*. Raises `StoreError`."""
        with self._database.reading() as transaction:
            row = transaction.execute("SELECT analysis FROM analyses WHERE digest = ?", (digest,)).fetchone()
        return None if row is None else str(row[0])

    def keep_analysis(self, digest: str, analysis: str) -> None:
        """Keep *analysis* with the game that has *digest*. Raises `StoreError`."""
        with self._database.writing() as transaction:
            transaction.execute("DELETE FROM analyses WHERE digest = ?", (digest,))
            transaction.execute("INSERT INTO analyses (digest, analysis) VALUES (?, ?)", (digest, analysis))

    def statistics(self, game: str | None = None) -> list[Statistics]:
        """Return statistics by game. Raises `StoreError`."""
        with self._database.reading() as transaction:
            kinds = transaction.execute(
                f"SELECT game, avg(plies), avg(thought_ms) FROM games {_of(game)} GROUP BY game ORDER BY game",
                _given(game),
            ).fetchall()
            return [
                Statistics(
                    kind,
                    _results(transaction, kind),
                    float(plies),
                    None if thought_ms is None else float(thought_ms),
                    _longest(transaction, kind),
                )
                for kind, plies, thought_ms in kinds
            ]


def _of(game: str | None) -> str:
    """Return the condition for games of the kind *game*, or of all kinds."""
    return "" if game is None else "WHERE game = ?"


def _given(game: str | None) -> tuple[str, ...]:
    """Return the value for that condition."""
    return () if game is None else (game,)


def _delete(transaction: Transaction, number: int) -> None:
    """Delete the game *number* with its moves."""
    transaction.execute("DELETE FROM moves WHERE game = ?", (number,))
    transaction.execute("DELETE FROM games WHERE number = ?", (number,))


def _row(values: tuple[Any, ...]) -> Row:
    """Return the entry of the list for a database row."""
    from companion.host.records.records import players

    number, game, began, result, plies, thought_ms, origin, record = values
    named = players(record)
    return Row(number, game, began, result, plies, thought_ms, tuple(named.values()), tuple(named), origin)


def _values(game: KeptGame) -> dict[str, Any]:
    """Return the database row of *game*."""
    from companion.host.records.export import to_text
    from companion.host.records.records import winners

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


def _results(transaction: Transaction, game: str) -> tuple[tuple[str, int], ...]:
    """Count the results of *game*, by winners."""
    return tuple(
        transaction.execute(
            "SELECT winners, count(*) FROM games WHERE game = ? GROUP BY winners ORDER BY count(*) DESC, winners",
            (game,),
        )
    )


def _longest(transaction: Transaction, game: str) -> tuple[int, int, str, int] | None:
    """Return the longest think in all games of *game*."""
    found: tuple[int, int, str, int] | None = transaction.execute(
        "SELECT moves.game, ply, move, moves.thought_ms FROM moves JOIN games ON games.number = moves.game "
        "WHERE games.game = ? AND moves.thought_ms IS NOT NULL "
        "ORDER BY moves.thought_ms DESC, moves.game, ply LIMIT 1",
        (game,),
    ).fetchone()
    return found


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
        from companion.model.reading import Note

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

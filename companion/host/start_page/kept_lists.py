# SPDX-License-Identifier: Apache-2.0
"""The games on the start page: unfinished ones and those of the store, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from companion import games
from companion.feedback.page import Json
from companion.feedback.wordfiles import read_common
from companion.feedback.words import Words, load
from companion.host.journal import journal as journals
from companion.host.journal.journal import SUFFIX
from companion.host.records.records import KeptGame, computer_level, from_journal, named_sides, rules_of
from companion.model.errors import CompanionError
from companion.model.grid import Grid
from companion.model.notation import UNFINISHED
from companion.opponent.levels import names

if TYPE_CHECKING:
    from companion.host.records.store import Row

_MOST_JOURNALS: Final = 40
"""Journals that are read, the newest ones."""
_MOST_GAMES: Final = 100


@dataclass(frozen=True, slots=True)
class JournalGame:
    """The last game of a journal."""

    journal: Path
    kept: KeptGame
    began: str
    """Local date and time, as in the journal."""
    can_go_on: bool

    @property
    def game(self) -> str:
        """Return the slug of its game."""
        return self.kept.record.game

    def grid(self) -> Grid:
        """Return the grid of its board."""
        return rules_of(self.kept.record).grid


class UnfinishedGames:
    """The unfinished games of a folder; only changed journals are read again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[tuple[Path, int, int, bool], JournalGame | None] = {}

    def list(self, current: Path | None) -> tuple[JournalGame, ...]:
        """Return them and the game of *current*, the latest first. Reads files."""
        stamped = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            try:
                stat = path.stat()
            except OSError:
                continue  # it was deleted in between
            stamped.append((path, stat.st_mtime_ns, stat.st_size, path == current))
        newest = sorted(stamped, key=lambda each: each[1], reverse=True)[:_MOST_JOURNALS]
        self._known = {
            key: self._known[key] if key in self._known else _read(key[0], is_current=key[3])
            for key in newest
        }
        return tuple(found for found in self._known.values() if found is not None)


def _read(path: Path, *, is_current: bool) -> JournalGame | None:
    """Return the last game of the journal in *path*; None if nobody needs it."""
    try:
        journal = journals.read(path)
        is_wanted = journal.is_under_way or is_current
        if not is_wanted or journal.header.setup.game not in games.slugs():
            return None
        *_, last = (None, *from_journal(journal))
    except CompanionError:
        return None
    if last is None:  # no move was made
        return None
    return JournalGame(path, last, journal.header.began, journal.is_under_way)


def listed(
    rows: Sequence[Row], found: Sequence[JournalGame], current: Path | None, language: str
) -> list[Json]:
    """Return all games but the one under way on the table, the latest first.

    A game that is both in the store and in a journal is listed once.
    """
    on_table = {each.kept.origin for each in found if each.journal == current and each.can_go_on}
    to_resume = [each for each in found if each.can_go_on and each.journal != current]
    numbers = {row.origin: row.number for row in rows if row.origin}
    resumed = {each.kept.origin for each in to_resume}
    others = [
        row
        for row in rows
        if row.game in games.slugs() and not (row.origin and row.origin in on_table | resumed)
    ]
    made = [
        *(_to_resume(each, numbers.get(each.kept.origin or "", 0), language) for each in to_resume),
        *(_in_store(row, language) for row in others),
    ]
    return sorted(made, key=lambda each: str(each["began"]), reverse=True)[:_MOST_GAMES]


def is_kept(rows: Sequence[Row], found: Sequence[JournalGame], current: Path | None) -> bool:
    """True if the game of *current* is over and in the store."""
    over = {each.kept.origin for each in found if each.journal == current and not each.can_go_on}
    return any(row.origin in over for row in rows)


def _to_resume(found: JournalGame, number: int, language: str) -> Json:
    """Return a game that can go on; *number* is 0 outside of the store."""
    record = found.kept.record
    words = load(language, record.game, rules_of(record).sides)
    return {
        **_game(record.game, words, tuple(named_sides(record).values()), len(record.moves), UNFINISHED),
        "number": number,
        "journal": found.journal.name,
        "began": _minute(found.began),
        "picture": f"unfinished/{found.journal.name}/board.svg?plies={len(record.moves)}",
    }


def _in_store(row: Row, language: str) -> Json:
    """Return a game of the store."""
    words = load(language, row.game, row.sides or games.find(row.game).rules().sides)
    return {
        **_game(row.game, words, row.players, row.plies, row.result),
        "number": row.number,
        "journal": "",
        "began": row.began.replace(".", "-")[:16],
        "picture": f"kept/{row.number}/board.svg?plies={row.plies}",
    }


def _game(game: str, words: Words, players: Sequence[str], plies: int, result: str) -> Json:
    """Return what is said of a game, wherever it is."""
    return {
        "game": game,
        "title": words.game.title,
        "players": list(called(game, words, players)),
        "plies": plies,
        "is_finished": result != UNFINISHED,
        "result": _result(words, result),
    }


def called(game: str, words: Words, players: Sequence[str]) -> Iterator[str]:
    """Yield who played each side: a name, the computer, or the side itself."""
    for side in range(len(words.sides)):
        name = players[side] if side < len(players) else ""
        level = computer_level(name)
        if level is not None:
            known = names(game, words.language)[level - 1 : level]
            name = words.common.labels["computer"] + (f" ({known[0]})" if level and known else "")
        called = name or words.side(side).name
        yield called[:1].upper() + called[1:]


def _minute(began: str) -> str:
    """Return the time *began* without seconds and offset."""
    try:
        return f"{datetime.fromisoformat(began):%Y-%m-%d %H:%M}"
    except ValueError:
        return began


def stored(store: str | None) -> list[Row]:
    """Return the games of *store*. Raises `StoreError`."""
    from companion.host.records.store import Store

    with Store.find(store) as opened:
        return opened.rows()


def _result(words: Words, result: str) -> str:
    """Return the winners of a game by their names, or that it is not finished."""
    said = read_common(words.language).start
    won, sides = result.partition(":")[0], tuple(words.sides)
    if won in ("draw", UNFINISHED):
        return said["drawn"] if won == "draw" else said["unfinished"]
    winners = words.comma(words.side(sides.index(side)).name for side in won.split("+") if side in sides)
    told = words.fill(said["won"], winners=winners) if winners else ""
    return told[:1].upper() + told[1:]

# SPDX-License-Identifier: Apache-2.0
"""The lists of the start page: unfinished games, and games in the store."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from companion import games
from companion.feedback.page import Json
from companion.feedback.wordfiles import read_common
from companion.host.game_info import words_of
from companion.host.journal import journal as journals
from companion.host.journal.journal import SUFFIX
from companion.host.records.records import from_journal
from companion.host.records.store import Store
from companion.model.errors import CompanionError
from companion.model.grid import Grid
from companion.model.notation import UNFINISHED

_MOST_JOURNALS: Final = 40
"""Journals that are read, the newest ones."""
_MOST_UNFINISHED: Final = 12
_MOST_KEPT: Final = 100


@dataclass(frozen=True, slots=True)
class UnfinishedGame:
    """A game that can be resumed."""

    journal: Path
    game: str
    options: tuple[tuple[str, str], ...]
    players: tuple[str, ...]
    plies: int
    began: str
    """Local date and time, as in the journal."""

    def grid(self) -> Grid:
        """Return the grid of its board."""
        return games.find(self.game).rules(dict(self.options)).grid


class UnfinishedGames:
    """The unfinished games of a folder; only changed journals are read again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[tuple[Path, int, int], UnfinishedGame | None] = {}

    def list(self, current: Path | None) -> tuple[UnfinishedGame, ...]:
        """Return those other than *current*, the latest first. Reads files."""
        stamped = []
        for path in self.folder.glob(f"*{SUFFIX}"):
            try:
                stat = path.stat()
            except OSError:
                continue  # it was deleted in between
            stamped.append((path, stat.st_mtime_ns, stat.st_size))
        newest = sorted(stamped, key=lambda each: each[1], reverse=True)[:_MOST_JOURNALS]
        self._known = {key: self._known[key] if key in self._known else _read(key[0]) for key in newest}
        found = (self._known[key] for key in newest if key[0] != current)
        return tuple(each for each in found if each is not None)[:_MOST_UNFINISHED]


def _read(path: Path) -> UnfinishedGame | None:
    """Return the game of the journal in *path*; None if it cannot be resumed."""
    try:
        journal = journals.read(path)
        if not journal.is_under_way or journal.header.setup.game not in games.slugs():
            return None
        *_, last = (None, *from_journal(journal))
    except CompanionError:
        return None
    if last is None:  # no move was made
        return None
    setup = journal.header.setup
    return UnfinishedGame(
        path, setup.game, setup.options, setup.players, len(last.moves), journal.header.began
    )


def unfinished_json(found: UnfinishedGame, language: str) -> Json:
    """Return *found* for the page."""
    return {
        "journal": found.journal.name,
        "game": found.game,
        "title": words_of(found.game, language).game.title,
        "players": list(found.players),
        "plies": found.plies,
        "began": _minute(found.began),
    }


def _minute(began: str) -> str:
    """Return the time *began* without seconds and offset."""
    try:
        return f"{datetime.fromisoformat(began):%Y-%m-%d %H:%M}"
    except ValueError:
        return began


def kept_json(store: str | None, language: str) -> list[Json]:
    """Return the games of *store*, the latest first. Raises `StoreError`."""
    with Store.find(store) as opened:
        rows = opened.rows()
    known = games.slugs()
    newest = [row for row in reversed(rows) if row.game in known][:_MOST_KEPT]
    return [
        {
            "number": row.number,
            "game": row.game,
            "title": words_of(row.game, language).game.title,
            "players": list(row.players),
            "began": row.began.replace(".", "-")[:16],
            "plies": row.plies,
            "is_finished": row.result != UNFINISHED,
            "result": _result(row.game, row.result, language),
        }
        for row in newest
    ]


def _result(game: str, result: str, language: str) -> str:
    """Return the winners of a game by their names; "" for an unfinished game."""
    words = words_of(game, language)
    said = read_common(language).start
    won, sides = result.partition(":")[0], tuple(words.sides)
    if won in ("draw", UNFINISHED):
        return said["drawn"] if won == "draw" else ""
    names = words.comma(words.side(sides.index(side)).name for side in won.split("+") if side in sides)
    return words.fill(said["won"], winners=names) if names else ""

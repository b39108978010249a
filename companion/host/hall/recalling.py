# SPDX-License-Identifier: Apache-2.0
"""The games at a board as its journals tell them: for an arbiter who puts one right, for broadcasts, and for score sheets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from companion import games
from companion.host import journal as journals
from companion.host.hall.hall import Hall
from companion.host.records import KeptGame, from_journal
from companion.host.replay import restored
from companion.model.errors import TournamentError
from companion.tournament.acts import TableGiven
from companion.tournament.book import Running

Copy: TypeAlias = tuple[Path, bytes]
"""A journal, as far as it may be read."""


def newest(hall: Hall, board: str) -> Copy:
    """The newest journal of *board* as far as it is here. Raises `TournamentError` if there is none, `JournalError`."""
    names = hall.journals(board) if board in hall.hub.seats.known else []
    if not names:
        raise TournamentError(f"nothing is known of a game at the board {board!r}")
    path = hall.folder(board) / names[-1]
    return path, journals.content(path)


def game_of(copy: Copy, given: TableGiven) -> KeptGame | None:
    """The last game in *copy* that was played after the board was *given*; None if no move of it was made.

    Raises `CompanionError` if it cannot be read.
    """
    path, content = copy
    begins = given.size if path.name == given.journal else 0
    if path.name < given.journal or b"MoveMade" not in content[begins:]:
        return None
    found = list(from_journal(journals.parse(path, content)))
    return found[-1] if found else None


def game_at(hall: Hall, running: Running, in_round: int, table: int) -> KeptGame | None:
    """The game of a round at a table, as far as it is here; None if nothing is. Raises `CompanionError` as `game_of` does."""
    given = running.boards.get((in_round, table))
    found = (game_of(copy, given) for copy in _between(hall, given)) if given else iter(())
    return next((game for game in found if game is not None), None)


def _between(hall: Hall, given: TableGiven) -> Iterator[Copy]:
    """The journals of a board from when it was *given* until it was given again, the newest first."""
    later = [
        (each.journal, each.size)
        for running in hall.keeper.book.running.values()
        for each in running.boards.values()
        if each.board == given.board and (each.journal, each.size) > (given.journal, given.size)
    ]
    last, size = min(later, default=("", 0))
    for name in reversed(hall.journals(given.board)):
        path = hall.folder(given.board) / name
        if name >= given.journal and (not later or name <= last):
            content = journals.content(path)
            yield path, content[:size] if later and name == last else content


def recall(path: Path, content: bytes) -> dict[str, Any]:
    """The record and the position of the game that the journal *content* tells, in the game's notation.

    A move is empty where an arbiter let a position stand that no move led to. Raises `CompanionError` if it cannot be read.
    """
    journal = journals.parse(path, content)
    header = journal.header
    rules = games.find(header.game).rules(dict(header.options))
    session = restored(journal, rules, header.sensor)
    return {
        "moves": [move.move for move in session.view().record],
        "position": rules.write_position(session.position),
        "sides": list(rules.sides),
    }

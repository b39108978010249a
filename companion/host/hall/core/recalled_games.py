# SPDX-License-Identifier: Apache-2.0
"""Games at a board, read from its journals for corrections, broadcasts and score sheets."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from companion import games
from companion.host.hall.core.game_ends import since_order
from companion.host.hall.core.hall import Hall
from companion.host.journal import journal as journals
from companion.host.records.records import KeptGame, from_journal
from companion.model.errors import TournamentError
from companion.model.notation import UNFINISHED
from companion.referee.events import Event
from companion.referee.replay_events import replayed
from companion.tournament.acts import TableGiven
from companion.tournament.book import Running

Copy: TypeAlias = tuple[Path, bytes]
"""A journal, up to the readable size."""
Place: TypeAlias = tuple[str, int]
"""A position in the journals of a board: a name and a number of bytes."""


def newest(hall: Hall, board: str) -> Copy:
    """Return the newest journal of *board*.

    Raises `TournamentError` without one, `JournalError`.
    """
    names = hall.journals(board) if board in hall.hub.seats.known else []
    if not names:
        raise TournamentError("nothing is known of a game at the board {board!r}", board=board)
    path = hall.folder(board) / names[-1]
    return path, journals.content(path)


def game_of(copies: Iterable[Copy], given: TableGiven) -> KeptGame | None:
    """Return the game of the table whose board was *given*, from *copies*, oldest first.

    Like its result, it is the first game that ended, otherwise the last one begun; None without
    moves. Raises `CompanionError` if it cannot be read.
    """
    known = None
    for path, content in copies:
        begins = given.size if path.name == given.journal else 0
        if b"MoveMade" in content[begins:]:
            found = list(from_journal(journals.parse(path, content)))
            for known in found[-1:] if begins else found:
                if known.record.result != UNFINISHED:
                    return known
    return known


def game_at(hall: Hall, running: Running, in_round: int, table: int) -> KeptGame | None:
    """Return the game of a table in a round, as far as it is here;

    None without one.

    Raises `CompanionError` like `game_of`.
    """
    given = running.boards.get((in_round, table))
    if given is None:
        return None
    again = given_again(places(hall.keeper.book.running.values()), given)
    return game_of(copies(hall, given, again), given)


def places(of: Iterable[Running]) -> dict[str, list[Place]]:
    """Return the journal positions at which boards were given to tables of *of*."""
    found: dict[str, list[Place]] = {}
    for running in of:
        for each in running.boards.values():
            found.setdefault(each.board, []).append((each.journal, each.size))
    return {board: sorted(each) for board, each in found.items()}


def given_again(of: Mapping[str, list[Place]], given: TableGiven) -> Place | None:
    """Return the position in *of* at which the board was given next;

    None if it was not.
    """
    later = of.get(given.board, [])
    index = bisect_right(later, (given.journal, given.size))
    return later[index] if index < len(later) else None


def copies(hall: Hall, given: TableGiven, end: Place | None) -> Iterator[Copy]:
    """Yield the journals of a board from when it was *given* to *end*, oldest first.

    Raises `JournalError`.
    """
    paths = (hall.folder(given.board) / name for name in hall.journals(given.board) if name >= given.journal)
    found = ((path, journals.content(path)) for path in paths if end is None or path.name <= end[0])
    for path, content in since_order(found, given.order):
        yield path, content[: end[1]] if end and path.name == end[0] else content


def recall(path: Path, content: bytes) -> dict[str, Any]:
    """Return record and position of the game in the journal *content*, in its notation.

    A move is empty where an arbiter adopted a position. Raises `CompanionError` if it cannot be
    read.
    """
    journal = journals.parse(path, content)
    header = journal.header
    rules = games.find(header.game).rules(dict(header.options))
    with journals.following(journal) as entries:
        events = (entry for entry in entries if isinstance(entry, Event))
        state = replayed(rules, events, header.control)
    return {
        "moves": [ply.text for ply in state.played],
        "position": rules.write_position(state.current),
        "sides": list(rules.sides),
    }

# SPDX-License-Identifier: Apache-2.0
"""Games of a hall's stations, read from their journals: results, leftovers, whole records.

The hall looks for results and leftovers. Corrections, broadcasts and score sheets need records.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from companion.host.hall.core.station_states import StationState
from companion.host.journal import journal as journals
from companion.host.journal.checksum import whole_lines
from companion.host.records.records import KeptGame, from_journal
from companion.model.errors import JournalError, TournamentError
from companion.model.game import Outcome
from companion.model.notation import UNFINISHED
from companion.referee.state.replay_events import outcome_after, replayed
from companion.referee.values.events import Event, GameBegan
from companion.tournament.acts import TableGiven
from companion.tournament.book import Book, Running

if TYPE_CHECKING:
    from companion.host.hall.core.hall import Hall

_TELLING: Final = (b"GameBegan", b"GameEnded", b"MoveRetracted", b"RecordCorrected")
Copy: TypeAlias = tuple[Path, bytes]
"""A journal, up to the readable size."""
Place: TypeAlias = tuple[str, int]
"""A position in the journals of a station: a name and a number of bytes."""


# --- results ---


def first_end(lines: Iterable[bytes]) -> Outcome | None:
    """Return the result of the first game in *lines* to end, with later corrections.

    None if no game has ended.
    """
    ended: Outcome | None = None
    for line in lines:
        event = _entry_of(line)
        if isinstance(event, GameBegan) and ended is not None:
            return ended
        ended = outcome_after(ended, event)
    return ended


def _entry_of(line: bytes) -> journals.Entry | None:
    """Decode *line* if it may begin or end a game."""
    if any(word in line for word in _TELLING):
        with contextlib.suppress(ValueError):
            return journals.entry_of(line)
    return None


def is_begun_by(content: bytes, order: str) -> bool:
    """True if the journal with this *content* was started by the hall's *order*."""
    with contextlib.suppress(ValueError, AttributeError):
        return bool(json.loads(content.partition(b"\n")[0]).get("order") == order)
    return False


def since_order(found: Iterable[tuple[Path, bytes]], order: str) -> Iterator[tuple[Path, bytes]]:
    """Return the journals of *found*, oldest first, starting with that of *order*."""
    return dropwhile(lambda each: bool(order) and not is_begun_by(each[1], order), found)


def lines_after(given: TableGiven, folder: Path, names: Iterable[str]) -> Iterator[bytes]:
    """Yield the lines of the journals *names* written after their station was *given*.

    Raises `OSError`, and `JournalError` for a changed journal.
    """
    found = ((folder / name, (folder / name).read_bytes()) for name in names if name >= given.journal)
    for path, content in since_order(found, given.order):
        before = given.size if path.name == given.journal else 0
        if b"\n" in content[before:]:
            yield from whole_lines(path, content)[0][content[:before].count(b"\n") :]


# --- leftovers ---


def is_left_over(
    book: Book, given: TableGiven, state: StationState | None, folder: Path, names: Sequence[str]
) -> bool:
    """True if the game at *state* belongs to the previous table of the station.

    That is a finished game, or one still in progress although the arbiter has entered the result.
    *book* is as before the station was *given*. False for a game that began later or before any
    assignment, if the journals do not say, and if the station was the table's already. *names* are
    the station's journals in *folder*, oldest first.
    """
    glance = state.glance if state is not None else None
    own = book.of(given.key).stations.get((given.round, given.table))
    is_theirs = own is not None and own.board == given.board
    if glance is None or (glance.ply == 0 and glance.outcome is None) or is_theirs:
        return False
    latest = latest_given(map(given_by_station, book.running.values()), given.board)
    if latest is None or book.of(latest.key).tournament.pairing(latest.round, latest.table).is_on:
        return False
    with contextlib.suppress(OSError, JournalError):
        return is_present(latest, state, folder, names)
    return False


def is_present(given: TableGiven, state: StationState | None, folder: Path, names: Iterable[str]) -> bool:
    """True if the game at *state* is that of the table whose station was *given*.

    False for one that began after the table's game had ended. Raises `OSError` and `JournalError`.
    """
    has_ended = state is not None and state.glance is not None and state.glance.outcome is not None
    return has_ended or first_end(lines_after(given, folder, names)) is None


def given_by_station(running: Running) -> dict[str, TableGiven]:
    """Return the last table of each station, in whatever round it was."""
    found: dict[str, TableGiven] = {}
    for each in running.stations.values():
        known = found.get(each.board)
        if known is None or (each.journal, each.size) >= (known.journal, known.size):
            found[each.board] = each
    return found


def latest_given(tournaments: Iterable[Mapping[str, TableGiven]], station: str) -> TableGiven | None:
    """Return the last table of *station* in *tournaments*, each by station; None without one."""
    there = [each[station] for each in tournaments if station in each]
    return max(reversed(there), key=lambda each: (each.journal, each.size), default=None)


# --- decided games ---


@dataclass(slots=True)
class DecidedGames:
    """Games at the stations of tables that have their result."""

    _journals: dict[TableGiven, str | None] = field(default_factory=dict)
    """Journal when the table was decided; None if another game had begun."""

    async def note(self, hall: Hall, given: TableGiven) -> bool:
        """Note what is played where a table is being decided; true for its game.

        A journal that cannot be read has no end of a game.
        """
        state = hall.hub.station_states.known.get(given.board)
        looked = given, state, hall.folder(given.board), hall.journals(given.board)
        is_own = True
        with contextlib.suppress(OSError, JournalError):
            is_own = await asyncio.to_thread(is_present, *looked)
        self._journals[given] = hall.hub.moment_of(given.board)[0] if is_own else None
        return is_own

    def is_known(self, given: TableGiven) -> bool:
        """True if `note` knows the station that was *given*."""
        return given in self._journals

    def has(self, given: TableGiven, journal: str) -> bool:
        """True if *journal* at the station that was *given* is the decided game's."""
        return self._journals.get(given, journal) == journal


# --- records ---


def newest(hall: Hall, station: str) -> Copy:
    """Return the newest journal of *station*.

    Raises `TournamentError` without one, `JournalError`.
    """
    names = hall.journals(station) if station in hall.hub.station_states.known else []
    if not names:
        raise TournamentError("nothing is known of a game at the board {board!r}", board=station)
    path = hall.folder(station) / names[-1]
    return path, journals.content(path)


def game_of(copies: Iterable[Copy], given: TableGiven) -> KeptGame | None:
    """Return the game of the table whose station was *given*, from *copies*, oldest first.

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
    given = running.stations.get((in_round, table))
    if given is None:
        return None
    again = given_again(places(hall.keeper.book.running.values()), given)
    return game_of(copies(hall, given, again), given)


def places(of: Iterable[Running]) -> dict[str, list[Place]]:
    """Return the journal positions at which stations were given to tables of *of*."""
    found: dict[str, list[Place]] = {}
    for running in of:
        for each in running.stations.values():
            found.setdefault(each.board, []).append((each.journal, each.size))
    return {station: sorted(each) for station, each in found.items()}


def given_again(of: Mapping[str, list[Place]], given: TableGiven) -> Place | None:
    """Return the position in *of* at which the station was given next;

    None if it was not.
    """
    later = of.get(given.board, [])
    index = bisect_right(later, (given.journal, given.size))
    return later[index] if index < len(later) else None


def copies(hall: Hall, given: TableGiven, end: Place | None) -> Iterator[Copy]:
    """Yield the journals of a station from when it was *given* to *end*, oldest first.

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
    rules = header.setup.rules
    with journals.following(journal) as entries:
        events = (entry for entry in entries if isinstance(entry, Event))
        state = replayed(rules, events, header.control)
    return {
        "moves": [ply.text for ply in state.played],
        "position": rules.write_position(state.current),
        "sides": list(rules.sides),
    }

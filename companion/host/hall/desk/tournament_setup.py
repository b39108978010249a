# SPDX-License-Identifier: Apache-2.0
"""Setting up a tournament, in a running hall or directly in the book.

Its rule: the hall checks and writes each act, under the arbiter's name.
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias

from companion.host.clock import monotonic, wall
from companion.host.codec import encode
from companion.host.hall.book_lock import BRIEFLY_MS, held
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.events import check, is_under_way
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.desk.round_pairing import paired
from companion.host.records.database import database_at
from companion.model.errors import GameUnderWay, SettingsError, StationSilent, TournamentError
from companion.referee.values.commands import Command, Hold, Release
from companion.referee.values.view import Phase
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Described,
    Entered,
    Excused,
    LinedUp,
    Opened,
    Ordered,
    ResultDecided,
    ResultReported,
    RoundPaired,
    TableGiven,
)
from companion.tournament.book import Book
from companion.tournament.club_ratings import ratings_by_name
from companion.tournament.event import Event
from companion.tournament.pairing import playoff, seated
from companion.tournament.pairing_program import request, round_from
from companion.tournament.rating_changes import ELO_GAME
from companion.tournament.rating_list import plain_name, read_players
from companion.tournament.roster import LONGEST_RATING, plain
from companion.tournament.ties import check_rated
from companion.tournament.trf_left_out import announced_byes, follow_on, left_out
from companion.tournament.trf_reader import Report, is_trf, read_trf, without_mark
from companion.tournament.values import WIN, Player, Points

Counts: TypeAlias = dict[str, Any]
"""Counts of entered and known players, of imported and omitted rounds, and `notes`."""

TOGETHER_MS: Final = 1000
"""Delay of simultaneous commands, so that all stations have received them."""
STOP_MS: Final = TOGETHER_MS + 500
"""Delay of a stop that has to follow a common start."""
_START: Final = encode(Command, Release(starts_clock=True))


def checked(act: Act, book: Book) -> Act:
    """Check *act*: the game has to exist, and a changed result needs a remark.

    Raises `CompanionError`.
    """
    if isinstance(act, Opened):
        check(act)
    if isinstance(act, Corrected) and (not act.name or plain(act.name) != act.name):
        raise TournamentError("a player needs a name, in one line")
    if isinstance(act, Corrected) and not 0 <= act.rating < 10**LONGEST_RATING:
        raise TournamentError("a rating has {digits} digits at most", digits=LONGEST_RATING)
    if isinstance(act, ResultDecided) and act.is_forfeit and act.points and _is_drawn(act.points):
        raise TournamentError(
            "table {table}: a draw is no forfeit: who does not come loses, and if nobody comes, both lose "
            "(FIDE Laws of Chess, 6.7)",
            table=act.table,
        )
    if isinstance(act, ResultDecided) and act.points is not None and not act.note.strip():
        of = book.of(act.key).tournament.pairing(act.round, act.table)
        known = of.further[-1] if of.further else of.points
        if known not in (None, act.points):
            raise TournamentError(
                "table {table} has a result already, perhaps another arbiter's: say in a remark why it "
                "is changed",
                table=act.table,
            )
    return act


def _is_drawn(points: Sequence[Points]) -> bool:
    """True if two share the points, also fewer than there are."""
    return len(points) == 2 and WIN not in points and any(points)


async def decide(hall: Hall, by: str, act: ResultDecided) -> list[int]:
    """Write *act*, and stop the clocks of the game that it decides.

    Returns the numbers of the entries, which are undone together. Raises like `Hall.act`.
    """
    stopped = None if act.points is None else await _clock_to_stop(hall, act)
    numbers = [(await hall.act(by, act)).number]
    if stopped is not None:
        station, in_ms = stopped
        journal = hall.hub.moment_of(station)[0]
        (name,) = await hall.order_all(by, [station], Hold(), act.note, in_ms=in_ms, journal=journal)
        numbers.append(number_of(hall, name))
    return numbers


def number_of(hall: Hall, order: str) -> int:
    """Return the number of the entry that gave *order*."""
    entries = reversed(hall.keeper.entries)
    return next(each.number for each in entries if isinstance(each.act, Ordered) and each.act.order == order)


async def _clock_to_stop(hall: Hall, act: ResultDecided) -> tuple[str, int] | None:
    """Return the station whose clocks *act* stops, and after how many ms, or None.

    A game that the station has ended needs no stop; one that began since belongs to nobody here.
    """
    running = hall.keeper.book.of(act.key)
    given = running.stations.get((act.round, act.table))
    was_on = running.tournament.pairing(act.round, act.table).is_on
    if given is None or not was_on or hall.keeper.book.at_station(given.board) != given:
        return None
    is_own = await hall.decided_games.note(hall, given)
    state, orders = hall.hub.station_states.known.get(given.board), hall.keeper.book.orders
    if not is_own or state is None or state.glance is None or given.order in orders:
        return None
    if state.glance.outcome is not None or state.glance.phase == Phase.PAUSED:
        return None
    started = _started(hall, given)
    if started is None and not is_under_way(state):
        return None
    return given.board, STOP_MS if started in orders else 0


def _started(hall: Hall, given: TableGiven) -> str | None:
    """Return the order that starts, or started, the clock of the table's game.

    The station shows a running clock only after it.
    """
    for entry in reversed(hall.keeper.entries):
        act = entry.act
        if isinstance(act, TableGiven) and act.board == given.board:
            return None
        if isinstance(act, Ordered) and act.board == given.board and json.loads(act.command) == _START:
            return act.order
    return None


def contradicted(book: Book, act: ResultDecided) -> ResultReported | None:
    """Return what the station reported, if *act* says something else; None if it does not."""
    reported = book.of(act.key).reported.get((act.round, act.table))
    if reported is None or act.points is None or (act.points == reported.points and not act.is_forfeit):
        return None
    return reported


async def confirm(
    hall: Hall, by: str, key: str, in_round: int, shown: Mapping[int, tuple[Points, ...]]
) -> list[int]:
    """Confirm the reported results of a round that are still those *shown*, by table.

    Returns the numbers of the entries. Raises like `Hall.act`.
    """
    numbers = []
    for table, points in shown.items():
        reported = hall.keeper.book.of(key).reported.get((in_round, table))
        if reported is not None and reported.points == points:
            numbers += await decide(hall, by, ResultDecided(key, in_round, table, points))
    return numbers


async def enter(
    hall: Hall, by: str, key: str, text: str, rating_list: Sequence[tuple[int, str]] = ()
) -> Counts:
    """Enter the players of the list or report *text*; unchanged known ones are skipped.

    Players of a list are completed from the numbered lines of *rating_list*.

    So an extended list, or one that was entered in part, can be entered again. Raises like
    `Hall.act`.
    """
    text = without_mark(text)
    report = read_trf(text) if is_trf(text) else None
    if report is None:
        found, notes = read_players(text, rating_list or None)
    else:
        found, notes = report.value.players, ()
    there = Counter(map(_list_data, hall.keeper.book.of(key).tournament.players))
    ratings = await asyncio.to_thread(_club_ratings, hall.keeper.book, key)
    fresh = [_with_club_rating(player, ratings) for player in found if not _taken(there, _list_data(player))]
    for player in fresh:
        await hall.act(by, Entered(key, player))
    entered: Counts = {"entered": len(fresh)}
    if len(found) > len(fresh):
        entered["known"] = len(found) - len(fresh)
    if notes:
        entered["notes"] = list(notes)
    return entered if report is None else entered | await _go_on(hall, by, key, report)


async def _go_on(hall: Hall, by: str, key: str, read: Report) -> Counts:
    """Import the rounds of the report *read* and its announced byes. Raises like `Hall.act`."""
    of, report = hall.keeper.book.of(key).tournament, read.value
    rounds = follow_on(of, report)
    notes = [note.sentence() for note in left_out(of, read)]
    if report.event != Event() and of.event == Event():
        await hall.act(by, Described(key, report.event))
    for each in rounds:
        for lineup in report.lineups:
            if lineup.round == each.number:
                await hall.act(by, LinedUp(key, lineup))
        await hall.act(by, RoundPaired(key, each))
    if rounds:
        for in_round, number, bye in announced_byes(report, len(rounds)):
            await hall.act(by, Excused(key, number, in_round, bye))
    paired = sum(bool(each.pairings) for each in report.rounds)
    counts = {"rounds": len(rounds), "left_out": paired - len(rounds)} if report.rounds else {}
    return {**counts, "notes": notes} if notes else dict(counts)


def _club_ratings(book: Book, key: str) -> Mapping[str, int]:
    """Return the club's ratings before *key*, by plain name; none in chess."""
    *before, of = book.history(key) or (book.of(key).tournament,)
    return {} if of.game == ELO_GAME else ratings_by_name(before)


def _with_club_rating(player: Player, ratings: Mapping[str, int]) -> Player:
    """Return *player* with the club's rating, if the list has none."""
    return replace(player, rating=player.rating or ratings.get(plain_name(player.name), 0))


def _list_data(player: Player) -> Player:
    """Return *player* with only the data of a list."""
    return replace(player, number=0, joined=1, left=None, excused=())


def _taken(there: Counter[Player], player: Player) -> bool:
    """Remove *player* from *there*; false if missing. Equal players may occur twice.

    One whose list has no rating may have the club's.
    """
    same = (each for each, count in there.items() if count and replace(each, rating=0) == player)
    known = player if there[player] > 0 or player.rating else next(same, player)
    there[known] -= 1
    return there[known] >= 0


async def pair(
    hall: Hall,
    by: str,
    key: str,
    tables: Sequence[tuple[int, ...]] = (),
    *,
    is_playoff: bool = False,
    answer: str = "",
) -> int:
    """Pair the next round by the format, or with *tables*; return its number.

    With the *answer* of a pairing program as that has it.

    Raises like `Hall.act`.
    """
    of = hall.keeper.book.of(key).tournament
    check_rated(of)
    if is_playoff:
        fresh = playoff(of, tables)
    elif tables:
        fresh = seated(of, tables)
    elif answer:
        fresh = round_from(of, answer)
    else:
        fresh = await paired(of)
        if hall.keeper.book.of(key).tournament is not of:
            raise TournamentError(
                "{tournament}: it was changed while the round was being paired: pair again",
                tournament=of.name,
            )
    await hall.act(by, RoundPaired(key, fresh))
    return fresh.number


async def seat(
    hall: Hall, by: str, key: str, stations: Sequence[str], over_games: Collection[str] = ()
) -> tuple[int, list[str], list[str]]:
    """Assign the undecided tables of the last round to *stations*.

    Returns the number of assigned tables, and the stations that were skipped because a game is in
    progress there, or because they are silent, unless in *over_games*. Raises like `Hall.act`.
    """
    of = hall.keeper.book.of(key).tournament
    strange = [station for station in stations if station not in hall.hub.station_states.known]
    if strange:
        raise TournamentError("there is no board {board!r} here", board=strange[0])
    if len(set(stations)) < len(stations):
        raise TournamentError("a board is named twice: two tables cannot play at it")
    found = of.round(len(of.rounds))
    tables = [pairing.table for pairing in found.pairings if pairing.is_on]
    count, under_way, silent = 0, list[str](), list[str]()
    for table, station in zip(tables, stations, strict=False):
        try:
            await hall.give(by, key, found.number, table, station, over_game=station in over_games)
            count += 1
        except GameUnderWay as asked:
            under_way.append(asked.board)
        except StationSilent as asked:
            silent.append(asked.board)
    return count, under_way, silent


class TournamentDesk(Protocol):
    """Interface for setting up tournaments."""

    def announce(self, opened: Opened, delay_s: int) -> None:
        """Create a tournament that spectators see *delay_s* later. Raises `CompanionError`."""
        ...

    def enter(self, key: str, text: str) -> Counts:
        """Enter the players of a list or report. Raises `CompanionError`."""
        ...

    def request(self, key: str) -> str:
        """Return the report from which a program pairs the next round. Raises `CompanionError`."""
        ...

    def pair(
        self, key: str, stations: Sequence[str], *, over_games: bool = False, answer: str = ""
    ) -> tuple[int, int, Sequence[str]]:
        """Pair the next round and assign *stations*; return number, count and skipped stations.

        With the *answer* of a pairing program as that has it.

        Stations with a game in progress are skipped, unless *over_games*: the game is then left
        unfinished. Raises `CompanionError`.
        """
        ...


class BookDesk:
    """A desk that writes a book directly, while no hall runs."""

    def __init__(self, hall: Hall, by: str, place: str) -> None:
        """*hall* has the book at *place* and does not run; *by* is the arbiter."""
        self.place = place
        self._hall = hall
        self._by = by

    def announce(self, opened: Opened, delay_s: int) -> None:
        """See `TournamentDesk`."""
        asyncio.run(self._hall.act(self._by, checked(opened, self._hall.keeper.book)))
        if delay_s:
            asyncio.run(self._hall.act(self._by, DelaySet(opened.key, delay_s)))

    def enter(self, key: str, text: str) -> Counts:
        """See `TournamentDesk`."""
        return asyncio.run(enter(self._hall, self._by, key, text))

    def request(self, key: str) -> str:
        """See `TournamentDesk`."""
        return request(self._hall.keeper.book.of(key).tournament)

    def pair(
        self, key: str, stations: Sequence[str], *, over_games: bool = False, answer: str = ""
    ) -> tuple[int, int, Sequence[str]]:
        """See `TournamentDesk`; without stations, since only a running hall knows their games."""
        if stations:
            raise TournamentError(
                "no hall runs that could know these boards: start it and seat the round there, or pair without them"
            )
        return asyncio.run(pair(self._hall, self._by, key, answer=answer)), 0, ()


@contextmanager
def at_book(store: str | None, name: str, password: str) -> Iterator[BookDesk]:
    """Open the book at *store*, or the default one, for *name* inside the block.

    No hall can run with it meanwhile. Raises `StoreError` if one does or the database does not
    exist, `SettingsError` without accounts, `TournamentError` for a wrong password.
    """
    with database_at(store) as database, held(database, BRIEFLY_MS):
        access = Arbiters(database)
        if not access.names():
            raise SettingsError("nobody can act as arbiter yet: companion hall admit NAME")
        if not access.are(name, password):
            raise TournamentError("name or password is wrong")
        hall = Hall(BookKeeper(database), copies_folder(), monotonic(), wall)
        yield BookDesk(hall, name, database.url)

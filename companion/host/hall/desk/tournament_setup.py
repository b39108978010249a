# SPDX-License-Identifier: Apache-2.0
"""How a tournament is set up: the same whether an arbiter asks a hall that runs for it, or does it in the book while none does.

Its rule: each act is checked and written by the hall it is given, in the name of whoever does it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol, TypeAlias

from companion.host.clock import monotonic, wall
from companion.host.hall.book_lock import BRIEFLY_MS, held
from companion.host.hall.books import BookKeeper
from companion.host.hall.core.events import check, is_busy
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.desk.access import Arbiters
from companion.host.records.database import find, shown
from companion.model.errors import GameUnderWay, SettingsError, TournamentError
from companion.referee.commands import Hold
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Entered,
    Entry,
    Excused,
    LinedUp,
    Opened,
    ResultDecided,
    RoundPaired,
)
from companion.tournament.book import Book
from companion.tournament.pairing import next_round, playoff, seated
from companion.tournament.roster import LONGEST_RATING, plain, read_roster
from companion.tournament.trf import announced_byes, follow_on, is_trf, read_trf
from companion.tournament.trf_left_out import left_out
from companion.tournament.values import Player, Tournament

Counts: TypeAlias = dict[str, Any]
"""How many players were entered, how many had been, how many rounds of a report were taken over and left out; `notes` names what was not."""


def checked(act: Act, book: Book) -> Act:
    """*act*, if there is what it wants to be played, and a reason for a result that is changed. Raises `CompanionError`."""
    if isinstance(act, Opened):
        check(act)
    if isinstance(act, Corrected) and (not act.name or plain(act.name) != act.name):
        raise TournamentError("a player needs a name, in one line")
    if isinstance(act, Corrected) and not 0 <= act.rating < 10**LONGEST_RATING:
        raise TournamentError("a rating has {digits} digits at most", digits=LONGEST_RATING)
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


async def decide(hall: Hall, by: str, act: ResultDecided) -> Entry:
    """Write *act* down, and let play rest where it decides a game that is under way. Raises as `Hall.act` does."""
    entry = await hall.act(by, act)
    given = hall.keeper.book.of(act.key).boards.get((act.round, act.table))
    if act.points is None or given is None or hall.keeper.book.at_board(given.board) != given:
        return entry
    seat = hall.hub.seats.known.get(given.board)
    if seat is not None and is_busy(seat):
        await hall.order(by, given.board, Hold(), act.note)
    return entry


async def enter(hall: Hall, by: str, key: str, text: str) -> Counts:
    """Enter the players of *text*, a table or a report; who has entered already with all that is told stays as they are.

    So a list that was completed, or of which only a part could be written, can be entered again. Raises as `Hall.act` does.
    """
    report = read_trf(text) if is_trf(text) else None
    found = read_roster(text) if report is None else report.players
    there = Counter(map(_as_told, hall.keeper.book.of(key).tournament.players))
    fresh = [player for player in found if not _taken(there, _as_told(player))]
    for player in fresh:
        await hall.act(by, Entered(key, player))
    entered = {"entered": len(fresh)} | ({"known": known} if (known := len(found) - len(fresh)) else {})
    return entered if report is None else entered | await _go_on(hall, by, key, report, text)


async def _go_on(hall: Hall, by: str, key: str, report: Tournament, text: str) -> Counts:
    """Take over the rounds of *report*, which is *text*, and the byes that it announces. Raises as `Hall.act` does."""
    of = hall.keeper.book.of(key).tournament
    rounds = follow_on(of, report)
    notes = left_out(text, of, report)
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
    return {**counts, "notes": list(notes)} if notes else dict(counts)


def _as_told(player: Player) -> Player:
    """*player* as a list tells of them."""
    return replace(player, number=0, joined=1, left=None, excused=())


def _taken(there: Counter[Player], player: Player) -> bool:
    """True if *player* is one of those who are *there*, of whom they are taken away: two may be alike."""
    there[player] -= 1
    return there[player] >= 0


async def pair(
    hall: Hall, by: str, key: str, tables: Sequence[tuple[int, ...]] = (), *, is_playoff: bool = False
) -> int:
    """Pair the next round, as the format says or the *tables* that are named; its number. Raises as `Hall.act` does."""
    of = hall.keeper.book.of(key).tournament
    if is_playoff:
        fresh = playoff(of, tables)
    elif tables:
        fresh = seated(of, tables)
    else:
        fresh = await asyncio.to_thread(next_round, of)
    await hall.act(by, RoundPaired(key, fresh))
    return fresh.number


async def seat(
    hall: Hall, by: str, key: str, boards: Sequence[str], over_games: Collection[str] = ()
) -> tuple[int, list[str]]:
    """Give the tables of the last round that are not decided these *boards*: how many have theirs, and where a game is under way.

    Such a board is not given, unless it is one of *over_games*. Raises as `Hall.act` does.
    """
    of = hall.keeper.book.of(key).tournament
    strange = [board for board in boards if board not in hall.hub.seats.known]
    if strange:
        raise TournamentError("there is no board {board!r} here", board=strange[0])
    if len(set(boards)) < len(boards):
        raise TournamentError("a board is named twice: two tables cannot play at it")
    found = of.round(len(of.rounds))
    tables = [pairing.table for pairing in found.pairings if pairing.is_on]
    count, under_way = 0, list[str]()
    for table, board in zip(tables, boards, strict=False):
        try:
            await hall.give(by, key, found.number, table, board, over_game=board in over_games)
            count += 1
        except GameUnderWay as asked:
            under_way.append(asked.board)
    return count, under_way


class TournamentDesk(Protocol):
    """Where an arbiter sets up an evening."""

    def announce(self, opened: Opened, delay_s: int) -> None:
        """Open a tournament that spectators see so much later. Raises `CompanionError`."""
        ...

    def enter(self, key: str, text: str) -> Counts:
        """Enter the players of a list or report. Raises `CompanionError`."""
        ...

    def pair(
        self, key: str, boards: Sequence[str], *, over_games: bool = False
    ) -> tuple[int, int, Sequence[str]]:
        """Pair the next round and seat its tables at *boards*: its number, how many are seated, and where not.

        That is where a game is under way, unless *over_games*: then it is left unfinished. Raises `CompanionError`.
        """
        ...


class BookDesk:
    """A desk at a book into which no hall writes now."""

    def __init__(self, hall: Hall, by: str, place: str) -> None:
        """*hall* has the book, which is at *place*, and does not run; *by* sits at the desk."""
        self.place = place
        self._hall = hall
        self._by = by

    def announce(self, opened: Opened, delay_s: int) -> None:
        """As a `TournamentDesk` does."""
        asyncio.run(self._hall.act(self._by, checked(opened, self._hall.keeper.book)))
        if delay_s:
            asyncio.run(self._hall.act(self._by, DelaySet(opened.key, delay_s)))

    def enter(self, key: str, text: str) -> Counts:
        """As a `TournamentDesk` does."""
        return asyncio.run(enter(self._hall, self._by, key, text))

    def pair(
        self, key: str, boards: Sequence[str], *, over_games: bool = False
    ) -> tuple[int, int, Sequence[str]]:
        """As a `TournamentDesk` does, but at no boards: only a hall that hears them knows which of their games have ended already."""
        if boards:
            raise TournamentError(
                "no hall runs that could know these boards: start it and seat the round there, or pair without them"
            )
        return asyncio.run(pair(self._hall, self._by, key)), 0, ()


@contextmanager
def at_book(store: str | None, name: str, password: str) -> Iterator[BookDesk]:
    """A desk of *name* at the book in the database at *store*, or the usual one, meanwhile; no hall can run with it.

    Raises `StoreError` if one does or there is no such database, `SettingsError` while there are no arbiters, `TournamentError` for a wrong password.
    """
    engine = find(store)
    try:
        with held(engine, BRIEFLY_MS):
            access = Arbiters(engine)
            if not access.names():
                raise SettingsError("nobody can act as arbiter yet: companion hall admit NAME")
            if not access.are(name, password):
                raise TournamentError("name or password is wrong")
            yield BookDesk(Hall(BookKeeper(engine), copies_folder(), monotonic(), wall), name, shown(engine))
    finally:
        engine.dispose()

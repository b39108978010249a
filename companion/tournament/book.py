# SPDX-License-Identifier: Apache-2.0
"""The arbiter's book: all acts of an evening's tournaments, in order, and their result.

Its rule: the book is append-only. An error is corrected by another act,
so its history stays visible;
random draws and the output of libraries are stored in the act, so that they never change.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from companion.model.errors import TournamentError
from companion.model.phrase import Phrase
from companion.tournament.acts import (
    Act,
    Corrected,
    DelaySet,
    Described,
    Entered,
    Entry,
    Excused,
    LinedUp,
    Noted,
    Obeyed,
    Opened,
    Ordered,
    Photographed,
    PlayedOn,
    ResultDecided,
    ResultReported,
    Returned,
    RoundDropped,
    RoundPaired,
    TableGiven,
    WinnerDecided,
    Withdrew,
)
from companion.tournament.event import checked
from companion.tournament.teams import as_players, teams
from companion.tournament.tie_breaks import NAMES, OF_TEAMS
from companion.tournament.values import Acceleration, Format, Tournament

LONGEST_DELAY_S: Final = 3600
MOST_BOARDS: Final = 14
"""Boards of a match: the federations' reports have no space for more."""


@dataclass(frozen=True, slots=True)
class Running:
    """A tournament with its stations, reported results and settings."""

    tournament: Tournament
    stations: Mapping[tuple[int, int], TableGiven] = field(default_factory=dict)
    """The station of each table, by round and table."""
    reported: Mapping[tuple[int, int], ResultReported] = field(default_factory=dict)
    """Results that stations have reported and nobody has decided yet."""
    delay_s: int = 0


@dataclass(frozen=True, slots=True)
class Book:
    """The result of all acts."""

    running: Mapping[str, Running] = field(default_factory=dict)
    orders: Mapping[str, Ordered] = field(default_factory=dict)
    """Unanswered orders, by name."""
    refused: frozenset[str] = frozenset()
    """Names of the orders that a station could not carry out."""

    def of(self, key: str) -> Running:
        """The tournament *key*. Raises `TournamentError`."""
        if key not in self.running:
            known = tuple(self.running) or Phrase("none")
            raise TournamentError("there is no tournament {key!r}; there are: {known}", key=key, known=known)
        return self.running[key]

    def history(self, key: str) -> tuple[Tournament, ...]:
        """The tournaments of the game of *key* up to that one. Raises `TournamentError`."""
        game = self.of(key).tournament.game
        keys = list(self.running)
        before = keys[: keys.index(key) + 1]
        of_game = (self.running[each].tournament for each in before)
        return tuple(of for of in of_game if of.game == game and game)

    def at_station(self, station: str) -> TableGiven | None:
        """The table that plays at *station* in the last round of its tournament, or None.

        If it plays nowhere now, the last one that did.
        If several tournaments have used the station, the newest one that awaits a result counts.
        """
        there = [
            (running, given)
            for running in self.running.values()
            for given in running.stations.values()
            if given.board == station and given.round == len(running.tournament.rounds)
        ]
        playing = [each for each in there if each[0].tournament.pairing(each[1].round, each[1].table).is_on]
        return (playing or there)[-1][1] if there else None


def written(book: Book, act: Act) -> Book:
    """*book* with *act*. Raises `TournamentError` if the act is not possible."""
    match act:
        case Opened():
            return _opened(book, act)
        case Ordered():
            return replace(book, orders={**book.orders, act.order: act})
        case Obeyed():
            orders = {name: each for name, each in book.orders.items() if name != act.order}
            return replace(
                book, orders=orders, refused=book.refused | {act.order} if act.fault else book.refused
            )
        case Noted():
            return book
        case _:
            return replace(book, running={**book.running, act.key: _after(book.of(act.key), act)})


def read(entries: Iterable[Entry]) -> Book:
    """The result of *entries*. Raises `TournamentError` if they contradict each other."""
    book = Book()
    for entry in entries:
        book = written(book, entry.act)
    return book


def _opened(book: Book, act: Opened) -> Book:
    if act.key in book.running:
        raise TournamentError("there is a tournament {key!r} already", key=act.key)
    if not act.key or any(each.isspace() or each == "/" for each in act.key):
        raise TournamentError("{key!r} is not a key: expected letters without spaces", key=act.key)
    if not 2 <= act.seats <= 6:
        raise TournamentError(
            "{tournament}: 2 to 6 sit at a table, not {seats}", tournament=act.name, seats=act.seats
        )
    if act.boards and (act.seats != 2 or act.format is Format.FREE or not 0 < act.boards <= MOST_BOARDS):
        raise TournamentError(
            "{tournament}: teams meet on 1 to {most} boards, two at each, in rounds that are paired",
            tournament=act.name,
            most=MOST_BOARDS,
        )
    is_swiss = act.format is Format.SWISS and act.seats == 2 and not act.boards
    if act.acceleration is not Acceleration.NONE and not (is_swiss and act.planned):
        raise TournamentError(
            "{tournament}: rounds are accelerated in a Swiss system of players, with a number of rounds: name it",
            tournament=act.name,
        )
    unknown = [name for name in act.tie_breaks if name not in NAMES]
    if unknown:
        raise TournamentError(
            "there is no tie-break {name!r}; known are {known}", name=unknown[0], known=NAMES
        )
    of_teams = [name for name in act.tie_breaks if name in OF_TEAMS and not act.boards]
    if of_teams:
        raise TournamentError(
            "{tournament}: the tie-break {name!r} compares teams, and here are players only: choose another",
            tournament=act.name,
            name=of_teams[0],
        )
    fresh = Tournament(
        act.name,
        act.format,
        act.game,
        act.options,
        act.planned,
        act.seats,
        act.tie_breaks,
        boards=act.boards,
        acceleration=act.acceleration,
    )
    return replace(book, running={**book.running, act.key: Running(fresh)})


def _after(running: Running, act: Act) -> Running:
    """*running* after *act*, which concerns it."""
    of = running.tournament
    match act:
        case RoundDropped():
            dropped = len(of.rounds)
            stations = {place: given for place, given in running.stations.items() if place[0] != dropped}
            reported = {place: each for place, each in running.reported.items() if place[0] != dropped}
            return replace(running, tournament=of.unpaired(), stations=stations, reported=reported)
        case TableGiven():
            return _given(running, act)
        case ResultReported():
            if not of.pairing(act.round, act.table).is_on:
                raise TournamentError(
                    "{tournament}: table {table} of round {round} has its result",
                    tournament=of.name,
                    table=act.table,
                    round=act.round,
                )
            of.with_result(act.round, act.table, act.points)
            return replace(running, reported={**running.reported, (act.round, act.table): act})
        case ResultDecided():
            of = of.with_result(act.round, act.table, act.points, is_forfeit=act.is_forfeit)
            reported = {
                place: each for place, each in running.reported.items() if place != (act.round, act.table)
            }
            return replace(running, tournament=of, reported=reported)
        case DelaySet():
            if not 0 <= act.seconds <= LONGEST_DELAY_S:
                raise TournamentError(
                    "{tournament}: spectators can be 0 to 60 minutes behind", tournament=of.name
                )
            return replace(running, delay_s=act.seconds)
    return replace(running, tournament=_changed(of, act))


def _changed(of: Tournament, act: Act) -> Tournament:
    """*of* after *act*, which concerns its players or pairs a round."""
    match act:
        case Described():
            return replace(of, event=checked(act.event))
        case RoundPaired():
            return of.paired(act.round)
        case Photographed():
            of.pairing(act.round, act.table)  # raises without such a table
            return of
        case PlayedOn():
            return _played_on(of, act)
        case WinnerDecided():
            return _won(of, act)
    return _peopled(of, act)


def _peopled(of: Tournament, act: Act) -> Tournament:
    """*of* after *act*, which concerns its players."""
    match act:
        case Entered():
            return of.entered(act.player)
        case Corrected():
            known = replace(of.player(act.number), name=act.name, rating=act.rating)
            return replace(
                of, players=tuple(known if each.number == act.number else each for each in of.players)
            )
        case Withdrew():
            return of.withdrawn(act.number)
        case Returned():
            return of.returned(act.number)
        case Excused():
            return of.excused(act.number, act.round, act.bye)
        case LinedUp():
            return of.lined_up(act.lineup)
    raise AssertionError(act)


def _played_on(of: Tournament, act: PlayedOn) -> Tournament:
    """*of* with a further game at a table.

    Raises `TournamentError` if no winner is needed, or there is one.
    """
    pairing = of.pairing(act.round, act.table)
    if of.boards or not (of.format is Format.KNOCKOUT or of.round(act.round).is_playoff):
        raise TournamentError(
            "{tournament}: games are played on in knockouts and play-offs of players only", tournament=of.name
        )
    if pairing.is_on or pairing.winner is not None:
        raise TournamentError(
            "{tournament}: table {table} has no draw to be played on from",
            tournament=of.name,
            table=act.table,
        )
    return of.with_pairing(act.round, replace(pairing, further=(*pairing.further, None)))


def _won(of: Tournament, act: WinnerDecided) -> Tournament:
    """*of* with the arbiter's decision about who advances.

    Raises `TournamentError` if the games decide it, or nobody has to advance.
    """
    in_round = of.round(act.round)
    drawn = (as_players(of) if of.boards else of).pairing(act.round, act.table)
    if not (of.format is Format.KNOCKOUT or in_round.is_playoff):
        raise TournamentError(
            "{tournament}: a draw stands: only a knockout and a play-off need a winner", tournament=of.name
        )
    if drawn.is_on or replace(drawn, decided=0).winner is not None:
        raise TournamentError(
            "{tournament}: table {table} has no draw to be decided", tournament=of.name, table=act.table
        )
    if act.winner and (act.winner not in drawn.players or not act.note):
        raise TournamentError(
            "{tournament}: a decision names one of those who played, and by which rule", tournament=of.name
        )
    if not of.boards:
        return of.with_pairing(act.round, replace(drawn, decided=act.winner))
    name = teams(of)[act.winner - 1].name if act.winner else ""
    matches = tuple(
        replace(match, decided=name) if place == act.table else match
        for place, match in enumerate(in_round.matches, 1)
    )
    return of.with_round(replace(in_round, matches=matches))


def _given(running: Running, act: TableGiven) -> Running:
    """The pairing at its new station; its former station is free."""
    pairings = running.tournament.round(act.round).pairings
    if all(pairing.table != act.table for pairing in pairings):
        raise TournamentError(
            "{tournament}: round {round} has no table {table}",
            tournament=running.tournament.name,
            round=act.round,
            table=act.table,
        )
    others = {
        place: given
        for place, given in running.stations.items()
        if place != (act.round, act.table) and not (place[0] == act.round and given.board == act.board)
    }
    return replace(running, stations={**others, (act.round, act.table): act})

# SPDX-License-Identifier: Apache-2.0
"""Standings: points first, then the tie-breaks of the tournament (`tie_breaks.py`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.score_books import Books, TeamPoints, books_of
from companion.tournament.tie_breaks import (
    AMONG,
    BOARD_POINTS,
    CODES,
    DIRECT,
    FORE,
    FORE_CUT,
    LOWEST_FIRST,
    NAMES,
    OF_RATINGS,
    TIE_BREAKS,
    Ordered,
    split,
)
from companion.tournament.values import DRAW, WIN, Format, Number, Player, Points, Tournament

_ROUND_ROBIN: Final = (DIRECT, "sonneborn-berger", "wins")
_USUAL: Final = {
    Format.SWISS: ("buchholz-cut-1", "buchholz", DIRECT),
    Format.ROUND_ROBIN: _ROUND_ROBIN,
    Format.DOUBLE_ROUND_ROBIN: _ROUND_ROBIN,
    Format.FREE: ("wins",),
}
_TEAMS_ROUND_ROBIN: Final = (BOARD_POINTS, DIRECT, "sonneborn-berger")
_USUAL_OF_TEAMS: Final = {
    Format.SWISS: (BOARD_POINTS, "buchholz", DIRECT),
    Format.ROUND_ROBIN: _TEAMS_ROUND_ROBIN,
    Format.DOUBLE_ROUND_ROBIN: _TEAMS_ROUND_ROBIN,
}


def usual_ties(format: Format, *, teams: bool) -> tuple[str, ...]:
    """The tie-breaks that are usual in *format* for players, or for *teams*."""
    return (_USUAL_OF_TEAMS if teams else _USUAL).get(format, ())


@dataclass(frozen=True, slots=True)
class Standing:
    """One line of the standings."""

    rank: int
    """From 1; shared by those who are equal in everything."""
    player: Player
    points: Points
    """In half points; for a team its match points."""
    tie_breaks: tuple[Fraction, ...]
    """In points, in the order of `Tournament.tie_breaks`."""
    playoff: Points | None = None
    """In half points; None without a play-off."""


def standings(
    tournament: Tournament, *, rounds: int | None = None, team_points: TeamPoints | None = None
) -> tuple[Standing, ...]:
    """All players after *rounds* rounds, by default all; the best first.

    With *team_points* the players are teams that have won these.
    Equal points are separated by play-offs, then by tie-breaks.
    Raises `TournamentError` for an unknown tie-break.
    """
    books = books_of(tournament, rounds, team_points)
    extra = _playoffs(tournament, rounds)
    groups: list[list[Number]] = [
        part
        for group in split(books.points, books.points)
        for part in split(group, {number: extra.get(number, -1) for number in group})
    ]
    values: list[Mapping[Number, Fraction]] = []

    def fore() -> Books:
        return books_of(_drawn_at_last(tournament, rounds), rounds, team_points)

    for name in tournament.tie_breaks:
        found, groups = _applied(name, books, fore, groups)
        values.append(found)
    table: list[Standing] = []
    for group in groups:
        rank = len(table) + 1
        players = sorted(map(tournament.player, group), key=lambda player: books.starting[player.number])
        table.extend(
            Standing(
                rank,
                player,
                books.points[player.number],
                tuple(value[player.number] for value in values),
                extra.get(player.number),
            )
            for player in players
        )
    return tuple(table)


def check_rated(tournament: Tournament) -> None:
    """Raise `TournamentError` if a tie-break needs ratings that some players do not have.

    An opponent without one would count as 0. The regulations leave it to the organiser which
    estimate they get.
    """
    needing = [CODES[name] for name in tournament.tie_breaks if name in OF_RATINGS]
    unrated = tuple(each.name for each in tournament.players if not each.rating and each.left is None)
    if needing and unrated:
        raise TournamentError(
            "{tournament}: the tie-break {code} needs a rating of each player: enter an estimate for {players}",
            tournament=tournament.name,
            code=needing[0],
            players=unrated,
        )


def _applied(name: str, books: Books, fore: Callable[[], Books], groups: list[list[Number]]) -> Ordered:
    """The values of the tie-break *name*, and *groups* as it divides them.

    *fore* are the books as if all games of the last round were drawn.
    """
    if name in AMONG:
        ordered = [AMONG[name](books, group) for group in groups]
        shown = {number: value for values, _ in ordered for number, value in values.items()}
        return shown, [part for _, parts in ordered for part in parts]
    if name not in TIE_BREAKS:
        raise TournamentError("there is no tie-break {name!r}; known are {known}", name=name, known=NAMES)
    chosen = fore() if name in (FORE, FORE_CUT) else books
    found = {number: TIE_BREAKS[name](chosen, number) for number in books.points}
    sign = -1 if name in LOWEST_FIRST else 1
    order = {number: sign * value for number, value in found.items()}
    return found, [part for group in groups for part in split(group, order)]


def _playoffs(tournament: Tournament, rounds: int | None) -> Mapping[Number, Points]:
    """The points of those with play-offs: a win for the winner, however it was decided."""
    found: dict[Number, Points] = {}
    for pairing in (each for of in tournament.rounds[:rounds] if of.is_playoff for each in of.pairings):
        for number in pairing.players:
            worth = pairing.of(number) if pairing.winner is None else WIN * (pairing.winner == number)
            found[number] = found.get(number, 0) + worth
    return found


def _drawn_at_last(tournament: Tournament, rounds: int | None) -> Tournament:
    """*tournament* as if all games of its last round were drawn (8.3)."""
    known = tournament.rounds[:rounds]
    if not known:
        return tournament
    drawn = tuple(
        replace(each, points=(DRAW,) * len(each.players), is_forfeit=False) if len(each.players) > 1 else each
        for each in known[-1].pairings
    )
    return tournament.with_round(replace(known[-1], pairings=drawn))

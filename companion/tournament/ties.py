# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: the tie-breaks of the regulations, which share their input.
"""Standings: points first, then the tie-breaks of the tournament.

Source: FIDE tie-break regulations (Handbook C.07, in force from 2026), with article numbers.
They concern two players at a table;
with more, everybody at the table is an opponent who was beaten, drawn with or lost to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.elo import perfect_performance, performance, rounded
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Format,
    Number,
    Played,
    Player,
    Points,
    Tournament,
    played,
)

DIRECT: Final = "direct-encounter"
FORE: Final = "fore-buchholz"
"""The Buchholz as if all games of the last round were drawn (8.3)."""
BOARD_POINTS: Final = "board-points"
"""Total points of a team's players; for individual players, their points."""


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


@dataclass(frozen=True, slots=True)
class _Books:
    """Input of the tie-breaks."""

    is_predetermined: bool
    """True for a round robin.

    A forfeit counts as a game, a bye as nothing (15.2).
    """
    cap: Fraction
    """Half of all available points (16.4)."""
    of: Mapping[Number, tuple[Played, ...]]
    points: Mapping[Number, Points]
    adjusted: Mapping[Number, Points]
    """As counted for opponents."""
    ratings: Mapping[Number, int]
    unit: Fraction
    """Unit of the points in half points: 1/2, or 1 for match points."""
    board_points: Mapping[Number, Points]

    def opponents(self, number: Number, *, is_played: bool = False) -> Iterable[tuple[Played, Number]]:
        """Every opponent with the round; with *is_played* only games over the board."""
        for each in self.of[number]:
            if each.is_over_the_board or (self.is_predetermined and not is_played):
                yield from ((each, other) for other in each.others)

    def dummies(self, number: Number) -> Iterable[tuple[Played, Fraction]]:
        """The rounds without a game, with the points of a dummy opponent.

        The player's own points, at most half of all,
        and no more than those of an absent opponent (16.4).
        """
        if self.is_predetermined:
            return
        for each in self.of[number]:
            if not each.is_over_the_board:
                absent = [self.adjusted[other] for other in each.others]
                yield each, min(Fraction(self.points[number]), self.cap, *map(Fraction, absent))


def standings(
    tournament: Tournament,
    *,
    rounds: int | None = None,
    board_points: Mapping[Number, Points] | None = None,
) -> tuple[Standing, ...]:
    """All players after *rounds* rounds, by default all; the best first.

    With *board_points* the players are teams with these points.
    Equal points are separated by play-offs, then by tie-breaks.
    Raises `TournamentError` for an unknown tie-break.
    """
    books = _books(tournament, rounds, board_points)
    extra = _playoffs(tournament, rounds)
    groups: list[list[Number]] = [
        part
        for group in _split(books.points, books.points)
        for part in _split(group, {number: extra.get(number, -1) for number in group})
    ]
    values: list[Mapping[Number, Fraction]] = []
    for name in tournament.tie_breaks:
        if name not in TIE_BREAKS:
            raise TournamentError(
                "there is no tie-break {name!r}; known are {known}", name=name, known=tuple(TIE_BREAKS)
            )
        if name == DIRECT:
            values.append({number: _mutual(books, number, group) for group in groups for number in group})
            groups = [part for group in groups for part in _encounters(books, group)]
        else:
            chosen = (
                _books(_drawn_at_last(tournament, rounds), rounds, board_points) if name == FORE else books
            )
            found = {number: TIE_BREAKS[name](chosen, number) for number in books.points}
            values.append(found)
            groups = [part for group in groups for part in _split(group, found)]
    table: list[Standing] = []
    for group in groups:
        rank = len(table) + 1
        players = sorted(map(tournament.player, group), key=lambda player: (-player.rating, player.number))
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


def _playoffs(tournament: Tournament, rounds: int | None) -> Mapping[Number, Points]:
    """The points of those with play-offs: a win for the winner, however it was decided."""
    found: dict[Number, Points] = {}
    for pairing in (each for of in tournament.rounds[:rounds] if of.is_playoff for each in of.pairings):
        for number in pairing.players:
            worth = pairing.of(number) if pairing.winner is None else WIN * (pairing.winner == number)
            found[number] = found.get(number, 0) + worth
    return found


def _books(
    tournament: Tournament, rounds: int | None, board_points: Mapping[Number, Points] | None
) -> _Books:
    is_predetermined = tournament.format in (Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN)
    of = {
        player.number: tuple(played(tournament, player.number, rounds=rounds))
        for player in tournament.players
    }
    points = {number: sum(each.points for each in games) for number, games in of.items()}
    adjusted = points if is_predetermined else {number: _adjusted(games) for number, games in of.items()}
    over = max((len(games) for games in of.values()), default=0)
    most = Fraction(WIN * (tournament.seats - 1) * over, 2)
    ratings = {player.number: player.rating for player in tournament.players}
    unit = Fraction(1, 2) if board_points is None else Fraction(1)
    return _Books(is_predetermined, most, of, points, adjusted, ratings, unit, board_points or points)


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


def _adjusted(games: Sequence[Played]) -> Points:
    """The points as an opponent's: requested byes at the end count as draws (16.3.2).

    At the end means that only requested byes and forfeit losses follow.
    """
    last = max((each.number for each in games if not each.is_declined), default=0)
    return sum(DRAW if each.number > last and each.bye is not None else each.points for each in games)


def _contributions(books: _Books, number: Number) -> list[tuple[bool, Fraction]]:
    """Each round's share of the Buchholz of *number*, and whether the player declined it."""
    real = [(False, Fraction(books.adjusted[other])) for _, other in books.opponents(number)]
    return real + [(each.is_declined, score) for each, score in books.dummies(number)]


def _buchholz(books: _Books, number: Number) -> Fraction:
    """The points of all opponents (8.1)."""
    return books.unit * sum((score for _, score in _contributions(books, number)), Fraction())


def _buchholz_cut(books: _Books, number: Number, lowest: int = 1, highest: int = 0) -> Fraction:
    """The same without the *lowest* and *highest*; declined rounds go first (14, 16.5)."""
    scores = sorted(_contributions(books, number), key=lambda each: (not each[0], each[1]))
    left = sorted(score for _, score in scores[lowest:])
    return books.unit * sum(left[: len(left) - highest], Fraction())


def _average_of_opponents(
    books: _Books, number: Number, of: Callable[[_Books, Number], Fraction], digits: int = 0
) -> Fraction:
    """The average of a value of the opponents met over the board, halves rounded up."""
    met = [of(books, other) for _, other in books.opponents(number, is_played=True)]
    steps = 10**digits
    return Fraction(rounded(steps * sum(met, Fraction()) / len(met)), steps) if met else Fraction()


def _sonneborn_berger(books: _Books, number: Number) -> Fraction:
    """The points of beaten opponents, and half of those of drawn ones (9.1)."""
    met = sum(
        (Fraction(books.adjusted[other] * _against(each, other)) for each, other in books.opponents(number)),
        Fraction(),
    )
    most = WIN
    absent = sum(
        (score * min(each.points, most) for each, score in books.dummies(number)),
        Fraction(),
    )
    return (met + absent) * books.unit**2


def _against(each: Played, other: Number) -> Points:
    """The points against another player at the same table."""
    assert each.pairing is not None
    theirs = each.pairing.of(other)
    if len(each.others) == 1:
        return each.points
    return WIN if each.points > theirs else DRAW if each.points == theirs else LOSS


def _wins(books: _Books, number: Number) -> Fraction:
    """Rounds won, including those without a game (7.1)."""
    return Fraction(sum(_is_won(each) for each in books.of[number]))


def _is_won(each: Played) -> bool:
    """True if nobody at the table had more, and somebody less.

    Also if a round without a game brought the points of a win.
    """
    if each.pairing is None or each.pairing.points is None:
        return each.points >= WIN
    return each.points == max(each.pairing.points) > min(each.pairing.points)


def _progressive(books: _Books, number: Number) -> Fraction:
    """The sum of the points after every round (7.5)."""
    total = so_far = 0
    for each in books.of[number]:
        so_far += each.points
        total += so_far
    return books.unit * total


def _progressive_cut(books: _Books, number: Number) -> Fraction:
    """The same without the points after the first round (14.1)."""
    games = books.of[number]
    return _progressive(books, number) - (books.unit * games[0].points if games else 0)


def _average_rating(books: _Books, number: Number, lowest: int = 0) -> Fraction:
    """The average rating of the opponents met over the board, without the *lowest* (10.1)."""
    ratings = sorted(_ratings_met(books, number))[lowest:]
    return Fraction(rounded(Fraction(sum(ratings), len(ratings)))) if ratings else Fraction()


def _ratings_met(books: _Books, number: Number) -> list[int]:
    return [books.ratings[other] for _, other in books.opponents(number, is_played=True)]


def _score_met(books: _Books, number: Number) -> Fraction:
    """The score over the board, a win against each other at the table being 1."""
    met = books.opponents(number, is_played=True)
    return Fraction(sum(_against(each, other) for each, other in met), WIN)


def _performance(books: _Books, number: Number) -> Fraction:
    """The tournament performance rating (10.2)."""
    return Fraction(performance(_score_met(books, number), _ratings_met(books, number)))


def _perfect_performance(books: _Books, number: Number) -> Fraction:
    """The rating that would expect the score (10.3)."""
    return Fraction(perfect_performance(_score_met(books, number), _ratings_met(books, number)))


def _koya(books: _Books, number: Number) -> Fraction:
    """The points against opponents with at least half of the possible points (9.2)."""
    most = max(sum(WIN * len(each.others) for each in games) for games in books.of.values())
    strong = {other for other, points in books.points.items() if 2 * points >= most}
    return _mutual(books, number, tuple(strong))


def _games_won(books: _Books, number: Number, *, is_second: bool = False) -> Fraction:
    """Games won over the board (7.2), or those without the first move (7.4)."""
    won = [each.pairing for each in books.of[number] if each.is_over_the_board and _is_won(each)]
    return Fraction(sum(not is_second or (game is not None and game.players[0] != number) for game in won))


def _chosen_rounds(books: _Books, number: Number) -> Fraction:
    """Rounds that the player neither declined nor missed (7.6)."""
    return Fraction(sum(not each.is_declined for each in books.of[number]))


def _second(books: _Books, number: Number) -> Fraction:
    """Games over the board without the first move (7.3)."""
    games = [each.pairing for each in books.of[number] if each.is_over_the_board]
    return Fraction(sum(game is not None and game.players[0] != number for game in games))


def _mutual(books: _Books, number: Number, group: Sequence[Number]) -> Fraction:
    """The points of *number* against the others of *group* (6.1)."""
    return books.unit * sum(
        _against(each, other) for each, other in books.opponents(number) if other in group
    )


def _encounters(books: _Books, group: list[Number]) -> list[list[Number]]:
    """*group* ordered by the games among themselves (6.2).

    A player who has not met all others leads only if the missing games cannot matter.
    """
    if len(group) < 2:
        return [group]
    mutual = {number: _mutual(books, number, group) for number in group}
    missing = {
        number: len(set(group) - {number} - {other for _, other in books.opponents(number)})
        for number in group
    }
    if not any(missing.values()):
        parts = _split(group, mutual)
        return parts if len(parts) == 1 else [one for part in parts for one in _encounters(books, part)]
    for leader in group:
        others = [number for number in group if number != leader]
        if all(mutual[leader] > mutual[other] + WIN * books.unit * missing[other] for other in others):
            return [[leader], *_encounters(books, others)]
    return [group]


def _split(numbers: Iterable[Number], by: Mapping[Number, Fraction | int]) -> list[list[Number]]:
    """*numbers* grouped by their value in *by*, the highest first."""
    chosen = list(numbers)
    values = sorted({by[number] for number in chosen}, reverse=True)
    return [[number for number in chosen if by[number] == value] for value in values]


TIE_BREAKS: Final[Mapping[str, Callable[[_Books, Number], Fraction]]] = {
    DIRECT: lambda books, number: Fraction(),
    "buchholz-cut-1": _buchholz_cut,
    "buchholz-cut-2": partial(_buchholz_cut, lowest=2),
    "buchholz-median-1": partial(_buchholz_cut, highest=1),
    "buchholz-median-2": partial(_buchholz_cut, lowest=2, highest=2),
    "buchholz": _buchholz,
    FORE: _buchholz,
    "average-buchholz": partial(_average_of_opponents, of=_buchholz, digits=2),
    "sonneborn-berger": _sonneborn_berger,
    "koya": _koya,
    "wins": _wins,
    "games-won": _games_won,
    "second-player": _second,
    "second-player-won": partial(_games_won, is_second=True),
    "chosen-rounds": _chosen_rounds,
    "progressive": _progressive,
    "progressive-cut-1": _progressive_cut,
    "average-rating": _average_rating,
    "average-rating-cut-1": partial(_average_rating, lowest=1),
    "performance": _performance,
    "average-performance": partial(_average_of_opponents, of=_performance),
    "perfect-performance": _perfect_performance,
    "average-perfect-performance": partial(_average_of_opponents, of=_perfect_performance),
    BOARD_POINTS: lambda books, number: Fraction(books.board_points[number], 2),
}
"""The tie-breaks by name; direct encounter is computed separately.

It depends on the other tied players.
"""

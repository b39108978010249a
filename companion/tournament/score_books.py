# SPDX-License-Identifier: Apache-2.0
"""Input of the tie-breaks: who met whom, and the points of each round.

Source: FIDE tie-break regulations (Handbook C.07, in force from March 2026), with article numbers.
Teams have two kinds of points: match points and board points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from companion.tournament.starting_order import starting_numbers
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Format,
    Number,
    Played,
    Points,
    Tournament,
    played,
)


@dataclass(frozen=True, slots=True)
class TeamPoints:
    """What the players of each team have won, in half points."""

    rounds: Mapping[Number, Mapping[int, Points]]
    """The board points of each round."""
    boards: Mapping[Number, tuple[Points, ...]]
    """The points on each board in all rounds; a bye wins on each (12)."""


@dataclass(frozen=True, slots=True)
class Score:
    """Points of one kind."""

    rounds: Mapping[Number, Mapping[int, Fraction]]
    totals: Mapping[Number, Fraction]
    adjusted: Mapping[Number, Fraction]
    """Totals as counted for opponents (16.3)."""
    half: Fraction
    """The points of draws in all rounds (16.4.2)."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one opponent, or one round without a game, adds to a sum."""

    is_declined: bool
    """True for a round that the player declined or missed."""
    opponent: Fraction
    """The opponent's points."""
    value: Fraction


@dataclass(frozen=True, slots=True)
class Books:
    """The games and points of all players, or of teams as players."""

    is_predetermined: bool
    """True for a round robin.

    A forfeit counts as a game, a bye as nothing (15.2).
    """
    of: Mapping[Number, tuple[Played, ...]]
    points: Mapping[Number, Points]
    """In half points; for teams match points."""
    ratings: Mapping[Number, int]
    starting: Mapping[Number, int]
    """Starting numbers (7.8)."""
    primary: Score
    secondary: Score
    """For players the same as the primary one."""
    boards: Mapping[Number, tuple[Points, ...]]
    """The points on each board; empty for players."""
    seats: int

    def opponents(self, number: Number, *, is_played: bool = False) -> Iterator[tuple[Played, Number]]:
        """Every opponent with the round; with *is_played* only games over the board."""
        for each in self.of[number]:
            if each.is_over_the_board or (self.is_predetermined and not is_played):
                yield from ((each, other) for other in each.others)

    def shares(self, number: Number, theirs: Score, mine: Score | None = None) -> Iterator[Share]:
        """What each opponent adds: their points, multiplied by *mine* against them.

        A round without a game counts as one against a dummy with the player's own points, at most
        those of the scheduled opponent, or without one those of draws in all rounds (16.4).
        """
        for each, other in self.opponents(number):
            score = theirs.adjusted[other]
            worth = Fraction(1) if mine is None else self.against(number, each, other, mine)
            yield Share(False, score, score * worth)
        if self.is_predetermined:
            return
        for each in self.of[number]:
            if not each.is_over_the_board:
                limits = [theirs.adjusted[other] for other in each.others] or [theirs.half]
                score = min(theirs.totals[number], *limits)
                worth = Fraction(1) if mine is None else self._unplayed(number, each, mine)
                yield Share(each.is_declined, score, score * worth)

    def against(self, number: Number, each: Played, other: Number, mine: Score) -> Fraction:
        """The points of *number* against *other* at the table of a round."""
        if len(each.others) == 1:
            return mine.rounds[number][each.number]
        return Fraction(points_against(each, other), WIN)

    def _unplayed(self, number: Number, each: Played, mine: Score) -> Fraction:
        """The points of a round without a game: of several a win at most."""
        worth = mine.rounds[number][each.number]
        return min(worth, Fraction(1)) if self.seats > 2 else worth


def points_against(each: Played, other: Number) -> Points:
    """The half points against another player at the same table."""
    assert each.pairing is not None
    if len(each.others) == 1:
        return each.points
    theirs = each.pairing.of(other)
    return WIN if each.points > theirs else DRAW if each.points == theirs else LOSS


def books_of(tournament: Tournament, rounds: int | None, team_points: TeamPoints | None) -> Books:
    """The books of *tournament* after *rounds* rounds, with the *team_points* of teams."""
    is_predetermined = tournament.format in (Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN)
    of = {
        player.number: tuple(played(tournament, player.number, rounds=rounds))
        for player in tournament.players
    }
    over = max((len(games) for games in of.values()), default=0)
    unit = Fraction(1, 2) if team_points is None else Fraction(1)

    def score(draw: Fraction, half: Fraction, worth: Callable[[Number, Played], Fraction]) -> Score:
        found = {number: {each.number: worth(number, each) for each in games} for number, games in of.items()}
        totals = {number: sum(values.values(), Fraction()) for number, values in found.items()}
        adjusted = totals
        if not is_predetermined:
            adjusted = {number: _adjusted(games, found[number], draw) for number, games in of.items()}
        return Score(found, totals, adjusted, half)

    primary = score(unit, unit * (tournament.seats - 1) * over, lambda _, each: unit * each.points)
    secondary = primary
    boards: Mapping[Number, tuple[Points, ...]] = {}
    if team_points is not None:
        won, boards = team_points.rounds, team_points.boards
        draw = Fraction(len(next(iter(boards.values()), ())), 2)
        secondary = score(
            draw, draw * over, lambda number, each: Fraction(won[number].get(each.number, 0), 2)
        )
    return Books(
        is_predetermined,
        of,
        {number: sum(each.points for each in games) for number, games in of.items()},
        {player.number: player.rating for player in tournament.players},
        starting_numbers(tournament),
        primary,
        secondary,
        boards,
        tournament.seats,
    )


def _adjusted(games: tuple[Played, ...], points: Mapping[int, Fraction], draw: Fraction) -> Fraction:
    """The points as an opponent's: requested byes at the end count as draws (16.3.2).

    At the end means that only requested byes and forfeit losses follow.
    """
    last = max((each.number for each in games if not each.is_declined), default=0)
    return sum(
        (draw if each.number > last and each.bye is not None else points[each.number] for each in games),
        Fraction(),
    )

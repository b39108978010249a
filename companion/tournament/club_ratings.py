# SPDX-License-Identifier: Apache-2.0
"""A club's own ratings in a game: Glicko-2, each tournament being a rating period.

They follow from the tournaments of the book, from the first on, so a corrected result corrects
them. A player is the same person in every tournament that has the same name.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion.tournament.glicko import Rating
from companion.tournament.rating_list import plain_name
from companion.tournament.score_books import points_against
from companion.tournament.values import WIN, Number, Tournament, played


@dataclass(frozen=True, slots=True)
class ClubRating:
    """A player's rating after a tournament."""

    name: str
    before: int
    """Before the tournament; 0 for a new player."""
    rating: int
    deviation: int
    games: int
    """In this tournament, one against each other player at the table."""
    score: Fraction

    @property
    def change(self) -> int:
        """The change by the tournament; 0 for a new player."""
        return self.rating - self.before if self.before else 0


def club_ratings(tournaments: Iterable[Tournament]) -> tuple[ClubRating, ...]:
    """The ratings after *tournaments* of one game, of the last one's players by number."""
    known: dict[str, Rating] = {}
    found: tuple[ClubRating, ...] = ()
    for of in tournaments:
        before = {name: round(each.value) for name, each in known.items()}
        met = {player.number: _games(of, player.number) for player in of.players}
        _play(known, of, met)
        found = tuple(
            ClubRating(
                player.name,
                before.get(plain_name(player.name), 0),
                round(each.value),
                round(each.deviation),
                len(met[player.number]),
                sum((score for _, score in met[player.number]), Fraction()),
            )
            for player in of.players
            for each in [known.get(plain_name(player.name), Rating())]
        )
    return found


def ratings_by_name(tournaments: Iterable[Tournament]) -> Mapping[str, int]:
    """The ratings after *tournaments* of one game, by plain name."""
    known: dict[str, Rating] = {}
    for of in tournaments:
        _play(known, of, {player.number: _games(of, player.number) for player in of.players})
    return {name: round(each.value) for name, each in known.items()}


def _games(of: Tournament, number: Number) -> list[tuple[Number, Fraction]]:
    """The opponents over the board, each with the score against them."""
    return [
        (other, Fraction(points_against(each, other), WIN))
        for each in played(of, number)
        if each.is_over_the_board
        for other in each.others
    ]


def _play(
    known: dict[str, Rating], of: Tournament, met: Mapping[Number, Sequence[tuple[Number, Fraction]]]
) -> None:
    """Update *known* by the games of a tournament, all at once."""
    if not any(met.values()):
        return
    names = {player.number: plain_name(player.name) for player in of.players}
    results: dict[str, list[tuple[Rating, float]]] = {name: [] for name in known}
    for number, games in met.items():
        rivals = [(known.get(names[other], Rating()), float(score)) for other, score in games]
        if rivals:
            results.setdefault(names[number], []).extend(rivals)
    known.update({name: known.get(name, Rating()).after(games) for name, games in results.items()})

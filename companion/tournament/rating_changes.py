# SPDX-License-Identifier: Apache-2.0
"""Elo after the evening: the performance and change of each player.

Only games over the board between two rated players count. The federation's own list decides; K is
what its rules give a player who has had a rating for long.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.club_ratings import ClubRating
from companion.tournament.elo import change, factor, performance, rounded
from companion.tournament.spreadsheet import write_table
from companion.tournament.values import WIN, Player, Tournament, played

ELO_GAME: Final = "chess"
COLUMNS: Final = ("name", "rating", "games", "score", "performance", "k", "change", "new")
CLUB_COLUMNS: Final = ("name", "before", "games", "score", "rating", "deviation", "change")


@dataclass(frozen=True, slots=True)
class RatingChange:
    """What the games of a tournament mean for a player's rating."""

    player: Player
    games: int
    """Games against rated players."""
    score: Fraction
    performance: int
    """0 without games."""
    k: int
    change: Fraction
    """0 for a player without a rating."""

    @property
    def new(self) -> int:
        """The rating afterwards; for a player without one the performance."""
        return self.player.rating + rounded(self.change) if self.player.rating else self.performance


def rating_changes(of: Tournament) -> tuple[RatingChange, ...]:
    """The changes of all players of *of*, in the order of entering.

    Raises `TournamentError` where it is not chess that is played.
    """
    if of.game != ELO_GAME:
        raise TournamentError("{tournament}: Elo is the rating of chess only", tournament=of.name)
    year = int(of.event.starts[:4] or 0)
    found = []
    for player in of.players:
        games = [
            (of.player(other).rating, Fraction(each.points, WIN))
            for each in played(of, player.number)
            for other in each.others
            if each.is_over_the_board and len(each.others) == 1 and of.player(other).rating
        ]
        born = player.born[:4]
        age = year - int(born) if year and born.isdecimal() else None
        score = sum((points for _, points in games), Fraction())
        k = factor(player.rating, age)
        found.append(
            RatingChange(
                player,
                len(games),
                score,
                performance(score, [rating for rating, _ in games]),
                k,
                change(player.rating, games, k) if player.rating else Fraction(),
            )
        )
    return tuple(found)


def write_changes(of: Tournament) -> str:
    """The changes as a table for spreadsheets."""
    rows = (
        (
            each.player.name,
            each.player.rating or "",
            each.games,
            float(each.score),
            each.performance or "",
            each.k if each.player.rating else "",
            f"{float(each.change):+.1f}" if each.player.rating else "",
            each.new or "",
        )
        for each in rating_changes(of)
    )
    return write_table(COLUMNS, rows)


def write_club_ratings(ratings: Iterable[ClubRating]) -> str:
    """*ratings* as a table for spreadsheets."""
    rows = (
        (
            each.name,
            each.before or "",
            each.games,
            float(each.score),
            each.rating,
            each.deviation,
            each.change,
        )
        for each in ratings
    )
    return write_table(CLUB_COLUMNS, rows)

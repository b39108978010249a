# SPDX-License-Identifier: Apache-2.0
"""The Swiss system for two at a table, as in force from February 2026.

`dutch.py` chooses the opponents; colours (C.04.3, article 5) and the order of the tables
(C.04.2) are decided here.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from companion.model.errors import TournamentError
from companion.tournament.acceleration import virtual_points
from companion.tournament.dutch import Unpairable, opponents
from companion.tournament.entrants import BLACK, WHITE, Entrant, Float, due
from companion.tournament.starting_order import by_strength
from companion.tournament.values import (
    DRAW,
    WIN,
    Bye,
    Number,
    Played,
    Points,
    Tournament,
    played,
    points_of,
)


def pairs(tournament: Tournament, byes: Mapping[Number, Bye]) -> list[tuple[Number, Number]]:
    """The pairs of the next round, the first side first; 0 for a bye.

    *byes* are those of players who are not to be paired.
    Raises `TournamentError` if no valid pairing is left.
    """
    number = len(tournament.rounds) + 1
    if all(player.number in byes for player in tournament.players):
        raise TournamentError("{tournament}: nobody is there to be paired", tournament=tournament.name)
    entrants, colours = _entrants(tournament, byes)
    try:
        found = opponents(entrants)
    except Unpairable:
        raise TournamentError(
            "{tournament}: round {round} cannot be paired: everybody has met everybody who is left",
            tournament=tournament.name,
            round=number,
        ) from None
    of = {place: player for player, place in _pairing_numbers(tournament, byes).items()}
    points = points_of(tournament)

    def place(pair: tuple[Entrant, Entrant | None]) -> tuple[bool, tuple[int, ...], int]:
        """What orders the tables: the points without virtual ones, then the rank (C.04.2)."""
        there = sorted((-points[of[each.rank]], each.rank) for each in pair if each is not None)
        return len(there) == 1, tuple(score for score, _ in there), there[0][1]

    found.sort(key=place)
    return [
        (of[higher.rank], 0) if lower is None else _seated(higher, lower, colours, of)
        for higher, lower in found
    ]


def _entrants(
    tournament: Tournament, byes: Mapping[Number, Bye]
) -> tuple[list[Entrant], dict[int, tuple[int, ...]]]:
    """The players to be paired, and by rank the colours of their games."""
    seed = _pairing_numbers(tournament, byes)
    of = {player.number: tuple(played(tournament, player.number)) for player in tournament.players}
    upper, virtual = virtual_points(tournament)
    before = {number: _before(games, virtual if number in upper else ()) for number, games in of.items()}
    rounds = len(tournament.rounds)
    is_last = rounds + 1 == tournament.planned
    entrants, colours = [], {}
    for player in tournament.players:
        if player.number in byes:
            continue
        met = [each for each in of[player.number] if each.is_over_the_board]
        rank = seed[player.number]
        colours[rank] = tuple(_colour(each, player.number) for each in met)
        balance, repeated, preference = due(colours[rank])
        score = before[player.number][rounds]
        floats = [_float(of[player.number], ago, before) for ago in (1, 2)]
        entrants.append(
            Entrant(
                rank,
                score,
                frozenset(seed[other] for each in met for other in each.others),
                balance,
                repeated,
                preference,
                (floats[0], floats[1]),
                may_rest=not any(_is_rest(each) for each in of[player.number]),
                games=len(met),
                is_top=is_last and score > rounds * DRAW,
            )
        )
    return entrants, colours


def _pairing_numbers(tournament: Tournament, byes: Mapping[Number, Bye]) -> dict[Number, int]:
    """The rank by strength among those who have been or are to be paired.

    Players who have not come yet have no number (C.04.2).
    """
    come = {
        number
        for each in tournament.rounds
        for number in (
            *(player for pairing in each.pairings for player in pairing.players),
            *(player for player, bye in each.byes if bye is Bye.ALLOCATED),
        )
    }
    there = [
        each.number for each in by_strength(tournament) if each.number in come or each.number not in byes
    ]
    return {number: place for place, number in enumerate(there, 1)}


def _before(games: tuple[Played, ...], virtual: Sequence[Points]) -> list[Points]:
    """The points before each round and after the last, with the *virtual* ones."""
    points = itertools.accumulate((each.points for each in games), initial=0)
    return [own + more for own, more in itertools.zip_longest(points, virtual[: len(games) + 1], fillvalue=0)]


def _colour(game: Played, number: Number) -> int:
    assert game.pairing is not None
    return WHITE if game.pairing.players[0] == number else BLACK


def _float(games: tuple[Played, ...], ago: int, before: Mapping[Number, list[Points]]) -> Float:
    """How a player was paired *ago* rounds ago (article 1.4)."""
    if len(games) < ago:
        return Float.NONE
    game = games[-ago]
    if not game.is_over_the_board:
        return Float.DOWN if game.points else Float.NONE
    place = len(games) - ago
    mine = before[_number_of(game)][place]
    theirs = before[game.others[0]][place]
    return Float.DOWN if mine > theirs else Float.UP if mine < theirs else Float.NONE


def _number_of(game: Played) -> Number:
    """The player whose round *game* is."""
    assert game.pairing is not None
    return next(each for each in game.pairing.players if each not in game.others)


def _is_rest(game: Played) -> bool:
    """True if the player cannot have the pairing-allocated bye after it (C2)."""
    return not game.is_over_the_board and (game.bye is Bye.ALLOCATED or game.points >= WIN)


def _seated(
    higher: Entrant, lower: Entrant, colours: Mapping[int, tuple[int, ...]], of: Mapping[int, Number]
) -> tuple[Number, Number]:
    """The pair with the first side first."""
    white = higher if _colour_of_higher(higher, lower, colours) == WHITE else lower
    black = lower if white is higher else higher
    return of[white.rank], of[black.rank]


def _strength(player: Entrant) -> tuple[bool, int]:
    """Strength of a colour preference; of absolute ones the wider difference counts."""
    return player.is_absolute, abs(player.balance) if player.is_absolute else player.is_strong


def _colour_of_higher(higher: Entrant, lower: Entrant, colours: Mapping[int, tuple[int, ...]]) -> int:
    """The colour of the higher ranked player (article 5.2); White is the initial one."""
    mine, theirs = higher.preference, lower.preference
    if mine is None and theirs is None:
        return WHITE if higher.rank % 2 else BLACK
    if mine is None:  # 5.2.1
        return BLACK if theirs == WHITE else WHITE
    if mine != theirs:
        return mine
    if _strength(higher) != _strength(lower):  # 5.2.2
        return mine if _strength(higher) > _strength(lower) else 1 - mine
    for one, other in zip(reversed(colours[higher.rank]), reversed(colours[lower.rank]), strict=False):
        if one != other:  # 5.2.3
            return other
    return mine  # 5.2.4

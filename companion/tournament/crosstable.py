# SPDX-License-Identifier: Apache-2.0
"""Cross tables: everybody against everybody, or round by round where not all meet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from companion.tournament.teams import as_players, scores, team_standings
from companion.tournament.ties import Standing, standings
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Format,
    Number,
    Pairing,
    Played,
    Points,
    Tournament,
    played,
)

_WIDEST: Final = 20
"""Largest number of players for a table of all against all."""
SELF: Final = "×"
"""The cell of a player against themselves."""
_FORFEITS: Final = {WIN: "+", DRAW: "=", LOSS: "−"}


@dataclass(frozen=True, slots=True)
class CrossTable:
    """The table; every row has as many cells as there are heads."""

    heads: tuple[str, ...]
    """Ranks of the opponents, or numbers of the rounds."""
    lines: tuple[Standing, ...]
    """The best first."""
    cells: tuple[tuple[str, ...], ...]
    """A round's cell: the opponent's rank, `w` or `b` for the side, and the points."""


def written_points(points: Points) -> str:
    """Half points as text.

    >>> [written_points(points) for points in (0, 1, 2, 7)]
    ['0', '½', '1', '3½']
    """
    return f"{points // 2 or ''}½" if points % 2 else str(points // 2)


def cross_table(tournament: Tournament) -> CrossTable:
    """The table of *tournament*: of its teams, with board points, if it has any."""
    if not tournament.boards:
        return _table(tournament, standings(tournament), lambda each, number: _result(each.pairing, number))
    alone = as_players(tournament)

    def board_points(each: Played, number: Number) -> str:
        match = tournament.round(each.number).matches[each.pairing.table - 1 if each.pairing else 0]
        won = scores(tournament.round(each.number), match, tournament)
        seat = match.teams.index(alone.player(number).name)
        return "" if won is None else written_points(won[seat])

    return _table(alone, team_standings(tournament), board_points)


def _table(
    of: Tournament, lines: tuple[Standing, ...], result: Callable[[Played, Number], str]
) -> CrossTable:
    """The table of *of*; *result* formats the result of a round."""
    order = [line.player.number for line in lines]
    place = {number: index for index, number in enumerate(order, 1)}
    meets_all = of.format in (Format.ROUND_ROBIN, Format.DOUBLE_ROUND_ROBIN) and len(order) <= _WIDEST
    if meets_all:
        heads = tuple(map(str, place.values()))
        rows = tuple(_against_all(of, number, order, result) for number in order)
    else:
        rounds = [each for each in of.rounds if not each.is_playoff]
        heads = tuple(str(each.number) for each in rounds)
        rows = tuple(_by_rounds(of, number, place, len(rounds), result) for number in order)
    return CrossTable(heads, lines, rows)


def _against_all(
    of: Tournament, number: Number, order: list[Number], result: Callable[[Played, Number], str]
) -> tuple[str, ...]:
    """The results of *number* against each of *order*."""
    found: dict[Number, list[str]] = {}
    for each in played(of, number):
        for other in each.others:
            found.setdefault(other, []).append(result(each, number))
    return tuple(SELF if other == number else " ".join(found.get(other, [])) for other in order)


def _by_rounds(
    of: Tournament,
    number: Number,
    place: Mapping[Number, int],
    rounds: int,
    result: Callable[[Played, Number], str],
) -> tuple[str, ...]:
    """The result of *number* in each round."""
    cells = [""] * rounds
    for each in played(of, number):
        if each.pairing is None:
            cells[each.number - 1] = _FORFEITS[each.points]
        elif len(each.others) == 1:
            colour = "w" if each.pairing.players[0] == number else "b"
            cells[each.number - 1] = f"{place[each.others[0]]}{colour}{result(each, number)}"
        else:
            cells[each.number - 1] = written_points(each.points)
    return tuple(cells)


def _result(pairing: Pairing | None, number: Number) -> str:
    """The result of *number* in *pairing*."""
    if pairing is None or pairing.points is None:
        return ""
    points = pairing.of(number)
    return _FORFEITS.get(points, "+") if pairing.is_forfeit else written_points(points)

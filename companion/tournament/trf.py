# SPDX-License-Identifier: Apache-2.0
"""Writer of rating reports: TRF16 (FIDE Handbook C.04, annex 2) with lines of TRF26.

For two at a table: federations rate nothing else. A name longer than its 33 columns is cut.
The lines of teams are in `trf_teams.py`, the reader is in `trf_reader.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.event import header_lines
from companion.tournament.starting_order import starting_numbers
from companion.tournament.teams import Team, teams
from companion.tournament.ties import standings
from companion.tournament.trf_entries import BYES
from companion.tournament.trf_header import TYPES, bye_lines, tournament_lines
from companion.tournament.trf_teams import team_lines
from companion.tournament.values import (
    DRAW,
    LOSS,
    Bye,
    Format,
    Number,
    Pairing,
    Player,
    Points,
    Tournament,
    played,
    points_of,
)

_LONGEST_NAME: Final = 33
_ENCODING: Final = "### UTF-8"
"""A remark for readers that would guess."""
_TITLES: Final = ("gm", "im", "fm", "cm", "wgm", "wim", "wfm", "wcm")
_CODES: Final = {LOSS: "0", DRAW: "="}
"""Results over the board; others are won."""


def write_trf(tournament: Tournament, byes: Mapping[Number, Bye] | None = None) -> str:
    """*tournament* as a report. Raises `TournamentError` with more than two at a table.

    With the *byes* of the next round it is the request to a pairing program for that round.
    """
    if any(len(pairing.players) > 2 for each in tournament.rounds for pairing in each.pairings):
        raise TournamentError(
            "{tournament}: the federations' report knows two players at a table, here sit more",
            tournament=tournament.name,
        )
    fielded = teams(tournament) if tournament.boards else ()
    numbers = _numbers(tournament)
    lines_of_teams = team_lines(tournament) if fielded else ()
    rounds = tournament.planned or (0 if byes is None else len(tournament.rounds) + 1)
    announced = () if byes is not None or fielded else bye_lines(tournament, numbers)
    return "\n".join(
        [
            *_in_order([*_counts(tournament, fielded), *header_lines(tournament.event)]),
            _ENCODING,
            *tournament_lines(tournament, rounds, numbers),
            *_player_lines(tournament, numbers, byes or {}),
            *announced,
            *lines_of_teams,
            "",
        ]
    )


def _in_order(lines: Sequence[str]) -> list[str]:
    """*lines* about the event by their codes; those of one code in their order."""
    return sorted(lines, key=lambda line: line[:3])


def _numbers(of: Tournament) -> dict[Number, int]:
    """The starting numbers in the report: those used for pairing.

    In a round robin and for teams, the order of entry.
    """
    is_ranked = of.format is not Format.FREE and not of.boards
    return starting_numbers(of) if is_ranked else {player.number: player.number for player in of.players}


def _counts(of: Tournament, fielded: Sequence[Team]) -> Iterator[str]:
    """The lines with the name, the numbers of players and teams, and the type."""
    yield f"012 {of.name}"
    yield f"062 {len(of.players)}"
    yield f"072 {sum(player.rating > 0 for player in of.players)}"
    if fielded:
        yield f"082 {len(fielded)}"
    kind = TYPES[of.format]
    yield f"092 {kind.replace('Individual', 'Team') if fielded else kind}"


def _player_lines(of: Tournament, numbers: Mapping[Number, int], byes: Mapping[Number, Bye]) -> Iterator[str]:
    """The lines of the players, by their *numbers* in the report."""
    points = points_of(of)
    alone = replace(of, tie_breaks=()) if of.boards else of
    ranks = {line.player.number: line.rank for line in standings(alone)}
    for player in sorted(of.players, key=lambda player: numbers[player.number]):
        number = player.number
        rounds = [
            _bye(each.bye) if each.pairing is None else _game(each.pairing, number, numbers)
            for each in played(of, number)
        ]
        if number in byes:
            rounds.append(_bye(byes[number]))
        yield (
            f"001 {numbers[number]:4} {_described(player)} {_decimal(points[number]):>4} {ranks[number]:4} "
            + "".join(f"  {each}" for each in rounds)[1:]
        )


def _described(player: Player) -> str:
    """The columns of a player from the sex to the date of birth."""
    title = player.title.lower() if player.title.lower() in _TITLES else ""
    sex = player.sex if player.sex in ("m", "w") else ""
    licence = int(player.licence) if player.licence.isdecimal() else ""
    return (
        f"{sex:1}{title:>3} {player.name[:_LONGEST_NAME]:<{_LONGEST_NAME}} {player.rating or '':>4} "
        f"{player.federation[:3]:<3} {licence:>11} {_date(player.born):<10}"
    )


def _decimal(points: Points) -> str:
    """*points* in points; they are counted in halves."""
    return f"{points / 2:.1f}"


def _date(born: str) -> str:
    """The date in *born*; zeros for missing parts."""
    parts = born.split("/")
    if len(parts) > 3 or not all(part.isdecimal() for part in parts):
        return ""
    year, month, day = (*map(int, parts), 0, 0)[:3]
    return f"{year:04}/{month:02}/{day:02}"


def _bye(bye: Bye | None) -> str:
    """A round without a game."""
    return f"0000 - {BYES[bye or Bye.ZERO]}"


def _game(pairing: Pairing, number: Number, numbers: Mapping[Number, int]) -> str:
    """The result of *number* at the table of *pairing*."""
    if len(pairing.players) == 1:  # a board without an opponent
        return "0000 - +"
    is_first = pairing.players[0] == number
    points = pairing.of(number)
    code = _CODES.get(points, "1") if not pairing.is_forfeit else "+" if points else "-"
    other = pairing.players[1 if is_first else 0]
    return f"{numbers[other]:4} {'w' if is_first else 'b'} {code}"

# SPDX-License-Identifier: Apache-2.0
"""Teams in a federation's report: lines 013 of TRF16, and 300, 310, 320 of TRF26.

Both list the members; 310 also the standing,
300 line-ups that differ from the first boards in order, 320 byes of teams.
Columns are counted from 1, as in the format. Source: FIDE Handbook, TRF26.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.teams import Team, board_points, lineup, team_standings, teams
from companion.tournament.values import (
    WIN,
    Bye,
    Lineup,
    Match,
    Number,
    Pairing,
    Round,
    Tournament,
)

_NAME: Final = 32
"""Columns of a team's name."""
_OLD, _NEW, _UNUSUAL, _LEFT_OVER = "013", "310", "300", "320"


def team_lines(tournament: Tournament) -> Iterator[str]:
    """The lines about the teams of *tournament*."""
    fielded = teams(tournament)
    for team in fielded:
        numbers = " ".join(f"{player.number:4}" for player in team.players)
        yield f"{_OLD} {team.name[:_NAME]:<{_NAME}}{numbers}"
    stand = {line.player.number: line for line in team_standings(tournament)}
    won = board_points(tournament)
    for team in fielded:
        line = stand[team.number]
        yield (
            f"{_NEW} {team.number:3} {team.name[:_NAME]:<{_NAME}} {'':5} {line.player.rating or '':>6}"
            f" {line.points:6.1f} {won[team.number] / 2:6.1f} {line.rank:3}  "
            + " ".join(f"{player.number:4}" for player in team.players)
        )
    yield from _unusual(tournament, fielded)
    rested = [_left_over(each, fielded) for each in tournament.rounds]
    if any(rested):
        points = f"{WIN:4.1f} {(tournament.boards + 1) / 2:4.1f}"
        yield f"{_LEFT_OVER} {points} " + " ".join(f"{number:03}" for number in rested)


def _unusual(tournament: Tournament, fielded: Sequence[Team]) -> Iterator[str]:
    """Line-ups that differ from the first boards in order."""
    of = {team.name: team for team in fielded}
    for each in tournament.rounds:
        for match in each.matches:
            for name, other in zip(match.teams, reversed(match.teams), strict=True):
                team = of[name]
                usual = tuple(player.number for player in team.players[: tournament.boards])
                line = lineup(tournament, team, each.number)
                if match.tables and line != usual:
                    numbers = " ".join(f"{number:04}" for number in line)
                    yield f"{_UNUSUAL} {each.number:3} {team.number:3} {of[other].number:3} {numbers}"


def _left_over(of: Round, fielded: Sequence[Team]) -> Number:
    """The team with the bye for an odd number; 0 without one."""
    names = [match.teams[0] for match in of.matches if not match.tables and match.bye is Bye.ALLOCATED]
    return next((team.number for team in fielded if team.name in names), 0)


def with_teams(alone: Tournament, text: str, *, is_individual: bool) -> Tournament:
    """*alone*, the players and games of *text*, with its teams.

    Teams of an individual event, and a single team, are the clubs of its players.
    Raises `TournamentError` naming the line.
    """
    lines = list(enumerate(text.splitlines(), 1))
    is_new = any(line.startswith(_NEW) for _, line in lines)
    names: dict[Number, str] = {}
    for row, line in lines:
        if line.startswith(_NEW if is_new else _OLD):
            name, numbers = (line[8:40], line[73:]) if is_new else (line[4:36], line[36:])
            for number in _numbers(row, numbers, len(alone.players)):
                names[number] = name.strip()
    if not names:
        return alone
    players = tuple(replace(player, team=names.get(player.number, "")) for player in alone.players)
    if is_individual or len(set(names.values())) == 1:
        return replace(alone, players=players)
    lineups = tuple(_lineup(row, line, names) for row, line in lines if line.startswith(_UNUSUAL))
    of = replace(alone, players=players, boards=1, lineups=lineups)
    rested = next((line[14:].split() for _, line in lines if line.startswith(_LEFT_OVER)), [])
    of = replace(of, boards=_boards(of))
    left_over = {index: int(number) for index, number in enumerate(rested, 1) if number.isdecimal()}
    return replace(of, rounds=tuple(_met(of, each, left_over.get(each.number, 0)) for each in alone.rounds))


def _numbers(row: int, text: str, most: int) -> list[Number]:
    """The starting numbers that *text* lists. Raises `TournamentError`."""
    found = text.split()
    wrong = [each for each in found if not each.isdecimal() or int(each) > most]
    if wrong:
        raise TournamentError(
            "line {line} of the report: {player!r} is no player of it", line=row, player=wrong[0]
        )
    return [int(each) for each in found]


def _lineup(row: int, line: str, names: Mapping[Number, str]) -> Lineup:
    """The line-up of a team in a round. Raises `TournamentError`."""
    players = _numbers(row, line[16:], max(names))
    team = next((names[number] for number in players if number in names), "")
    if not team or not line[4:7].strip().isdecimal():
        raise TournamentError("line {line} of the report names no players of a team, or no round", line=row)
    return Lineup(int(line[4:7]), team, tuple(players))


def _boards(of: Tournament) -> int:
    """The number of boards of a match.

    The largest number in any match, or before the first round the number that all teams can fill.
    """
    met = [
        count
        for each in of.rounds
        for count in Counter(
            of.player(number).team for pairing in each.pairings for number in pairing.players
        ).values()
    ]
    return max([*met, *(len(line.players) for line in of.lineups)], default=0) or min(
        len(team.players) for team in teams(of)
    )


def _met(of: Tournament, each: Round, left_over: Number) -> Round:
    """The games of *each* as matches of teams, in the order of the boards."""
    together: dict[frozenset[str], list[Pairing]] = {}
    for pairing in each.pairings:
        key = frozenset(of.player(number).team for number in pairing.players)
        if len(key) == 2:
            together.setdefault(key, []).append(pairing)
    alone = [pairing for pairing in each.pairings if len(pairing.players) == 1]
    for pairing in alone:
        team = of.player(pairing.players[0]).team
        key = next((known for known in together if team in known), frozenset())
        together.setdefault(key, []).append(pairing)
    fielded = {team.name: team for team in teams(of)}
    pairings: list[Pairing] = []
    matches: list[Match] = []
    for key, games in together.items():
        if not key:
            continue
        seats = {name: lineup(of, fielded[name], each.number) for name in key}
        board = {number: place for line in seats.values() for place, number in enumerate(line) if number}
        before = len(matches) * of.boards + 1
        placed = sorted(((board.get(game.players[0], 0), game) for game in games), key=itemgetter(0))
        pairings += [replace(game, table=before + place) for place, game in placed]
        matches.append(Match(_in_order(of, placed), tuple(before + place for place, _ in placed)))
    seen = {name for key in together for name in key}
    matches += [
        Match((name,), bye=Bye.ALLOCATED if team.number == left_over else Bye.ZERO)
        for name, team in fielded.items()
        if name not in seen
    ]
    return Round(each.number, tuple(pairings), (), tuple(matches))


def is_met(report: Tournament, each: Round) -> bool:
    """True if every team has a complete match or the bye in *each*.

    A complete match has a game on all boards, and a line-up that is possible.
    A game under way is not in the report; nor, in old ones, an unusual order of boards.
    """
    boards = [
        match.bye is Bye.ALLOCATED if len(match.teams) == 1 else len(set(match.tables)) == report.boards
        for match in each.matches
    ]
    try:
        for line in report.lineups:
            if line.round == each.number:
                replace(report, rounds=()).lined_up(line)
    except TournamentError:
        return False
    return all(boards)


def _in_order(of: Tournament, placed: Sequence[tuple[int, Pairing]]) -> tuple[str, ...]:
    """The teams of a match; the first has the first side on board 1."""
    place, game = next(each for each in placed if len(each[1].players) == 2)
    first, second = (of.player(number).team for number in game.players)
    return (second, first) if place % 2 else (first, second)

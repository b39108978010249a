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
from companion.model.phrase import Phrase
from companion.model.reading import Note
from companion.tournament.roster import plain
from companion.tournament.starting_order import starting_numbers
from companion.tournament.teams import Team, as_players, board_points, lineup, team_standings, teams
from companion.tournament.trf_header import is_number, known_numbers
from companion.tournament.values import (
    WIN,
    Bye,
    Lineup,
    Match,
    Number,
    Pairing,
    Player,
    Round,
    Tournament,
)

_NAME: Final = 32
"""Columns of a team's name."""
_OLD, _NEW, _UNUSUAL, _LEFT_OVER = "013", "310", "300", "320"


def team_lines(tournament: Tournament) -> Iterator[str]:
    """The lines about the teams of *tournament*, with the numbers by which they are paired."""
    fielded = teams(tournament)
    for team in fielded:
        yield f"{_OLD} {team.name[:_NAME]:<{_NAME}}{_columns(team)}"
    stand = {line.player.number: line for line in team_standings(tournament)}
    won = board_points(tournament)
    places = starting_numbers(as_players(tournament))
    for team in sorted(fielded, key=lambda team: places[team.number]):
        line = stand[team.number]
        yield (
            f"{_NEW} {places[team.number]:3} {team.name[:_NAME]:<{_NAME}} {'':5} {line.player.rating or '':>6}"
            f" {line.points:6.1f} {won[team.number] / 2:6.1f} {line.rank:3}  {_columns(team)}"
        )
    numbers = {team.name: places[team.number] for team in fielded}
    yield from _unusual(tournament, fielded, numbers)
    rested = [_left_over(each, numbers) for each in tournament.rounds]
    if any(rested):
        points = f"{WIN:4.1f} {(tournament.boards + 1) / 2:4.1f}"
        yield f"{_LEFT_OVER} {points} " + " ".join(f"{number:03}" for number in rested)


def _columns(team: Team) -> str:
    return " ".join(f"{player.number:4}" for player in team.players)


def _unusual(tournament: Tournament, fielded: Sequence[Team], numbers: Mapping[str, Number]) -> Iterator[str]:
    """Line-ups that differ from the first boards in order."""
    of = {team.name: team for team in fielded}
    for each in tournament.rounds:
        for match in each.matches:
            for name, other in zip(match.teams, reversed(match.teams), strict=True):
                team = of[name]
                usual = tuple(player.number for player in team.players[: tournament.boards])
                line = lineup(tournament, team, each.number)
                if match.tables and line != usual:
                    players = " ".join(f"{number:04}" for number in line)
                    yield f"{_UNUSUAL} {each.number:3} {numbers[name]:3} {numbers[other]:3} {players}"


def _left_over(of: Round, numbers: Mapping[str, Number]) -> Number:
    """The team with the bye for an odd number; 0 without one."""
    rests = [match.teams[0] for match in of.matches if not match.tables and match.bye is Bye.ALLOCATED]
    return numbers[rests[0]] if rests else 0


def members(lines: Sequence[tuple[int, str]], *, is_individual: bool) -> frozenset[int]:
    """The report's numbers of all who are in a team; none if no teams meet."""
    names, _ = _members(lines, _Any(), [])
    return frozenset() if is_individual or len(set(names.values())) == 1 else frozenset(names)


class _Any(dict[int, Number]):
    """All numbers of a report, as they are."""

    def __contains__(self, number: object) -> bool:
        return True

    def __missing__(self, number: int) -> Number:
        return number


def with_teams(
    alone: Tournament,
    lines: Sequence[tuple[int, str]],
    numbers: Mapping[int, Number],
    rows: Sequence[int],
    notes: list[Note],
    *,
    is_individual: bool,
) -> Tournament:
    """*alone*, the players and games of a report's *lines*, with its teams.

    Teams of an individual event, and a single team, are the clubs of its players.
    *numbers* are the players by their numbers in the report, *rows* their lines. Adds to *notes*.
    """
    names, team_of = _members(lines, numbers, notes)
    if not names:
        return alone
    players = tuple(replace(player, team=names.get(player.number, "")) for player in alone.players)
    if is_individual or len(set(names.values())) == 1:
        return replace(alone, players=players)
    players = tuple(
        player if player.team else _own_team(player, row, notes)
        for player, row in zip(players, rows, strict=True)
    )
    lineups = tuple(
        line
        for row, text in lines
        if text.startswith(_UNUSUAL) and (line := _lineup(row, text, names, numbers, notes)) is not None
    )
    of = replace(alone, players=players, boards=1, lineups=lineups)
    of = replace(of, boards=_boards(of))
    rested = next((line[14:].split() for _, line in lines if line.startswith(_LEFT_OVER)), [])
    left_over = {
        index: team_of.get(int(number), "") for index, number in enumerate(rested, 1) if is_number(number)
    }
    return replace(of, rounds=tuple(_met(of, each, left_over.get(each.number, "")) for each in alone.rounds))


def _own_team(player: Player, row: int, notes: list[Note]) -> Player:
    what = Phrase("{player} is in no team, and gets one of that name", player=player.name)
    notes.append(Note(row, what))
    return replace(player, team=player.name)


def _members(
    lines: Sequence[tuple[int, str]], numbers: Mapping[int, Number], notes: list[Note]
) -> tuple[dict[Number, str], dict[int, str]]:
    """The team of each player, and the teams by their numbers in the report."""
    code = _NEW if any(line.startswith(_NEW) for _, line in lines) else _OLD
    names: dict[Number, str] = {}
    team_of: dict[int, str] = {}
    for row, line in lines:
        if not line.startswith(code):
            continue
        name, players = (line[8:40], line[73:]) if code == _NEW else (line[4:36], line[36:])
        name = plain(name)
        if not name:
            notes.append(Note(row, Phrase("the line names no team, and is left out")))
            continue
        if code == _NEW and is_number(line[4:7].strip()):
            team_of.setdefault(int(line[4:7]), name)
        for number in known_numbers(row, players.split(), numbers, notes):
            if names.setdefault(number, name) != name:
                what = Phrase("{player!r} is in two teams; the first is taken", player=str(number))
                notes.append(Note(row, what))
    return names, team_of


def _lineup(
    row: int, line: str, names: Mapping[Number, str], numbers: Mapping[int, Number], notes: list[Note]
) -> Lineup | None:
    """The line-up of a team in a round; None, with a note, if unreadable."""
    players = tuple(known_numbers(row, line[16:].split(), {0: 0, **numbers}, notes))
    team = next((names[number] for number in players if number in names), "")
    if not team or not is_number(line[4:7].strip()):
        notes.append(Note(row, Phrase("the line names no players of a team, or no round")))
        return None
    return Lineup(int(line[4:7]), team, players)


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


def _met(of: Tournament, each: Round, left_over: str) -> Round:
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
        Match((name,), bye=Bye.ALLOCATED if name == left_over else Bye.ZERO)
        for name in fielded
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
    if not each.is_complete:
        return False
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

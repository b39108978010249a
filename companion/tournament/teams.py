# SPDX-License-Identifier: Apache-2.0
"""Team events: line-ups, matches and team standings.

Its rule: a team is the players who name it, in the order of entry,
and its matches are tables like all others.
For pairing and standings a team is treated as a player whose games are its matches:
a won match is 2 match points, a drawn one 1.
A team with a bye wins its match with the fewest board points that win one.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from companion.model.errors import TournamentError
from companion.tournament.score_books import TeamPoints
from companion.tournament.ties import Standing, standings
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Match,
    Number,
    Pairing,
    Player,
    Points,
    Round,
    Tournament,
)

_BY_POINTS: Final = {1: (WIN, LOSS), 0: (DRAW, DRAW), -1: (LOSS, WIN)}
"""Match points, by the sign of the difference in board points."""


@dataclass(frozen=True, slots=True)
class Team:
    """Players who play together."""

    number: Number
    """From 1, in the order of entry."""
    name: str
    players: tuple[Player, ...]
    """In the order of the boards, reserves last."""


def teams(tournament: Tournament) -> tuple[Team, ...]:
    """All teams, in the order of the first entry of each."""
    found: dict[str, list[Player]] = {}
    for player in tournament.players:
        found.setdefault(player.team, []).append(player)
    return tuple(
        Team(number, name, tuple(players)) for number, (name, players) in enumerate(found.items(), 1)
    )


def lineup(tournament: Tournament, team: Team, in_round: int) -> tuple[Number, ...]:
    """The line-up of *team* in a round, by board; 0 for an empty board."""
    there = {player.number for player in team.players if player.bye_in(in_round) is None}
    for chosen in tournament.lineups:
        if (chosen.round, chosen.team) == (in_round, team.name):
            named = [number if number in there else 0 for number in chosen.players]
            break
    else:
        named = [player.number for player in team.players if player.number in there]
    return tuple(named[: tournament.boards] + [0] * (tournament.boards - len(named)))


def scores(of: Round, match: Match, tournament: Tournament) -> tuple[Points, ...] | None:
    """The board points of the teams of *match*, in half points; None before all results."""
    if len(match.teams) == 1:
        return (_of_bye(match.bye, tournament.boards),)
    games = [each for each in of.pairings if each.table in match.tables]
    if any(game.points is None for game in games):
        return None
    return tuple(
        sum(
            game.of(number)
            for game in games
            for number in game.players
            if tournament.player(number).team == team
        )
        for team in match.teams
    )


def _of_bye(bye: Bye, boards: int) -> Points:
    """The board points of a team with a bye."""
    return {WIN: boards + 1, DRAW: boards, LOSS: 0}[bye.points]


def as_players(tournament: Tournament, *, rounds: int | None = None) -> Tournament:
    """*tournament* after *rounds* rounds, with each team as a player.

    By default after all rounds.
    """
    fielded = teams(tournament)
    number = {team.name: team.number for team in fielded}
    known = tournament.rounds[:rounds]
    following = len(known) + 1
    return replace(
        tournament,
        players=tuple(_player(tournament, team, following) for team in fielded),
        rounds=tuple(_round(each, tournament, number) for each in known),
        boards=0,
        lineups=(),
    )


def _player(tournament: Tournament, team: Team, following: int) -> Player:
    """*team* as a player: rated by its first boards, present with any player."""
    rated = [player.rating for player in team.players[: tournament.boards] if player.rating]
    byes = [(each, _bye_in(team, each)) for each in range(1, following + 1)]
    return Player(
        team.number,
        team.name,
        sum(rated) // len(rated) if rated else 0,
        excused=tuple((each, bye) for each, bye in byes if bye is not None),
    )


def _bye_in(team: Team, in_round: int) -> Bye | None:
    """The bye of *team* if all its players are absent, else None."""
    byes = [player.bye_in(in_round) for player in team.players]
    if None in byes:
        return None
    return max((bye for bye in byes if bye is not None), key=lambda bye: bye.points)


def _round(of: Round, tournament: Tournament, number: Mapping[str, Number]) -> Round:
    """The matches of *of* as games."""
    games: list[Pairing] = []
    byes: list[tuple[Number, Bye]] = []
    for place, match in enumerate(of.matches, 1):
        if len(match.teams) == 1:
            byes.append((number[match.teams[0]], match.bye))
            continue
        players = tuple(number[team] for team in match.teams)
        played = [each for each in of.pairings if each.table in match.tables]
        won = scores(of, match, tournament)
        points = None if won is None else _BY_POINTS[(won[0] > won[1]) - (won[0] < won[1])]
        is_forfeit = points is not None and all(each.is_forfeit for each in played)
        decided = number.get(match.decided, 0)
        games.append(Pairing(place, players, points, is_forfeit=is_forfeit, decided=decided))
    return Round(of.number, tuple(games), tuple(byes))


def team_points(tournament: Tournament, *, rounds: int | None = None) -> TeamPoints:
    """The board points of every team by round, and the points on each board."""
    fielded = teams(tournament)
    won: dict[str, dict[int, Points]] = {team.name: {} for team in fielded}
    boards = {team.name: [0] * tournament.boards for team in fielded}
    for of in tournament.rounds[:rounds]:
        games = {game.table: game for game in of.pairings}
        for match in of.matches:
            for team, points in zip(match.teams, scores(of, match, tournament) or (), strict=False):
                won[team][of.number] = points
            if not match.tables:
                for board in range(tournament.boards):
                    boards[match.teams[0]][board] += match.bye.points
            for table in match.tables:
                game = games[table]
                for number in game.players:
                    boards[tournament.player(number).team][(table - 1) % tournament.boards] += game.of(number)
    return TeamPoints(
        {team.number: won[team.name] for team in fielded},
        {team.number: tuple(boards[team.name]) for team in fielded},
    )


def board_points(tournament: Tournament, *, rounds: int | None = None) -> Mapping[Number, Points]:
    """The board points of every team, in half points."""
    won = team_points(tournament, rounds=rounds).rounds
    return {number: sum(each.values()) for number, each in won.items()}


def team_standings(tournament: Tournament, *, rounds: int | None = None) -> tuple[Standing, ...]:
    """All teams after *rounds* rounds, by default all; the best first. Raises as `standings`."""
    return standings(
        as_players(tournament, rounds=rounds), team_points=team_points(tournament, rounds=rounds)
    )


def expanded(tournament: Tournament, of: Round) -> Round:
    """The round *of*, paired with teams as players, with a table for each board.

    The first team has the first side on the first board, the other on the second,
    and so on in turn.
    Raises `TournamentError` if both teams of a match are empty.
    """
    fielded = {team.number: team for team in teams(tournament)}
    games: list[Pairing] = []
    matches: list[Match] = []
    for place, pairing in enumerate(of.pairings):
        first, second = (fielded[number] for number in pairing.players)
        met = list(_boards(tournament, of.number, (first, second), place * tournament.boards))
        if not met:
            raise TournamentError(
                "{tournament}: {first} and {second} have nobody to play",
                tournament=tournament.name,
                first=first.name,
                second=second.name,
            )
        games += met
        matches.append(Match((first.name, second.name), tuple(game.table for game in met)))
    matches += [Match((fielded[number].name,), bye=bye) for number, bye in of.byes]
    return Round(of.number, tuple(games), (), tuple(matches))


def _boards(tournament: Tournament, in_round: int, met: tuple[Team, Team], before: int) -> Iterator[Pairing]:
    """The games of two teams.

    A board that one team cannot fill is lost; one that neither can fill is left out.
    """
    lines = (lineup(tournament, team, in_round) for team in met)
    for board, (one, other) in enumerate(itertools.zip_longest(*lines, fillvalue=0), 1):
        seated = (one, other) if board % 2 else (other, one)
        there = tuple(number for number in seated if number)
        if len(there) == 2:
            yield Pairing(before + board, there)
        elif there:
            yield Pairing(before + board, there, (WIN,), is_forfeit=True)

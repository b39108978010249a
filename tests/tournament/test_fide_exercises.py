# SPDX-License-Identifier: Apache-2.0
"""Worked examples of FIDE's technical commission.

Source: M. Held, Exercises in Tie-Breaking (revision 2403220900, tec.fide.com): the tables of
sections 2.1 and 2.3, and the solutions. Where the cap of a dummy's points, in force since March
2026 (C.07, 16.4), changes a solution, the value is computed by hand from that article.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from companion.tournament.teams import team_standings
from companion.tournament.ties import standings
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Match,
    Pairing,
    Player,
    Round,
    Tournament,
)

SWISS = """
1 2200 +W9 =B13 =W2 +B15 =W4
2 2150 +B10 +W7 =B1 +W16 =B3
3 2100 =W11 +B6 +W8 =B4 =W2
4 2050 +B12 half +W13 =W3 =B1
5 2000 -W13 -B15 +W11 =B7 +W10
6 1950 -B14 -W3 rest +W10 +B8
7 1900 +W15 -B2 -B16 =W5 -B11
8 1850 =B16 +W14 -B3 +W13 -W6
9 1800 -B1 -W10 half -F11 rest
10 1750 -W2 +B9 -W15 -B6 -B5
11 1700 =B3 -W16 -B5 +F9 +W7
12 1650 -W4 rest +F14 zero zero
13 1600 +B5 =W1 -B4 -B8 -W14
14 1550 +W6 -B8 -F12 zero +B13
15 1500 -B7 +W5 +B10 -W1 -B16
16 1450 =W8 +B11 +W7 -B2 +W15
"""
"""A line for each player: number, rating, and the rounds; F is a forfeit."""
TEAMS = """
1 8w5 4b3 7w6 2b5 5w3 +F6 3b5
2 9b6 3w8 5b0 1w3 13w6 4b5 10b6
3 10w5 2b0 9w6 6b5 4w6 5b7 1w3
4 11b6 1w5 13b6 5w7 3b2 2w3 9b5
5 12w8 6b6 2w8 4b1 1b5 3w1 13b7
6 13b4 5w2 8b6 3w3 11b5 -F1 12w5
7 14w4 8b4 1b2 10w5 9b4 13w4 zero
8 1b3 7w4 6w2 12b7 10b4 9w4 11w6
9 2w2 12b8 3b2 14w6 7w4 8b4 4w3
10 3b3 11w3 12b5 7b3 8w4 14b6 2w2
11 4w2 10b5 14w4 13b3 6w3 12w4 8b2
12 5b0 9w0 10w3 8w1 half 11b4 6b3
13 6w4 14b5 4w2 11w5 2b2 7b4 5w1
14 7b4 13w3 11b4 9b2 half 10w2 half
"""
"""A line for each team of four: opponent, colour on the first board, half points.

The byes are those of the example: 1 match point and 2 board points.
"""
BYES = {"half": Bye.HALF, "rest": Bye.ALLOCATED, "zero": Bye.ZERO}
POINTS = {"+": WIN, "=": DRAW, "-": LOSS}


def swiss() -> Tournament:
    """The first example: 16 players, 5 rounds."""
    lines = [line.split() for line in SWISS.split("\n")[1:-1]]
    players = tuple(Player(int(line[0]), f"P{line[0]}", int(line[1])) for line in lines)
    rounds = []
    for number in range(1, 6):
        pairings: list[Pairing] = []
        byes = []
        for line in lines:
            player, told = int(line[0]), line[number + 1]
            if told in BYES:
                byes.append((player, BYES[told]))
            elif told[1] == "W" or told[:2] == "+F":
                won = POINTS[told[0]]
                seats = player, int(told[2:])
                pairings.append(
                    Pairing(len(pairings) + 1, seats, (won, WIN - won), is_forfeit=told[1] == "F")
                )
        rounds.append(Round(number, tuple(pairings), tuple(byes)))
    return Tournament("Held", Format.SWISS, "chess", (), 5, players=players, rounds=tuple(rounds))


def boards(first: int, second: int, half_points: int, before: int, *, is_forfeit: bool) -> list[Pairing]:
    """The games of a match in which the *first* team wins *half_points*."""
    found = []
    for board in range(4):
        won = min(WIN, max(LOSS, half_points - WIN * board))
        seats, points = (4 * first - 3 + board, 4 * second - 3 + board), (won, WIN - won)
        turned = (seats[::-1], points[::-1]) if board % 2 else (seats, points)
        found.append(Pairing(before + board + 1, *turned, is_forfeit=is_forfeit))
    return found


def team_round(lines: list[list[str]], number: int) -> Round:
    pairings: list[Pairing] = []
    matches = []
    rests = []
    for line in lines:
        team, told = int(line[0]), line[number]
        if told in BYES:
            rests.append(Match((f"T{team}",), bye=BYES[told]))
            continue
        met = re.fullmatch(r"(\d+)w(\d)|\+F(\d+)", told)
        if met:
            other = int(met[1] or met[3])
            games = boards(team, other, int(met[2] or 8), len(pairings), is_forfeit=bool(met[3]))
            pairings += games
            matches.append(Match((f"T{team}", f"T{other}"), tuple(game.table for game in games)))
    return Round(number, tuple(pairings), (), (*matches, *rests))


def league() -> Tournament:
    """The second example: 14 teams of four, 7 rounds."""
    lines = [line.split() for line in TEAMS.split("\n")[1:-1]]
    players = tuple(
        Player(4 * team + board + 1, f"P{team}.{board}", 2000, team=f"T{team + 1}")
        for team in range(14)
        for board in range(4)
    )
    rounds = tuple(team_round(lines, number) for number in range(1, 8))
    return Tournament("Held", Format.SWISS, "chess", (), 7, players=players, rounds=rounds, boards=4)


def values(name: str) -> list[float]:
    lines = standings(replace(swiss(), tie_breaks=(name,)))
    return [float(line.tie_breaks[0]) for line in sorted(lines, key=lambda line: line.player.number)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("buchholz", "12.5 13 15.5 14 8.5 11.5 14.5 13.5 9 13 12.5 11.5 14 11 12 12.5"),
        ("buchholz-cut-1", "11 12 13 11.5 7.5 10.5 12.5 12 7.5 11.5 11 9.5 12 9 11 11"),
        (
            "average-buchholz",
            "12.4 13.6 12.9 13.38 13.2 13.25 11.7 12.9 12.75 10.8 12.75 14 11.9 13 12.2 13.1",
        ),
        ("sonneborn-berger", "8 9.5 10.5 9.25 4.25 6 3.25 5.25 2.25 1.5 4.75 4 4.25 4.5 3.5 7.25"),
        ("sonneborn-berger-cut-1", "7.25 8.5 9.25 7.75 3.25 5 1.25 3.75 2.25 0 3.25 4 4.25 3 2.5 5.75"),
        ("average-rating", "1820 1880 1940 1888 1690 1813 1760 1730 1975 1880 1863 2050 1930 1800 1860 1820"),
        ("performance", "1969 2120 2089 2081 1690 1813 1611 1730 1175 1640 1776 1250 1781 1925 1788 1969"),
        ("wins", "2 3 2 2 2 3 1 2 1 1 2 2 1 2 2 3"),
        ("games-won", "2 3 2 2 2 2 1 2 0 1 1 0 1 2 2 3"),
        ("second-player", "2 3 2 2 2 2 3 2 1 3 2 0 3 2 3 2"),
        ("second-player-won", "1 1 1 1 0 1 0 0 0 1 0 0 1 1 1 1"),
        ("chosen-rounds", "5 5 5 4 5 5 5 5 3 5 5 3 5 3 5 5"),
        ("progressive", "11 13 11 11.5 5 6 6 8.5 2.5 4 5.5 7 7 6 7 10.5"),
        ("progressive-cut-1", "10 12 10.5 10.5 5 6 5 8 2.5 4 5 7 6 5 7 10"),
        ("rating", "2200 2150 2100 2050 2000 1950 1900 1850 1800 1750 1700 1650 1600 1550 1500 1450"),
        ("pairing-number", "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16"),
    ],
)
def test_the_exercises_of_a_swiss_have_their_solutions(name: str, expected: str) -> None:
    assert values(name) == [float(each) for each in expected.split()]


def test_the_perfect_performance_and_those_of_opponents_are_the_solutions() -> None:
    assert values("perfect-performance")[2] == 2112
    found = values("average-performance")
    assert [found[place] for place in (0, 2, 3, 15)] == [1789, 1904, 1772, 1805]


def test_direct_encounter_leaves_the_ties_of_the_exercises() -> None:
    ranks = {
        line.player.number: line.rank
        for line in standings(replace(swiss(), tie_breaks=("direct-encounter",)))
    }
    assert {ranks[number] for number in (1, 3, 4, 16)} == {2}
    assert {ranks[number] for number in (5, 8, 11)} == {7}


TEAM_SOLUTIONS: list[tuple[str, dict[int, float]]] = [
    ("board-points", {1: 17.5, 2: 17, 3: 16, 4: 17, 5: 18, 6: 12.5, 9: 14.5, 12: 7.5, 14: 11.5}),
    ("buchholz", {1: 61, 2: 57, 3: 58, 4: 56, 5: 55, 8: 41, 9: 50, 10: 44, 11: 41, 13: 52}),
    ("buchholz-cut-1", {1: 54, 2: 52, 3: 53, 4: 52, 5: 53, 8: 39, 9: 48, 13: 48}),
    ("sonneborn-berger-cut-1", {1: 68, 2: 64, 3: 66, 4: 64, 5: 66}),
    ("board-by-match-points", {1: 148, 2: 144, 3: 150, 4: 146, 5: 132}),
    ("match-by-board-points", {9: 83, 13: 73}),
    ("board-by-board-points", {8: 181.5}),
    ("schedule-strength", {1: 37.83, 2: 36, 3: 35.33, 4: 35.67, 5: 36.33, 8: 28.67, 9: 31.17, 13: 28.83}),
]


@pytest.mark.parametrize(("name", "expected"), TEAM_SOLUTIONS)
def test_the_exercises_of_teams_have_their_solutions(name: str, expected: dict[int, float]) -> None:
    found = {
        line.player.number: float(line.tie_breaks[0])
        for line in team_standings(replace(league(), tie_breaks=(name,)))
    }
    assert {number: found[number] for number in expected} == expected


def test_the_extended_direct_encounter_orders_the_leaders_of_the_exercise() -> None:
    lines = team_standings(replace(league(), tie_breaks=("extended-direct-encounter",)))
    assert [line.player.number for line in lines][:5] == [4, 2, 1, 3, 5]
    ranks = {line.player.number: line.rank for line in lines}
    assert ranks[6] < ranks[8]
    assert ranks[7] == ranks[9] == ranks[13]
    assert ranks[11] == ranks[14]


@pytest.mark.parametrize("name", ["board-count", "top-boards", "bottom-boards"])
def test_the_boards_of_a_drawn_match_decide(name: str) -> None:
    """The first board of A and the others of B count 2 points each."""
    of = Tournament("Final", Format.KNOCKOUT, "chess", boards=3, tie_breaks=("board-points", name))
    for team in "AB":
        for board in range(3):
            of = of.entered(Player(0, f"{team}{board}", 2000, team=team))
    games = (
        Pairing(1, (1, 4), (WIN, LOSS)),
        Pairing(2, (5, 2), (DRAW, DRAW)),
        Pairing(3, (3, 6), (LOSS, WIN)),
    )
    of = of.paired(Round(1, games, (), (Match(("A", "B"), (1, 2, 3)),)))
    lines = team_standings(of)
    assert [(line.rank, line.player.name) for line in lines] == [(1, "A"), (2, "B")]
    shown = [line.tie_breaks[1] for line in lines]
    assert shown == ([Fraction(2), Fraction(4)] if name == "board-count" else [Fraction(1), Fraction(2)])


def test_standard_points_of_a_round_follow_the_opponent() -> None:
    """7.7: 1 for more than the opponent, ½ for as much."""
    of = swiss()
    assert values("standard-points") == [line / 2 for line in map(of_points, range(1, 17))]
    doubly = of.with_result(5, of.rounds[4].pairings[0].table, (LOSS, LOSS), is_forfeit=True)
    first, second = of.rounds[4].pairings[0].players
    lines = standings(replace(doubly, tie_breaks=("standard-points",)))
    found = {line.player.number: float(line.tie_breaks[0]) for line in lines}
    assert found[first] == values("standard-points")[first - 1] - 0.5
    assert found[second] == values("standard-points")[second - 1] - 0.5


def of_points(number: int) -> int:
    return next(line.points for line in standings(swiss()) if line.player.number == number)

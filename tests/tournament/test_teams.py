# SPDX-License-Identifier: Apache-2.0
"""Teams: line-ups, pairings, and standings of teams."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.errors import TournamentError
from companion.tournament.pairing import next_round
from companion.tournament.teams import as_players, board_points, scores, team_standings, teams
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Lineup,
    Player,
    Tournament,
)
from tests.tournament.test_pairing import Judge, by_chance, played_on


def event(
    count: int, kind: Format = Format.SWISS, *, boards: int = 2, each: int = 3, ties: tuple[str, ...] = ()
) -> Tournament:
    """*count* teams `A`, `B` … of *each* players `A1`, `A2` …, strongest first."""
    of = Tournament("League", kind, "chess", boards=boards, tie_breaks=ties)
    for team in range(count):
        name = chr(ord("A") + team)
        for board in range(1, each + 1):
            of = of.entered(Player(0, f"{name}{board}", 2400 - 50 * team - board, team=name))
    return of


def names(of: Tournament, in_round: int) -> list[tuple[str, ...]]:
    return [tuple(of.player(number).name for number in game.players) for game in of.round(in_round).pairings]


def the_better_team_wins(of: Tournament) -> Judge:
    def judge(game: object) -> tuple[int, ...]:
        one, other = (of.player(number) for number in game.players)  # type: ignore[attr-defined]
        return (WIN, LOSS) if one.rating > other.rating else (LOSS, WIN)

    return judge


def with_results(of: Tournament, *results: tuple[int, ...]) -> Tournament:
    """The last round of *of* with *results*, table by table."""
    for game, points in zip(of.rounds[-1].pairings, results, strict=True):
        of = of.with_result(len(of.rounds), game.table, points)
    return of


def test_a_match_has_ordered_boards_with_alternating_first_moves() -> None:
    of = event(4, boards=3)
    of = of.paired(next_round(of))
    assert names(of, 1) == [
        ("A1", "C1"),
        ("C2", "A2"),
        ("A3", "C3"),
        ("D1", "B1"),
        ("B2", "D2"),
        ("D3", "B3"),
    ]
    assert [match.teams for match in of.rounds[0].matches] == [("A", "C"), ("D", "B")]
    assert [match.tables for match in of.rounds[0].matches] == [(1, 2, 3), (4, 5, 6)]


def test_more_board_points_win_a_match_and_equal_ones_draw_it() -> None:
    of = event(4, boards=3)
    of = of.paired(next_round(of))
    of = with_results(of, (WIN, LOSS), (DRAW, DRAW), (LOSS, WIN), (WIN, LOSS), (DRAW, DRAW), (DRAW, DRAW))
    first, second = of.rounds[0].matches
    assert scores(of.rounds[0], first, of) == (3, 3)
    assert scores(of.rounds[0], second, of) == (4, 2)
    table = team_standings(replace(of, tie_breaks=("board-points",)))
    assert [(line.player.name, line.points, line.tie_breaks) for line in table] == [
        ("D", 2, (Fraction(2),)),
        ("A", 1, (Fraction(3, 2),)),
        ("C", 1, (Fraction(3, 2),)),
        ("B", 0, (Fraction(1),)),
    ]
    assert [line.rank for line in table] == [1, 2, 2, 4]


def test_a_match_has_no_points_before_all_its_games_are_over() -> None:
    of = event(2)
    of = of.paired(next_round(of)).with_result(1, 1, (WIN, LOSS))
    assert scores(of.rounds[0], of.rounds[0].matches[0], of) is None
    assert [line.points for line in team_standings(of)] == [0, 0]
    with pytest.raises(TournamentError, match="results are missing at table 2"):
        next_round(of)


def test_all_teams_of_a_round_robin_meet_and_a_bye_scores_nothing() -> None:
    of = event(3, Format.ROUND_ROBIN)
    of = played_on(of, the_better_team_wins(of), 3)
    met = Counter(frozenset(match.teams) for each in of.rounds for match in each.matches if match.tables)
    assert sorted(map(sorted, met)) == [["A", "B"], ["A", "C"], ["B", "C"]]
    assert [(line.player.name, line.points) for line in team_standings(of)] == [("A", 4), ("B", 2), ("C", 0)]


def test_a_pairing_bye_in_a_swiss_is_the_narrowest_win() -> None:
    of = event(3, boards=4, each=4)
    of = played_on(of, the_better_team_wins(of), 1)
    (bye,) = (match for match in of.rounds[0].matches if not match.tables)
    assert (bye.teams, bye.bye) == (("C",), Bye.ALLOCATED)
    assert board_points(of)[3] == 5
    assert {line.player.name: line.points for line in team_standings(of)}["C"] == 2


@settings(max_examples=15)
@given(st.integers(4, 9), st.integers(1, 4), st.integers(0, 1000))
def test_board_points_equal_the_points_of_the_players(count: int, boards: int, seed: int) -> None:
    of = played_on(event(count, boards=boards, each=boards + 1), by_chance(seed), 3)
    won = board_points(of)
    rested = Counter(match.teams[0] for each in of.rounds for match in each.matches if not match.tables)
    for team in teams(of):
        theirs = {player.number for player in team.players}
        games = [game for each in of.rounds for game in each.pairings]
        assert won[team.number] == (boards + 1) * rested[team.name] + sum(
            game.of(number) for game in games for number in theirs & set(game.players)
        )
        assert rested[team.name] <= 1
    met = Counter(frozenset(match.teams) for each in of.rounds for match in each.matches if match.tables)
    assert max(met.values()) == 1
    total = sum(line.points for line in team_standings(of))
    assert total == WIN * 3 * ((count + 1) // 2)


def test_substitutes_are_named_before_a_round_and_only_for_it() -> None:
    of = event(2, Format.DOUBLE_ROUND_ROBIN)
    of = of.lined_up(Lineup(1, "A", (3, 1)))
    of = played_on(of, the_better_team_wins(of), 2)
    assert names(of, 1) == [("A3", "B1"), ("B2", "A1")]
    assert names(of, 2) == [("B1", "A1"), ("A2", "B2")]


@pytest.mark.parametrize(
    ("chosen", "reason"),
    [
        (Lineup(2, "A", (1, 4)), "lines up 2 players of its own"),
        (Lineup(2, "A", (1, 1)), "each once"),
        (Lineup(2, "A", (1, 2, 3)), "2 players of its own at most"),
        (Lineup(2, "X", (1,)), "there is no team 'X'"),
        (Lineup(1, "A", (1, 2)), "round 1 is paired already"),
    ],
)
def test_an_invalid_lineup_is_refused(chosen: Lineup, reason: str) -> None:
    of = event(4)
    with pytest.raises(TournamentError, match=reason):
        of.paired(next_round(of)).lined_up(chosen)


def test_a_board_that_one_team_cannot_fill_is_lost_and_an_empty_one_is_not_played() -> None:
    of = event(2, boards=3).lined_up(Lineup(1, "A", (1, 0, 3))).lined_up(Lineup(1, "B", (4, 5, 0)))
    of = of.paired(next_round(of))
    assert names(of, 1) == [("A1", "B1"), ("B2",), ("A3",)]
    assert [game.is_forfeit for game in of.rounds[0].pairings] == [False, True, True]
    assert of.unpaired().rounds == ()
    of = of.with_result(1, 1, (DRAW, DRAW))
    assert [line.points for line in team_standings(of)] == [1, 1]
    empty = event(2, boards=2).lined_up(Lineup(1, "A", (1, 0))).lined_up(Lineup(1, "B", (4, 0)))
    assert names(empty.paired(next_round(empty)), 1) == [("A1", "B1")]
    with pytest.raises(TournamentError, match="A and B have nobody to play"):
        next_round(event(2).lined_up(Lineup(1, "A", (0, 0))).lined_up(Lineup(1, "B", (0, 0))))


def test_absent_players_are_replaced_by_the_next_and_a_team_without_players_is_not_paired() -> None:
    of = event(5)
    of = of.withdrawn(1)
    for number in (13, 14, 15):
        of = of.excused(number, 1, Bye.HALF)
    of = of.paired(next_round(of))
    seated = {name for game in names(of, 1) for name in game}
    assert "A2" in seated
    assert "A1" not in seated
    assert [(match.teams, match.bye) for match in of.rounds[0].matches if not match.tables] == [
        (("E",), Bye.HALF)
    ]
    assert board_points(of)[5] == 2


def test_a_team_without_players_gets_the_best_of_their_byes() -> None:
    of = event(3).excused(7, 1, Bye.ZERO).excused(8, 1, Bye.HALF).excused(9, 1, Bye.ZERO)
    assert as_players(of).player(3).excused == ((1, Bye.HALF),)


def test_a_player_who_leaves_after_the_lineup_leaves_the_board_empty() -> None:
    of = event(2, boards=2).lined_up(Lineup(1, "A", (3, 1))).withdrawn(3)
    assert names(of.paired(next_round(of)), 1) == [("B1",), ("B2", "A1")]


def test_a_match_is_forfeited_only_if_all_its_games_are() -> None:
    of = event(2, boards=2).lined_up(Lineup(1, "B", (4, 0)))
    of = of.paired(next_round(of)).with_result(1, 1, (WIN, LOSS))
    assert [game.is_forfeit for game in as_players(of).rounds[0].pairings] == [False]
    of = of.with_result(1, 1, (WIN, LOSS), is_forfeit=True)
    assert [game.is_forfeit for game in as_players(of).rounds[0].pairings] == [True]


def test_the_strength_of_a_team_is_that_of_its_first_boards() -> None:
    of = Tournament("League", Format.SWISS, "chess", boards=3)
    for number, (team, rating) in enumerate([*zip("AAAA", (2200, 0, 1800, 1000), strict=True), ("B", 0)]):
        of = of.entered(Player(0, f"P{number}", rating, team=team))
    assert [(team.name, team.rating) for team in as_players(of).players] == [("A", 2000), ("B", 0)]


def test_tie_breaks_of_teams_count_match_points() -> None:
    of = event(4, Format.ROUND_ROBIN, ties=("buchholz", "sonneborn-berger", "direct-encounter"))
    of = played_on(of, the_better_team_wins(of), 3)
    assert [
        (line.player.name, line.points, tuple(map(int, line.tie_breaks))) for line in team_standings(of)
    ] == [
        ("A", 6, (6, 12, 0)),
        ("B", 4, (8, 4, 0)),
        ("C", 2, (10, 0, 0)),
        ("D", 0, (12, 0, 0)),
    ]
    assert [line.points for line in team_standings(of, rounds=1)] == [2, 2, 0, 0]
    assert sum(board_points(of, rounds=1).values()) == 8


def test_a_drawn_match_of_a_knockout_needs_a_decision() -> None:
    of = event(2, Format.KNOCKOUT)
    of = with_results(of.paired(next_round(of)), (WIN, LOSS), (WIN, LOSS))
    with pytest.raises(TournamentError, match="needs a winner at table 1"):
        next_round(of)


def test_a_player_without_a_team_cannot_enter_and_a_reserve_can_come_late() -> None:
    of = event(2, Format.ROUND_ROBIN)
    with pytest.raises(TournamentError, match="Nobody needs a team"):
        of.entered(Player(0, "Nobody"))
    of = of.paired(next_round(of))
    assert of.entered(Player(0, "A4", team="A")).player(7).joined == 2
    with pytest.raises(TournamentError, match="nobody can join"):
        of.entered(Player(0, "C1", team="C"))

# SPDX-License-Identifier: Apache-2.0
"""Standings, computed by hand from the articles of the federation's regulations.

The examples have three rounds of a few players.
"""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import TournamentError
from companion.tournament.elo import expected as expectation
from companion.tournament.elo import perfect_performance
from companion.tournament.tie_breaks import OF_RATINGS, TIE_BREAKS
from companion.tournament.ties import check_rated, standings
from companion.tournament.values import (
    DRAW,
    LOSS,
    WIN,
    Bye,
    Format,
    Pairing,
    Player,
    Round,
    Tournament,
    places,
)

WON, DREW, LOST = (WIN, LOSS), (DRAW, DRAW), (LOSS, WIN)


def tournament(*rounds: Round, players: int = 4, kind: Format = Format.SWISS) -> Tournament:
    names = tuple(Player(number, f"P{number}", 2400 - 200 * number) for number in range(1, players + 1))
    return Tournament("T", kind, "chess", players=names, rounds=rounds)


def game(
    first: int, second: int, points: tuple[int, int], *, is_forfeit: bool = False, table: int = 1
) -> Pairing:
    return Pairing(table, (first, second), points, is_forfeit=is_forfeit)


def values(of: Tournament, name: str) -> list[float]:
    """The values of the tie-break *name*, by number."""
    lines = standings(replace(of, tie_breaks=(name,)))
    return [float(line.tie_breaks[0]) for line in sorted(lines, key=lambda line: line.player.number)]


FORFEITED = tournament(
    Round(1, (game(1, 2, WON), game(3, 4, DREW))),
    Round(2, (game(1, 3, WON, is_forfeit=True), game(2, 4, WON))),
    Round(3, (game(1, 4, WON),), ((2, Bye.ALLOCATED), (3, Bye.ZERO))),
)
"""The third player misses the second round and is excused from the last."""

EXCUSED = tournament(
    Round(1, (game(1, 2, WON), game(3, 4, DREW))),
    Round(2, (game(1, 3, DREW), game(2, 4, WON))),
    Round(3, (game(1, 4, WON),), ((2, Bye.ALLOCATED), (3, Bye.HALF))),
)

PAUSED = tournament(
    Round(1, (game(1, 4, WON), game(2, 3, WON)), ((5, Bye.ALLOCATED),)),
    Round(2, (game(2, 4, WON), game(3, 5, WON)), ((1, Bye.HALF),)),
    Round(3, (game(1, 2, DREW), game(3, 4, WON)), ((5, Bye.ZERO),)),
    players=5,
)


@pytest.mark.parametrize(
    ("of", "name", "expected"),
    [
        (FORFEITED, "buchholz", [3.5, 5, 1.5, 6]),
        (FORFEITED, "buchholz-cut-1", [3, 4.5, 1, 5]),
        (FORFEITED, "sonneborn-berger", [3.5, 2, 0.25, 0.5]),
        (EXCUSED, "buchholz", [4, 4.5, 4.5, 6]),
        (EXCUSED, "buchholz-cut-1", [3.5, 4, 3, 4.5]),
        (EXCUSED, "sonneborn-berger", [3.25, 2, 2.25, 0.75]),
        (PAUSED, "buchholz", [4, 4, 4, 6.5, 4]),
        (PAUSED, "buchholz-cut-1", [2.5, 4, 4, 4.5, 3]),
        (FORFEITED, "wins", [3, 2, 0, 0]),
        (FORFEITED, "progressive", [6, 3, 1.5, 1.5]),
        (FORFEITED, "second-player", [0, 1, 0, 3]),
        (EXCUSED, "average-rating", [1800, 1900, 1900, 2000]),
    ],
)
def test_a_tie_break_matches_the_articles(of: Tournament, name: str, expected: list[float]) -> None:
    assert values(of, name) == expected


def test_a_forfeit_counts_as_a_game_and_a_bye_as_nothing_in_a_round_robin() -> None:
    of = tournament(
        Round(1, (game(1, 2, WON), game(3, 4, DREW))),
        Round(2, (game(1, 3, LOST, is_forfeit=True), game(2, 4, WON))),
        Round(3, (game(1, 4, WON), game(2, 3, WON))),
        kind=Format.ROUND_ROBIN,
    )
    assert values(of, "buchholz") == [4, 4, 4.5, 5.5]
    assert values(of, "sonneborn-berger") == [2.5, 2, 2.25, 0.75]


def test_direct_encounter_ranks_those_who_have_all_met() -> None:
    of = tournament(
        Round(1, (game(1, 4, LOST), game(2, 3, LOST))),
        Round(2, (game(4, 3, LOST), game(1, 2, WON))),
        Round(3, (game(2, 4, WON), game(3, 1, LOST))),
        kind=Format.ROUND_ROBIN,
    )
    # 1 and 3 have two wins each and 1 has beaten 3; 2 and 4 have one each and 2 has beaten 4
    lines = standings(replace(of, tie_breaks=("direct-encounter",)))
    assert [(line.rank, line.player.number) for line in lines] == [(1, 1), (2, 3), (3, 2), (4, 4)]


def test_direct_encounter_does_not_separate_players_who_have_not_met_and_could_still_lead() -> None:
    of = tournament(Round(1, (game(1, 2, WON), game(3, 4, WON))))
    lines = standings(replace(of, tie_breaks=("direct-encounter",)))
    assert [line.rank for line in lines] == [1, 1, 3, 3]


def test_several_at_a_table_are_each_others_opponents() -> None:
    of = replace(
        tournament(Round(1, (Pairing(1, (1, 2, 3, 4), places(((2,), (0, 1), (3,)))),))),
        seats=4,
    )
    assert [line.player.number for line in standings(of)] == [3, 1, 2, 4]
    assert values(of, "buchholz") == [4.5, 4.5, 3, 6]
    assert values(of, "wins") == [0, 0, 1, 0]


@given(st.permutations(range(5)), st.lists(st.booleans(), min_size=4, max_size=4))
def test_points_for_places_sum_to_the_number_of_pairs(order: list[int], joins: list[bool]) -> None:
    ranking: list[tuple[int, ...]] = [(order[0],)]
    for seat, is_beside in zip(order[1:], joins, strict=True):
        ranking = [*ranking[:-1], (*ranking[-1], seat)] if is_beside else [*ranking, (seat,)]
    points = places(tuple(ranking))
    assert sum(points) == WIN * 10
    assert [points[seat] for seat in order] == sorted(points, reverse=True)


def test_standings_of_an_earlier_round_are_available() -> None:
    assert [line.points for line in standings(PAUSED, rounds=1)] == [WIN, WIN, WIN, LOSS, LOSS]


def test_players_equal_in_every_tie_break_share_a_rank() -> None:
    of = tournament(Round(1, (game(1, 2, DREW), game(3, 4, DREW))))
    assert {line.rank for line in standings(replace(of, tie_breaks=tuple(TIE_BREAKS)[2:4]))} == {1}


def test_an_error_names_an_unknown_tie_break() -> None:
    with pytest.raises(TournamentError, match="'luck'; known are direct-encounter"):
        standings(replace(PAUSED, tie_breaks=("luck",)))


def test_the_values_of_tie_breaks_are_exact() -> None:
    lines = standings(replace(FORFEITED, tie_breaks=("sonneborn-berger",)))
    assert {type(line.tie_breaks[0]) for line in lines} == {Fraction}


LEFT = tournament(
    Round(1, (game(1, 2, WON), game(3, 4, WON))),
    Round(2, (game(1, 3, WON),), ((2, Bye.ZERO), (4, Bye.HALF))),
    Round(3, (game(1, 4, WON, is_forfeit=True), game(3, 2, WON))),
)
"""The fourth player has a bye, and only misses a game afterwards."""

PENDING = tournament(
    Round(1, (game(1, 2, WON), game(3, 4, WON))),
    Round(2, (game(1, 3, WON), game(2, 4, DREW))),
    Round(3, (Pairing(1, (1, 4)), Pairing(2, (2, 3)))),
)


@pytest.mark.parametrize(
    ("of", "name", "expected"),
    [
        (PAUSED, "buchholz-cut-2", [2.5, 2, 2.5, 2.5, 2]),
        (PAUSED, "buchholz-median-1", [0, 2, 1.5, 2, 1]),
        (PENDING, "fore-buchholz", [3.5, 5, 4.5, 5]),
        (EXCUSED, "games-won", [2, 1, 0, 0]),
        (EXCUSED, "second-player-won", [0, 0, 0, 0]),
        (FORFEITED, "games-won", [2, 1, 0, 0]),
        (FORFEITED, "chosen-rounds", [3, 3, 1, 3]),
        (FORFEITED, "progressive-cut-1", [5, 3, 1, 1]),
        (EXCUSED, "average-rating-cut-1", [1900, 2200, 2200, 2100]),
        (EXCUSED, "performance", [1800 + 273, 1900, 1900, 2000 - 273]),
    ],
)
def test_further_tie_breaks_match_the_articles(of: Tournament, name: str, expected: list[float]) -> None:
    assert values(of, name) == expected


def test_a_bye_that_only_a_missed_game_follows_counts_as_a_draw_for_opponents() -> None:
    """Article 16.3.2; a game follows the bye of player 2."""
    three = [float(line.tie_breaks[0]) for line in standings(replace(LEFT, tie_breaks=("buchholz",)))]
    assert values(LEFT, "buchholz")[2] == 3 + 0.5 + 0, three
    missed = replace(
        LEFT,
        rounds=(LEFT.rounds[0], replace(LEFT.rounds[1], byes=((2, Bye.ZERO), (4, Bye.ZERO))), LEFT.rounds[2]),
    )
    assert values(missed, "buchholz")[2] == 3 + 0.5 + 0, "a zero, too"


def test_koya_counts_points_against_those_with_half_of_the_points() -> None:
    of = tournament(
        Round(1, (game(1, 4, WON), game(2, 3, DREW))),
        Round(2, (game(4, 3, LOST), game(1, 2, DREW))),
        Round(3, (game(2, 4, WON), game(3, 1, LOST))),
        kind=Format.ROUND_ROBIN,
    )
    assert values(of, "koya") == [1.5, 1, 0.5, 0], "1, 2 and 3 have 2.5, 2 and 1.5 of 3 points"


@pytest.mark.parametrize(
    ("score", "opponents", "expected"),
    [
        (Fraction(0), [1800, 2000], 1000),
        (Fraction(2), [1800, 2000], 2736),
        (Fraction(1), [1800, 2000], 1899),
        (Fraction(3, 2), [2000], 2736),
        (Fraction(), [], 0),
    ],
)
def test_the_perfect_performance_is_the_lowest_rating_that_expects_the_score(
    score: Fraction, opponents: list[int], expected: int
) -> None:
    wanted = min(score, Fraction(len(opponents)))
    found = perfect_performance(wanted, opponents)
    assert found == expected
    if wanted:
        below, above = (
            sum((expectation(rating, each) for each in opponents), Fraction())
            for rating in (found - 1, found)
        )
        assert below < wanted <= above


@pytest.mark.parametrize("name", sorted(OF_RATINGS))
def test_a_tie_break_of_ratings_needs_one_of_each_player(name: str) -> None:
    of = replace(tournament(), tie_breaks=("buchholz", name))
    check_rated(of)
    late = replace(of, players=(*of.players, Player(5, "Zoe")))
    with pytest.raises(TournamentError, match="needs a rating of each player: enter an estimate for Zoe"):
        check_rated(late)
    check_rated(replace(late, tie_breaks=("buchholz",)))
    check_rated(replace(of, players=(*of.players, Player(5, "Zoe", left=2))))

# SPDX-License-Identifier: Apache-2.0
"""Baku acceleration (C.04.5.1): who has virtual points, and in which rounds."""

from dataclasses import replace

import pytest

from companion.model.errors import TournamentError
from companion.tournament.acceleration import virtual_points
from companion.tournament.acts import Opened
from companion.tournament.book import Book, written
from companion.tournament.pairing import next_round
from companion.tournament.trf import write_trf
from companion.tournament.values import DRAW, WIN, Acceleration, Format, Player
from tests.tournament.test_pairing import by_chance, played_on, tournament

BAKU = Acceleration.BAKU


@pytest.mark.parametrize(("players", "upper"), [(8, 4), (9, 6), (10, 6), (12, 6), (13, 8), (3, 2)])
def test_the_upper_half_has_an_even_number_of_players(players: int, upper: int) -> None:
    of = replace(tournament(players, rounds=9), acceleration=BAKU)
    assert virtual_points(of)[0] == frozenset(range(1, upper + 1))


@pytest.mark.parametrize(
    ("rounds", "points"),
    [(9, (WIN, WIN, WIN, DRAW, DRAW)), (7, (WIN, WIN, DRAW, DRAW)), (5, (WIN, WIN, DRAW)), (2, (WIN,))],
)
def test_the_first_half_of_the_rounds_is_accelerated(rounds: int, points: tuple[int, ...]) -> None:
    assert virtual_points(replace(tournament(8, rounds=rounds), acceleration=BAKU))[1] == points


def test_a_late_entry_belongs_to_the_half_of_its_strength() -> None:
    of = played_on(replace(tournament(8, rounds=7), acceleration=BAKU), by_chance(1), 1)
    of = of.entered(Player(0, "Strong", 2900)).entered(Player(0, "Weak", 100))
    assert virtual_points(of)[0] == {1, 2, 3, 4, 9}


def test_only_the_upper_half_meets_itself_in_the_first_round() -> None:
    of = replace(tournament(8, rounds=7), acceleration=BAKU)
    assert {frozenset(pairing.players) for pairing in next_round(of).pairings} == {
        frozenset(pair) for pair in ((1, 3), (2, 4), (5, 7), (6, 8))
    }


def test_the_report_has_the_virtual_points_and_the_system() -> None:
    lines = write_trf(replace(tournament(10, rounds=9), acceleration=BAKU)).splitlines()
    assert "192 FIDE_DUTCH_BAKU" in lines
    assert [line for line in lines if line.startswith("250")] == [
        "250       1.0   1   3    1    6",
        "250       0.5   4   5    1    6",
    ]


@pytest.mark.parametrize(
    "wrong", [{"planned": 0}, {"format": Format.ROUND_ROBIN}, {"boards": 4}, {"seats": 4}]
)
def test_acceleration_needs_a_swiss_of_players_and_its_number_of_rounds(wrong: dict[str, object]) -> None:
    opened = Opened("open", "Open", Format.SWISS, "chess", planned=9, acceleration=BAKU)
    assert written(Book(), opened).of("open").tournament.acceleration is BAKU
    with pytest.raises(TournamentError, match="Open: rounds are accelerated in a Swiss system of players"):
        written(Book(), replace(opened, **wrong))  # type: ignore[arg-type]  # fields by name

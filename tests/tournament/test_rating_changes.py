# SPDX-License-Identifier: Apache-2.0
"""Elo after the evening, computed by hand from the federation's tables."""

from __future__ import annotations

import csv
import io
from dataclasses import replace
from fractions import Fraction

import pytest

from companion.model.errors import TournamentError
from companion.tournament.event import Event
from companion.tournament.rating_changes import COLUMNS, rating_changes, write_changes
from companion.tournament.values import DRAW, LOSS, WIN, Bye, Format, Pairing, Player, Round, Tournament

PLAYERS = (
    Player(1, "Ana", 2000),
    Player(2, "Ben", 1900, born="2012/05/01"),
    Player(3, "Cleo", 2450),
    Player(4, "Dan"),
)
EVENING = Tournament(
    "Club",
    Format.SWISS,
    "chess",
    players=PLAYERS,
    rounds=(
        Round(1, (Pairing(1, (1, 2), (WIN, LOSS)), Pairing(2, (3, 4), (DRAW, DRAW)))),
        Round(2, (Pairing(1, (3, 1), (DRAW, DRAW)), Pairing(2, (4, 2), (WIN, LOSS)))),
        Round(3, (Pairing(1, (2, 3), (WIN, LOSS), is_forfeit=True),), ((1, Bye.HALF), (4, Bye.FULL))),
    ),
    event=Event(starts="2026/11/23"),
)


def test_performance_and_change_are_those_of_the_federation() -> None:
    ana, ben, cleo, dan = rating_changes(EVENING)
    # Ana: beats 1900 (0.64 expected), draws with 2450, counted as 2400 (0.08): 20 × (0.36 + 0.42)
    assert (ana.games, ana.score, ana.change, ana.new) == (2, Fraction(3, 2), Fraction("15.6"), 2016)
    assert ana.performance == 2175 + 193
    # Ben is 14: K 40; he lost to 2000, the game against Dan, who has no rating, does not count
    assert (ben.games, ben.k, ben.change) == (1, 40, 40 * Fraction("-0.36"))
    # Cleo's K is 10; the forfeit is no game: 10 × (0.5 − 0.92)
    assert (cleo.games, cleo.change, cleo.new) == (1, Fraction("-4.2"), 2446)
    # Dan has no rating: a draw with 2450 and a win over 1900
    assert (dan.games, dan.change, dan.performance, dan.new) == (2, Fraction(), 2368, 2368)


def test_the_table_is_for_spreadsheets() -> None:
    rows = list(csv.reader(io.StringIO(write_changes(EVENING).removeprefix("\ufeff"))))
    assert tuple(rows[0]) == COLUMNS
    assert rows[1] == ["Ana", "2000", "2", "1.5", "2368", "20", "+15.6", "2016"]
    assert rows[4] == ["Dan", "", "2", "1.5", "2368", "", "", "2368"]


def test_other_games_have_no_elo() -> None:
    with pytest.raises(TournamentError, match="Elo is the rating of chess only"):
        rating_changes(replace(EVENING, game="gottaz"))


def test_nobody_has_played() -> None:
    before = replace(EVENING, rounds=())
    assert [(each.games, each.performance, each.change) for each in rating_changes(before)] == [
        (0, 0, Fraction())
    ] * 4

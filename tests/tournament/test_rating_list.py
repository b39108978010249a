# SPDX-License-Identifier: Apache-2.0
"""Players looked up in the federation's list and in tables of other lists."""

from __future__ import annotations

import pytest

from companion.model.errors import TournamentError
from companion.tournament.rating_list import looked_up
from companion.tournament.values import Player

HEAD = (
    f"{'ID Number':<15}{'Name':<61}{'Fed':<4}{'Sex':<4}{'Tit':<5}{'WTit':<5}{'OTit':<15}{'FOA':<4}"
    f"{'SRtng':<6}{'SGm':<4}{'SK':<3}{'B-day':<6}{'Flag':<5}"
)


def row(
    number: int, name: str, rating: int, *, federation: str = "SUI", title: str = "", sex: str = "M"
) -> str:
    return (
        f"{number:<15}{name:<61}{federation:<4}{sex:<4}{title:<5}{'':<5}{'':<15}{'':<4}"
        f"{rating or '':<6}{'0':<4}{'20':<3}{'1990':<6}{'':<5}\n"
    )


LIST = [
    f"{HEAD}\n",
    row(100, "Müller, Jörg", 2210, title="FM"),
    row(101, "Sudac, Ana", 1850, federation="CRO", sex="F"),
    row(102, "Sudac, Ana", 1500, federation="SLO", sex="F"),
    row(103, "Beginner, Ben", 0),
]


def test_players_are_found_by_id_or_name_and_what_they_entered_stays() -> None:
    players = (
        Player(1, "Jörg Müller"),
        Player(2, "MÜLLER, Jörg", 1000, federation="GER"),
        Player(3, "Sudac, Ana"),
        Player(4, "Ana S.", licence="101"),
        Player(5, "Beginner, Ben", 1200),
        Player(6, "Sudac, Ana", licence="999"),
    )
    found = looked_up(players, enumerate(LIST, 1))
    assert found.missing == ("Sudac, Ana",), "the last one has an unknown id"
    assert found.players[0].licence == "100"
    assert found.ambiguous == ("Sudac, Ana",)
    assert found.players[1] == Player(2, "MÜLLER, Jörg", 2210, "FM", "GER", "100", "1990", "m")
    assert found.players[3] == Player(4, "Ana S.", 1850, "", "CRO", "101", "1990", "w")
    assert found.players[4] == Player(5, "Beginner, Ben", 1200, "", "SUI", "103", "1990", "m")


def test_a_national_list_is_a_table() -> None:
    table = ["Name;DWZ;ID\n", "Müller, Jörg;2100;4711\n"]
    found = looked_up((Player(1, "Müller, Jörg"),), enumerate(table, 1))
    assert found.players == (Player(1, "Müller, Jörg", 2100, licence="4711"),)


def test_lines_and_columns_that_are_damaged_are_named_and_the_others_are_read() -> None:
    ana = (Player(1, "Müller, Jörg"), Player(2, "Sudac, Ana", licence="101"))
    found = looked_up(ana, enumerate([*LIST, "cut\n"], 1))
    assert [player.rating for player in found.players] == [2210, 1850]
    assert found.notes() == ("in the rating list, line 6: it is not understood, and is left out: 'cut'",)
    found = looked_up(ana, enumerate([HEAD.replace("B-day", "     "), *LIST[1:]], 1))
    assert [(player.rating, player.born) for player in found.players] == [(2210, ""), (1850, "")]
    assert found.notes() == ("in the rating list, line 1: it lacks the columns B-day",)
    found = looked_up(ana, enumerate(["name;rating\n", "Jörg Müller;strong\n", "Nobody;x;y\n"], 1))
    assert found.players == ana
    assert "in the rating list, line 2: 'strong' in the column `rating` is left out" in found.notes()


@pytest.mark.parametrize("lines", [[], ["ID Number      Nam\n", "1 Ana\n"]])
def test_what_is_no_rating_list_is_refused(lines: list[str]) -> None:
    with pytest.raises(TournamentError, match="first line"):
        looked_up((Player(1, "Ana"),), enumerate(lines, 1))


def test_only_the_first_damaged_lines_are_named_and_the_others_counted() -> None:
    found = looked_up((Player(1, "Müller, Jörg"),), enumerate([*LIST, *["cut\n"] * 23], 1))
    assert found.players[0].rating == 2210
    assert [note.line for note in found.left_out] == [*range(6, 26), 0]
    assert found.notes()[-1] == "in the rating list: 3 more lines are not understood, and are left out"


def test_a_wanted_player_in_a_line_whose_cells_have_moved_gets_nothing_from_it() -> None:
    wide = LIST[1].replace(f"FM{' ' * 23}", "FM   LSI,FI,SI,SLI,NA,DI")
    found = looked_up((Player(1, "Müller, Jörg", 1000),), enumerate([LIST[0], wide], 1))
    assert found.players == (Player(1, "Müller, Jörg", 1000),)
    assert found.missing == ()
    assert [note.line for note in found.left_out] == [2]


def test_only_the_lines_of_the_players_are_needed_and_a_fault_names_the_line_of_the_whole_list() -> None:
    players = (Player(1, "Müller, Jörg"), Player(2, "Sudac, Ana"), Player(3, "Nobody"))
    some = [(1, LIST[0]), (2, LIST[1]), (3, LIST[2]), (4, LIST[3])]
    found = looked_up(players, some)
    assert found.players[0].rating == 2210
    assert found.notes() == (
        "not in the rating list: Nobody",
        "several in the rating list, whom an id in the column `licence` tells apart: Sudac, Ana",
    )
    found = looked_up(players, [(1, LIST[0]), (814_000, "cut")])
    assert (
        found.notes()[-1] == "in the rating list, line 814000: it is not understood, and is left out: 'cut'"
    )

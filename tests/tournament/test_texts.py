# SPDX-License-Identifier: Apache-2.0
"""Lists of players and reports for federations: written, read back, and refused with the line that is wrong."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion.model.errors import TournamentError
from companion.tournament.pairing import next_round
from companion.tournament.roster import read_roster, write_roster
from companion.tournament.trf import read_trf, write_trf
from companion.tournament.values import LOSS, WIN, Bye, Format, Player, Tournament, points_of
from tests.tournament.test_pairing import by_chance, played_on, the_better_wins, tournament

NAMES = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
PLAYERS = st.builds(
    Player,
    number=st.just(0),
    name=NAMES,
    rating=st.integers(0, 2900),
    title=st.sampled_from(["", "GM", "WFM"]),
    federation=st.sampled_from(["", "CRO", "JPN"]),
    licence=st.sampled_from(["", "14512345"]),
    born=st.sampled_from(["", "1990", "1990/05/01"]),
    sex=st.sampled_from(["", "m", "w"]),
)


@given(st.lists(PLAYERS, max_size=6))
def test_a_list_that_was_written_is_read_back(players: list[Player]) -> None:
    numbered = tuple(replace(player, number=number) for number, player in enumerate(players, 1))
    assert read_roster(write_roster(numbered)) == numbered


def test_a_list_of_another_program_is_understood() -> None:
    text = "\ufeffName;Elo;FED;Club;Remark\nDuck, Donald;1712;USA;Duckburg;late\n\nMouse, Minnie;;;;\n"
    assert read_roster(text) == (
        Player(1, "Duck, Donald", 1712, federation="USA", team="Duckburg"),
        Player(2, "Mouse, Minnie"),
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "first line must name its columns"),
        ("Donald,1712\n", "first line must name its columns"),
        ("name,rating\nDonald,strong\n", "line 2 of the list: the rating 'strong' is no number"),
        ("name,rating\nDonald,1\n,2\n", "line 3 of the list has no name"),
    ],
)
def test_a_list_that_cannot_be_read_says_where(text: str, reason: str) -> None:
    with pytest.raises(TournamentError, match=reason):
        read_roster(text)


def shape(of: Tournament) -> list[tuple[set[object], set[object]]]:
    """What a report keeps of the rounds: not which table was which."""
    return [
        (
            {(pairing.players, pairing.points, pairing.is_forfeit) for pairing in each.pairings},
            set(each.byes),
        )
        for each in of.rounds
    ]


@settings(max_examples=20)
@given(st.lists(PLAYERS, min_size=6, max_size=9), st.integers(0, 999))
def test_a_report_that_was_written_is_read_back(players: list[Player], seed: int) -> None:
    of = Tournament("Open", Format.SWISS, "chess", planned=3)
    for player in players:
        of = of.entered(player)
    of = played_on(of, by_chance(seed), 1).excused(1, 2, Bye.HALF)
    of = played_on(of, by_chance(seed), 1)
    of = of.paired(next_round(of))
    for pairing in of.rounds[-1].pairings:
        of = of.with_result(3, pairing.table, (WIN, LOSS), is_forfeit=True)
    back = read_trf(write_trf(of))
    assert [replace(player, excused=()) for player in of.players] == list(back.players)
    assert shape(back) == shape(of)
    assert points_of(back) == points_of(of)


def test_a_report_has_the_columns_of_the_federation() -> None:
    of = played_on(tournament(4, rounds=1), the_better_wins, 1)
    line = next(line for line in write_trf(of).splitlines() if line.startswith("001    1"))
    assert line[14:16] == "P1"
    assert line[48:52] == "1999"
    assert line[80:84] == " 1.0"
    assert line[91:99] == "   3 w 1"


def test_a_report_is_of_two_at_a_table() -> None:
    of = played_on(tournament(4, seats=4), the_better_wins, 1)
    with pytest.raises(TournamentError, match="knows two players at a table"):
        write_trf(of)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("   3 w 1", "   3 w ?"), "line 5 of the report"),
        (("   3 w 1", "   4 w 1"), "tell different things"),
        (("001    4", "001    7"), "do not run from 1"),
    ],
)
def test_a_report_that_contradicts_itself_says_where(change: tuple[str, str], reason: str) -> None:
    text = write_trf(played_on(tournament(4, rounds=1), the_better_wins, 1))
    assert change[0] in text
    with pytest.raises(TournamentError, match=reason):
        read_trf(text.replace(*change))


def test_a_report_without_players_is_refused() -> None:
    with pytest.raises(TournamentError, match="names no players"):
        read_trf("012 Open\n")

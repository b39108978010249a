# SPDX-License-Identifier: Apache-2.0
"""Reports with a bad part: it is named, and all else is read."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.tournament.trf import write_trf
from companion.tournament.trf_left_out import follow_on, left_out
from companion.tournament.trf_reader import is_trf, read_trf
from companion.tournament.values import DRAW, LOSS, WIN, Bye, Format, Pairing, Player, Tournament
from tests.tournament.test_pairing import by_chance, played_on
from tests.tournament.trf_dialects import DIALECTS, PLAYERS, ROUNDS, report

FOUR = """012 Open
092 Individual: Swiss-System
XXR 5
001    1      Doe, Jane                         2000                             1.0          2 w 1
001    2      Roe, Rob                          1950                             0.0          1 b 0
001    3      Poe, Pat                          1900                             0.5          4 w =
001    4      Loe, Lou                          1850                             0.5          3 b =
"""
GAMES = {Pairing(1, (1, 2), (WIN, LOSS)), Pairing(2, (3, 4), (DRAW, DRAW))}


def notes(text: str) -> list[str]:
    """The notes of the report *text*."""
    return [str(note.sentence()) for note in read_trf(text).notes]


def changed(*changes: tuple[str, str]) -> str:
    """`FOUR` with *changes*."""
    text = FOUR
    for before, after in changes:
        assert text.count(before) == 1, before
        text = text.replace(before, after)
    return text


def test_the_sound_report_has_no_notes() -> None:
    assert notes(FOUR) == []
    assert set(read_trf(FOUR).value.rounds[0].pairings) == GAMES


@pytest.mark.parametrize("name", DIALECTS)
def test_all_programs_tell_the_same_tournament(name: str) -> None:
    dialect = DIALECTS[name]
    found = read_trf(report(dialect)).value
    told: tuple[Player, ...] = PLAYERS
    if dialect.is_bare:
        told = tuple(Player(player.number, player.name, player.rating) for player in PLAYERS)
    if not dialect.sexes:
        told = tuple(replace(player, sex="") for player in told)
    assert found.players == told
    assert follow_on(Tournament("Here", Format.SWISS, "chess", players=told), found) == found.rounds
    for was, now in zip(ROUNDS, found.rounds, strict=True):
        assert set(now.byes) == set(was.byes)
        assert {seats(each) for each in now.pairings} == {seats(each) for each in was.pairings}
        if dialect.has_colours:
            assert {replace(each, table=0) for each in now.pairings} == {
                replace(each, table=0) for each in was.pairings
            }


def seats(of: Pairing) -> frozenset[tuple[int, int, bool]]:
    """Who got what at a table, without the colours."""
    assert of.points is not None
    return frozenset((number, of.of(number), of.is_forfeit) for number in of.players)


@pytest.mark.parametrize(
    ("head", "field"),
    [
        *(
            (f"001    1 {sign}", "title")
            for sign in (" AGM", "  NM", " AIM", "  WH", "   K", "   -", "  2N", "   I")
        ),
        ("001    1 x   ", "sex"),
        ("001    1 -   ", "sex"),
    ],
)
def test_a_player_comes_without_a_title_or_sex_that_is_not_known(head: str, field: str) -> None:
    text = changed(("001    1     ", head))
    found = read_trf(text)
    assert found.value.players == read_trf(FOUR).value.players
    assert found.value.rounds == read_trf(FOUR).value.rounds
    (note,) = notes(text)
    assert note.startswith(f"line 4: Doe, Jane comes without {field}: ")


@pytest.mark.parametrize(
    ("born", "year", "is_noted"),
    [
        *(("0000/00/00", "", False), ("0000      ", "", False), ("1990/00/00", "1990", False)),
        *(
            ("1990.05.01", "1990/05/01", False),
            ("01.05.1990", "1990/05/01", False),
            ("1990      ", "1990", False),
        ),
        *(("90/05/01  ", "", True), ("1990/13/01", "", True), ("unknown   ", "", True)),
    ],
)
def test_a_date_of_birth_is_read_or_unknown(born: str, year: str, is_noted: bool) -> None:
    text = changed((f"2000{'':17}{'':10}  1.0", f"2000{'':17}{born}  1.0"))
    assert read_trf(text).value.players[0].born == year
    assert (notes(text) != []) is is_noted


def test_a_forfeit_without_colours_is_a_forfeit() -> None:
    text = changed(("2 w 1", "2 - +"), ("1 b 0", "1 - -"))
    assert Pairing(1, (1, 2), (WIN, LOSS), is_forfeit=True) in read_trf(text).value.rounds[0].pairings
    (note,) = notes(text)
    assert note.startswith("line 4: round 1: nothing tells the colours of Doe, Jane and Roe, Rob; ")
    one_told = changed(("2 w 1", "2 - +"), ("1 b 0", "1 b -"))
    assert notes(one_told) == []


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (("1 b 0", "1 w 0"), "Doe, Jane and Roe, Rob tell different things"),
        (("1 b 0", "1 b 1"), "Doe, Jane and Roe, Rob tell different things"),
        (("1 b 0", "1 b +"), "Doe, Jane and Roe, Rob tell different things"),
        (("2 w 1", "9 w 1"), "Doe, Jane names opponent 9, whom the report does not have"),
        (("2 w 1", "3 w 1"), "Doe, Jane and Poe, Pat tell different things"),
        (("2 w 1", "1 w 1"), "Doe, Jane names opponent 1, whom the report does not have"),
    ],
)
def test_a_contradiction_costs_the_round_and_is_named(change: tuple[str, str], what: str) -> None:
    text = changed(change)
    found = read_trf(text)
    assert any(note.startswith(f"line 4: round 1: {what}") for note in notes(text)), notes(text)
    assert found.value.players == read_trf(FOUR).value.players
    assert {frozenset(each.players) for each in found.value.rounds[0].pairings} == {frozenset({3, 4})}
    fresh = Tournament("Here", Format.SWISS, "chess", players=found.value.players)
    assert follow_on(fresh, found.value) == ()
    assert "line 4: round 1 of the report is not taken: there is no result of Doe, Jane" in [
        note.sentence() for note in left_out(fresh, found)
    ]


@pytest.mark.parametrize("entry", ["2 w ?", "2 w  ", "2 w Z", "     ", "x w 1", "2 w H"])
def test_what_one_player_does_not_tell_is_taken_from_the_other(entry: str) -> None:
    text = changed(("2 w 1", entry))
    assert set(read_trf(text).value.rounds[0].pairings) == GAMES
    assert "line 4: round 1 of Doe, Jane is taken from line 5, that of Roe, Rob" in notes(text)


@pytest.mark.parametrize(
    ("entry", "bye"),
    [
        *(("0000 - U", Bye.ALLOCATED), ("       U", Bye.ALLOCATED), ("0000 - u", Bye.ALLOCATED)),
        *(("0000 - F", Bye.FULL), ("0000 - +", Bye.FULL), ("0000 - 1", Bye.FULL)),
        *(("0000 - H", Bye.HALF), ("       H", Bye.HALF), ("0000 - =", Bye.HALF)),
        *(("0000 - Z", Bye.ZERO), ("       -", Bye.ZERO), ("0000 -  ", Bye.ZERO), ("        ", Bye.ZERO)),
    ],
)
def test_a_bye_is_read_in_every_form(entry: str, bye: Bye) -> None:
    text = f"{FOUR}001    5      Noe, Nel{'':24}  1800{'':28} 0.0       {entry}"
    assert read_trf(text).value.rounds[0].byes == ((5, bye),)


def test_a_game_under_way_has_no_result() -> None:
    for on in ("Z", " "):
        text = changed(("2 w 1", f"2 w {on}"), ("1 b 0", f"1 b {on}"))
        assert Pairing(1, (1, 2)) in read_trf(text).value.rounds[0].pairings


def test_unrated_games_count_and_are_named() -> None:
    text = changed(("2 w 1", "2 w W"), ("1 b 0", "1 b L"))
    assert set(read_trf(text).value.rounds[0].pairings) == GAMES
    (note,) = notes(text)
    assert note.startswith("line 4: round 1: the game of Doe, Jane and Roe, Rob is not rated there")


def test_both_lose_a_game_only_if_their_points_say_so() -> None:
    lost = changed(("1.0          2 w 1", "0.0          2 w 0"))
    assert Pairing(1, (1, 2), (LOSS, LOSS)) in read_trf(lost).value.rounds[0].pairings
    assert {
        frozenset(each.players) for each in read_trf(changed(("2 w 1", "2 w 0"))).value.rounds[0].pairings
    } == {frozenset({3, 4})}


def test_starting_numbers_may_have_gaps_or_occur_twice() -> None:
    gaps = FOUR.replace("001    2", "001   12").replace("  2 w 1", " 12 w 1")
    assert set(read_trf(gaps).value.rounds[0].pairings) == {
        Pairing(1, (1, 4), (WIN, LOSS)),
        Pairing(2, (2, 3), (DRAW, DRAW)),
    }
    assert notes(gaps) == [
        "starting numbers are missing, first 2, 5, 6, 7, 8: players are numbered without gaps here"
    ]
    twice = FOUR.replace("001    3", "001    1").replace("  3 b =", "  1 b =")
    found = read_trf(twice)
    assert [player.name for player in found.value.players] == [
        "Doe, Jane",
        "Poe, Pat",
        "Roe, Rob",
        "Loe, Lou",
    ]
    assert {each.players for each in found.value.rounds[0].pairings} == {(1, 3), (2, 4)}, (
        "each names the other"
    )
    assert "line 6: Poe, Pat has the starting number of Doe, Jane, and gets another here" in notes(twice)
    without = FOUR.replace("001    3", "001    x")
    assert set(read_trf(without).value.rounds[0].pairings) == GAMES
    assert notes(without)[0].startswith("line 6: Poe, Pat has no starting number; others name 3")


def test_rounds_are_not_taken_for_players_in_another_order() -> None:
    found = read_trf(FOUR)
    first, second, *others = found.value.players
    players = (replace(second, number=1), replace(first, number=2), *others)
    of = Tournament("Here", Format.SWISS, "chess", players=players)
    assert follow_on(of, found.value) == ()
    (note,) = left_out(of, found)
    assert note.sentence().endswith("is not taken: the players have entered in another order")


def test_points_that_do_not_fit_are_named() -> None:
    assert notes(changed((" 1.0  ", " 0.0  "))) == [
        "line 4: the points of Doe, Jane do not fit the results, which are taken"
    ]
    assert notes(changed((" 1.0  ", " 1,0  "))) == []
    assert notes(f"{changed((' 1.0  ', ' 3.0  '))}162  W 3.0    D 1.0\n") == [
        "line 8: the line (162) is left out: a game brings 1, ½ or 0 points here"
    ]


@pytest.mark.parametrize(
    "text",
    [
        changed(("Doe, Jane   ", "Doe, Jane    ")),
        changed(("Doe, Jane   ", "Doe, Jane  ")),
        changed(("Doe, Jane                         2000", "Doe, Jane\t2000")),
        changed(("001    1  ", "001     1  ")),
        changed(("001    1  ", "001   1  ")),
        changed(("001    1  ", " 001    1  ")),
        changed(("         2 w 1", "          2 w 1")),
    ],
)
def test_a_line_whose_columns_are_shifted_is_read(text: str) -> None:
    found = read_trf(text)
    assert found.value.players == read_trf(FOUR).value.players
    assert set(found.value.rounds[0].pairings) == GAMES
    assert [note.line for note in found.notes] == [4]


def test_a_long_name_may_shift_the_rest() -> None:
    name = "Doe, Jane Ottilie Maria Concepcion of Somewhere"
    text = changed((f"Doe, Jane{'':24} ", f"{name} "))
    assert (read_trf(text).value.players[0].name, read_trf(text).value.players[0].rating) == (name, 2000)
    assert set(read_trf(text).value.rounds[0].pairings) == GAMES


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_and_be_missing_as_programs_write_them(end: str) -> None:
    text = FOUR.replace("\n", end)
    assert is_trf(text)
    assert read_trf(f"{end}{text}{end}\x1a").value == read_trf(FOUR).value


def test_a_number_may_stand_at_the_left_and_a_blank_may_be_one_of_a_page() -> None:
    left = changed(("001    1  ", "001 1     "), ("001    2  ", "001 2    w"))
    assert read_trf(left).value.players[1].sex == "w"
    assert set(read_trf(left).value.rounds[0].pairings) == GAMES
    assert notes(left) == []
    assert read_trf(FOUR.replace("  ", " \u00a0")).value == read_trf(FOUR).value


def test_a_line_of_another_kind_costs_only_itself() -> None:
    text = f"{FOUR}001\n240 Q 2 1\n240 H 2 7 1\n@@@ what is this\n042 soon\n"
    assert notes(text) == [
        "line 8: the line (001) is left out: no such line is known here",
        "line 9: it is no bye: a letter F, H or Z, the round, and the players",
        "line 10: '7' is no player of the report",
        "line 11: the line (@@@) is left out: no such line is known here",
        "line 12: 'soon' is no date: write year, month and day as 2026/11/23",
    ]
    assert read_trf(text).value.players[0].excused == ((2, Bye.HALF),)


def test_the_report_keeps_the_lines_of_its_players() -> None:
    of = Tournament("Open", Format.SWISS, "chess", planned=3)
    for number in range(40):
        of = of.entered(Player(0, f"P{number}", 2500 - number))
    text = write_trf(played_on(of, by_chance(1), 2))
    assert read_trf(text).rows == tuple(
        row for row, line in enumerate(text.splitlines(), 1) if line[:3] == "001"
    )


def test_who_is_in_no_team_is_left_out_or_gets_one() -> None:
    teams = FOUR.replace("092 Individual: Swiss-System", "092 Team Swiss") + (
        f"001    5      Noe, Nel{'':24}  1800{'':28} 0.0\n"
        f"013 {'Alpha':32}   1\n013 {'Beta':32}   2\n013 {'Gamma':32}   3\n"
    )
    found = read_trf(teams).value
    assert [(player.name, player.team) for player in found.players] == [
        *(("Doe, Jane", "Alpha"), ("Roe, Rob", "Beta"), ("Poe, Pat", "Gamma"), ("Loe, Lou", "Loe, Lou"))
    ]
    assert found.boards == 1
    assert notes(teams) == [
        "line 7: Loe, Lou is in no team, and gets one of that name",
        "line 8: Noe, Nel is in no team and has no game, and is left out",
    ]

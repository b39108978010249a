# SPDX-License-Identifier: Apache-2.0
"""Lists of other programs: what is brought, left out and guessed."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from companion.model.errors import TournamentError
from companion.tournament.rating_list import looked_up, read_players
from companion.tournament.roster import read_roster
from companion.tournament.values import Player
from tests.tournament.list_writers import TABLES, fide, some_players


def told(text: str) -> tuple[str, ...]:
    """What is said about the list *text*."""
    return read_roster(text).sentences()


def with_only(players: Sequence[Player], columns: str) -> tuple[Player, ...]:
    """*players* as a list with these *columns* has them."""
    other = {"title", "federation", "licence", "born", "sex", "team"} - set(columns.split())
    return tuple(replace(player, **dict.fromkeys(other, "")) for player in players)  # type: ignore[arg-type]  # all are text


@pytest.mark.parametrize("form", TABLES)
def test_lists_of_programs_and_federations_are_brought(form: str) -> None:
    write, columns = TABLES[form]
    players = some_players(3)
    found = read_roster(write(players)).value
    if form in ("russia", "netherlands"):  # they tell the sex of women only
        found = tuple(replace(player, sex="") for player in found)
    assert found == with_only(players, columns)


def test_titles_without_a_head_and_columns_that_are_left_out_are_named() -> None:
    text = (
        "No.;;Name;FideID;FED;Rtg;Club/City\n1;GM;Doe, Jane;1000001;ENG;2100;Northtown\n2;;Roe, Rob;;eng;0;\n"
    )
    found = read_roster(text)
    assert found.value == (
        Player(1, "Doe, Jane", 2100, "GM", "ENG", "1000001", team="Northtown"),
        Player(2, "Roe, Rob", federation="ENG"),
    )
    assert found.sentences() == (
        "line 1: the column without a head is taken for the titles",
        "line 1: these columns are left out: No.",
    )


def test_an_international_rating_comes_before_a_national_one() -> None:
    found = read_roster("Name;RtgN;RtgI;ID\nDoe, Jane;2080;2100;7\nRoe, Rob;1500;0;8\n")
    assert [(player.rating, player.licence) for player in found.value] == [(2100, "7"), (1500, "8")]
    assert found.sentences() == (
        "line 1: the column 'ID' is taken for the FIDE id",
        "line 1: ratings are taken from the columns RtgI, RtgN, in this order",
    )


def test_a_list_without_ratings_is_brought_unless_another_list_has_them() -> None:
    assert told("name;team\nAna;A\n") == ("no column has ratings: nobody in the list has one",)
    players, notes = read_players("name\nDoe, Jane\n", enumerate(["name;DWZ", "Doe, Jane;1800"], 1))
    assert players == (Player(1, "Doe, Jane", 1800),)
    assert notes == ()


def test_a_second_column_of_dates_or_titles_is_for_those_who_lack_the_first() -> None:
    text = "Nachname;Vorname;Elo;Titel;WTit;Geburtsdatum;Jahrgang\nDoe;Jane;2100;;WIM;;1990\nRoe;Rob;1;FM;;1.5.1991;1991\n---;---;1;;;;\n"
    found = read_roster(text)
    assert [(player.title, player.born) for player in found.value] == [("WIM", "1990"), ("FM", "1991/05/01")]
    assert found.sentences() == ("line 4: it has no name, and is left out: '--- --- 1'",)


def test_what_is_above_the_heads_and_below_the_players_is_left_out() -> None:
    text = (
        '"Club; open"\n\nNachname\tVorname\tElo\t\t\nDoe\tJane\t2100\t\t\nGesamt: 1\t\t\t\t\n\t\t1800\t\t\n'
    )
    found = read_roster(f"\ufeff{text}\0")
    assert found.value == (Player(1, "Doe, Jane", 2100),)
    assert found.sentences() == (
        "line 1: 'Club; open' above the heads is left out",
        "line 5: it is no player, and is left out: 'Gesamt: 1'",
        "line 6: it has no name, and is left out: '1800'",
    )


def test_a_list_without_heads_is_known_by_its_content() -> None:
    found = read_roster("Duck, Donald;1712;USA\nMouse, Minnie;;USA\nDog, Pluto;1500;USA\n")
    assert found.value[0] == Player(1, "Duck, Donald", 1712, federation="USA")
    assert found.sentences() == (
        "line 1: no line names the columns; by their content they are: name, rating, federation",
    )
    assert [player.name for player in read_roster("Ana Sudac\nMüller, Jörg\n").value] == [
        "Ana Sudac",
        "Müller, Jörg",
    ]


@pytest.mark.parametrize(
    "text", ["", "Nothing of 1812 is here.\n\nAnd: nothing else.\n", "one\n", "team;rating\nA;1\n"]
)
def test_a_text_that_is_no_list_is_refused(text: str) -> None:
    with pytest.raises(TournamentError, match="first line must name its columns"):
        read_roster(text)


@pytest.mark.parametrize(
    ("cell", "rating", "is_told"),
    [
        ("1 850", 1850, False),
        ("1850,0", 1850, False),
        ("1.850", 1850, False),
        ("1850*", 1850, True),
        ("1850 (DWZ)", 1850, True),
        ("1850-12", 1850, True),
        ("-", 0, False),
        ("unr.", 0, False),
        ("18500", 0, True),
        ("strong", 0, True),
    ],
)
def test_ratings_are_read_as_people_write_them(cell: str, rating: int, *, is_told: bool) -> None:
    found = read_roster(f'name;rating\nAna;"{cell}"\n')
    assert found.value == (Player(1, "Ana", rating),)
    assert [note.line for note in found.notes] == [2] * is_told


@pytest.mark.parametrize(
    ("cell", "born"),
    [
        ("0000", ""),
        ("0000/00/00", ""),
        ("1990/00/00", "1990"),
        ("1990-05-01 00:00:00", "1990/05/01"),
        ("1.5.1990", "1990/05/01"),
        ("5/13/1990", "1990/05/13"),
    ],
)
def test_dates_of_birth_are_read_as_people_write_them(cell: str, born: str) -> None:
    found = read_roster(f"name;rating;born;sex\nAna;1;{cell};F\n")
    assert found.value == (Player(1, "Ana", 1, born=born, sex="w"),)
    assert found.notes == ()


def test_a_date_of_two_meanings_and_one_without_century_are_told() -> None:
    assert told("name;rating;born\nAna;1;3/4/1990\nBo;1;90\n") == (
        "line 2: '3/4/1990' in the column `born` is read as 1990",
        "line 3: '90' in the column `born` is left out",
    )


def test_cells_that_moved_to_other_columns_cost_the_row() -> None:
    text = "Name;FED;FideID;Born;Rtg\nDoe, Jane;ENG;1000001;1990;2100\nRoe, Rob;1000002;1991;1990\nPoe, Pam;;ENG;7;1990\n"
    found = read_roster(text)
    assert [player.name for player in found.value] == ["Doe, Jane"]
    assert [note.line for note in found.notes] == [3, 4]


def test_a_name_that_a_comma_has_split_is_put_together_and_a_quotation_mark_closed() -> None:
    found = read_roster('name,rating\nDoe, Jane,2100\n"Roe,1500\n"Poe, Pam",1400\n')
    assert [(player.name, player.rating) for player in found.value] == [
        ("Doe, Jane", 2100),
        ("Roe", 1500),
        ("Poe, Pam", 1400),
    ]
    assert found.sentences() == (
        "line 2: the name is put together from two cells: 'Doe, Jane'",
        "line 3: a quotation mark that is not closed is left out",
    )


def test_who_is_there_twice_is_entered_once() -> None:
    text = "name;rating;licence\nDoe;2100;7\nDoe;2100;7\nAna;1;\nAna;1;\nBo;;\nBo;;\nRoe;;7\n"
    found = read_roster(text)
    assert [player.name for player in found.value] == ["Doe", "Ana", "Bo", "Bo", "Roe"]
    assert found.sentences() == (
        "line 3: 'Doe' is the player of line 2, and is entered once",
        "line 5: 'Ana' is the player of line 4, and is entered once",
        "line 7: 'Bo' has the same name as the player of line 6; both are entered",
        "line 8: 'Roe' has the same id as the player of line 2",
    )


def damaged_cells(line: str, separator: str, chance: Random) -> str:
    """*line* with a damage that can be seen.

    Cells have moved, are cut off, or are text. Not seen are other digits and letters, and what is
    cut off from the last cell.
    """
    (cells,) = csv.reader([line], delimiter=separator)
    place = chance.randrange(len(cells))
    match chance.randrange(6):
        case 0:
            del cells[place]
        case 1:
            cells.insert(place, "")
        case 2:
            return line[: line.rindex(separator)][: chance.randrange(1, len(line))]
        case 3:
            return f'"{line}' if '"' not in line else line.replace('"', "", 1)
        case 4:
            return f"{line[:5]}\0\x1b{line[5:]}"
        case _:
            return "see the other sheet"
    out = io.StringIO()
    csv.writer(out, delimiter=separator, lineterminator="").writerow(cells)
    return out.getvalue()


def rounds(*, is_long: bool) -> int:
    """How many damaged lists of a form are tried."""
    return 300 if is_long else 30


@pytest.mark.parametrize("form", TABLES)
def test_a_damaged_line_of_a_table_costs_only_what_is_told(form: str, *, is_long: bool) -> None:
    for seed in range(rounds(is_long=is_long)):
        chance = Random(f"{form} {seed}")
        text = TABLES[form][0](some_players(seed))
        whole = read_roster(text).value
        lines = text.splitlines()
        at = chance.randrange(1, len(lines))
        lines[at] = damaged_cells(lines[at], max(";,", key=lines[0].count), chance)
        found = read_roster("\n".join(lines))
        others = [replace(player, number=0) for player in whole if player.number != at]
        brought = [replace(player, number=0) for player in found.value]
        is_told = any(note.line == at + 1 for note in found.notes)
        assert [each for each in brought if each in others] == others, (form, seed, lines[at])
        assert found.value == whole or is_told, (form, seed, lines[at], found.value[at - 1])


def damaged_line(line: str, chance: Random) -> str:
    """*line* of FIDE's list with a damage that can be seen.

    Letters and digits that are exchanged for others cannot.
    """
    place = chance.randrange(len(line) - 12)
    match chance.randrange(5):
        case 0:
            return line[:place] + line[place + 1 :]
        case 1:
            return line[:place] + chance.choice(["x", " ", "  "]) + line[place:]
        case 2:
            return line[:place]
        case 3:
            return f"{line[:94]}LSI,FI,SI,SLI,NA,DI{line[94:].lstrip()}"
        case _:
            return chance.choice(["", "see the other sheet", line[::-1]])


@pytest.mark.parametrize("is_combined", [False, True])
def test_a_damaged_line_of_the_federations_list_costs_only_its_player(
    *, is_combined: bool, is_long: bool
) -> None:
    for seed in range(rounds(is_long=is_long)):
        chance = Random(f"fide {is_combined} {seed}")
        players = some_players(seed)
        wanted = [Player(player.number, player.name) for player in players]
        lines = fide(players, is_combined=is_combined).splitlines()
        whole = looked_up(wanted, enumerate(lines, 1))
        assert whole.players == with_only(players, "title federation licence born sex")
        at = chance.randrange(1, len(lines))
        lines[at] = damaged_line(lines[at], chance)
        found = looked_up(wanted, enumerate(lines, 1))
        for player, before in zip(found.players, whole.players, strict=True):
            if player.number != at:
                assert player == before, (seed, lines[at])
            elif player != before:
                assert player == wanted[at - 1], (seed, lines[at])
                assert found.missing or any(note.line == at + 1 for note in found.left_out), (seed, lines[at])

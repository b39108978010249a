# SPDX-License-Identifier: Apache-2.0
"""Maps of Tank Chess: ours are valid; errors name file, rank and file letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from companion.games.tank_chess import GAME
from companion.games.tank_chess.maps import draw, find_map, from_line, load_map, read_map, to_line
from companion.model.errors import SettingsError

ROWS = ["4 . . c .", "3 . # . .", "2 . . . #", "1 . C L ."]


def text(rows: list[str] = ROWS, size: str = "[4, 4]", more: str = "") -> str:
    picture = "\n".join(rows)
    return f'title = "Yard"\nsize = {size}\nboard = """\n{picture}\n"""\n{more}'


def with_row(number: int, row: str) -> list[str]:
    """The rows with one replaced; rank 4 is row 0."""
    return [row if n == number else old for n, old in enumerate(ROWS)]


def test_a_map_is_read_and_written_back() -> None:
    yard = read_map(text(more='[facing]\nc1 = "NE"\n'), "yard.toml")
    assert draw(yard) == ' 4 . . c .\n 3 . # . .\n 2 . . . #\n 1 . C L .\n   A B C D\n[facing]\nC1 = "NE"'
    assert yard.grid.slug == "4x4"


def test_border_surfaces_make_the_board_smaller() -> None:
    yard = read_map(text(["4 % . c %", "3 . # . .", "2 . . . #", "1 % C L %"]), "yard.toml")
    assert draw(yard).startswith(" 4 % . c %\n 3 . # . .\n")
    assert to_line(yard) == "Yard; 4x4; D2 B3; CB1N LC1N cC4S; A1 D1 A4 D4"
    assert from_line(to_line(yard)) == yard
    assert not yard.is_symmetric
    rules = GAME.rules({"map": to_line(yard)})
    assert rules.grid.spell(rules.grid.border) == "A1 D1 A4 D4"
    assert set(rules.grid.border) < set(rules.grid.obstacles)


@pytest.mark.parametrize("name", ["basic-16", "companion-20"])
def test_our_maps_are_kept_in_full_by_one_line(name: str) -> None:
    found = find_map(name)
    assert from_line(to_line(found)) == found


def test_a_game_on_a_map_file_is_recorded_with_the_map(tmp_path: Path) -> None:
    path = tmp_path / "yard.toml"
    path.write_text(text())
    rules = GAME.rules({"map": str(path)})
    path.unlink()
    again = GAME.rules(rules.options)
    assert again.options == rules.options
    assert again.initial() == rules.initial()
    assert again.legal_moves(again.initial()) == rules.legal_moves(rules.initial())


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (text(with_row(1, "3 . # . . .")), r"yard.toml: rank 3 has 5 spaces; size says 4, files A to D"),
        (text(with_row(1, "3 . # x .")), r"yard.toml: rank 3, file C: 'x' is not a sign"),
        (text(with_row(1, "2 . # . .")), r"yard.toml: board: the rank 2 stands where rank 3 belongs"),
        (text(ROWS[:3]), r"yard.toml: board shows 3 ranks; size says 4"),
        (text(size="[4, 5]"), r"yard.toml: board shows 4 ranks; size says 5"),
        (text(size="[4, 99]"), r"yard.toml: size is 4 files by 99 ranks; 4 to 26 of each are possible"),
        (text(size="[4]"), r"yard.toml: size must be an array of 2"),
        (text(with_row(3, "1 . L L .")), r"yard.toml: White has no Command Tank; there must be exactly one"),
        (
            text(with_row(1, "3 c # . .")),
            r"yard.toml: Black has 2 Command Tanks, on rank 3, file A and rank 4, file C; there must be exactly one",
        ),
        (
            text(more='[facing]\nE1 = "N"'),
            r"facing.E1: rank 1, file E is outside the board, which ends at D4",
        ),
        (text(more='[facing]\nB7 = "N"'), r"facing.B7: rank 7, file B is outside the board"),
        (text(more='[facing]\nA1 = "N"'), r"facing.A1: rank 1, file A holds no tank"),
        (text(more='[facing]\nB3 = "N"'), r"facing.B3: rank 3, file B holds no tank"),
        (
            text(more='[facing]\nC1 = "NNE"'),
            r"facing.C1: rank 1, file C: 'NNE' is not a facing; known are N NE E",
        ),
        (text(more='[facing]\nC1 = "N"\nc1 = "E"'), r"facing.c1: rank 1, file C is listed twice"),
        (text(more="weather = 1"), r"yard.toml: unknown key 'weather'"),
        ("title = ", r"yard.toml: this is not TOML"),
    ],
)
def test_an_error_names_file_rank_and_file_letter(given: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        read_map(given, "yard.toml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("yard; 4x4; A2", "expected title, size, obstacles and tanks"),
        ("yard; four; A2; CA1N cD4S", "expected title, size, obstacles and tanks"),
        ("yard; 4x4; Z9; CA1N cD4S", "'Z9' is not a cell"),
        ("yard; 4x4; ; CA1N cA1S", "two tanks stand on rank 1, file A"),
        ("yard; 4x4; ; CA1N cD4S; A1", "a tank stands outside the board on rank 1, file A"),
        ("yard; 4x4; ; CA1N cD4S; A2; A3", "expected title, size, obstacles and tanks"),
        ("yard; 4x4; A1; CA1N cD4S", "a tank stands on an obstacle on rank 1, file A"),
        ("yard; 4x4; ; CA1N", "Black has no Command Tank"),
        ("yard; 4x4; ; CA1N cD4Q", "'cD4Q' is not a tank"),
        ("yard; 5x599999; C3; CB1N cB5S", "5 files by 599999 ranks; 4 to 26 of each are possible"),
        ("yard; 26x100; ; CA60N cB99S", "26 files by 100 ranks; 4 to 26 of each are possible"),
        ("yard; 3x3; ; CA1N cC3S", "3 files by 3 ranks; 4 to 26 of each are possible"),
        ("yard; -4x4; ; CA1N cC3S", "-4 files by 4 ranks"),
        (f"yard; {'9' * 5000}x4; ; CA1N cC3S", "expected title, size, obstacles and tanks"),
    ],
)
def test_an_error_names_the_fault_of_a_recorded_map(line: str, message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        find_map(line)


def test_an_error_names_an_unreadable_file(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match=r"nowhere.toml cannot be read"):
        load_map(tmp_path / "nowhere.toml")


@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".toml", "no\0file"])
def test_a_value_that_cannot_be_a_file_name_is_refused_like_a_missing_file(name: str) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        GAME.rules({"map": name})


@pytest.mark.parametrize("letters", ["  A B C D", "  a b c d"])
def test_the_letters_of_the_files_may_stand_below_the_picture(letters: str) -> None:
    assert read_map(text([*ROWS, letters]), "yard.toml") == read_map(text(), "yard.toml")


@pytest.mark.parametrize("letters", ["A B C E", "A B C", "A B C D E", "D C B A"])
def test_wrong_letters_of_the_files_are_refused(letters: str) -> None:
    with pytest.raises(SettingsError, match=f"yard.toml: the files are named {letters}; they are A B C D"):
        read_map(text([*ROWS, letters]), "yard.toml")

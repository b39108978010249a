# SPDX-License-Identifier: Apache-2.0
"""The terminal screen: golden screens, and properties of every game, language and size."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from companion import games
from companion.feedback.letters import Letters, board
from companion.feedback.lights import Meaning
from companion.feedback.screen import Size, noteworthy, wrapped
from companion.feedback.text import render
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.host.terminal.parser import available
from companion.model.grid import rectangle
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.events import Stage
from companion.referee.values.view import TableView

from .screens import AROUND, FOLDER, PICTURE, TIMED, USUAL, golden_screens, screen, set_up
from .views import CHECKED, CHOOSING, HANDLING, ILLEGAL, VIEWS, WAITING, WON

GOLDEN = sorted(file.stem for file in FOLDER.glob("*.txt"))
EVERY_BOARD: list[tuple[str, dict[str, str]]] = [(slug, {}) for slug in games.slugs()] + [
    ("tank-chess", {"map": "companion-20"}),
    *(("martian-chess", {"players": players}) for players in "3456"),
]


def test_every_screen_has_its_golden_file_and_every_file_its_screen() -> None:
    assert golden_screens().keys() == set(GOLDEN)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_screen_matches_its_golden_file(name: str) -> None:
    assert golden_screens()[name] == (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def test_the_picture_in_the_documents_lists_every_command() -> None:
    words = load("en", ILLEGAL.game, games.find(ILLEGAL.game).rules().sides)
    shown = set(re.findall(r"\w+", PICTURE.read_text(encoding="utf-8").replace("&#160;", " ")))
    assert set(available(ILLEGAL, words, is_virtual=True).values()) <= shown


@pytest.mark.parametrize(("slug", "options"), EVERY_BOARD, ids=str)
@pytest.mark.parametrize("language", languages())
def test_every_board_fits_a_terminal_of_80_by_24_in_every_language(
    slug: str, options: dict[str, str], language: str
) -> None:
    view = set_up(slug, **options)
    lines = screen(view, USUAL, language)
    assert len(lines) <= USUAL.rows
    assert max(map(cell_len, lines)) <= USUAL.columns
    if view.grid.files:
        labels = [line[:2].strip() for line in lines[: view.grid.ranks]]
        assert labels == [str(rank + 1) for rank in reversed(range(view.grid.ranks))]


@given(st.sampled_from(sorted(VIEWS)), st.integers(40, 200), st.integers(12, 60))
def test_no_screen_exceeds_the_terminal(name: str, columns: int, rows: int) -> None:
    lines = screen(VIEWS[name], Size(columns, rows))
    assert len(lines) <= rows
    assert max(map(cell_len, lines)) <= columns


@pytest.mark.parametrize(("slug", "options"), EVERY_BOARD, ids=str)
@pytest.mark.parametrize("letters", [1, 2])
def test_no_two_kinds_of_a_game_look_alike(slug: str, options: dict[str, str], letters: int) -> None:
    rules = games.find(slug).rules(options)
    for language in languages():
        short = Letters.of(rules, load(language, slug, rules.sides), letters).short
        if letters == 2 or slug == "tank-chess":
            assert len(set(short.values())) == len(short), short
        assert all(text and cell_len(text) == len(text) for text in short.values())


def test_the_first_side_has_capitals_and_a_facing_is_an_arrow_and_a_wreck_a_cross() -> None:
    rules = games.find("tank-chess").rules()
    letters = Letters.of(rules, load("en", "tank-chess", rules.sides))
    grid = rules.grid
    assert letters.write(Piece("light-tank", 0, facing=1), grid) == "LT↗"
    assert letters.write(Piece("light-tank", 1, facing=4), grid) == "lt↓"
    assert letters.write(Piece("light-tank", 1, facing=4, pose="wreck"), grid) == "lt×"


def test_a_gottaz_pawn_is_known_by_its_face() -> None:
    rules = games.find("gottaz").rules()
    letters = Letters.of(rules, load("en", "gottaz", rules.sides))
    assert letters.write(Piece("supply-1-leap-5", 0, pose="leap-5"), rules.grid) == "LE5"


def test_a_board_shows_missing_and_unexpected_pieces() -> None:
    grid = rectangle(2, 2)
    letters = Letters({"axe": "ax"}, has_facings=False)
    lines = board(grid, Placement.of([(0, Piece("axe", 1))]), letters, {3: Meaning.ILLEGAL}, 0b1000)
    assert [line.plain for line in lines[:2]] == [" 2  · !● ", " 1  ax · "]
    assert [str(span.style) for span in lines[1].spans] == ["dim", "dim cyan"]


def test_a_screen_without_colours_shows_every_lamp_meaning() -> None:
    for view, marks in ((HANDLING, "^+x"), (ILLEGAL, "<>!"), (CHOOSING, "?"), (WON, "*-"), (CHECKED, "#!")):
        text = "\n".join(screen(view))
        assert all(mark in text for mark in marks)


def test_a_running_clock_advances_between_two_views() -> None:
    assert "Sword 1:05" in "\n".join(screen(TIMED))
    later = "\n".join(screen(TIMED, around=replace(AROUND, now_ms=130_000)))
    assert "Sword 0:05.0" in later
    assert "Weapons 0:09.9 +2" in later


def test_players_are_named_beside_their_sides_and_notices_are_shown() -> None:
    named = "\n".join(screen(CHECKED, around=replace(AROUND, players=("Ada", ""))))
    assert "◂ Sword (Ada)" in named
    assert "Weapons\n" in named
    told = "\n".join(screen(replace(WAITING, blind=(0,))))
    assert "a1" in told.split("The Sword moves.")[1]


def test_a_provisional_move_is_marked() -> None:
    record = (CHECKED.record[0]._replace(stage=Stage.PROVISIONAL),)
    assert "1. a1-b3…" in "\n".join(screen(replace(CHECKED, record=record)))


def test_a_position_let_stand_before_the_first_move_has_its_own_line() -> None:
    lines = screen(replace(CHECKED, is_start_amended=True))
    (number,) = (number for number, line in enumerate(lines) if line.endswith("  let stand"))
    assert "  1. a1-b3" in lines[number + 1]


def test_a_long_list_of_moves_shows_the_last_ones() -> None:
    record = tuple(CHECKED.record[0]._replace(ply=ply, move=f"move{ply}") for ply in range(40))
    text = "\n".join(screen(replace(WAITING, record=record)))
    assert "20. move38 move39" in text
    assert "1. move0" not in text


def test_messages_for_later_reading_are_listed() -> None:
    words = load("en", CHECKED.game, CHECKED.sides)
    assert noteworthy(CHECKED, words)[0].startswith("CHECK!")
    assert noteworthy(ILLEGAL, words) == ["The Mace may not jump: the Axe stands on b4."]
    assert noteworthy(WON, words) == ["The weapons win: the Sword is eliminated."]
    assert noteworthy(WAITING, words) == []


@given(st.text("ab 剣", max_size=60), st.integers(2, 20))
def test_wrapped_lines_fit_and_lose_no_letter(text: str, columns: int) -> None:
    lines = wrapped(text, columns)
    assert all(cell_len(line) <= columns for line in lines)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_the_choices_of_a_question_have_the_numbers_that_answer_it() -> None:
    view: TableView = CHOOSING
    assert "[1] Axe a8 [2] Spear d8" in "\n".join(screen(view))


def test_the_choice_selected_by_button_is_marked() -> None:
    view = replace(CHOOSING, pointed=1)
    assert "[1] Axe a8 ▸[2] Spear d8" in "\n".join(screen(view))
    assert render(view, load("en", view.game, view.sides))[1] == "2/2 d8"

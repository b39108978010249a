# SPDX-License-Identifier: Apache-2.0
"""The two lines of the display."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.feedback.text import render, spell
from companion.feedback.wordfiles import languages
from companion.feedback.words import load
from companion.model.game import Outcome
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.view import ClockStart, ClockView, Guide, TableView

from .views import (
    CHECKED,
    CHOOSING,
    COUNTED,
    DRAWN,
    ESCAPING,
    GRID,
    HANDLING,
    ILLEGAL,
    MACE,
    OFFERED,
    PAUSED,
    SETTING_UP,
    SIDES,
    VIEWS,
    WAITING,
    WON,
)


@pytest.mark.parametrize(
    ("view", "lines"),
    [
        (COUNTED, ("Sword to move", "d8-d7 (12 left)")),
        (SETTING_UP, ("Axe b5 > a8", "and 1 more")),
        (WAITING, ("Sword to move", "New game")),
        (HANDLING, ("Weapons to move", "Mace d1 > ..")),
        (ILLEGAL, ("No jumping", "Mace c4 > b2")),
        (CHECKED, ("CHECK! d5-b3", "Sword to move")),
        (ESCAPING, ("ESCAPE! d5-c8", "Sword to move")),
        (CHOOSING, ("Which piece?", "a8/d8")),
        (PAUSED, ("Paused", "Sword to move")),
        (replace(PAUSED, question=CHOOSING.question, pointed=1), ("Which piece?", "2/2 d8")),
        (OFFERED, ("Weapons: draw?", "Sword to move")),
        (WON, ("Weapons win", "Sword eliminated")),
        (replace(WON, question=CHOOSING.question, pointed=0), ("Which piece?", "1/2 a8")),
        (DRAWN, ("Draw", "by agreement")),
    ],
    ids=lambda value: value.phase.value if isinstance(value, TableView) else "",
)
def test_the_most_important_thing_comes_first(view: TableView, lines: tuple[str, str]) -> None:
    assert render(view, load("en", "close-quarters", SIDES)) == lines


@pytest.mark.parametrize(
    ("names", "lines"),
    [
        (("Ana Sudac", "Jörg Müller"), ("Ana Sudac", "Joerg Mueller")),
        (("Ana Sudac", "Ben", "Cem Yıldız", "Dora"), ("Ana Sud/Ben", "Cem Y?l/Dora")),
        (("Ana", "Ben", "Cem"), ("Ana/Ben", "Cem")),
        (("Alexandra", "Bernhard", "Cem", "Dora", "Emil", "Fee"), ("Alex/Bern/Cem", "Dora/Emil/Fee")),
    ],
)
def test_players_read_their_names_before_play_starts(names: tuple[str, ...], lines: tuple[str, str]) -> None:
    words = load("en", "close-quarters", SIDES)
    clock = ClockView(60_000, is_running=False, at_ms=0)
    waits = replace(WAITING, clocks=(clock, clock), clock_start=ClockStart.MOVE)
    assert render(WAITING, words, names=names) == lines, "without clocks, until the first move"
    assert render(waits, words, names=names) == lines
    for shown in (replace(waits, clock_start=None), replace(waits, ply=1), SETTING_UP):
        assert render(shown, words, names=names) == render(shown, words)


def test_a_long_lifted_piece_is_named_by_its_first_cell() -> None:
    words = load("en", "close-quarters", SIDES)
    long = replace(HANDLING, placement=Placement(((MACE, GRID.cells("d1 d2")),)), lifted=GRID.cells("d1 d2"))
    assert render(long, words)[1] == "Mace d1 > .."


def test_a_position_that_was_let_stand_is_no_move() -> None:
    record = (CHECKED.record[0]._replace(move=""),)
    assert render(replace(WAITING, record=record), load("en", "close-quarters", SIDES))[1] == "Last -"


def test_partners_win_together() -> None:
    words = load("en", "close-quarters", ("white", "black"))
    together = replace(WON, sides=("white", "black"), outcome=Outcome((0, 1), "agreement"))
    assert render(together, words, 40)[0] == "White and Black win"


def test_the_piece_that_moved_last_is_the_first_cause_of_an_announcement() -> None:
    words = load("en", "close-quarters", SIDES)
    both = replace(CHECKED.announcements[0], causes=GRID.cells("d1 d5"))
    assert render(replace(CHECKED, announcements=(both,)), words)[0] == "CHECK! d5-b3"
    assert render(replace(CHECKED, announcements=(both,), record=()), words)[0] == "CHECK! d1-b3"


def test_a_piece_that_both_sides_have_is_named_with_its_side_and_the_cell_is_never_cut() -> None:
    white, black = Piece("mace", 0), Piece("mace", 1)
    view = replace(SETTING_UP, placement=Placement.of([(0, white)]), guides=(Guide(black, None, 31),))
    words = load("de", "close-quarters", ("white", "black"))
    assert render(view, words, 40)[0] == "d8: Schwarz Kolben"
    assert render(view, words)[0] == "d8: Schwarz Kolb"
    japanese = load("ja", "close-quarters", ("white", "black"))
    assert render(view, japanese)[0] == "d8: Black Mace"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_in_every_language_a_line_fits_without_being_cut(language: str, view: TableView) -> None:
    words = load(language, "close-quarters", SIDES)
    lines = render(view, words, 16)
    assert lines == render(view, words, 40)
    assert lines[0]
    english = render(view, load("en", "close-quarters", SIDES))
    for line, told in zip(lines, english, strict=True):
        assert line.isascii()
        assert line.isprintable()
        assert line.count("?") == told.count("?"), "a letter that cannot be spelt"


@given(text=st.text(), columns=st.integers(1, 40))
def test_transliterated_text_is_printable_ascii(text: str, columns: int) -> None:
    spelt = spell(text)
    assert spelt.isascii()
    assert spelt == "" or spelt.isprintable()


@pytest.mark.parametrize(
    ("text", "spelt"),
    [
        ("Läufer schlägt groß", "Laeufer schlaegt gross"),
        ("Épée à d5", "Epee a d5"),
        ("¡JAQUE! señor", "JAQUE! senor"),
        ("Šah, žezlo, đak, ćup", "Sah, zezlo, dak, cup"),
        ("剣", "?"),
    ],
)
def test_letters_of_other_alphabets_are_transliterated(text: str, spelt: str) -> None:
    assert spell(text) == spelt

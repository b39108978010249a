# SPDX-License-Identifier: Apache-2.0
"""Pieces on lit cells choose from the menu on the board."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from companion.feedback.lights import Meaning, index_of
from companion.feedback.shown import MenuView, Overlay, Shown, lamps, lines
from companion.feedback.text import spell
from companion.feedback.wordfiles import languages, read_common
from companion.feedback.words import load
from companion.games import find
from companion.host.table.layers.board_menu import (
    DWELL_MS,
    BoardMenu,
    MenuChoice,
    Moment,
    Topic,
    Wish,
)
from companion.model.game import Outcome
from companion.referee.session.session import Session
from companion.referee.values.view import TableView

CHESS = find("chess").rules()
GRID = CHESS.grid
UNSEEN: TableView = Session(CHESS).view()
EMPTY = replace(UNSEEN, is_sensed=True)
OVER = replace(EMPTY, is_begun=True, outcome=Outcome((0,), "checkmate"))
START = CHESS.placement(CHESS.initial()).occupancy


class Content:
    """Two topics with two and three choices; after a game one more before them."""

    def topics(self, moment: Moment, selected: Mapping[str, str], language: str = "") -> tuple[Topic, ...]:
        game = Topic("game", tuple(MenuChoice(each, each.title()) for each in ("chess", "gottaz")))
        clock = Topic("clock", tuple(MenuChoice(each, f"Clock {each}") for each in ("none", "3+2", "5")))
        after = Topic("next", tuple(MenuChoice(each, each.title()) for each in ("again", "another")))
        if moment is Moment.BEFORE:
            return game, clock
        return (after, game, clock) if selected.get("next") == "another" else (after,)

    def words(self, selected: Mapping[str, str], language: str = "") -> Mapping[str, str]:
        return {**read_common(language or "en").menu, "next": "", "short-next": "Next?"}


class Board:
    """A board on which any piece is put and lifted."""

    def __init__(self, view: TableView = EMPTY) -> None:
        self.menu = BoardMenu(GRID)
        self.menu.offer(Content(), START)
        self.seen, self.now_ms = view, 0
        self.look()

    def look(self, after_ms: int = 0) -> MenuView | None:
        self.now_ms += after_ms
        self.menu.tend(self.seen, self.now_ms)
        return self.menu.view()

    def change(self, *names: str, after_ms: int = DWELL_MS) -> MenuView | None:
        """Put a piece on each empty cell of *names*, take the others away, and wait."""
        for cell in map(GRID.cell, names):
            self.seen = replace(self.seen, occupied=self.seen.occupied ^ 1 << cell)
        self.look()
        return self.look(after_ms)

    def lit(self, meaning: Meaning) -> dict[str, str]:
        shown = self.menu.view()
        assert shown is not None
        return {GRID.name(each.cell): each.name for each in shown.cells if each.meaning is meaning}

    def choose(self, name: str) -> MenuView | None:
        """Put a piece on the cell of the choice *name*."""
        return self.change(next(cell for cell, said in self.lit(Meaning.MENU_CHOICE).items() if said == name))


def test_topic_after_topic_is_chosen_named_and_begun() -> None:
    board = Board()
    assert board.lit(Meaning.MENU_CHOICE) == {"a3": "Chess", "b3": "Gottaz"}
    assert board.lit(Meaning.MENU_BEGIN) == {}
    first = board.choose("Gottaz")
    assert first is not None
    assert first.lines == ("Gottaz", "Which clock?")
    assert first.sentence.startswith("Gottaz. Which clock?")
    assert board.lit(Meaning.MENU_CHOSEN) == {"b3": "Gottaz"}
    assert list(board.lit(Meaning.MENU_CHOICE).values()) == ["Clock none", "Clock 3+2", "Clock 5"]
    second = board.choose("Clock 5")
    assert second is not None
    assert second.lines == ("Clock 5", "Green: begin")
    assert board.lit(Meaning.MENU_CHOICE) == {}
    (begin,) = board.lit(Meaning.MENU_BEGIN)
    assert board.menu.take_wish() is None
    board.change(begin)
    assert board.menu.take_wish() == Wish(Moment.BEFORE, {"game": "gottaz", "clock": "5"})
    assert board.menu.take_wish() is None


def test_lifting_a_piece_undoes_its_choice_and_keeps_the_others() -> None:
    board = Board()
    board.choose("Gottaz")
    board.choose("Clock 3+2")
    board.change("b3")
    assert list(board.lit(Meaning.MENU_CHOSEN).values()) == ["Clock 3+2"]
    assert {"Chess", "Gottaz"} == set(board.lit(Meaning.MENU_CHOICE).values())
    board.choose("Chess")
    board.change(*board.lit(Meaning.MENU_CHOSEN))
    assert board.lit(Meaning.MENU_BEGIN) == {}


def test_a_piece_that_only_passes_over_a_lit_cell_chooses_nothing() -> None:
    board = Board()
    board.change("a3", after_ms=DWELL_MS - 1)
    assert board.menu.next_deadline_ms() == board.now_ms + 1
    board.change("a3")
    assert board.lit(Meaning.MENU_CHOSEN) == {}
    assert board.menu.next_deadline_ms() is None


@pytest.mark.parametrize("has_chosen", [False, True])
def test_a_piece_on_another_cell_closes_the_menu_until_the_board_is_empty(has_chosen: bool) -> None:
    board = Board()
    if has_chosen:
        board.choose("Chess")
    chosen = ["a3"] if has_chosen else []
    assert board.change("e1") is None
    assert board.change("e1") is None if has_chosen else board.change("e1") is not None
    assert board.change(*chosen) is not None
    assert board.lit(Meaning.MENU_CHOSEN) == {}


def test_the_menu_is_closed_before_the_board_is_seen_to_be_empty() -> None:
    board = Board(UNSEEN)
    assert board.look() is None
    board.seen = replace(EMPTY, occupied=START)
    assert board.look() is None
    board.seen = EMPTY
    assert board.look() is not None


def test_choices_for_which_the_board_has_no_room_are_lit_when_pieces_leave() -> None:
    every = (1 << len(GRID)) - 1
    room = GRID.cells("a3 b3 h6")
    board = Board(replace(OVER, occupied=every & ~START & ~sum(1 << cell for cell in room)))
    board.change("a1", after_ms=0)
    board.choose("Another")
    board.choose("Chess")
    assert board.lit(Meaning.MENU_CHOICE) == {}, "h6 begins"
    board.change("c3", after_ms=0)
    assert list(board.lit(Meaning.MENU_CHOICE).values()) == ["Clock none"]
    board.change("d3", "e3", after_ms=0)
    assert list(board.lit(Meaning.MENU_CHOICE).values()) == ["Clock none", "Clock 3+2", "Clock 5"]
    board.choose("Clock 5")
    board.change("h6")
    assert board.menu.take_wish() == Wish(Moment.AFTER, {"next": "another", "game": "chess", "clock": "5"})


def test_no_cell_of_the_start_position_is_lit() -> None:
    board = Board()
    board.choose("Chess")
    lit = board.menu.view()
    assert lit is not None
    assert not any(START >> each.cell & 1 for each in lit.cells)


def test_after_a_game_any_piece_chooses_and_the_pieces_of_the_game_stand_where_they_are() -> None:
    board = Board(replace(OVER, occupied=START | 1 << GRID.cell("a3") | 1 << GRID.cell("h6")))
    shown = board.menu.view()
    assert shown is not None
    assert (shown.cells, shown.sentence) == ((), read_common("en").menu["lift-to-choose"])
    board.change("a3")
    assert board.lit(Meaning.MENU_CHOICE) == {"b3": "Again", "c3": "Another"}, "a3 is where it may go back"
    board.change("a3", "e2")
    assert board.lit(Meaning.MENU_CHOICE) == {"b3": "Again", "c3": "Another"}
    board.choose("Again")
    (begin,) = board.lit(Meaning.MENU_BEGIN)
    assert begin == "g6"
    board.change("b3")
    board.choose("Another")
    board.choose("Gottaz")
    board.change(begin)
    assert board.menu.take_wish() == Wish(Moment.AFTER, {"next": "another", "game": "gottaz"})


def test_the_menu_is_closed_while_a_game_goes_on_and_without_an_offer() -> None:
    assert Board(replace(EMPTY, is_begun=True)).menu.view() is None
    menu = BoardMenu(GRID)
    assert not menu.tend(EMPTY, 0)
    assert menu.view() is None


def test_with_a_choice_only_the_menu_is_lit() -> None:
    board = Board()
    below = Shown(board.seen, overlays=(Overlay([(0, Meaning.TARGET)], ("one", "two"), is_alone=True),))
    over = board.menu.added_to(below)
    image = lamps(over)
    assert (image[GRID.cell("a3")], image[0]) == (index_of(Meaning.MENU_CHOICE), index_of(Meaning.TARGET))
    assert lines(over, load("en", "chess", CHESS.sides)) == ("one", "or choose a game")
    board.choose("Chess")
    image = lamps(board.menu.added_to(below))
    assert set(image) == {0, *(index_of(each) for each in Meaning if each.value.startswith("menu-"))}


@pytest.mark.parametrize("language", languages())
def test_the_short_words_fit_a_display(language: str) -> None:
    short = {key: word for key, word in read_common(language).menu.items() if key.startswith("short-")}
    assert short
    assert {
        key: word for key, word in short.items() if len(spell(word)) > 16 or "?" in spell(word[:-1])
    } == {}

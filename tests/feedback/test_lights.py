# SPDX-License-Identifier: Apache-2.0
"""Lamps: which cells are lit, with which meaning and look."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from companion import games
from companion.feedback.lights import (
    DARK,
    PALETTE_SIZE,
    LampLevel,
    Look,
    Meaning,
    index_of,
    mark,
    meanings,
    palette,
    render,
)
from companion.model.game import Outcome
from companion.referee.values.view import TableView
from tests.fakes import FakeTable

from .views import (
    AMISS,
    CARRYING_OUT,
    CHECKED,
    CHOOSING,
    DRAWN,
    ESCAPING,
    GRID,
    HANDLING,
    ILLEGAL,
    MUDDLED,
    PAUSED,
    SETTING_UP,
    TO_CONFIRM,
    UNMOVED,
    VIEWS,
    WAITING,
    WON,
    cells,
)


def lit(view: TableView) -> dict[str, Meaning]:
    """The lit cells with their meanings."""
    return {GRID.name(cell): meaning for cell, meaning in meanings(view).items()}


def test_the_start_of_a_game_is_dark() -> None:
    assert lit(WAITING) == {}


def test_a_lifted_piece_shows_where_it_came_from_and_may_go_and_what_it_may_capture() -> None:
    assert lit(HANDLING) == {
        "d1": Meaning.LIFTED_SOURCE,
        "b2": Meaning.TARGET,
        "c3": Meaning.CAPTURE_TARGET,
    }


def test_a_victim_lifted_first_shows_as_an_ordinary_target() -> None:
    assert lit(replace(HANDLING, lifted=cells("c3 d1")))["c3"] == Meaning.TARGET


def test_an_illegal_move_shows_the_way_back_and_what_stood_in_the_way() -> None:
    assert lit(ILLEGAL) == {
        "c4": Meaning.WAY_BACK_FROM,
        "b2": Meaning.WAY_BACK_TO,
        "b4": Meaning.ILLEGAL,
    }


def test_one_of_several_ways_back_is_animated_and_the_others_are_steady() -> None:
    assert lit(MUDDLED) == {
        "c4": Meaning.WAY_BACK_FROM,
        "b2": Meaning.WAY_BACK_TO,
        "c5": Meaning.WAY_BACK_LATER,
        "b4": Meaning.WAY_BACK_LATER,
    }
    looks = palette(LampLevel.QUIET)
    for meaning in (Meaning.WAY_BACK_LATER, Meaning.SET_UP_LATER):
        index = index_of(meaning)
        assert looks[index].period_ms == 0
        assert max(looks[index].rgb) > 0


def test_a_button_pressed_without_a_move_lights_the_movable_pieces() -> None:
    assert lit(UNMOVED) == dict.fromkeys(("b2", "b4", "d8"), Meaning.ILLEGAL)


def test_setting_up_shows_missing_and_wrong_pieces_like_a_way_back() -> None:
    assert set(lit(SETTING_UP)) == {"b5", "a8", "d1"}
    assert index_of(Meaning.SET_UP_WRONG) == index_of(Meaning.WAY_BACK_FROM)
    assert index_of(Meaning.SET_UP_MISSING) == index_of(Meaning.WAY_BACK_TO)
    image = render(SETTING_UP).cells
    assert image[GRID.cell("b5")] == index_of(Meaning.SET_UP_WRONG)
    assert image[GRID.cell("a8")] == image[GRID.cell("d1")] == index_of(Meaning.SET_UP_MISSING)


def test_a_move_decided_elsewhere_is_shown_like_a_way_and_its_rest_is_steady() -> None:
    assert lit(CARRYING_OUT) == {"d1": Meaning.CARRY_FROM, "b2": Meaning.CARRY_TO}
    assert lit(AMISS) == {
        "b7": Meaning.CARRY_FROM,
        "a8": Meaning.CARRY_TO,
        "d1": Meaning.CARRY_LATER,
        "b2": Meaning.CARRY_LATER,
    }
    assert lit(TO_CONFIRM) == {}
    assert index_of(Meaning.CARRY_TO) == index_of(Meaning.WAY_BACK_TO)


def test_check_hides_the_last_move_where_both_claim_a_cell() -> None:
    assert lit(CHECKED) == {
        "b3": Meaning.CHECK_TARGET,
        "d5": Meaning.CHECK_CAUSE,
        "a8": Meaning.LAST_FROM,
    }


def test_escape_shows_the_runner_and_its_goal() -> None:
    assert lit(ESCAPING) == {
        "d5": Meaning.ESCAPE,
        "c8": Meaning.ESCAPE,
        "d8": Meaning.ESCAPE,
        "a8": Meaning.LAST_FROM,
    }


def test_a_question_shows_its_choices_and_a_pause_nothing() -> None:
    assert lit(CHOOSING) == {"a8": Meaning.QUESTION, "d8": Meaning.QUESTION}
    assert lit(PAUSED) == {}


def test_the_end_of_a_game_has_one_highlight_that_does_not_blink() -> None:
    assert lit(WON) == dict.fromkeys(("d1", "b3", "d8"), Meaning.WINNER)
    assert set(lit(DRAWN).values()) <= {Meaning.LAST_FROM, Meaning.LAST_TO}
    for view in (WON, DRAWN):
        assert all(palette()[index].period_ms == 0 for index in render(view).cells)


def test_a_piece_of_several_cells_is_lit_whole() -> None:
    wide = replace(
        WON, placement=replace(WON.placement, entries=((WON.placement.entries[0][0], (0, 1, 4, 5)),))
    )
    assert all(render(wide).cells[cell] != DARK for cell in (0, 1, 4, 5))


def test_the_palette_fits_a_panel_and_begins_dark() -> None:
    assert len(palette()) <= PALETTE_SIZE
    assert palette()[DARK] == Look((0, 0, 0))
    assert all(look.period_ms % 10 == 0 and look.period_ms <= 2550 for look in palette())
    assert all(0 <= look.phase_ms < max(look.period_ms, 1) for look in palette())


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_an_image_has_one_palette_index_for_each_cell(view: TableView) -> None:
    image = render(view).cells
    assert len(image) == len(view.grid)
    assert all(0 <= index < len(palette()) for index in image)


def test_lamps_are_dark_when_off_and_dimmer_without_hints_when_quiet() -> None:
    full, quiet = palette(LampLevel.FULL), palette(LampLevel.QUIET)
    assert {look.rgb for look in palette(LampLevel.OFF)} == {(0, 0, 0)}
    assert all(
        dim <= bright
        for a, b in zip(quiet, full, strict=True)
        for dim, bright in zip(a.rgb, b.rgb, strict=True)
    )
    for meaning in (Meaning.TARGET, Meaning.CAPTURE_TARGET, Meaning.LIFTED_SOURCE):
        assert quiet[index_of(meaning)].rgb == (0, 0, 0)
    for meaning in (Meaning.ILLEGAL, Meaning.CHECK_TARGET, Meaning.LAST_TO, Meaning.SET_UP_MISSING):
        assert max(quiet[index_of(meaning)].rgb) > 0


TOGETHER = [
    (Meaning.WAY_BACK_FROM, Meaning.WAY_BACK_TO, Meaning.WAY_BACK_LATER, Meaning.ILLEGAL),
    (Meaning.SET_UP_WRONG, Meaning.SET_UP_MISSING, Meaning.SET_UP_LATER),
    (Meaning.CARRY_FROM, Meaning.CARRY_TO, Meaning.CARRY_LATER),
    (Meaning.HINT_FROM, Meaning.HINT_TO, Meaning.LIFTED_SOURCE, Meaning.CAPTURE_TARGET, Meaning.TARGET),
    (Meaning.WARNING, Meaning.LIFTED_SOURCE, Meaning.CAPTURE_TARGET, Meaning.TARGET),
    (Meaning.WARNING, Meaning.CHECK_TARGET, Meaning.CHECK_CAUSE, Meaning.ESCAPE, Meaning.LAST_FROM),
    (
        Meaning.HINT_FROM,
        Meaning.HINT_TO,
        Meaning.QUESTION,
        Meaning.CHECK_TARGET,
        Meaning.CHECK_CAUSE,
        Meaning.ESCAPE,
        Meaning.LAST_TO,
        Meaning.LAST_FROM,
    ),
    (
        Meaning.LESSON,
        Meaning.QUESTION,
        Meaning.CHECK_TARGET,
        Meaning.CHECK_CAUSE,
        Meaning.ESCAPE,
        Meaning.LAST_TO,
        Meaning.LAST_FROM,
    ),
    (Meaning.QUESTION, Meaning.BEGINS),
    (Meaning.MENU_CHOICE, Meaning.SET_UP_WRONG, Meaning.SET_UP_MISSING, Meaning.SET_UP_LATER),
    (Meaning.MENU_CHOICE, Meaning.WINNER),
    (Meaning.MENU_CHOICE, Meaning.LAST_TO, Meaning.LAST_FROM),
    (Meaning.MENU_CHOICE, Meaning.MENU_CHOSEN, Meaning.MENU_BEGIN),
    (Meaning.FRAME,),
]
"""Meanings that can occur in one image, as `render` makes them.

The frame lies beside the game's cells, so its place tells it from all others.
"""


def test_no_meaning_is_left_out_of_the_groups() -> None:
    grouped = {meaning for group in TOGETHER for meaning in group}
    assert grouped == set(Meaning)


def grey(rgb: tuple[int, int, int]) -> float:
    """The luma of a colour, 0 to 255, for colour-blind eyes. Source: Rec. 709."""
    red, green, blue = rgb
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize(
    ("one", "other"), [pair for group in TOGETHER for pair in combinations(group, 2)], ids=str
)
def test_meanings_shown_together_differ_without_their_colour(one: Meaning, other: Meaning) -> None:
    first, second = (palette()[index_of(meaning)] for meaning in (one, other))
    differ_in_time = (first.period_ms, first.phase_ms) != (second.period_ms, second.phase_ms)
    lighter, darker = sorted((grey(first.rgb), grey(second.rgb)), reverse=True)
    assert differ_in_time or lighter > 2 * darker


def test_the_winners_zone_is_swept_where_zones_decide_ownership() -> None:
    """Pieces of Martian Chess have no side, and the winner's zone may end empty."""
    rules = games.find("martian-chess").rules({"players": "3"})
    table = FakeTable(rules)
    table.set_up()
    won = replace(table.session.view(), outcome=Outcome((1,), "most-points", (3, 9, 4)))
    assert {rules.grid.name(cell)[0] for cell, said in meanings(won).items() if said is Meaning.WINNER} == {
        "B"
    }


def test_meanings_shown_together_have_different_marks() -> None:
    for group in TOGETHER:
        assert len({mark(meaning) for meaning in group}) == len(group)


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_every_lit_cell_has_the_meaning_of_its_lamp(view: TableView) -> None:
    image = render(view).cells
    said = meanings(view)
    assert {cell for cell, index in enumerate(image) if index != DARK} == set(said)
    assert all(image[cell] == index_of(meaning) for cell, meaning in said.items())

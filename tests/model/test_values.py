# SPDX-License-Identifier: Apache-2.0
"""Grids, occupancies, placements and footprints keep their documented properties."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.model.errors import NotationError, OptionError
from companion.model.game import Option, choose
from companion.model.grid import OFF, distances, rectangle
from companion.model.moves import Step, is_traceless
from companion.model.occupancy import cells_of, occupancy_of
from companion.model.pieces import Piece
from companion.model.placement import Placement

ROOK, KNIGHT = Piece("rook", 0), Piece("knight", 1)


@given(st.sets(st.integers(0, 500)))
def test_occupancy_and_cells_are_inverses(cells: set[int]) -> None:
    assert list(cells_of(occupancy_of(cells))) == sorted(cells)


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_distances_on_a_rectangle_are_the_steps_of_a_king(
    files: int, ranks: int, data: st.DataObject
) -> None:
    grid = rectangle(files, ranks)
    start = data.draw(st.integers(0, len(grid) - 1))
    rank, file = divmod(start, files)
    assert distances(grid, start) == tuple(
        max(abs(cell % files - file), abs(cell // files - rank)) for cell in range(len(grid))
    )


@given(st.integers(1, 26), st.integers(1, 30), st.booleans())
def test_cells_of_a_rectangle_are_found_by_name_in_either_case(
    files: int, ranks: int, capitals: bool
) -> None:
    grid = rectangle(files, ranks, capitals=capitals)
    for cell in (0, len(grid) - 1, len(grid) // 2):
        assert grid.cell(grid.name(cell)) == grid.cell(grid.name(cell).swapcase()) == cell
    assert grid.cells(grid.spell(range(len(grid)))) == tuple(range(len(grid)))


@given(st.integers(1, 9), st.integers(1, 9))
def test_every_direction_has_an_opposite(files: int, ranks: int) -> None:
    grid = rectangle(files, ranks)
    for direction, targets in enumerate(grid.steps):
        for cell, target in enumerate(targets):
            assert target == OFF or grid.steps[(direction + 4) % 8][target] == cell


def test_the_first_direction_leads_away_from_the_first_player_and_the_next_to_the_right() -> None:
    grid = rectangle(4, 8)
    assert [grid.name(steps[grid.cell("b2")]) for steps in grid.steps] == [
        "b3",
        "c3",
        "c2",
        "c1",
        "b1",
        "a1",
        "a2",
        "a3",
    ]


def test_the_outline_of_a_cell_matches_its_name() -> None:
    assert rectangle(4, 8, cell_mm=40).centre_mm(rectangle(4, 8).cell("b3")) == (60.0, 100.0)


def test_an_unknown_cell_is_named() -> None:
    with pytest.raises(NotationError, match="'e1' is not a cell of the 4x8 grid"):
        rectangle(4, 8).cell("e1")


def test_the_order_of_its_entries_does_not_matter_to_a_placement() -> None:
    one, other = Placement.of([(3, ROOK), (1, KNIGHT)]), Placement.of([(1, KNIGHT), (3, ROOK)])
    assert one == other
    assert hash(one) == hash(other)
    assert one.occupancy == 0b1010
    assert one.at(3) == ROOK
    assert one.at(0) is None
    assert one.entry_at(1) == (KNIGHT, (1,))


def test_only_pieces_that_keep_their_cells_are_traceless() -> None:
    turn = Step(ROOK, (4,), (4,), Piece("rook", 0, facing=2))
    assert is_traceless([turn])
    assert not is_traceless([turn, Step.remove(KNIGHT, 5)])
    assert not is_traceless([Step.move(ROOK, 0, 1), Step.move(KNIGHT, 1, 0)]), "both were lifted"
    assert not is_traceless([Step(ROOK, (0, 1), (1, 2), ROOK)])


LIMIT = Option("limit", ("none", "number"), "how long")


def test_options_have_defaults_and_normal_forms() -> None:
    assert choose([LIMIT], {}) == {"limit": "none"}
    assert choose([LIMIT], {"limit": "012"}) == {"limit": "12"}


@pytest.mark.parametrize("value", ["0", "-1", "number", "some", "", "9" * 5000])
def test_an_invalid_value_is_refused_with_the_list_of_valid_ones(value: str) -> None:
    with pytest.raises(OptionError, match=r"option limit: .* allowed are none, number"):
        choose([LIMIT], {"limit": value})


def test_an_unknown_option_is_refused_with_the_list_of_known_ones() -> None:
    with pytest.raises(OptionError, match="no option 'colour' here; known are limit"):
        choose([LIMIT], {"colour": "red"})

# SPDX-License-Identifier: Apache-2.0
"""Solutions are stored compactly, and damaged ones are refused."""

from __future__ import annotations

import random

import pytest

from companion.model.grid import OFF
from companion.opponent.close_quarters.numbers import number_of
from companion.opponent.close_quarters.tablebase import (
    DRAWN,
    SHIPPED,
    SIZE,
    DamagedTablebase,
    Tablebase,
    shipped,
    unpack,
)
from tests.opponent.close_quarters.samples import KING, positions, rules_of, solved


@pytest.mark.long
def test_every_corner_of_the_board_has_the_distances_of_the_solver() -> None:
    solver = solved(KING)
    tablebase = solver.tablebase()
    for turn, *cells, _ in positions(rules_of(KING), 4, 3000):
        plies = int(solver.plies[turn][number_of(cells)])
        assert tablebase.distance(turn, cells) == (None if plies == DRAWN else plies)


def test_the_shipped_file_has_less_than_a_megabyte() -> None:
    assert len(shipped().packed()) < 1_000_000


def test_a_packed_tablebase_is_read_back() -> None:
    again = unpack(shipped().packed(), SHIPPED)
    assert (again.options, again.plies) == (SHIPPED, shipped().plies)


@pytest.mark.parametrize(
    "seed", [*range(4), *(pytest.param(each, marks=pytest.mark.long) for each in range(4, 20))]
)
def test_one_changed_byte_is_noticed(seed: int) -> None:
    data = bytearray(shipped().packed())
    data[random.Random(seed).randrange(len(data))] ^= 1 << seed % 8
    with pytest.raises(DamagedTablebase):
        unpack(bytes(data), SHIPPED)


@pytest.mark.parametrize("kept", [0, 10, 60, 100, -1])
def test_a_cut_file_is_refused(kept: int) -> None:
    with pytest.raises(DamagedTablebase):
        unpack(shipped().packed()[:kept], SHIPPED)


def test_a_file_of_other_options_is_refused() -> None:
    with pytest.raises(DamagedTablebase, match="options"):
        unpack(shipped().packed(), KING)
    with pytest.raises(DamagedTablebase, match=f"{SIZE}"):
        Tablebase(SHIPPED, b"")


@pytest.mark.parametrize("cells", [(0, 0, 3, 31), (OFF, 1, 2, 3), (5, 2, 2, OFF), (OFF, OFF, OFF, OFF)])
def test_impossible_positions_have_no_distance(cells: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="no position with"):
        shipped().distance(1, cells)

# SPDX-License-Identifier: Apache-2.0
"""A game begins with the known position, or with what really differs from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
import pytest

from companion.games import find
from companion.model.observation import EMPTY, OCCUPIED, Sighting
from companion.sensing.appearance import Appearance, left_out, tones_of
from companion.sensing.difference import MOST, Difference
from companion.sensing.first_board import FirstBoard, first_board
from companion.sensing.problems import CameraProblem
from companion.sensing.untagged_table import UntaggedTable, bare
from companion.sensing.vision.discs import Looks
from companion.sensing.vision.geometry import Floats, view_of

CHESS: Final = find("chess")
SIDES: Final = {None: (50.0, 0.0), 0: (75.0, 8.0), 1: (25.0, 8.0)}
"""Lightness and texture of an empty light cell, and of pieces."""


def table() -> UntaggedTable:
    """A chess board below a camera that sees it from straight above."""
    corners = np.array([(0, 0), (400, 0), (400, 400), (0, 400)], float)
    view = view_of(corners, np.array([(100, 500), (500, 500), (500, 100), (100, 100)], float), (600, 600))
    return bare(CHESS, edge_mm=50.0, most_height_mm=80.0, view=view)


def features(start: dict[int, int | None], seed: int) -> Floats:
    """(64, 4): the features of a board with the sides *start*; two are noise."""
    dice, grid = np.random.default_rng(seed), CHESS.rules().grid
    rows = []
    for cell in range(64):
        light, texture = SIDES[start.get(cell)]
        light += 12.0 * tones_of(grid)[cell] * (cell not in start)
        rows.append([light + dice.normal(0, 2), texture + dice.normal(0, 1), *dice.normal(0, 1, 2)])
    return np.array(rows)


def found(shown: dict[int, int | None], seed: int, known: UntaggedTable | None = None) -> FirstBoard:
    """The first board of a table that shows the sides *shown*."""
    known = known or table()
    assert known.view is not None
    return first_board(features(shown, seed), tones_of(known.grid), known, known.view)


@pytest.mark.parametrize("seed", range(5))
def test_the_known_position_is_recognised(seed: int) -> None:
    start = dict(table().start)
    board = found(start, seed)
    assert board.problem is None
    assert not board.cells.any()
    assert {cell: board.looks[number].side for cell, number in enumerate(board.board) if number} == start


@pytest.mark.parametrize("seed", range(5))
def test_what_really_differs_is_found_and_nothing_else(seed: int) -> None:
    grid, shown = table().grid, dict(table().start)
    shown[grid.cell("c3")] = 0
    del shown[grid.cell("d7")]
    board = found(shown, seed)
    assert board.problem is None
    assert [grid.name(int(cell)) for cell in np.flatnonzero(board.cells)] == ["c3", "d7"]


def test_an_empty_board_is_no_beginning() -> None:
    board = found({}, 1)
    assert board.problem is CameraProblem.NOT_SET_UP
    assert not board.cells.any()


def test_another_position_is_no_beginning() -> None:
    board = found(
        {cell: 1 - side for cell, side in table().start.items() if side is not None and cell % 3}, 2
    )
    assert board.problem is CameraProblem.NOT_SET_UP


def test_dark_pieces_on_the_first_side_turn_the_board() -> None:
    board = found({63 - cell: side for cell, side in table().start.items()}, 3)
    assert board.problem is None
    assert board.looks[board.board[0]] == Sighting(True, side=1)


def test_sides_that_look_alike_are_not_told_apart() -> None:
    start = dict(table().start)
    board = found(dict.fromkeys(start, 0), 4)
    assert board.problem is None
    assert board.looks == (EMPTY, OCCUPIED)
    assert {cell for cell, number in enumerate(board.board) if number} == set(start)


def test_pieces_without_a_side_are_pieces() -> None:
    known = replace(table(), start=dict.fromkeys(table().start))
    assert found(dict.fromkeys(known.start, 1), 5, known).looks == (EMPTY, OCCUPIED)


def test_a_cell_that_looks_like_nothing_known_is_evidence_of_nothing() -> None:
    start = table().start
    labels = np.array([0 if cell not in start else 1 + (start[cell] or 0) for cell in range(64)])
    appearance = Appearance(tones_of(table().grid), 3)
    appearance.learn(features(dict(start), 6), labels)
    shown = features(dict(start), 7)
    shown[20] = [50, 90, 60, -60]
    costs, odds = appearance.costs(shown)
    assert costs[20].max() < 0.5
    assert odds[20] > 0.9
    assert (costs.argmin(axis=1) == labels)[np.arange(64) != 20].all()
    assert (np.sort(costs, axis=1)[np.arange(64) != 20, 1] > 2).all()
    assert (left_out(shown, labels, tones_of(table().grid), 3)[1][20] > 50).all()


def looks(levels: Floats, seed: int) -> Looks:
    """The looks of cells with these mean *levels*, and some noise."""
    dice = np.random.default_rng(seed)
    low, high = (
        (levels[:, None, None] + dice.normal(0, 1.5, (len(levels), count, 3))).astype(np.float32)
        for count in (81, 49)
    )
    return Looks(low, high, np.ones(len(levels), np.float32))


def test_a_change_is_told_from_noise_and_from_other_light() -> None:
    levels = np.where(np.arange(64) % 3, 60.0, 30.0)
    difference, before = Difference(), looks(levels, 1)
    difference.note(before, (levels < 50).astype(np.intp))
    changed = levels.copy()
    changed[[5, 9]] = 90 - changed[[5, 9]]
    now = looks(changed * 0.9, 2).in_light_of(before)
    ratios = difference.evidence(now, before)
    assert set(np.flatnonzero(ratios > 0)) == {5, 9}
    assert np.abs(ratios).max() <= MOST
    assert (ratios[[5, 9]] > 3).all()
    assert np.median(ratios) < -1

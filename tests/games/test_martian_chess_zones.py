# SPDX-License-Identifier: Apache-2.0
"""Boards of Martian Chess: wedges tile, edges match, four wedges form the chess board."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from companion.games._shared.perft import perft
from companion.games.martian_chess import GAME, MartianRules
from companion.games.martian_chess.zones import board_for, wedge_grid, wedges
from companion.model.grid import OFF

Point = tuple[float, float]
COUNTS = (3, 4, 5, 6)
NEAR_MM = 0.01


def is_apart(one: tuple[Point, ...], other: tuple[Point, ...]) -> bool:
    """True if all of *other* is on the outer side of an edge of *one*.

    Both are convex and anticlockwise.
    """
    for (x, y), (to_x, to_y) in zip(one, one[1:] + one[:1], strict=True):
        length = math.dist((x, y), (to_x, to_y))
        if all(((to_x - x) * (v - y) - (to_y - y) * (u - x)) / length < NEAR_MM for u, v in other):
            return True
    return False


def edges(outline: tuple[Point, ...]) -> list[frozenset[Point]]:
    """The four edges, with corners rounded to a tenth of a millimetre."""
    corners = [(round(x, 1), round(y, 1)) for x, y in outline]
    return [frozenset(pair) for pair in zip(corners, corners[1:] + corners[:1], strict=True)]


@pytest.mark.parametrize("count", COUNTS)
def test_no_two_cells_overlap(count: int) -> None:
    for one, other in itertools.combinations(wedge_grid(count).outlines, 2):
        assert is_apart(one, other) or is_apart(other, one)


@pytest.mark.parametrize("count", COUNTS)
def test_cells_are_rhombi_with_edges_of_50_mm(count: int) -> None:
    for outline in wedge_grid(count).outlines:
        for corner, following in zip(outline, outline[1:] + outline[:1], strict=True):
            assert math.dist(corner, following) == pytest.approx(50, abs=NEAR_MM)


@pytest.mark.parametrize("count", COUNTS)
def test_only_neighbouring_cells_share_an_edge_and_share_all_of_it(count: int) -> None:
    grid = wedge_grid(count)
    for one, other in itertools.combinations(range(len(grid)), 2):
        are_neighbours = other in {grid.steps[way][one] for way in (0, 2, 4, 6)}
        shared = set(edges(grid.outlines[one])) & set(edges(grid.outlines[other]))
        assert len(shared) == are_neighbours


@pytest.mark.parametrize("count", COUNTS)
def test_all_wedges_meet_in_one_point(count: int) -> None:
    grid = wedge_grid(count)
    inner = [
        {(round(x, 1), round(y, 1)) for x, y in grid.outlines[cell]} for cell in range(0, 16 * count, 16)
    ]
    assert len(set.intersection(*inner)) == 1


@pytest.mark.parametrize("count", COUNTS)
def test_the_first_wedge_faces_the_first_player_and_the_next_is_clockwise(count: int) -> None:
    grid = wedge_grid(count)
    ys = [grid.centre_mm(cell)[1] for cell in range(len(grid))]
    assert min(ys) == ys[grid.cell("A33")]
    assert grid.centre_mm(grid.cell("B33"))[0] < grid.centre_mm(grid.cell("A33"))[0]
    assert min(y for outline in grid.outlines for _, y in outline) == 0


def test_directions_are_relative_to_the_owner_of_the_cell() -> None:
    grid = wedge_grid(6)
    ways = [grid.steps[way][grid.cell("C11")] for way in range(8)]
    assert grid.spell(ways) == "C10 C00 C01 C02 C12 C22 C21 C20"
    assert grid.steps[0][grid.cell("C10")] == grid.cell("D01")
    assert grid.steps[2][grid.cell("C01")] == grid.cell("B10")
    assert grid.steps[4][grid.cell("C13")] == OFF


@pytest.mark.parametrize(
    ("count", "forks", "beyond"),
    [
        (3, False, ""),
        (5, False, ""),
        (3, True, "B00 C00"),
        (5, True, "C00 D00"),
        (6, False, "D00"),
        (4, False, "C00"),
    ],
)
def test_a_diagonal_continues_through_the_centre(count: int, forks: bool, beyond: str) -> None:
    board = wedges(count, forks=forks)
    found = {way[1] for way in board.ways[3][board.grid.cell("A11")] if way[0] == 0 and len(way) > 1}
    assert board.grid.spell(sorted(found)) == beyond


def test_no_line_returns_to_its_origin() -> None:
    for players, forks in itertools.product((2, 3, 4, 5, 6), (False, True)):
        for cell, ways in enumerate(board_for(players, forks=forks).ways[3]):
            assert all(cell not in way and len(set(way)) == len(way) for way in ways)


def on_the_chess_board(cell: int) -> int:
    """The cell of the 8 x 8 board at a cell of the four wedges."""
    wedge, place = divmod(cell, 16)
    x, y = divmod(place, 4)
    file, rank = [(3 - x, 3 - y), (3 - y, 4 + x), (4 + x, 4 + y), (4 + y, 3 - x)][wedge]
    return rank * 8 + file


def test_four_wedges_form_the_chess_board() -> None:
    chess = GAME.rules({"players": "4", "no_undo": "all"})  # so that no two moves lead to the same position
    wedge = MartianRules(chess.options, wedges(4, forks=False), 0)
    chance = random.Random(4)
    for _ in range(20):
        here, there = wedge.initial(), chess.initial()
        for _ in range(80):
            pairs = [divmod(move, 128) for move in wedge.legal_moves(here)]
            images = {on_the_chess_board(a) << 7 | on_the_chess_board(b) for a, b in pairs}
            assert images == set(chess.legal_moves(there))
            assert wedge.status(here) == chess.status(there)
            if not pairs:
                break
            source, target = chance.choice(pairs)
            here = wedge.apply(here, source << 7 | target)
            there = chess.apply(there, on_the_chess_board(source) << 7 | on_the_chess_board(target))
    assert [perft(wedge, wedge.initial(), depth) for depth in (1, 2, 3)] == [
        perft(chess, chess.initial(), depth) for depth in (1, 2, 3)
    ]

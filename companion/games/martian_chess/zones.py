# SPDX-License-Identifier: Apache-2.0
"""The boards of Martian Chess.
4 x 8 cells for two players, 8 x 8 for four, wedges for three, five and six.

Wedge *k* is a grid of 4 x 4 cells; (k, x, y) counts the distances from its two canals,
and (k, 0, 0) touches the centre.
Over the second canal (k, x, 0) meets (k + 1, 0, x), and a direction (dx, dy) goes on as (-dy, dx).
On the table a wedge is a rhombus:
all cells have edges of one length, and whole edges meet across the canals.
Four wedges are the 8 x 8 board.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from companion.model.grid import OFF, Cell, Grid, rectangle
from companion.model.occupancy import Occupancy, occupancy_of

SIZE: Final = 4
"""Cells along a wedge's canal."""
_EDGE_MM: Final = 50.0
_STEPS: Final = ((0, -1), (-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1))
"""(dx, dy) of the eight directions in a wedge, clockwise as its owner sees them.

Even ones cross edges, odd ones corners.
"""

Walk: TypeAlias = Callable[[Cell, int], list[tuple[Cell, int]]]
"""The next cells from a cell in a direction, each with the direction there.

Several where the path forks.
"""
Lines: TypeAlias = tuple[tuple[tuple[Cell, ...], ...], ...]
"""By cell: paths from it, nearest cell first."""


@dataclass(frozen=True, slots=True)
class ZonedBoard:
    """Cells, zones and the paths over them."""

    grid: Grid
    start: bytes
    """By cell: 0, or the number of a kind: 1 Pawn, 2 Drone, 3 Queen."""
    zones: tuple[tuple[Cell, ...], ...]
    """The cells of each player."""
    zone_of: bytes
    masks: tuple[Occupancy, ...]
    """The zones as occupancies."""
    ways: tuple[Lines, Lines, Lines, Lines]
    """Paths by kind: Pawn one cell, Drone one or two, Queen to the edge.

    Kind 0 has none.
    """
    meets_itself: bool
    """True if two Queen paths share a cell, as round three wedges' centre."""

    @classmethod
    def of(cls, grid: Grid, start: bytes, zones: tuple[tuple[Cell, ...], ...], walk: Walk) -> ZonedBoard:
        """The tables of a board with the steps of *walk*."""
        cells = range(len(grid))
        zone_of = bytearray(len(grid))
        for zone, inside in enumerate(zones):
            for cell in inside:
                zone_of[cell] = zone

        def lines(directions: Iterable[int], reach: int) -> Lines:
            return tuple(
                tuple(dict.fromkeys(ray[:reach] for way in directions for ray in _rays(walk, cell, way)))
                for cell in cells
            )

        rays = lines(range(8), len(grid))
        return cls(
            grid=grid,
            start=start,
            zones=zones,
            zone_of=bytes(zone_of),
            masks=tuple(map(occupancy_of, zones)),
            ways=((), lines(range(1, 8, 2), 1), lines(range(0, 8, 2), 2), rays),
            meets_itself=any(sum(map(len, ways)) > len(set().union(*ways)) for ways in rays),
        )


def board_for(players: int, *, forks: bool) -> ZonedBoard:
    """The board for *players*.

    With *forks* a diagonal through an odd centre goes on in both opposite wedges.
    """
    if players == 2:
        return _rectangular(4, ".ppd/.pdq/.dqq", "qqd./qdp./dpp.")
    if players == 4:
        return _rectangular(8, "dpp..ppd/qdp..pdq/qqd..dqq", "qqd..dqq/qdp..pdq/dpp..ppd")
    return wedges(players, forks=forks)


def wedges(count: int, *, forks: bool) -> ZonedBoard:
    """The board of *count* wedges."""
    grid = wedge_grid(count)
    start = bytes(_START[x, y] for _ in range(count) for x in range(SIZE) for y in range(SIZE))
    zones = tuple(tuple(range(zone * SIZE * SIZE, (zone + 1) * SIZE * SIZE)) for zone in range(count))
    return ZonedBoard.of(grid, start, zones, lambda cell, way: _over_wedges(cell, way, count, forks=forks))


_START: Final = {
    (x, y): 0 if 0 in (x, y) else 3 if x + y > 4 else 2 if x + y == 4 else 1
    for x in range(SIZE)
    for y in range(SIZE)
}


@cache
def wedge_grid(count: int) -> Grid:
    """The cells of *count* wedges, named by wedge, x and y: `C21`.

    Directions are those of each cell's owner.
    The first wedge points to the first player; wedges follow clockwise.
    """
    places = [(wedge, x, y) for wedge in range(count) for x in range(SIZE) for y in range(SIZE)]
    corners = [[_corner(count, wedge, x + i, y + j) for i, j in _CORNERS] for wedge, x, y in places]
    left = min(x for outline in corners for x, _ in outline)
    near = min(y for outline in corners for _, y in outline)
    return Grid(
        slug=f"wedges-{count}",
        names=tuple(f"{'ABCDEF'[wedge]}{x}{y}" for wedge, x, y in places),
        outlines=tuple(
            tuple((round(x - left, 3), round(y - near, 3)) for x, y in outline) for outline in corners
        ),
        steps=tuple(
            tuple(
                next((there for there, _ in _over_wedges(cell, way, count, forks=False)), OFF)
                for cell in range(len(places))
            )
            for way in range(8)
        ),
    )


_CORNERS: Final = ((0, 0), (1, 0), (1, 1), (0, 1))
"""Offsets of a cell's corners, anticlockwise on the table.

x grows along the second canal, which lies clockwise.
"""


def _corner(count: int, wedge: int, x: int, y: int) -> tuple[float, float]:
    """The point *x* cells from the first canal and *y* from the second of *wedge*.

    In mm from the centre.
    """
    angles = [math.radians(-90 + 180 / count - 360 / count * canal) for canal in (wedge, wedge + 1)]
    first, second = angles
    return (
        _EDGE_MM * (y * math.cos(first) + x * math.cos(second)),
        _EDGE_MM * (y * math.sin(first) + x * math.sin(second)),
    )


def _over_wedges(cell: Cell, way: int, count: int, *, forks: bool) -> list[tuple[Cell, int]]:
    """The next cells from *cell* on a board of *count* wedges."""
    wedge, place = divmod(cell, SIZE * SIZE)
    x, y = divmod(place, SIZE)
    dx, dy = _STEPS[way]
    x, y = x + dx, y + dy
    if SIZE in (x, y):
        return []
    if x < 0 and y < 0:
        return _through_the_centre(wedge, count, forks=forks)
    if y < 0:
        wedge, x, y, dx, dy = wedge + 1, 0, x, -dy, dx
    elif x < 0:
        wedge, x, y, dx, dy = wedge - 1, y, 0, dy, -dx
    return [(wedge % count * SIZE * SIZE + x * SIZE + y, _STEPS.index((dx, dy)))]


def _through_the_centre(wedge: int, count: int, *, forks: bool) -> list[tuple[Cell, int]]:
    """The cells in the opposite wedge, through the centre.

    An odd number of wedges has two opposite ones: the path stops there unless it *forks*.
    """
    outward = _STEPS.index((1, 1))
    if count % 2 == 0:
        opposite = [wedge + count // 2]
    else:
        opposite = [wedge + count // 2, wedge + count // 2 + 1] if forks else []
    return [(there % count * SIZE * SIZE, outward) for there in opposite]


def _rectangular(files: int, near: str, far: str) -> ZonedBoard:
    """A board of eight ranks: set-up of the three nearest and the three farthest ranks.

    Each from the far rank down.
    """
    grid = rectangle(files, 8)
    rows = [*far.split("/"), "." * files, "." * files, *near.split("/")]
    start = bytes(".pdq".index(sign) for row in reversed(rows) for sign in row)
    halves = [range(SIZE), range(SIZE, 2 * SIZE)]
    left, right = halves[0], halves[1] if files > SIZE else range(0)
    quarters = [(left, halves[0]), (left, halves[1]), (right, halves[1]), (right, halves[0])]
    zones = tuple(
        tuple(rank * files + file for rank in ranks for file in wide) for wide, ranks in quarters if wide
    )
    return ZonedBoard.of(
        grid,
        start,
        zones,
        lambda cell, way: [(there, way)] if (there := grid.steps[way][cell]) != OFF else [],
    )


def _rays(walk: Walk, cell: Cell, way: int) -> list[tuple[Cell, ...]]:
    """The paths from *cell* to the edge, one for each fork."""
    ways: list[tuple[Cell, ...]] = []
    for there, onward in walk(cell, way):
        tails = _rays(walk, there, onward) or [()]
        ways.extend((there, *tail) for tail in tails)
    return ways

# SPDX-License-Identifier: Apache-2.0
"""Cells with their names, outlines and neighbours.

A cell is an int index into its grid.
A grid is any set of cells: rectangles are made here, other shapes by the games that use them.

Frame: millimetres, x to the right, y away from the first player,
origin at the outer corner of the first cell.
Directions and facings count clockwise from the first player's forward.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, TypeAlias

from companion.model.errors import NotationError

Cell: TypeAlias = int
OFF: Final = -1
"""No cell: the result of a step off the grid."""

COMPASS: Final = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
"""Names of the eight directions of a rectangle; N is away from the first player."""

_COMPASS_STEPS: Final = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


@dataclass(frozen=True, slots=True)
class Grid:
    """A set of cells with names, outlines and neighbours."""

    slug: str
    """Short name: `4x8`, `wedges-3`."""
    names: tuple[str, ...]
    """Corners of each cell in mm, anticlockwise."""
    outlines: tuple[tuple[tuple[float, float], ...], ...]
    """Corners of each cell in mm, anticlockwise."""
    steps: tuple[tuple[Cell, ...], ...]
    """steps[direction][cell] is the neighbour in that direction, or OFF."""
    files: int = 0
    """Cells in a rank of a rectangle; 0 for other shapes."""
    obstacles: tuple[Cell, ...] = ()
    """Cells that cannot be occupied: printed on the board, never sensed."""
    border: tuple[Cell, ...] = ()
    """Obstacles that do not belong to the board: it is no full rectangle."""
    _index: dict[str, Cell] = field(init=False, repr=False, compare=False, default_factory=dict)

    def __post_init__(self) -> None:
        self._index.update({name.lower(): cell for cell, name in enumerate(self.names)})

    def __len__(self) -> int:
        return len(self.names)

    def __hash__(self) -> int:
        return hash((self.slug, self.outlines[:1]))  # two games' grids of 8 by 8 cells differ in size

    @property
    def ranks(self) -> int:
        """Ranks of a rectangle; 0 for other shapes."""
        return len(self.names) // self.files if self.files else 0

    @property
    def everything(self) -> int:
        """The occupancy in which every cell is occupied."""
        return (1 << len(self.names)) - 1

    def name(self, cell: Cell) -> str:
        """The name of *cell*."""
        return self.names[cell]

    def cell(self, name: str) -> Cell:
        """The cell called *name*, in upper or lower case. Raises `NotationError`.

        >>> rectangle(4, 8).cell("b3")
        9
        """
        try:
            return self._index[name.lower()]
        except KeyError:
            raise NotationError(
                "{text!r} is not a cell of the {grid} grid ({first} to {last})",
                grid=self.slug,
                first=self.names[0],
                last=self.names[-1],
                text=name,
            ) from None

    def cells(self, names: str) -> tuple[Cell, ...]:
        """The cells of a list of names, separated by blanks. Raises `NotationError`."""
        return tuple(self.cell(name) for name in names.split())

    def spell(self, cells: Sequence[Cell]) -> str:
        """The names of *cells*, separated by blanks: the inverse of `cells`."""
        return " ".join(self.names[cell] for cell in cells)

    def centre_mm(self, cell: Cell) -> tuple[float, float]:
        """The centre of *cell* in mm: the mean of its corners."""
        outline = self.outlines[cell]
        return sum(x for x, _ in outline) / len(outline), sum(y for _, y in outline) / len(outline)


def cell_mm(grid: Grid) -> float:
    """The length of the first edge of the first cell, in mm."""
    first, second = grid.outlines[0][:2]
    return math.dist(first, second)


def edges_mm(grid: Grid) -> tuple[float, ...]:
    """Edge in mm of the square with the area of each cell.

    Source: the shoelace formula.

    >>> edges_mm(rectangle(2, 1, cell_mm=25.0))
    (25.0, 25.0)
    """
    return tuple(_area(outline) ** 0.5 for outline in grid.outlines)


def resized(grid: Grid, edge_mm: float) -> Grid:
    """*grid* with cells of *edge_mm*.

    >>> resized(rectangle(4, 8), 25.0).outlines[0][2]
    (25.0, 25.0)
    """
    factor = edge_mm / cell_mm(grid)
    return replace(
        grid, outlines=tuple(tuple((x * factor, y * factor) for x, y in outline) for outline in grid.outlines)
    )


def turned_cells(grid: Grid, quarters: int) -> tuple[Cell, ...]:
    """For each cell, the cell after a clockwise turn by *quarters* of a full turn.

    A rectangle that is not square can only be turned by halves, other grids not at all:
    raises `ValueError`.

    >>> board = rectangle(3, 3)
    >>> board.name(turned_cells(board, 1)[board.cell("a1")])
    'a3'
    """
    turns = quarters % 4
    if (turns and not grid.files) or (turns % 2 and grid.files != grid.ranks):
        raise ValueError(f"the {grid.slug} grid cannot be turned by {quarters} quarters")
    cells = tuple(range(len(grid)))
    if turns % 2:  # (file, rank) moves to (rank, last - file)
        last = grid.files - 1
        cells = tuple((last - cell % grid.files) * grid.files + cell // grid.files for cell in cells)
    return tuple(len(grid) - 1 - cell for cell in cells) if turns >= 2 else cells


@lru_cache(maxsize=512)
def distances(grid: Grid, start: Cell) -> tuple[int, ...]:
    """The least number of steps from *start* to each cell.

    A large number where there is no way.
    """
    nears, found = neighbours(grid), [len(grid) + 1] * len(grid)
    edge, missing, steps = 1 << start, grid.everything, 0
    while edge:
        missing &= ~edge
        reached = 0
        while edge:
            lowest = edge & -edge
            cell = lowest.bit_length() - 1
            found[cell] = steps
            reached |= nears[cell]
            edge ^= lowest
        edge, steps = reached & missing, steps + 1
    return tuple(found)


@lru_cache(maxsize=64)
def neighbours(grid: Grid) -> tuple[int, ...]:
    """The occupancy of each cell's neighbours.

    Diagonal ones are included where the grid has such steps.
    """
    near = ({steps[cell] for steps in grid.steps} - {OFF} for cell in range(len(grid)))
    return tuple(sum(1 << other for other in others) for others in near)


@lru_cache(maxsize=64)
def rectangle(files: int, ranks: int, *, cell_mm: float = 50.0, capitals: bool = False) -> Grid:
    """A grid of *files* by *ranks* equal cells with eight directions.

    Cells are numbered rank by rank from a1.
    *files* is 1 to 26; *cell_mm* is the edge of a cell.

    >>> rectangle(8, 8).names[:3]
    ('a1', 'b1', 'c1')
    """
    if not 1 <= files <= 26 or ranks < 1:
        raise ValueError(f"no rectangle of {files} by {ranks} cells: files go from 1 to 26, ranks from 1")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ" if capitals else "abcdefghijklmnopqrstuvwxyz"
    places = [(file, rank) for rank in range(ranks) for file in range(files)]

    def neighbour(file: int, rank: int) -> Cell:
        return rank * files + file if 0 <= file < files and 0 <= rank < ranks else OFF

    def outline(file: int, rank: int) -> tuple[tuple[float, float], ...]:
        left, near, right, far = (cell_mm * edge for edge in (file, rank, file + 1, rank + 1))
        return (left, near), (right, near), (right, far), (left, far)

    return Grid(
        slug=f"{files}x{ranks}",
        names=tuple(f"{letters[file]}{rank + 1}" for file, rank in places),
        outlines=tuple(outline(file, rank) for file, rank in places),
        steps=tuple(
            tuple(neighbour(file + right, rank + ahead) for file, rank in places)
            for right, ahead in _COMPASS_STEPS
        ),
        files=files,
    )


def _area(outline: tuple[tuple[float, float], ...]) -> float:
    """The area of a polygon."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    return abs(sum(x1 * y2 - x2 * y1 for (x1, y1), (x2, y2) in pairs)) / 2

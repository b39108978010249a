# SPDX-License-Identifier: Apache-2.0
"""Where a game's grid lies on a panel: on all or a part of it.

Pure. The cells of a panel outside the grid are not sensed: captured pieces may stand there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from companion.model.grid import OFF, Cell, Grid, rectangle, turned_cells
from companion.model.occupancy import Occupancy, cells_of, occupancy_of


@dataclass(frozen=True)
class Mounting:
    """The position of a grid on a panel."""

    cells: tuple[Cell, ...]
    """The grid's cell over each input of the panel; `OFF` outside the grid."""
    is_lever_turned: bool = False
    """True if the lever's first end is at the second side."""
    corner: int = 0
    """The input under the grid's first cell."""
    frame: frozenset[int] = frozenset()
    """The inputs around a grid that is smaller than its panel."""

    @cached_property
    def under(self) -> tuple[int, ...]:
        """The input under each cell of the grid."""
        inputs = {cell: number for number, cell in enumerate(self.cells) if cell != OFF}
        return tuple(inputs[cell] for cell in range(len(inputs)))

    @cached_property
    def is_plain(self) -> bool:
        """True if input and cell have the same number everywhere."""
        return self.cells == tuple(range(len(self.cells)))

    def cell(self, number: int) -> Cell:
        """The grid's cell over input *number*, or `OFF`."""
        return self.cells[number] if number < len(self.cells) else OFF

    def occupancy(self, closed: int) -> Occupancy:
        """The occupied cells of the grid for the inputs *closed*."""
        if self.is_plain:
            return closed & ((1 << len(self.cells)) - 1)
        return occupancy_of(cell for number in cells_of(closed) if (cell := self.cell(number)) != OFF)

    def image(self, image: Sequence[int], frame: int, dark: int = 0) -> tuple[int, ...]:
        """*image*, a colour for each cell, by inputs; the frame has the colour *frame*."""
        if self.is_plain:
            return tuple(image)
        around = (frame if number in self.frame else dark for number in range(len(self.cells)))
        return tuple(
            image[cell] if cell != OFF else other for cell, other in zip(self.cells, around, strict=True)
        )


def mount(grid: Grid, quarter_turns: int = 0) -> Mounting:
    """A panel with as many cells as *grid*, turned clockwise by *quarter_turns*.

    A panel that is not square can only be turned by two; other grids not at all.
    Raises `ValueError` for other turns.
    """
    return Mounting(turned_cells(grid, quarter_turns), is_lever_turned=quarter_turns % 4 >= 2)


def mountings(grid: Grid, cells: int, files: int, ranks: int) -> tuple[Mounting, ...]:
    """All positions of *grid* on a panel, the middle one first; () without room.

    The panel has *cells* in *files* and *ranks*, 0 if it is not a rectangle.
    A grid that is not a rectangle needs a panel with as many cells.

    >>> [mounting.corner for mounting in mountings(rectangle(2, 2), 9, 3, 3)]
    [0, 1, 3, 4]
    """
    if not (grid.files and files):
        return (mount(grid),) if cells == len(grid) else ()
    spare_files, spare_ranks = files - grid.files, ranks - grid.ranks
    if spare_files < 0 or spare_ranks < 0:
        return ()
    if not (spare_files or spare_ranks):
        return (mount(grid),)
    places = [(right, up) for up, right in product(range(spare_ranks + 1), range(spare_files + 1))]
    middle = spare_files // 2, spare_ranks // 2
    return tuple(
        _part(grid, files, ranks, *place) for place in sorted(places, key=lambda place: place != middle)
    )


def _part(grid: Grid, files: int, ranks: int, right: int, up: int) -> Mounting:
    """The part of a panel that begins *right* files and *up* ranks inside it."""
    within = {
        (file, rank): (rank - up) * grid.files + file - right
        for rank in range(up, up + grid.ranks)
        for file in range(right, right + grid.files)
    }
    places = [(file, rank) for rank in range(ranks) for file in range(files)]
    columns, lines = (range(at - 1, at + size + 1) for at, size in ((right, grid.files), (up, grid.ranks)))
    around = [
        number
        for number, (file, rank) in enumerate(places)
        if file in columns and rank in lines and (file, rank) not in within
    ]
    return Mounting(
        tuple(within.get(place, OFF) for place in places),
        corner=up * files + right,
        frame=frozenset(around),
    )


def corner_names(found: Iterable[Mounting], files: int, ranks: int) -> dict[str, Mounting]:
    """The mountings *found*, by the panel's cell under the grid's first cell."""
    names = rectangle(files, ranks).names if files else ()
    return {names[each.corner]: each for each in found} if names else {}


def mounting_under(found: Iterable[Mounting], closed: int, goals: Iterable[Occupancy]) -> Mounting | None:
    """The only one of *found* in which the inputs *closed* show one of *goals*.

    None if there is no such one, or several: then the pieces do not say where the game is.
    """
    wanted = {goal for goal in goals if goal}
    sizes = {goal.bit_count() for goal in wanted}
    if not wanted or closed.bit_count() < min(sizes):
        return None
    fitting = [each for each in found if each.occupancy(closed) in wanted]
    return fitting[0] if len(fitting) == 1 else None


def turned_goals(grid: Grid, occupied: Occupancy) -> frozenset[Occupancy]:
    """The cells *occupied* in all orientations that a board of *grid* can have."""
    goals = {occupied}
    for quarters in (1, 2, 3):
        try:
            turned = turned_cells(grid, quarters)
        except ValueError:
            continue
        goals.add(occupancy_of(turned[cell] for cell in cells_of(occupied)))
    return frozenset(goals)

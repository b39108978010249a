# SPDX-License-Identifier: Apache-2.0
"""The way of a move: from what acts to what is acted on."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from companion.model.grid import OFF, Cell, Grid


class Way(NamedTuple):
    """From a cell to another one, and the least number of steps between neighbours."""

    source: Cell
    target: Cell
    length: int


NO_WAY: Final = Way(OFF, OFF, 0)
"""That of a move from beside the board, or to beside it."""


def shortest(grid: Grid, sources: Sequence[Cell], targets: Sequence[Cell]) -> Way:
    """The shortest way from one of *sources* to one of *targets*; `NO_WAY` without one.

    >>> from companion.model.grid import rectangle
    >>> shortest(rectangle(8, 8), (0, 9), (18,))
    Way(source=9, target=18, length=1)
    """
    ways = [
        Way(source, target, length)
        for source in sources
        for target in targets
        if (length := _lengths(grid, source)[target]) is not None
    ]
    return min(ways, key=lambda way: way.length, default=NO_WAY)


@lru_cache(maxsize=1024)
def _lengths(grid: Grid, source: Cell) -> tuple[int | None, ...]:
    """The length of the shortest way from *source* to each cell; None without one. Cached."""
    lengths: list[int | None] = [None] * len(grid)
    lengths[source], reached = 0, [source]
    for cell in reached:
        so_far = lengths[cell]
        assert so_far is not None
        for steps in grid.steps:
            if (to := steps[cell]) != OFF and lengths[to] is None:
                lengths[to] = so_far + 1
                reached.append(to)
    return tuple(lengths)

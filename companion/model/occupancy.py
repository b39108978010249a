# SPDX-License-Identifier: Apache-2.0
"""Occupancy: an int in which bit *i* stands for cell *i*. Any size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import TypeAlias, TypeVar

from companion.model.grid import Cell

Occupancy: TypeAlias = int
T = TypeVar("T")


def occupancy_of(cells: Iterable[Cell]) -> Occupancy:
    """The occupancy in which exactly *cells* are occupied.

    >>> bin(occupancy_of([0, 3]))
    '0b1001'
    """
    occupancy = 0
    for cell in cells:
        occupancy |= 1 << cell
    return occupancy


covered = lru_cache(maxsize=4096)(occupancy_of)
"""`occupancy_of` for the cells of a piece.

A tuple: the same ones are asked for in every position.
"""


def cells_of(occupancy: Occupancy) -> Iterator[Cell]:
    """The occupied cells of *occupancy* in rising order: the inverse of `occupancy_of`.

    >>> list(cells_of(0b1001))
    [0, 3]
    """
    while occupancy:
        lowest = occupancy & -occupancy
        yield lowest.bit_length() - 1
        occupancy ^= lowest


class BySet(dict[Occupancy, T]):
    """Values by sets of cells, each made when it is first looked up.

    Of the tens of thousands of sets in the tables of a game few are ever met.

    >>> sizes = BySet(int.bit_count)
    >>> sizes[0b1001], sizes
    (2, {9: 2})
    """

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[Occupancy], T]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, cells: Occupancy) -> T:
        made = self[cells] = self._make(cells)
        return made

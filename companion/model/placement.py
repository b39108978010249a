# SPDX-License-Identifier: Apache-2.0
"""Pieces on their cells.

A placement is what can be seen; it may be illegal and has no side to move.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.model.pieces import Piece

Entry: TypeAlias = tuple[Piece, tuple[Cell, ...]]
"""A piece and the cells it covers: one for most, more for tanks and giants."""


@dataclass(frozen=True, slots=True)
class Placement:
    """Pieces with the cells they cover, ordered by their first cell. Hashable."""

    entries: tuple[Entry, ...]
    occupancy: Occupancy = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        ordered = tuple(sorted(self.entries, key=itemgetter(1)))
        object.__setattr__(self, "entries", ordered)
        object.__setattr__(self, "occupancy", occupancy_of(chain.from_iterable(map(itemgetter(1), ordered))))

    @classmethod
    def of(cls, single: Iterable[tuple[Cell, Piece]]) -> Placement:
        """The placement of one-cell pieces."""
        return cls(tuple((piece, (cell,)) for cell, piece in single))

    def by_cell(self) -> dict[Cell, Piece]:
        """Each covered cell with its piece."""
        return {cell: piece for piece, cells in self.entries for cell in cells}

    def at(self, cell: Cell) -> Piece | None:
        """The piece on *cell*, or None."""
        return next((piece for piece, cells in self.entries if cell in cells), None)

    def entry_at(self, cell: Cell) -> Entry | None:
        """The piece on *cell* with all cells it covers, or None."""
        return next((entry for entry in self.entries if cell in entry[1]), None)

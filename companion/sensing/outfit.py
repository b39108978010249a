# SPDX-License-Identifier: Apache-2.0
"""What a camera table is made of: the grid, the tags on the pieces and beside the board, their sizes and heights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from companion.model.grid import Grid
from companion.model.tags import Family, Mark
from companion.sensing.vision.geometry import Lens

Wood: TypeAlias = tuple[int, int]
"""Figure and part: what lies on one cell, whichever of its faces is up."""


@dataclass(frozen=True, slots=True)
class Outfit:
    """A camera table, as it was printed."""

    grid: Grid
    family: Family
    marks: Mapping[int, Mark]
    """The tags on pieces, by id."""
    corners: Mapping[int, tuple[float, float]]
    """Middles in mm of the tags beside the board; they lie upright."""
    corner_mm: float
    """Edge of a corner tag, border included, rim not."""
    tag_mm: float
    """Edge of a piece's tag, likewise."""
    height_mm: float
    """Of the tags on the pieces, above the board."""
    heights_mm: Mapping[int, float] = field(default_factory=dict)
    """Of tags that lie higher or lower, by id."""
    lens: Lens | None = None

    def height_of(self, tag: int) -> float:
        """How high *tag* lies above the board."""
        return 0.0 if tag in self.corners else self.heights_mm.get(tag, self.height_mm)

    def edge_of(self, tag: int) -> float:
        """The edge of *tag* in mm."""
        return self.corner_mm if tag in self.corners else self.tag_mm

    def wood_of(self, tag: int) -> Wood:
        """What *tag* is a face of."""
        mark = self.marks[tag]
        return mark.figure, mark.part


def marks_by_tag(marks: Sequence[Mark]) -> dict[int, Mark]:
    """*marks* by the id of their tag."""
    return {mark.tag: mark for mark in marks}

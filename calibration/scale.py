# SPDX-License-Identifier: Apache-2.0
"""Scale of each cell in the image, and cells outside. Pure.

Px per module of a tag, and px per cell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.wording import Sentence, sentence
from companion.model.grid import Cell, Grid, edges_mm
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.geometry import Floats, View

POOR_PX: Final = 2.0
"""Px per module below which tags are missed even in good light."""
GOOD_PX: Final = 3.0
"""Px per module from which tags are read in poor light, too."""
FEWEST_CELL_PX: Final = 12.0
"""Px per cell below which an untagged piece looks like a printed line.

That is five samples of two px each.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The map of a board."""

    module_px: Floats
    """(n,): px per module of a piece's tag on each cell.

    In its worse direction; 0 without tags.
    """
    cell_px: Floats
    """(n,): px across each cell in its shorter direction."""
    outside: tuple[Cell, ...]
    """Cells that are not completely inside the image."""
    distance_mm: float
    """Distance from the camera to the farthest cell."""

    @property
    def worst(self) -> Cell:
        """The cell with the smallest scale."""
        return int(self.cell_px.argmin())


def scale_of(outfit: TaggedTable, view: View, *, has_tags: bool) -> Scale:
    """The scale of *outfit*'s board in *view*; without tags, modules are left out."""
    grid = outfit.grid
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    px_per_mm = _px_per_mm(view, middles, outfit.height_mm if has_tags else 0.0)
    module_mm = outfit.tag_mm / outfit.family.width if has_tags else 0.0
    far = np.column_stack([middles - view.camera_mm[:2], np.full(len(middles), view.camera_mm[2])])
    outside = tuple(cell for cell, outline in enumerate(grid.outlines) if not _is_inside(outline, view))
    return Scale(
        px_per_mm * module_mm,
        px_per_mm * np.array(edges_mm(grid)),
        outside,
        float(np.linalg.norm(far, axis=1).max()),
    )


def where(grid: Grid, cell: Cell) -> Sentence:
    """The part of the board with *cell*, from the first player's side.

    The far row, the left column, and so on.

    >>> from companion.model.grid import rectangle
    >>> where(rectangle(8, 8), 60).key
    'places.far-row'
    """
    if grid.files:
        rank, file = divmod(cell, grid.files)
        if rank in (0, grid.ranks - 1):
            return sentence("places.near-row" if rank == 0 else "places.far-row")
        if file in (0, grid.files - 1):
            return sentence("places.left-column" if file == 0 else "places.right-column")
    return sentence("places.cell", name=grid.name(cell))


def corner(place: str) -> Sentence:
    """The words for a corner of `PLACES`."""
    return sentence(f"places.{place.replace(' ', '-')}")


def _px_per_mm(view: View, middles: Floats, height_mm: float) -> Floats:
    """(n,): the scale at each of (n, 2) mm, in its worse direction."""
    here = view.to_image(middles, height_mm)
    right = view.to_image(middles + np.array([1.0, 0.0]), height_mm) - here
    away = view.to_image(middles + np.array([0.0, 1.0]), height_mm) - here
    found: Floats = np.linalg.svd(np.stack([right, away], axis=1), compute_uv=False)[:, -1]
    return found


def _is_inside(outline: tuple[tuple[float, float], ...], view: View) -> bool:
    """True if a cell is completely inside the image."""
    seen = view.to_image(np.array(outline))
    return bool((seen >= 0).all() and (seen <= np.array(view.size_px) - 1).all())

# SPDX-License-Identifier: Apache-2.0
"""How large the camera sees each cell: px a module of a tag, px a cell, and what lies outside the picture. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from calibration.wording import Sentence, say
from companion.model.grid import Cell, Grid, edges_mm
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.geometry import Floats, View

POOR_PX: Final = 2.0
"""px a module below which tags are missed even in good light."""
GOOD_PX: Final = 3.0
"""px a module from which tags are read in poor light, too."""
FEWEST_CELL_PX: Final = 12.0
"""px a cell below which a piece without a tag is not told from a line of print: five samples, each of two px."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The map of a board."""

    module_px: Floats
    """(n,): px a module of a piece's tag on each cell, in its worse direction; 0 without tags."""
    cell_px: Floats
    """(n,): px along the shorter way across each cell."""
    outside: tuple[Cell, ...]
    """Cells that are not wholly in the picture."""
    distance_mm: float
    """From the camera to the farthest cell."""

    @property
    def worst(self) -> Cell:
        """The cell that is seen smallest."""
        return int(self.cell_px.argmin())


def scale_of(outfit: TaggedTable, view: View, *, has_tags: bool) -> Scale:
    """The map of *outfit*'s board through *view*; without tags their modules are left out."""
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
    """The part of the board that *cell* is in, as the first player sees it: the far row, the left column …

    >>> from companion.model.grid import rectangle
    >>> where(rectangle(8, 8), 60).key
    'places.far-row'
    """
    if grid.files:
        rank, file = divmod(cell, grid.files)
        if rank in (0, grid.ranks - 1):
            return say("places.near-row" if rank == 0 else "places.far-row")
        if file in (0, grid.files - 1):
            return say("places.left-column" if file == 0 else "places.right-column")
    return say("places.cell", name=grid.name(cell))


def corner(place: str) -> Sentence:
    """The words for a corner of `PLACES`."""
    return say(f"places.{place.replace(' ', '-')}")


def _px_per_mm(view: View, middles: Floats, height_mm: float) -> Floats:
    """(n,): the scale around each of (n, 2) mm, in its worse direction."""
    here = view.to_image(middles, height_mm)
    right = view.to_image(middles + np.array([1.0, 0.0]), height_mm) - here
    away = view.to_image(middles + np.array([0.0, 1.0]), height_mm) - here
    found: Floats = np.linalg.svd(np.stack([right, away], axis=1), compute_uv=False)[:, -1]
    return found


def _is_inside(outline: tuple[tuple[float, float], ...], view: View) -> bool:
    """True if a cell lies wholly in the picture."""
    seen = view.to_image(np.array(outline))
    return bool((seen >= 0).all() and (seen <= np.array(view.size_px) - 1).all())

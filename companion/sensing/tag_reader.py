# SPDX-License-Identifier: Apache-2.0
"""Checks of cells and known tags, and reading of tags, in one view."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell, edges_mm
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.codes import CONTRAST, Codes, Grey
from companion.sensing.vision.geometry import View
from companion.sensing.vision.sampler import FixedMap, Known, Watched, cell_map, sample, watch
from companion.sensing.vision.tag_detection import REACH, SAMPLES, Found, find_tag, patch_of

_OUTSIDE: Final = 0.62
"""Distance from a cell's centre, in edges, beyond which a tag is on no cell.

Between half an edge and half a diagonal.
"""


@dataclass(frozen=True, slots=True)
class Read:
    """A tag that was read on a cell."""

    cell: Cell
    known: Known


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """One view of one table."""

    outfit: TaggedTable
    codes: Codes
    view: View
    where: FixedMap
    """Every cell in the plane of the tags."""
    ground: FixedMap
    """Every cell of the board itself."""
    middles_mm: NDArray[np.float64]
    """(n, 2): the centre of each cell."""
    edges_mm: NDArray[np.float64]
    """(n,): the edge of the square with the area of each cell."""

    def look(self, image: Grey) -> Grey:
        """The grey levels of every cell: (n, samples) uint8."""
        return sample(image, self.where)

    def look_at_ground(self, image: Grey) -> Grey:
        """The same of the board itself, below the tags."""
        return sample(image, self.ground)

    def watch(self, known: Sequence[Known], before: Watched | None = None) -> Watched:
        """*known* tags as watched ones for this view; data of *before* is reused."""
        return watch(self.view, self.codes, known, before)

    def read(
        self, image: Grey, cells: Iterable[Cell], *, is_thorough: bool = False, contrast: float = CONTRAST
    ) -> list[Read]:
        """The tags on or near *cells*, each once, in the game or not."""
        found: dict[tuple[int, Cell], Read] = {}
        outfit = self.outfit
        step_mm = outfit.tag_mm / self.codes.modules / SAMPLES
        for cell in cells:
            x, y = self.middles_mm[cell]
            reach_mm = min(self.edges_mm[cell] * REACH, outfit.tag_mm * 2.2)
            patch = patch_of(image, self.view, (float(x), float(y)), reach_mm, step_mm, outfit.height_mm)
            tag = find_tag(self.codes, patch, outfit.tag_mm, is_thorough=is_thorough, contrast=contrast)
            read = None if tag is None else self._placed(tag)
            if read is not None:
                found.setdefault((read.known.tag, read.cell), read)
        return list(found.values())

    def _placed(self, found: Found) -> Read | None:
        """*found* on its cell, at its own height; None if it is on no cell."""
        outfit, at_mm = self.outfit, found.at_mm
        height_mm = outfit.height_of(found.tag)
        if height_mm != outfit.height_mm:
            appears = self.view.to_image(np.array([at_mm]), outfit.height_mm)
            x, y = self.view.to_board(appears, height_mm)[0]
            at_mm = (float(x), float(y))
        apart = np.hypot(*(self.middles_mm - at_mm).T)
        cell = int(apart.argmin())
        if apart[cell] > _OUTSIDE * self.edges_mm[cell]:
            return None
        return Read(cell, Known(found.tag, at_mm, found.turn_deg, outfit.tag_mm, height_mm))


def reader_of(outfit: TaggedTable, codes: Codes, view: View) -> Reader:
    """The reader of *outfit* through *view*; takes some milliseconds."""
    grid = outfit.grid
    middles = np.array([grid.centre_mm(cell) for cell in range(len(grid))])
    where, ground = cell_map(view, grid, outfit.height_mm), cell_map(view, grid, 0.0)
    return Reader(outfit, codes, view, where, ground, middles, np.array(edges_mm(grid)))

# SPDX-License-Identifier: Apache-2.0
"""The pattern of a chessboard."""

from __future__ import annotations

from companion.model.game import Region
from companion.model.grid import Grid


def dark_cells(grid: Grid) -> Region:
    """Every second cell of a rectangle, a1 among them.

    >>> from companion.model.grid import rectangle
    >>> dark_cells(rectangle(4, 2)).cells
    (0, 2, 5, 7)
    """
    return Region(
        tuple(cell for cell in range(len(grid)) if sum(divmod(cell, grid.files)) % 2 == 0), is_shaded=True
    )

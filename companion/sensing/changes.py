# SPDX-License-Identifier: Apache-2.0
"""Changes of a board between two looks at it. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from companion.model.grid import Cell
from companion.model.observation import EMPTY, Change, Sighting


def changes_between(
    before: Mapping[Cell, Sighting], after: Mapping[Cell, Sighting], taken: Mapping[Cell, int], now_ms: int
) -> tuple[Change, ...]:
    """The changes from *before* to *after*.

    First cells that were left, then cells with a new sighting, the formerly empty ones first.
    *taken*: latest times at which cells were left on which one piece replaced another,
    which may look like it.
    """
    alike = {cell: left_ms for cell, left_ms in taken.items() if before.get(cell) == after[cell]}
    left = [Change(left_ms, cell, EMPTY) for cell, left_ms in sorted(alike.items())]
    left += [Change(now_ms, cell, EMPTY) for cell in sorted(before) if cell not in after]
    fresh = [cell for cell in sorted(after) if after[cell] != before.get(cell) or cell in alike]
    fresh.sort(key=lambda cell: cell in before)
    return (*left, *(Change(now_ms, cell, after[cell]) for cell in fresh))

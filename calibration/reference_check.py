# SPDX-License-Identifier: Apache-2.0
"""Check of a reference image: empty board, or start position. Pure."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from calibration.marks import Look
from calibration.wording import Gap, Sentence, sentence, shortened
from companion.model.grid import Cell, edges_mm
from companion.model.pieces import Piece
from companion.sensing.tagged_table import TaggedTable
from companion.sensing.vision.geometry import View

_NAMED = 8
"""Largest number of cells named in a sentence."""


def pieces_seen(look: Look, outfit: TaggedTable, view: View) -> dict[Cell, Piece]:
    """The pieces whose tags are on the board."""
    middles = np.array([outfit.grid.centre_mm(cell) for cell in range(len(outfit.grid))])
    found = {}
    for tag in look.tags:
        if tag.tag not in outfit.marks:
            continue
        at_mm = view.to_board(tag.outline_px, outfit.height_of(tag.tag)).mean(axis=0)
        apart = np.hypot(*(middles - at_mm).T)
        cell = int(apart.argmin())
        if apart[cell] < edges_mm(outfit.grid)[cell]:
            found[cell] = outfit.marks[tag.tag].piece
    return found


def doubt(
    look: Look, outfit: TaggedTable, view: View, expected: Mapping[Cell, Piece], *, has_tags: bool
) -> Sentence | None:
    """The difference between the board and *expected*, as a sentence; None without one.

    Without tags only unexpected pieces are detected.
    """
    seen = pieces_seen(look, outfit, view)
    extra = [cell for cell in seen if cell not in expected]
    if extra:
        return sentence("advice.reference-extra", cells=_names(outfit, extra))
    if not has_tags:
        return None
    missing = [
        cell
        for cell, piece in expected.items()
        if cell not in seen or (seen[cell].kind, seen[cell].side) != (piece.kind, piece.side)
    ]
    if missing:
        return sentence("advice.reference-missing", cells=_names(outfit, missing))
    return None


def _names(outfit: TaggedTable, cells: list[Cell]) -> Gap:
    """The names of the first of *cells*."""
    return shortened([outfit.grid.name(cell) for cell in sorted(cells)], _NAMED)

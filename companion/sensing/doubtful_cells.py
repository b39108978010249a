# SPDX-License-Identifier: Apache-2.0
"""Cells that no upright piece of the usual size explains, decided by the learned classifier.

Real pieces cast soft shadows, shine, and stand aside.
The classifier knows such cells from many rendered ones;
what it takes for a hand, or does not know, remains hidden.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np

from companion.sensing.cell_classes import CELL_CLASSES, CellClass
from companion.sensing.occupancy_estimate import OccupancyEstimate
from companion.sensing.vision.cell_classifier import class_shares
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.ground import Ground
from companion.sensing.vision.sampler import Flags

SURE: Final = 0.9
"""Least likelihood of empty ground, or of a piece, that decides a cell."""
_FREE: Final = [CELL_CLASSES.index(each) for each in (CellClass.EMPTY, CellClass.SHADOW)]
_PIECE: Final = [CELL_CLASSES.index(each) for each in (CellClass.LIGHT, CellClass.DARK)]
_HAND: Final = CELL_CLASSES.index(CellClass.HAND)


def decided(
    ground: Ground,
    levels: Singles,
    expected: Singles,
    stand: OccupancyEstimate,
    doubtful: Flags,
    position: Flags | None = None,
) -> OccupancyEstimate:
    """*stand* after the classifier has looked at the *doubtful* cells.

    *levels* and *expected* (the empty ground in the present light): (s, channels).
    *position*: the cells where pieces are expected, if that is known.
    """
    cells = np.flatnonzero(doubtful)
    if not len(cells):
        return stand
    shares = class_shares(ground, levels, expected, doubtful)
    free, full = shares[:, _FREE].sum(axis=1), shares[:, _PIECE].sum(axis=1)
    if position is not None:  # there a piece is likelier than a hand
        full += np.where(position[cells], shares[:, _HAND], 0)
    free, piece = free > SURE, full > SURE
    occupied, strange, unseen = stand.occupied.copy(), stand.strange.copy(), stand.unseen.copy()
    occupied[cells[free]] = False
    occupied[cells[piece]] = True
    strange[cells[free | piece]] = unseen[cells[free | piece]] = False
    return replace(stand, occupied=occupied, strange=strange, unseen=unseen)

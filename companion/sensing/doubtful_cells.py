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
from numpy.typing import NDArray

from companion.sensing.cell_classes import CELL_CLASSES, CellClass
from companion.sensing.occupancy_estimate import OccupancyEstimate
from companion.sensing.vision.cell_classifier import class_shares
from companion.sensing.vision.codes import Singles
from companion.sensing.vision.ground import Ground
from companion.sensing.vision.sampler import Flags

SURE: Final = 2.2
"""Nats by which the cheapest reading of a decided cell is below the next."""
ALONE: Final = 3.0
"""Cost in nats of a piece that comes from nowhere or went nowhere.

Most go from one cell to another.
"""
ABSENT: Final = 3.0
"""Cost in nats of a cell that is not as in the start position."""
VISIBLE: Final = 1.0
"""Cost in nats of a reading against the difference from empty ground.

Of a free cell whose ground is not seen, or of a piece where it is.
"""
_LEAST: Final = 1e-4
"""Least likelihood of a reading: the classifier errs at times, however sure it is."""
_FREE: Final = [CELL_CLASSES.index(each) for each in (CellClass.EMPTY, CellClass.SHADOW)]
_PIECE: Final = [CELL_CLASSES.index(each) for each in (CellClass.LIGHT, CellClass.DARK)]
_HAND: Final = CELL_CLASSES.index(CellClass.HAND)


def decided(
    ground: Ground,
    levels: Singles,
    expected: Singles,
    stand: OccupancyEstimate,
    doubtful: Flags,
    occupied: Flags,
    *,
    lifted: int = 0,
    is_start: bool = False,
) -> OccupancyEstimate:
    """*stand* after the classifier has looked at the *doubtful* cells.

    *levels* and *expected* (the empty ground in the present light): (s, channels).
    *occupied*: the cells with pieces in the last report; if it *is_start*, in the start position.
    *lifted*: the pieces that had left shortly before that report, and have not been found again.
    A doubtful cell that no reading explains well enough is hidden.
    """
    cells = np.flatnonzero(doubtful)
    if not len(cells):
        return stand
    free, piece, hand = _costs(class_shares(ground, levels, expected, doubtful)).T
    before, covered = occupied[cells], stand.occupied[cells]
    if is_start:  # there a piece is likelier than a hand
        piece = np.where(before, np.minimum(piece, hand), piece)
        hand = np.where(before, np.inf, hand)
        free, piece = free + ABSENT * before, piece + ABSENT * ~before
    else:
        free, piece = free + VISIBLE * covered, piece + VISIBLE * ~(covered | stand.unseen[cells])
        come = int((stand.occupied & ~occupied & ~doubtful).sum())
        gone = int((occupied & ~stand.occupied & ~doubtful).sum()) + int((before & (free < piece)).sum())
        coming = _cheapest(piece - free, ~before)
        likely = come + int((piece < free)[coming].sum()) - gone
        leaving = _cheapest(free - piece, before & (piece <= free))[: max(0, likely)]
        free[leaving] -= ALONE
        gone += int((free < piece)[leaving].sum())
        if not (before & covered & (piece < free)).any():  # none of them may have captured another
            free[coming[: max(0, gone - come)]] += ALONE
        found_again = max(0, gone + lifted - come)
        hand[coming[:found_again]] += ALONE  # then the piece that left would be nowhere
        piece[coming[found_again:]] += ALONE
    is_free = free + SURE < np.minimum(piece, hand)
    is_piece = piece + SURE < np.minimum(free, hand)
    found, strange, unseen = stand.occupied.copy(), stand.strange.copy(), stand.unseen.copy()
    found[cells[is_free]] = False
    found[cells[is_piece]] = True
    unsure = ~is_free & ~is_piece
    strange[cells[~unsure]] = unseen[cells[~unsure]] = False
    strange[cells[unsure & stand.occupied[cells] & ~occupied[cells]]] = True
    return replace(stand, occupied=found, strange=strange, unseen=unseen)


def _costs(shares: Singles) -> Singles:
    """(m, 3): the costs in nats of three readings of each cell.

    Free, a piece, and hidden.
    """
    sums = np.stack([shares[:, _FREE].sum(axis=1), shares[:, _PIECE].sum(axis=1), shares[:, _HAND]], axis=1)
    costs: Singles = -np.log(np.maximum(sums, _LEAST)).astype(np.float32)
    return costs


def _cheapest(margins: Singles, among: Flags) -> NDArray[np.intp]:
    """The indices of *among*, those with the least *margins* first."""
    found: NDArray[np.intp] = np.flatnonzero(among)[np.argsort(margins[among], kind="stable")]
    return found

# SPDX-License-Identifier: Apache-2.0
"""Occupancy of cells by untagged pieces in one image.

It is compared with the empty board, and with the image before the hand came.
Visible ground is empty. A cell that looks as before is unchanged.
Everything else must be explained by pieces, the nearest to the camera first;
the rest is a hand or a shadow, and the cells around it are hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.sensing.vision.codes import Singles
from companion.sensing.vision.ground import Ground, changed_samples, differing_samples
from companion.sensing.vision.sampler import Flags

FULL: Final = 0.6
"""Share of a piece's certain area that an existing piece hides."""
CLEAR: Final = 0.35
"""Share up to which a cell is empty: a neighbour may lean over."""
SAME: Final = 0.15
"""Share that may have changed on an unchanged cell: noise at a border."""
ENOUGH: Final = 0.3
"""Share of a piece's certain area that must be free of other pieces.

Below it the piece cannot be seen at all.
"""
STRAY: Final = 4
"""Unexplained samples of a window, of a hundred, above the noise of a printed line."""
OTHER: Final = 3
"""Samples that indicate another piece, or one that was lifted and put back."""
_BLACK: Final = 5.0
"""Grey levels by which the mean of a piece's area may differ from the ground."""
_SLACK: Final = 0.04
"""The same as a share of its brightness."""
_TEXTURE: Final = 0.25
"""Share of a window that the ground's pattern must explain beyond a plain cover."""
_STEADY: Final = 0.04
"""Change of light that needs no explanation."""
_PATTERN: Final = 0.8
"""Share of a window that must fit the ground's pattern in another light."""


_BETWEEN: Final = 0.13
"""Radius of the area between two cells, relative to their distance."""


@dataclass(frozen=True, slots=True, eq=False)
class OccupancyEstimate:
    """The result for one image; each (n,)."""

    occupied: Flags
    """Cells with a piece, visible or unchanged."""
    unseen: Flags
    """Cells where a piece may be behind another."""
    strange: Flags
    """Cells with something that no piece explains."""
    beside: Flags
    """Edge cells beside which there is something that no piece explains."""
    flagged: Flags
    """(s,): the samples that do not look like empty ground."""
    changed: Flags
    """Cells whose middle has changed since the last report."""


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """The samples at the time of the last report."""

    occupied: Flags
    levels: Singles
    """(s, channels): in the present light."""
    flagged: Flags
    """(s,): the samples that did not look like empty ground."""


def judge(ground: Ground, levels: Singles, expected: Singles, before: Before) -> OccupancyEstimate:
    """The occupancy of all cells.

    *levels* and *expected* (the empty ground in the present light): (s, channels) float32.
    """
    flagged, lit = differing_samples(levels, expected)
    if lit.sum() >= STRAY:
        expected = _in_its_light(ground, levels, expected)
        flagged, lit = differing_samples(levels, expected)
    changed = changed_samples(levels, before.levels)
    apart = levels - expected
    drift = _drift(ground, levels, expected)
    occupied, unseen = before.occupied.copy(), np.zeros(ground.count, np.bool_)
    full = ground.over_musts(flagged)
    full = np.maximum(full, np.minimum(1.0, FULL * drift))
    same: Flags = np.less_equal(ground.over_musts(changed), SAME)
    kept = before.occupied & same
    explained: Flags = np.any(ground.may[kept] & before.flagged, axis=0)
    for cell in ground.order:
        must = ground.must[cell]
        if same[cell]:
            occupied[cell] &= full[cell] > SAME  # visible ground is empty
            continue
        if full[cell] <= CLEAR:
            occupied[cell] = False
            continue
        seen = must[~explained[must]]
        if len(seen) < ENOUGH * len(must) or _covered(flagged, apart, expected, seen) < FULL:
            unseen[cell] = True
            continue
        occupied[cell] = True
        explained |= ground.may[cell] & flagged
    left = flagged & ~np.any(ground.may[occupied], axis=0) & ~_between(ground, occupied)
    return OccupancyEstimate(
        occupied,
        unseen,
        _strange(ground, left, lit, occupied, same),
        (ground.rims & left).sum(axis=1) >= STRAY,
        flagged,
        ~same | (_drift(ground, levels, before.levels) > 1.0),
    )


def fullness(levels: Singles, expected: Singles, where: NDArray[np.intp]) -> float:
    """Share of the samples *where* that is hidden, 0 to 1."""
    flagged, _ = differing_samples(levels[where], expected[where])
    return _covered(flagged, levels[where] - expected[where], expected[where], np.arange(len(where)))


def touched(ground: Ground, levels: Singles, before: Before, stand: OccupancyEstimate, cells: Flags) -> Flags:
    """Those of *cells* with something that looks different from before: (n,)."""
    changed, lit = differing_samples(levels, before.levels)
    moved = stand.occupied != before.occupied
    changed &= ~ground.may[moved].any(axis=0) & (stand.flagged | before.flagged) & ~lit
    found = np.zeros(ground.count, np.bool_)
    for cell in np.flatnonzero(cells):
        found[cell] = (changed & ground.may[cell]).sum() >= OTHER
    return found


def toppled(ground: Ground, stand: OccupancyEstimate, fresh: Flags) -> Flags:
    """The *fresh* cells, and adjacent ones, with something in between: (n,).

    That is one toppled piece, not two.
    """
    middles = ground.middles_mm
    found = np.zeros(ground.count, np.bool_)
    for one in np.flatnonzero(fresh):
        for other in np.flatnonzero(ground.beside[one] & stand.occupied):
            if other == one:
                continue
            across = ground.places_mm - (middles[one] + middles[other]) / 2
            apart = float(np.hypot(*(middles[one] - middles[other])))
            between = (across**2).sum(axis=1) < (_BETWEEN * apart) ** 2
            if stand.flagged[between].mean() > FULL:
                found[[one, other]] = True
    return found


def _drift(ground: Ground, levels: Singles, other: Singles) -> NDArray[np.float64]:
    """(n,): the mean difference of each certain area from *other*.

    In multiples of what it may be.
    """
    apart = np.abs(ground.over_musts(levels - other)).max(axis=1)
    found: NDArray[np.float64] = apart / (_BLACK + _SLACK * ground.over_musts(other).mean(axis=1))
    return found


def _covered(flagged: Flags, apart: Singles, expected: Singles, where: NDArray[np.intp]) -> float:
    """Share of the samples *where* that is hidden, 0 to 1.

    A dark piece on dark ground shows in their mean only.
    """
    if not len(where):
        return 0.0
    limit = _BLACK + _SLACK * float(expected[where].mean())
    drift = float(np.abs(apart[where].mean(axis=0)).max()) / limit
    return max(float(flagged[where].mean()), min(1.0, FULL * drift))


def _strange(ground: Ground, left: Flags, lit: Flags, occupied: Flags, same: Flags) -> Flags:
    """The cells with something that no piece explains.

    *left*: differing samples that no piece can hide.
    Samples that another light would explain hide a cell only if they have changed:
    a shadow beside an unchanged piece is ignored.
    """
    solid, shade = ground.windows(left & ~lit).sum(axis=1), ground.windows(left & lit).sum(axis=1)
    doubtful = (shade >= STRAY) & ~same
    for cell in np.flatnonzero(doubtful & occupied):
        doubtful[cell] = lit[ground.must[cell]].mean() > 0.5
    found: Flags = (solid >= STRAY) | doubtful
    return found


def _between(ground: Ground, occupied: Flags) -> Flags:
    """(s,): area that a piece on several of the *occupied* cells may hide."""
    spans = [span for (one, other), span in ground.bridges.items() if occupied[one] and occupied[other]]
    return np.any(spans, axis=0) if spans else np.zeros(len(ground.places_mm), np.bool_)


def _in_its_light(ground: Ground, levels: Singles, expected: Singles) -> Singles:
    """*expected*, adapted where a window shows its pattern brighter or darker.

    The cause is sun, or a static shadow.
    Only samples that the cell's own piece cannot hide are compared:
    a plain cover fits a plain level as well.
    """
    empty, shown = (ground.windows(each.mean(axis=1)) for each in (expected, levels))
    count = np.maximum(ground.free.sum(axis=1), 1)
    share = np.nanmedian(np.where(ground.free, shown / np.maximum(empty, 1.0), np.nan), axis=1)
    level = np.nanmedian(np.where(ground.free, shown, np.nan), axis=1)

    def fitting(guess: NDArray[np.floating]) -> NDArray[np.float64]:
        close = np.abs(shown - guess) < _BLACK + _SLACK * empty
        shares: NDArray[np.float64] = (close & ground.free).sum(axis=1) / count
        return shares

    as_ground, as_cover = fitting(share[:, None] * empty), fitting(level[:, None])
    is_lit = (as_ground > _PATTERN) & (as_ground - as_cover > _TEXTURE) & (np.abs(share - 1) > _STEADY)
    if not is_lit.any():
        return expected
    changed = expected.copy()
    ground.windows(changed)[is_lit] *= share[is_lit, None, None].astype(np.float32)
    return changed

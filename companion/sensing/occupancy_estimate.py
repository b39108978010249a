# SPDX-License-Identifier: Apache-2.0
"""On which cells pieces without tags stand, as one image shows it against the empty board and against the image before the hand came.

Ground that is seen proves that nothing stands on it. What looks as it did stands as it did.
Everything else must be explained by pieces, nearest to the camera first; what they cannot explain is a hand or a shadow,
and the cells around it are hidden.
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
"""Share of what a piece surely hides that must be hidden for one to stand there."""
CLEAR: Final = 0.35
"""Share up to which nothing stands there: a neighbour that leans over."""
SAME: Final = 0.15
"""Share that may have changed where nothing has: noise at a border."""
ENOUGH: Final = 0.3
"""Share of what a piece surely hides that must be free of other pieces for it to be seen at all."""
STRAY: Final = 4
"""Samples of a window, of a hundred, that differ without reason: fewer are noise along a printed line."""
OTHER: Final = 3
"""Samples at a piece that make it another one, or one that was lifted and put back."""
_BLACK: Final = 5.0
"""Grey levels by which the mean of a piece's place may differ from the ground."""
_SLACK: Final = 0.04
"""And the share of its brightness."""
_TEXTURE: Final = 0.25
"""Share of a window by which the ground's pattern must explain more of it than a plain cover would."""
_STEADY: Final = 0.04
"""Change of light that needs no explanation."""
_PATTERN: Final = 0.8
"""Share of a window that must fit the ground's pattern for it to be the ground in another light."""


_BETWEEN: Final = 0.13
"""Radius, in distances of two cells, of what is looked at between them."""


@dataclass(frozen=True, slots=True, eq=False)
class OccupancyEstimate:
    """What one image shows; each (n,)."""

    occupied: Flags
    """Where a piece is, or was and has not changed."""
    unseen: Flags
    """Where a piece may be behind another."""
    strange: Flags
    """Where something is that no piece explains."""
    beside: Flags
    """Cells on the board's edge beside which something is that no piece explains."""
    flagged: Flags
    """(s,): the samples that do not look like empty ground."""


@dataclass(frozen=True, slots=True, eq=False)
class Before:
    """What was seen when all was last told."""

    occupied: Flags
    levels: Singles
    """(s, channels): in the light now."""
    flagged: Flags
    """(s,): the samples that did not look like empty ground."""


def judge(ground: Ground, levels: Singles, expected: Singles, before: Before) -> OccupancyEstimate:
    """Where pieces stand. *levels* and *expected*, the empty ground in the light now: (s, channels) float32."""
    flagged, lit = differing_samples(levels, expected)
    if lit.sum() >= STRAY:
        expected = _in_its_light(ground, levels, expected)
        flagged, lit = differing_samples(levels, expected)
    changed = changed_samples(levels, before.levels)
    apart = levels - expected
    occupied, unseen = before.occupied.copy(), np.zeros(ground.count, np.bool_)
    full = ground.over_musts(flagged)
    drift = np.abs(ground.over_musts(apart)).max(axis=1)
    full = np.maximum(
        full, np.minimum(1.0, FULL * drift / (_BLACK + _SLACK * ground.over_musts(expected).mean(axis=1)))
    )
    same: Flags = np.less_equal(ground.over_musts(changed), SAME)
    kept = before.occupied & same
    explained: Flags = np.any(ground.may[kept] & before.flagged, axis=0)
    for cell in ground.order:
        must = ground.must[cell]
        if same[cell]:
            occupied[cell] &= full[cell] > SAME  # ground that is seen is empty
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
    )


def fullness(levels: Singles, expected: Singles, where: NDArray[np.intp]) -> float:
    """How much of the samples *where* is hidden, 0 to 1."""
    flagged, _ = differing_samples(levels[where], expected[where])
    return _covered(flagged, levels[where] - expected[where], expected[where], np.arange(len(where)))


def touched(ground: Ground, levels: Singles, before: Before, stand: OccupancyEstimate, cells: Flags) -> Flags:
    """Which of *cells* hold something that looks otherwise than before: (n,)."""
    changed, lit = differing_samples(levels, before.levels)
    moved = stand.occupied != before.occupied
    changed &= ~ground.may[moved].any(axis=0) & (stand.flagged | before.flagged) & ~lit
    found = np.zeros(ground.count, np.bool_)
    for cell in np.flatnonzero(cells):
        found[cell] = (changed & ground.may[cell]).sum() >= OTHER
    return found


def toppled(ground: Ground, stand: OccupancyEstimate, fresh: Flags) -> Flags:
    """The *fresh* cells, and those beside them, between which something lies: one toppled piece, not two; (n,)."""
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


def _covered(flagged: Flags, apart: Singles, expected: Singles, where: NDArray[np.intp]) -> float:
    """How much of the samples *where* is hidden, 0 to 1; a dark piece on dark ground shows in their mean alone."""
    if not len(where):
        return 0.0
    limit = _BLACK + _SLACK * float(expected[where].mean())
    drift = float(np.abs(apart[where].mean(axis=0)).max()) / limit
    return max(float(flagged[where].mean()), min(1.0, FULL * drift))


def _strange(ground: Ground, left: Flags, lit: Flags, occupied: Flags, same: Flags) -> Flags:
    """The cells with something at them that no piece explains.

    *left*: samples that differ without a piece that may hide them. What another light would explain hides a cell only
    if it has changed: a shadow beside a piece that stands as it stood is nothing.
    """
    solid, shade = ground.windows(left & ~lit).sum(axis=1), ground.windows(left & lit).sum(axis=1)
    doubtful = (shade >= STRAY) & ~same
    for cell in np.flatnonzero(doubtful & occupied):
        doubtful[cell] = lit[ground.must[cell]].mean() > 0.5
    found: Flags = (solid >= STRAY) | doubtful
    return found


def _between(ground: Ground, occupied: Flags) -> Flags:
    """(s,): what pieces may hide that cover several of the *occupied* cells."""
    spans = [span for (one, other), span in ground.bridges.items() if occupied[one] and occupied[other]]
    return np.any(spans, axis=0) if spans else np.zeros(len(ground.places_mm), np.bool_)


def _in_its_light(ground: Ground, levels: Singles, expected: Singles) -> Singles:
    """*expected* where a window shows the ground's own pattern, but brighter or darker: sun, or a shadow that stays.

    Only what the cell's own piece cannot hide is compared; a plain cover would fit a plain level as well.
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

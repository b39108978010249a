# SPDX-License-Identifier: Apache-2.0
"""Static cover of cells: shadows, block sides, reflections and objects, but not hands.

A hand is one connected patch, and some part of its outline moves within a second.
A covered cell is *settled* when all its samples, and those of the covered cells connected with it,
have been constant for `STILL_MS`.
The look of a settled cell is remembered until the cell is seen empty.
A cell with its remembered look is settled at once, also after a hand has passed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell
from companion.sensing.vision.codes import Grey, Singles
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.light import Light
from companion.sensing.vision.planes import on_plane, plane_fit
from companion.sensing.vision.sampler import ACROSS, Flags

STILL_MS: Final = 1500
"""Time without any change of a settled patch.

A resting hand moves by a millimetre per second.
"""
STILL: Final = 10
"""The same in images, for slow cameras."""
NEAR: Final = 1.6
"""Distance, in edges, at which something is at a cell: the eight cells around it."""
_STIR: Final = 20.0
"""Grey levels by which one sample of a cell may change without motion."""
_SLACK: Final = 0.06
"""The same as a share of its brightness: mains flicker, JPEG."""
_FLOOR: Final = 6.0
"""The same as a multiple of the change of still cells: noise."""
_QUIET: Final = 4
"""One cell in so many shows only noise: no hand or shadow covers it."""
_MEAN_STIR: Final = 2.0
"""Grey levels by which a still cell may change on average."""
_MEAN_FLOOR: Final = 1.5
"""The same as a multiple of the change of still cells."""
_BARE: Final = 8.0
"""Grey levels by which bare-board samples of adjacent cells may differ.

`_SLACK` is added.
"""
_PART: Final = 0.25
"""Share of a cell that shows bare board beside a shadow or a block's side.

An upright piece leaves less.
"""
_CLEAR: Final = 0.6
"""Share of an empty cell's middle that shows bare board."""
_MIDDLE: Final = np.array(
    [row * ACROSS + col for row in range(1, ACROSS - 1) for col in range(1, ACROSS - 1)]
)
"""The samples of a cell's middle."""
_DIMMEST: Final = 0.3
"""Minimum of light in a shadow."""
_UNDIMMED: Final = 1.05
"""Maximum of light in a shadow."""
_EDGE: Final = 0.1
"""Share of a cell that is bare board where a shadow's edge crosses."""
_EVEN: Final = 0.25
"""Variation of the light within a cell without an edge."""
_CLIPPED: Final = 250.0
"""Grey level from which the image is saturated."""
_WHITER: Final = 1.1
"""Excess of a reflected lamp over white paper beside it: nothing else is brighter."""
_SEED: Final = 0.2
"""Share of a cell's samples that must be so bright for a reflection."""
_BRIGHTER: Final = 1.05
"""Excess of its surroundings over the empty board."""


class Cover:
    """The covered cells of one view, and their remembered looks."""

    def __init__(self, middles_mm: Floats, edges_mm: Floats, light: Light) -> None:
        """*middles_mm*: (n, 2) and *edges_mm*: (n,), of the cells."""
        count = len(middles_mm)
        apart = np.abs(middles_mm[:, None] - middles_mm[None]).max(axis=2)
        self.near: Flags = apart < NEAR * edges_mm[:, None]
        """(n, n): True for a cell with itself and its neighbours, also diagonal ones."""
        self.learned: Flags = np.zeros(count, np.bool_)
        """Cells whose cover has settled, and which have not been seen empty since."""
        self.glaring: Flags = np.zeros(count, np.bool_)
        """Learned cells with a reflected lamp."""
        self.accounted: Flags = np.zeros(count, np.bool_)
        """Learned cells whose cover is not a piece: all pieces were seen elsewhere meanwhile."""
        self.shaded: Flags = np.zeros(count, np.bool_)
        """Cells that show part of the board, or all of it dimmed;
        an upright piece would hide it.
        """
        self._light, self._middles_mm = light, middles_mm
        self._first: Singles | None = None
        """(n, samples): the look of each cell since its last change, in the initial light."""
        self._now: Grey | None = None
        """The same in the present light."""
        self._version = 0
        """Version of that light."""
        self._looks: Singles | None = None
        """(n, samples): the looks of the learned cells."""
        self._since_ms = np.zeros(count, np.int64)
        self._learned_ms = np.zeros(count, np.int64)
        self._images = np.zeros(count, np.int32)
        self._noise = 0.0

    def note(self, levels: Grey, now_ms: int) -> None:
        """Add the next image, in which the cells have *levels*, (n, samples)."""
        if self._first is None or self._now is None:
            self._first = self._light.at_first(levels)
            self._looks, self._now, self._version = self._first.copy(), levels.copy(), self._light.version
            self._since_ms[:] = now_ms
            return
        if self._version != self._light.version:
            self._now, self._version = self._in_light(self._first), self._light.version
        change = np.asarray(cv2.absdiff(levels, self._now), np.uint8)
        means = _means(change)
        self._noise = float(np.partition(means, len(means) // _QUIET)[len(means) // _QUIET])
        stirred = self._stirred(change, levels)
        self._images += 1
        if stirred.any():
            self._first[stirred] = self._light.at_first(levels)[stirred]
            self._now[stirred] = levels[stirred]
            self._since_ms[stirred] = now_ms
            self._images[stirred] = 0

    def still(self, now_ms: int) -> Flags:
        """Cells that have not changed for `STILL_MS`."""
        found: Flags = (now_ms - self._since_ms >= STILL_MS) & (self._images >= STILL)
        return found

    def settled(self, covered: Flags, levels: Grey, now_ms: int) -> Flags:
        """Those of the *covered* cells that are settled in the latest image."""
        assert self._first is not None
        assert self._looks is not None
        self.forget(~covered)
        still, known = self.still(now_ms), self.learned.copy()
        if known.any():
            change = np.asarray(cv2.absdiff(levels, self._in_light(self._looks)), np.uint8)
            known &= ~self._stirred(change, levels)
            self.forget(still & ~known)  # another cover has been there for as long
        new = covered & ~known
        if (new & still).any():
            new = self._connected(new & ~still, new)
        settled: Flags = covered & ~new
        return settled

    def forget(self, cells: Flags) -> None:
        """Forget the cover of *cells*, for example after they were seen empty."""
        for each in (self.learned, self.glaring, self.accounted, self.shaded):
            each &= ~cells

    def settled_before(self, cell: Cell) -> Flags:
        """Cells that settled before the last change of *cell*."""
        found: Flags = self.learned & (self._learned_ms < self._since_ms[cell])
        return found

    def learn(self, settled: Flags, levels: Grey, now_ms: int, *, is_accounted: bool) -> Flags:
        """Remember the looks of *settled* cells, and return those that are new.

        *is_accounted*: every piece is visible elsewhere.
        """
        assert self._first is not None
        assert self._looks is not None
        fresh: Flags = settled & ~self.learned
        if fresh.any():
            self._looks[fresh] = self._first[fresh]
            self._learned_ms[fresh] = now_ms
            self.learned |= fresh
            for cell in np.flatnonzero(fresh):
                self.shaded[cell] = self._shows_board(int(cell), levels[cell])
        if is_accounted:
            self.accounted |= settled
        return fresh

    def shade(self, pieces: Sequence[Cell], read: Iterable[Cell] = ()) -> Flags:
        """Learned cells that are covered only by the sides and shadows of *pieces*.

        Cells on which a tag was *read* are excluded.
        """
        shade = self.learned & self.accounted & self.shaded & ~self.glaring & self.near[pieces].any(axis=0)
        shade[list(read)] = False
        return shade

    def _shows_board(self, cell: Cell, levels: NDArray[np.uint8]) -> bool:
        """True if *cell* shows part of the board, or all of it evenly dimmed."""
        around = self.near[cell] & self._light.known
        if not around.any():
            return False
        empty = np.maximum(self._light.empty(around), 1.0)
        apart = np.abs(empty - levels).min(axis=0)
        bare = float((apart < _BARE + _SLACK * levels).mean())
        low, high = np.percentile(levels / empty, (10, 90), axis=1)
        is_dimmed = (low > _DIMMEST) & (high < _UNDIMMED) & ((high - low < _EVEN) | (bare > _EDGE))
        return bare >= _PART or bool(is_dimmed.any())

    def is_bare(self, cell: Cell, ground: Grey, empty: Flags) -> bool:
        """True if the middle of *cell* shows the board: no piece stands there.

        What covers the rest is a shadow's edge, or the side of a block beside it.
        *ground*: (n, samples) of the board itself; the cells *empty* are visible and empty.
        """
        around = self.near[cell] & empty
        like = ground[around if around.any() else empty][:, _MIDDLE].astype(np.float32)
        inner = ground[cell, _MIDDLE].astype(np.float32)
        if not len(like):
            return False
        return float((np.abs(like - inner).min(axis=0) < _BARE + _SLACK * inner).mean()) >= _CLEAR

    def find_glare(self, levels: Grey, whites: Floats, at_mm: Floats) -> None:
        """Find the learned cells with a reflected lamp.

        Only a reflected lamp is brighter than white paper: *whites* are the levels of tags at (m,
        2) mm.
        """
        white = on_plane(plane_fit(whites, at_mm), self._middles_mm) if len(whites) else np.array(255.0)
        limit = np.minimum(_CLIPPED, _WHITER * white)
        seeds = self.learned & ((levels >= limit[..., None]).mean(axis=1) > _SEED)
        if seeds.any():
            usual = np.median(levels[~self.learned]) if not self.learned.all() else 0.0
            bright = self.learned & (levels.mean(axis=1) > _BRIGHTER * usual)
            self.glaring = self._connected(seeds, bright | seeds)
        else:
            self.glaring[:] = False

    def _in_light(self, looks: Singles) -> Grey:
        """*looks* in the present light, as levels of an image."""
        return np.rint(self._light.now(looks)).astype(np.uint8)

    def _stirred(self, change: NDArray[np.uint8], levels: Grey) -> Flags:
        """Cells with a sample whose *change* exceeds noise and flicker."""
        beyond = cv2.addWeighted(change, 1.0, levels, -_SLACK, 0.0)
        most = cv2.reduce(beyond, 1, cv2.REDUCE_MAX)[:, 0]
        allowed = _MEAN_STIR + _MEAN_FLOOR * self._noise + _SLACK * _means(levels)
        found: Flags = np.greater(most, max(_STIR, _FLOOR * self._noise)) | (_means(change) > allowed)
        return found

    def _connected(self, start: Flags, among: Flags) -> Flags:
        """*start* and the cells of *among* that are connected with it."""
        found = fresh = start
        while fresh.any():
            fresh = self.near[fresh].any(axis=0) & among & ~found
            found = found | fresh
        return found


def _means(levels: Grey) -> Singles:
    """(n,): the mean of each row."""
    return np.asarray(cv2.reduce(levels, 1, cv2.REDUCE_AVG, dtype=cv2.CV_32F)[:, 0], np.float32)


def whites_of(samples: NDArray[np.uint8]) -> Floats:
    """The level of white paper on each of the tags with (m, samples)."""
    whites: Floats = np.percentile(samples, 85, axis=1).astype(np.float64) if len(samples) else np.zeros(0)
    return whites

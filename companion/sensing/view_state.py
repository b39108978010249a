# SPDX-License-Identifier: Apache-2.0
"""State of a camera sensor for one view, and rules for covered cells."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from companion.model.grid import Cell
from companion.sensing.cover import Cover, whites_of
from companion.sensing.tag_reader import Read, Reader
from companion.sensing.vision.codes import Grey, Singles
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.light import Light
from companion.sensing.vision.sampler import Flags, Still, Watched, sample

FRESH: Final = 0.8
"""Likeness below which a tag is read again, since it was nudged or turned slightly."""
CALM: Final = 2
"""Images without a change before a cell is read.

A passing hand is never so still.
"""
AGAIN: Final = (CALM, 5, 15, 45, 150)
"""Images without a change after which a covered cell is read, and read again."""
READS: Final = 4
"""Cells read per image; those under a resting hand wait."""
HAND: Final = 2
"""Covered cells around a tag that indicate a hand.

A shadow's edge or a leaning neighbour covers one.
"""
_IS_AGAIN: Final = np.isin(np.arange(AGAIN[-1] + 2), AGAIN)


@dataclass(slots=True)
class ViewState:
    """The state for one view."""

    reader: Reader
    levels: Grey
    """Of the previous image."""
    light: Light
    cover: Cover
    calm: NDArray[np.int32]
    """Images for which each cell has looked the same."""
    watched: Watched | None = None
    """The watched tags, the corners first."""
    at_mm: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Their places, (n, 2)."""
    bases: Singles | None = None
    """Their levels in the initial light; None until they are collected again."""
    quiet: Still | None = None
    """The last image with everything in its place; None if something is not."""
    due: Flags | None = None
    """Cells that are to be read, or None."""
    read: dict[Cell, Read] = field(default_factory=dict)
    """Results read on cells that have been still since."""
    lost: int = 0
    """Images with hardly a tag in its place."""

    def read_due(self, image: Grey, worn: list[Cell], covered: Flags) -> None:
        """Read covered cells and *worn* tags after they settle, and again after longer times."""
        self.read = {cell: read for cell, read in self.read.items() if self.calm[cell] >= CALM}
        asked = covered.copy()
        asked[worn] = True
        asked &= self.calm >= CALM
        due = asked & _IS_AGAIN[np.minimum(self.calm, AGAIN[-1] + 1)]
        if self.due is not None:
            due |= self.due & asked
        cells = np.flatnonzero(due)
        if len(cells) > READS:  # a tag is black and white, a hand is not
            cells = cells[
                np.argsort(-np.ptp(self.levels[cells], axis=1).astype(np.int16), kind="stable")[:READS]
            ]
        due[cells] = False
        self.due = due if due.any() else None
        for read in self.reader.read(image, (int(cell) for cell in cells)):
            self.read[read.cell] = read

    def settled(self, image: Grey, blocked: Flags, now_ms: int, *, is_accounted: bool) -> Flags:
        """Those of the *blocked* cells that have a static cover; a new one is learned."""
        if not blocked.any():
            self.cover.forget(~blocked)
            return blocked
        settled = self.cover.settled(blocked, self.levels, now_ms)
        fresh = self.cover.learn(settled, self.levels, now_ms, is_accounted=is_accounted)
        if fresh.any():
            bare = np.zeros_like(fresh)
            for cell in np.flatnonzero(fresh & self.light.known):
                bare[cell] = self.light.resembles_empty(self.levels, int(cell))
            if bare.any():  # the shadow in which it was learned is gone
                self.light.learn_again(self.levels, bare)
            assert self.watched is not None
            self.cover.find_glare(self.levels, whites_of(sample(image, self.watched.where)), self.at_mm)
        return settled

    def has_hand(self, cell: Cell, blocked: Flags, moving: Flags, now_ms: int) -> bool:
        """True if enough cells around *cell* are covered for a hand.

        They or the tag must have moved lately; cells that settled before the tag came do not count.
        """
        around = blocked & self.cover.near[cell] & (moving | ~self.cover.settled_before(cell))
        is_still = not (around & moving).any() and bool(self.cover.still(now_ms)[cell])
        return int(around.sum()) >= HAND and not is_still

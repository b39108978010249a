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
from companion.sensing.unrest import FLICKER, Unrest
from companion.sensing.vision.codes import CONTRAST, Grey, Singles, usual_contrast
from companion.sensing.vision.geometry import Floats
from companion.sensing.vision.light import Light
from companion.sensing.vision.sampler import Flags, Still, Watched, sample
from companion.sensing.vision.steadying import Steadying

FRESH: Final = 0.8
"""Likeness below which a tag is read again, since it was nudged or turned slightly."""
CALM: Final = 2
"""Images without a change before a cell is read.

A passing hand is never so still.
"""
AGAIN: Final = (CALM, 5, 15, 45, 150)
"""Images without a change after which a covered cell is read, and read again."""
SOUGHT: Final = 15
"""The same interval while a piece is sought.

In the dark, a hand that leaves a piece may not change its cell by more than noise does.
"""
READS: Final = 4
"""Cells read per image; those under a resting hand wait."""
HAND: Final = 2
"""Covered cells around a tag that indicate a hand.

A shadow's edge or a leaning neighbour covers one.
"""
SAME: Final = 30
"""Images without a change after which a tag is not in a hand."""
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
    steadying: Steadying
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
    unrest: Unrest = field(default_factory=Unrest)

    def note(self, levels: Grey, moving: Flags) -> None:
        """Process the *levels* of an image in which the cells *moving* differ."""
        self.calm = np.where(moving, 0, self.calm + 1).astype(np.int32)
        self.levels = levels
        self.unrest.note(moving)

    def contrast(self, image: Grey) -> float:
        """The least contrast of a tag in the light of the corner tags."""
        corners = len(self.reader.outfit.corners)
        if self.watched is None or not corners:
            return CONTRAST
        whole, rest = self.watched.where
        return usual_contrast(sample(image, (whole[:corners], rest[:corners])))

    @property
    def flickering(self) -> Flags:
        """Cells that have changed again and again, in place: a lamp or a screen."""
        found = self.unrest.flickering
        if found.any():  # its edge changes less often
            found = found | (self.cover.near[found].any(axis=0) & (self.unrest.share > FLICKER / 4))
        return found

    def restless(self, now_ms: int, *, is_pending: bool) -> Flags:
        """Cells that delay the report of a change by flickering."""
        return self.unrest.delaying(self.flickering, now_ms, is_pending=is_pending)

    def read_due(self, image: Grey, worn: list[Cell], covered: Flags, *, is_sought: bool) -> None:
        """Read covered cells and *worn* tags after they settle, and again after longer times.

        *is_sought*: a piece is missing, and may be on any of them.
        """
        self.read = {cell: read for cell, read in self.read.items() if self.calm[cell] >= CALM}
        asked = covered.copy()
        asked[worn] = True
        asked &= self.calm >= CALM
        is_again = _IS_AGAIN[np.minimum(self.calm, AGAIN[-1] + 1)]
        if is_sought:
            is_again = is_again | (self.calm % SOUGHT == 0)
        due = asked & is_again
        if self.due is not None:
            due |= self.due & asked
        cells = np.flatnonzero(due)
        if len(cells) > READS:  # a tag is black and white, a hand is not
            cells = cells[
                np.argsort(-np.ptp(self.levels[cells], axis=1).astype(np.int16), kind="stable")[:READS]
            ]
        due[cells] = False
        self.due = due if due.any() else None
        found = self.reader.read(image, (int(cell) for cell in cells), contrast=self.contrast(image))
        for read in found:
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
        return int(around.sum()) >= HAND and not is_still and self.calm[cell] < SAME

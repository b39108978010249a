# SPDX-License-Identifier: Apache-2.0
"""The state of a camera sensor for one view of the board, and its rules for covered cells."""

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
"""Likeness below which a tag is read again: it was nudged or turned a little."""
CALM: Final = 2
"""Images without a change before a cell is read: a hand that passes is never as still as that."""
AGAIN: Final = (CALM, 5, 15, 45, 150)
"""Images without a change after which a covered cell is read, and read once more."""
READS: Final = 4
"""Cells that are read in one image; those under a resting hand wait their turn."""
HAND: Final = 2
"""Covered cells around a tag that make a hand at it; a shadow's edge or a leaning neighbour covers one."""
_IS_AGAIN: Final = np.isin(np.arange(AGAIN[-1] + 2), AGAIN)


@dataclass(slots=True)
class ViewState:
    """The state that is kept while one view lasts."""

    reader: Reader
    levels: Grey
    """Of the image before."""
    light: Light
    cover: Cover
    calm: NDArray[np.int32]
    """Images for which each cell has looked the same."""
    watched: Watched | None = None
    """The tags that are watched, the corners first."""
    at_mm: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    """Where they are, (n, 2)."""
    bases: Singles | None = None
    """What their levels would be in the light at first; None until they are gathered anew."""
    quiet: Still | None = None
    """The look of the last image in which everything was in its place; None if something is not."""
    due: Flags | None = None
    """Cells that are to be read; None if there are none."""
    read: dict[Cell, Read] = field(default_factory=dict)
    """What was read on cells that have been calm since."""
    lost: int = 0
    """Images with hardly a tag in its place."""

    def read_due(self, image: Grey, worn: list[Cell], covered: Flags) -> None:
        """Read covered cells and *worn* tags that came to rest, and repeat it after longer rests."""
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
        """Which of the *blocked* cells have a static cover; a new one is learned."""
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
        """True if enough cells around *cell* are covered for a hand, and they or the tag moved lately.

        Cells that settled before the tag came do not count.
        """
        around = blocked & self.cover.near[cell] & (moving | ~self.cover.settled_before(cell))
        is_still = not (around & moving).any() and bool(self.cover.still(now_ms)[cell])
        return int(around.sum()) >= HAND and not is_still

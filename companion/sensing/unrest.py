# SPDX-License-Identifier: Apache-2.0
"""Cells that change again and again: a lamp, a screen, or a busy hand. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np

from companion.sensing.vision.codes import Singles
from companion.sensing.vision.sampler import Flags

FLICKER: Final = 0.4
"""Share of the latest images from which a cell flickers: after 1.5 s of change.

A hand does not stir in place for so long.
"""
PENDING_MS: Final = 2500
"""Time after which people are told why a change is not reported."""
_WEIGHT: Final = 1 / 90
"""Weight of an image in that share."""


@dataclass(slots=True)
class Unrest:
    """The changes of each cell in the latest images."""

    share: Singles = field(default_factory=lambda: np.zeros(0, np.float32))
    """Share of the images in which each cell has changed."""
    pending_ms: int | None = None
    """Time of the first change that cannot be reported, if any."""

    def note(self, moving: Flags) -> None:
        """Process an image in which the cells *moving* differ."""
        if len(self.share) != len(moving):
            self.share = np.zeros(len(moving), np.float32)
        self.share += _WEIGHT * (moving - self.share)

    @property
    def flickering(self) -> Flags:
        """The cells that flicker."""
        found: Flags = self.share > FLICKER
        return found

    def delaying(self, flickering: Flags, now_ms: int, *, is_pending: bool) -> Flags:
        """The *flickering* cells, once they have delayed a report for long.

        *is_pending*: a change cannot be reported.
        """
        if not is_pending:
            self.pending_ms = None
        elif self.pending_ms is None:
            self.pending_ms = now_ms
        is_late = self.pending_ms is not None and now_ms - self.pending_ms >= PENDING_MS
        found: Flags = flickering & is_late
        return found

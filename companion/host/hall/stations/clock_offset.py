# SPDX-License-Identifier: Apache-2.0
"""Offset between the clocks of a station and its hall, estimated from the fastest reply.

Pure. Its rule: a clock is never set; with a known offset, both ends can act at the same time.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_MOST: Final = 20
"""Number of kept replies: about a minute, in which drift is below the precision."""


class Comparison:
    """Estimate of the offset between two clocks."""

    def __init__(self) -> None:
        self._answers: deque[tuple[int, int]] = deque(maxlen=_MOST)
        """Round-trip time of each reply, and our offset by it."""
        self._first: list[tuple[int, int]] = []
        """The first replies."""

    def measure(self, asked_ms: int, now_ms: int, theirs_ms: int) -> None:
        """Note that the other clock read *theirs_ms* between *asked_ms* and *now_ms* of ours."""
        self._answers.append((now_ms - asked_ms, (asked_ms + now_ms) // 2 - theirs_ms))
        if len(self._first) < _MOST:
            self._first.append(self._answers[-1])

    def forget(self) -> None:
        """Reset: the other clock has changed."""
        self._answers.clear()
        self._first.clear()

    @property
    def is_known(self) -> bool:
        """True after the first reply."""
        return bool(self._answers)

    @property
    def offset_ms(self) -> int:
        """Return how far our clock is ahead; 0 if unknown."""
        return min(self._answers)[1] if self._answers else 0

    @property
    def error_ms(self) -> int:
        """Return the uncertainty: half the fastest round trip, plus rounding."""
        return min(self._answers)[0] // 2 + 1 if self._answers else 0

    @property
    def drift_ms(self) -> int:
        """Return how far our clock has drifted ahead since the first replies."""
        return self.offset_ms - min(self._first)[1] if self._first else 0

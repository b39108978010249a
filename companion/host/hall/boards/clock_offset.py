# SPDX-License-Identifier: Apache-2.0
"""A board's clock compared with its hall's: each asks the other for the time, and the quickest answer tells best.

Pure. Its rule: a clock is never set; who knows by how much two of them differ can do something at one time at both.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_MOST: Final = 20
"""Answers that are kept: about a minute's, in which clocks drift apart by less than they can be compared."""


class Comparison:
    """What is known of the difference between our clock and another's."""

    def __init__(self) -> None:
        self._answers: deque[tuple[int, int]] = deque(maxlen=_MOST)
        """How long each took, and by how much our clock is ahead by it."""
        self._first: list[tuple[int, int]] = []
        """The first of them."""

    def heard(self, asked_ms: int, now_ms: int, theirs_ms: int) -> None:
        """The other clock was at *theirs_ms* some time between *asked_ms* and *now_ms*, by ours."""
        self._answers.append((now_ms - asked_ms, (asked_ms + now_ms) // 2 - theirs_ms))
        if len(self._first) < _MOST:
            self._first.append(self._answers[-1])

    def forget(self) -> None:
        """The other clock is another one."""
        self._answers.clear()
        self._first.clear()

    @property
    def is_known(self) -> bool:
        """True once there was an answer."""
        return bool(self._answers)

    @property
    def offset_ms(self) -> int:
        """By how much our clock is ahead; 0 while nobody knows."""
        return min(self._answers)[1] if self._answers else 0

    @property
    def error_ms(self) -> int:
        """By how much this may be wrong: half the time that the quickest answer took, and what milliseconds leave out."""
        return min(self._answers)[0] // 2 + 1 if self._answers else 0

    @property
    def drift_ms(self) -> int:
        """By how much our clock has gone ahead since the first answers."""
        return self.offset_ms - min(self._first)[1] if self._first else 0

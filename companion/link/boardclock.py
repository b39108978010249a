# SPDX-License-Identifier: Apache-2.0
"""Conversion of panel milliseconds to host milliseconds.

Pure.
A message arrives later than its stamp, never earlier:
of several comparisons, the one with the smallest delay is the most accurate.
Only the latest are kept, since a ceramic resonator may drift by half a per cent.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_COMPARISONS: Final = 6
"""Heartbeats and pings of three seconds: a drift of 0.5 % stays below 15 ms."""
_RESTART_MS: Final = 1000
"""A clock that falls back by more has restarted.

A reply repeated from the panel's memory is at most 750 ms old.
"""
_WRAP: Final = 1 << 32


class BoardClock:
    """Converts stamps of one panel's session.

    Results are monotonic and never in the future.
    """

    def __init__(self) -> None:
        self._offsets: deque[int] = deque(maxlen=_COMPARISONS)
        self._unwrapped_ms = 0
        self._last_ms: int | None = None

    def restart(self) -> None:
        """Forget the comparisons: the panel's clock restarts. Results remain monotonic."""
        self._offsets.clear()

    def compare(self, panel_ms: int, now_ms: int) -> None:
        """Add a comparison: the panel's clock showed *panel_ms* shortly before *now_ms*.

        If the clock has fallen back, the panel has restarted and earlier comparisons are discarded.
        """
        self._unwrapped_ms = self._unwrap(panel_ms)
        offset = now_ms - self._unwrapped_ms
        if self._offsets and offset > min(self._offsets) + _RESTART_MS:
            self._offsets.clear()
        self._offsets.append(offset)

    def to_host(self, panel_ms: int, now_ms: int) -> int:
        """The host's time of *panel_ms*, a stamp not later than *now_ms*.

        Without comparisons the result is *now_ms*.
        """
        mapped = self._unwrap(panel_ms) + min(self._offsets) if self._offsets else now_ms
        mapped = min(mapped, now_ms)
        self._last_ms = mapped if self._last_ms is None else max(mapped, self._last_ms)
        return self._last_ms

    def _unwrap(self, panel_ms: int) -> int:
        """*panel_ms* without its wrap every 49.7 days:
        the value nearest to the latest comparison.
        """
        ahead = (panel_ms - self._unwrapped_ms + _WRAP // 2) % _WRAP - _WRAP // 2
        return self._unwrapped_ms + ahead

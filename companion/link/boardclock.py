# SPDX-License-Identifier: Apache-2.0
"""The panel's clock seen from the host: panel milliseconds in, host milliseconds out.

Pure.
What a panel says took time to arrive, never the opposite of time:
of several comparisons, the one with the smallest transit is nearest the truth.
Only the latest are kept, for a ceramic resonator may drift by half a per cent.
"""

from __future__ import annotations

from collections import deque
from typing import Final

_COMPARISONS: Final = 6
"""Heartbeats and pings of three seconds: a drift of 0.5 % stays below 15 ms."""
_RESTART_MS: Final = 1000
"""A clock that has fallen back by more has begun anew: a reply repeated from the panel's memory is at most 750 ms old."""
_WRAP: Final = 1 << 32


class BoardClock:
    """Maps stamps of one panel's session; results never go backwards and never lie in the future."""

    def __init__(self) -> None:
        self._offsets: deque[int] = deque(maxlen=_COMPARISONS)
        self._unwrapped_ms = 0
        self._last_ms: int | None = None

    def restart(self) -> None:
        """Forget the comparisons: the panel's clock begins anew. Results still never go backwards."""
        self._offsets.clear()

    def compare(self, panel_ms: int, now_ms: int) -> None:
        """Note that the panel's clock showed *panel_ms* shortly before *now_ms*.

        A panel may restart unheard; what was known of its old clock is worth nothing then.
        """
        self._unwrapped_ms = self._unwrap(panel_ms)
        offset = now_ms - self._unwrapped_ms
        if self._offsets and offset > min(self._offsets) + _RESTART_MS:
            self._offsets.clear()
        self._offsets.append(offset)

    def to_host(self, panel_ms: int, now_ms: int) -> int:
        """The host's time of *panel_ms*, a stamp not later than *now_ms*, which is the answer without comparisons."""
        mapped = self._unwrap(panel_ms) + min(self._offsets) if self._offsets else now_ms
        mapped = min(mapped, now_ms)
        self._last_ms = mapped if self._last_ms is None else max(mapped, self._last_ms)
        return self._last_ms

    def _unwrap(self, panel_ms: int) -> int:
        """*panel_ms* without its wrapping every 49.7 days: the value nearest to the latest comparison."""
        ahead = (panel_ms - self._unwrapped_ms + _WRAP // 2) % _WRAP - _WRAP // 2
        return self._unwrapped_ms + ahead

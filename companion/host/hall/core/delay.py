# SPDX-License-Identifier: Apache-2.0
"""Delayed feeds for spectators.

Its rule: feeds are the only path from stations to spectators, and nothing newer than the delay
passes. A growing delay holds back what is to come and withdraws nothing; a shrinking one releases
what has waited long enough. Only when a station first comes under a delay are newer values
withdrawn, since nobody knew before that they count.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Values per station, each released after a delay."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[tuple[int, T]]] = {}
        """Held-back values with their times, by station, oldest first."""
        self._shown: dict[str, T] = {}
        self._since_ms: dict[str, int] = {}
        """Times of the released values."""

    @property
    def shown(self) -> dict[str, T]:
        """Return the released values, by station."""
        return dict(self._shown)

    @property
    def waiting(self) -> set[str]:
        """Return the stations with held-back values."""
        return set(self._waiting)

    def of(self, station: str) -> T | None:
        """Return the released value of *station*; None if there was no release."""
        return self._shown.get(station)

    def newest(self, station: str) -> T | None:
        """Return the latest value of *station*, released or not; None if unknown."""
        waiting = self._waiting.get(station)
        return waiting[-1][1] if waiting else self._shown.get(station)

    def put(self, station: str, what: T, now_ms: int) -> None:
        """Add the value *what* of *station*, valid from *now_ms*."""
        self._waiting.setdefault(station, deque()).append((now_ms, what))

    def release(self, station: str, delay_ms: int, now_ms: int) -> bool:
        """Release values older than *delay_ms*; true if the released value changed."""
        waiting = self._waiting.get(station)
        has_changed = False
        while waiting and waiting[0][0] + delay_ms <= now_ms:
            self._since_ms[station], self._shown[station] = waiting.popleft()
            has_changed = True
        if has_changed and not waiting:
            del self._waiting[station]
        return has_changed

    def take_back(self, station: str, delay_ms: int, now_ms: int) -> None:
        """Withdraw the released value of *station* if it is newer than *delay_ms*."""
        if station in self._shown and self._since_ms[station] + delay_ms > now_ms:
            seen = self._since_ms.pop(station), self._shown.pop(station)
            self._waiting.setdefault(station, deque()).appendleft(seen)

    def forget(self, station: str) -> None:
        """Drop all values of *station*."""
        self._waiting.pop(station, None)
        self._shown.pop(station, None)
        self._since_ms.pop(station, None)

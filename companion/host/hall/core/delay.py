# SPDX-License-Identifier: Apache-2.0
"""Delayed feeds for spectators.

Its rule: feeds are the only path from boards to spectators, and nothing newer than the delay
passes. A growing delay holds back what is to come and withdraws nothing; a shrinking one releases
what has waited long enough. Only when a board first comes under a delay are newer values withdrawn,
since nobody knew before that they count.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """Values per board, each released after a delay."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[tuple[int, T]]] = {}
        """Held-back values with their times, by board, oldest first."""
        self._shown: dict[str, T] = {}
        self._since_ms: dict[str, int] = {}
        """Times of the released values."""

    @property
    def shown(self) -> dict[str, T]:
        """Return the released values, by board."""
        return dict(self._shown)

    @property
    def waiting(self) -> set[str]:
        """Return the boards with held-back values."""
        return set(self._waiting)

    def of(self, board: str) -> T | None:
        """Return the released value of *board*; None if there was no release."""
        return self._shown.get(board)

    def newest(self, board: str) -> T | None:
        """Return the latest value of *board*, released or not; None if unknown."""
        waiting = self._waiting.get(board)
        return waiting[-1][1] if waiting else self._shown.get(board)

    def put(self, board: str, what: T, now_ms: int) -> None:
        """Add the value *what* of *board*, valid from *now_ms*."""
        self._waiting.setdefault(board, deque()).append((now_ms, what))

    def release(self, board: str, delay_ms: int, now_ms: int) -> bool:
        """Release values older than *delay_ms*; true if the released value changed."""
        waiting = self._waiting.get(board)
        has_changed = False
        while waiting and waiting[0][0] + delay_ms <= now_ms:
            self._since_ms[board], self._shown[board] = waiting.popleft()
            has_changed = True
        if has_changed and not waiting:
            del self._waiting[board]
        return has_changed

    def take_back(self, board: str, delay_ms: int, now_ms: int) -> None:
        """Withdraw the released value of *board* if it is newer than *delay_ms*."""
        if board in self._shown and self._since_ms[board] + delay_ms > now_ms:
            seen = self._since_ms.pop(board), self._shown.pop(board)
            self._waiting.setdefault(board, deque()).appendleft(seen)

    def forget(self, board: str) -> None:
        """Drop all values of *board*."""
        self._waiting.pop(board, None)
        self._shown.pop(board, None)
        self._since_ms.pop(board, None)

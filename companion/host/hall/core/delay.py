# SPDX-License-Identifier: Apache-2.0
"""What spectators may see: the same as is true, so much later as the tournament wants.

Its rule: this is the only way from the boards to spectators, and nothing newer than the delay passes, whatever is asked.
A delay that grows holds back what is to come and takes nothing back; one that shrinks lets go what has waited long enough.
Only what comes under a delay for the first time is taken back as far as it is newer than that: nobody knew before that it counts.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")


class Feed(Generic[T]):
    """What is shown of each board to those who see it late."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[tuple[int, T]]] = {}
        """What is held back of each board, and since when it is true, the oldest first."""
        self._shown: dict[str, T] = {}
        self._since_ms: dict[str, int] = {}
        """Since when that is true."""

    @property
    def shown(self) -> dict[str, T]:
        """What spectators see now, by board."""
        return dict(self._shown)

    @property
    def waiting(self) -> set[str]:
        """The boards of which something is held back."""
        return set(self._waiting)

    def of(self, board: str) -> T | None:
        """What spectators see of *board*; None if nothing yet."""
        return self._shown.get(board)

    def newest(self, board: str) -> T | None:
        """What is true of *board* now, seen or not; None if nothing is known."""
        waiting = self._waiting.get(board)
        return waiting[-1][1] if waiting else self._shown.get(board)

    def put(self, board: str, what: T, now_ms: int) -> None:
        """*what* is true of *board* from now on."""
        self._waiting.setdefault(board, deque()).append((now_ms, what))

    def release(self, board: str, delay_ms: int, now_ms: int) -> bool:
        """Let go what has waited for *delay_ms*; True if spectators see something else now."""
        waiting = self._waiting.get(board)
        has_changed = False
        while waiting and waiting[0][0] + delay_ms <= now_ms:
            self._since_ms[board], self._shown[board] = waiting.popleft()
            has_changed = True
        if has_changed and not waiting:
            del self._waiting[board]
        return has_changed

    def take_back(self, board: str, delay_ms: int, now_ms: int) -> None:
        """What spectators see of *board* waits on, unless it has waited for *delay_ms*."""
        if board in self._shown and self._since_ms[board] + delay_ms > now_ms:
            seen = self._since_ms.pop(board), self._shown.pop(board)
            self._waiting.setdefault(board, deque()).appendleft(seen)

    def forget(self, board: str) -> None:
        """Nobody sees anything of *board* any more."""
        self._waiting.pop(board, None)
        self._shown.pop(board, None)
        self._since_ms.pop(board, None)

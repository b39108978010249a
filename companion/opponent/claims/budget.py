# SPDX-License-Identifier: Apache-2.0
"""How many positions the claims may look at."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

_ASK_EVERY: Final = 16
"""Positions between two questions whether to stop."""


class GaveUp(Exception):
    """The positions of an attempt are used up: nothing is claimed."""


class Budget:
    """A number of positions, and of those a part for each attempt."""

    def __init__(self, most: int, should_stop: Callable[[], bool]) -> None:
        self.spent = 0
        """Positions that were looked at."""
        self._most = most
        self._end = most
        self._should_stop = should_stop

    def spend(self) -> None:
        """Count a position. Raises `GaveUp`."""
        self.spent += 1
        if self.spent > self._end or (self.spent % _ASK_EVERY == 0 and self._should_stop()):
            raise GaveUp

    @contextmanager
    def attempt(self, share: float) -> Iterator[None]:
        """Let the block look at *share* of all positions; it ends if it gives up."""
        before = self._end
        self._end = min(before, self.spent + int(share * self._most))
        try:
            yield
        except GaveUp:
            pass
        finally:
            self._end = before

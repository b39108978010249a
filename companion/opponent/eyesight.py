# SPDX-License-Identifier: Apache-2.0
"""How well a weak opponent sees: values are blurred, and some replies are overlooked.

Both depend on the position and a seed only, so a game can be repeated.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from companion.model.game import M

_MEAN: Final = 4 * 255 // 2
"""The mean of the sum of four random bytes."""
_DEVIATION: Final = 148
"""The standard deviation of that sum."""
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class Eyesight:
    """The limits of what is seen."""

    seed: int
    noise: int = 0
    """Standard deviation of the error of a value."""
    overlooked: int = 0
    """Percentage of the replies that are not seen."""

    def blur(self, key: Hashable) -> int:
        """The error of the value of the position with *key*."""
        if not self.noise:
            return 0
        drawn = sum(crc32(f"{self.seed} {key!r}".encode()).to_bytes(4, "big"))
        return (drawn - _MEAN) * self.noise // _DEVIATION

    def seen(self, key: Hashable, moves: Sequence[M]) -> Sequence[M]:
        """Those of *moves* that are seen in the position with *key*; one at least."""
        if not self.overlooked or not moves:
            return moves
        start = crc32(f"{self.seed} {key!r}".encode())
        return [
            move for move in moves if crc32(repr(move).encode(), start) % _HUNDRED >= self.overlooked
        ] or moves[:1]

# SPDX-License-Identifier: Apache-2.0
"""How a weak opponent sees: blurred values, and no replies to some moves.

Both depend on the position and a seed only, so a game can be repeated.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Final
from zlib import crc32

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
    """Percentage of the positions in which it does not see the replies to its moves."""

    def blur(self, key: Hashable) -> int:
        """The error of the value of the position with *key*."""
        if not self.noise:
            return 0
        drawn = sum(crc32(f"{self.seed} {key!r}".encode()).to_bytes(4, "big"))
        return (drawn - _MEAN) * self.noise // _DEVIATION

    def is_careless(self, key: Hashable) -> bool:
        """True if the replies to a move in the position with *key* are not seen."""
        return crc32(f"{self.seed} {key!r} replies".encode()) % _HUNDRED < self.overlooked

# SPDX-License-Identifier: Apache-2.0
"""How a weak opponent sees: blurred values, and not all that comes from far away.

Beginners see what stands beside a piece, and miss the bishop at the other end of the diagonal. So
a reply may be overlooked for its way over the board: the look follows it cell by cell, and at each
cell beyond the first it is lost with the same chance. A reply from a neighbouring cell is always
seen, one from beside the board, too. The draw is that of the way, so that during one search the
same line is missed, or seen, in all positions.

All depends on the position and a seed only, so a game can be repeated.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Final
from zlib import crc32

from companion.opponent.ways import Way

_MEAN: Final = 4 * 255 // 2
"""The mean of the sum of four random bytes."""
_DEVIATION: Final = 148
"""The standard deviation of that sum."""
_HUNDRED: Final = 100
_BYTES: Final = 4
"""Of a draw."""


@dataclass(frozen=True, slots=True)
class Eyesight:
    """The limits of what is seen."""

    seed: int
    noise: int = 0
    """Standard deviation of the error of a value."""
    overlooked: int = 0
    """Chance in percent to lose a way at each cell beyond the first."""

    def blur(self, key: Hashable) -> int:
        """The error of the value of the position with *key*."""
        if not self.noise:
            return 0
        drawn = sum(crc32(f"{self.seed} {key!r}".encode()).to_bytes(4, "big"))
        return (drawn - _MEAN) * self.noise // _DEVIATION

    def overlooks(self, key: Hashable, way: Way) -> bool:
        """True if a reply on *way* is not seen from the position with *key*."""
        if not self.overlooked or way.length < 2:
            return False
        seen = (1 - self.overlooked / _HUNDRED) ** (way.length - 1)
        text = f"{self.seed} {key!r} {way.source} {way.target}"
        drawn = blake2b(text.encode(), digest_size=_BYTES).digest()  # a checksum draws alike for like cells
        return int.from_bytes(drawn, "big") >= seen * (1 << 8 * _BYTES)

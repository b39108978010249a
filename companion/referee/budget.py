# SPDX-License-Identifier: Apache-2.0
"""How much may be tried to explain what was heard: a table has to go on, however much is open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.referee.belief import Belief

MOST_WORK: Final = 225_000
"""What living through all other histories may cost, in legal moves: half a second or so. Those that help come early."""

_PLY_WORK: Final = 100
"""What a ply costs besides, however few moves are legal."""


@dataclass
class Budget:
    """How much may still be tried."""

    work: int = MOST_WORK

    @property
    def is_spent(self) -> bool:
        """True if what would explain more may not have been tried."""
        return self.work < 0

    def affords(self, belief: Belief, depth: int) -> bool:
        """True if it was enough for another history that parts from *belief* at *depth*."""
        self.work -= max(1, len(belief.line) - depth) * (len(belief.root.imprints()) + _PLY_WORK)
        return not self.is_spent

    def affords_ply(self, indexed: int) -> bool:
        """True if it was enough for another move instead of one ply, for which as many legal moves were *indexed*."""
        self.work -= indexed + _PLY_WORK
        return not self.is_spent

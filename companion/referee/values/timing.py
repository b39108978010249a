# SPDX-License-Identifier: Apache-2.0
"""Waits of the referee in ms of board at rest, and the speed of hands.

They precede beliefs, questions and warnings.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Final

BOUNCE_MS: Final = 12
"""Longest opening of a bouncing contact after debouncing; hands are slower."""

LINGER_MS: Final = 5000
"""Longest time for which a hand rests on a piece before sliding on."""

UNDECIDED_MS: Final = 5000
"""The least rest after which an undecided ply is written down."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Waits of increasing length: most moves need only the first one.

    Each is for a less certain case than the one before.
    None has a default, so that every journal contains them all.
    """

    rest_ms: int
    """The board is at rest after this time. Longer than any bounce after debouncing."""
    hint_ms: int
    """Rest in a position without legal continuation, before a hint."""
    dwell_ms: int
    """Rest after a move that could still be extended: the hand has left it."""
    dwell_emptied_ms: int
    """Rest with emptied cells and nothing placed: a move rather than a held piece.

    The hand's next action revises it.
    """
    longest_ms: int
    """Rest after which no hand is moving or over the board."""

    @property
    def waits_ms(self) -> tuple[int, ...]:
        """Rest times after which something may be detected, ascending; without held pieces."""
        return (self.rest_ms, self.hint_ms, self.dwell_ms, self.dwell_emptied_ms, self.longest_ms)

    @property
    def undecided_ms(self) -> int:
        """Rest after which every ply should have been announced or asked about."""
        return max(UNDECIDED_MS, 2 * max(self.waits_ms))

    def clash(self) -> tuple[str, str] | None:
        """The names of the first wait that is longer than the next, and of that;
        None if ascending.
        """
        by_length = pairwise(field.name for field in fields(self))
        return next((pair for pair in by_length if getattr(self, pair[0]) > getattr(self, pair[1])), None)


DEFAULT_TIMING: Final = Timing(rest_ms=60, hint_ms=500, dwell_ms=700, dwell_emptied_ms=1000, longest_ms=2400)
"""The timing of a table by default."""

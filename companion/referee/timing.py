# SPDX-License-Identifier: Apache-2.0
"""How long the referee waits before it believes, asks or warns; all in ms of board at rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Timing:
    """Four waits instead of one: most moves need only the first."""

    rest_ms: int = 60
    """No cell changed for so long: the board is at rest. Longer than any bounce that passes a debounce."""
    hint_ms: int = 500
    """At rest in a position that nothing lawful leads through: say so."""
    dwell_ms: int = 700
    """At rest after a move that could still be extended: the hand has left it."""
    dwell_emptied_ms: int = 1000
    """At rest with cells empty and nothing put down: rather a move than a piece in the hand. What the hand does next revises it."""
    longest_ms: int = 2400
    """At rest for so long: no hand is on its way, nor over the board."""

    @property
    def waits_ms(self) -> tuple[int, ...]:
        """After how long a rest something may be found out, wood in a hand apart; ascending."""
        return (self.rest_ms, self.hint_ms, self.dwell_ms, self.dwell_emptied_ms, self.longest_ms)


DEFAULT_TIMING: Final = Timing()
"""What a table plays with when nothing is said."""

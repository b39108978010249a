# SPDX-License-Identifier: Apache-2.0
"""How long the referee waits before it believes, asks or warns, all in ms of board at rest; and how quick and slow hands are."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Final

BOUNCE_MS: Final = 12
"""Longest time for which a contact that bounces is open, after a debounce of a few ms; no hand is as quick."""

ANSWER_MS: Final = 100
"""Nobody lifts sooner what another hand has just put down."""

LINGER_MS: Final = 5000
"""Longest that a hand rests on wood before it slides on."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Several waits instead of one: most moves need only the first. None has a default, so that every journal says them all.

    In the order of their lengths: each is for what is harder to be sure of than what the one before is for.
    """

    rest_ms: int
    """No cell changed for so long: the board is at rest. Longer than any bounce that passes a debounce."""
    hint_ms: int
    """At rest in a position that nothing lawful leads through: say so."""
    dwell_ms: int
    """At rest after a move that could still be extended: the hand has left it."""
    dwell_emptied_ms: int
    """At rest with cells empty and nothing put down: rather a move than a piece in the hand. What the hand does next revises it."""
    longest_ms: int
    """At rest for so long: no hand is on its way, nor over the board."""

    @property
    def waits_ms(self) -> tuple[int, ...]:
        """After how long a rest something may be found out, wood in a hand apart; ascending."""
        return (self.rest_ms, self.hint_ms, self.dwell_ms, self.dwell_emptied_ms, self.longest_ms)

    def clash(self) -> tuple[str, str] | None:
        """The first wait that is longer than the next, and that, by their names; None if they ascend, as the referee needs it."""
        by_length = pairwise(field.name for field in fields(self))
        return next((pair for pair in by_length if getattr(self, pair[0]) > getattr(self, pair[1])), None)


DEFAULT_TIMING: Final = Timing(rest_ms=60, hint_ms=500, dwell_ms=700, dwell_emptied_ms=1000, longest_ms=2400)
"""What a table plays with when nothing is said."""

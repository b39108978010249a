# SPDX-License-Identifier: Apache-2.0
"""Temperaments: speed of hands, thinking times, and habits.

Sources of the numbers:

- A reach-and-place movement over 10 to 50 cm takes 0.4 to 1.2 s (Fitts, 1954, and MTM-1 tables for
  reach, grasp, move); hands in blitz chess take 0.2 to 0.5 s for a whole move, small children two
  to three times as long as adults. In bullet chess a ply takes about a second from press to press.
- People's times are log-normal to a good approximation (reaction and inspection times in
  psychology); a median of 4 to 40 s for a move with minutes in the tail is what chess servers
  publish for rapid and classical games.
- Pieces stand 1 to 5 mm off the middle of a cell in ordinary play, more in haste: measured by eye
  on tournament pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random


@dataclass(frozen=True, slots=True)
class Temperament:
    """A way to play."""

    name: str
    think_s: float
    """Median time before a move."""
    think_spread: float
    """Sigma of its logarithm."""
    pace: float
    """Factor on the times of all movements."""
    error: float
    """Standard deviation of a piece's place, as a part of a cell."""
    height_mm: float
    """Median height at which pieces are carried."""
    habits: float
    """Factor on the probability of every special gesture."""
    mistakes: float
    """Probability of an illegal attempt before a move."""
    overlaps: float
    """Probability that a reply begins before the other hand is gone."""
    patience: float
    """Probability that a question of the table is answered before play continues."""


TEMPERAMENTS: tuple[Temperament, ...] = (
    Temperament("careful", 9.0, 1.1, 1.3, 0.035, 75.0, 0.5, 0.01, 0.02, 0.97),
    Temperament("casual", 5.0, 1.2, 1.1, 0.07, 55.0, 1.0, 0.025, 0.08, 0.85),
    Temperament("club", 7.0, 1.3, 0.8, 0.05, 60.0, 0.8, 0.01, 0.12, 0.8),
    Temperament("blitz", 0.7, 0.8, 0.45, 0.09, 35.0, 0.8, 0.015, 0.4, 0.3),
    Temperament("bullet", 0.35, 0.5, 0.33, 0.1, 30.0, 0.5, 0.01, 0.5, 0.1),
    Temperament("sloppy", 3.0, 1.1, 0.9, 0.13, 30.0, 1.6, 0.03, 0.2, 0.6),
    Temperament("beginner", 8.0, 1.0, 1.5, 0.08, 65.0, 1.3, 0.06, 0.05, 0.9),
    Temperament("child", 2.5, 1.2, 1.6, 0.14, 45.0, 2.0, 0.07, 0.15, 0.6),
)


def median(rng: Random, ms: float, spread: float = 0.5) -> float:
    """A log-normal time with median *ms*."""
    return ms * rng.lognormvariate(0.0, spread)


class Person:
    """A player at the board."""

    def __init__(self, temperament: Temperament, rng: Random) -> None:
        self.temperament = temperament
        self.rng = rng
        self.own_pace = temperament.pace * rng.lognormvariate(0.0, 0.15)

    def thinks_ms(self) -> float:
        """Time before the next move: 0.2 s to some minutes."""
        chosen = self.temperament
        return min(240_000.0, max(200.0, median(self.rng, chosen.think_s * 1000, chosen.think_spread)))

    def takes_ms(self, ms: float, spread: float = 0.35) -> float:
        """Time of a movement that usually takes *ms*."""
        return max(15.0, median(self.rng, ms * self.own_pace, spread))

    def height_mm(self) -> float:
        """The height at which a piece is carried."""
        return min(200.0, max(22.0, median(self.rng, self.temperament.height_mm, 0.4)))

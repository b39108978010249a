# SPDX-License-Identifier: Apache-2.0
"""Glicko-2: ratings with a deviation and a volatility.

Source: M. Glickman, Example of the Glicko-2 system (revision of March 2022), with its steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

_CENTRE: Final = 1500.0
_SCALE: Final = 173.7178
"""Rating points of one unit of the system."""
_LARGEST: Final = 350.0
"""The deviation of a player without games."""
_TAU: Final = 0.5
"""How much a volatility may change."""
_NEAR: Final = 1e-6
"""How near the volatility is to the exact one."""

_Term: TypeAlias = tuple[float, float, float]
"""Of a game: g of the opponent's deviation, the expected score, the score."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A player's rating; by default that of a new player."""

    value: float = _CENTRE
    deviation: float = _LARGEST
    volatility: float = 0.06

    def after(self, games: Sequence[tuple[Rating, float]]) -> Rating:
        """The rating after a period with *games*: the opponents before it, and the scores."""
        mu, phi = (self.value - _CENTRE) / _SCALE, self.deviation / _SCALE
        if not games:
            return self._with(mu, math.hypot(phi, self.volatility), self.volatility)
        terms = [_term(mu, opponent, score) for opponent, score in games]
        v = 1 / sum(g**2 * expected * (1 - expected) for g, expected, _ in terms)
        gain = sum(g * (score - expected) for g, expected, score in terms)
        volatility = _volatility(self.volatility, phi, v, v * gain)
        before = phi**2 + volatility**2
        variance = 1 / (1 / before + 1 / v)
        return self._with(mu + variance * gain, math.sqrt(variance), volatility)

    @staticmethod
    def _with(mu: float, phi: float, volatility: float) -> Rating:
        return Rating(_CENTRE + _SCALE * mu, min(_LARGEST, _SCALE * phi), volatility)


def _term(mu: float, opponent: Rating, score: float) -> _Term:
    """What a game adds (step 3)."""
    g = 1 / math.sqrt(1 + 3 * (opponent.deviation / _SCALE / math.pi) ** 2)
    expected = 1 / (1 + math.exp(-g * (mu - (opponent.value - _CENTRE) / _SCALE)))
    return g, expected, score


def _volatility(before: float, phi: float, v: float, delta: float) -> float:
    """The new volatility: the root of the function of step 5."""
    start = math.log(before**2)

    def f(x: float) -> float:
        ex = math.exp(x)
        spread = phi**2 + v + ex
        return ex * (delta**2 - spread) / (2 * spread**2) - (x - start) / _TAU**2

    if delta**2 > phi**2 + v:
        end = math.log(delta**2 - phi**2 - v)
    else:
        steps = 1
        while f(start - steps * _TAU) < 0:
            steps += 1
        end = start - steps * _TAU
    return math.exp(_root(f, start, end) / 2)


def _root(f: Callable[[float], float], one: float, other: float) -> float:
    """A root of *f* between two numbers, by the Illinois method."""
    at_one, at_other = f(one), f(other)
    while abs(other - one) > _NEAR:
        between = one + (one - other) * at_one / (at_other - at_one)
        value = f(between)
        if value * at_other <= 0:
            one, at_one = other, at_other
        else:
            at_one /= 2
        other, at_other = between, value
    return one

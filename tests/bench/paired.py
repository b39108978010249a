# SPDX-License-Identifier: Apache-2.0
"""Statistics of games that two trees played with the same seeds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

NORMAL_95: Final = 1.959964
"""The quantile of the normal distribution for two-sided 95 % intervals."""


class Pairs(NamedTuple):
    """Numbers of pairs by who failed."""

    both: int
    only_now: int
    only_before: int
    neither: int

    @property
    def total(self) -> int:
        """The number of pairs."""
        return sum(self)

    @property
    def better(self) -> float:
        """The p-value against "this tree fails no less often", one-sided and exact."""
        return at_most_half(self.only_now, self.only_now + self.only_before)

    @property
    def worse(self) -> float:
        """The p-value against "this tree fails no more often", one-sided and exact."""
        return at_most_half(self.only_before, self.only_now + self.only_before)


def counted(failures: Iterable[tuple[bool, bool]]) -> Pairs:
    """Count pairs of (this tree failed, the older one failed)."""
    found = [*failures]
    return Pairs(
        *(found.count(each) for each in ((True, True), (True, False), (False, True), (False, False)))
    )


def at_most_half(most: int, tosses: int) -> float:
    """The probability of at most *most* heads in *tosses* of a fair coin.

    This is the sign test, and McNemar's test in its exact form: pairs in which both failed or
    neither did say nothing. Source: McNemar, Psychometrika 12 (1947).
    """
    return float(sum(math.comb(tosses, each) for each in range(most + 1)) / 2**tosses)


def wilson(failures: int, games: int) -> tuple[float, float]:
    """The 95 % interval of the probability of a failure; (0, 1) without games.

    Source: Wilson, Journal of the American Statistical Association 22 (1927).
    """
    if not games:
        return 0.0, 1.0
    share, square = failures / games, NORMAL_95**2
    middle = share + square / (2 * games)
    reach = NORMAL_95 * math.sqrt(share * (1 - share) / games + square / (4 * games**2))
    divisor = 1 + square / games
    return max(0.0, (middle - reach) / divisor), min(1.0, (middle + reach) / divisor)

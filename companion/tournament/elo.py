# SPDX-License-Identifier: Apache-2.0
"""Elo ratings as the world chess federation computes them.

Source: FIDE Handbook B.02, articles 8.1 to 8.3: tables 8.1.1 and 8.1.2. Article 8.3.1 is that in
force since 1 October 2025, where the bound of 400 points ends at a rating of 2650.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from typing import Final

_BOUNDS: Final = (
    *(4, 11, 18, 26, 33, 40, 47, 54, 62, 69, 77, 84, 92, 99, 107, 114, 122, 130, 138, 146, 154, 163, 171),
    *(180, 189, 198, 207, 216, 226, 236, 246, 257, 268, 279, 291, 303, 316, 329, 345, 358, 375, 392, 412),
    *(433, 457, 485, 518, 560, 620, 736),
)
"""Smallest differences of ratings from which the expected score is 0.51, 0.52 … 1."""
_DIFFERENCES: Final = (
    *(0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149, 158, 166),
    *(175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336, 351, 366, 383, 401),
    *(422, 444, 470, 501, 538, 589, 677, 800),
)
"""Differences of ratings by the score, from 0.5 in steps of 0.01."""
LARGEST: Final = 400
"""What a larger difference counts as, for a rating below `UNBOUND` (8.3.1)."""
UNBOUND: Final = 2650
"""Rating from which the real difference counts."""
_YOUNG, _YOUNG_RATING = 18, 2300
_MASTER: Final = 2400


def expected(rating: int, opponent: int) -> Fraction:
    """The expected score of a game (table 8.1.2).

    >>> expected(2000, 2000), expected(1900, 2000)
    (Fraction(1, 2), Fraction(9, 25))
    """
    share = Fraction(50 + bisect_right(_BOUNDS, abs(rating - opponent)), 100)
    return share if rating >= opponent else 1 - share


def rounded(value: Fraction) -> int:
    """*value* to the nearest whole number, halves up."""
    return int((value + Fraction(1, 2)) // 1)


def performance(score: Fraction, opponents: Sequence[int]) -> int:
    """The average rating of *opponents*, and what the *score* adds (table 8.1.1); 0 without any.

    >>> performance(Fraction(3, 2), [2000, 1900])
    2143
    """
    if not opponents:
        return 0
    share = rounded(score * 100 / len(opponents))
    difference = _DIFFERENCES[share - 50] if share >= 50 else -_DIFFERENCES[50 - share]
    return rounded(Fraction(sum(opponents), len(opponents))) + difference


def perfect_performance(score: Fraction, opponents: Sequence[int]) -> int:
    """The lowest rating that expects *score* against *opponents*; 0 without any (C.07, 10.3)."""
    if not opponents:
        return 0
    low = min(opponents) - 800
    if not score:
        return low
    high = max(opponents) + 800
    while low < high:
        middle = (low + high) // 2
        if sum((expected(middle, each) for each in opponents), Fraction()) >= score:
            high = middle
        else:
            low = middle + 1
    return low


def factor(rating: int, age: int | None) -> int:
    """The development coefficient K (8.3.3) of a player who has had a rating for long.

    >>> factor(2450, None), factor(2250, 17), factor(1800, 40)
    (10, 40, 20)
    """
    if rating >= _MASTER:
        return 10
    return 40 if age is not None and age <= _YOUNG and rating < _YOUNG_RATING else 20


def change(rating: int, games: Sequence[tuple[int, Fraction]], k: int) -> Fraction:
    """The change of *rating* after *games*: opponents' ratings, and scores (8.3.2).

    >>> change(2000, [(2000, Fraction(1)), (1500, Fraction(1, 2))], 20)
    Fraction(8, 5)
    >>> change(2750, [(2250, Fraction(1))], 10), change(2649, [(2000, Fraction(1))], 10)
    (Fraction(2, 5), Fraction(4, 5))
    """
    total = Fraction()
    for opponent, score in games:
        nearest = opponent if rating >= UNBOUND else max(rating - LARGEST, min(rating + LARGEST, opponent))
        total += score - expected(rating, nearest)
    return k * total

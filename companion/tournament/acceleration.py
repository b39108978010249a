# SPDX-License-Identifier: Apache-2.0
"""Accelerated rounds: virtual points with which the upper half is paired.

Source: FIDE Handbook C.04.5.1, Baku acceleration.
"""

from __future__ import annotations

from typing import Final

from companion.tournament.starting_order import by_strength, strength
from companion.tournament.values import DRAW, WIN, Acceleration, Number, Points, Tournament

_GROUP: Final = 4
"""The upper half has an even number of players: twice the quarter, rounded up."""


def virtual_points(of: Tournament) -> tuple[frozenset[Number], tuple[Points, ...]]:
    """The players with virtual points, and these points in each accelerated round.

    The half of the rounds is accelerated; in the first half of these a win is added, then a draw.
    Who enters later belongs to the upper half if above its last player.
    """
    if of.acceleration is not Acceleration.BAKU:
        return frozenset(), ()
    first = [player for player in by_strength(of) if player.joined == 1 and player.left != 0]
    if not first:
        return frozenset(), ()
    last = strength(first[min(len(first), 2 * -(-len(first) // _GROUP)) - 1])
    rounds = -(-of.planned // 2)
    wins = -(-rounds // 2)
    upper = frozenset(player.number for player in of.players if strength(player) <= last)
    return upper, (WIN,) * wins + (DRAW,) * (rounds - wins)

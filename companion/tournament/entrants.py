# SPDX-License-Identifier: Apache-2.0
"""Players to be paired by the Dutch system, and the criteria for a pair.

Source: FIDE Handbook C.04.3, in force from February 2026; C1 to C21 are its criteria.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

WHITE: Final = 0
BLACK: Final = 1
_BALANCED: Final = 1
"""Largest difference of colours that is no absolute preference."""


class Float(IntEnum):
    """Whether a player met somebody with another score in a round."""

    NONE = 0
    DOWN = 1
    UP = 2


@dataclass(frozen=True, slots=True)
class Entrant:
    """A player to be paired."""

    rank: int
    """Starting number."""
    score: int
    """With virtual points of an acceleration."""
    met: frozenset[int]
    """Ranks of former opponents."""
    balance: int
    """Games with White, less those with Black."""
    repeated: int | None
    """The colour of at least the last two games."""
    preference: int | None
    """The colour that is due, of whatever strength."""
    floats: tuple[Float, Float]
    """In the last round and the one before."""
    may_rest: bool
    """True if the pairing-allocated bye is possible (C2)."""
    games: int
    """Number of games played."""
    is_top: bool = False
    """True for a top scorer of the last round."""

    @property
    def is_absolute(self) -> bool:
        """True if the other colour is excluded, except between top scorers."""
        return abs(self.balance) > _BALANCED or self.repeated is not None

    @property
    def is_strong(self) -> bool:
        """True for a strong preference."""
        return bool(self.balance) and not self.is_absolute

    @property
    def kind(self) -> tuple[object, ...]:
        """What the weight of a pair depends on."""
        return self.score, self.balance, self.repeated, self.preference, self.floats


def due(colours: Sequence[int]) -> tuple[int, int | None, int | None]:
    """Balance, repeated colour and preference after games with these *colours*."""
    balance = colours.count(WHITE) - colours.count(BLACK)
    if not colours:
        return 0, None, None
    last = colours[-1]
    repeated = last if len(colours) > 1 and colours[-2] == last else None
    if abs(balance) > _BALANCED or (balance and repeated is None):
        return balance, repeated, BLACK if balance > 0 else WHITE
    return balance, repeated, 1 - last


def may_meet(one: Entrant, other: Entrant) -> bool:
    """True if C1 and C3 allow the pair."""
    if other.rank in one.met:
        return False
    if one.is_top or other.is_top:
        return True
    return not (one.is_absolute and other.is_absolute and one.preference == other.preference)


def criteria(
    higher: Entrant, lower: Entrant, width: int, scores: int, shift: int, lower_shift: int
) -> list[tuple[int, int]]:
    """C10 to C21 of a pair: bits, and a number to be maximised."""
    is_same = higher.preference == lower.preference and higher.preference is not None
    are_absolute = is_same and higher.is_absolute and lower.is_absolute
    is_float = higher.score > lower.score
    fields: list[tuple[int, int]] = [
        (width, not (are_absolute and min(abs(higher.balance), abs(lower.balance)) > _BALANCED)),
        (width, not (are_absolute and _is_repeated(higher, lower))),
        (width, not is_same),
        (width, not (is_same and not are_absolute and _is_firm(higher) and _is_firm(lower))),
    ]
    for ago in range(2):
        down = lower.floats[ago] is Float.DOWN
        fields += [
            (width, down + (not is_float and higher.floats[ago] is Float.DOWN)),
            (width, not (is_float and lower.floats[ago] is Float.UP)),
        ]
    for ago in range(2):
        fields += [
            (
                scores,
                ((lower.floats[ago] is Float.DOWN) << lower_shift)
                + ((higher.floats[ago] is Float.DOWN) << shift),
            ),
            (scores, (not (is_float and lower.floats[ago] is Float.UP)) << shift),
        ]
    return fields


def _is_firm(player: Entrant) -> bool:
    return player.is_strong or player.is_absolute


def _is_repeated(one: Entrant, other: Entrant) -> bool:
    """True if one of two gets a colour for the third time (C11)."""
    if abs(one.balance) == abs(other.balance):
        return one.repeated is not None and one.repeated == other.repeated
    yields = other if abs(one.balance) > abs(other.balance) else one
    return yields.repeated is not None and yields.repeated != yields.preference

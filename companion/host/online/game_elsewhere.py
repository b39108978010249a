# SPDX-License-Identifier: Apache-2.0
"""A game that a place elsewhere keeps, compared with the record of a table.

Pure. Its rule: the record at the table and the moves of that place are each compared with what both
had when they last agreed. What only one of them has changed is done at the other; where both have
changed, that place decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from companion.model.game import Outcome
from companion.model.pieces import Side

_DRIFT_MS: Final = 1000
"""Difference of a clock from which it is shown again."""


@dataclass(frozen=True, slots=True)
class GameElsewhere:
    """What the place that keeps a game says of it."""

    moves: tuple[str, ...] = ()
    """In the game's notation."""
    draw_offers: tuple[Side, ...] = ()
    take_backs: tuple[Side, ...] = ()
    """The sides that propose to take a move back."""
    outcome: Outcome | None = None
    is_aborted: bool = False
    """True if it has ended without a result."""
    clocks: tuple[int, ...] = ()
    """Time left of each side in ms; () if no time is kept."""
    running: Side | None = None

    def is_news_after(self, before: GameElsewhere | None, passed_ms: int) -> bool:
        """True if it says more than *before*, *passed_ms* ago; a running clock does not."""
        if before is None or replace(self, clocks=()) != replace(before, clocks=()):
            return True
        pairs = enumerate(zip(self.clocks, before.clocks, strict=True))
        expected = (left - passed_ms * (side == self.running) for side, (_, left) in pairs)
        return any(abs(now - then) > _DRIFT_MS for now, then in zip(self.clocks, expected, strict=True))

    @property
    def is_over(self) -> bool:
        """True if no more moves are made."""
        return self.is_aborted or self.outcome is not None


@dataclass(frozen=True, slots=True)
class Decided:
    """The next move was made elsewhere: it is to be played at the table."""

    ply: int
    move: str


@dataclass(frozen=True, slots=True)
class Made:
    """The next move was made at the table: it is to be sent."""

    ply: int
    move: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves were taken back at the table: that is to be proposed."""

    ply: int
    """The ply that is to be made again."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The record at the table is to become that of the other place."""

    ply: int
    moves: tuple[str, ...]


Difference: TypeAlias = Decided | Made | TakenBack | Corrected


def difference(
    agreed: Sequence[str], here: Sequence[str], there: Sequence[str], *, is_mine: bool
) -> Difference | None:
    """Return what to do about moves *here* and *there*; None if they are equal.

    *agreed* has the moves of the last time when they were equal; *is_mine* is true if a side at
    the table makes the next one.

    >>> difference(["e4"], ["e4"], ["e4", "e5"], is_mine=False)
    Decided(ply=1, move='e5')
    >>> difference([], ["e4"], [], is_mine=True)
    Made(ply=0, move='e4')
    >>> difference(["e4", "e5"], ["e4"], ["e4", "e5"], is_mine=True)
    TakenBack(ply=1)
    >>> difference(["e4", "e5"], ["e4"], ["e4", "e5", "d4"], is_mine=True)
    Corrected(ply=1, moves=('e5', 'd4'))
    """
    agreed, here, there = list(agreed), list(here), list(there)
    if here == there:
        return None
    number = len(agreed)
    if here == agreed and there[:-1] == agreed and not is_mine:
        return Decided(number, there[-1])
    if there == agreed:
        if here[:-1] == agreed and is_mine:
            return Made(number, here[-1])
        if here == agreed[: len(here)]:
            return TakenBack(len(here))
    same = len(common_start(here, there))
    return Corrected(same, tuple(there[same:]))


def common_start(here: Sequence[str], there: Sequence[str]) -> Sequence[str]:
    """Return the moves with which *here* and *there* both begin.

    >>> common_start(["e4", "e5"], ["e4", "d5"])
    ['e4']
    """
    pairs = enumerate(zip(here, there, strict=False))
    return here[: next((ply for ply, (one, other) in pairs if one != other), min(len(here), len(there)))]

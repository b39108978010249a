# SPDX-License-Identifier: Apache-2.0
"""Gestures by which players end a game at the board: optional, and always displayed.

With `leaders`, the leading pieces are put in the middle, like kings on electronic boards:
both on the diagonal of the first side's cells, it has won; on the other diagonal,
the second side has; else it is a draw. Other pieces may stand in the middle, too.
With `presses`, a side presses its own button three times for a draw and five times to resign.
A game without leaders, or a board without a middle, uses `presses`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from companion.model.game import AnyRules, HasLeaders
from companion.model.grid import Cell, Grid
from companion.model.observation import Press
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.values.commands import OfferDraw, Resign

_DRAW_PRESSES: Final = 3
_RESIGN_PRESSES: Final = 5
BETWEEN_MS: Final = 600
"""Longest interval between presses of one gesture."""


class Gestures(StrEnum):
    """Accepted gestures."""

    OFF = "off"
    LEADERS = "leaders"
    PRESSES = "presses"


@dataclass(frozen=True, slots=True)
class Middle:
    """The four cells in the middle of a board, by diagonals."""

    first: tuple[Cell, Cell]
    """The diagonal for a win of the first side."""
    second: tuple[Cell, Cell]

    @property
    def all(self) -> Occupancy:
        """The four cells."""
        return occupancy_of((*self.first, *self.second))


def middle_of(grid: Grid) -> Middle | None:
    """The middle of *grid*; None without four usable cells in its centre."""
    if not grid.files or grid.files % 2 or grid.ranks % 2:
        return None
    right, far = grid.files // 2, grid.ranks // 2
    near_left = (far - 1) * grid.files + right - 1
    far_left = near_left + grid.files
    middle = Middle((near_left + 1, far_left), (near_left, far_left + 1))
    return None if middle.all & occupancy_of(grid.obstacles) else middle


def in_force(gestures: Gestures, rules: AnyRules) -> Gestures:
    """The part of *gestures* that is possible in a game of *rules*."""
    is_led = isinstance(rules, HasLeaders) and len(rules.sides) == 2 and middle_of(rules.grid) is not None
    return Gestures.PRESSES if gestures is Gestures.LEADERS and not is_led else gestures


class Presses:
    """Counter of consecutive presses of the same button."""

    def __init__(self) -> None:
        self._last: Press | None = None
        self._count = 0

    def count(self, press: Press) -> OfferDraw | Resign | None:
        """The command of *press* and those before it, or None."""
        last = self._last
        is_more = last is not None and last.button == press.button and press.t_ms - last.t_ms <= BETWEEN_MS
        self._last, self._count = press, self._count + 1 if is_more else 1
        if self._count == _DRAW_PRESSES:
            return OfferDraw(press.button)
        return Resign(press.button) if self._count == _RESIGN_PRESSES else None

    @property
    def is_gesture(self) -> bool:
        """True if the last press continued or completed a gesture."""
        return self._count >= _DRAW_PRESSES

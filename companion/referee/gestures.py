# SPDX-License-Identifier: Apache-2.0
"""Gestures by which players end a game at the board: optional, and always displayed.

With `leaders`, the leading pieces are put in the middle, like kings on electronic boards:
both on the diagonal of the first side's cells, it has won; on the other diagonal,
the second side has; else it is a draw. Other pieces may stand in the middle, too.
The first of the two may make a legal move on its way: that was half of the gesture.
With `presses`, a side presses its own button three times for a draw and five times to resign.
A game without leaders, or a board without a middle, uses `presses`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from companion.model.game import AnyRules, HasLeaders, Outcome
from companion.model.grid import Cell, Grid
from companion.model.observation import Press, Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Side
from companion.referee.belief import Belief
from companion.referee.commands import OfferDraw, Resign
from companion.referee.looks import fits, look

_DRAW_PRESSES: Final = 3
_RESIGN_PRESSES: Final = 5
BETWEEN_MS: Final = 600
"""Longest interval between presses of one gesture."""
_HALVES_MS: Final = 10_000
"""Longest interval between a leading piece in the middle and the result by both."""


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


def leaders(belief: Belief) -> dict[Cell, Side]:
    """The cells of the leading pieces believed to be on the board, with their sides."""
    rules = belief.table.rules
    kind = rules.leader if isinstance(rules, HasLeaders) else None
    return {
        cell: piece.side
        for cell, piece in belief.tip.pieces.items()
        if piece.kind == kind and piece.side is not None
    }


def shown(belief: Belief) -> Outcome | None:
    """The result shown by leading pieces in the middle, all else unchanged; or None.

    A piece in the middle may have made room for one, if the sensor can tell.
    """
    rules, seen = belief.table.rules, belief.seen
    middle, found = middle_of(rules.grid), leaders(belief)
    if middle is None or sorted(found.values()) != [0, 1] or seen.hidden:
        return None
    others = belief.tip.occupied & ~occupancy_of(found)
    is_whole = seen.occupied & others == others and not seen.occupied & ~others & ~middle.all
    stands = [
        cell for cell in cells_of(seen.occupied & middle.all) if not _is_as_before(belief, cell, others)
    ]
    if not is_whole or len(stands) != 2 or set(stands) == set(found):
        return None
    looks = [look(belief.tip.pieces[cell], belief.table.kind) for cell in found]
    pairs = (zip(stands, order, strict=True) for order in (looks, looks[::-1]))
    if not any(all(_may_be(seen.look(cell), each) for cell, each in pair) for pair in pairs):
        return None
    if occupancy_of(stands) == occupancy_of(middle.first):
        return Outcome((0,), "resignation")
    is_second = occupancy_of(stands) == occupancy_of(middle.second)
    return Outcome((1,), "resignation") if is_second else Outcome((), "agreement")


def _is_as_before(belief: Belief, cell: Cell, others: Occupancy) -> bool:
    """True if *cell* is seen with that of *others* which is believed there."""
    piece = belief.tip.pieces.get(cell)
    if not others & occupancy_of((cell,)):
        return False
    return piece is None or fits(belief.seen.look(cell), look(piece, belief.table.kind))


def without_half(belief: Belief) -> Belief:
    """*belief* without its last ply, if that was one half of the gesture.

    It has put its side's leading piece into the middle a short time ago.
    """
    middle = middle_of(belief.table.rules.grid)
    if middle is None or not belief.line:
        return belief
    before = belief._replace(line=belief.line[:-1])
    came = leaders(belief).keys() - leaders(before).keys()
    is_recent = belief.now_ms - belief.line[-1].mark.now_ms <= _HALVES_MS
    return before if came and occupancy_of(came) & middle.all and is_recent else belief


def _may_be(seen: Sighting, leader: Sighting) -> bool:
    """True if *seen* may be *leader*, in any facing."""
    return fits(replace(seen, facing=None), leader)


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

# SPDX-License-Identifier: Apache-2.0
"""The result that leading pieces in the middle show: `Gestures.LEADERS`.

The first of the two may make a legal move on its way: that was half of the gesture.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from companion.model.game import HasLeaders, Outcome
from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Side
from companion.referee.inference.belief import Belief
from companion.referee.values.board.looks import fits, look
from companion.referee.values.gestures import middle_of

_HALVES_MS: Final = 10_000
"""Longest interval between a leading piece in the middle and the result by both."""


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

# SPDX-License-Identifier: Apache-2.0
"""The rest rule: a board at rest that shows a legal move is that move.

The order in which the sensor reported its edges does not matter.
The rule is applied where a position would otherwise be reported as illegal.
"""

from __future__ import annotations

from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.footprints import Imprint
from companion.referee.growing import adopted
from companion.referee.marks import Reading
from companion.referee.strain import strain


def shown_at_rest(belief: Belief) -> Belief | None:
    """*belief* with the move that the board shows, or None.

    Several moves with the same result become one open ply, about which the players are asked.
    A move must fill a cell that was empty: a board that only lacks a piece may show a lifted piece.
    """
    for depth in _depths(belief):
        found = _filling(belief, depth)
        if found:
            again = adopted(belief, Reading(depth, tuple(found), is_sure=True))
            return again._replace(strained=strain(again))  # no reason to search for another explanation
    return None


def _depths(belief: Belief) -> list[int]:
    """Depths at which the move may have been made.

    All, or all but a provisional last one.
    """
    tip = len(belief.line)
    if not tip or belief.stands(tip - 1):
        return [tip]
    last = belief.line[-1]
    is_open = last.stage is Stage.PROVISIONAL and not (last.is_pressed or last.is_told)
    return [tip, tip - 1] if is_open else [tip]


def _filling(belief: Belief, depth: int) -> list[Imprint]:
    """The moves at *depth* that explain the whole board and fill an empty visible cell."""
    before, seen = belief.before(depth), belief.seen
    empty = ~(before.occupied | seen.hidden)
    return [imprint for imprint in before.exactly(before.differing(seen), seen) if imprint.shows & empty]

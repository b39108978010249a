# SPDX-License-Identifier: Apache-2.0
"""Whether plies were made, or their wood was only lifted and put back: often nobody can tell."""

from __future__ import annotations

from typing import Final

from companion.model.occupancy import Occupancy
from companion.referee.belief import Belief, Ply
from companion.referee.footprints import Imprint
from companion.referee.timing import LINGER_MS

_HANDS: Final = 2
"""Pieces that one person holds at a time."""


def undone_from(belief: Belief, missing: Occupancy = 0) -> int:
    """The latest ply of which nobody can tell whether it and those after it were made, or it was none and was put back.

    The length of the line if there is none. Of the cells in *missing* the wood may still be in a hand.
    """
    tip = len(belief.line)
    if belief.is_denied or not belief.table.rules.allows_take_back:
        return tip
    for depth in range(tip - 1, -1, -1):
        ply = belief.line[depth]
        if ply.is_pressed or ply.is_told:
            break
        is_loose = ply.is_supposed and is_handful(belief, depth)
        if depth == tip - 2:
            is_loose = ply.is_supposed or not ply.is_left
        if depth < tip - 1 and is_loose and not belief.before(depth).differing(belief.seen) & ~missing:
            return depth
    return tip


def is_handful(belief: Belief, depth: int) -> bool:
    """True if no more wood was handled after *depth* plies than two hands hold."""
    edges = belief.edges[max(0, belief.since(depth) - belief.first_edge) :]
    return len({edge.cell for edge in edges}) <= _HANDS


def may_come_late(belief: Belief, ply: Ply) -> bool:
    """True if the wood of *ply* may have been in a hand until now, when other wood than its mover seemed to stand where it should."""
    return ply.is_inferred or belief.rest_since_ms - ply.mark.rest_since_ms < LINGER_MS


def is_settled_by_word(belief: Belief, depth: int) -> bool:
    """True if somebody has said which move the ply at *depth* was, and its wood was not handled again since."""
    return belief.line[depth].is_told and not (belief.is_touched(depth) or belief.is_refilled(depth))


def is_ruled_out(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if the ply at *depth* is *imprint* already, or somebody has said that its wood made another move."""
    if depth == len(belief.line):
        return False
    ply = belief.line[depth]
    is_same_wood = ply.imprint.changed == imprint.changed
    return imprint in ply.candidates or (is_same_wood and is_settled_by_word(belief, depth))

# SPDX-License-Identifier: Apache-2.0
"""How hard a history has to strain to explain what was heard: the measure by which histories are compared.

One that leaves something unexplained is worse than any that does not; then the one that supposes least is best.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.belief import BOUNCE_MS, Belief, Edge
from companion.referee.fault import leads_on
from companion.referee.growing import patience_ms
from companion.referee.reading import open_depths, readings

UNEXPLAINED: Final = 1000
"""Strain of each thing that is not explained: more than any number of suppositions."""

_HELD: Final = 10
"""Strain of wood that has been in a hand for longer than anybody waits: more than a few suppositions."""

_LOOSE: Final = 2
"""Strain of wood that stays in a hand while both sides move: more than one supposition."""


def strain(belief: Belief) -> int:
    """How much of *belief* is merely supposed, or explains nothing: 0 if all was seen to happen."""
    supposed = sum(ply.is_supposed for ply in belief.line)
    supposed += sum(_LOOSE for ply, reply in pairwise(belief.line) if ply.loose & reply.loose)
    unexplained = belief.idle_presses + sum(ply.is_phantom for ply in belief.line) + _is_unexplained(belief)
    return UNEXPLAINED * unexplained + _HELD * is_held(belief) + supposed


def stray(belief: Belief) -> int:
    """How many cells changed for nothing: under a neighbour that was bumped, or in a slide."""
    count = 0
    for depth, ply in enumerate(belief.line):
        start, stop = (max(0, edges - belief.first_edge) for edges in (belief.since(depth), ply.mark.edges))
        handled = _handled(belief.edges[start:stop])
        wanted = occupancy_of(cell for _, target in ply.imprint.carried for cell in target)
        count += (handled & ~(ply.imprint.lifted | ply.imprint.changed | wanted)).bit_count()
    return count


def _handled(edges: Sequence[Edge]) -> Occupancy:
    """The cells that changed in *edges*, but for contacts that only bounced."""
    lifted_ms, handled = dict[Cell, int](), 0
    for edge in edges:
        if not edge.is_occupied:
            lifted_ms[edge.cell] = edge.t_ms
        elif edge.t_ms - lifted_ms.pop(edge.cell, 0) >= BOUNCE_MS:
            handled |= 1 << edge.cell
    return handled | occupancy_of(lifted_ms)


def is_held(belief: Belief) -> bool:
    """True if nothing but wood in a hand explains the board, and has for longer than anybody waits."""
    differing = belief.tip.differing(belief.seen)
    return bool(differing) and not differing & belief.seen.occupied and belief.rest_ms >= patience_ms(belief)


def _is_unexplained(belief: Belief) -> bool:
    """True if wood at rest stands where nothing lawful puts it, or begins to."""
    if belief.guess or belief.rest_ms < belief.table.timing.rest_ms:
        return False
    if not belief.tip.differing(belief.seen) & belief.seen.occupied or readings(belief):
        return False
    return not any(leads_on(belief, depth) for depth in open_depths(belief))

# SPDX-License-Identifier: Apache-2.0
"""How hard a history has to strain to explain what was heard: the measure by which histories are compared.

One that leaves something unexplained is worse than any that does not; then the one that supposes least is best.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import Final

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.footprints import Imprint
from companion.referee.growing import is_strange, may_be_believed
from companion.referee.marks import Edge
from companion.referee.patience import goes_on, is_under_way, patience_ms
from companion.referee.reading import exactly, readings
from companion.referee.timing import ANSWER_MS, BOUNCE_MS

UNEXPLAINED: Final = 1000
"""Strain of each thing that is not explained: more than any number of suppositions."""

HELD: Final = 10
"""Strain of wood that has been in a hand for longer than anybody waits, and of plies that are one slide: more than a few suppositions."""

_LOOSE: Final = 2
"""Strain of wood that stays in a hand while both sides move, of answers that came at once, and of what is revised although its hand had left it: more than one supposition."""

_TWO_PUT_RIGHT: Final = 4
"""Edges of two pieces that are lifted and put back."""


def strain(belief: Belief) -> int:
    """How much of *belief* is merely supposed, or explains nothing: 0 if all was seen to happen."""
    supposed = held = 0
    unexplained = belief.idle_presses + _is_unexplained(belief)
    for depth, ply in enumerate(belief.line):
        supposed += ply.is_odd
        is_supposed = ply.is_supposed
        if is_supposed:
            supposed += 1 + ply.is_slow
            unexplained += ply.is_phantom + _is_put_back(belief, depth)
        if ply.is_pressed and ply.loose:
            supposed += _LOOSE
        if ply.instead_of:
            supposed += _LOOSE
        if depth + 1 < len(belief.line):
            reply = belief.line[depth + 1]
            is_in_both = ply.loose & (reply.loose | (reply.imprint.changed if reply.is_supposed else 0))
            supposed += _LOOSE * bool(is_in_both or _is_rash(belief, depth))
            is_early = not (is_in_both or is_supposed or ply.is_pressed)
            supposed += is_early and bool(ply.loose & reply.imprint.changed)
            held += _is_slide(belief, depth)
        supposed += ply.stage is not Stage.SETTLED and _is_exchanged(belief, depth)
    supposed += sum(_are_away_at_once(cells, edges) for cells, edges in _astray(belief, _TWO_PUT_RIGHT))
    held += is_held(belief) or _is_passed_over(belief)
    return UNEXPLAINED * unexplained + HELD * held + supposed + is_overdue(belief)


def is_overdue(belief: Belief) -> bool:
    """True if nothing but wood is missing, and for so long that something of it is rather supposed: longer if its hand is seen to be under way."""
    if not _is_only_emptied(belief):
        return False
    is_going_on = bool(belief.line) and is_under_way(belief, belief.tip.differing(belief.seen))
    return belief.rest_ms >= (patience_ms(belief) if is_going_on else belief.table.timing.dwell_emptied_ms)


def _is_slide(belief: Belief, depth: int) -> bool:
    """True if the mover of the ply at *depth* was lifted again sooner than anybody answers, and moved on by a later ply."""
    ply, *later = belief.line[depth:]
    if not (later and ply.imprint.target and belief.is_passing(depth)) or belief.gap > belief.since(depth):
        return False
    return any(each.imprint.source == ply.imprint.target for each in later)


def _is_put_back(belief: Belief, depth: int) -> bool:
    """True if wood was put where the mover of the ply at *depth* came from when all else stood, and rested there, although no later ply brought it: before an answer that was seen to stay, else it is about that."""
    ply, *later = belief.line[depth:]
    source = occupancy_of(ply.imprint.source)
    for each in later:
        source &= ~each.imprint.entered
    answered_at = (each.left_at for each in later if each.left_at is not None and not each.is_conjecture)
    put_ms: int | None = None
    for edge, is_alone in _edges_at(belief, depth, source, next(answered_at, belief.edge_count)):
        if put_ms is not None and edge.t_ms - put_ms >= belief.table.timing.dwell_ms:
            return True
        put_ms = edge.t_ms if edge.is_occupied and is_alone else None
    return put_ms is not None and belief.now_ms - put_ms >= belief.table.timing.dwell_ms


def _is_exchanged(belief: Belief, depth: int) -> bool:
    """True if wood was put where the mover of the ply at *depth* came from, and lifted again, while all else stood as after it: it had changed places."""
    ply, *later = belief.line[depth:]
    stop = later[0].since if later else belief.edge_count
    if ply.is_pressed or stop <= ply.since:
        return False
    emptied = occupancy_of(ply.imprint.source) & ~ply.after.occupied
    put_ms: int | None = None
    for edge, is_alone in _edges_at(belief, depth, emptied, stop):
        if put_ms is not None and edge.t_ms - put_ms >= BOUNCE_MS:
            return True
        put_ms = edge.t_ms if edge.is_occupied and is_alone else None
    return False


def _edges_at(belief: Belief, depth: int, cells: Occupancy, stop: int) -> Iterator[tuple[Edge, bool]]:
    """The edges of *cells* after the ply at *depth* was complete, until edge number *stop*, each with True if all else stood then as after it, or as a later ply left it."""
    ply, *later = belief.line[depth:]
    stood, apart = ply.after.occupied, 0
    moved = cells
    for each in later:
        moved |= each.imprint.changed | each.imprint.lifted
    for edge in belief.edges[max(0, ply.mark.edges - belief.first_edge) : max(0, stop - belief.first_edge)]:
        bit = 1 << edge.cell
        if cells & bit:
            yield edge, not apart & ~moved
        apart = apart & ~bit if edge.is_occupied == bool(stood & bit) else apart | bit


def _is_rash(belief: Belief, depth: int) -> bool:
    """True if the ply after that at *depth* was complete sooner than anybody answers."""
    ply, reply = belief.line[depth : depth + 2]
    since = ply.since
    is_later = reply.since > since and not ply.is_pressed and belief.gap <= since
    return is_later and reply.mark.rest_since_ms - ply.mark.rest_since_ms < ANSWER_MS


def stray(belief: Belief) -> int:
    """How many cells changed for nothing: under a neighbour that was bumped, or in a slide; what had long been put right does not count."""
    return sum(cells.bit_count() for cells, _ in _astray(belief))


def _astray(belief: Belief, least: int = 1) -> Iterator[tuple[Occupancy, Sequence[Edge]]]:
    """For each ply the cells that changed for nothing until it was complete, with all edges of that time, if they are at *least* so many.

    And with those until the next was complete, but for what that brought: wood may be put right late.
    """
    began, lost = belief.root_since, belief.gap - belief.first_edge
    for ply, reply in zip_longest(belief.line, belief.line[1:]):
        start, stop = max(0, began - belief.first_edge), max(0, ply.mark.edges - belief.first_edge)
        began = max(ply.mark.edges, ply.stood_at)
        if stop - start < least:
            continue
        edges = belief.edges[start:stop]
        wanted = ply.imprint.lifted | ply.imprint.changed | ply.imprint.filled
        meant = wanted & ~_refilled_before(ply.imprint, edges)
        later = belief.edges[stop : max(0, reply.mark.edges - belief.first_edge)] if reply else ()
        late = (edge for edge in later if edge.cell not in reply.imprint.target)
        yield _handled(edges, lost - start) & ~meant, (*edges, *late)
    start = max(0, began - belief.first_edge)
    edges = belief.edges[start:]
    handled = _handled(edges, lost - start)
    if belief.line and len(edges) >= least and not _is_exchange(belief, handled):
        yield handled & ~belief.tip.differing(belief.seen), edges


def _is_exchange(belief: Belief, cells: Occupancy) -> bool:
    """True if wood that was handled on *cells* may have changed places by a move that leaves no trace: somebody has yet to press for it."""
    differing, hidden = belief.tip.differing(belief.seen), belief.seen.hidden
    if differing or not cells or (cells.bit_count() == 1 and not hidden):
        return False
    found = exactly(belief, len(belief.line), 0)
    return found is not None and found.is_sure


def _refilled_before(imprint: Imprint, edges: Sequence[Edge]) -> Occupancy:
    """Cells that *imprint* takes wood from and fills, but that were last refilled in *edges* before the wood for them was lifted."""
    last = {edge.cell: edge for edge in edges}
    found = 0
    for source, target in imprint.carried:
        left_ms = max(
            (last[cell].t_ms for cell in source if cell in last and not last[cell].is_occupied), default=-1
        )
        for cell in target:
            if cell in last and last[cell].is_occupied and last[cell].t_ms < left_ms:
                found |= imprint.lifted & 1 << cell
    return found


def _are_away_at_once(cells: Occupancy, edges: Sequence[Edge]) -> bool:
    """True if two of *cells* looked other than before at the same time in *edges*, and were put right: more than one hand does.

    One that was filled while another was empty had its wood: that was knocked over.
    """
    away_ms, last_ms, fallen = dict[Cell, int](), -1, 0
    for edge in edges if cells.bit_count() > 1 else ():
        bit = cells & 1 << edge.cell
        if not bit:
            continue
        if fallen & bit or (edge.is_occupied and away_ms and edge.cell not in away_ms):
            fallen ^= bit
        elif edge.cell not in away_ms:
            away_ms[edge.cell] = edge.t_ms
        elif (began_ms := away_ms.pop(edge.cell)) + BOUNCE_MS <= edge.t_ms:
            if began_ms < last_ms:
                return True
            last_ms = edge.t_ms
    return False


def _handled(edges: Sequence[Edge], undated: int) -> Occupancy:
    """The cells that changed in *edges*, but for contacts that only bounced: so may those of the first, *undated* ones, have done that closed again."""
    lifted_ms, handled = dict[Cell, int](), 0
    for number, edge in enumerate(edges):
        if not edge.is_occupied:
            lifted_ms[edge.cell] = edge.t_ms
        elif edge.t_ms - lifted_ms.pop(edge.cell, 0) >= BOUNCE_MS and number >= undated:
            handled |= 1 << edge.cell
    return handled | occupancy_of(lifted_ms)


def is_held(belief: Belief) -> bool:
    """True if nothing but wood in a hand explains the board, and has for longer than anybody waits."""
    differing = belief.tip.differing(belief.seen)
    if not differing or belief.rest_ms < patience_ms(belief) or _is_passed_over(belief):
        return False
    if not differing & belief.seen.occupied:
        return True
    if belief.guess:
        return not may_be_believed(belief, belief.guess)
    return not readings(belief) and not is_strange(belief)


def _is_passed_over(belief: Belief) -> bool:
    """True if wood was lifted before the last ply was complete and is still nowhere: no hand of that ply had it."""
    if not belief.line or belief.rest_ms < belief.table.timing.dwell_ms or not _is_only_emptied(belief):
        return False
    last, differing = belief.line[-1], belief.tip.differing(belief.seen)
    if not differing & last.loose or differing & last.imprint.entered:
        return False
    return last.is_pressed or not goes_on(belief, differing)


def _is_only_emptied(belief: Belief) -> bool:
    """True if the board differs from what is believed by wood that is missing, and by nothing else."""
    differing = belief.tip.differing(belief.seen)
    return bool(differing) and not differing & belief.seen.occupied


def _is_unexplained(belief: Belief) -> bool:
    """True if wood at rest stands where nothing lawful puts it, or begins to."""
    return belief.rest_ms >= belief.table.timing.rest_ms and is_strange(belief)

# SPDX-License-Identifier: Apache-2.0
"""What the order of the edges tells for and against a move: order is information.

Where other wood stands on a cell that looks as before, the cell must have been filled while the cell the wood came from
was already empty; and no wood comes to a cell while it still stands on another.
"""

from __future__ import annotations

from companion.model.grid import Cell
from companion.model.observation import SensorKind
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.belief import Belief
from companion.referee.footprints import Imprint
from companion.referee.timing import BOUNCE_MS


def is_put_since(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if wood was put down or turned for *imprint* since the ply at *depth* stood, if its hand had left it, instead of which it is read."""
    if depth == len(belief.line) or not belief.line[depth].is_left:
        return True
    mark, cells = belief.line[depth].mark, imprint.filled
    since = max(0, belief.line[depth].handled_since - belief.first_edge)
    is_put = any(edge.is_occupied and cells >> edge.cell & 1 for edge in belief.edges[since:])
    return is_put or any(belief.seen.look(cell) != mark.seen.look(cell) for cell, _ in imprint.looks)


def is_proven(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if wood was seen to be put down for every part of *imprint* that can be seen, though in the order only."""
    visible = [(cell, origin) for cell, origin in imprint.unseen if not belief.seen.hidden >> cell & 1]
    if not visible:
        return bool(imprint.shows & ~belief.seen.hidden)
    refilled = imprint.filled
    return all(_was_entered(belief, depth, cell, origin, refilled) for cell, origin in visible)


def may_have_stood(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if wood of *imprint* that nobody saw may have come before what is empty now was left: it pushed other wood off."""
    since = max(0, belief.since(depth) - belief.first_edge)
    left_ms = {edge.cell: edge.t_ms for edge in belief.edges[since:] if not edge.is_occupied}
    empty = left_ms.keys() - cells_of(belief.seen.occupied | belief.seen.hidden)
    return belief.gap > belief.since(depth) or not any(
        cell in empty
        and left_ms[cell] + belief.table.timing.rest_ms
        < min(left_ms.get(other, 0) for other in cells_of(origin))
        for cell, origin in imprint.unseen
        if origin
    )


def may_be_traceless(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if *imprint* exchanges no wood before the sensors' eyes, or did so while changes were lost."""
    is_seen = any(not belief.seen.hidden >> cell & 1 for cell, _ in imprint.unseen)
    return not is_seen or may_be_missed(belief, depth, imprint)


def may_be_missed(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if wood may have been put down for every part of *imprint* while changes were lost."""
    since = belief.since(depth)
    if belief.gap <= since:
        return False
    early = [
        edge for number, edge in enumerate(belief.edges, belief.first_edge) if since <= number < belief.gap
    ]
    left = occupancy_of(edge.cell for edge in early if not edge.is_occupied)
    refilled = imprint.filled
    return all(
        origin & left or _was_entered(belief, depth, cell, origin, refilled)
        for cell, origin in imprint.unseen
    )


def _was_entered(belief: Belief, depth: int, cell: Cell, origin: Occupancy, refilled: Occupancy) -> bool:
    """True if *cell* was filled after *depth* plies while *origin* was, or was just about to be, empty.

    Where other wood of the same move has come since, to *refilled*, it is enough that *origin* was left at all.
    """
    filled_ms = _filled_ms(belief, cell, belief.since(depth))
    if filled_ms is None:
        return False
    origin = _since_made(belief, depth, origin, filled_ms)
    left = {edge.cell: edge.t_ms for edge in belief.edges if origin >> edge.cell & 1 and not edge.is_occupied}
    latest_ms = filled_ms + belief.table.timing.rest_ms
    return not left or any(
        _was_left(belief, other, filled_ms) or (refilled >> other & 1 and left_ms <= latest_ms)
        for other, left_ms in left.items()
    )


def _since_made(belief: Belief, depth: int, origin: Occupancy, at_ms: int) -> Occupancy:
    """Where the wood of *origin* was at *at_ms* if the ply at *depth* was made, as soon as its hand cannot be elsewhere."""
    ply = belief.line[depth] if depth < len(belief.line) else None
    for made in (ply, ply.instead_of) if ply else ():
        if made is None or at_ms <= made.mark.now_ms or (made.is_conjecture and not made.is_left):
            continue
        is_its_own = made.imprint.target and origin & occupancy_of(made.imprint.source)
        return made.imprint.entered if is_its_own else origin
    return origin


def in_order(belief: Belief, depth: int, found: list[Imprint]) -> list[Imprint]:
    """Those of *found* in which no wood comes to a cell while it still stands on another.

    A camera may see where wood went before it sees where it came from, since hands cover it: but it knows the wood.
    """
    is_reed = belief.table.kind in (SensorKind.OCCUPANCY, SensorKind.SIDE)
    if not is_reed or belief.gap > belief.since(depth):
        return found
    return [imprint for imprint in found if not _was_elsewhere(belief, depth, imprint)]


def _was_elsewhere(belief: Belief, depth: int, imprint: Imprint) -> bool:
    """True if a cell that *imprint* fills was filled while the wood it gets was seen to stand where it comes from.

    Where other wood of the same move has come since, as in a swap, it is enough that the cell was left at all.
    What pushed other wood off is seen by its looks, and no edge tells when.
    """
    refilled = imprint.filled
    dated = imprint.shows & ~belief.before(depth).occupied & belief.seen.occupied  # else it was passed over
    start = max(0, belief.since(depth) - belief.first_edge)
    lifted = {edge.cell for edge in belief.edges[start:] if not edge.is_occupied}
    for source, target in imprint.carried:
        left = set(source) - set(target)
        for cell in target if left else ():
            filled_ms = _filled_ms(belief, cell, belief.since(depth)) if dated >> cell & 1 else None
            if filled_ms is not None and not any(
                _was_left(belief, other, filled_ms) or (other in lifted and refilled >> other & 1)
                for other in left
            ):
                return True
    return False


def _was_left(belief: Belief, cell: Cell, at_ms: int) -> bool:
    """True if *cell* was, or was just about to be, empty at *at_ms*, as far as is known."""
    latest_ms = at_ms + belief.table.timing.rest_ms
    is_left = None
    for edge in belief.edges:
        if edge.cell != cell:
            continue
        if edge.t_ms > latest_ms:
            return edge.is_occupied if is_left is None else is_left
        if not edge.is_occupied:
            is_left = True
        elif edge.t_ms <= at_ms:  # else it was empty then
            is_left = False
    return is_left is not False


def _filled_ms(belief: Belief, cell: Cell, since: int) -> int | None:
    """When *cell* was last filled, by an edge from number *since* on; a contact that bounced was not open."""
    filled_ms = emptied_ms = None
    for number, edge in enumerate(belief.edges, belief.first_edge):
        if edge.cell != cell:
            continue
        if not edge.is_occupied:
            emptied_ms = edge.t_ms
        elif number >= since and (emptied_ms is None or edge.t_ms - emptied_ms >= BOUNCE_MS):
            filled_ms = edge.t_ms
    return filled_ms

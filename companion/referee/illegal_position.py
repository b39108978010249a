# SPDX-License-Identifier: Apache-2.0
"""Faults: whether anything legal can follow from the board, and the broken rule.

Examined only when the board is at rest or a ply was declared complete: motions are no faults.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from companion.model.game import Violation
from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import Difference
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.belief import Belief
from companion.referee.events import Stage
from companion.referee.footprints import Imprint, Prospect
from companion.referee.looks import Seen, fits, look
from companion.referee.marks import Edge
from companion.referee.reading import open_depths, possible, readings
from companion.referee.rivalling import is_held_long

TOUCH_MOVE: Final = "touch-move"
"""Rule of the referee: an announced move stands."""

PRESS_WITHOUT_MOVE: Final = "press-without-move"
"""Rule of the referee: a press completes a move."""

CLOCK_WITHOUT_MOVE: Final = "clock-without-move"
"""The same where another clock has run since and can be given back."""

_MOST_OPEN: Final = 2
"""Limit of undecided plies with which a fault is reported before all was tried."""


class IllegalFinding(NamedTuple):
    """A fault of the board."""

    ply: int
    """Number of plies of the game that stay valid."""
    difference: Difference
    violation: Violation


def find_illegal(belief: Belief, *, is_done: bool = False) -> IllegalFinding | None:
    """The fault of the board, or None while something legal is there or can follow.

    With *is_done* the side has finished: a piece in a hand is no excuse any more.
    """
    differing = belief.tip.differing(belief.seen)
    if not differing:
        return None
    if not is_done and _is_on_the_way(belief, differing):
        return None
    if belief.is_cut and sum(map(belief.is_open, range(len(belief.line)))) > _MOST_OPEN:
        return None  # an answer about the plies before may still explain it
    return illegal_finding(belief, differing)


def _is_on_the_way(belief: Belief, differing: Occupancy) -> bool:
    """True if a legal move may still follow from the board, or complete it."""
    if belief.guess or not differing & belief.seen.occupied:
        return True
    if belief.rest_ms < belief.table.timing.longest_ms and _is_going_back(belief):
        return True
    return bool(readings(belief)) or any(leads_on(belief, depth) for depth in open_depths(belief))


def _is_going_back(belief: Belief) -> bool:
    """True if the board is as before the last ply, held pieces excepted.

    The ply can still be revised. Where a piece was seen to be placed for it, that was lifted again.
    """
    return any(
        not belief.before(depth).differing(belief.seen) & belief.seen.occupied
        for depth in open_depths(belief)
        if depth < len(belief.line) and (belief.is_touched(depth) or _may_be_held(belief, depth))
    )


def _may_be_held(belief: Belief, depth: int) -> bool:
    """True if the unseen piece of a ply may still be in hand.

    At most one other ply was made while it lingered.
    """
    ply, is_last = belief.line[depth], depth == len(belief.line) - 1
    return (ply.is_supposed or ply.is_unseen) and (is_last or not is_held_long(belief, depth))


def leads_on(belief: Belief, depth: int) -> bool:
    """True if a legal move after *depth* plies was begun: all placed pieces fit it."""
    before, seen = belief.before(depth), belief.seen
    differing = before.differing(seen)
    shown = differing & seen.occupied
    if not shown:
        return depth == len(belief.line)
    timing = belief.table.timing
    may_be_exchanged = belief.rest_ms < timing.longest_ms  # as long as a piece may be in a hand
    begun = [
        imprint
        for imprint in before.touching(next(cells_of(shown)))
        if not shown & ~imprint.shows
        and (
            imprint.fits(seen, shown) or (may_be_exchanged and _is_unexchanged(before, imprint, seen, shown))
        )
    ]
    return any(
        _is_begun(before.rules.steps(before.position, imprint.move), shown, differing)
        for imprint in possible(belief, depth, begun, is_whole=False)
    )


def _is_unexchanged(before: Prospect, imprint: Imprint, seen: Seen, shown: Occupancy) -> bool:
    """True if the pieces on *shown* are those that *imprint* replaces by another kind.

    For example a pawn about to be promoted.
    """
    expected = {
        cell: look(step.piece, before.kind)
        for step in before.rules.steps(before.position, imprint.move)
        if step.piece.kind != step.becomes.kind
        for cell in step.target
    }
    return all(cell in expected and fits(seen.look(cell), expected[cell]) for cell in cells_of(shown))


def _is_begun(steps: Iterable[Step], shown: Occupancy, differing: Occupancy) -> bool:
    """True if the pieces placed on *shown* have left their source cells."""
    return all(
        occupancy_of(step.source) & ~occupancy_of(step.target) & ~differing == 0
        for step in steps
        if occupancy_of(step.target) & shown
    )


def illegal_finding(belief: Belief, differing: Occupancy) -> IllegalFinding:
    """The rule that the board breaks, from the position before its hand's first touch."""
    depth = len(belief.line)
    if depth and belief.line[-1].imprint.entered & differing & ~belief.seen.occupied:
        ply = belief.line[-1]
        if belief.stands(depth - 1):
            violation = _touch_move(belief, depth)
            return IllegalFinding(belief.ply, difference(belief, depth), violation)
        before = belief.before(depth - 1)
        if before.differing(belief.seen):
            found = difference(belief, depth - 1)
            kept = depth - 1 if ply.stage is Stage.PROVISIONAL else depth
            return IllegalFinding(belief.root_ply + kept, found, before.rules.explain(before.position, found))
    found = difference(belief, depth)
    return IllegalFinding(belief.ply, found, belief.tip.rules.explain(belief.tip.position, found))


def _touch_move(belief: Belief, depth: int) -> Violation:
    """The violation: the move at the end of the line was announced and stands."""
    imprint = belief.line[depth - 1].imprint
    cell = imprint.target[0]
    piece = belief.tip.pieces[cell]
    name = belief.table.rules.grid.name(cell)
    return Violation.of(TOUCH_MOVE, cell, *imprint.source, piece=piece, cell=name)


def difference(belief: Belief, depth: int) -> Difference:
    """The difference of the board from the position at *depth*.

    In the order of the hands.
    """
    before = belief.before(depth)
    differing = before.differing(belief.seen)
    edges = belief.edges[max(0, belief.since(depth) - belief.first_edge) :]
    order = {edge.cell: number for number, edge in enumerate(edges)}
    put_right = _put_right(before, edges, belief.table.timing.dwell_ms)

    def in_order(occupancy: Occupancy) -> tuple[int, ...]:
        return tuple(sorted(cells_of(occupancy), key=lambda cell: order.get(cell, -1)))

    occupied = belief.seen.occupied
    return Difference(
        emptied=in_order(differing & before.occupied & ~occupied),
        filled=in_order(differing & ~before.occupied & occupied),
        changed=tuple(
            (cell, belief.seen.look(cell)) for cell in in_order(differing & before.occupied & occupied)
        ),
        touched=tuple(cell for cell in put_right if not differing >> cell & 1),
    )


def _put_right(before: Prospect, edges: Iterable[Edge], dwell_ms: int) -> list[Cell]:
    """The occupied cells of *before* whose piece was lifted and replaced in *edges*, in order.

    Edges before the board was correct for *dwell_ms* are ignored.
    """
    replaced: dict[Cell, None] = {}
    apart, last_ms = 0, None
    for edge in edges:
        if not apart and last_ms is not None and edge.t_ms - last_ms >= dwell_ms:
            replaced.clear()
        last_ms, bit = edge.t_ms, 1 << edge.cell
        apart = apart & ~bit if edge.is_occupied == bool(before.occupied & bit) else apart | bit
        if edge.is_occupied and before.occupied & bit:
            replaced.pop(edge.cell, None)
            replaced[edge.cell] = None
    return list(replaced)

# SPDX-License-Identifier: Apache-2.0
"""Faults of the board, and the rules that they break."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final, NamedTuple

from companion.model.game import Violation
from companion.model.grid import Cell
from companion.model.observation import EMPTY, OCCUPIED, Change, Difference, SensorKind, Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.model.pieces import Piece
from companion.referee.inference.belief import Belief
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import look
from companion.referee.values.board.marks import Edge
from companion.referee.values.events import Stage

TOUCH_MOVE: Final = "touch-move"
"""Rule of the referee: an announced move stands."""

PRESS_WITHOUT_MOVE: Final = "press-without-move"
"""Rule of the referee: a press completes a move."""

CLOCK_WITHOUT_MOVE: Final = "clock-without-move"
"""The same where another clock has run since and can be given back."""


_NONE: Final[Mapping[Cell, Sighting]] = MappingProxyType({})


class IllegalFinding(NamedTuple):
    """A fault of the board."""

    ply: int
    """Number of plies of the game that stay valid."""
    difference: Difference
    violation: Violation


def illegal_finding(
    belief: Belief, differing: Occupancy, placed: Mapping[Cell, Sighting] = _NONE
) -> IllegalFinding:
    """The rule that the board breaks, from the position before its hand's first touch.

    Pieces that were *placed* are known, whatever the sensor tells.
    """
    depth = len(belief.line)
    if depth and belief.line[-1].imprint.entered & differing & ~belief.seen.occupied:
        before = belief.before(depth - 1)
        if belief.stands(depth - 1):
            return IllegalFinding(belief.ply, difference(belief, depth, placed), _touch_move(belief, depth))
        depth -= belief.line[-1].stage is Stage.PROVISIONAL and bool(before.differing(belief.seen))
    found, before = difference(belief, depth, placed), belief.before(depth)
    told = replace(found, placed=_looks(belief, found, placed))
    return IllegalFinding(belief.root_ply + depth, found, before.rules.explain(before.position, told))


def violation_of(belief: Belief, piece: Piece, cells: Iterable[Cell]) -> Violation:
    """The rule that a hand breaks which puts *piece* on *cells*.

    It takes away what stands there. Ask only about moves that are illegal: a legal one breaks none.
    """
    cells, shown = tuple(cells), look(piece, SensorKind.IDENTITY_FACING)
    placed = {cell: shown for cell in cells if belief.seen.occupied >> cell & 1}
    for cell in placed:
        belief = belief.sensed(Change(belief.now_ms, cell, EMPTY))
    for cell in cells:
        belief = belief.sensed(Change(belief.now_ms, cell, shown))
    return illegal_finding(belief, belief.tip.differing(belief.seen), placed).violation


def _touch_move(belief: Belief, depth: int) -> Violation:
    """The violation: the move at the end of the line was announced and stands."""
    imprint = belief.line[depth - 1].imprint
    cell = imprint.target[0]
    piece = belief.tip.pieces[cell]
    name = belief.table.rules.grid.name(cell)
    return Violation.of(TOUCH_MOVE, cell, *imprint.source, piece=piece, cell=name)


def _looks(
    belief: Belief, found: Difference, placed: Mapping[Cell, Sighting]
) -> tuple[tuple[Cell, Sighting], ...]:
    """The known looks of pieces on filled cells of *found* or *placed* on others."""
    filled = [(cell, belief.seen.look(cell)) for cell in found.filled]
    known = [(cell, seen) for cell, seen in filled if seen != OCCUPIED]
    return (*known, *((cell, seen) for cell, seen in found.changed if cell in placed))


def difference(belief: Belief, depth: int, placed: Mapping[Cell, Sighting] = _NONE) -> Difference:
    """The difference of the board from the position at *depth*.

    In the order of the hands. Pieces that were *placed* on others are changed cells.
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
            (cell, belief.seen.look(cell))
            for cell in in_order((differing | occupancy_of(placed)) & before.occupied & occupied)
        ),
        touched=tuple(cell for cell in put_right if not (differing >> cell & 1 or cell in placed)),
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

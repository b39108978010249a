# SPDX-License-Identifier: Apache-2.0
"""The cost of explaining the edges of an open segment by one move or none.

Every edge is charged to exactly one cause. No game is known here, and all numbers are in
the cost table.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from companion.model.grid import OFF, Cell, Grid, distances, neighbours
from companion.model.observation import OCCUPIED
from companion.model.occupancy import cells_of
from companion.referee.inference.tracker.needs import Needs, is_piece
from companion.referee.inference.tracker.segment import ByCell, Charge, Segment, Touch
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.marks import Edge


def explained(
    before: Prospect,
    needs: Needs,
    segment: Segment,
    *,
    is_complete: bool,
    charges: list[Charge] | None = None,
    limit: float = math.inf,
) -> float:
    """The cost in nats of *segment* if one hand makes a move with *needs*.

    Unless it *is_complete*, the segment is the beginning of the move.
    *charges* is filled with the causes if it is given. A cost above *limit* may be too low.
    """
    account = _Account(before, needs, segment, charges, limit)
    account.charge_order(is_complete=is_complete)
    account.charge_pieces()
    if is_complete:
        account.charge_missing()
    return account.total


class _Account:
    """The causes of the edges of one segment, added up."""

    __slots__ = (
        "_before",
        "_cells",
        "_charges",
        "_costs",
        "_grid",
        "_limit",
        "_needs",
        "_own",
        "_segment",
        "total",
    )

    def __init__(
        self, before: Prospect, needs: Needs, segment: Segment, charges: list[Charge] | None, limit: float
    ) -> None:
        self._limit = limit
        self._grid, self._before, self._needs = before.rules.grid, before, needs
        self._segment, self._costs, self._charges = segment, segment.trail.costs, charges
        self._cells, self._own = segment.trail.by_cell, needs.own
        self.total = segment.trail.common_cost
        if charges is not None:
            charges.extend(segment.trail.common)
        for charge in segment.halted if segment.halts else ():
            self._add(*charge)

    def _add(self, cause: str, nats: float, cell: Cell = OFF) -> None:
        self.total += nats
        if self._charges is not None and nats:
            self._charges.append(Charge(cause, nats, cell))

    def charge_pieces(self) -> None:
        """Charge what hands did besides the edges that the move needs."""
        segment, own = self._segment, self._own
        turned = segment.silent & ~own | segment.turned
        if turned:
            for cell in cells_of(turned):
                self._add("piece.turned", self._costs.piece_turned, cell)
        handled = segment.trail.handled
        if handled & own:
            for cell in cells_of(handled & own):
                self._charge_own(cell, self._cells[cell])
        if handled & ~own and self.total <= self._limit:
            self._charge_strays()

    def _charge_strays(self) -> None:
        """Charge the touches of cells that the move does not change.

        Each has its own price: for a cell on the way of a moving piece, for a piece handled beside
        the move, a further cell that the same piece came to, or a cell touched again. Each further
        piece that is handled costs more, and so does a piece that rests while another one is moved.
        """
        own, costs = self._own, self._costs
        motion = _motion(self._segment, self._needs, self._grid, costs.order_early_ms)
        visited = attempts = 0
        for touch in self._segment.trail.touches:
            if own & touch.bit:
                continue
            if self.total > self._limit:
                return
            if (touch.cell, touch.number) in motion.visits:
                self._charge_visit(touch, is_first=not visited & touch.bit)
                visited |= touch.bit
            else:
                attempts += self._charge_stray(touch, motion)
            if touch.meanwhile & ~own:
                self._add("piece.meanwhile", costs.piece_meanwhile, touch.cell)
        if attempts > 1:
            self._add("piece.more", costs.piece_more * (attempts - 1))

    def _charge_visit(self, touch: Touch, *, is_first: bool) -> None:
        """Charge a moving piece that passed over a cell, or rested there."""
        costs = self._costs
        if not is_first:
            self._add("piece.again", costs.piece_again, touch.cell)
        elif touch.until_ms - touch.t_ms <= costs.piece_pass_ms:
            self._add("piece.pass", costs.piece_pass, touch.cell)
        else:
            self._add("piece.stop", costs.piece_stop, touch.cell)

    def _charge_stray(self, touch: Touch, motion: _Motion) -> bool:
        """Charge a touch that has nothing to do with the move.

        True if it counts as an attempt.
        """
        costs, is_attempt = self._costs, False
        is_moving = motion.left_ms <= touch.t_ms <= motion.arrived_ms
        is_beside = touch.t_ms < motion.arrived_ms and touch.bit & self._needs.beside
        charge = touch.prices[2 * is_moving + bool(is_beside)]
        if touch.again is not None and touch.again.nats < charge.nats:
            self._add(*touch.again)
        elif charge.nats > costs.piece_carried and self._is_carried(touch, is_moving=is_moving):
            self._add("piece.carried", costs.piece_carried, touch.cell)
        else:
            is_attempt = charge.cause != "piece.brush"
            self._add(*charge)
        if touch.shown is not None:
            self._charge_other_piece(touch)
        return is_attempt

    def _is_carried(self, touch: Touch, *, is_moving: bool) -> bool:
        """True if a piece that had been handled before came to the cell of *touch*."""
        before = touch.held | touch.tried if is_moving and touch.is_filled else touch.held
        if not before & ~self._own:
            return False
        return touch.is_over or (touch.is_filled and not self._needs.ways)

    def _charge_other_piece(self, touch: Touch) -> None:
        """Charge a piece that lies at the end where another one stood."""
        if touch.number + 2 < len(self._cells[touch.cell]):
            return
        original = self._before.looks.get(touch.cell)
        if touch.shown and original and not is_piece(touch.shown, original):
            self._add("piece.lying", self._costs.piece_lying, touch.cell)

    def _charge_own(self, cell: Cell, edges: tuple[Edge, ...]) -> None:
        """Charge what is left over at a cell of the move."""
        bit, costs = 1 << cell, self._costs
        if self._segment.trail.told & bit:
            self._charge_others(cell, edges)
        needed = 2 if bit & self._needs.free else 1 if bit & self._needs.exchanges else 0
        extra = (len(edges) - needed) // 2
        if extra > 0 and bit & self._needs.opens:
            self._add("piece.back", extra * costs.piece_back, cell)
            return
        if extra > 0 and bit & self._needs.closes:  # another piece may have come before the mover left
            until_ms = self._left_ms(cell) - costs.order_early_ms
            tried = sum(pair[0].t_ms < until_ms for pair in _pairs(edges)[:extra])
            self._add("piece.try", tried * costs.piece_try, cell)
            extra -= tried
        if extra > 0:
            self._add("piece.again", extra * costs.piece_again, cell)

    def _charge_others(self, cell: Cell, edges: tuple[Edge, ...]) -> None:
        """Charge pieces that came to a cell of the move but do not belong there."""
        original = self._before.looks.get(cell)
        for edge in edges:
            seen = edge.look
            if not seen or (original and (seen is OCCUPIED or is_piece(seen, original))):
                continue
            if not self._needs.may_show(cell, seen):
                self._add("piece.other", self._costs.piece_other, cell)

    def _left_ms(self, target: Cell) -> float:
        """When the piece that comes to *target* left its old cell first."""
        sources = (source for source, reached in self._needs.ways if reached == target)
        times = (edge.t_ms for source in sources for edge in self._cells.get(source, ())[:1])
        return min(times, default=-math.inf)

    def charge_order(self, *, is_complete: bool) -> None:
        """Charge pieces that were reported on new cells before they left the old ones."""
        costs, segment = self._costs, self._segment
        for source, target in self._needs.ways:
            closed = [edge.t_ms for edge in self._cells.get(target, ()) if edge.is_occupied]
            edges = self._cells.get(source, ())
            if len(edges) > 1 and (self._needs.exchanges | self._needs.free) >> source & 1:
                edges = edges[:-1]  # another piece came there
            is_left = bool(edges) and not edges[-1].is_occupied
            left_ms = edges[-1].t_ms if is_left else segment.now_ms
            if not closed or (closed[-1] >= left_ms if is_left else is_complete):
                continue
            segment.is_timed |= not is_left
            early_ms = left_ms - closed[-1]
            if segment.has_gap:
                self._add("order.lost", costs.order_lost, target)
            elif early_ms <= costs.order_early_ms:
                self._add("order.early", costs.order_early, target)
            elif neighbours(self._grid)[source] >> target & 1:
                self._add("order.straddle", costs.order_straddle, target)
            else:
                self._add("order.wrong", costs.order_wrong, target)

    def charge_missing(self) -> None:
        """Charge the edges that the move needs and that were not reported."""
        needs, costs, segment = self._needs, self._costs, self._segment
        visible = ~segment.hidden
        for cell in cells_of((needs.opens | needs.closes | needs.exchanges & ~needs.pushed) & visible):
            if not self._cells.get(cell):
                lost, missing = ("order.lost", costs.order_lost), ("order.missing", costs.order_missing)
                self._add(*(lost if segment.has_gap else missing), cell)
        for cell in cells_of(needs.pushed & visible):
            if not self._cells.get(cell):
                self._add("ply.pushed", costs.ply_pushed, cell)
        for cell in cells_of(needs.between & segment.hidden & segment.handled & ~self._own):
            edges = self._cells[cell]
            if edges and edges[-1].is_occupied:  # the mover rested there, and went on unseen
                self._add("order.lost", costs.order_lost, cell)
                self._add("pause", costs.pause.at(segment.now_ms - edges[-1].t_ms), cell)
        arrived = needs.closes | needs.exchanges
        if not (needs.opens or arrived) or any(self._cells.get(cell) for cell in cells_of(arrived)):
            return
        self._add("ply.emptied", costs.ply_emptied)


def _pairs(edges: tuple[Edge, ...]) -> list[tuple[Edge, ...]]:
    """The touches of a cell: its edges in pairs, the last perhaps single."""
    return [edges[first : first + 2] for first in range(0, len(edges), 2)]


class _Motion(NamedTuple):
    """How the pieces of a move came to their new cells."""

    visits: set[tuple[Cell, int]]
    """Cells on their ways, each with the number of its first edge."""
    left_ms: float
    """When the first of them was lifted."""
    arrived_ms: float
    """When the first of them arrived."""


def _motion(segment: Segment, needs: Needs, grid: Grid, early_ms: int) -> _Motion:
    """How pieces came to their new cells.

    A piece stands on one cell at a time and does not turn back.
    """
    found, trail = set[tuple[Cell, int]](), segment.trail
    cells, left_ms, arrived_ms = trail.by_cell, math.inf, math.inf
    visits = [
        (touch.t_ms, touch.until_ms, touch.cell, touch.number)
        for touch in (trail.touches if trail.handled & needs.between else ())
        if needs.between & touch.bit and touch.is_filled
    ]
    for source, target in needs.ways:
        lifted, reached = cells.get(source), cells.get(target)
        if lifted:
            left_ms = min(left_ms, lifted[0].t_ms)
        if reached and reached[-1].is_occupied:
            arrived_ms = min(arrived_ms, reached[-1].t_ms)
        if not visits:
            continue
        stays = [(-math.inf, lifted[0].t_ms if lifted else math.inf)]
        stays += _stays(cells, source) + _stays(cells, target)
        steps, last = distances(grid, source), source
        for since_ms, until_ms, cell, first in sorted(visits):
            is_onward = cell == last or steps[cell] > steps[last]
            if is_onward and all(
                [min(until_ms, end) - max(since_ms, begin) <= early_ms for begin, end in stays]
            ):
                last = cell
                stays.append((since_ms, until_ms))
                found.add((cell, first))
    return _Motion(found, left_ms, arrived_ms)


def _stays(cells: ByCell, cell: Cell) -> list[tuple[float, float]]:
    """From when to when a piece stood on *cell* that came there."""
    edges = cells.get(cell, ())
    ends = (*[edge.t_ms for edge in edges[1:]], math.inf)
    return [(edge.t_ms, end) for edge, end in zip(edges, ends, strict=False) if edge.is_occupied]

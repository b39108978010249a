# SPDX-License-Identifier: Apache-2.0
"""The edges that a story has not explained yet, sorted for all its explanations."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from companion.model.grid import OFF, Cell
from companion.model.observation import OCCUPIED, Sighting
from companion.model.occupancy import Occupancy, cells_of
from companion.referee.inference.costs import Costs
from companion.referee.inference.tracker.needs import Needs
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import Seen
from companion.referee.values.board.marks import Edge

ByCell: TypeAlias = dict[Cell, tuple[Edge, ...]]
"""The edges of each cell in their order: they open and close in turn."""


class Charge(NamedTuple):
    """One cause and its cost."""

    cause: str
    """Its row of the table of costs, such as `piece.stop` or `pause`."""
    nats: float
    cell: Cell = OFF


class Halt(NamedTuple):
    """A complete ply on a board at rest, or pressed for."""

    edges: int
    """Number of edges before it."""
    cells: Occupancy
    """Cells where its pieces had arrived."""
    nats: float
    """What it costs to move one of them again."""
    at_ms: int = 0
    """When it ended."""
    seen: Seen | None = None
    """The board at that time."""


class Touch(NamedTuple):
    """A cell that changed, and changed back unless it is still as it was changed.

    What it costs where the move has no cell depends on the touch and on where the mover was then,
    not on how other touches are explained.
    """

    t_ms: int
    cell: Cell
    bit: Occupancy
    number: int
    """The number of its first edge among those of the cell."""
    is_over: bool
    is_filled: bool
    """True if a piece came; else one was lifted."""
    until_ms: float
    """When it ended; infinite unless it is over."""
    held: Occupancy
    """The cells whose pieces were in hands when it began."""
    tried: Occupancy
    """The cells to which pieces had come before, and from which they had left."""
    shown: Sighting | None
    """The piece that lies there now, if the sensor tells."""
    meanwhile: Occupancy
    """The cells that changed while a piece stood there, until it left."""
    prices: tuple[Charge, Charge, Charge, Charge]
    """Elsewhere, and beside the way of the mover; then the same while it moves."""
    again: Charge | None
    """What it costs at most, since the cell was touched before."""
    least: tuple[float, float]
    """The lowest of its costs elsewhere, and beside the way."""


class Trail:
    """The edges of a segment, and what all explanations of them share: a value."""

    __slots__ = (
        "_floors",
        "arrived",
        "by_cell",
        "common",
        "common_cost",
        "costs",
        "edges",
        "handled",
        "told",
        "touches",
    )

    def __init__(self, costs: Costs, edges: Iterable[Edge] = ()) -> None:
        self.costs = costs
        self.edges: list[Edge] = []
        self.by_cell: ByCell = {}
        """The edges by cell, without bounces."""
        self.common: list[Charge] = []
        """Bounces and pauses."""
        self.common_cost = 0.0
        self._floors: tuple[float, Occupancy, dict[Cell, tuple[float, float, float]]] | None = None
        self.touches: list[Touch] = []
        """The edges by cell in pairs, in the order of their beginnings."""
        self.handled: Occupancy = 0
        """The cells with edges."""
        self.arrived: Occupancy = 0
        """Those where a piece came."""
        self.told: Occupancy = 0
        """Those where the sensor told a piece from others."""
        for edge in edges:
            self._add(edge)

    def then(self, edges: Iterable[Edge]) -> Trail:
        """The same trail, and then *edges*."""
        made = Trail(self.costs)
        made.edges, made.by_cell, made.common = self.edges.copy(), self.by_cell.copy(), self.common.copy()
        made.common_cost, made.touches = self.common_cost, self.touches.copy()
        made.handled, made.arrived, made.told = self.handled, self.arrived, self.told
        for edge in edges:
            made._add(edge)
        return made

    def _add(self, edge: Edge) -> None:
        costs, cell = self.costs, edge.cell
        pause_ms = edge.t_ms - self.edges[-1].t_ms if self.edges else 0
        if pause_ms > costs.pause.until_ms[0]:
            self._charge("pause", costs.pause.at(pause_ms), cell)
        self.edges.append(edge)
        self.handled |= 1 << cell
        self.arrived |= edge.is_occupied << cell
        is_told = edge.look is not None and edge.look is not OCCUPIED
        self.told |= is_told << cell
        found = self.by_cell.get(cell, ())
        after_ms = edge.t_ms - found[-1].t_ms if found else math.inf
        if after_ms <= costs.piece_bounce_ms and not (is_told and after_ms == 0):  # else another piece came
            self._charge("piece.bounce", costs.piece_bounce, cell)
            found = self.by_cell[cell] = found[:-1]
        else:
            found = self.by_cell[cell] = (*found, edge)
        self._retouch(cell, (len(found) - 1) // 2 * 2, len(found))

    def _retouch(self, cell: Cell, number: int, count: int) -> None:
        """Renew the touch of *cell* with the edge *number*, the last of its *count* edges."""
        last = (at for at in range(len(self.touches) - 1, -1, -1) if self.touches[at].cell == cell)
        at = next(last, -1)
        if at >= 0 and self.touches[at].number > number:
            del self.touches[at]  # it was a bounce
            at = next(last, -1)
        if at >= 0 and self.touches[at].number == number:
            was = self.touches[at]
            self.touches[at] = self._touch(cell, number, was.held, was.tried)
        elif count:
            t_ms = self.by_cell[cell][number].t_ms
            self.touches.append(self._touch(cell, number, *self._before(t_ms, ~(1 << cell))))

    def _charge(self, cause: str, nats: float, cell: Cell) -> None:
        if nats:
            self.common.append(Charge(cause, nats, cell))
            self.common_cost += nats

    def _before(self, t_ms: int, cells: Occupancy) -> tuple[Occupancy, Occupancy]:
        """The *cells* whose pieces were in hands at *t_ms*, and those that had been tried."""
        held = tried = 0
        for touch in self.touches:
            if touch.is_filled:
                tried |= touch.bit if touch.until_ms <= t_ms else 0
            elif touch.until_ms >= t_ms:
                held |= touch.bit
        return held & cells, tried & cells

    def _changed(self, cell: Cell, first: Edge, last: Edge) -> Occupancy:
        """The cells besides *cell* that changed between its edges *first* and *last*."""
        found = 0
        for edge in reversed(self.edges):
            if edge is first or edge.t_ms < first.t_ms:
                break
            found ^= 1 << edge.cell if edge.t_ms < last.t_ms else 0
        return found & ~(1 << cell)

    def _touch(self, cell: Cell, number: int, held: Occupancy, tried: Occupancy) -> Touch:
        """The touch of *cell* that begins with its edge *number*."""
        costs, pair = self.costs, self.by_cell[cell][number : number + 2]
        first, last, is_over = pair[0], pair[-1], len(pair) == 2
        prices = self._prices(cell, pair)
        again = Charge("piece.back", costs.piece_back, cell) if number and is_over else None
        most = costs.piece_back if again else math.inf
        if is_over and (held or (first.is_occupied and tried)):
            most = min(most, costs.piece_carried)
        elsewhere, beside, moving, passing = [price.nats for price in prices]
        return Touch(
            first.t_ms,
            cell,
            1 << cell,
            number,
            is_over,
            first.is_occupied,
            last.t_ms if is_over else math.inf,
            held,
            tried,
            None if last.look is OCCUPIED else last.look,
            self._changed(cell, *pair) if is_over and first.is_occupied else 0,
            prices,
            again,
            (min(most, elsewhere, moving), min(most, beside, passing)),
        )

    def _prices(self, cell: Cell, pair: Sequence[Edge]) -> tuple[Charge, Charge, Charge, Charge]:
        """The prices of a touch that has nothing to do with the move.

        Only a hand that moves a piece brushes cells elsewhere, and passes beside its way.
        """
        costs, is_over = self.costs, len(pair) == 2
        brush = Charge("piece.brush", costs.piece_brush, cell)
        is_short = is_over and pair[1].t_ms - pair[0].t_ms <= costs.piece_brush_ms
        if not pair[0].is_occupied:
            adjust = Charge("piece.adjust", costs.piece_adjust, cell)
            beside = brush if is_over else adjust
            return adjust, beside, brush if is_short else adjust, beside
        if not is_over:
            lying = Charge("piece.lying", costs.piece_lying, cell)
            return lying, lying, lying, lying
        tried = Charge("piece.try", costs.piece_try, cell)
        if is_short:
            return tried, tried, brush, brush
        return tried, tried, tried, Charge("piece.aside", costs.piece_aside, cell)

    def least(self, needs: Needs) -> float:
        """A quick lower bound of what a move with *needs* costs."""
        if self._floors is None:
            self._floors = self._make_floors()
        own, (found, out, cells) = needs.own | needs.between, self._floors
        for cell in cells_of(self.handled & own):
            found -= cells[cell][0]
        for cell in cells_of(self.handled & needs.beside & ~own):
            found += cells[cell][1]
        for cell in () if needs.ways else cells_of(self.handled & ~own):
            found -= cells[cell][2]
        return found + self.costs.piece_more * max(0, (out & ~own).bit_count() - 1)

    def _make_floors(self) -> tuple[float, Occupancy, dict[Cell, tuple[float, float, float]]]:
        """The bound of a move far from all touches, cells without their pieces, and parts.

        For each cell: its part of the bound, how much more beside the way of the mover, and how
        much less if the move leaves no piece on the board: that in the hand may stand there.
        """
        found, out, cells = self.common_cost, 0, dict.fromkeys(self.by_cell, (0.0, 0.0, 0.0))
        for touch in self.touches:
            elsewhere, beside = touch.least
            down = 0.0
            if not touch.is_over and touch.is_filled and touch.held:
                down = max(0.0, self.costs.piece_lying - self.costs.piece_carried)
            out |= 0 if touch.is_over or touch.is_filled else touch.bit
            one, two, three = cells[touch.cell]
            cells[touch.cell] = one + elsewhere, two + beside - elsewhere, three + down
            found += elsewhere
        return found, out, cells


class Begun(NamedTuple):
    """The moves that are begun at the least cost."""

    limit: float
    """Costs from here on were not worked out."""
    nats: float
    """Infinite if none costs less."""
    moves: tuple[Imprint, ...]
    """All with the same needs."""


@dataclass(eq=False, slots=True)
class Segment:
    """What a hypothesis has not explained yet: a value, with notes about it."""

    trail: Trail
    now_ms: int = 0
    silent: Occupancy = 0
    """Cells that differ from the position although no edge was reported."""
    has_gap: bool = False
    """True if edges were lost in it."""
    hidden: Occupancy = 0
    """Cells that the sensor cannot see."""
    halts: tuple[Halt, ...] = ()
    """The halts during the segment; their numbers of edges count from its beginning."""
    turned: Occupancy = 0
    """Cells that differed in a halt although no edge had been reported before it."""
    nothing: float | None = field(default=None, init=False)
    """What it costs to put all right, once it was worked out."""
    begun: Begun | None = field(default=None, init=False)
    is_timed: bool = field(default=False, init=False)
    """True once a cost depended on `now_ms`."""
    _halted: list[Charge] | None = field(default=None, init=False)

    @property
    def edges(self) -> Sequence[Edge]:
        """The edges in their order."""
        return self.trail.edges

    @property
    def handled(self) -> Occupancy:
        """The cells with edges."""
        return self.trail.handled

    @property
    def costs(self) -> Costs:
        """The table of costs."""
        return self.trail.costs

    @property
    def halted(self) -> list[Charge]:
        """The charges for going on after the halts."""
        if self._halted is None:
            self._halted = [self._went_on(halt) for halt in self.halts]
        return self._halted

    def _went_on(self, halt: Halt) -> Charge:
        is_lifted = any(
            not edge.is_occupied and halt.cells >> edge.cell & 1 for edge in self.edges[halt.edges :]
        )
        if is_lifted and halt.nats > self.costs.revision_halt:
            return Charge("revision.touch_move", halt.nats)
        return Charge("revision.halt", self.costs.revision_halt)

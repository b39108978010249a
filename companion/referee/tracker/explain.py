# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all causes of an edge are in one place, beside the lower bound of their costs.
"""The cost of explaining the edges of an open segment by one move or none.

Every edge is charged to exactly one cause. No game is known here, and all numbers are in
the cost table.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import OFF, Cell, Grid, distances
from companion.model.observation import OCCUPIED
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.footprints import Prospect
from companion.referee.looks import Seen
from companion.referee.marks import Edge
from companion.referee.tracker.costs import DEFAULT, Costs
from companion.referee.tracker.needs import Needs, is_piece, neighbours

_ByCell: TypeAlias = dict[Cell, list[Edge]]
"""The edges of each cell in their order: they open and close in turn."""


class Charge(NamedTuple):
    """One cause and its cost."""

    cause: str
    nats: float
    cell: Cell = OFF


class Stray(NamedTuple):
    """The least costs of the touches of a cell that is not the move's."""

    bit: Occupancy
    near: Occupancy
    """Its neighbours."""
    beside: float
    """Where the mover passes a neighbour."""
    elsewhere: float
    set_down: float
    """How much less they are if the move leaves no piece on the board.

    Then the piece in the hand may stand there.
    """
    is_lifted: bool
    """True if its piece is in a hand."""


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


_TRIES: Final = ("try", "aside")
_nats: Final = operator.attrgetter("nats")


class Touch(NamedTuple):
    """A cell that changed, and changed back unless it is still as it was changed."""

    t_ms: int
    cell: Cell
    number: int
    """The number of its first edge among those of the cell."""
    pair: list[Edge]
    """One edge or two."""


@dataclass(eq=False, slots=True)
class Segment:
    """What a hypothesis has not explained yet: a value, with notes about it."""

    edges: Sequence[Edge]
    now_ms: int = 0
    silent: Occupancy = 0
    """Cells that differ from the position although no edge was reported."""
    has_gap: bool = False
    """True if edges were lost in it."""
    hidden: Occupancy = 0
    """Cells that the sensor cannot see."""
    occupied: Occupancy = 0
    """The cells that were occupied before."""
    costs: Costs = DEFAULT
    halts: tuple[Halt, ...] = ()
    """The halts during the segment; their numbers of edges count from its beginning."""
    turned: Occupancy = 0
    """Cells that differed in a halt although no edge had been reported before it."""

    is_timed: bool = field(default=False, init=False)
    """True once a cost depended on `now_ms`."""
    _handled: Occupancy | None = field(default=None, init=False)
    _sorted: tuple[_ByCell, tuple[Charge, ...], float] | None = field(default=None, init=False)
    _touches: list[Touch] | None = field(default=None, init=False)
    _strays: tuple[Stray, ...] | None = field(default=None, init=False)

    @property
    def handled(self) -> Occupancy:
        """The cells with edges."""
        if self._handled is None:
            self._handled = occupancy_of([edge.cell for edge in self.edges])
        return self._handled

    def _sort(self) -> tuple[_ByCell, tuple[Charge, ...], float]:
        """The edges by cell, the charges of every explanation, and their sum."""
        costs, cells, last_ms = self.costs, dict[Cell, list[Edge]](), -1
        charges = list[Charge]()
        short_ms, bounce_ms = costs.pause.until_ms[0], costs.piece_bounce_ms
        for edge in self.edges:
            at_ms = edge.t_ms
            if 0 <= last_ms < at_ms - short_ms:
                charges.append(Charge("pause", costs.pause.at(at_ms - last_ms), edge.cell))
            last_ms = at_ms
            found = cells.get(edge.cell)
            if found is None:
                found = cells[edge.cell] = []
            elif found and at_ms - found[-1].t_ms <= bounce_ms:
                is_exchange = edge.look not in (None, OCCUPIED) and at_ms == found[-1].t_ms
                if not is_exchange:
                    found.pop()
                    charges.append(Charge("bounce", costs.piece_bounce, edge.cell))
                    continue
            found.append(edge)
        charges += [self._went_on(halt) for halt in self.halts]
        self._sorted = cells, tuple(charges), sum([charge.nats for charge in charges])
        return self._sorted

    def _went_on(self, halt: Halt) -> Charge:
        """The charge for going on after *halt*."""
        is_lifted = any(
            not edge.is_occupied and halt.cells >> edge.cell & 1 for edge in self.edges[halt.edges :]
        )
        if is_lifted and halt.nats > self.costs.revision_halt:
            return Charge("touch-move", halt.nats)
        return Charge("halt", self.costs.revision_halt)

    @property
    def by_cell(self) -> _ByCell:
        """The edges by cell, without bounces."""
        return (self._sorted or self._sort())[0]

    @property
    def common(self) -> tuple[Charge, ...]:
        """Bounces, pauses and halts, which every explanation is charged for."""
        return (self._sorted or self._sort())[1]

    @property
    def common_cost(self) -> float:
        """The sum of the charges in `common`."""
        return (self._sorted or self._sort())[2]

    @property
    def touches(self) -> list[Touch]:
        """The edges by cell in pairs, in the order of their beginnings."""
        if self._touches is None:
            self._touches = sorted(
                [
                    Touch(edges[number].t_ms, cell, number, edges[number : number + 2])
                    for cell, edges in self.by_cell.items()
                    for number in range(0, len(edges), 2)
                ]
            )
        return self._touches

    def strays(self, grid: Grid) -> tuple[Stray, ...]:
        """The handled cells with the least costs of their touches, on a board of *grid*."""
        if self._strays is None:
            nears = neighbours(grid)
            held = [
                (pair[0].t_ms, pair[1].t_ms if len(pair) == 2 else math.inf, pair[0])
                for _, _, _, pair in self.touches
                if not pair[0].is_occupied
            ]
            self._strays = tuple(
                [self._stray_at(cell, edges, nears[cell], held) for cell, edges in self.by_cell.items()]
            )
        return self._strays

    def _stray_at(
        self, cell: Cell, edges: list[Edge], around: Occupancy, held: list[tuple[int, float, Edge]]
    ) -> Stray:
        """The least costs of the touches of *cell*, whose neighbours are *around*.

        Pieces were *held* from when to when, each lifted by an edge.
        """
        costs, beside, elsewhere, set_down = self.costs, 0.0, 0.0, 0.0
        for number in range(0, len(edges), 2):
            pair = edges[number : number + 2]
            first, is_over = pair[0], len(pair) == 2
            at_ms = first.t_ms
            is_carried = any(
                [since <= at_ms <= until and first is not lifted for since, until, lifted in held]
            )
            cheaper = min(
                costs.piece_carried if is_carried and is_over else math.inf,
                costs.piece_back if number else math.inf,
            )
            if is_carried and not is_over and first.is_occupied:
                set_down = max(0.0, costs.piece_lying - costs.piece_carried)
            beside += min(self.stray(cell, pair, is_beside=True).nats, cheaper)
            elsewhere += min(self.stray(cell, pair, is_beside=False).nats, cheaper)
        is_lifted = len(edges) == 1 and not edges[0].is_occupied
        return Stray(1 << cell, around, beside, elsewhere, set_down, is_lifted)

    def stray(self, cell: Cell, pair: list[Edge], *, is_beside: bool, is_moving: bool = True) -> Charge:
        """The charge for a touch of *cell* that has nothing to do with the move.

        *pair* are the edges at its beginning and end; it *is_beside* the way of the mover.
        Only a hand that *is_moving* brushes pieces elsewhere.
        """
        costs, is_over = self.costs, len(pair) == 2
        is_short = is_over and is_moving and pair[1].t_ms - pair[0].t_ms <= costs.piece_brush_ms
        if is_short or (is_over and is_beside and self.occupied >> cell & 1):
            return Charge("brush", costs.piece_brush, cell)
        if self.occupied >> cell & 1:
            return Charge("adjust", costs.piece_adjust, cell)
        if is_over and is_beside and is_moving:
            return Charge("aside", costs.piece_aside, cell)
        return Charge("try", costs.piece_try, cell) if is_over else Charge("lying", costs.piece_lying, cell)

    def least(self, needs: Needs, strays: tuple[Stray, ...]) -> float:
        """A quick lower bound of what `explained` returns for *needs*, given `strays`."""
        own, around = needs.own, needs.between | needs.closes | needs.exchanges
        found, lifted = self.common_cost, 0
        found += (self.silent & ~own | self.turned).bit_count() * self.costs.piece_try
        own |= needs.between
        for each in strays:
            if not own & each.bit:
                found += each.beside if each.near & around else each.elsewhere
                lifted += each.is_lifted
                if not needs.ways:
                    found -= each.set_down
        return found + self.costs.piece_more * max(0, lifted - 1)


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

    def __init__(
        self,
        before: Prospect,
        needs: Needs,
        segment: Segment,
        charges: list[Charge] | None,
        limit: float,
    ) -> None:
        self.total = 0.0
        self._limit = limit
        self._grid, self._before, self._needs = before.rules.grid, before, needs
        self._segment, self._costs, self._charges = segment, segment.costs, charges
        self._cells, self._own = segment.by_cell, needs.own
        self.total += segment.common_cost
        if charges is not None:
            charges.extend(segment.common)

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
                self._add("turned", self._costs.piece_try, cell)
        handled = segment.handled
        if handled & own:
            for cell in cells_of(handled & own):
                self._charge_own(cell, self._cells[cell])
        if handled & ~own and self.total <= self._limit:
            self._charge_strays()

    def _charge_strays(self) -> None:
        """Charge the touches of cells that the move does not change.

        Where a piece was lifted and put back, other touches meanwhile belong to the same attempt,
        and so do further cells on which the mover was tried.
        """
        costs, own, nears = self._costs, self._own, neighbours(self._grid)
        motion, attempts = self._charge_visits(), 0
        held: Touch | None = None
        has_tried = False
        touched: Occupancy = 0
        for touch in self._segment.touches:
            cell, bit = touch.cell, 1 << touch.cell
            if own & bit or (cell, touch.number) in motion.visits:
                continue
            if self.total > self._limit:
                return
            is_free = not motion.left_ms <= touch.t_ms <= motion.arrived_ms  # else the hand holds the mover
            charge = self._stray(touch, motion, nears[cell], is_free=is_free)
            meanwhile = held.cell if held is not None and self._is_meanwhile(touch, held) else None
            is_try = not is_free and charge.cause in _TRIES
            if touched & bit and charge.cause != "lying":
                charge = min(charge, Charge("back", costs.piece_back, cell), key=_nats)
            elif meanwhile is not None if is_free else is_try and has_tried:
                charge = min(charge, Charge("carried", costs.piece_carried, cell), key=_nats)
            elif meanwhile is None or not nears[meanwhile] & bit:
                attempts += charge.cause != "brush"  # else the piece was knocked over and fell there
                has_tried |= is_try
            self._add(*charge)
            touched |= bit
            self._charge_other_piece(cell, touch.pair)
            if held is None and not touch.pair[0].is_occupied:
                held = touch
        self._add("more", costs.piece_more * max(0, attempts - 1))

    def _charge_visits(self) -> _Motion:
        """Charge the visits of moving pieces to cells on their ways."""
        needs, own = self._needs, self._own
        if not needs.ways:
            return _NO_MOTION
        motion = _motion(self._segment, needs, self._grid, self._costs.order_early_ms)
        for cell, first in sorted(motion.visits):
            if not own >> cell & 1:
                self._charge_visit(cell, self._cells[cell][first : first + 2])
        return motion

    def _stray(self, touch: Touch, motion: _Motion, nears: Occupancy, *, is_free: bool) -> Charge:
        """The charge for *touch* of a cell with the neighbours *nears*."""
        needs, at_ms, until_ms = self._needs, touch.t_ms, touch.pair[-1].t_ms
        is_beside = at_ms < motion.arrived_ms and nears & (needs.between | needs.closes | needs.exchanges)
        is_moving = not is_free and not any(
            [since <= at_ms and until_ms <= until for since, until in motion.rests]
        )
        return self._segment.stray(touch.cell, touch.pair, is_beside=bool(is_beside), is_moving=is_moving)

    def _is_meanwhile(self, touch: Touch, held: Touch) -> bool:
        """True if *touch* began while a hand held the piece of *held*.

        It is over, or the piece held stands there, against the rules.
        """
        is_held = len(held.pair) == 1 or touch.t_ms <= held.pair[1].t_ms
        is_set_down = touch.pair[0].is_occupied and not self._needs.ways
        return is_held and (len(touch.pair) == 2 or is_set_down)

    def _charge_other_piece(self, cell: Cell, pair: list[Edge]) -> None:
        """Charge a piece that lies at the end where another one stood."""
        seen, original = pair[-1].look, self._before.looks.get(cell)
        is_last = pair[-1] is self._cells[cell][-1]
        if seen and is_last and original and not is_piece(seen, original):
            self._add("other piece", self._costs.piece_lying, cell)

    def _charge_own(self, cell: Cell, edges: list[Edge]) -> None:
        """Charge what is left over at a cell of the move."""
        bit, costs = 1 << cell, self._costs
        original = self._before.looks.get(cell)
        for edge in edges:
            seen = edge.look
            if not seen or (original and (seen is OCCUPIED or is_piece(seen, original))):
                continue
            if not self._needs.may_show(cell, seen):
                self._add("other piece", costs.piece_try, cell)
        needed = 2 if bit & self._needs.free else 1 if bit & self._needs.exchanges else 0
        extra = (len(edges) - needed) // 2
        if extra > 0 and bit & self._needs.opens:
            self._add("back", extra * costs.piece_back, cell)
            return
        if extra > 0 and bit & self._needs.closes:  # another piece may have come before the mover left
            until_ms = self._left_ms(cell) - costs.order_early_ms
            tried = sum(pair[0].t_ms < until_ms for pair in _pairs(edges)[:extra])
            self._add("try", tried * costs.piece_try, cell)
            extra -= tried
        if extra > 0:
            self._add("again", extra * costs.piece_again, cell)

    def _left_ms(self, target: Cell) -> float:
        """When the piece that comes to *target* left its old cell first."""
        sources = (source for source, reached in self._needs.ways if reached == target)
        times = (edge.t_ms for source in sources for edge in self._cells.get(source, ())[:1])
        return min(times, default=-math.inf)

    def _charge_visit(self, cell: Cell, pair: list[Edge]) -> None:
        """Charge a moving piece that passed over *cell*, or rested there."""
        is_pass = len(pair) == 2 and pair[1].t_ms - pair[0].t_ms <= self._costs.piece_pass_ms
        self._add(
            "pass" if is_pass else "stop", self._costs.piece_pass if is_pass else self._costs.piece_stop, cell
        )

    def charge_order(self, *, is_complete: bool) -> None:
        """Charge pieces that were reported on new cells before they left the old ones."""
        costs, segment = self._costs, self._segment
        for source, target in self._needs.ways:
            closed = [edge.t_ms for edge in self._cells.get(target, ()) if edge.is_occupied]
            edges = self._cells.get(source, [])
            if len(edges) > 1 and (self._needs.exchanges | self._needs.free) >> source & 1:
                edges = edges[:-1]  # another piece came there
            is_left = bool(edges) and not edges[-1].is_occupied
            left_ms = edges[-1].t_ms if is_left else segment.now_ms
            if not closed or (closed[-1] >= left_ms if is_left else is_complete):
                continue
            segment.is_timed |= not is_left
            early_ms = left_ms - closed[-1]
            if segment.has_gap:
                self._add("lost", costs.order_lost, target)
            elif early_ms <= costs.order_early_ms:
                self._add("early", costs.order_early, target)
            elif neighbours(self._grid)[source] >> target & 1:
                self._add("straddle", costs.order_straddle, target)
            else:
                self._add("wrong order", costs.order_wrong, target)

    def charge_missing(self) -> None:
        """Charge the edges that the move needs and that were not reported."""
        needs, costs, segment = self._needs, self._costs, self._segment
        visible = ~segment.hidden
        for cell in cells_of((needs.opens | needs.closes | needs.exchanges & ~needs.pushed) & visible):
            if not self._cells.get(cell):
                lost = segment.has_gap
                self._add(
                    "lost" if lost else "missing", costs.order_lost if lost else costs.order_missing, cell
                )
        for cell in cells_of(needs.pushed & visible):
            if not self._cells.get(cell):
                self._add("pushed", costs.ply_pushed, cell)
        for cell in cells_of(needs.between & segment.hidden & segment.handled & ~self._own):
            edges = self._cells[cell]
            if edges and edges[-1].is_occupied:  # the mover rested there, and went on unseen
                self._add("lost", costs.order_lost, cell)
                self._add("pause", costs.pause.at(segment.now_ms - edges[-1].t_ms), cell)
        arrived = needs.closes | needs.exchanges
        if not (needs.opens or arrived) or any(self._cells.get(cell) for cell in cells_of(arrived)):
            return
        self._add("emptied", costs.ply_emptied)


def _pairs(edges: list[Edge]) -> list[list[Edge]]:
    """The touches of a cell: its edges in pairs, the last perhaps single."""
    return [edges[first : first + 2] for first in range(0, len(edges), 2)]


class _Motion(NamedTuple):
    """How the pieces of a move came to their new cells."""

    visits: frozenset[tuple[Cell, int]] | set[tuple[Cell, int]]
    """Cells on their ways, each with the number of its first edge."""
    left_ms: float
    """When the first of them was lifted."""
    arrived_ms: float
    """When the first of them arrived."""
    rests: list[tuple[float, float]]
    """From when to when they rested on their ways."""


_NO_MOTION: Final = _Motion(frozenset(), math.inf, math.inf, [])


def _motion(segment: Segment, needs: Needs, grid: Grid, early_ms: int) -> _Motion:
    """How pieces came to their new cells.

    A piece stands on one cell at a time and does not turn back.
    """
    found, cells = set[tuple[Cell, int]](), segment.by_cell
    left_ms = arrived_ms = math.inf
    rests = list[tuple[float, float]]()
    visits = [
        (*_stay(cells[touch.cell], touch.number), touch.cell, touch.number)
        for touch in segment.touches
        if needs.between >> touch.cell & 1 and touch.pair[0].is_occupied
    ]
    for source, target in needs.ways:
        if lifted := cells.get(source):
            left_ms = min(left_ms, lifted[0].t_ms)
        at_target = _stays(cells, target)
        arrived_ms = min([arrived_ms, *[since for since, until in at_target if until == math.inf]])
        if not visits:
            continue
        stays = [(-math.inf, lifted[0].t_ms if lifted else math.inf)]
        stays += _stays(cells, source) + at_target
        steps, last = distances(grid, source), source
        for since_ms, until_ms, cell, first in sorted(visits):
            is_onward = cell == last or steps[cell] > steps[last]
            if is_onward and all(
                [min(until_ms, end) - max(since_ms, begin) <= early_ms for begin, end in stays]
            ):
                last = cell
                stays.append((since_ms, until_ms))
                found.add((cell, first))
                rests.append((since_ms, until_ms))
    return _Motion(found, left_ms, arrived_ms, rests)


def _stays(cells: _ByCell, cell: Cell) -> list[tuple[float, float]]:
    """From when to when a piece stood on *cell* that came there."""
    edges = cells.get(cell, [])
    return [_stay(edges, number) for number, edge in enumerate(edges) if edge.is_occupied]


def _stay(edges: list[Edge], number: int) -> tuple[float, float]:
    """From when to when a piece stood there that came with edge *number*."""
    is_over = number + 1 < len(edges)
    return edges[number].t_ms, edges[number + 1].t_ms if is_over else math.inf

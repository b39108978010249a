# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: all causes of an edge are in one place, beside the lower bound of their costs.
"""The cost of explaining the edges of an open segment by one move or none.

Every edge is charged to exactly one cause. No game is known here, and all numbers are in
the cost table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, TypeAlias

from companion.model.grid import OFF, Cell, Grid
from companion.model.observation import OCCUPIED, Sighting
from companion.model.occupancy import Occupancy, cells_of, occupancy_of
from companion.referee.extending import distances
from companion.referee.footprints import Imprint, Prospect
from companion.referee.looks import Seen, fits, look
from companion.referee.marks import Edge
from companion.referee.tracker.costs import DEFAULT, Costs

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


class Needs(NamedTuple):
    """Which edges a move needs: its geometry."""

    opens: Occupancy
    """Cells that open once."""
    closes: Occupancy
    """Cells that close once."""
    exchanges: Occupancy
    """Cells that open and close."""
    free: Occupancy
    """Cells that one piece covers before and after: any edges."""
    ways: tuple[tuple[Cell, Cell], ...]
    """First cell left and first cell reached by each piece that stays the same piece."""
    legs: tuple[tuple[Occupancy, Occupancy], ...]
    """All cells that each such piece leaves, and all that it comes to."""
    between: Occupancy = 0
    """The cells on the shortest ways of these pieces."""
    pushed: Occupancy = 0
    """Exchanges that may stay closed: the mover pushes off a piece that leaves the board."""
    looks: tuple[tuple[Cell, Sighting], ...] = ()
    """What comes to each cell, as far as the sensor tells.

    A piece that becomes another one may come first itself.
    """

    def may_show(self, cell: Cell, seen: Sighting) -> bool:
        """True if a piece that looks like *seen* may come to *cell*, in any facing."""
        return any(there == cell and _is_piece(seen, expected) for there, expected in self.looks)

    def may_stand(self, cell: Cell, seen: Sighting) -> bool:
        """True if what looks like *seen* comes to *cell*, or stands in for it."""
        return any(there == cell and fits(seen, expected) for there, expected in self.looks)

    @property
    def own(self) -> Occupancy:
        """The cells whose edges the move explains."""
        return self.opens | self.closes | self.exchanges | self.free


def reversed_needs(before: Prospect, needs: Needs) -> Needs:
    """The edges that taking back a move needs, which was made in the position *before*."""
    ways = tuple((target, source) for source, target in needs.ways)
    legs = tuple((target, source) for source, target in needs.legs)
    looks = tuple((cell, before.looks[cell]) for cell in cells_of(needs.own) if cell in before.looks)
    return Needs(
        needs.closes, needs.opens, needs.exchanges, needs.free, ways, legs, needs.between, looks=looks
    )


NOTHING: Final = Needs(0, 0, 0, 0, (), ())
"""No move: all is put right."""


@dataclass(frozen=True)
class Segment:
    """What a hypothesis has not explained yet."""

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

    @cached_property
    def handled(self) -> Occupancy:
        """The cells with edges."""
        return occupancy_of(edge.cell for edge in self.edges)

    @cached_property
    def _sorted(self) -> tuple[_ByCell, tuple[Charge, ...]]:
        costs, cells, last_ms = self.costs, dict[Cell, list[Edge]](), -1
        charges = list[Charge]()
        for edge in self.edges:
            if 0 <= last_ms < edge.t_ms - costs.pause.until_ms[0]:
                charges.append(Charge("pause", costs.pause.at(edge.t_ms - last_ms), edge.cell))
            last_ms = edge.t_ms
            found = cells.setdefault(edge.cell, [])
            is_exchange = edge.look not in (None, OCCUPIED) and found and edge.t_ms == found[-1].t_ms
            if found and not is_exchange and edge.t_ms - found[-1].t_ms <= costs.piece_bounce_ms:
                found.pop()
                charges.append(Charge("bounce", costs.piece_bounce, edge.cell))
            else:
                found.append(edge)
        charges += [self._went_on(halt) for halt in self.halts]
        return cells, tuple(charges)

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
        return self._sorted[0]

    @property
    def common(self) -> tuple[Charge, ...]:
        """Bounces, pauses and halts, which every explanation is charged for."""
        return self._sorted[1]

    @cached_property
    def common_cost(self) -> float:
        """The sum of the charges in `common`."""
        return sum(charge.nats for charge in self.common)

    def strays(self, grid: Grid) -> tuple[Stray, ...]:
        """The handled cells with the least costs of their touches, on a board of *grid*."""
        costs, found = self.costs, list[Stray]()
        held = [
            (pair[0].t_ms, pair[1].t_ms if len(pair) == 2 else math.inf, pair[0])
            for edges in self.by_cell.values()
            for pair in _pairs(edges)
            if not pair[0].is_occupied
        ]
        for cell, edges in self.by_cell.items():
            nats, set_down = {False: 0.0, True: 0.0}, 0.0
            for number, pair in enumerate(_pairs(edges)):
                first = pair[0]
                is_carried = any(
                    since_ms <= first.t_ms <= until_ms and first is not lifted
                    for since_ms, until_ms, lifted in held
                )
                is_over = len(pair) == 2
                cheaper = min(
                    costs.piece_carried if is_carried and is_over else math.inf,
                    costs.piece_back if number else math.inf,
                )
                if is_carried and not is_over and first.is_occupied:
                    set_down = max(0.0, costs.piece_lying - costs.piece_carried)
                for is_beside in nats:
                    nats[is_beside] += min(self.stray(cell, pair, is_beside=is_beside).nats, cheaper)
            is_lifted = len(edges) == 1 and not edges[0].is_occupied
            found.append(Stray(1 << cell, near(grid, cell), nats[True], nats[False], set_down, is_lifted))
        return tuple(found)

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


def needs_of(before: Prospect, imprint: Imprint) -> Needs:
    """The edges that the move of *imprint* needs in the position *before*."""
    sources = targets = free = removed = 0
    ways, legs, looks = [], [], list[tuple[Cell, Sighting]]()
    for step in before.rules.steps(before.position, imprint.move):
        source, target = occupancy_of(step.source), occupancy_of(step.target)
        seen = look(step.becomes, before.kind)
        looks += [(cell, seen) for cell in step.target]
        if step.piece.kind != step.becomes.kind:
            own = look(step.piece, before.kind)
            looks += [(cell, own) for cell in step.target if own != seen]
        if step.source == step.target:
            free |= source
            continue
        free |= source & target
        sources |= source
        targets |= target
        removed |= 0 if target else source
        if step.source and step.target and step.piece.kind == step.becomes.kind:
            ways.append((step.source[0], step.target[0]))
            legs.append((source & ~target, target & ~source))
    opens, closes = sources & ~targets & ~free, targets & ~before.occupied & ~free
    exchanges = targets & before.occupied & ~free
    between = 0
    for first, last in ways:
        between |= way(before.rules.grid, first, last)
    return Needs(
        opens, closes, exchanges, free, tuple(ways), tuple(legs), between, exchanges & removed, tuple(looks)
    )


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
        self._cells = segment.by_cell
        self.total += segment.common_cost
        if charges is not None:
            charges.extend(segment.common)

    def _add(self, cause: str, nats: float, cell: Cell = OFF) -> None:
        self.total += nats
        if self._charges is not None and nats:
            self._charges.append(Charge(cause, nats, cell))

    def charge_pieces(self) -> None:
        """Charge what hands did besides the edges that the move needs."""
        needs, segment = self._needs, self._segment
        for cell in cells_of(segment.silent & ~needs.own | segment.turned):
            self._add("turned", self._costs.piece_try, cell)
        for cell in cells_of(segment.handled & needs.own):
            self._charge_own(cell, self._cells[cell])
        if segment.handled & ~needs.own and self.total <= self._limit:
            self._charge_others()

    def _charge_others(self) -> None:
        """Charge the touches of cells that the move does not change."""
        needs, strays = self._needs, list[list[Edge]]()
        visits, arrived_ms, rests = _visits(self._cells, needs, self._grid, self._costs.order_early_ms)
        for cell in cells_of(self._segment.handled & ~needs.own):
            edges = self._cells[cell]
            for first in range(0, len(edges), 2):
                if (cell, first) in visits:
                    self._charge_visit(cell, edges[first : first + 2])
                else:
                    strays.append(edges[first : first + 2])
        self._charge_strays(strays, arrived_ms, rests)

    def _charge_strays(
        self, strays: list[list[Edge]], arrived_ms: float, rests: list[tuple[float, float]]
    ) -> None:
        """Charge touches that have nothing to do with the move.

        Where a piece was lifted and put back, other touches meanwhile belong to the same attempt.
        """
        costs, needs, attempts = self._costs, self._needs, 0
        around = needs.between | needs.closes | needs.exchanges
        left_ms = min(
            (self._cells[first][0].t_ms for first, _ in needs.ways if self._cells.get(first)),
            default=math.inf,
        )
        held: tuple[Cell, float] | None = None
        touched: Occupancy = 0
        for pair in sorted(strays, key=lambda pair: pair[0].t_ms):
            if self.total > self._limit:
                return
            first, cell = pair[0], pair[0].cell
            is_beside = first.t_ms < arrived_ms and bool(near(self._grid, cell) & around)
            is_free = not left_ms <= first.t_ms <= arrived_ms  # else the hand holds the mover
            is_resting = any(since <= first.t_ms and pair[-1].t_ms <= until for since, until in rests)
            is_moving = not (is_free or is_resting)
            charge = self._segment.stray(cell, pair, is_beside=is_beside, is_moving=is_moving)
            is_set_down = (
                first.is_occupied and not needs.ways
            )  # the piece held stands there, against the rules
            is_same = held is not None and first.t_ms <= held[1] and (len(pair) == 2 or is_set_down)
            if touched >> cell & 1 and charge.cause != "lying":
                charge = min(charge, Charge("back", costs.piece_back, cell), key=lambda each: each.nats)
            elif is_same and is_free:
                charge = min(charge, Charge("carried", costs.piece_carried, cell), key=lambda each: each.nats)
            elif not (is_same and held is not None and near(self._grid, held[0]) >> cell & 1):
                attempts += charge.cause != "brush"  # else the piece was knocked over and fell there
            self._add(*charge)
            touched |= 1 << cell
            self._charge_other_piece(cell, pair)
            if not first.is_occupied and held is None:
                held = cell, pair[-1].t_ms if len(pair) == 2 else math.inf
        if attempts > 1:
            self._add("more", costs.piece_more * (attempts - 1))

    def _charge_other_piece(self, cell: Cell, pair: list[Edge]) -> None:
        """Charge a piece that lies at the end where another one stood."""
        original, is_last = self._before.looks.get(cell), pair[-1] is self._cells[cell][-1]
        if is_last and original and pair[-1].look and not _is_piece(pair[-1].look, original):
            self._add("other piece", self._costs.piece_lying, cell)

    def _charge_own(self, cell: Cell, edges: list[Edge]) -> None:
        """Charge what is left over at a cell of the move."""
        bit, costs = 1 << cell, self._costs
        original = self._before.looks.get(cell)
        for edge in edges:
            seen = edge.look
            if seen and not (original and _is_piece(seen, original)) and not self._needs.may_show(cell, seen):
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
            early_ms = left_ms - closed[-1]
            if segment.has_gap:
                self._add("lost", costs.order_lost, target)
            elif early_ms <= costs.order_early_ms:
                self._add("early", costs.order_early, target)
            elif near(self._grid, source) >> target & 1:
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
        arrived = needs.closes | needs.exchanges
        if not (needs.opens or arrived) or any(self._cells.get(cell) for cell in cells_of(arrived)):
            return
        self._add("emptied", costs.ply_emptied)


def _pairs(edges: list[Edge]) -> list[list[Edge]]:
    """The touches of a cell: its edges in pairs, the last perhaps single."""
    return [edges[first : first + 2] for first in range(0, len(edges), 2)]


def _is_piece(seen: Sighting, expected: Sighting) -> bool:
    """True if *seen* may be the piece *expected*, however it is turned."""
    return (seen.kind is None or expected.kind is None or seen.kind == expected.kind) and (
        seen.side is None or expected.side is None or seen.side == expected.side
    )


def _visits(
    cells: _ByCell, needs: Needs, grid: Grid, early_ms: int
) -> tuple[frozenset[tuple[Cell, int]], float, list[tuple[float, float]]]:
    """Visits of moving pieces to cells on their ways.

    With the time of the first arrival, and from when to when they rested there.

    A visit is a cell with the number of its first edge. A piece stands on one cell at a time
    and does not turn back.
    """
    found: set[tuple[Cell, int]] = set()
    arrived_ms, rests = math.inf, list[tuple[float, float]]()
    for source, target in needs.ways:
        stays = [(-math.inf, cells[source][0].t_ms if cells.get(source) else math.inf)]
        stays += _stays(cells, source)
        at_target = _stays(cells, target)
        stays += at_target
        arrived_ms = min(
            [arrived_ms, *(since_ms for since_ms, until_ms in at_target if until_ms == math.inf)]
        )
        visits = [
            (*_stay(edges, first), cell, first)
            for cell, edges in cells.items()
            if needs.between >> cell & 1
            for first in range(0, len(edges), 2)
            if edges[first].is_occupied
        ]
        steps, last = distances(grid, source), source
        for since_ms, until_ms, cell, first in sorted(visits):
            is_onward = cell == last or steps[cell] > steps[last]
            if is_onward and all(
                min(until_ms, end) - max(since_ms, begin) <= early_ms for begin, end in stays
            ):
                last = cell
                stays.append((since_ms, until_ms))
                found.add((cell, first))
                rests.append((since_ms, until_ms))
    return frozenset(found), arrived_ms, rests


def _stays(cells: _ByCell, cell: Cell) -> list[tuple[float, float]]:
    """From when to when a piece stood on *cell* that came there."""
    edges = cells.get(cell, [])
    return [_stay(edges, number) for number, edge in enumerate(edges) if edge.is_occupied]


def _stay(edges: list[Edge], number: int) -> tuple[float, float]:
    """From when to when a piece stood there that came with edge *number*."""
    is_over = number + 1 < len(edges)
    return edges[number].t_ms, edges[number + 1].t_ms if is_over else math.inf


@lru_cache(maxsize=8192)
def way(grid: Grid, source: Cell, target: Cell) -> Occupancy:
    """The cells on the shortest ways from *source* to *target*, without these two."""
    there, back = distances(grid, source), distances(grid, target)
    length = there[target]
    cells = (cell for cell in range(len(grid)) if there[cell] + back[cell] == length)
    return occupancy_of(cells) & ~(1 << source | 1 << target)


@lru_cache(maxsize=8192)
def near(grid: Grid, cell: Cell) -> Occupancy:
    """The neighbours of *cell*, diagonal ones included where the grid has such steps."""
    steps = (steps[cell] for steps in grid.steps)
    return occupancy_of(other for other in steps if other != OFF)

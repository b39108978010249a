# SPDX-License-Identifier: Apache-2.0
"""The edges that a move needs: its geometry."""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

from companion.model.grid import Cell, Grid, distances, neighbours
from companion.model.observation import Sighting
from companion.model.occupancy import Occupancy, cells_of, covered, occupancy_of
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.imprints import Imprint
from companion.referee.values.board.looks import fits, look


class Needs(NamedTuple):
    """Which edges a move needs."""

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
    beside: Occupancy = 0
    """The neighbours of the cells that its pieces come to or pass."""

    def may_show(self, cell: Cell, seen: Sighting) -> bool:
        """True if a piece that looks like *seen* may come to *cell*, in any facing."""
        return any(there == cell and is_piece(seen, expected) for there, expected in self.looks)

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
    opens, closes, exchanges, between = needs.opens, needs.closes, needs.exchanges, needs.between
    beside = _beside(before.rules.grid, between | opens | exchanges)
    return Needs(closes, opens, exchanges, needs.free, ways, legs, between, looks=looks, beside=beside)


NOTHING: Final = Needs(0, 0, 0, 0, (), ())
"""No move: all is put right."""


def needs_of(before: Prospect, imprint: Imprint) -> Needs:
    """The edges that the move of *imprint* needs in the position *before*."""
    sources = targets = free = removed = 0
    ways, legs, looks = [], [], list[tuple[Cell, Sighting]]()
    for step in before.rules.steps(before.position, imprint.move):
        source, target = covered(step.source), covered(step.target)
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
    beside, pushed = _beside(before.rules.grid, between | closes | exchanges), exchanges & removed
    return Needs(
        opens, closes, exchanges, free, tuple(ways), tuple(legs), between, pushed, tuple(looks), beside
    )


def _beside(grid: Grid, cells: Occupancy) -> Occupancy:
    """All neighbours of *cells*."""
    nears, found = neighbours(grid), 0
    while cells:
        lowest = cells & -cells
        found |= nears[lowest.bit_length() - 1]
        cells ^= lowest
    return found


def is_piece(seen: Sighting, expected: Sighting) -> bool:
    """True if *seen* may be the piece *expected*, however it is turned."""
    return (seen.kind is None or expected.kind is None or seen.kind == expected.kind) and (
        seen.side is None or expected.side is None or seen.side == expected.side
    )


@lru_cache(maxsize=8192)
def way(grid: Grid, source: Cell, target: Cell) -> Occupancy:
    """The cells on the shortest ways from *source* to *target*, without these two."""
    there, back = distances(grid, source), distances(grid, target)
    length = there[target]
    cells = (cell for cell in range(len(grid)) if there[cell] + back[cell] == length)
    return occupancy_of(cells) & ~(1 << source | 1 << target)

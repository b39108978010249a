# SPDX-License-Identifier: Apache-2.0
"""What a sensor sees of a move."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Final, NamedTuple

from companion.model.grid import Cell
from companion.model.moves import Step
from companion.model.observation import OCCUPIED, SensorKind, Sighting
from companion.model.occupancy import Occupancy, covered
from companion.model.pieces import Piece
from companion.referee.values.board.looks import Seen, fits, look

_NOBODY: Final = Step(Piece("nobody"), (), (), Piece("nobody"))


class Imprint(NamedTuple):
    """The changes of one legal move, seen by a sensor at rest."""

    move: Hashable
    changed: Occupancy
    """Cells that look different afterwards."""
    shows: Occupancy
    """Those of them that are occupied afterwards."""
    looks: tuple[tuple[Cell, Sighting], ...]
    """Sightings of the cells in *shows*."""
    unseen: tuple[tuple[Cell, Occupancy], ...]
    """Cells that look as before but hold another piece, with its source cells."""
    lifted: Occupancy
    """Cells whose piece must be lifted."""
    source: tuple[Cell, ...]
    """Cells that the mover leaves; () from the hand."""
    target: tuple[Cell, ...]
    """Cells that the mover enters; () if it leaves the board."""
    carried: tuple[tuple[tuple[Cell, ...], tuple[Cell, ...]], ...]
    """Source and target of each piece that ends on the board."""
    entered: Occupancy
    """The cells of *target*."""
    filled: Occupancy
    """The targets of *carried*."""

    def fits(self, seen: Seen, cells: Occupancy = -1) -> bool:
        """True if the changed cells among *cells* are consistent with *seen*."""
        cells &= ~seen.hidden
        if (self.shows ^ seen.occupied) & self.changed & cells:
            return False
        return not seen.looks or all(
            fits(seen.look(cell), expected) for cell, expected in self.looks if cells & 1 << cell
        )


def imprint_of(
    move: Hashable, steps: tuple[Step, ...], kind: SensorKind, standing: Mapping[Cell, Sighting]
) -> Imprint:
    """The imprint of *move* with *steps* on a board that looks like *standing*."""
    is_simple = len(steps) == 1 and len(steps[0].target) == 1 and len(steps[0].source) <= 1
    if is_simple:
        return _imprint_of_one(move, steps[0], kind, standing)
    return _imprint_of_any(move, steps, kind, standing)


def _imprint_of_any(
    move: Hashable, steps: tuple[Step, ...], kind: SensorKind, standing: Mapping[Cell, Sighting]
) -> Imprint:
    """The imprint of *move* with any *steps*; a single function for speed."""
    gone = lifted = filled = 0
    after: dict[Cell, tuple[Sighting, tuple[Cell, ...], Occupancy]] = {}
    for step in steps:
        source, target = step.source, step.target
        origin = covered(source)
        gone |= origin
        if source != target:
            lifted |= origin
        if target:
            shown = look(step.becomes, kind), source, origin
            filled |= covered(target)
            for cell in target:
                after[cell] = shown
    changed = gone & ~filled
    looks, unseen = [], []
    for cell, (sighting, source, origin) in after.items():
        stood = standing.get(cell)
        if stood is None or (stood is not sighting and stood != sighting):
            changed |= 1 << cell
            looks.append((cell, sighting))
        elif cell not in source:
            unseen.append((cell, origin))
    mover = steps[0] if steps else _NOBODY  # a pass, a choice, a call: no piece is moved
    return Imprint(
        move,
        changed,
        filled & changed,
        tuple(looks),
        tuple(unseen),
        lifted,
        mover.source,
        mover.target,
        tuple([(step.source, step.target) for step in steps if step.target]),
        covered(mover.target),
        filled,
    )


def _imprint_of_one(
    move: Hashable, step: Step, kind: SensorKind, standing: Mapping[Cell, Sighting]
) -> Imprint:
    """The imprint of *move*: one piece goes to a cell, as in nearly all."""
    source, target, cell = step.source, step.target, step.target[0]
    left, reached, stood = covered(source), 1 << cell, standing.get(cell)
    sighting = OCCUPIED if kind is SensorKind.OCCUPANCY else look(step.becomes, kind)
    carried, lifted = ((source, target),), 0 if source == target else left
    changed, shows = left & ~reached, 0
    looks: tuple[tuple[Cell, Sighting], ...] = ()
    unseen: tuple[tuple[Cell, Occupancy], ...] = ((cell, left),) if source != target else ()
    if stood is None or (stood is not sighting and stood != sighting):
        changed, shows, looks, unseen = left | reached, reached, ((cell, sighting),), ()
    return Imprint(move, changed, shows, looks, unseen, lifted, source, target, carried, reached, reached)

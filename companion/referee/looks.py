# SPDX-License-Identifier: Apache-2.0
"""What a sensor shows of a piece, and whether a sighting may be that piece."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from companion.model.grid import Cell
from companion.model.observation import EMPTY, OCCUPIED, SensorKind, Sighting, Sightings
from companion.model.occupancy import Occupancy
from companion.model.pieces import Piece


@lru_cache(maxsize=4096)
def _one_of(sighting: Sighting) -> Sighting:
    """The first sighting that equals *sighting*: so most are compared by identity, which is ten times as fast."""
    return sighting


@lru_cache(maxsize=4096)
def look(piece: Piece | None, kind: SensorKind) -> Sighting:
    """What a sensor of *kind* sees of a cell with *piece* on it; None for an empty cell."""
    if piece is None:
        return EMPTY
    if kind is SensorKind.OCCUPANCY:
        return OCCUPIED
    if kind is SensorKind.SIDE:
        return _one_of(Sighting(occupied=True, side=piece.side))
    facing = piece.facing if kind is SensorKind.IDENTITY_FACING else None
    return _one_of(
        Sighting(
            occupied=True, kind=piece.shows or piece.kind, side=piece.side, facing=facing, pose=piece.pose
        )
    )


def fits(seen: Sighting, expected: Sighting) -> bool:
    """True if a cell that looks like *expected* may be sighted as *seen*: what is not known fits everything."""
    if seen.occupied is None:
        return True
    if seen.occupied != expected.occupied:
        return False
    return (
        (seen.kind is None or expected.kind is None or seen.kind == expected.kind)
        and (seen.side is None or expected.side is None or seen.side == expected.side)
        and (seen.facing is None or expected.facing is None or seen.facing == expected.facing)
        and (seen.pose is None or expected.pose is None or seen.pose == expected.pose)
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """What the sensors see of all cells, in the form the referee compares."""

    occupied: Occupancy = 0
    hidden: Occupancy = 0
    looks: Mapping[Cell, Sighting] = field(default_factory=dict)
    """Sightings of occupied cells; only from sensors that see more than occupancy."""

    @classmethod
    def of(cls, sightings: Sightings, kind: SensorKind) -> Seen:
        """The same as *sightings*, as far as a sensor of *kind* is believed."""
        looks = {} if kind is SensorKind.OCCUPANCY else {cell: _one_of(seen) for cell, seen in sightings.seen}
        return cls(sightings.occupied, sightings.hidden, looks)

    def changed(self, cell: Cell, sighting: Sighting) -> Seen:
        """The same with *cell* looking like *sighting*."""
        bit = 1 << cell
        if sighting.occupied is None:
            return Seen(self.occupied, self.hidden | bit, self.looks)
        occupied = self.occupied | bit if sighting.occupied else self.occupied & ~bit
        looks = self.looks
        if sighting.occupied and sighting != OCCUPIED:
            looks = {**looks, cell: _one_of(sighting)}
        return Seen(occupied, self.hidden & ~bit, looks)

    def look(self, cell: Cell) -> Sighting:
        """What is seen of *cell*, if it is not hidden."""
        if not self.occupied >> cell & 1:
            return EMPTY
        return self.looks.get(cell, OCCUPIED)

    def differing(self, expected: Occupancy, looks: Mapping[Cell, Sighting]) -> Occupancy:
        """The visible cells that do not look as *expected*, where *looks* says what its cells show."""
        differing = (self.occupied ^ expected) & ~self.hidden
        visible = self.occupied & expected & ~self.hidden
        for cell, seen in self.looks.items():
            shown = looks.get(cell)
            if seen is not shown and shown is not None and not fits(seen, shown) and visible >> cell & 1:
                differing |= 1 << cell
        return differing


NOTHING_SEEN: Final = Seen()
"""An empty board."""

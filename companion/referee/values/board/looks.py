# SPDX-License-Identifier: Apache-2.0
"""The expected sighting of a piece, and comparisons of sightings."""

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
    """The first sighting equal to *sighting*: comparison by identity is ten times as fast."""
    return sighting


@lru_cache(maxsize=4096)
def look(piece: Piece | None, kind: SensorKind) -> Sighting:
    """The sighting of *piece* by a sensor of *kind*; None is an empty cell."""
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
    """True if *seen* is consistent with *expected*: unknown values fit everything."""
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


def _details(sightings: Sightings, kind: SensorKind) -> list[tuple[Cell, Sighting]]:
    """Sightings that tell a sensor of *kind* more than an occupied cell."""
    told = () if kind is SensorKind.OCCUPANCY else sightings.seen
    return [(cell, seen) for cell, seen in told if seen.kind or seen != OCCUPIED]


@dataclass(frozen=True, slots=True)
class Seen:
    """The sightings of all cells, in the form that the referee compares."""

    occupied: Occupancy = 0
    hidden: Occupancy = 0
    looks: Mapping[Cell, Sighting] = field(default_factory=dict)
    """Sightings that tell more than an occupied cell; of a hidden cell the last one."""

    @classmethod
    def of(cls, sightings: Sightings, kind: SensorKind) -> Seen:
        """*sightings*, reduced to the details of a sensor of *kind*."""
        looks = {cell: _one_of(seen) for cell, seen in _details(sightings, kind)}
        return cls(sightings.occupied, sightings.hidden, looks)

    def is_of(self, sightings: Sightings, kind: SensorKind) -> bool:
        """True if it equals `of` for *sightings*, which need not be hashed for that."""
        is_alike = self.occupied == sightings.occupied and self.hidden == sightings.hidden
        return is_alike and self.looks == dict(_details(sightings, kind))

    def changed(self, cell: Cell, sighting: Sighting) -> Seen:
        """With *cell* changed to *sighting*."""
        bit = 1 << cell
        if sighting.occupied is None:
            return Seen(self.occupied, self.hidden | bit, self.looks)
        occupied = self.occupied | bit if sighting.occupied else self.occupied & ~bit
        looks = dict(self.looks)
        looks.pop(cell, None)
        if sighting.occupied and sighting != OCCUPIED:
            looks[cell] = _one_of(sighting)
        return Seen(occupied, self.hidden & ~bit, looks)

    def look(self, cell: Cell) -> Sighting:
        """The sighting of *cell*, unless it is hidden."""
        if not self.occupied >> cell & 1:
            return EMPTY
        return self.looks.get(cell, OCCUPIED)

    def differing(self, expected: Occupancy, looks: Mapping[Cell, Sighting]) -> Occupancy:
        """The visible cells that differ from *expected* and from *looks*."""
        differing = (self.occupied ^ expected) & ~self.hidden
        visible = self.occupied & expected & ~self.hidden
        for cell, seen in self.looks.items():
            shown = looks.get(cell)
            if seen is not shown and shown is not None and not fits(seen, shown) and visible >> cell & 1:
                differing |= 1 << cell
        return differing


NOTHING_SEEN: Final = Seen()
"""An empty board."""

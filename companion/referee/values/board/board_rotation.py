# SPDX-License-Identifier: Apache-2.0
"""A turned board: players sit elsewhere, or the panel is turned.

Its rule: sensors and lamps use the sensor's cells, everything between uses the game's cells;
a `Rotation` converts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, TypeVar

from companion.model.grid import Cell, Grid, turned_cells
from companion.model.moves import Step
from companion.model.observation import (
    Change,
    Evidence,
    Input,
    LeverTurned,
    Observation,
    Press,
    Sighting,
    Sightings,
)
from companion.model.occupancy import Occupancy, cells_of
from companion.model.pieces import Piece
from companion.model.placement import Placement
from companion.referee.values.board.footprints import Prospect
from companion.referee.values.board.looks import Seen

T = TypeVar("T")
_SIDES: Final = 2
"""With two sides, half a turn exchanges buttons and lever ends; otherwise it is unknown."""


@dataclass(frozen=True, slots=True)
class Rotation:
    """Orientation of the pieces on the sensor's cells."""

    quarters: int
    """Quarter turns clockwise, 0 to 3."""
    cells: tuple[Cell, ...]
    """The game's cell on each of the sensor's."""
    under: tuple[Cell, ...]
    """The sensor's cell under each of the game's."""
    directions: int
    """Directions of the grid: the unit of facings."""
    sides: int

    @classmethod
    def of(cls, grid: Grid, quarters: int, sides: int) -> Rotation:
        """Pieces turned clockwise by *quarters* on *grid*. Raises `ValueError` if impossible."""
        cells, under = turned_cells(grid, -quarters), turned_cells(grid, quarters)
        return cls(quarters % 4, cells, under, len(grid.steps), sides)

    @property
    def degrees(self) -> int:
        """The clockwise turn of the pieces in degrees."""
        return self.quarters * 90

    def image(self, image: Sequence[T]) -> tuple[T, ...]:
        """*image*, one value per game cell, by the sensor's cells."""
        return tuple(image[cell] for cell in self.cells) if self.quarters else tuple(image)

    def seen(self, seen: Seen) -> Seen:
        """*seen* by the game's cells."""
        looks = {self.cells[cell]: self.sighting(each) for cell, each in seen.looks.items()}
        return Seen(self.occupancy(seen.occupied), self.occupancy(seen.hidden), looks)

    def observation(self, observed: Observation) -> Observation:
        """*observed* by the game's cells and sides."""
        seen = observed.sightings
        sightings = Sightings(
            self.occupancy(seen.occupied),
            self.occupancy(seen.hidden),
            tuple((self.cells[cell], self.sighting(each)) for cell, each in seen.seen),
        )
        inputs = tuple(map(self.input, observed.inputs))
        return replace(
            observed, inputs=inputs, sightings=sightings, evidence=self.evidence(observed.evidence)
        )

    def evidence(self, seen: Evidence | None) -> Evidence | None:
        """*seen* by the game's cells."""
        if seen is None:
            return None
        costs = tuple(seen.costs[cell] for cell in self.under)
        changed = tuple(seen.changed[cell] for cell in self.under)
        return replace(seen, costs=costs, changed=changed)

    @property
    def is_exchanged(self) -> bool:
        """True if each of two sides sits where the other one is expected."""
        return self.sides == _SIDES and self.quarters == 2

    def input(self, entered: Input) -> Input:
        """One input, converted."""
        match entered:
            case Change(t_ms, cell, sighting):
                return Change(t_ms, self.cells[cell], self.sighting(sighting))
            case Press(t_ms, button) if self.is_exchanged and button < _SIDES:
                return Press(t_ms, 1 - button)
            case LeverTurned(t_ms, side) if self.is_exchanged:
                return LeverTurned(t_ms, 1 - side)
        return entered

    def occupancy(self, occupied: Occupancy) -> Occupancy:
        """The sensor's cells *occupied*, as the game's."""
        return sum(1 << self.cells[cell] for cell in cells_of(occupied))

    def sighting(self, seen: Sighting) -> Sighting:
        """*seen* with its facing in the game's directions."""
        return seen if seen.facing is None else replace(seen, facing=self._facing(seen.facing))

    def placement(self, standing: Placement) -> Placement:
        """The pieces *standing* on the sensor's cells, by the game's."""
        if not self.quarters:
            return standing
        return Placement(
            tuple(
                (self.piece(piece), tuple(sorted(self.cells[cell] for cell in cells)))
                for piece, cells in standing.entries
            )
        )

    def back(self) -> Rotation:
        """The inverse: from the game's cells to the sensor's."""
        if not self.quarters:
            return self
        return replace(self, quarters=-self.quarters % 4, cells=self.under, under=self.cells)

    def step(self, step: Step) -> Step:
        """*step* on the sensor's cells, by the game's."""
        source, target = (tuple(sorted(self.cells[c] for c in cells)) for cells in (step.source, step.target))
        return Step(self.piece(step.piece), source, target, self.piece(step.becomes))

    def piece(self, piece: Piece) -> Piece:
        """*piece* with its facing in the game's directions."""
        return piece if piece.facing is None else replace(piece, facing=self._facing(piece.facing))

    def _facing(self, facing: int) -> int:
        return (facing - self.quarters * self.directions // 4) % self.directions


@lru_cache(maxsize=64)
def turns_of(grid: Grid, sides: int) -> tuple[Rotation, ...]:
    """All orientations of a board of *grid* except the straight one, half a turn first."""
    return tuple(_turns(grid, sides))


def _turns(grid: Grid, sides: int) -> Iterator[Rotation]:
    for quarters in (2, 1, 3):
        try:
            yield Rotation.of(grid, quarters, sides)
        except ValueError:
            continue


def fitting(goal: Prospect, seen: Seen) -> list[Rotation]:
    """The orientations in which *seen* shows all of *goal*."""
    if seen.occupied.bit_count() != goal.occupied.bit_count():
        return []
    rules = goal.rules
    return [turn for turn in turns_of(rules.grid, len(rules.sides)) if not goal.differing(turn.seen(seen))]

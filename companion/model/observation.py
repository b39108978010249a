# SPDX-License-Identifier: Apache-2.0
"""What sensors report: sightings of cells, changes in their order, and presses, all in one sequence.

Times are host monotonic milliseconds.
Confidence never leaves the sensing room: a cell is occupied, empty, or hidden.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy
from companion.model.pieces import Side


class SensorKind(StrEnum):
    """What a sensor can tell of an occupied cell, least first."""

    OCCUPANCY = "occupancy"
    SIDE = "side"
    IDENTITY = "identity"
    IDENTITY_FACING = "identity-facing"


@dataclass(frozen=True, slots=True)
class Sighting:
    """What is seen of one cell; None in a field means that it is not known."""

    occupied: bool | None
    kind: str | None = None
    side: Side | None = None
    facing: int | None = None
    pose: str | None = None


EMPTY = Sighting(occupied=False)
OCCUPIED = Sighting(occupied=True)
HIDDEN = Sighting(occupied=None)


@dataclass(frozen=True, slots=True)
class Change:
    """A cell looks different from *t_ms* on."""

    t_ms: int
    cell: Cell
    sighting: Sighting


@dataclass(frozen=True, slots=True)
class Press:
    """A button of the panel was pressed at *t_ms*."""

    t_ms: int
    button: int


@dataclass(frozen=True, slots=True)
class LeverTurned:
    """The clock's lever was pressed down by *side* at *t_ms*: that side has finished its ply."""

    t_ms: int
    side: Side


Input: TypeAlias = Change | Press | LeverTurned


@dataclass(frozen=True, slots=True)
class Sightings:
    """What is seen of all cells at one moment."""

    occupied: Occupancy
    """Cells seen to be occupied; for a hidden cell, what was last seen."""
    hidden: Occupancy = 0
    """Cells that cannot be seen now."""
    seen: tuple[tuple[Cell, Sighting], ...] = ()
    """More than occupancy, for the sensors that tell it, by cell."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All that has changed since the previous observation, in order, and how the cells look now."""

    at_ms: int
    inputs: tuple[Input, ...]
    sightings: Sightings
    rest_since_ms: int
    """No cell has changed since then."""
    has_gap: bool = False
    """True if changes may have been missed before this one: the sightings are right, the order in between is unknown."""


@dataclass(frozen=True, slots=True)
class Difference:
    """How the board differs from a position: what an explanation is asked for."""

    emptied: tuple[Cell, ...]
    """Occupied in the position, empty on the board; in the order in which they were left."""
    filled: tuple[Cell, ...]
    """Empty in the position, occupied on the board; in the order in which they were entered."""
    changed: tuple[tuple[Cell, Sighting], ...] = ()
    """Occupied in both, but something else is seen there."""
    touched: tuple[Cell, ...] = ()
    """Occupied in both and seen empty in between, in that order: a capture, or a piece put back."""

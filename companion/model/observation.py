# SPDX-License-Identifier: Apache-2.0
"""Reports of sensors: sightings of cells, ordered changes, and presses, in one sequence.

Times are host monotonic milliseconds.
A cell is occupied, empty, or hidden. A camera above plain pieces adds how likely each is.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from companion.model.grid import Cell
from companion.model.occupancy import Occupancy
from companion.model.pieces import Side


class SensorKind(StrEnum):
    """What a sensor can detect about an occupied cell, least first."""

    OCCUPANCY = "occupancy"
    SIDE = "side"
    IDENTITY = "identity"
    IDENTITY_FACING = "identity-facing"


@dataclass(frozen=True, slots=True)
class Sighting:
    """Properties seen in one cell; None in a field means unknown."""

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
    """The clock's lever was pressed by *side* at *t_ms*: that side has finished its ply."""

    t_ms: int
    side: Side


Input: TypeAlias = Change | Press | LeverTurned


def side_of(entered: Press | LeverTurned) -> Side:
    """The side that presses: button n is the clock of side n."""
    return entered.side if isinstance(entered, LeverTurned) else entered.button


@dataclass(frozen=True, slots=True)
class Sightings:
    """Properties seen in all cells at one moment."""

    occupied: Occupancy
    """Cells seen to be occupied; for a hidden cell, the last value seen."""
    hidden: Occupancy = 0
    """Cells that cannot be seen now."""
    seen: tuple[tuple[Cell, Sighting], ...] = ()
    """Details beyond occupancy, by cell, from sensors that provide them."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Costs of what cells may look like in one picture, in tenths of a nat.

    A cost is the negative logarithm of a likelihood: 0 for the likeliest look. A cell that looks
    like nothing known has equal costs: it is evidence of nothing.
    """

    looks: tuple[Sighting, ...]
    """Possible looks of a cell: EMPTY, then each side's pieces, or any piece."""
    costs: tuple[tuple[int, ...], ...]
    """The cost of each look by cell; () if the picture does not show it."""
    changed: tuple[int, ...]
    """For each cell, the log ratio of "something has happened here" since the last picture."""


@dataclass(frozen=True, slots=True)
class Observation:
    """All changes since the previous observation, in order, and the present sightings."""

    at_ms: int
    inputs: tuple[Input, ...]
    sightings: Sightings
    rest_since_ms: int
    """No cell has changed since; later than *at_ms* while a piece is held."""
    has_gap: bool = False
    """True if changes before this observation may be missing.

    The sightings are right; the order of events in between is unknown.
    """
    evidence: Evidence | None = None
    """The picture from which a camera read the sightings; a referee reads it better."""


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference between the board and a position: the input of an explanation."""

    emptied: tuple[Cell, ...]
    """Occupied in the position, empty on the board; in the order of lifting."""
    filled: tuple[Cell, ...]
    """Empty in the position, occupied on the board; in the order of placing."""
    changed: tuple[tuple[Cell, Sighting], ...] = ()
    """Occupied in both, but with another sighting."""
    touched: tuple[Cell, ...] = ()
    """Occupied in both and seen empty in between, in that order.

    The cause is a capture, or a piece put back.
    """
    placed: tuple[tuple[Cell, Sighting], ...] = ()
    """Looks of pieces that a hand has put on filled cells or on other pieces.

    Only explanations are told. A filled cell is missing if it is only known to be occupied.
    """

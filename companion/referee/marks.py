# SPDX-License-Identifier: Apache-2.0
"""What was sensed, moments to which one can go back, and ways to understand what is seen then."""

from __future__ import annotations

from typing import NamedTuple

from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.model.occupancy import Occupancy
from companion.referee.footprints import Imprint
from companion.referee.looks import Seen


class Edge(NamedTuple):
    """At *t_ms* wood was set on *cell*, or left it."""

    t_ms: int
    cell: Cell
    is_occupied: bool
    look: Sighting | None = None
    """What stands there since, as far as the sensor tells."""


class Mark(NamedTuple):
    """A moment to which one can go back: how much was heard until then, and what was seen."""

    edges: int
    inputs: int
    seen: Seen
    now_ms: int
    rest_since_ms: int
    idle_presses: int


class Exclusion(NamedTuple):
    """Moves that a ply cannot have been, as long as what followed stands."""

    by: Mark
    """When the last of what followed was found to be complete."""
    seen: Seen
    imprints: tuple[Imprint, ...]


class Reading(NamedTuple):
    """A way to understand the board: keep *depth* plies of the line, then one of *imprints* was made."""

    depth: int
    imprints: tuple[Imprint, ...]
    is_sure: bool
    """True if wood was seen to be put down for it, or for the reply to it."""
    is_doubted: bool = False
    """True if nothing was sensed of it: it would only explain what followed."""
    loose: Occupancy = 0
    """Cells empty besides: wood in a hand, to be put right or to be moved next."""
    is_supposed: bool = False
    """True if wood was seen to be put down for the reply only."""

# SPDX-License-Identifier: Apache-2.0
"""What was sensed, and moments to which one can go back."""

from __future__ import annotations

from typing import NamedTuple

from companion.model.grid import Cell
from companion.referee.footprints import Imprint
from companion.referee.looks import Seen


class Edge(NamedTuple):
    """At *t_ms* wood was set on *cell*, or left it."""

    t_ms: int
    cell: Cell
    is_occupied: bool


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

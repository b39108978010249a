# SPDX-License-Identifier: Apache-2.0
"""Edges, and the moments between them."""

from __future__ import annotations

from typing import NamedTuple

from companion.model.grid import Cell
from companion.model.observation import Sighting
from companion.referee.values.board.looks import Seen


class Edge(NamedTuple):
    """At *t_ms* a piece was put on *cell*, or left it."""

    t_ms: int
    cell: Cell
    is_occupied: bool
    look: Sighting | None = None
    """The piece on it since, as far as the sensor tells."""


class Mark(NamedTuple):
    """A moment: the number of edges until then, and what was seen."""

    edges: int
    seen: Seen
    now_ms: int
    rest_since_ms: int

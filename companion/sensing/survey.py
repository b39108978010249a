# SPDX-License-Identifier: Apache-2.0
"""Test of a panel's switches with a magnet: stuck, dead and chattering ones.

Pure. A cell that was not tested cannot be distinguished from a dead one: the presentation says so.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from companion.link.events import InputsChanged, InputsRead, LinkEvent
from companion.model.grid import Cell
from companion.model.occupancy import Occupancy, cells_of, occupancy_of

CHATTER_EDGES: Final = 10
CHATTER_MS: Final = 1000
"""Time within which so many edges of one cell are not caused by a hand.

A passing magnet causes up to six.
"""


class Survey:
    """Counts of one panel."""

    def __init__(self, cells: int, closed: Occupancy) -> None:
        """The panel has *cells* cells; *closed* ones are closed at the start."""
        self.counts = [0] * cells
        """Edges of each cell."""
        self._recent: list[deque[int]] = [deque(maxlen=CHATTER_EDGES) for _ in range(cells)]
        self._chattering: Occupancy = 0
        self._seen_closed = closed
        self._seen_open = ~closed

    def note(self, event: LinkEvent) -> None:
        """Count the edges in *event*."""
        if isinstance(event, InputsRead):
            self._seen_closed |= event.closed
            self._seen_open |= ~event.closed
        elif isinstance(event, InputsChanged):
            moved = [edge for edge in event.edges if edge.input < len(self.counts)]
            for edge in moved:
                self._count(edge.input, edge.t_ms)
            either = occupancy_of({edge.input for edge in moved})
            self._seen_closed |= either
            self._seen_open |= either

    @property
    def untouched(self) -> tuple[Cell, ...]:
        """Cells that were open throughout: dead, or not tested."""
        return self._cells(~self._seen_closed)

    @property
    def stuck(self) -> tuple[Cell, ...]:
        """Cells that were closed throughout."""
        return self._cells(~self._seen_open)

    @property
    def chattering(self) -> tuple[Cell, ...]:
        """Cells whose switches chatter."""
        return self._cells(self._chattering)

    def _count(self, cell: Cell, t_ms: int) -> None:
        """Count one edge."""
        self.counts[cell] += 1
        recent = self._recent[cell]
        recent.append(t_ms)
        if len(recent) == CHATTER_EDGES and t_ms - recent[0] <= CHATTER_MS:
            self._chattering |= 1 << cell

    def _cells(self, cells: Occupancy) -> tuple[Cell, ...]:
        """The cells of the panel among *cells*."""
        return tuple(cells_of(cells & ((1 << len(self.counts)) - 1)))

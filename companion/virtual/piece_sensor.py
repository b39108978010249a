# SPDX-License-Identifier: Apache-2.0
"""An eye over a virtual table: what switches cannot tell of a piece, added to what they do.

Pure. The switches say which cells are covered and when that changed; the eye only what it is that lies there.
"""

from __future__ import annotations

from collections.abc import Mapping

from companion.model.grid import Cell
from companion.model.observation import Change, Input, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import Occupancy
from companion.model.placement import Placement
from companion.referee.looks import look


class PieceSensor:
    """Sees what a sensor of *kind* would of the pieces on a board."""

    def __init__(self, kind: SensorKind) -> None:
        self._kind = kind
        self._looks: Mapping[Cell, Sighting] = {}
        self._occupied: Occupancy = 0
        """What the switches said last."""
        self._hidden: Occupancy = 0
        """Cells whose switches are broken."""

    def completed(self, felt: Observation) -> Observation:
        """*felt*, which the switches told, with what is seen of the pieces."""
        self._occupied, self._hidden = felt.sightings.occupied, felt.sightings.hidden
        inputs = tuple(map(self._completed, felt.inputs))
        return Observation(felt.at_ms, inputs, self._sightings(), felt.rest_since_ms, felt.has_gap)

    def look(self, standing: Placement, at_ms: int) -> Observation | None:
        """What has changed on covered cells, now that *standing* is on the board; None if nothing has."""
        before, self._looks = self._looks, {c: look(p, self._kind) for c, p in standing.by_cell().items()}
        changes = tuple(
            Change(at_ms, cell, seen)
            for cell, seen in sorted(self._looks.items())
            if before.get(cell) != seen and self._occupied >> cell & 1
        )
        return Observation(at_ms, changes, self._sightings(), rest_since_ms=at_ms) if changes else None

    def _completed(self, entered: Input) -> Input:
        """*entered* with the look of what was put down."""
        if isinstance(entered, Change) and entered.sighting.occupied and entered.cell in self._looks:
            return Change(entered.t_ms, entered.cell, self._looks[entered.cell])
        return entered

    def _sightings(self) -> Sightings:
        """All that is known now."""
        seen = tuple((cell, each) for cell, each in self._looks.items() if self._occupied >> cell & 1)
        return Sightings(self._occupied, self._hidden, seen)

# SPDX-License-Identifier: Apache-2.0
"""A simulated sensor of pieces: adds their identity to the observations of switches.

Pure. The switches provide covered cells and times of changes; this sensor provides identities, and
sees whether a hand holds a piece: then the board is not at rest, however long the hand waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from companion.model.grid import Cell
from companion.model.observation import Change, Input, Observation, SensorKind, Sighting, Sightings
from companion.model.occupancy import Occupancy
from companion.model.placement import Placement
from companion.referee.values.board.looks import look

_HELD_MS: Final = 3_600_000
"""How long a hand may hold a piece before its board counts as at rest."""


class PieceSensor:
    """A sensor of *kind* for the pieces of a board."""

    def __init__(self, kind: SensorKind) -> None:
        self._kind = kind
        self._looks: Mapping[Cell, Sighting] = {}
        self._occupied: Occupancy = 0
        """Occupancy in the last observation of the switches."""
        self._hidden: Occupancy = 0
        """Cells with broken switches."""
        self._is_held = False
        """True while a hand holds a piece."""

    def completed(self, felt: Observation) -> Observation:
        """*felt*, an observation of the switches, with the sightings of pieces."""
        self._occupied, self._hidden = felt.sightings.occupied, felt.sightings.hidden
        inputs = tuple(map(self._completed, felt.inputs))
        rest_since_ms = self._rest_since_ms(felt.rest_since_ms)
        return Observation(felt.at_ms, inputs, self._sightings(), rest_since_ms, felt.has_gap)

    def look(self, standing: Placement, at_ms: int, *, is_held: bool = False) -> Observation | None:
        """What is new with *standing* on the board, or None.

        *is_held*: another piece is in a hand.
        """
        was_held, self._is_held = self._is_held, is_held
        before, self._looks = self._looks, {c: look(p, self._kind) for c, p in standing.by_cell().items()}
        changes = tuple(
            Change(at_ms, cell, seen)
            for cell, seen in sorted(self._looks.items())
            if before.get(cell) != seen and self._occupied >> cell & 1
        )
        if not changes and is_held is was_held:
            return None
        return Observation(at_ms, changes, self._sightings(), self._rest_since_ms(at_ms))

    def _rest_since_ms(self, changed_ms: int) -> int:
        """Since when the board, which last changed at *changed_ms*, is at rest."""
        return changed_ms + _HELD_MS * self._is_held

    def _completed(self, entered: Input) -> Input:
        """*entered* with the sighting of a placed piece."""
        if isinstance(entered, Change) and entered.sighting.occupied and entered.cell in self._looks:
            return Change(entered.t_ms, entered.cell, self._looks[entered.cell])
        return entered

    def _sightings(self) -> Sightings:
        """All present sightings."""
        seen = tuple((cell, each) for cell, each in self._looks.items() if self._occupied >> cell & 1)
        return Sightings(self._occupied, self._hidden, seen)

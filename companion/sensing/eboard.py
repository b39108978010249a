# SPDX-License-Identifier: Apache-2.0
"""Eboards that know their pieces: their reports become observations of a game's cells.

Pure. Where a game has other pieces than the eboard knows, chess pieces stand in for them. Without
such, only occupied cells count: any piece may stand in for any.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from companion.link.events import EboardSeen, LinkEvent
from companion.model.grid import OFF
from companion.model.observation import (
    OCCUPIED,
    Change,
    Input,
    LeverTurned,
    Observation,
    Press,
    SensorKind,
    Sighting,
    Sightings,
)
from companion.model.occupancy import Occupancy
from companion.sensing.mounting import Mounting

_ENDS: Final = 2
"""Ends of a clock, each with the buttons of one side."""


class EboardSensor:
    """Makes observations from the events of one eboard."""

    def __init__(
        self,
        mounting: Mounting,
        broken: Occupancy,
        kind: SensorKind,
        standins: Mapping[Sighting, Sighting] | None = None,
    ) -> None:
        """Ignore reports about the cells *broken*, and details that *kind* does not see.

        *standins* has the game's piece for each chess piece that may stand in for one.
        """
        self._standins = standins or {}
        self.mounting = mounting
        """Where the grid lies on the eboard; its owner changes it when it knows better."""
        self._broken = broken
        self._kind = kind
        self._rest_since_ms: int | None = None

    def observe(self, event: LinkEvent) -> Observation | None:
        """The observation for *event*; None if it does not concern the game's cells."""
        if not isinstance(event, EboardSeen):
            return None
        seen = event.observation
        inputs = tuple(made for each in seen.inputs if (made := self._input(each)) is not None)
        changes = [each for each in inputs if isinstance(each, Change)]
        if seen.inputs and not inputs:
            return None
        if self._rest_since_ms is None or not seen.inputs:
            self._rest_since_ms = seen.rest_since_ms
        if changes:
            self._rest_since_ms = changes[-1].t_ms
        return Observation(
            seen.at_ms, inputs, self._sightings(seen.sightings), self._rest_since_ms, seen.has_gap
        )

    def _input(self, given: Input) -> Input | None:
        """*given* in the game; None if it does not concern the game."""
        if isinstance(given, LeverTurned):
            return replace(given, side=int(given.side != self.mounting.is_lever_turned))
        if isinstance(given, Press):
            is_exchanged = self.mounting.is_lever_turned and given.button < _ENDS
            return replace(given, button=1 - given.button) if is_exchanged else given
        if not isinstance(given, Change):
            return None
        cell = self.mounting.cell(given.cell)
        if cell == OFF or self._broken >> cell & 1:
            return None
        return Change(given.t_ms, cell, self._look(given.sighting))

    def _sightings(self, seen: Sightings) -> Sightings:
        """*seen* on the game's cells."""
        occupied = self.mounting.occupancy(seen.occupied) & ~self._broken
        if self._kind is SensorKind.OCCUPANCY:
            return Sightings(occupied, self._broken)
        looks = tuple(
            (cell, self._look(look))
            for number, look in seen.seen
            if (cell := self.mounting.cell(number)) != OFF and occupied >> cell & 1
        )
        return Sightings(occupied, self._broken, looks)

    def _look(self, seen: Sighting) -> Sighting:
        """As much of *seen* as the kind of this sensor tells."""
        if seen.occupied and self._standins:
            seen = self._standins.get(seen, OCCUPIED)
        if not seen.occupied or self._kind in (SensorKind.IDENTITY, SensorKind.IDENTITY_FACING):
            return seen
        return OCCUPIED if self._kind is SensorKind.OCCUPANCY else replace(seen, kind=None)

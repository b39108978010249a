# SPDX-License-Identifier: Apache-2.0
"""Switches under the cells: link events become observations.

Pure. A switch shows only that its cell is occupied.
Cells, buttons and the clock's lever keep the order in which the panel reported them.
"""

from __future__ import annotations

from typing import Final

from companion.link.events import InputEdge, InputsChanged, InputsRead, LinkEvent
from companion.link.panel import button_of
from companion.link.protocol_gen import INPUT_LEVER
from companion.model.grid import OFF
from companion.model.observation import (
    EMPTY,
    OCCUPIED,
    Change,
    Input,
    LeverTurned,
    Observation,
    Press,
    SensorKind,
    Sightings,
)
from companion.model.occupancy import Occupancy
from companion.sensing.mounting import Mounting

KIND: Final = SensorKind.OCCUPANCY
"""The sensor kind of switches."""


class ReedSensor:
    """Makes observations from the link events of one panel."""

    def __init__(self, mounting: Mounting, broken: Occupancy = 0) -> None:
        """The switches of the cells *broken* are ignored: these cells are hidden."""
        self.mounting = mounting
        """Where the grid lies on the panel; its owner changes it when it knows better."""
        self._broken = broken
        self._rest_since_ms: int | None = None

    def observe(self, event: LinkEvent) -> Observation | None:
        """The observation for *event*; None if it does not concern the inputs."""
        match event:
            case InputsRead():
                self._rest_since_ms = event.at_ms
                return self._observation(event.at_ms, (), event.closed, has_gap=event.has_gap)
            case InputsChanged():
                inputs = tuple(made for edge in event.edges if (made := self._input(edge)) is not None)
                moved = [each.t_ms for each in inputs if isinstance(each, Change)]
                if moved:
                    self._rest_since_ms = moved[-1]
                return self._observation(event.at_ms, inputs, event.closed) if inputs else None
        return None

    def _observation(
        self, at_ms: int, inputs: tuple[Input, ...], closed: int, *, has_gap: bool = False
    ) -> Observation:
        """All present sightings."""
        rest_since_ms = at_ms if self._rest_since_ms is None else self._rest_since_ms
        occupied = self.mounting.occupancy(closed) & ~self._broken
        return Observation(at_ms, inputs, Sightings(occupied, self._broken), rest_since_ms, has_gap)

    def _input(self, edge: InputEdge) -> Input | None:
        """The input for *edge*.

        None for a released button, a broken switch, and a cell outside the grid.
        """
        cell = self.mounting.cell(edge.input)
        if cell != OFF:
            if self._broken >> cell & 1:
                return None
            return Change(edge.t_ms, cell, OCCUPIED if edge.is_closed else EMPTY)
        if edge.input == INPUT_LEVER:
            return LeverTurned(edge.t_ms, int(edge.is_closed != self.mounting.is_lever_turned))
        button = button_of(edge.input)
        return Press(edge.t_ms, button) if edge.is_closed and button is not None else None

# SPDX-License-Identifier: Apache-2.0
"""The sensor under a game: switches or an eboard, which may be larger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from companion.eboards.connection import EboardConnection
from companion.eboards.standins import recoding
from companion.feedback import lights
from companion.host.devices.eboards import PanelConnection
from companion.link.events import (
    EboardGreeted,
    EboardSeen,
    InputsChanged,
    InputsRead,
    LinkEvent,
    PanelGreeted,
)
from companion.model.game import AnyRules
from companion.model.observation import Observation, SensorKind
from companion.model.occupancy import Occupancy
from companion.referee.values.view import Phase, TableView
from companion.sensing.eboard import EboardSensor
from companion.sensing.mounting import Mounting, mount, mounting_under, turned_goals
from companion.sensing.reed import ReedSensor

_FRAME: Final = lights.index_of(lights.Meaning.FRAME)
"""Palette index of the lamps around a game that is smaller than its panel."""


class PanelSensor:
    """Makes observations from link events, once the panel is known."""

    def __init__(
        self, connection: PanelConnection, rules: AnyRules, kind: SensorKind, broken: Occupancy
    ) -> None:
        """Ignore reports about the cells *broken*; *kind* is what the session expects to see."""
        self.is_eboard: Final = isinstance(connection, EboardConnection)
        """True for an eboard, which knows its pieces."""
        whole = mount(rules.grid)
        self._sensor = (
            EboardSensor(whole, broken, kind, recoding(rules))
            if self.is_eboard
            else ReedSensor(whole, broken)
        )

    @property
    def mounting(self) -> Mounting:
        """Where the game lies on its panel."""
        return self._sensor.mounting

    def observe(self, event: LinkEvent, places: Sequence[Mounting], view: TableView) -> Observation | None:
        """Return the observation for *event*; the game is in one of *places*.

        The pieces of *view* say in which. Where that changes, nothing is known of the order of the
        changes before.
        """
        before = self._sensor.mounting
        if isinstance(event, PanelGreeted | EboardGreeted):
            self._sensor.mounting = before if before in places else places[0]
            return None
        self._sensor.mounting = self._place(event, places, view)
        felt = self._sensor.observe(event)
        if felt is not None and self._sensor.mounting is not before:
            return replace(felt, inputs=(), has_gap=True)
        return felt

    def image(self, image: Sequence[int]) -> tuple[int, ...]:
        """Return *image* by the panel's cells, with a frame around a smaller game."""
        return self.mounting.image(image, _FRAME, lights.DARK)

    def _place(self, event: LinkEvent, places: Sequence[Mounting], view: TableView) -> Mounting:
        """Return the position of the game after *event*."""
        closed = _closed(event)
        is_open = view.phase is Phase.SETTING_UP or isinstance(event, InputsRead)
        if len(places) < 2 or not is_open or closed is None:
            return self._sensor.mounting
        goals = turned_goals(view.grid, view.placement.occupancy)
        if self.mounting.occupancy(closed) in goals:
            return self.mounting
        return mounting_under(places, closed, goals) or self.mounting


def _closed(event: LinkEvent) -> int | None:
    """Return the occupied cells of the panel that *event* reports, if it does."""
    match event:
        case InputsRead() | InputsChanged():
            return event.closed
        case EboardSeen():
            return event.observation.sightings.occupied
    return None

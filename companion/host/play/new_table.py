# SPDX-License-Identifier: Apache-2.0
"""Makes a table of its parts: panel, camera or virtual table, pipeline and journal."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from companion.feedback.lights import LampLevel
from companion.feedback.words import Words
from companion.host.clock import Clock
from companion.host.devices.camera import CameraSetup
from companion.host.devices.eboards import PanelConnection, eboard_at
from companion.host.devices.panels import opener
from companion.host.devices.ports import restarts_panel
from companion.host.journal.journal import JournalWriter
from companion.host.journal.setup import GameSetup
from companion.host.retry import USUAL, Intervals
from companion.host.table.pipeline import Pipeline, Sensors
from companion.host.table.table import Table
from companion.host.table.table_game import TableGame
from companion.host.virtual_table.set_up import make_virtual_table
from companion.link.connection import Connection
from companion.model.errors import NotationError, OptionError
from companion.model.game import Game
from companion.model.grid import Grid
from companion.model.occupancy import Occupancy, occupancy_of
from companion.referee.session.session import Session
from companion.referee.values.controls import NONE


@dataclass(frozen=True, slots=True)
class TableDevices:
    """The devices of a table besides its panel, and settings of the panel."""

    lamps: LampLevel = LampLevel.FULL
    broken: Sequence[str] = ()
    """Names of the cells whose switches are ignored."""
    camera_setup: CameraSetup | None = None
    intervals: Intervals = USUAL
    at: str = ""
    """The panel's cell under the game's first cell; empty for the middle."""
    virtual_panel: str = ""
    """Name of a virtual table's panel; empty for the one that fits the game."""


BARE: Final = TableDevices()


def make_table(
    port: str | None,
    game: Game,
    session: Session,
    words: Words,
    writer: JournalWriter,
    clock: Clock,
    devices: TableDevices = BARE,
) -> Table:
    """Make a table with a panel at *port*, a camera, both, or virtual.

    At a virtual table the pieces stand in the game's position. Raises `OptionError` if a broken
    cell does not exist, and `PanelMismatch` if a virtual panel is too small.
    """
    connection = _connection(port, devices.intervals)
    camera_setup = devices.camera_setup
    sensors = Sensors.PANEL if camera_setup is None else Sensors.CAMERA if port is None else Sensors.BOTH
    broken = _broken_cells(session.rules.grid, devices.broken)
    pipeline = Pipeline(session, words, connection, writer.write, devices.lamps, broken, sensors, devices.at)
    setup = GameSetup(game.slug, tuple(session.rules.options.items()), control=NONE)
    if port is None and camera_setup is None:
        virtual_table = make_virtual_table(session, clock, devices.virtual_panel, devices.at)
        return Table(
            TableGame(setup, pipeline, writer, clock, virtual_table.open_port, virtual_table),
            intervals=devices.intervals,
        )
    camera_task = (
        None
        if camera_setup is None
        else camera_setup.new_task(clock, session.position, has_panel=port is not None)
    )
    open_port = opener(port, session.rules.grid, clock)
    return Table(
        TableGame(setup, pipeline, writer, clock, open_port, camera_task=camera_task),
        intervals=devices.intervals,
    )


def _connection(port: str | None, intervals: Intervals) -> PanelConnection:
    """Return the conversation with the panel or eboard at *port*."""
    eboard, _ = eboard_at(port)
    if eboard is not None:
        return eboard.connection()
    return Connection(secrets.randbits(16), patience_ms=intervals.boot_ms if restarts_panel(port) else 0)


def _broken_cells(grid: Grid, names: Sequence[str]) -> Occupancy:
    """Return the cells called *names*. Raises `OptionError`."""
    try:
        return occupancy_of(map(grid.cell, names))
    except NotationError as fault:
        raise OptionError(fault.message, option="broken", value=fault.text, allowed=grid.names) from fault

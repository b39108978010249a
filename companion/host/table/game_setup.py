# SPDX-License-Identifier: Apache-2.0
"""A sitting: one game as it is set out at a table, from its first piece until another game is begun there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from companion.feedback.page import Json
from companion.host.clock import Clock
from companion.host.devices.camera_task import CameraTask
from companion.host.devices.ports import OpenPort
from companion.host.journal.journal import JournalWriter
from companion.host.table.pipeline import Pipeline
from companion.host.virtual_table.table import VirtualTable
from companion.model.game import Game
from companion.referee.controls import NONE


@dataclass(frozen=True, slots=True)
class TableGame:
    """A game with all that is set out for it."""

    game: Game
    pipeline: Pipeline
    journal: JournalWriter
    clock: Clock
    """The time that the journal tells."""
    open_port: OpenPort | None
    """The way to the panel; None if there is none, but a camera."""
    virtual_table: VirtualTable | None = None
    """The virtual table that `open_port` leads to, if it is one."""
    camera_task: CameraTask | None = None
    """Who watches the camera, if there is one."""
    players: tuple[str, ...] = ()
    """Name of the person at each side, in the order of the turns; empty where nobody said."""
    control: str = NONE
    """How time is kept, as `read_control` reads it."""
    order: str = ""
    """Name of the order by which a hall had it set out; empty where people did."""
    start: str = ""
    """The position it began with; empty for the usual one."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Another game is wished for at the same table; the one under way is left as it is."""

    game: str
    options: tuple[tuple[str, str], ...] = ()
    """What differs from the game's defaults."""
    players: tuple[str, ...] = ()
    control: str = ""
    """As `read_control` reads it; empty for what the game's options say."""
    language: str = ""
    """Of the display, and of pages that ask for none; empty for that of the sitting before."""
    position: str = ""
    """The one to begin with; empty for the usual start."""


@dataclass(frozen=True, slots=True)
class Again:
    """The same game is wished for once more: same options, players, time and start."""


NewGameRequest: TypeAlias = Begin | Again


class GameFactory(Protocol):
    """Who sets games out at a table, and puts them away. Its calls may wait for the disk."""

    def offer(self, language: str, table_game: TableGame) -> Json:
        """The games that can be begun where *table_game* is, with their options, in words of *language*."""
        ...

    def create(self, request: NewGameRequest, table_game: TableGame, order: str = "") -> TableGame:
        """What *request* asks for, set out in the place of *table_game*, for a hall by its *order*.

        Raises `CompanionError` if it cannot be had there.
        """
        ...

    def close(self, table_game: TableGame) -> None:
        """Close the journal of *table_game*, and keep its games. Raises `JournalError` if the disk does not take it."""
        ...

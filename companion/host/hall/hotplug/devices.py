# SPDX-License-Identifier: Apache-2.0
"""Database of the sensor boards and cameras that belong to a hall's boards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sql

from companion.host.game_info import kept_game
from companion.host.records.database import engine_at, failing

_DEVICES: Final = sql.Table(
    "devices",
    sql.MetaData(),
    sql.Column("device", sql.String, primary_key=True),
    sql.Column("board", sql.String, nullable=False),
    sql.Column("game", sql.String, nullable=False),
)


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A known sensor board or camera."""

    device: str
    """Identity: hexadecimal digits of a sensor board, or a camera's key `usb:…`."""
    board: str
    game: str
    """Its game, in the notation of `parse_game`."""


class Devices:
    """The known sensor boards and cameras."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[KnownDevice, ...]:
        """Return all, sorted by board. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            rows = connection.execute(sql.select(_DEVICES).order_by(_DEVICES.c.board))
            return tuple(KnownDevice(row.device, row.board, kept_game(row.game)) for row in rows)

    def give(self, known: KnownDevice) -> None:
        """Store *known*, replacing entries of the same device or board. Raises `StoreError`."""
        same = (_DEVICES.c.device == known.device) | (_DEVICES.c.board == known.board)
        values = {"device": known.device, "board": known.board, "game": known.game}
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_DEVICES.delete().where(same))
            connection.execute(_DEVICES.insert().values(values))

    def forget(self, board: str) -> bool:
        """Delete the device of *board*; false if unknown. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            return connection.execute(_DEVICES.delete().where(_DEVICES.c.board == board)).rowcount > 0


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Devices]:
    """Open the devices at *url*, or in the default database, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    with engine_at(url, may_make=may_make) as engine:
        yield Devices(engine)

# SPDX-License-Identifier: Apache-2.0
"""Which sensor board or camera belongs to which of a hall's boards: remembered in the database, by what each says of itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sql

from companion.host.game_info import kept_game
from companion.host.records.database import connect, failing, find

_DEVICES: Final = sql.Table(
    "devices",
    sql.MetaData(),
    sql.Column("device", sql.String, primary_key=True),
    sql.Column("board", sql.String, nullable=False),
    sql.Column("game", sql.String, nullable=False),
)


@dataclass(frozen=True, slots=True)
class KnownDevice:
    """A sensor board or a camera that a hall knows."""

    device: str
    """Its identity: a sensor board's as hexadecimal digits, a camera's as its key, `usb:…`."""
    board: str
    game: str
    """What is played there, as `parse_game` reads it."""


class Devices:
    """The sensor boards and cameras that a hall knows, in the database."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[KnownDevice, ...]:
        """All of them, by the names of their boards. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            rows = connection.execute(sql.select(_DEVICES).order_by(_DEVICES.c.board))
            return tuple(KnownDevice(row.device, row.board, kept_game(row.game)) for row in rows)

    def give(self, owned: KnownDevice) -> None:
        """Remember *owned* in place of what was known of that device, and of that board. Raises `StoreError`."""
        same = (_DEVICES.c.device == owned.device) | (_DEVICES.c.board == owned.board)
        values = {"device": owned.device, "board": owned.board, "game": owned.game}
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_DEVICES.delete().where(same))
            connection.execute(_DEVICES.insert().values(values))

    def forget(self, board: str) -> bool:
        """Forget the device of *board*; False if none is known. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            return connection.execute(_DEVICES.delete().where(_DEVICES.c.board == board)).rowcount > 0


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Devices]:
    """What is remembered in the database at *url* or the usual one; one that is named has to be there, unless *may_make*.

    Raises `StoreError`.
    """
    engine = connect(url) if may_make else find(url)
    try:
        yield Devices(engine)
    finally:
        engine.dispose()

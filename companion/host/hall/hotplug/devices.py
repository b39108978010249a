# SPDX-License-Identifier: Apache-2.0
"""Database of the sensor boards and cameras that belong to a hall's stations."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from companion.host.game_info import kept_game
from companion.host.records.database import Database, database_at


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

    def __init__(self, database: Database) -> None:
        self._database = database

    def all(self) -> tuple[KnownDevice, ...]:
        """Return all, sorted by station. Raises `StoreError`."""
        with self._database.reading() as transaction:
            rows = transaction.execute("SELECT device, board, game FROM devices ORDER BY board").fetchall()
        return tuple(KnownDevice(device, station, kept_game(game)) for device, station, game in rows)

    def give(self, known: KnownDevice) -> None:
        """Store *known*, replacing entries of the same device or station. Raises `StoreError`."""
        with self._database.writing() as transaction:
            transaction.execute(
                "DELETE FROM devices WHERE device = ? OR board = ?", (known.device, known.board)
            )
            transaction.execute(
                "INSERT INTO devices (device, board, game) VALUES (?, ?, ?)",
                (known.device, known.board, known.game),
            )

    def forget(self, station: str) -> bool:
        """Delete the device of *station*; false if unknown. Raises `StoreError`."""
        with self._database.writing() as transaction:
            return bool(transaction.execute("DELETE FROM devices WHERE board = ?", (station,)).rowcount)


@contextlib.contextmanager
def opened(url: str | None, *, may_make: bool = False) -> Iterator[Devices]:
    """Open the devices at *url*, or in the default database, inside the block.

    A database named by *url* has to exist, unless *may_make*. Raises `StoreError`.
    """
    with database_at(url, may_make=may_make) as database:
        yield Devices(database)

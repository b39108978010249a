# SPDX-License-Identifier: Apache-2.0
"""Which sensor board belongs to which of a hall's boards: remembered in the database, by what each says of itself."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sql

from companion.host.database import connect, default_url, failing

_PANELS: Final = sql.Table(
    "panels",
    sql.MetaData(),
    sql.Column("panel", sql.String(32), primary_key=True),
    sql.Column("board", sql.String, nullable=False),
    sql.Column("game", sql.String, nullable=False),
)


@dataclass(frozen=True, slots=True)
class Owned:
    """A sensor board that a hall knows."""

    panel: str
    """Its identity, as hexadecimal digits."""
    board: str
    game: str
    """Slug of the game that is played there."""


class Panels:
    """The sensor boards that a hall knows, in the database."""

    def __init__(self, engine: sql.Engine) -> None:
        self._engine = engine

    def all(self) -> tuple[Owned, ...]:
        """All of them, by the names of their boards. Raises `StoreError`."""
        with failing(self._engine), self._engine.connect() as connection:
            rows = connection.execute(sql.select(_PANELS).order_by(_PANELS.c.board))
            return tuple(Owned(row.panel, row.board, row.game) for row in rows)

    def give(self, owned: Owned) -> None:
        """Remember *owned* in place of what was known of that panel, and of that board. Raises `StoreError`."""
        same = (_PANELS.c.panel == owned.panel) | (_PANELS.c.board == owned.board)
        values = {"panel": owned.panel, "board": owned.board, "game": owned.game}
        with failing(self._engine), self._engine.begin() as connection:
            connection.execute(_PANELS.delete().where(same))
            connection.execute(_PANELS.insert().values(values))

    def forget(self, board: str) -> bool:
        """Forget the panel of *board*; False if none is known. Raises `StoreError`."""
        with failing(self._engine), self._engine.begin() as connection:
            return connection.execute(_PANELS.delete().where(_PANELS.c.board == board)).rowcount > 0


@contextlib.contextmanager
def opened(url: str | None) -> Iterator[Panels]:
    """What is remembered in the database at *url* or the usual one. Raises `StoreError`."""
    engine = connect(url or default_url())
    try:
        yield Panels(engine)
    finally:
        engine.dispose()

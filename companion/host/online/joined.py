# SPDX-License-Identifier: Apache-2.0
"""A game with people elsewhere, from the moment when it is agreed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from companion.host.table.table import Table
from companion.host.table.table_game import Begin


class Joined(Protocol):
    """A game that a table plays with a place elsewhere."""

    @property
    def request(self) -> Begin:
        """What the table is to begin."""
        ...

    async def play(self, table: Table, inform: Callable[[str], None]) -> None:
        """Play it at *table* until another game begins there; *inform* gets remarks."""
        ...

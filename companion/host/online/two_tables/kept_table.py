# SPDX-License-Identifier: Apache-2.0
"""What a table keeps of a game with another one, for a restart.

It lies beside the game's journal, in a file that only this user can read: the code is in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from companion.host.online.two_tables.kept_game import KeptMoves
from companion.host.online.two_tables.messages import Welcome

_SUFFIX: Final = ".two-tables.json"


@dataclass(frozen=True, slots=True)
class KeptTable:
    """One end of a game between two tables."""

    code: str
    via: str
    welcome: Welcome
    guest: str
    """The name by which the inviting table knows the invited one."""
    guest_player: str = ""
    game: KeptMoves | None = None
    """The game, at the table that keeps it; None at the invited one."""
    done: int = 0
    """Number of the invited table's last request that was carried out."""


def file_of(journal: Path) -> Path:
    """Return the file for the game of *journal*."""
    return journal.with_name(journal.name + _SUFFIX)

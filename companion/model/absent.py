# SPDX-License-Identifier: Apache-2.0
"""Who plays a side: a person at the table, the computer, or somebody elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from companion.model.pieces import Side


class PlayedBy(StrEnum):
    """Who decides the moves of a side."""

    TABLE = "table"
    """A person at the table, who also makes them."""
    COMPUTER = "computer"
    ELSEWHERE = "elsewhere"
    """Somebody who is not at the table."""


def absent_sides(played_by: Sequence[PlayedBy]) -> frozenset[Side]:
    """The sides whose moves are decided elsewhere.

    >>> sorted(absent_sides([PlayedBy.TABLE, PlayedBy.COMPUTER]))
    [1]
    """
    return frozenset(side for side, by in enumerate(played_by) if by is not PlayedBy.TABLE)

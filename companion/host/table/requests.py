# SPDX-License-Identifier: Apache-2.0
"""What people, hands and helpers of a table ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from companion.host.table.layers.board_menu import MenuContent
from companion.host.table.layers.board_review import MoveJudgement
from companion.host.table.table_game import Moment
from companion.host.virtual_table.hands import PressClock
from companion.model.advice import Advice
from companion.model.occupancy import Occupancy
from companion.model.placement import Placement
from companion.referee.values.commands import Command


@dataclass(frozen=True, slots=True)
class Asked:
    """A queued command."""

    command: Command
    order: str = ""
    over: Moment | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """The pieces of the virtual board have changed."""

    standing: Placement
    is_held: bool
    """True if a hand holds another piece."""


@dataclass(frozen=True, slots=True)
class HintPress:
    """A press of the hint key."""


@dataclass(frozen=True, slots=True)
class Advised:
    """The coach's advice, or None to remove it."""

    advice: Advice | None
    judged: str


@dataclass(frozen=True, slots=True)
class Offered:
    """A menu is offered on the board."""

    content: MenuContent
    start: Occupancy
    entered: Occupancy


@dataclass(frozen=True, slots=True)
class MenuWanted:
    """Somebody wants to choose at the board of a virtual table."""


@dataclass(frozen=True, slots=True)
class ReviewWanted:
    """Somebody wants to go over the game at the board."""

    judged: Sequence[MoveJudgement] = ()


Request: TypeAlias = HintPress | PressClock | Advised | Offered | MenuWanted | ReviewWanted

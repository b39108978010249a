# SPDX-License-Identifier: Apache-2.0
"""What people and helpers of a table ask for, besides commands to the referee."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from companion.feedback.board_menu import MenuContent
from companion.feedback.board_review import MoveJudgement
from companion.host.virtual_table.hands import PressClock
from companion.model.advice import Advice
from companion.model.occupancy import Occupancy


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

# SPDX-License-Identifier: Apache-2.0
"""Events that must be on the disk before they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from companion.host.journal.journal import CommandEntry
from companion.referee.events import (
    Event,
    GameAdjourned,
    GameEnded,
    MoveMade,
    MoveRetracted,
    PositionAdopted,
    RecordCorrected,
    Stage,
)

_STAGE_BEFORE: Final = {Stage.ANNOUNCED: Stage.PROVISIONAL, Stage.SETTLED: Stage.ANNOUNCED}


def stages_before(events: Sequence[Event | CommandEntry]) -> dict[int, Stage]:
    """Map the ply of each move that *events* advance to its previous stage."""
    made = [each for each in reversed(events) if isinstance(each, MoveMade)]
    return {each.ply: _STAGE_BEFORE[each.stage] for each in made if each.stage in _STAGE_BEFORE}


def is_announcing(event: Event | CommandEntry) -> bool:
    """True if *event* must be on the disk before it is shown."""
    match event:
        case CommandEntry():
            return True
        case MoveMade(stage=stage):
            return stage is Stage.ANNOUNCED
        case MoveRetracted(stage=stage):
            return stage is not Stage.PROVISIONAL
        case GameEnded() | GameAdjourned() | PositionAdopted() | RecordCorrected():
            return True
    return False

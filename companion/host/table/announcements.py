# SPDX-License-Identifier: Apache-2.0
"""Which events have to be on the disk before anybody is told of them, and what is shown until then."""

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
    """How sure the moves were, by their plies, that are surer by *events*."""
    made = [each for each in reversed(events) if isinstance(each, MoveMade)]
    return {each.ply: _STAGE_BEFORE[each.stage] for each in made if each.stage in _STAGE_BEFORE}


def is_announcing(event: Event | CommandEntry) -> bool:
    """True if *event* has to be on the disk before anybody is told of it."""
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

# SPDX-License-Identifier: Apache-2.0
"""What a table says once: events, tunes and replies.

Events must be on the disk before they are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from companion.feedback import tones
from companion.feedback.words import Words
from companion.host.journal.journal import CommandEntry
from companion.host.text.error_translation import translate
from companion.model.game import Violation
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


@dataclass(slots=True)
class Unpublished:
    """Events and answers since the last publication, the first ones already on the disk."""

    events: list[Event | CommandEntry] = field(default_factory=list)
    _safe: int = 0
    """Number of the first events that are known to be on the disk."""

    @property
    def unsafe(self) -> list[Event | CommandEntry]:
        """The events that may not be on the disk yet."""
        return self.events[self._safe :]

    def waiting(self) -> list[Event | CommandEntry]:
        """The unsafe events that must be on the disk before they are shown."""
        return [*filter(is_announcing, self.unsafe)] if self._safe < len(self.events) else []

    def made_safe(self, number: int) -> None:
        """Note that the first *number* events are on the disk."""
        self._safe = min(number, len(self.events))

    def take(self) -> list[Event]:
        """Remove and return the events, without the answers: they are published."""
        taken = [each for each in self.events if not isinstance(each, CommandEntry)]
        self.events.clear()
        self._safe = 0
        return taken


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


@dataclass(frozen=True, slots=True)
class Tune:
    """The last tune."""

    number: int = 0
    """Counts the tunes, so that each is played once."""
    tones: tuple[tones.Tone, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """Result of the last request about the position or the record."""

    number: int = 0
    """Counts the replies."""
    fault: str = ""
    """Reason for a refusal, in English; empty if granted, or the board has changed since."""
    violation: Violation | None = None
    """The rule that forbids it, if any."""

    def text(self, words: Words) -> str:
        """Return the reason in *words*."""
        if self.violation is not None:
            return words.sentence(self.violation)
        said = translate(self.fault, words.language)
        return said[:1].upper() + said[1:]

# SPDX-License-Identifier: Apache-2.0
"""What a table says once: events, tunes and replies, and reasons on request.

Events must be on the disk before they are shown.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from companion.feedback import tones
from companion.feedback.account import why_asked, why_illegal, why_retracted
from companion.feedback.words import Words
from companion.host.journal.journal import CommandEntry
from companion.host.text.error_translation import translate
from companion.model.game import Violation
from companion.referee.inference.tracker.account import Account, account
from companion.referee.session.session import Session
from companion.referee.values.events import (
    Event,
    GameAdjourned,
    GameBegan,
    GameEnded,
    MoveMade,
    MoveRetracted,
    PlyUndecided,
    PositionAdopted,
    RecordCorrected,
    Stage,
)

_LOG: Final = logging.getLogger(__name__)


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


class Reasons:
    """The reason of the latest retraction, and those of what is shown now."""

    def __init__(self) -> None:
        self.retracted = ""
        """The announced move that was retracted last; empty once its answer is announced."""
        self._ply = 0
        self._account: Account | None = None

    def note(self, events: Iterable[Event], session: Session) -> None:
        """Remember an announced move among *events* that *session* has retracted.

        A ply that stays undecided is logged.
        """
        for event in events:
            match event:
                case MoveRetracted(ply=ply, move=move, stage=stage) if stage is not Stage.PROVISIONAL:
                    self.retracted, self._ply = move, ply
                    self._account = account(session.belief, ply, move)
                case MoveMade(ply=ply, stage=Stage.ANNOUNCED) if ply > self._ply:
                    self.retracted, self._account = "", None
                case GameBegan() | GameEnded():
                    self.retracted, self._account = "", None
                case PlyUndecided(ply=ply, move=move, rivals=rivals):
                    others = ", ".join(each or "no move" for each in rivals) or "nothing"
                    _LOG.warning("ply %d, %s, stays undecided: not told from %s", ply + 1, move, others)

    def sentence(self, session: Session, words: Words) -> str:
        """Why the board is illegal, players are asked, or a move was retracted; else empty."""
        view, belief, grid = session.view(), session.belief, session.rules.grid
        if view.fault is not None:
            return why_illegal(account(belief, belief.ply, shares_earlier=True), words, grid)
        if view.question is not None:
            return why_asked(account(belief, view.question.ply), words)
        if self._account is not None:
            return why_retracted(self._account, self.retracted, words, grid)
        return ""

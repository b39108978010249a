# SPDX-License-Identifier: Apache-2.0
"""State that lets a table continue after an internal error."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from companion.host.journal.journal import Input
from companion.model.observation import Observation
from companion.referee.events import Event, GameBegan, MoveMade, Stage

_MOST_ERRORS: Final = 5
_WITHIN_MS: Final = 10_000


@dataclass(slots=True)
class Recovery:
    """The input in progress, and the times of recent errors."""

    entering: Input | None = None
    """Input that the session is processing."""
    last_seen: Observation | None = None
    """Last observation: the first input of a new session."""
    has_erred: bool = False
    """True after an error until the next announced move or the next game."""
    _times_ms: deque[int] = field(default_factory=lambda: deque(maxlen=_MOST_ERRORS))

    def observes(self, observation: Observation) -> None:
        """Note that the session is processing *observation*."""
        self.entering = self.last_seen = observation

    def done(self, events: Iterable[Event]) -> None:
        """Note that the session has processed its input and returned *events*."""
        self.entering = None
        self.has_erred = self.has_erred and not any(map(_is_progress, events))

    def erred(self, now_ms: int) -> Input | None:
        """Note an error at *now_ms*; return the input that was being processed."""
        entering, self.entering = self.entering, None
        self.has_erred = True
        self._times_ms.append(now_ms)
        return entering

    @property
    def is_repeating(self) -> bool:
        """True if the last errors followed so quickly that they count as one."""
        times = self._times_ms
        return len(times) == _MOST_ERRORS and times[-1] - times[0] < _WITHIN_MS


def _is_progress(event: Event) -> bool:
    """True if *event* is an announced move or the start of a game."""
    return isinstance(event, GameBegan) or (isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED)

# SPDX-License-Identifier: Apache-2.0
"""What a table keeps so that it can continue after an error of this program."""

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
    """The input that may cause an error, and the errors of late."""

    entering: Input | None = None
    """The input that the session processes now."""
    last_seen: Observation | None = None
    """The last observation: what a new session is shown first."""
    has_erred: bool = False
    """True after an error until the next announced move, or the next game."""
    _times_ms: deque[int] = field(default_factory=lambda: deque(maxlen=_MOST_ERRORS))

    def observes(self, observation: Observation) -> None:
        """Note that the session processes *observation*."""
        self.entering = self.last_seen = observation

    def done(self, events: Iterable[Event]) -> None:
        """Note that the session has processed its input, which led to *events*."""
        self.entering = None
        self.has_erred = self.has_erred and not any(map(_is_progress, events))

    def erred(self, now_ms: int) -> Input | None:
        """Note an error at *now_ms*; returns the input that was processed then."""
        entering, self.entering = self.entering, None
        self.has_erred = True
        self._times_ms.append(now_ms)
        return entering

    @property
    def is_repeating(self) -> bool:
        """True if the last errors came so soon after one another that they are the same one."""
        times = self._times_ms
        return len(times) == _MOST_ERRORS and times[-1] - times[0] < _WITHIN_MS


def _is_progress(event: Event) -> bool:
    """True if *event* is an announced move or the beginning of a game."""
    return isinstance(event, GameBegan) or (isinstance(event, MoveMade) and event.stage is Stage.ANNOUNCED)

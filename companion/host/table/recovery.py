# SPDX-License-Identifier: Apache-2.0
"""Internal errors at a table: they are logged, and the game continues."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Final

from companion import __version__
from companion.host.clock import local_time
from companion.host.journal.journal import Continued, Input
from companion.model.errors import CompanionError
from companion.model.observation import Observation
from companion.referee.values.events import Event, GameBegan, MoveMade, Stage

if TYPE_CHECKING:
    from companion.host.table.table_game import TableGame

_LOG: Final = logging.getLogger(__name__)
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


class ErrorGuard:
    """Continues *table_game* from its last announced move after an internal error in a block.

    The log names the journal. A `CompanionError`, whose cause is outside the program, propagates.
    A guard serves any number of blocks: a table enters two for each packet of its panel.
    """

    def __init__(self, table_game: TableGame) -> None:
        self._table_game = table_game

    def __enter__(self) -> None:
        """Begin a block."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> bool:
        """End a block; true if its error was an internal one, which ends here."""
        if error is None or not isinstance(error, Exception) or isinstance(error, CompanionError):
            return False
        self._continue(error)
        return True

    def _continue(self, error: Exception) -> None:
        """Log *error* and continue the game."""
        path, pipeline = self._table_game.journal.path, self._table_game.pipeline
        _LOG.error(
            "error in this program; the game continues from its last announced move: %s", path, exc_info=error
        )
        try:
            on = local_time().isoformat(timespec="seconds")
            text = f"{type(error).__name__}: {error}"
            pipeline.survive(
                Continued(self._table_game.clock(), __version__, on, pipeline.session.kind, text)
            )
        except Exception:  # noqa: BLE001
            _LOG.exception("the game cannot continue before the next input: %s", path)

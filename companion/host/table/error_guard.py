# SPDX-License-Identifier: Apache-2.0
"""The one handler of internal errors at a table: log, and continue the game."""

from __future__ import annotations

import logging
from types import TracebackType
from typing import Final

from companion import __version__
from companion.host.clock import local_time
from companion.host.journal.journal import Continued
from companion.host.table.game_setup import TableGame
from companion.model.errors import CompanionError

_LOG: Final = logging.getLogger(__name__)


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

# SPDX-License-Identifier: Apache-2.0
"""The one handler of internal errors at a table: log, and continue the game."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterator
from typing import Final

from companion import __version__
from companion.host.clock import local_time
from companion.host.journal.journal import Continued
from companion.host.table.game_setup import TableGame
from companion.model.errors import CompanionError

_LOG: Final = logging.getLogger(__name__)


@contextlib.contextmanager
def surviving(table_game: TableGame) -> Iterator[None]:
    """Continue *table_game* from its last announced move after an internal error in the block.

    The log names the journal. A `CompanionError`, whose cause is outside the program, propagates.
    """
    try:
        yield
    except CompanionError:
        raise
    except Exception as error:  # noqa: BLE001  an internal error does not end the table
        path, pipeline = table_game.journal.path, table_game.pipeline
        _LOG.exception("error in this program; the game continues from its last announced move: %s", path)
        try:
            on = local_time().isoformat(timespec="seconds")
            text = f"{type(error).__name__}: {error}"
            pipeline.survive(Continued(table_game.clock(), __version__, on, pipeline.session.kind, text))
        except Exception:  # noqa: BLE001
            _LOG.exception("the game cannot continue before the next input: %s", path)

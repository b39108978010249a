# SPDX-License-Identifier: Apache-2.0
"""Pairs a round without making anybody wait.

A large round is paired in a process of its own.

Its rule: the library holds the interpreter while it computes, so only a round that takes less than
a tenth of a second is paired in the hall's process.
"""

from __future__ import annotations

import asyncio
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final

from companion.host.hall.desk.child_process import begin
from companion.model.errors import TournamentError
from companion.tournament.pairing import next_round
from companion.tournament.values import Round, Tournament

MOST_HERE: Final = 60
"""Players of a round that is paired in the hall's process."""
_CONTEXT: Final = multiprocessing.get_context("spawn")


async def paired(of: Tournament) -> Round:
    """The next round of *of*. Raises `TournamentError`."""
    if len(of.players) <= MOST_HERE:
        return await asyncio.to_thread(next_round, of)
    pool = ProcessPoolExecutor(1, _CONTEXT, begin)
    try:
        return await asyncio.get_running_loop().run_in_executor(pool, next_round, of)
    except BrokenProcessPool as fault:
        raise TournamentError(
            "{tournament}: the process that paired the round has ended: pair again", tournament=of.name
        ) from fault
    finally:
        pool.shutdown(wait=False, cancel_futures=True)

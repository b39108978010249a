# SPDX-License-Identifier: Apache-2.0
"""Prints PDFs in a separate process, with a bounded cache of lists.

Its rule: requests for lists take no time from play and arbiters. The process starts with the first
print and ends when idle. A language without words becomes English. Cache keys have a supported
language and an existing round.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, Self, TypeAlias

from companion.feedback.wordfiles import choose
from companion.host.hall.core.finished_games import game_at
from companion.host.hall.core.hall import Hall
from companion.host.hall.desk.child_process import begin
from companion.host.hall.desk.printouts import print_list, print_score_sheets
from companion.host.records.records import KeptGame
from companion.model.errors import StoreError
from companion.model.phrase import Phrase
from companion.sheets.page import Paper
from companion.tournament.book import Running

MOST: Final = 100
"""Size of the cache."""
IDLE_S: Final = 120.0
"""Idle time after which the process ends."""
_LATER: Final = Phrase("the list cannot be printed now: try again later")
_CONTEXT: Final = multiprocessing.get_context("spawn")

_Wanted: TypeAlias = tuple[str, str, str, int, str]
"""Tournament, list, language, round, paper."""
_Known: TypeAlias = Mapping[tuple[int, int], KeptGame | None]
"""Games by round and table."""


class Printer:
    """Prints lists for everybody and score sheets for arbiters.

    An async context manager: its process has ended after the block.
    """

    def __init__(self, idle_s: float = IDLE_S, most: int = MOST) -> None:
        """Its process ends after *idle_s* without a print; it caches *most* lists."""
        self._most = most
        self.idle_s = idle_s
        self._kept: dict[_Wanted, tuple[Running, asyncio.Task[bytes]]] = {}
        """Finished and running prints, latest last."""
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Semaphore(1)
        """Limits public prints, so that an arbiter waits for one at most."""
        self._idle: asyncio.TimerHandle | None = None
        self._busy = 0

    def __len__(self) -> int:
        """Return the number of cached lists."""
        return len(self._kept)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for _, task in self._kept.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._idle is not None:
            self._idle.cancel()
        pool, self._pool = self._pool, None
        if pool is not None:
            await asyncio.to_thread(pool.shutdown, cancel_futures=True)

    async def public(
        self, key: str, running: Running, kind: str, language: str, paper: Paper, in_round: int
    ) -> bytes:
        """Return list *kind* of tournament *key*, printed once for equal requests.

        Raises `TournamentError` and `StoreError`.
        """
        of = running.tournament
        language, in_round = choose(language), in_round or len(of.rounds)
        if in_round:
            of.round(in_round)  # raises if the round does not exist
        wanted = key, kind, language, in_round, paper.name
        known = self._kept.get(wanted)
        if known is None or known[0] is not running or _has_failed(known[1]):
            making = self._in_turn(running, kind, language, paper, in_round)
            known = running, self._begun(wanted, making)
        self._kept.pop(wanted, None)
        self._kept[wanted] = known
        return await asyncio.shield(known[1])

    def _begun(self, wanted: _Wanted, making: Coroutine[Any, Any, bytes]) -> asyncio.Task[bytes]:
        """Start printing *wanted*, replacing a finished list if the cache is full.

        Raises `StoreError`.
        """
        before = self._kept.get(wanted)
        if len(self._kept) >= self._most and before is None:
            finished = next((each for each, (_, task) in self._kept.items() if task.done()), None)
            if finished is None:
                making.close()
                raise StoreError(_LATER)
            del self._kept[finished]
        task = asyncio.create_task(making, name="printer")
        task.add_done_callback(_has_failed)  # retrieves the exception even if no request waits any more
        return task

    async def list_now(
        self, running: Running, kind: str, language: str, paper: Paper, in_round: int
    ) -> bytes:
        """Return list *kind* for an arbiter. Raises `TournamentError` and `StoreError`."""
        return await self._print(print_list, running, kind, choose(language), paper, in_round)

    async def score_sheets(
        self, hall: Hall, running: Running, language: str, paper: Paper, in_round: int
    ) -> bytes:
        """Return the score sheets of a round. Raises `CompanionError`."""
        found = running.tournament.round(in_round or len(running.tournament.rounds))

        def games() -> _Known:
            tables = [pairing.table for pairing in found.pairings]
            return {(found.number, table): game_at(hall, running, found.number, table) for table in tables}

        known = await asyncio.to_thread(games)
        return await self._print(_score_sheets, running, known, choose(language), paper, found.number)

    async def _in_turn(self, *words: Any) -> bytes:
        async with self._turn:
            return await self._print(print_list, *words)

    async def _print(self, make: Callable[..., bytes], *words: Any) -> bytes:
        """Call *make* in the process, restarted if it has died."""
        self._busy += 1
        try:
            for _ in range(2):
                if self._pool is None:
                    self._pool = ProcessPoolExecutor(1, _CONTEXT, begin)
                pool = self._pool
                with contextlib.suppress(BrokenProcessPool):
                    return await asyncio.get_running_loop().run_in_executor(pool, make, *words)
                if self._pool is pool:
                    self._pool = None
            raise StoreError(_LATER)
        finally:
            self._busy -= 1
            self._wait()

    def _wait(self) -> None:
        """Schedule the end of the idle process."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(self.idle_s, self._rest)

    def _rest(self) -> None:
        if not self._busy and self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


def _has_failed(task: asyncio.Task[bytes]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


# --- in the process ---


def _score_sheets(running: Running, known: _Known, language: str, paper: Paper, in_round: int) -> bytes:
    """Print score sheets from games read before."""

    def game(number: int, table: int) -> KeptGame | None:
        return known.get((number, table))

    return print_score_sheets(running, game, language, paper, in_round)

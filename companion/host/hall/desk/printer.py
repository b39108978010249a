# SPDX-License-Identifier: Apache-2.0
"""Makes PDFs of tournaments in a process of its own, and keeps the last ones for others who want the same.

Rule: whoever asks for lists takes no time from play and from arbiters. The process is started when something is printed, and ended
when nothing has been for a while. What is kept is bounded: a list is known by a language that there is and a round that was paired.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Final, Self, TypeAlias

from companion.host.hall.core.hall import Hall
from companion.host.hall.core.recalled_games import game_at
from companion.host.hall.desk.printouts import print_list, print_score_sheets
from companion.host.records.records import KeptGame
from companion.model.errors import StoreError
from companion.model.phrase import Phrase
from companion.sheets.page import Paper
from companion.tournament.book import Running

MOST: Final = 100
"""Lists that are kept."""
_IDLE_S: Final = 120.0
"""After which the process ends if nothing is printed."""
_LATER: Final = Phrase("the list cannot be printed now: try again later")
_NICE: Final = 5
"""By how much it stands back behind play, where the system knows that."""
_CONTEXT: Final = multiprocessing.get_context("spawn")

_Wanted: TypeAlias = tuple[str, str, str, int, str]
"""Tournament, list, language, round, paper."""
_Known: TypeAlias = Mapping[tuple[int, int], KeptGame | None]
"""Games by round and table."""


class Printer:
    """Prints lists for everybody and sheets for arbiters. An async context manager: its process has ended when it is left."""

    def __init__(self) -> None:
        self._kept: dict[_Wanted, tuple[Running, asyncio.Task[bytes]]] = {}
        """What was printed, or is being, the latest last."""
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Semaphore(1)
        """For what everybody may print: an arbiter waits for one of these at most."""
        self._idle: asyncio.TimerHandle | None = None
        self._busy = 0

    def __len__(self) -> int:
        """How many lists are kept."""
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
        """The list *kind* of the tournament *key*: made once for all who want the same. Raises `TournamentError`, `StoreError`."""
        of = running.tournament
        in_round = in_round or len(of.rounds)
        if in_round:
            of.round(in_round)  # raises if there is no such round
        wanted = key, kind, language, in_round, paper.name
        known = self._kept.get(wanted)
        if known is None or known[0] is not running or _has_failed(known[1]):
            making = self._in_turn(running, kind, language, paper, in_round)
            known = running, self._begun(wanted, making)
        self._kept.pop(wanted, None)
        self._kept[wanted] = known
        return await asyncio.shield(known[1])

    def _begun(self, wanted: _Wanted, making: Coroutine[Any, Any, bytes]) -> asyncio.Task[bytes]:
        """A task for *making* the list *wanted*; one that is finished makes room for it. Raises `StoreError`."""
        before = self._kept.get(wanted)
        if len(self._kept) >= MOST and before is None:
            finished = next((each for each, (_, task) in self._kept.items() if task.done()), None)
            if finished is None:
                making.close()
                raise StoreError(_LATER)
            del self._kept[finished]
        task = asyncio.create_task(making, name="printer")
        task.add_done_callback(
            _has_failed
        )  # which takes note of the reason, although nobody may wait any more
        return task

    async def list_now(
        self, running: Running, kind: str, language: str, paper: Paper, in_round: int
    ) -> bytes:
        """The list *kind* for an arbiter. Raises `TournamentError`, `StoreError`."""
        return await self._print(print_list, running, kind, language, paper, in_round)

    async def score_sheets(
        self, hall: Hall, running: Running, language: str, paper: Paper, in_round: int
    ) -> bytes:
        """The score sheets of a round. Raises `CompanionError`."""
        found = running.tournament.round(in_round or len(running.tournament.rounds))

        def games() -> _Known:
            tables = [pairing.table for pairing in found.pairings]
            return {(found.number, table): game_at(hall, running, found.number, table) for table in tables}

        known = await asyncio.to_thread(games)
        return await self._print(_score_sheets, running, known, language, paper, found.number)

    async def _in_turn(self, *words: Any) -> bytes:
        async with self._turn:
            return await self._print(print_list, *words)

    async def _print(self, make: Callable[..., bytes], *words: Any) -> bytes:
        """What *make* makes of *words*, in the other process; in a new one if that has died."""
        self._busy += 1
        try:
            for _ in range(2):
                if self._pool is None:
                    self._pool = ProcessPoolExecutor(1, _CONTEXT, _begin)
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
        """End the process later, unless something is printed until then."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._rest)

    def _rest(self) -> None:
        if not self._busy and self._pool is not None:
            self._pool.shutdown(wait=False)
            self._pool = None


def _has_failed(task: asyncio.Task[bytes]) -> bool:
    return task.done() and (task.cancelled() or task.exception() is not None)


# --- the process's side ---


def _begin() -> None:
    """The hall ends this process; it also ends when the hall is gone."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(_NICE)
    threading.Thread(target=_end_with_the_hall, daemon=True, name="hall").start()


def _end_with_the_hall() -> None:
    hall = multiprocessing.parent_process()
    if hall is not None:
        hall.join()
        os._exit(0)


def _score_sheets(running: Running, known: _Known, language: str, paper: Paper, in_round: int) -> bytes:
    """`print_score_sheets` of games that are known already."""

    def game(number: int, table: int) -> KeptGame | None:
        return known.get((number, table))

    return print_score_sheets(running, game, language, paper, in_round)

# SPDX-License-Identifier: Apache-2.0
"""Rounds are paired without holding up the hall."""

from __future__ import annotations

import asyncio
import multiprocessing

import pytest

from companion.host.hall.desk.round_pairing import MOST_HERE, paired
from companion.model.errors import TournamentError
from tests.tournament.test_pairing import by_chance, played_on, tournament

LARGE = played_on(tournament(MOST_HERE + 2), by_chance(1), 1)


def test_a_large_round_is_paired_by_another_process_and_the_loop_goes_on() -> None:
    async def scenario() -> tuple[int, int]:
        ticks = processes = 0
        task = asyncio.create_task(paired(LARGE))
        while not task.done():
            await asyncio.wait({task}, timeout=0.01)
            ticks += 1
            processes = max(processes, len(multiprocessing.active_children()))
        return len((await task).pairings), ticks if processes else 0

    tables, ticks = asyncio.run(scenario())
    assert (tables, ticks > 3) == (MOST_HERE // 2 + 1, True)


def test_the_reason_of_a_refusal_comes_back_from_the_process() -> None:
    open_round = LARGE.with_result(1, 1, None)
    with pytest.raises(TournamentError, match="round 1 is not over"):
        asyncio.run(paired(open_round))

# SPDX-License-Identifier: Apache-2.0
"""Urgent tasks are woken first, a few per iteration, and none starves."""

from __future__ import annotations

import asyncio

from companion.host.hall.many_stations.scheduler import Scheduler
from companion.host.mailbox import Mailbox, Priority


async def _rounds(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def test_urgent_tasks_run_first_and_the_others_are_not_starved() -> None:
    async def order() -> tuple[list[int], list[str]]:
        turns, gone_on = Scheduler(), list[str]()

        async def table(name: str, inbox: Mailbox[str], wait_ms: int | None) -> None:
            gone_on.append(f"{name} {await inbox.take(wait_ms)}")

        slow = [Mailbox[str](turns) for _ in range(5)]
        busy = [Mailbox[str](turns) for _ in range(30)]
        calm = [Mailbox[str](turns) for _ in range(10)]
        tasks = [asyncio.create_task(table("slow", inbox, 0)) for inbox in slow]
        tasks += [asyncio.create_task(table("busy", inbox, None)) for inbox in busy]
        tasks += [asyncio.create_task(table("calm", inbox, None)) for inbox in calm]
        tasks.append(asyncio.create_task(table("gone", gone := Mailbox[str](turns), None)))
        await _rounds(1)
        gone.put("late")
        tasks.pop().cancel()
        for inbox in calm:
            inbox.put("saved", Priority.IN_TURN)
        for inbox in busy:
            inbox.put("moved")
        counts = []
        while len(gone_on) < len(tasks):
            before = len(gone_on)
            await _rounds(1)
            counts.append(len(gone_on) - before)
        return counts, gone_on

    counts, gone_on = asyncio.run(order())
    assert max(counts) <= 13
    assert gone_on[:12] == ["busy moved"] * 12
    assert gone_on.count("busy moved") == 30
    assert sorted(gone_on)[30:] == [*["calm saved"] * 10, *["slow None"] * 5]
    assert len({*gone_on[:26]}) > 1, "tasks without urgency must run, too"
    assert counts[-1] <= 4


def test_an_item_wakes_an_inbox_before_its_timeout() -> None:
    async def taken() -> tuple[str | None, str | None]:
        inbox = Mailbox[str](Scheduler())
        asyncio.get_running_loop().call_later(0.005, inbox.put, "moved")
        first = await inbox.take(1000)
        return first, await inbox.take(1)

    assert asyncio.run(taken()) == ("moved", None)

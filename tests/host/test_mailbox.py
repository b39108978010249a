# SPDX-License-Identifier: Apache-2.0
"""An inbox gives what came in its order, and ends a wait when something comes or time has passed."""

from __future__ import annotations

import asyncio

from companion.host.mailbox import Mailbox, Priority, Scheduler


async def _rounds(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def test_what_came_is_given_in_its_order() -> None:
    async def taken() -> list[int | None]:
        inbox = Mailbox[int]()
        asyncio.get_running_loop().call_soon(inbox.put, 1)
        first = await inbox.take(None)
        inbox.put(2)
        inbox.put(3)
        return [first, await inbox.take(0), *inbox.empty(), inbox.pop(), await inbox.take(1)]

    assert asyncio.run(taken()) == [1, 2, 3, None, None]


def test_what_is_in_no_haste_wakes_nobody_and_is_given_before_what_comes_after_it() -> None:
    async def taken() -> tuple[bool, int | None, int | None, int | None]:
        inbox = Mailbox[int]()
        waiting = asyncio.create_task(inbox.take(None))
        await _rounds(1)
        inbox.put(1, Priority.NONE)
        await _rounds(3)
        is_woken = waiting.done()
        inbox.put(2)
        return is_woken, await waiting, inbox.pop(), inbox.pop()

    assert asyncio.run(taken()) == (False, 1, 2, None)


def test_what_comes_after_a_wait_was_broken_off_waits_for_the_next() -> None:
    async def taken() -> int | None:
        inbox = Mailbox[int]()
        waiting = asyncio.create_task(inbox.take(None))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        inbox.put(1)
        return await inbox.take(0)

    assert asyncio.run(taken()) == 1


def test_those_in_haste_go_on_first_and_nobody_waits_for_ever() -> None:
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
    assert len({*gone_on[:26]}) > 1, "those in no haste go on as well"
    assert counts[-1] <= 4


def test_an_inbox_that_waits_for_its_turn_after_a_time_goes_on_sooner_if_something_comes() -> None:
    async def taken() -> tuple[str | None, str | None]:
        inbox = Mailbox[str](Scheduler())
        asyncio.get_running_loop().call_later(0.005, inbox.put, "moved")
        first = await inbox.take(1000)
        return first, await inbox.take(1)

    assert asyncio.run(taken()) == ("moved", None)

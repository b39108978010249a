# SPDX-License-Identifier: Apache-2.0
"""A mailbox keeps order, and ends a wait on arrival or after a timeout."""

from __future__ import annotations

import asyncio

from companion.host.mailbox import Mailbox, Priority


async def _rounds(number: int) -> None:
    for _ in range(number):
        await asyncio.sleep(0)


def test_items_are_delivered_in_order() -> None:
    async def taken() -> list[int | None]:
        inbox = Mailbox[int]()
        asyncio.get_running_loop().call_soon(inbox.put, 1)
        first = await inbox.take(None)
        inbox.put(2)
        inbox.put(3)
        return [first, await inbox.take(0), *inbox.empty(), inbox.pop(), await inbox.take(1)]

    assert asyncio.run(taken()) == [1, 2, 3, None, None]


def test_an_item_of_low_priority_wakes_no_waiter_and_keeps_its_place() -> None:
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


def test_an_item_after_a_cancelled_wait_is_delivered_to_the_next() -> None:
    async def taken() -> int | None:
        inbox = Mailbox[int]()
        waiting = asyncio.create_task(inbox.take(None))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        inbox.put(1)
        return await inbox.take(0)

    assert asyncio.run(taken()) == 1

# SPDX-License-Identifier: Apache-2.0
"""An inbox gives what came in its order, and ends a wait when something comes or time has passed."""

from __future__ import annotations

import asyncio

from companion.host.inbox import Inbox


def test_what_came_is_given_in_its_order() -> None:
    async def taken() -> list[int | None]:
        inbox = Inbox[int]()
        asyncio.get_running_loop().call_soon(inbox.put, 1)
        first = await inbox.take(None)
        inbox.put(2)
        inbox.put(3)
        return [first, await inbox.take(0), *inbox.empty(), inbox.pop(), await inbox.take(1)]

    assert asyncio.run(taken()) == [1, 2, 3, None, None]


def test_what_comes_after_a_wait_was_broken_off_waits_for_the_next() -> None:
    async def taken() -> int | None:
        inbox = Inbox[int]()
        waiting = asyncio.create_task(inbox.take(None))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.wait({waiting})
        inbox.put(1)
        return await inbox.take(0)

    assert asyncio.run(taken()) == 1

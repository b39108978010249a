# SPDX-License-Identifier: Apache-2.0
"""One state for many: all of it first, then what changes, and all of it again for who is slow."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any

from companion.host.hall import broadcast
from companion.host.hall.broadcast import Broadcast


class World:
    """A state that somebody changes."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts
        self.made = 0
        self.events: set[asyncio.Event] = set()
        self.broadcast = Broadcast(self.make, self.watch)

    def make(self) -> dict[str, Any]:
        self.made += 1
        return dict(self.parts)

    @contextlib.contextmanager
    def watch(self) -> Iterator[asyncio.Event]:
        event = asyncio.Event()
        self.events.add(event)
        try:
            yield event
        finally:
            self.events.discard(event)

    def change(self, **parts: Any) -> None:
        self.parts = {name: part for name, part in {**self.parts, **parts}.items() if part is not None}
        for event in self.events:
            event.set()


async def following(
    texts: AsyncIterator[str], until: dict[str, Any], since: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """What a page that shows *since* hears until it shows *until*."""
    shown = since or {}
    heard = []
    async with asyncio.timeout(10):
        while shown != until:
            said = json.loads(await anext(texts))
            heard.append(said)
            shown = said["all"] if "all" in said else {**shown, **said["changed"]}
            for name in said.get("gone", ()):
                del shown[name]
    return heard


def test_a_reader_gets_all_and_then_only_what_changes() -> None:
    async def reading() -> None:
        world = World(red=1, blue=1)
        async with contextlib.aclosing(world.broadcast.texts()) as texts:
            assert await following(texts, {"red": 1, "blue": 1}) == [{"all": {"red": 1, "blue": 1}}]
            world.change(red=2, blue=None, green=1)
            (said,) = await following(texts, {"red": 2, "green": 1}, {"red": 1, "blue": 1})
            assert said == {"changed": {"red": 2, "green": 1}, "gone": ["blue"]}
        assert not world.events, "nobody reads: nobody watches"

    asyncio.run(reading())


def test_however_many_read_a_state_is_looked_at_once() -> None:
    async def reading() -> None:
        world = World(red=1)
        async with contextlib.AsyncExitStack() as stack:
            readers = [
                await stack.enter_async_context(contextlib.aclosing(world.broadcast.texts()))
                for _ in range(50)
            ]
            for texts in readers:
                await following(texts, {"red": 1})
            before = world.made
            world.change(red=2)
            await asyncio.gather(*(following(texts, {"red": 2}) for texts in readers))
            assert world.made - before <= 2

    asyncio.run(reading())


def test_a_slow_reader_gets_all_again_and_keeps_nobody_waiting() -> None:
    async def reading() -> None:
        world = World(red=0)
        async with (
            contextlib.aclosing(world.broadcast.texts()) as slow,
            contextlib.aclosing(world.broadcast.texts()) as quick,
        ):
            await following(slow, {"red": 0})
            await following(quick, {"red": 0})
            for number in range(1, broadcast._MOST + 20):
                world.change(red=number)
                world.broadcast._tell_once()
                assert json.loads(await anext(quick)) == {"changed": {"red": number}, "gone": []}
            heard = await following(slow, {"red": broadcast._MOST + 19})
            assert "all" in heard[0]
            assert len(heard) <= broadcast._MOST

    asyncio.run(reading())

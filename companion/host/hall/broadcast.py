# SPDX-License-Identifier: Apache-2.0
"""One state for many who watch: whoever comes gets all of it, and from then on what has changed.

Its rule: a text is made once, however many read it; who reads slowly is not waited for, and gets all of it again instead.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, TypeAlias

Parts: TypeAlias = Mapping[str, Any]
"""A state in named parts, of which mostly few change at a time: values that JSON knows."""

GAP_S: Final = 0.04
"""Between two texts, at the least."""
PER_READER_S: Final = 0.0001
"""More for each who reads, so that sending never takes more than its share."""
_OFTEN_S: Final = 1.0
"""After which a state is looked at again although nobody said that it had changed: ages go on."""
_MOST: Final = 50
"""Texts that may wait for one reader."""


class Broadcast:
    """A state that is told to many."""

    def __init__(
        self, parts: Callable[[], Parts], watch: Callable[[], AbstractContextManager[asyncio.Event]]
    ) -> None:
        """*watch* gives an event that is set when *parts* may have changed."""
        self._parts = parts
        self._watch = watch
        self._told: dict[str, Any] = {}
        self._readers: set[asyncio.Queue[str | None]] = set()
        self._task: asyncio.Task[None] | None = None

    async def texts(self) -> AsyncGenerator[str, None]:
        """What one reader is to get, for ever: `{"all": PARTS}` first, then `{"changed": PARTS, "gone": [NAMES]}`."""
        queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._join(queue)
        try:
            yield self._whole()
            while True:
                text = await queue.get()
                if text is None:
                    text = self._whole()
                yield text
        finally:
            await self._leave(queue)

    def _join(self, queue: asyncio.Queue[str | None]) -> None:
        self._readers.add(queue)
        if self._task is None:
            self._told = dict(self._parts())
            self._task = asyncio.create_task(self._tell(), name="broadcast")

    async def _leave(self, queue: asyncio.Queue[str | None]) -> None:
        self._readers.discard(queue)
        if not self._readers and self._task is not None:
            task, self._task = self._task, None
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _whole(self) -> str:
        return _text({"all": self._told})

    async def _tell(self) -> None:
        """Tell what changes, as long as anybody reads."""
        with self._watch() as has_changed:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_OFTEN_S):
                        await has_changed.wait()
                has_changed.clear()
                self._tell_once()
                await asyncio.sleep(GAP_S + PER_READER_S * len(self._readers))

    def _tell_once(self) -> None:
        now = dict(self._parts())
        changed = {
            name: part for name, part in now.items() if name not in self._told or part != self._told[name]
        }
        gone = [name for name in self._told if name not in now]
        self._told = now
        if not changed and not gone:
            return
        text = _text({"changed": changed, "gone": gone})
        for queue in self._readers:
            if queue.qsize() < _MOST:
                queue.put_nowait(text)
            else:
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

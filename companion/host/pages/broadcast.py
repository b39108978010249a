# SPDX-License-Identifier: Apache-2.0
"""One state for many readers: a snapshot for each new one, then the changes.

Its rule: a message is made once for all readers. A slow reader is not waited for; it gets a new
snapshot later. The first message is `{"all": PARTS}`; the following are `{"changed": PARTS,
"patched": PATCHES, "gone": [NAMES]}`. A patch is what changes the part of that name, in one of two
forms: a `merge_patch`, or an `edit`.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, Protocol, TypeAlias

from companion.host.retry import USUAL, Intervals

Parts: TypeAlias = Mapping[str, Any]
"""A state in named parts, few of which change at a time, as JSON values."""

GAP_S: Final = 0.025
"""Smallest interval between two messages."""
PER_READER_S: Final = 0.000035
"""Added per reader, to limit the share of time for sending."""
Patch: TypeAlias = Callable[[str, Any, Any], Any]
"""From name, old and new value of a part: its patch; None sends it whole."""
_LOG: Final = logging.getLogger(__name__)
_JSON: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class Reader(Protocol):
    """Connection to one reader."""

    def put(self, packed: bytes, /) -> bool:
        """Send *packed*; false, without sending, if the reader does not keep up."""
        ...


class Broadcast:
    """A state sent to many readers."""

    def __init__(
        self,
        parts: Callable[[], Parts],
        watch: Callable[[], AbstractContextManager[asyncio.Event]],
        pack: Callable[[str], bytes],
        *,
        patch: Patch,
        gap_s: float = GAP_S,
        lag_s: float = 0,
        intervals: Intervals = USUAL,
    ) -> None:
        """*watch* yields an event for possible changes.

        *pack* frames a message for the readers. A change is sent after *lag_s*, with those that
        follow it by then, and at least *gap_s* after the last message.
        """
        self._parts = parts
        self._watch = watch
        self._pack = pack
        self._patch = patch
        self._gap_s, self._lag_s = gap_s, lag_s
        self._intervals = intervals
        self._sent: dict[str, Any] = {}
        self._readers: dict[Reader, bool] = {}
        """Readers; true for those that have missed a message."""
        self._task: asyncio.Task[None] | None = None

    @contextlib.asynccontextmanager
    async def to(self, reader: Reader) -> AsyncIterator[None]:
        """Send to *reader* inside the block."""
        if self._task is None:
            self._sent = dict(self._parts())
            self._task = asyncio.create_task(self._broadcast(), name="broadcast")
        self._readers[reader] = not reader.put(self._whole())
        try:
            yield
        finally:
            del self._readers[reader]
            if not self._readers:
                task, self._task = self._task, None
                task.cancel()
                await asyncio.wait({task})

    def _whole(self) -> bytes:
        return self._pack(_JSON.encode({"all": self._sent}))

    async def _broadcast(self) -> None:
        """Send changes as long as there are readers."""
        with self._watch() as has_changed:
            while True:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._intervals.broadcast_s):
                        await has_changed.wait()
                        await asyncio.sleep(self._lag_s)
                has_changed.clear()
                try:
                    self.send_changes()
                except Exception:  # noqa: BLE001  readers wait for the next message, and then miss nothing
                    _LOG.exception("error in this program: pages get this state later")
                    await asyncio.sleep(self._intervals.broadcast_s)
                await asyncio.sleep(self._gap_s + PER_READER_S * len(self._readers))

    def send_changes(self) -> None:
        """Send what has changed, and the whole state to those that have missed a message."""
        now = dict(self._parts())
        news = self._news(now)
        packed = self._pack(_JSON.encode(news)) if news is not None else b""
        self._sent = now
        before = dict(self._readers)
        if packed:
            self._readers.update(dict.fromkeys(before, True))  # until it is sent, each has missed it
        whole = self._whole() if any(before.values()) else b""
        for reader, has_missed in before.items():
            message = whole if has_missed else packed
            if message:
                self._readers[reader] = not reader.put(message)

    def _news(self, now: Parts) -> dict[str, Any] | None:
        """Return the difference between the last state and *now*; None if they are equal."""
        changed, patched = {}, {}
        for name, part in now.items():
            before = self._sent.get(name)
            if part is before or part == before:
                continue
            patch = None if before is None else self._patch(name, before, part)
            if patch is None:
                changed[name] = part
            else:
                patched[name] = patch
        gone = [name for name in self._sent if name not in now]
        return {"changed": changed, "patched": patched, "gone": gone} if changed or patched or gone else None


def merge_patch(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Return the JSON merge patch (RFC 7396) from *before* to *after*, objects without nulls."""
    found: dict[str, Any] = dict.fromkeys(before.keys() - after.keys())
    for name, value in after.items():
        old = before.get(name)
        if old is value or old == value:
            continue
        found[name] = merge_patch(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
    return found


def edit(before: Any, after: Any) -> Any:
    """Return what changes the JSON value *before* into *after*, with nulls and lists.

    For an object with the same keys: an object with the edits of those that have changed. For a
    list: `{"at": INDEX, "cut": COUNT, "put": ITEMS}`. For all else: the new value in a list.
    """
    if isinstance(before, dict) and isinstance(after, dict) and before.keys() == after.keys():
        pairs = ((name, before[name], value) for name, value in after.items())
        return {name: edit(old, value) for name, old, value in pairs if old is not value and old != value}
    if not (isinstance(before, list) and isinstance(after, list)):
        return [after]
    shorter = min(len(before), len(after))
    at = next((each for each in range(shorter) if before[each] != after[each]), shorter)
    end = next((each for each in range(shorter - at) if before[-1 - each] != after[-1 - each]), shorter - at)
    return {"at": at, "cut": len(before) - end - at, "put": after[at : len(after) - end]}

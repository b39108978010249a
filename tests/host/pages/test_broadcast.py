# SPDX-License-Identifier: Apache-2.0
"""One state for many readers: first all of it, then its changes.

A slow reader gets all of it again.
"""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.host.pages.broadcast import Broadcast, edit, merge_patch
from companion.host.retry import Intervals
from companion.host.tasks import Watchers
from tests.page_reader import edited


def patch_of_a_board(name: str, before: Any, part: Any) -> Any:
    """As in a hall."""
    return merge_patch(before, part) if name.startswith("board/") else None


class World:
    """A state that changes."""

    def __init__(self, **parts: Any) -> None:
        self.parts = parts
        self.made = 0
        self.packed = 0
        self.is_broken = False
        """If True, the next text cannot be made."""
        self.watchers = Watchers()
        self.broadcast = Broadcast(
            self.make,
            self.watchers.watch,
            self.pack,
            patch=patch_of_a_board,
            intervals=Intervals(broadcast_s=0.01),
        )

    def pack(self, text: str) -> bytes:
        self.packed += 1
        if self.is_broken:
            self.is_broken = False
            raise RuntimeError("for once")
        return text.encode()

    def make(self) -> dict[str, Any]:
        self.made += 1
        return dict(self.parts)

    def change(self, **parts: Any) -> None:
        self.parts = {name: part for name, part in {**self.parts, **parts}.items() if part is not None}
        self.watchers.notify()


class Reader:
    """A page: it assembles the state from messages."""

    def __init__(self) -> None:
        self.is_slow = False
        self.heard: list[dict[str, Any]] = []
        self.shown: dict[str, Any] = {}
        self._has_heard = asyncio.Event()

    def put(self, packed: bytes) -> bool:
        if self.is_slow:
            return False
        said = json.loads(packed)
        self.heard.append(said)
        if "all" in said:
            self.shown = said["all"]
        else:
            self.shown |= said["changed"]
            for name, change in said["patched"].items():
                self.shown[name] = patched(self.shown[name], change)
            for name in said["gone"]:
                del self.shown[name]
        self._has_heard.set()
        return True

    async def until(self, shown: dict[str, Any]) -> None:
        async with asyncio.timeout(60):
            while self.shown != shown:
                self._has_heard.clear()
                await self._has_heard.wait()


def patched(value: Any, change: Any) -> Any:
    """Apply a patch as in RFC 7396."""
    if not isinstance(change, dict):
        return change
    made = dict(value) if isinstance(value, dict) else {}
    for key, item in change.items():
        if item is None:
            made.pop(key, None)
        else:
            made[key] = patched(made.get(key), item)
    return made


def test_a_reader_gets_the_whole_state_and_then_only_changes() -> None:
    async def reading() -> None:
        world, reader = World(red=1, blue=1), Reader()
        async with world.broadcast.to(reader):
            assert reader.heard == [{"all": {"red": 1, "blue": 1}}]
            await asyncio.sleep(0)  # lets the task begin to watch
            world.change(red=2)
            await reader.until({"red": 2, "blue": 1})
            world.change(blue=None, green=1)
            await reader.until({"red": 2, "green": 1})
            assert reader.heard[1:] == [
                {"changed": {"red": 2}, "patched": {}, "gone": []},
                {"changed": {"green": 1}, "patched": {}, "gone": ["blue"]},
            ]
        assert not world.watchers, "without readers, the state must not be watched"

    asyncio.run(reading())


def test_a_state_that_cannot_be_sent_is_sent_when_possible(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def reading() -> None:
        world, reader = World(red=1), Reader()
        async with world.broadcast.to(reader):
            await asyncio.sleep(0)
            world.is_broken = True
            world.change(red=2)
            await reader.until({"red": 2})

    asyncio.run(reading())
    assert [record.getMessage() for record in caplog.records] == [
        "error in this program: pages get this state later"
    ]
    caplog.clear()


class Breaking(Reader):
    """A reader whose line fails once."""

    is_broken = False

    def put(self, packed: bytes) -> bool:
        if self.is_broken:
            self.is_broken = False
            raise RuntimeError("for once")
        return super().put(packed)


def test_a_line_that_fails_costs_no_reader_a_change(caplog: pytest.LogCaptureFixture) -> None:
    async def reading() -> None:
        world, first, breaking, last = World(red=1), Reader(), Breaking(), Reader()
        async with world.broadcast.to(first), world.broadcast.to(breaking), world.broadcast.to(last):
            await asyncio.sleep(0)
            breaking.is_broken = True
            world.change(red=2)
            for reader in (first, breaking, last):
                await reader.until({"red": 2})
            world.change(blue=1)
            for reader in (first, breaking, last):
                await reader.until({"red": 2, "blue": 1})

    asyncio.run(reading())
    assert len(caplog.records) == 1
    caplog.clear()


def test_only_the_changes_of_a_board_are_sent() -> None:
    async def reading() -> None:
        before = {
            "glance": {"ply": 1, "pieces": {"4": {"kind": "king"}, "8": {"kind": "pawn"}}, "move": "e4"}
        }
        after = {"glance": {"ply": 2, "pieces": {"4": {"kind": "king"}, "16": {"kind": "pawn"}}}}
        world, reader = World(**{"board/red": before}), Reader()
        async with world.broadcast.to(reader):
            await asyncio.sleep(0)
            world.change(**{"board/red": after})
            await reader.until({"board/red": after})
        pieces = {"8": None, "16": {"kind": "pawn"}}
        told = {"board/red": {"glance": {"ply": 2, "pieces": pieces, "move": None}}}
        assert reader.heard[1:] == [{"changed": {}, "patched": told, "gone": []}]

    asyncio.run(reading())


VALUES = st.recursive(
    st.integers() | st.text(max_size=3) | st.booleans() | st.lists(st.none() | st.integers(), max_size=3),
    lambda inner: st.dictionaries(st.text("abc", max_size=2), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text("abc", max_size=2), VALUES, max_size=5)


@given(OBJECTS, OBJECTS)
def test_a_patch_turns_the_old_state_into_the_new_one(before: dict[str, Any], after: dict[str, Any]) -> None:
    kept = copy.deepcopy((before, after))
    assert patched(before, merge_patch(before, after)) == after
    assert (before, after) == kept
    assert merge_patch(after, after) == {}


NULLABLE = st.recursive(
    st.none() | st.integers() | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=20,
)


@given(NULLABLE, NULLABLE)
def test_an_edit_turns_any_value_into_any_other(before: Any, after: Any) -> None:
    kept = copy.deepcopy((before, after))
    assert edited(before, json.loads(json.dumps(edit(before, after)))) == after
    assert (before, after) == kept


def test_an_edit_tells_only_what_has_changed() -> None:
    before = {"turn": 0, "over": None, "pieces": [{"cells": [4]}, {"cells": [8]}, {"cells": [9]}]}
    after = {"turn": 1, "over": None, "pieces": [{"cells": [4]}, {"cells": [9]}]}
    assert edit(before, after) == {"turn": [1], "pieces": {"at": 1, "cut": 1, "put": []}}
    assert edit({"of": before}, {"of": None}) == {"of": [None]}


def test_with_a_lag_what_follows_a_change_comes_in_the_same_message() -> None:
    async def reading() -> None:
        world, reader = World(red=1), Reader()
        world.broadcast = Broadcast(
            world.make, world.watchers.watch, world.pack, patch=patch_of_a_board, lag_s=0.2
        )
        async with world.broadcast.to(reader):
            await asyncio.sleep(0)
            for number in range(2, 9):
                world.change(red=number)
                await asyncio.sleep(0.001)
            await reader.until({"red": 8})
        assert [each["changed"] for each in reader.heard[1:]] == [{"red": 8}]

    asyncio.run(reading())


def test_a_state_is_made_and_packed_once_for_any_number_of_readers() -> None:
    async def reading() -> None:
        world = World(red=1)
        async with contextlib.AsyncExitStack() as stack:
            readers = [Reader() for _ in range(50)]
            for reader in readers:
                await stack.enter_async_context(world.broadcast.to(reader))
            await asyncio.sleep(0)
            before = world.made, world.packed
            world.change(red=2)
            await asyncio.gather(*(reader.until({"red": 2}) for reader in readers))
            assert world.made - before[0] <= 2
            assert world.packed - before[1] == 1

    asyncio.run(reading())


def test_a_slow_reader_gets_the_whole_state_again_and_delays_nobody() -> None:
    async def reading() -> None:
        world, slow, quick = World(red=0), Reader(), Reader()
        async with world.broadcast.to(slow), world.broadcast.to(quick):
            slow.is_slow = True
            for number in range(1, 20):
                world.change(red=number)
                world.broadcast.send_changes()
                assert quick.heard[-1]["changed"] == {"red": number}
            assert slow.shown == {"red": 0}
            slow.is_slow = False
            world.broadcast.send_changes()
            assert slow.heard[1:] == [{"all": {"red": 19}}]
            world.change(red=20)
            world.broadcast.send_changes()
            assert slow.heard[-1] == quick.heard[-1] == {"changed": {"red": 20}, "patched": {}, "gone": []}

    asyncio.run(reading())

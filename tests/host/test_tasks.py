# SPDX-License-Identifier: Apache-2.0
"""Tasks beside a table: one that fails is named, logged, and ends no other."""

from __future__ import annotations

import asyncio
import gc
import logging
import socket
from collections.abc import Awaitable

import pytest

from companion.host.tasks import Watchers, guarded, quiet_logger, running
from companion.model.errors import CompanionError, OpponentError
from companion.model.phrase import Phrase


async def _broken() -> None:
    raise ZeroDivisionError("what nobody expects")


async def _refused() -> None:
    raise OpponentError("there is no engine at {path}", path="/usr/games/fish")


def failing(work: Awaitable[None]) -> list[str]:
    """What is shown when *work* fails beside something that goes on."""
    said: list[str] = []

    async def play() -> None:
        has_failed, has_gone_on = asyncio.Event(), asyncio.Event()

        def show(message: str | CompanionError) -> None:
            said.append(str(message))
            has_failed.set()

        async def other() -> None:
            await has_failed.wait()
            has_gone_on.set()

        async with asyncio.timeout(60), asyncio.TaskGroup() as group:
            group.create_task(other())
            group.create_task(guarded(Phrase("the coach"), work, show))
            await has_gone_on.wait()

    asyncio.run(play())
    return said


def test_an_internal_error_is_logged_and_said_at_once_and_ends_no_other_task(
    caplog: pytest.LogCaptureFixture,
) -> None:
    (said,) = failing(_broken())
    assert said.startswith("error in this program: the coach has failed, and the game goes on without it")
    (record,) = caplog.records
    assert record.getMessage() == "error in this program: the coach"
    assert record.exc_info is not None
    assert isinstance(record.exc_info[1], ZeroDivisionError)
    caplog.clear()


def test_a_failure_of_the_outside_world_is_said_with_its_remedy_and_not_logged() -> None:
    assert failing(_refused()) == ["the coach: there is no engine at /usr/games/fish"]


def test_work_runs_inside_the_block_and_is_cancelled_after_it() -> None:
    async def scenario() -> None:
        has_begun, has_ended = asyncio.Event(), asyncio.Event()

        async def work() -> None:
            has_begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                has_ended.set()

        async with asyncio.timeout(60), running(work(), "work") as task:
            await has_begun.wait()
            assert not task.done()
        assert has_ended.is_set()
        assert task.cancelled()

    asyncio.run(scenario())


class _LostConnection(Exception):
    """As a client library reports it."""


def test_what_a_client_library_leaves_behind_is_not_logged_but_all_else_is(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def leave(loop: asyncio.AbstractEventLoop, fault: BaseException) -> None:
        loop.create_future().set_exception(fault)

    async def play() -> None:
        loop = asyncio.get_running_loop()
        reader, writer = socket.socketpair()
        number = reader.fileno()
        reader.close()
        writer.close()
        for _ in range(2):
            assert not quiet_logger(__name__, _LostConnection).isEnabledFor(logging.ERROR)
        loop.call_soon(loop.add_writer, number, lambda: None)
        await leave(loop, _LostConnection("unwanted"))
        await leave(loop, ZeroDivisionError("our own"))

    asyncio.run(play())
    gc.collect()
    logged = [str(record.exc_info[1]) for record in caplog.records if record.exc_info]
    assert logged == ["our own"]
    caplog.clear()


def test_a_change_wakes_all_that_watch_also_by_an_event_of_their_own() -> None:
    watchers, own = Watchers(), asyncio.Event()
    with watchers.watch() as first:
        with watchers.watch(own) as second:
            assert [*watchers] == [first, own]
            assert second is own
            watchers.notify()
        assert first.is_set()
        assert own.is_set()
        own.clear()
        watchers.notify()
    assert not own.is_set()
    assert not watchers

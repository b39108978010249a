# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio: until a signal stops them, or one fails."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import Any

from companion.model.errors import CompanionError


@contextlib.contextmanager
def stopping(task: asyncio.Task[Any]) -> Iterator[None]:
    """Cancel *task* on Ctrl-C and SIGTERM inside the block."""
    loop = asyncio.get_running_loop()
    if sys.platform == "win32":
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    for number in signals:
        loop.add_signal_handler(number, task.cancel)
    try:
        yield
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def until_stopped(tasks: list[asyncio.Task[None]]) -> None:
    """Run *tasks* until a signal, or until one fails."""
    waiting = asyncio.create_task(asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED), name="run")
    with stopping(waiting), contextlib.suppress(asyncio.CancelledError):
        await waiting
    for task in tasks:
        task.cancel()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    for fault in ended:
        if isinstance(fault, Exception):
            raise fault


def leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the one `CompanionError` in *group*; *group* itself if it holds anything else."""
    ours, others = group.split(CompanionError)
    if ours is None or others is not None:
        return group
    first: BaseException = ours
    while isinstance(first, BaseExceptionGroup):
        first = first.exceptions[0]
    return first

# SPDX-License-Identifier: Apache-2.0
"""Tasks of asyncio: until a signal or error, beside something else, or woken by changes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from typing import Any, Final, TypeAlias

from companion.model.errors import CompanionError
from companion.model.phrase import Phrase

Show: TypeAlias = Callable[[str | CompanionError], None]
"""Shows a message or an error to people, in their language."""

_LOG: Final = logging.getLogger(__name__)


class Watchers(list[asyncio.Event]):
    """Those who wait for changes of one thing, in the order in which they came."""

    @contextlib.contextmanager
    def watch(self, event: asyncio.Event | None = None) -> Iterator[asyncio.Event]:
        """Yield an event that is set on every change; the waiting side clears it.

        *event* is one that others set, too.
        """
        event = event or asyncio.Event()
        self.append(event)
        try:
            yield event
        finally:
            self.remove(event)

    def notify(self) -> None:
        """Set the event of each."""
        for event in self:
            event.set()


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


@contextlib.asynccontextmanager
async def running(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[asyncio.Task[None]]:
    """Do *work* in a task inside the block, and cancel it then; yield the task.

    An error of *work* is the caller's: the task has it.
    """
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def guarded(what: Phrase, work: Awaitable[None], show: Show) -> None:
    """Do *work*, named *what*, beside a table, which plays on if it fails.

    An internal error is logged; *show* gets a sentence about any error, at once.
    """
    try:
        await work
    except CompanionError as fault:
        show(Phrase("{what}: {reason}", what=what, reason=fault))
    except Exception:  # noqa: BLE001  the table and its other helpers do not end with this one
        _LOG.exception("error in this program: %s", what)
        show(
            Phrase(
                "error in this program: {what} has failed, and the game goes on without it. If it does not "
                "come back, start the program again",
                what=what,
            )
        )


def quiet_logger(name: str, *kinds: type[BaseException]) -> logging.Logger:
    """Return a logger for a client library, whose problems arrive as exceptions of *kinds*.

    Its user reports those. So the log of the running loop does not get what the library leaves
    behind when a connection is lost: errors of *kinds* that nobody waited for, and a socket that
    was closed before the loop watched it.
    """
    loop = asyncio.get_running_loop()
    handler = loop.get_exception_handler()
    if not isinstance(handler, _LeftBehind):
        handler = _LeftBehind(handler)
        loop.set_exception_handler(handler)
    handler.kinds.update(kinds)
    logger = logging.getLogger(f"{name}.client")
    logger.setLevel(logging.CRITICAL)
    return logger


_Handler: TypeAlias = Callable[[asyncio.AbstractEventLoop, dict[str, Any]], object]


class _LeftBehind:
    """Handler of a loop's errors, without those of client libraries."""

    def __init__(self, others: _Handler | None) -> None:
        """*others* gets all other errors; None for the loop's own handler."""
        self.kinds: set[type[BaseException]] = set()
        self._others = others

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception")
        is_late = "EventLoop.add_" in context["message"] and isinstance(fault, OSError | ValueError)
        if is_late or isinstance(fault, tuple(self.kinds)):
            _LOG.debug("%s: %s", context["message"], fault)
        elif self._others is not None:
            self._others(loop, context)
        else:
            loop.default_exception_handler(context)


def leaf(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """Return the first `CompanionError` in *group*; *group* itself if it holds anything else."""
    found = [*leaves(group)]
    return found[0] if all(isinstance(each, CompanionError) for each in found) else group


def leaves(group: BaseExceptionGroup[BaseException]) -> Iterator[BaseException]:
    """Yield the exceptions in *group* and in the groups inside it."""
    for each in group.exceptions:
        if isinstance(each, BaseExceptionGroup):
            yield from leaves(each)
        else:
            yield each

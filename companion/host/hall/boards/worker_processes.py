# SPDX-License-Identifier: Apache-2.0
"""More processes for a hall with more boards than one bears: each runs its share of them, and reports over a socket of its own.

Its rule: nobody but the two ends has that socket, so what comes is believed. A process whose hall is gone puts its games away
and ends; one that is gone itself is started again, and its boards go on where their journals end.
"""

from __future__ import annotations

import asyncio
import contextlib
import copyreg
import io
import multiprocessing
import pickle
import signal
import socket
import struct
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Any, Final, TypeAlias, cast

from companion.feedback.glance import Glance, SmallPiece
from companion.host import retry
from companion.host.gc_tuning import sweep_rarely
from companion.host.hall.boards.board_link import HallChannel, OpenWay
from companion.host.hall.boards.boards import Beside, Boards, LocalBoard, Say
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Kept
from companion.host.hall.core.wire import Down, Goodbye, Shown, Up
from companion.model.errors import HallUnreachable
from companion.model.phrase import Phrase

_GATHER_S: Final = 0.004
"""For which messages wait for others to go with: one packet for many costs a fraction."""
_PATIENCE_S: Final = 15.0
"""In which a process has put its games away."""
_HEAD: Final = struct.Struct("!I")
_CONTEXT: Final = multiprocessing.get_context("spawn")

_Message: TypeAlias = Up | Down | str
"""Text is for whoever started the hall."""
_Take: TypeAlias = Callable[[_Message], None]


def _reducing(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    """What tells `pickle` how to make a value of *kind*, a dataclass of two fields or more, once again."""
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


_REDUCING: Final = copyreg.dispatch_table | {
    kind: _reducing(kind) for kind in (Up, Shown, Glance, SmallPiece, Kept)
}
"""With what dataclasses say of themselves, these, of which a hall has thousands a second, take several times as long."""


def _packed(messages: Sequence[_Message]) -> bytes:
    """*messages* as `pickle` reads them."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCING
    pickler.dump(messages)
    return file.getvalue()


class _Line(asyncio.Protocol):
    """One end of the socket between a hall and a process of its boards: messages, in packets."""

    def __init__(self, take: _Take) -> None:
        self.has_ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.is_free = asyncio.Event()
        """Set while the other end keeps up."""
        self.is_free.set()
        self._take = take
        self._received = bytearray()
        self._waiting: list[_Message] = []
        self._transport: asyncio.Transport | None = None

    def put(self, message: _Message) -> None:
        """Send *message* with the next packet; what can be sent no more is lost."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(_GATHER_S, self._send)
        self._waiting.append(message)

    def close(self) -> None:
        """Send what waits, and no more."""
        self._send()
        if self._transport is not None:
            self._transport.close()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and self._transport is not None and not self._transport.is_closing():
            packet = _packed(waiting)
            self._transport.write(_HEAD.pack(len(packet)) + packet)

    # --- what asyncio calls ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is ready."""
        self._transport = cast(asyncio.Transport, transport)  # those of other loops are of no class of ours

    def data_received(self, data: bytes) -> None:
        """Take the messages of every packet that is whole."""
        self._received += data
        while len(self._received) >= _HEAD.size:
            end = _HEAD.size + _HEAD.unpack_from(self._received)[0]
            if len(self._received) < end:
                return
            messages = pickle.loads(self._received[_HEAD.size : end])  # our own process has written it
            del self._received[:end]
            for message in messages:
                self._take(message)

    def pause_writing(self) -> None:
        """The other end does not keep up."""
        self.is_free.clear()

    def resume_writing(self) -> None:
        """It does again."""
        self.is_free.set()

    def connection_lost(self, fault: Exception | None) -> None:
        """The other end has closed it, or is gone."""
        self.is_free.set()
        if not self.has_ended.done():
            self.has_ended.set_result(None)


async def _line(end: socket.socket, take: _Take) -> _Line:
    """The line over *end*, open."""
    end.setblocking(False)
    _, line = await asyncio.get_running_loop().create_connection(lambda: _Line(take), sock=end)
    return line


# --- the hall's side ---


@dataclass(frozen=True, slots=True)
class Job:
    """What a process is to do."""

    boards: tuple[LocalBoard, ...]
    http_address: str
    beside: Beside | None = None


def jobs(
    boards: Sequence[LocalBoard], number: int, http_address: str, beside: Beside | None = None
) -> list[Job]:
    """*boards* dealt out to *number* processes."""
    shares = [tuple(boards[share::number]) for share in range(number)]
    return [Job(share, http_address, beside) for share in shares if share]


async def oversee(job: Job, hall: Hall, say: Say) -> None:
    """Have a process do *job* for *hall*, another if it is gone, until cancelled."""
    for board in job.boards:
        hall.homes[board.name] = board.folder
    while True:
        async with _process(job) as (process, end):
            await _hear(end, hall, say)
        say(
            Phrase(
                "the process of {count} boards has ended ({code}); they go on in another",
                count=len(job.boards),
                code=process.exitcode,
            )
        )
        await asyncio.sleep(retry.AFTER_S)


async def _hear(end: socket.socket, hall: Hall, say: Say) -> None:
    """Bring *hall* what comes until the process is gone; then its boards are, too."""
    instances: dict[str, str] = {}

    def take(message: _Message) -> None:
        if isinstance(message, str):
            say(message)
        elif isinstance(message, Up):
            instances[message.board] = message.instance
            hall.take(message, line.put)

    line = await _line(end, take)
    try:
        await line.has_ended
    finally:
        line.close()
        for board, instance in instances.items():
            hall.take(Up(board, instance, Goodbye()), lambda _down: None)


@asynccontextmanager
async def _process(job: Job) -> AsyncIterator[tuple[multiprocessing.process.BaseProcess, socket.socket]]:
    """A process that does *job*, and our end of its line; it is let finish when that is closed."""
    ours, theirs = socket.socketpair()
    process = _CONTEXT.Process(target=work, args=(theirs, job), daemon=True)
    try:
        with theirs:
            await asyncio.to_thread(process.start)
        yield process, ours
    finally:
        ours.close()
        await asyncio.shield(asyncio.ensure_future(asyncio.to_thread(_let_end, process)))


def _let_end(process: multiprocessing.process.BaseProcess) -> None:
    process.join(_PATIENCE_S)
    if process.is_alive():
        process.kill()
        process.join()


# --- the process's side ---


def work(end: socket.socket, job: Job) -> None:
    """Do *job* and report over *end* until it is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the hall gets them as well, and closes the line
        signal.signal(number, signal.SIG_IGN)
    asyncio.run(_work(end, job))


async def _work(end: socket.socket, job: Job) -> None:
    """The tasks of the boards, as long as the hall is there."""
    ways: dict[str, asyncio.Queue[Down]] = {}

    def take(message: _Message) -> None:
        if isinstance(message, Down) and message.board in ways:
            ways[message.board].put_nowait(message)

    sweep_rarely()
    line = await _line(end, take)
    boards = Boards(line.put, job.beside)
    async with boards.serving(job.http_address):
        tasks = [asyncio.create_task(boards.run(board, _ways(line, ways))) for board in job.boards]
        await asyncio.wait([line.has_ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    line.close()


class _WorkerWay:
    """A board's way over its process's line."""

    def __init__(self, line: _Line, down: asyncio.Queue[Down]) -> None:
        self._line = line
        self._down = down

    async def send(self, message: Up) -> None:
        """Send *message*. Raises `HallUnreachable`."""
        await self._line.is_free.wait()
        if self._line.has_ended.done():
            raise HallUnreachable("the hall has ended")
        self._line.put(message)

    async def receive(self) -> Down:
        """The next message."""
        return await self._down.get()


def _ways(line: _Line, ways: dict[str, asyncio.Queue[Down]]) -> OpenWay:
    """How a board of this process opens its way."""

    @contextlib.asynccontextmanager
    async def open_way(goodbye: Up) -> AsyncIterator[HallChannel]:
        ways[goodbye.board] = asyncio.Queue()
        try:
            yield _WorkerWay(line, ways[goodbye.board])
        finally:
            line.put(goodbye)

    return open_way

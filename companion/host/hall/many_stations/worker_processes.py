# SPDX-License-Identifier: Apache-2.0
"""Worker processes for halls with many stations; each runs a share of them.

Its rule: a process reports over a private socket, so its messages are trusted. Without the hall it
closes its games and ends. If it dies, another one is started and resumes the games from their
journals.
"""

from __future__ import annotations

import asyncio
import contextlib
import copyreg
import io
import multiprocessing
import os
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
from companion.host.gc_tuning import sweep_rarely
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_sync import Kept
from companion.host.hall.core.wire import Down, Goodbye, Shown, Up
from companion.host.hall.many_stations.group_fsync import GroupFsync
from companion.host.hall.many_stations.scheduler import Scheduler
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.station_link import ChannelOpener, HallChannel
from companion.host.hall.stations.stations import Inform, Stations, StationTask
from companion.host.retry import USUAL, Intervals
from companion.model.errors import HallUnreachable
from companion.model.phrase import Phrase

TOGETHER: Final = 64
"""Stations that the hall's process can run beside its pages."""
_IN_ONE: Final = 48
"""Stations per process where there are enough processors; each process takes about 115 MB."""
_GATHER_S: Final = 0.004
"""Delay to collect messages into one packet, which costs a fraction."""
_PATIENCE_S: Final = 15.0
"""Time for a process to close its games."""
_HEAD: Final = struct.Struct("!I")
_CONTEXT: Final = multiprocessing.get_context("spawn")

_Message: TypeAlias = Up | Down | str
"""Text is for the user who started the hall."""
_Take: TypeAlias = Callable[[_Message], None]


def _reducing(kind: type[Any]) -> Callable[[Any], tuple[type[Any], tuple[Any, ...]]]:
    """Return a reducer for `pickle` for *kind*, a dataclass with at least two fields."""
    values = attrgetter(*(field.name for field in fields(kind)))
    return lambda value: (kind, values(value))


_REDUCING: Final = copyreg.dispatch_table | {
    kind: _reducing(kind) for kind in (Up, Shown, Glance, SmallPiece, Kept)
}
"""Reducers several times faster than the dataclasses' own, for frequent messages."""


def _packed(messages: Sequence[_Message]) -> bytes:
    """Pickle *messages*."""
    file = io.BytesIO()
    pickler = pickle.Pickler(file, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = _REDUCING
    pickler.dump(messages)
    return file.getvalue()


class _Line(asyncio.Protocol):
    """One end of the socket between hall and worker: packets of messages."""

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
        """Queue *message* for the next packet; it is lost if the socket is closed."""
        if not self._waiting:
            asyncio.get_running_loop().call_later(_GATHER_S, self._send)
        self._waiting.append(message)

    def close(self) -> None:
        """Send queued messages and close."""
        self._send()
        if self._transport is not None:
            self._transport.close()

    def _send(self) -> None:
        waiting, self._waiting = self._waiting, []
        if waiting and self._transport is not None and not self._transport.is_closing():
            packet = _packed(waiting)
            self._transport.write(_HEAD.pack(len(packet)) + packet)

    # --- asyncio.Protocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport."""
        self._transport = cast(asyncio.Transport, transport)  # of different classes in other event loops

    def data_received(self, data: bytes) -> None:
        """Process the messages of all complete packets."""
        self._received += data
        while len(self._received) >= _HEAD.size:
            end = _HEAD.size + _HEAD.unpack_from(self._received)[0]
            if len(self._received) < end:
                return
            messages = pickle.loads(self._received[_HEAD.size : end])  # written by our own process
            del self._received[:end]
            for message in messages:
                self._take(message)

    def pause_writing(self) -> None:
        """Note that the other end does not keep up."""
        self.is_free.clear()

    def resume_writing(self) -> None:
        """Note that the other end keeps up again."""
        self.is_free.set()

    def connection_lost(self, fault: Exception | None) -> None:
        """Note the end of the connection."""
        self.is_free.set()
        if not self.has_ended.done():
            self.has_ended.set_result(None)


async def _line(end: socket.socket, take: _Take) -> _Line:
    """Open the line over *end*."""
    end.setblocking(False)
    _, line = await asyncio.get_running_loop().create_connection(lambda: _Line(take), sock=end)
    return line


# --- in the hall ---


@dataclass(frozen=True, slots=True)
class Job:
    """Work of a process."""

    stations: tuple[LocalStation, ...]
    http_address: str
    station_task: StationTask | None = None


def processes_for(stations: int) -> int:
    """Return the processes for *stations*: one for every `_IN_ONE`, at most one a processor."""
    return min(os.cpu_count() or 1, -(-stations // _IN_ONE))


def jobs(
    stations: Sequence[LocalStation], number: int, http_address: str, station_task: StationTask | None = None
) -> list[Job]:
    """Distribute *stations* to *number* processes."""
    shares = [tuple(stations[share::number]) for share in range(number)]
    return [Job(share, http_address, station_task) for share in shares if share]


async def oversee(job: Job, hall: Hall, inform: Inform, intervals: Intervals = USUAL) -> None:
    """Run *job* in a process, restarted if it dies, until cancelled."""
    for station in job.stations:
        hall.house(station.name, station.folder)
    while True:
        async with _process(job) as (process, end):
            await _receive(end, hall, inform)
        inform(
            Phrase(
                "the process of {count} boards has ended ({code}); they go on in another",
                count=len(job.stations),
                code=process.exitcode,
            )
        )
        await asyncio.sleep(intervals.retry_s)


async def _receive(end: socket.socket, hall: Hall, inform: Inform) -> None:
    """Pass messages to *hall* until the process ends; its stations are then gone."""
    instances: dict[str, str] = {}

    def take(message: _Message) -> None:
        if isinstance(message, str):
            inform(message)
        elif isinstance(message, Up):
            instances[message.board] = message.instance
            hall.take(message, line.put)

    line = await _line(end, take)
    try:
        await line.has_ended
    finally:
        line.close()
        for station, instance in instances.items():
            hall.take(Up(station, instance, Goodbye()), lambda _down: None)


@asynccontextmanager
async def _process(job: Job) -> AsyncIterator[tuple[multiprocessing.process.BaseProcess, socket.socket]]:
    """Start a process for *job* and yield our end of its socket."""
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


# --- in the worker ---


def work(end: socket.socket, job: Job) -> None:
    """Run *job* and report over *end* until that is closed."""
    for number in (signal.SIGINT, signal.SIGTERM):  # the hall handles them, and closes the socket
        signal.signal(number, signal.SIG_IGN)
    asyncio.run(_work(end, job))


async def _work(end: socket.socket, job: Job) -> None:
    """Run the stations as long as the hall exists."""
    queues: dict[str, asyncio.Queue[Down]] = {}

    def take(message: _Message) -> None:
        if isinstance(message, Down) and message.board in queues:
            queues[message.board].put_nowait(message)

    sweep_rarely()
    line = await _line(end, take)
    stations = Stations(line.put, job.station_task, fsync=GroupFsync().keep, turns=Scheduler())
    async with stations.serving(job.http_address):
        tasks = [
            asyncio.create_task(stations.run(station, _channel_opener(line, queues)))
            for station in job.stations
        ]
        await asyncio.wait([line.has_ended, *tasks], return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    line.close()


class _WorkerChannel:
    """Channel of a station over its process's socket."""

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
        """Return the next message."""
        return await self._down.get()


def _channel_opener(line: _Line, queues: dict[str, asyncio.Queue[Down]]) -> ChannelOpener:
    """Return the opener of channels for stations of this process."""

    @contextlib.asynccontextmanager
    async def open_channel(goodbye: Up) -> AsyncIterator[HallChannel]:
        queues[goodbye.board] = asyncio.Queue()
        try:
            yield _WorkerChannel(line, queues[goodbye.board])
        finally:
            line.put(goodbye)

    return open_channel

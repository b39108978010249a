# SPDX-License-Identifier: Apache-2.0
"""Link of a table to its hall: a task that reports and receives orders.

Its rule: the table plays and records whether or not the hall can be reached, and never waits for
it.
"""

from __future__ import annotations

import asyncio
import functools
import logging
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from companion.feedback import glance
from companion.feedback.wordfiles import languages
from companion.feedback.words import Words
from companion.host.clock import Clock
from companion.host.hall.core.station_states import Hello
from companion.host.hall.core.wire import Down, Order, Up
from companion.host.hall.stations.station_reporter import HELLO_MS, StationReporter
from companion.host.journal import journal as journals
from companion.host.journal.journal import CommandEntry, JournalWriter
from companion.host.retry import USUAL, Intervals
from companion.host.table.link_status import LinkState
from companion.host.table.pipeline import Pipeline
from companion.host.table.table import Interest, Table
from companion.host.table.table_game import Begin, Moment
from companion.host.text.error_translation import translate
from companion.host.text.os_errors import why
from companion.model.errors import CompanionError, HallUnreachable, JournalError
from companion.model.phrase import Phrase
from companion.referee.values.view import TableView
from companion.sensing.problems import CameraProblem

_LOG = logging.getLogger(__name__)

_MOST_WAIT_S: Final = 10.0
"""Longest delay between attempts to reach the hall; it doubles up to this."""
OFFERED_S: Final = 7 * 24 * 3600
"""Age limit of journals offered to the hall: a tournament of several days."""
_MOST_OFFERED: Final = 100
"""Limit of earlier journals offered, newest first; more than a week's games."""
_SILENT_MS: Final = 4 * HELLO_MS
"""A hall answers every hello."""
_SILENT: Final = Phrase(
    "the hall does not answer: it does not run, or the key of this table is not that of the "
    "board; a new code from the arbiter and --join CODE give the right one"
)
_HARMLESS: Final = frozenset({CameraProblem.NOT_LOCKED, CameraProblem.UNSEEN})
"""Problems without an alarm: cameras that never lock, and an arm.

The table shows both.
"""


class HallChannel(Protocol):
    """An open channel to a hall."""

    async def send(self, message: Up) -> None:
        """Send *message*. Raises `HallUnreachable` if the channel has ended."""
        ...

    async def receive(self) -> Down:
        """Return the next message. Raises `HallUnreachable` if the channel has ended."""
        ...


ChannelOpener: TypeAlias = Callable[[Up], AbstractAsyncContextManager[HallChannel]]
"""Opens a channel; its argument is sent if the station falls silent. Raises `HallUnreachable`."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a station."""

    station: str
    """Permanent; letters, digits, `-` and `_`."""
    instance: str
    """New with every start of the program."""
    name: str


class StationLink:
    """Reports one table to its hall."""

    def __init__(
        self,
        table: Table,
        identity: Identity,
        open_channel: ChannelOpener,
        clock: Clock,
        done: Mapping[str, str] | None = None,
        *,
        is_near: bool = False,
        inform: Callable[[str], None] = lambda _text: None,
        intervals: Intervals = USUAL,
    ) -> None:
        """*done* are the executed orders in earlier journals, as found by `orders_in`.

        *is_near*: the hall is on this machine and reads the journals directly. *inform* gets the
        reason why the hall is unreachable or refuses the station, whenever it changes.
        """
        self._table = table
        self._open_channel = open_channel
        self._clock = clock
        self._identity = identity
        self._folder = table.current.journal.path.parent
        self.reporter = StationReporter(
            _hello(table, identity), None if is_near else self._read, done, intervals
        )
        self._writers = (table.current.journal, table.current.journal)
        """Journals of the previous game, whose last lines come late, and of the present one."""
        self._is_near = is_near
        self._offered: dict[str, int] = {}
        """Earlier journals offered to the hall, with their sizes."""
        self.fault = ""
        """Why the hall is unreachable; empty if it is not."""
        self._retry_s = intervals.retry_s
        self._inform = inform
        self._said = ""
        self._presented: tuple[object, ...] | None = None
        """Game and faults that were reported."""
        self._grown: tuple[JournalWriter, int] | None = None
        """Journal and size that were reported."""
        self._glanced: TableView | None = None
        """View that was reported."""
        self._to_begin: asyncio.Queue[Order] = asyncio.Queue()
        """Orders to start a game, which may take time and runs beside the reports."""
        self._begun: set[str] = set()
        """Such orders that were accepted; repetitions are ignored."""

    async def run(self) -> None:
        """Report until cancelled, reconnecting when necessary."""
        with self._table.watch(Interest.PLAY) as has_changed:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._begin(has_changed), name="games of the hall")
                await self._report(has_changed)

    async def _begin(self, has_changed: asyncio.Event) -> None:
        """Start the games that the hall orders."""
        while True:
            order = await self._to_begin.get()
            assert isinstance(order.command, Begin)
            try:
                await self._table.request_game(order.command, order.order, _moment(order))
            except CompanionError as fault:
                self.reporter.carried_out(order.order, str(fault))
            has_changed.set()

    async def _report(self, has_changed: asyncio.Event) -> None:
        """Report until cancelled, reconnecting when necessary."""
        wait_s = self._retry_s
        while True:
            try:
                async with self._open_channel(self.reporter.goodbye()) as channel:
                    self.fault, wait_s = "", self._retry_s
                    self.reporter.reconnect()
                    await self._offer_earlier()
                    await self._serve(channel, has_changed)
            except HallUnreachable as fault:
                raise_if_cancelled()
                self.fault = str(fault)
                self._announce(_alone(fault))
                _LOG.info("%s; again in %.1f s", fault, wait_s)
            await asyncio.sleep(wait_s)
            wait_s = min(2 * wait_s, _MOST_WAIT_S)

    async def _offer_earlier(self) -> None:
        """Offer the journals of earlier games, of this and other runs."""
        if self._is_near:
            return
        present, since_s = self._table.current.journal.path, time.time() - OFFERED_S
        found = await asyncio.to_thread(journals_in, self._folder, since_s, present, self._offered)
        self._offered |= found
        for journal, size in found.items():
            self.reporter.ended(journal, size)

    async def _serve(self, channel: HallChannel, has_changed: asyncio.Event) -> None:
        """Send reports and receive messages until the channel ends."""
        receiving = asyncio.create_task(self._receive(channel, has_changed), name="hall receiver")
        opened_ms = self._clock()
        try:
            while not receiving.done():
                has_changed.clear()
                self._look()
                for message in self.reporter.messages(self._clock()):
                    await channel.send(message)
                raise_if_cancelled()
                if self._clock() - max(opened_ms, self.reporter.received_ms or 0) > _SILENT_MS:
                    self._announce(_alone(_SILENT))
                wait_ms = self.reporter.next_deadline_ms() - self._clock()
                alarm = asyncio.get_running_loop().call_later(max(0, wait_ms) / 1000, has_changed.set)
                await has_changed.wait()
                alarm.cancel()
            await receiving
        finally:
            receiving.cancel()
            await asyncio.gather(receiving, return_exceptions=True)

    async def _receive(self, channel: HallChannel, has_changed: asyncio.Event) -> None:
        """Receive messages until the channel ends."""
        try:
            while True:
                order = self.reporter.receive(await channel.receive(), self._clock())
                raise_if_cancelled()
                self._announce(self.reporter.refusal or Phrase("the hall is there"))
                if order is not None:
                    wait_ms = self.reporter.due_ms(order, self._clock()) - self._clock()
                    obey = functools.partial(self._obey, order)  # also if the channel ends in between
                    asyncio.get_running_loop().call_later(wait_ms / 1000, obey)
                has_changed.set()
        finally:
            has_changed.set()

    def _obey(self, order: Order) -> None:
        """Execute *order* in its turn."""
        if isinstance(order.command, Begin):
            if order.order not in self._begun:
                self._begun.add(order.order)
                self._to_begin.put_nowait(order)
        elif all(self.reporter.has_done(each) for each in self._begun):
            self._table.ask(order.command, order.order, _moment(order))
        # else a game is being started, and the repeated order will apply to it

    def _announce(self, text: str) -> None:
        """Say *text* once, in the table's language."""
        if text != self._said:
            self._said = text
            self._inform(translate(text, self._table.pipeline.words.language))

    def _look(self) -> None:
        """Report the table's changes."""
        table_game, reporter = self._table.current, self.reporter
        pipeline = table_game.pipeline
        if (
            pipeline.is_kept and not pipeline.is_unsafe
        ):  # otherwise it stays open, since it may be lost with the process
            for order, fault in pipeline.orders.items():
                reporter.carried_out(order, fault)
            pipeline.orders.clear()
        if table_game.order and not reporter.has_done(table_game.order):
            reporter.carried_out(table_game.order)
        self._look_at_journals(table_game.journal)
        presented = table_game, pipeline.status, pipeline.camera, pipeline.is_kept
        if self._presented != presented:
            self._presented = presented
            wrong = trouble(pipeline)
            by_language = tuple((each.language, trouble(pipeline, each)) for each in self._others() if wrong)
            hello = _hello(self._table, self._identity)
            reporter.presents(replace(hello, trouble=wrong, troubles=by_language))
        if pipeline.view is not self._glanced:
            self._glanced = pipeline.view
            offset_ms = self._clock() - table_game.clock()
            reporter.shows(glance.render(pipeline.view, pipeline.words, offset_ms, self._others()))

    def _look_at_journals(self, present: JournalWriter) -> None:
        """Report the sizes of the *present* journal and the one before, which closes later."""
        if present is not self._writers[-1]:
            self._writers = self._writers[-1], present
        before = self._writers[0]
        if before is not present and before.safe_bytes:
            self.reporter.ended(before.path.name, before.safe_bytes)
        grown = present, present.safe_bytes
        if grown != self._grown and grown[1]:
            self._grown = grown
            self.reporter.grown(present.path.name, grown[1])

    def _others(self) -> Iterator[Words]:
        """Return the words of all languages, for arbiters and spectators."""
        yield from map(self._table.words, languages())

    def _read(self, journal: str, start: int, end: int) -> bytes:
        """Return bytes of a journal."""
        with (self._folder / journal).open("rb") as file:
            file.seek(start)
            return file.read(end - start)


def _moment(order: Order) -> Moment | None:
    """Return the moment for which *order* was given; None for any."""
    return Moment(order.journal, order.ply) if order.journal else None


def _alone(reason: str | CompanionError) -> Phrase:
    """What is said while the hall cannot be reached for *reason*."""
    return Phrase("{reason}; playing on without the hall", reason=reason)


def raise_if_cancelled() -> None:
    """Raise `CancelledError` if the present task was cancelled without noticing.

    Until Python 3.12, `asyncio.wait_for`, which channels may use, loses a cancellation that arrives
    together with its result.
    """
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


def _hello(table: Table, identity: Identity) -> Hello:
    """Return the hello of *table*."""
    rules = table.current.pipeline.session.rules
    return Hello(
        identity.station,
        identity.instance,
        identity.name,
        table.current.game.slug,
        tuple(rules.options.items()),
        journal=table.current.journal.path.name,
    )


def trouble(pipeline: Pipeline, words: Words | None = None) -> str:
    """Return the faults of panel, camera and disk in *words*; empty if none."""
    status, camera, common = pipeline.status, pipeline.camera, (words or pipeline.words).common
    sentences = [*pipeline.warnings(words or pipeline.words)]
    if status.state not in (LinkState.CONNECTED, LinkState.ABSENT):
        sentences.append(status.why(words or pipeline.words))
    if camera is not None and (not camera.is_well or camera.troubles - _HARMLESS):
        grave = replace(camera, troubles=camera.troubles - _HARMLESS)
        sentences += grave.sentences(common, pipeline.cell_names)
    return " · ".join(filter(None, sentences))


def orders_in(paths: Iterable[Path]) -> dict[str, str]:
    """Return the executed orders in the journals *paths*, with their faults.

    Damaged journals are skipped with a warning.
    """
    found: dict[str, str] = {}
    for path in paths:
        try:
            kept = journals.read(path)
        except JournalError as fault:
            _LOG.warning("%s", fault)
            continue
        entries = kept.entries
        found |= {kept.header.order: ""} if kept.header.order else {}
        found |= {
            entry.order: entry.fault for entry in entries if isinstance(entry, CommandEntry) and entry.order
        }
    return found


def journals_in(folder: Path, since_s: float, besides: Path, known: Mapping[str, int]) -> dict[str, int]:
    """Return the journals in *folder* written since *since_s*, with their synced sizes.

    At most the `_MOST_OFFERED` newest. Without the journal *besides*, those *known* with the same
    size, unreadable ones, and those without a complete line.
    """
    found: dict[str, int] = {}
    paths = (path for path in folder.glob(f"*{journals.SUFFIX}") if path != besides)
    for path in sorted(paths, reverse=True)[:_MOST_OFFERED]:
        try:
            about = path.stat()
            if about.st_mtime < since_s or about.st_size == known.get(path.name):
                continue
            with path.open("r+b") as file:
                os.fsync(file.fileno())  # the program that wrote it may have been killed
                content = file.read()
        except OSError as fault:
            _LOG.warning("%s cannot be offered to the hall: %s", path, why(fault))
            continue
        if size := content.rfind(b"\n") + 1:
            found[path.name] = size
    return dict(sorted(found.items()))

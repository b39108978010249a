# SPDX-License-Identifier: Apache-2.0
"""Runs a hall, or a table of a hall elsewhere: wires the parts of both.

Its rule: a failing station is reported and restarted, without effect on other stations, the book
and the pages.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from companion.host.clock import Clock, monotonic, wall
from companion.host.devices.camera import check_libraries
from companion.host.devices.panels import serial_ports
from companion.host.game_info import parse_timed_game
from companion.host.gc_tuning import sweep_rarely
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.journal_copies import copies_folder
from companion.host.hall.core.lock_check import stay_alone
from companion.host.hall.hotplug.devices import Devices
from companion.host.hall.hotplug.eboards import Names
from companion.host.hall.hotplug.hotplug import Hotplug
from companion.host.hall.hotplug.panels import Ports
from companion.host.hall.keys.joining import Admission
from companion.host.hall.keys.keyring import own_keys
from companion.host.hall.many_stations.group_fsync import GroupFsync
from companion.host.hall.many_stations.scheduler import Scheduler
from companion.host.hall.many_stations.worker_processes import TOGETHER, jobs, oversee, processes_for
from companion.host.hall.opening import HallStore, opened_as_soon_as_possible
from companion.host.hall.spectators.broadcast_pgn import Relay, relay
from companion.host.hall.stations.local_station import LocalStation
from companion.host.hall.stations.membership import HallMembership, key_of_table
from companion.host.hall.stations.mqtt import Broker, broker_at, channel_opener
from companion.host.hall.stations.station_channels import OPEN, attend, local_channel_opener
from companion.host.hall.stations.stations import Inform, Stations, StationTask, own_page, run_table
from companion.host.hall.web import WebLimits, serving_hall
from companion.host.journal.setup import GameSetup
from companion.host.play import eboard_search
from companion.host.play.start import LOOPBACK, PlayOptions
from companion.host.records.database import is_away
from companion.host.retry import USUAL, Intervals
from companion.host.table.table import Table
from companion.host.tasks import leaf, until_stopped
from companion.host.text.error_translation import translate
from companion.host.web import server as web
from companion.host.web.allowed_hosts import Listener
from companion.host.web.connections import PER_ADDRESS
from companion.model.errors import SettingsError, StoreError
from companion.model.phrase import Phrase

if TYPE_CHECKING:
    from companion.host.hall.hotplug.cameras import Look


class OtherHall(Protocol):
    """A match with another hall, station by station."""

    def announce(self) -> None:
        """Say how the other hall joins."""
        ...

    async def run(self) -> None:
        """Wait for the other hall until cancelled. Raises `SettingsError` if the port is taken."""
        ...

    async def play(self, name: str, table: Table) -> None:
        """Play the game of station *name* at *table*."""
        ...


@dataclass(frozen=True, slots=True)
class HallOptions:
    """Options of the command line."""

    stations: tuple[LocalStation, ...] = ()
    broker: str | None = None
    ca: str | None = None
    is_open: bool = False
    """True if anybody at the broker can act for tables on other machines."""
    store: str | None = None
    copies: Path | None = None
    http_address: str = LOOPBACK
    http_port: int = 8700
    per_address: int = PER_ADDRESS
    """Limit of connections per address to the pages, except arbiters'."""
    certificate: web.Certificate | None = None
    """For HTTPS."""
    relay: Relay | None = None
    """Destination of chess games for broadcasts."""
    panel_games: tuple[str, ...] = ()
    """Games for new panels: the first that fits; empty to ignore new panels.

    In the notation of `parse_game`.
    """
    camera_games: tuple[str, ...] = ()
    """The same for cameras."""
    usual: PlayOptions = field(default_factory=lambda: PlayOptions(GameSetup(""), browser=False))
    """Common options of plugged-in stations."""
    match: OtherHall | None = None
    """The match that the named stations play with another hall."""
    together: int = TOGETHER
    """Limit of stations in the hall's process; more are distributed to workers."""
    intervals: Intervals = USUAL


def run_hall(hall_options: HallOptions, inform: Inform) -> None:
    """Run the hall until Ctrl-C or SIGTERM;

    *inform* gets messages for its user.

    Raises `CompanionError`.
    """

    def notify(text: str) -> None:
        inform(translate(text, hall_options.usual.language))

    if hall_options.certificate is not None:
        hall_options.certificate.check()
    for text in (*hall_options.panel_games, *hall_options.camera_games):
        parse_timed_game(text, hall_options.usual.setup.control)
    broker = broker_at(hall_options.broker, hall_options.ca) if hall_options.broker else None
    clock = monotonic()
    admission = None
    if broker is not None and not hall_options.is_open:
        admission = Admission(broker.hall, own_keys(broker.hall), clock)
    with web.listen(hall_options.http_address, hall_options.http_port) as listener:
        if hall_options.certificate is None and not ip_address(listener.getsockname()[0]).is_loopback:
            notify(Phrase("Passwords cross the network in the clear: --certificate and --key make it https"))
        while not _run_with_store(hall_options, listener, broker, admission, clock, notify):
            pass


def _run_with_store(
    hall_options: HallOptions,
    listener: Listener,
    broker: Broker | None,
    admission: Admission | None,
    clock: Clock,
    inform: Inform,
) -> bool:
    """Run the hall until stopped; false if its store was lost.

    Raises `CompanionError`.
    """
    with contextlib.ExitStack() as stack:
        opening = opened_as_soon_as_possible(
            stack, hall_options.store, listener, hall_options.certificate, inform, hall_options.intervals
        )
        store = asyncio.run(opening)
        if store is None:
            return True
        if not store.has_arbiters:
            inform(Phrase("Nobody can act as arbiter yet: companion hall admit NAME"))
        copies = hall_options.copies or copies_folder()
        hall = Hall(store.keeper, copies, clock, wall, intervals=hall_options.intervals)
        if admission is not None:
            hall.admit_by(admission)
        try:
            asyncio.run(_run_hall(hall, store, hall_options, broker, listener.again(), inform))
        except StoreError as fault:
            if not is_away(hall_options.store, fault):
                raise
            return False
    return True


async def _run_hall(
    hall: Hall,
    store: HallStore,
    hall_options: HallOptions,
    broker: Broker | None,
    listener: Listener,
    inform: Inform,
) -> None:
    """Run the tasks of the hall until stopped."""
    async with contextlib.AsyncExitStack() as stack:
        serving = serving_hall(
            hall, store.access, listener, hall_options.certificate, WebLimits(hall_options.per_address)
        )
        address = await stack.enter_async_context(serving)
        inform(
            Phrase(
                "The hall is at {address} and the arbiter's desk at {address}arbiter  (Ctrl-C ends)",
                address=address,
            )
        )
        tasks = [asyncio.create_task(hall.run(), name="hall")]
        tasks.append(
            asyncio.create_task(stay_alone(hall, store.book_lock, hall_options.intervals), name="book")
        )
        if broker is not None:
            inform(
                Phrase(
                    "Boards of other machines join through {host}:{port}, hall {hall}",
                    host=broker.host,
                    port=broker.port,
                    hall=broker.hall,
                )
            )
            inform(
                OPEN
                if hall.admission is None
                else Phrase("A table joins with a code from the desk, or from: companion hall invite BOARD")
            )
            tasks.append(
                asyncio.create_task(
                    attend(hall, broker, hall.admission, hall_options.intervals), name="broker"
                )
            )
        match, station_task = hall_options.match, None
        if match is not None:
            if len(hall_options.stations) > hall_options.together:
                raise SettingsError("a match has {most} boards at most", most=hall_options.together)
            match.announce()
            station_task = match.play
            tasks.append(asyncio.create_task(match.run(), name="match"))
        tasks += await stack.enter_async_context(own_stations(hall, hall_options, inform, station_task))
        tasks += await stack.enter_async_context(
            plugged_stations(
                hall,
                hall_options,
                Devices(store.database),
                inform,
                names=eboard_search.EboardsAround(monotonic()),
            )
        )
        if hall_options.relay is not None:
            tasks.append(asyncio.create_task(relay(hall, hall_options.relay), name="relay"))
        await until_stopped(tasks)


@contextlib.asynccontextmanager
async def own_stations(
    hall: Hall, hall_options: HallOptions, inform: Inform, station_task: StationTask | None = None
) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Start the named stations, here or in worker processes; yield the tasks."""
    sweep_rarely()
    if len(hall_options.stations) > hall_options.together:
        shares = jobs(
            hall_options.stations, processes_for(len(hall_options.stations)), LOOPBACK, station_task
        )
        yield [
            asyncio.create_task(oversee(job, hall, inform, hall_options.intervals), name="overseer")
            for job in shares
        ]
        return
    stations = Stations(inform, station_task, fsync=GroupFsync().keep, turns=Scheduler())
    async with stations.serving(LOOPBACK):
        yield [
            asyncio.create_task(
                stations.run(station, local_channel_opener(hall, station.folder)),
                name=f"board {station.name}",
            )
            for station in hall_options.stations
        ]


@contextlib.asynccontextmanager
async def plugged_stations(
    hall: Hall,
    hall_options: HallOptions,
    devices: Devices,
    inform: Inform,
    ports: Ports = serial_ports,
    look: Look | None = None,
    names: Names | None = None,
) -> AsyncIterator[list[asyncio.Task[None]]]:
    """Start the polling for panels, eboards and cameras, if requested; yield its tasks.

    Raises `SettingsError`, `StoreError`, and `CameraUnavailable` if the libraries for cameras are
    missing.
    """
    if not hall_options.panel_games and not hall_options.camera_games:
        yield []
        return
    stations = Stations(inform, fsync=GroupFsync().keep, turns=Scheduler())
    appearing = Hotplug(hall, stations, devices, hall_options.usual, inform, hall_options.intervals)
    if hall_options.panel_games:
        appearing.look_for_panels(hall_options.panel_games, ports, monotonic())
        if names is not None:
            appearing.look_for_eboards(hall_options.panel_games, names)
    if hall_options.camera_games:
        check_libraries()
        from companion.host.devices.profiles import plugged_cameras

        appearing.look_for_cameras(hall_options.camera_games, look or plugged_cameras)
    async with stations.serving(LOOPBACK):
        yield [asyncio.create_task(appearing.run(), name="appearing boards")]


def run_station(station: LocalStation, to: HallMembership, inform: Inform) -> None:
    """Run a table of a hall elsewhere until Ctrl-C or SIGTERM. Raises `CompanionError`."""
    broker = broker_at(to.broker, to.ca)
    key = key_of_table(station, broker, to, inform)
    open_channel = channel_opener(broker, key, is_open=to.is_open)

    async def running() -> None:
        sweep_rarely()
        playing = run_table(station, open_channel, inform, own_page(station.play_options))
        await until_stopped([asyncio.create_task(playing, name="table")])

    try:
        asyncio.run(running())
    except BaseExceptionGroup as group:
        raise leaf(group) from None

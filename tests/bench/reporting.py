# SPDX-License-Identifier: Apache-2.0
"""Measure the cost of a station on another machine for its hall.

There are no tables here, only their messages: stations of chess, with two edges a second each,
report through a real Mosquitto to a hall in a process of its own, which copies their journals to
its disk and informs a spectator. Another process sends for all stations. An edge counts from the
time at which its station shows it to the arrival of the spectators' text.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import random
import sys
import tempfile
import time
from dataclasses import replace
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from companion import games
from companion.feedback import glance
from companion.feedback.words import load
from companion.host.clock import monotonic
from companion.host.gc_tuning import sweep_rarely
from companion.host.hall.books import BookKeeper
from companion.host.hall.core import wire
from companion.host.hall.core.hall import Hall
from companion.host.hall.core.station_states import Hello
from companion.host.hall.desk.access import Arbiters
from companion.host.hall.stations.mqtt import Broker, read_url
from companion.host.hall.stations.station_channels import attend
from companion.host.hall.stations.station_reporter import StationReporter
from companion.host.hall.web import serving_hall
from companion.host.records.database import connect
from companion.host.web import server
from companion.referee.session.session import Session
from tests.bench.hall import SETTLE_S, cpu_and_memory, watch_plies
from tests.bench.hall_hands import EDGE_S
from tests.bench.report import arguments, deliver, percentiles, say
from tests.brokers import mosquitto

LINE: Final = (
    b'{"is":"MoveMade","at_ms":1,"ply":1,"side":0,"move":"Nf3","stage":"announced","position":"%s"}\n'
    % (b"x" * 600)
)
"""The typical size of a move in the journal."""


class Station:
    """The messages of one station."""

    def __init__(self, number: int) -> None:
        rules = games.find("chess").rules()
        shown = glance.render(Session(rules).view(), load("en", "chess", rules.sides))
        self.name = f"board-{number}"
        self.journal = b""
        self.glance = replace(shown, phase="waiting", ply=0)
        self.reporter = StationReporter(
            Hello(self.name, "i", self.name, "chess"), lambda _, start, end: self.journal[start:end]
        )
        self.shown: list[tuple[str, int, float]] = []

    def edge(self, number: int) -> None:
        """Lift a piece, or put it down, which makes a move."""
        if number % 2:
            self.journal += LINE
            self.reporter.grown("game.jsonl", len(self.journal))
            self.glance = replace(
                self.glance, ply=self.glance.ply + 1, source=(12,), target=(28,), move="Nf3"
            )
            self.shown.append((self.name, self.glance.ply, time.monotonic()))
        else:
            self.glance = replace(self.glance, cries=("",) * (number % 4))
        self.reporter.shows(self.glance)


async def report(broker: Broker, number: int, pipe: Pipe) -> list[tuple[str, int, float]]:
    """Send the messages of *number* stations until *pipe* says stop; what they showed, and when."""
    stations = {station.name: station for station in map(Station, range(number))}
    clock, chance = monotonic(), random.Random(1)
    async with broker.client() as client, contextlib.AsyncExitStack() as stack:
        await client.subscribe(broker.topic("down", "+"))

        async def publish_all(station: Station) -> None:
            for message in station.reporter.messages(clock()):
                await client.publish(broker.topic("up", station.name), wire.write(message))

        async def play(station: Station) -> None:
            await asyncio.sleep(chance.random() * 2 * EDGE_S)
            edges = 0
            while True:
                station.edge(edges)
                edges += 1
                await publish_all(station)
                await asyncio.sleep(EDGE_S)

        async def receive_all() -> None:
            async for message in client.messages:
                down = wire.read_down(bytes(message.payload).decode())
                stations[down.board].reporter.receive(down, clock())
                await publish_all(stations[down.board])

        tasks = [
            asyncio.create_task(receive_all()),
            *(asyncio.create_task(play(station)) for station in stations.values()),
        ]
        stack.push_async_callback(_end, tasks)
        await asyncio.to_thread(pipe.recv)
    return [each for station in stations.values() for each in station.shown]


async def _end(tasks: list[asyncio.Task[None]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


def run_stations(url: str, number: int, pipe: Pipe) -> None:
    """The process of all stations."""
    pipe.send(asyncio.run(report(read_url(url), number, pipe)))


async def run_measured_hall(
    number: int, seconds: float, url: str, folder: Path, pipe: Pipe
) -> dict[str, Any]:
    """Run the hall until it has been measured."""
    db = connect(f"sqlite:///{folder}/hall.sqlite")
    hall = Hall(BookKeeper(db), folder / "copies", monotonic(), lambda: "2026-01-01T00:00:00+00:00")
    sweep_rarely()
    async with serving_hall(hall, Arbiters(db), server.listen("127.0.0.1", 0)) as address:
        tasks = [asyncio.create_task(hall.run()), asyncio.create_task(attend(hall, read_url(url)))]
        with hall.watch() as has_changed:
            while len(hall.spectators.glances.shown) < number:
                await has_changed.wait()
                has_changed.clear()
        pipe.send(address)
        await asyncio.sleep(SETTLE_S)
        before, began = cpu_and_memory(os.getpid()), time.monotonic()
        await asyncio.sleep(seconds)
        after, ended = cpu_and_memory(os.getpid()), time.monotonic()
        pipe.send("stop")
        await _end(tasks)
    db.close()
    cpu = 100 * (after[0] - before[0]) / (ended - began)
    copied = sum(path.stat().st_size for path in (folder / "copies").rglob("*.jsonl"))
    return {
        "cpu_percent": round(cpu, 1),
        "began": began,
        "ended": ended,
        "copied": copied,
        "memory_kb": after[1],
    }


def run_hall(number: int, seconds: float, url: str, pipe: Pipe) -> None:
    """The process of the hall."""
    with tempfile.TemporaryDirectory() as folder:
        pipe.send(asyncio.run(run_measured_hall(number, seconds, url, Path(folder), pipe)))


async def measure(number: int, seconds: float) -> dict[str, Any]:
    """One row of the result."""
    context = multiprocessing.get_context("spawn")
    halls, theirs = multiprocessing.Pipe()
    stations, others = multiprocessing.Pipe()
    with tempfile.TemporaryDirectory() as folder:
        async with mosquitto(Path(folder)) as broker:
            url = f"mqtt://127.0.0.1:{broker.port}/club"
            processes = [
                context.Process(target=run_hall, args=(number, seconds, url, theirs)),
                context.Process(target=run_stations, args=(url, number, others)),
            ]
            for process in processes:
                process.start()
            address = (await asyncio.to_thread(halls.recv)).replace("http", "ws") + "api/watch"
            seen = await watch_plies(address, halls)
            assert halls.recv() == "stop"
            report_of_hall = await asyncio.to_thread(halls.recv)
            stations.send("stop")
            shown = await asyncio.to_thread(stations.recv)
            for process in processes:
                process.join()
    latencies = [
        1000 * (seen[station, ply][0] - at)
        for station, ply, at in shown
        if report_of_hall["began"] <= at <= report_of_hall["ended"] - 1 and (station, ply) in seen
    ]
    return {
        "boards": number,
        "edge_to_page_ms": percentiles(latencies),
        "cpu_percent": report_of_hall["cpu_percent"],
        "cpu_percent_per_board": round(report_of_hall["cpu_percent"] / number, 3),
        "memory_mb": round(report_of_hall["memory_kb"] / 1024, 1),
        "moves": len(latencies),
        "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
    }


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    parser = arguments(
        __doc__,
        "python tests/bench/reporting.py --quick",
        "python tests/bench/reporting.py --boards 10 100",
    )
    parser.add_argument(
        "--boards", type=int, nargs="+", metavar="N", help="numbers of boards (default: 10 100 500)"
    )
    return parser


def main() -> None:
    """Measure halls to which many stations report."""
    words = parser().parse_args()
    found = []
    for number in words.boards or ([10, 50] if words.quick else [10, 100, 500]):
        found.append(asyncio.run(measure(number, 5.0 if words.quick else 20.0)))
        say(str(found[-1]))
    deliver({"boards": found}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""Measure the time from a switch to the lamps.

The real program runs in the simulator (an AVR at 16 MHz, a Pico at 48), the line at its true rate,
and the whole host (link, sensing, referee, journal, feedback) in processor time of this machine:
while the host computes, the chip continues. Other programs, the operating system and a USB adapter
are not included. Figures:

- edge_to_led_ms: from the switch to the first LED bit of the answer, split into chip_ms (4 ms of
  debouncing, scanning, packets), line_ms (bytes of both packets at 250 kBd) and host_ms (from the
  packet's last byte to the bytes for the lamps).
- disk_ms: syncing an announced move to the journal.
- short_contacts: see tests/bench/contacts.py.
- recovery_ms: from the end of a reset, or the return of a panel that was unplugged for two
  seconds, until the host knows all cells again.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from companion.feedback.words import load  # noqa: E402  (run as a script, from anywhere)
from companion.games import find, slugs  # noqa: E402
from companion.host.journal.journal import FORMAT, Entry, Header, JournalWriter  # noqa: E402
from companion.host.journal.setup import GameSetup  # noqa: E402
from companion.host.table.pipeline import Pipeline  # noqa: E402
from companion.link.connection import Connection  # noqa: E402
from companion.link.panel import load_panel  # noqa: E402
from companion.model.observation import Change, Observation  # noqa: E402
from companion.model.occupancy import cells_of  # noqa: E402
from companion.referee.session.session import Session  # noqa: E402
from companion.referee.values.events import MoveMade, Stage  # noqa: E402
from companion.referee.values.timing import DEFAULT_TIMING  # noqa: E402
from companion.referee.values.view import Phase  # noqa: E402
from tests.bench.contacts import short_contacts  # noqa: E402
from tests.bench.report import arguments, deliver, percentiles, say  # noqa: E402
from tests.firmware.boards import Board, board  # noqa: E402
from tests.firmware.pico import missing_tools  # noqa: E402
from tests.firmware.simulator import Kind, Simulator  # noqa: E402
from tests.host.tables import link_of  # noqa: E402

CASES: Final = {
    "64": ("8x8", "chess", {}),
    "256": ("16x16", "tank-chess", {"map": "basic-16"}),
    "400": ("20x20", "tank-chess", {"map": "companion-20"}),
    "64 pico": ("8x8-pico", "chess", {}),
    "400 pico": ("20x20-pico", "tank-chess", {"map": "companion-20"}),
}
"""By number of cells: the panel, the game and its options."""
FINE_MS: Final = 0.025
"""Time between checks of the link while an answer is measured: less than a byte."""
COARSE_MS: Final = 0.5
"""The same while nothing is measured."""
BYTE_MS: Final = 0.04
PROBE_SCAN_BEGIN, PROBE_SCAN_END = 1, 2
LAMP_MS: Final = 0.031
"""Time for a WS2812 lamp: 24 bits of 1.25 µs, and the chip's work."""


@dataclass
class Bench:
    """A board and its host; the chip's cycles are the clock of both."""

    sim: Simulator
    pipeline: Pipeline
    journal: JournalWriter
    chance: random.Random
    edges: Counter[int] = field(default_factory=Counter)
    """How often the host has received a change of each cell."""
    host_ms: list[float] = field(default_factory=list)
    disk_ms: list[float] = field(default_factory=list)
    received: int = 0
    """Number of bytes received from the board."""
    outbox: list[tuple[int, bytes]] = field(default_factory=list)
    """Bytes that the host has sent, with the cycle at which they enter the line."""
    sent: list[tuple[int, int]] = field(default_factory=list)
    """Cycle and number of bytes of everything sent."""

    def keep(self, entries: Iterable[Entry]) -> None:
        """Write to the journal, and count the edges among *entries*."""
        entries = list(entries)
        self.journal.write(entries)
        for entry in entries:
            if isinstance(entry, Observation):
                self.edges.update(change.cell for change in entry.inputs if isinstance(change, Change))

    @property
    def cycles_in_ms(self) -> int:
        """Cycles of the chip in a millisecond."""
        return self.sim.topology.clock_hz // 1000

    def run(self, ms: float, slice_ms: float = COARSE_MS) -> None:
        """Run chip and host for so many milliseconds."""
        until = self.sim.cycle + round(ms * self.cycles_in_ms)
        while self.sim.cycle < until:
            self.sim.run_ms(slice_ms)
            data = self.sim.take()
            self.received += len(data)
            self._compute(data)
            while self.outbox and self.outbox[0][0] <= self.sim.cycle:
                due, command = self.outbox.pop(0)
                self.sim.feed(command)
                self.sent.append((due, len(command)))

    def _compute(self, data: bytes) -> None:
        """Run the host, measured in processor time; its bytes leave when it has finished."""
        due_ms = self.pipeline.next_deadline_ms()
        start = time.process_time()
        if data:
            self.pipeline.receive(data, self.sim.now_ms)
        elif due_ms is not None and due_ms <= self.sim.now_ms:
            self.pipeline.tick(self.sim.now_ms)
        command = self.pipeline.bytes_to_send(self.sim.now_ms)
        spent_ms = (time.process_time() - start) * 1000
        if command:
            self.outbox.append((self.sim.cycle + round(spent_ms * self.cycles_in_ms), command))
            self.host_ms.append(spent_ms)
        if self.pipeline.is_unsafe:
            start = time.perf_counter()
            self.journal.sync()
            self.disk_ms.append((time.perf_counter() - start) * 1000)
            self.pipeline.made_safe(self.pipeline.unpublished)

    def until(self, holds: Callable[[], object], limit_ms: int, what: str) -> int:
        """Run until *holds* is true; the number of cycles."""
        start = self.sim.cycle
        while not holds():
            if self.sim.cycle - start > limit_ms * self.cycles_in_ms:
                raise RuntimeError(f"no {what} within {limit_ms} ms of the board's time")
            self.run(FINE_MS, FINE_MS)
        return self.sim.cycle - start

    def quiet(self, ms: float) -> None:
        """Wait until the link is idle, and then for *ms*."""
        connection = link_of(self.pipeline)
        self.until(lambda: connection.is_idle and not self.outbox, 3000, "silence")
        self.run(ms)


@dataclass(frozen=True, slots=True)
class Latency:
    """One edge with its answer, in ms."""

    total: float
    chip: float
    line: float
    host: float


def edge(bench: Bench, cell: int, is_closed: bool) -> Latency:
    """Change one switch and wait for the lamps to answer."""
    bench.quiet(20 + bench.chance.random() * 5)
    bench.sim.records()
    bench.host_ms.clear()
    bench.sent.clear()
    image = bench.pipeline.image
    start, received = bench.sim.cycle, bench.received
    bench.sim.cell(cell, is_closed)
    bench.until(lambda: bench.pipeline.image != image, 100, "answer of the host")
    packet, host = bench.received - received, bench.host_ms[0]
    bench.until(lambda: bench.sent, 100, "command on the line")
    begun, size = bench.sent[0]
    arrived = begun + round(size * BYTE_MS * bench.cycles_in_ms)
    records = list(bench.sim.records())

    def lit() -> list[int]:
        records.extend(bench.sim.records())
        return [
            record.cycle for record in records if record.kind is Kind.LED_FIRST and record.cycle >= arrived
        ]

    bench.until(lit, 100, "light")
    total, line = bench.sim.ms_at(lit()[0] - start), (packet + size) * BYTE_MS
    return Latency(total, total - line - host, line, host)


def set_up(bench: Bench) -> None:
    """Set up the game on the board."""
    bench.pipeline.reopen(bench.sim.now_ms)
    for cell in cells_of(bench.pipeline.view.placement.occupancy):
        bench.sim.cell(cell, True)
    bench.until(lambda: bench.pipeline.view.phase is Phase.WAITING, 20_000, "game")


def latencies(bench: Bench, count: int) -> dict[str, Any]:
    """Lift pieces of the side to move and put them back, measuring each edge."""
    view = bench.pipeline.view
    own = [cells[0] for piece, cells in view.placement.entries if piece.side == view.turn]
    samples: list[Latency] = []
    while len(samples) < count:
        cell = bench.chance.choice(own)
        for is_closed in (False, True):
            samples.append(edge(bench, cell, is_closed))
        bench.run(800)
    return {
        "edge_to_led_ms": percentiles([sample.total for sample in samples]),
        "chip_ms": percentiles([sample.chip for sample in samples]),
        "line_ms": percentiles([sample.line for sample in samples]),
        "host_ms": percentiles([sample.host for sample in samples]),
    }


def disk(bench: Bench, count: int) -> dict[str, float | None]:
    """Sync the journal as for an announced move."""
    samples = list(bench.disk_ms)
    made = MoveMade(
        0, 0, 0, "a1-a2", Stage.ANNOUNCED, "a position as long as most are, sixty letters and more of it"
    )
    while len(samples) < count:
        bench.journal.write([made])
        start = time.perf_counter()
        bench.journal.sync()
        samples.append((time.perf_counter() - start) * 1000)
    return percentiles(samples)


def scan_load(bench: Bench, ms: int) -> float:
    """Share of the chip's time that is spent scanning, in percent."""
    bench.quiet(0)
    bench.sim.records()
    begun, busy, start = 0, 0, bench.sim.cycle
    bench.run(ms)
    for record in bench.sim.records():
        if record.kind is Kind.PROBE and record.value == PROBE_SCAN_BEGIN:
            begun = record.cycle
        elif record.kind is Kind.PROBE and record.value == PROBE_SCAN_END and begun:
            busy += record.cycle - begun
    return round(100 * busy / (bench.sim.cycle - start), 2)


def empty_cells(bench: Bench) -> list[int]:
    """Cells on which nothing stands."""
    return [
        cell
        for cell in range(len(bench.pipeline.session.rules.grid))
        if not bench.pipeline.view.occupied >> cell & 1
    ]


def lamps_and_edges(bench: Bench, ms: int) -> dict[str, Any]:
    """Send lamp images at full speed while switches change.

    Returns images per second and the number of lost edges. Each contact lasts for the debouncing
    and two transmissions to the lamps: 16 ms for 64 lamps, 37 ms for 400. Hands are slower than
    that.
    """
    bench.quiet(0)
    empty, cells = empty_cells(bench), len(bench.pipeline.session.rules.grid)
    images, start, toggled = bench.sim.image_count(), bench.sim.cycle, Counter[int]()
    bench.edges.clear()
    shade = 0
    while bench.sim.ms_at(bench.sim.cycle - start) < ms:
        shade += 1
        bench.pipeline.connection.show(tuple((cell + shade) % 14 + 1 for cell in range(cells)))
        cell = bench.chance.choice(empty)
        if shade % 4 == 0:
            for is_closed in (True, False):
                bench.sim.cell(cell, is_closed)
                bench.run(12 + 2 * cells * LAMP_MS)
            toggled[cell] += 2
        bench.run(4)
    seconds = bench.sim.ms_at(bench.sim.cycle - start) / 1000
    shown = bench.sim.image_count() - images
    bench.quiet(50)
    return {"led_frames_per_s": round(shown / seconds, 1), "edges_lost": (toggled - bench.edges).total()}


def bytes_per_edge(bench: Bench, count: int) -> float:
    """Bytes in which the board reports a single edge."""
    sizes = []
    for _ in range(count):
        bench.quiet(10)
        bench.edges.clear()
        cell, received = bench.chance.choice(empty_cells(bench)), bench.received
        bench.sim.cell(cell, True)
        bench.until(lambda: bench.edges, 200, "edge")
        sizes.append(bench.received - received)
        bench.sim.cell(cell, False)
        bench.run(300)
    return round(sum(sizes) / len(sizes), 1)


def recovery(bench: Bench) -> dict[str, float]:
    """Milliseconds of the board's time until the host knows all cells again."""
    connection = link_of(bench.pipeline)
    found = {}
    for way in ("reset", "unplug"):
        bench.quiet(50)
        if way == "reset":
            bench.sim.reset()
        else:
            bench.sim.power_cycle()
            for cell in cells_of(bench.pipeline.view.occupied):
                bench.sim.cell(cell, True)
            bench.outbox.clear()
            bench.pipeline.reopen(bench.sim.now_ms)
        bench.run(FINE_MS)
        cycles = bench.until(lambda: not connection.is_up, 4000, "loss") if way == "reset" else 0
        cycles += bench.until(lambda: connection.is_up and connection.is_idle, 4000, "recovery")
        found[way] = round(bench.sim.ms_at(cycles), 1)
    return found


def measure(
    kind: Board, game: str, options: dict[str, str], seed: int, *, quick: bool, folder: Path
) -> dict[str, Any]:
    """The figures of one size."""
    rules = find(game).rules(options)
    header = Header(FORMAT, "benchmark", "", GameSetup(game, tuple(rules.options.items())), DEFAULT_TIMING)
    path = folder / f"{kind.panel.name}.jsonl"
    with JournalWriter.create(path, header) as journal, kind.powered() as sim:
        entries: list[Callable[[Iterable[Entry]], None]] = []
        pipeline = Pipeline(
            Session(rules), load("en", game, rules.sides), Connection(seed), lambda each: entries[0](each)
        )
        bench = Bench(sim, pipeline, journal, random.Random(seed))
        entries.append(bench.keep)
        set_up(bench)
        results = latencies(bench, 20 if quick else 400)
        results["disk_ms"] = disk(bench, 10 if quick else 200)
        results["scan_load_percent"] = scan_load(bench, 200)
        results["bytes_per_edge"] = bytes_per_edge(bench, 4 if quick else 20)
        results |= lamps_and_edges(bench, 1000 if quick else 5000)
        results["recovery_ms"] = recovery(bench)
    return {**results, "short_contacts": short_contacts(kind, seed, pairs=8 if quick else 30)}


def parser() -> argparse.ArgumentParser:
    """The command's arguments."""
    return arguments(__doc__, "python tests/bench/panel.py --quick")


def main() -> None:
    """Measure every size and print the report."""
    words = parser().parse_args()
    results: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for cells, (panel, game, options) in CASES.items():
            say(f"{cells} cells: {game} on {panel} ...")
            why = missing_tools() if load_panel(panel).chip == "rp2040" else ""
            if game in slugs() and not why:
                results[cells] = measure(
                    board(panel), game, options, words.seed, quick=words.quick, folder=Path(folder)
                )
            else:
                results[cells] = None
                results[f"{cells}_why"] = why or f"there is no game {game}"
    deliver({"cells": results}, words.seed, as_json=words.json)


if __name__ == "__main__":
    main()

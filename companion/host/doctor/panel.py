# SPDX-License-Identifier: Apache-2.0
"""Panel diagnosis: lost packets, late answers, slow columns, and restless switches.

Its rule: it measures and counts; `findings` judges and names remedies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from companion.host.devices.panel_session import PanelSession
from companion.link.connection import LinkCounters
from companion.link.handshake import faults_of, panel_name
from companion.link.panel import load_panel, panel_names
from companion.link.protocol_gen import (
    Columns,
    ColumnsReply,
    Fault,
    Health,
    HelloReply,
    Ping,
    Stats,
    StatsReply,
)
from companion.model.errors import PanelSilent
from companion.model.grid import Cell
from companion.model.occupancy import Occupancy
from companion.model.phrase import Phrase

PINGS: Final = 300
_SLOW_MS: Final = 10.0
"""A higher median means that a USB chip waits to fill its buffer.

A busy computer delays some answers, not most.
"""


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """Quality of the link."""

    pings: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    host: LinkCounters
    """Host counters during the pings."""
    panel: StatsReply
    """Panel counters since its start."""
    health: Health
    """Health flags of the panel."""
    logged: tuple[str, ...] = ()
    """Messages of the panel for people."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Result of an examination."""

    hello: HelloReply
    quality: LinkQuality
    closed: Occupancy = 0
    """Cells that are closed: pieces, or switches that stick."""
    columns: tuple[Column, ...] = ()
    """Columns of a matrix that were measured."""
    settle_us: int = 0
    """How long a scan of the matrix waits for a column."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of the switches' matrix."""

    cells: tuple[Cell, ...]
    rise_us: int


async def measure_columns(session: PanelSession) -> tuple[tuple[Column, ...], int]:
    """Return the columns that the panel has measured, and how long it waits for them.

    There are none if it has no matrix, or its firmware does not measure. Raises `PanelSilent`
    and `PortUnavailable`.
    """
    hello = session.connection.hello
    assert hello is not None
    reply = await session.ask(Columns()) if hello.minor >= 1 else None
    name = panel_name(hello)
    if not isinstance(reply, ColumnsReply) or name not in panel_names():
        return (), 0
    panel = load_panel(name)
    measured = (
        Column(panel.cells_of_column(index), rise_us)
        for index, rise_us in enumerate(reply.rise_us[: panel.sensor_columns])
        if rise_us
    )
    return tuple(measured), reply.settle_us


async def measure(session: PanelSession, pings: int = PINGS) -> LinkQuality:
    """Measure the link of a greeted *session*. Raises `PanelSilent` and `PortUnavailable`."""
    took_ms = []
    for number in range(pings):
        begun_ns = time.perf_counter_ns()
        await session.ask(Ping(number))
        took_ms.append((time.perf_counter_ns() - begun_ns) / 1e6)
    took_ms.sort()
    stats = await session.ask(Stats())
    if not isinstance(stats, StatsReply):
        raise PanelSilent("the panel on {port} does not report its counters", port=session.port.name)
    p50_ms, p99_ms = took_ms[len(took_ms) // 2], took_ms[len(took_ms) * 99 // 100]
    return LinkQuality(
        pings,
        p50_ms,
        p99_ms,
        took_ms[-1],
        session.connection.counters,
        stats,
        session.connection.health,
        tuple(session.logged),
    )


def findings(result: Diagnosis, name_of: Callable[[Cell], str]) -> tuple[Phrase, ...]:
    """Return the faults with their remedies, a sentence each."""
    return (
        *_link_findings(result.quality, result.hello),
        *_fault_findings(result.hello, result.quality.health),
        *column_findings(result.columns, result.settle_us, name_of),
        *_cell_findings(result.quality.panel, result.hello.cells, name_of),
    )


def _link_findings(quality: LinkQuality, hello: HelloReply) -> Iterator[Phrase]:
    """Return the faults of link and chip."""
    host, panel = quality.host, quality.panel
    yield from (Phrase("the panel reports: {text}", text=text) for text in dict.fromkeys(quality.logged))
    if host.bad_packets or panel.bad_packets:
        yield Phrase(
            "{here} packets from the panel were damaged and {there} to the panel:"
            " use a shorter or better shielded cable, and keep it away from the LEDs' supply",
            here=host.bad_packets,
            there=panel.bad_packets,
        )
    if host.repeats:
        yield Phrase(
            "{repeats} of {pings} commands had to be repeated", repeats=host.repeats, pings=quality.pings
        )
    if panel.rx_lost:
        yield Phrase(
            "the panel lost {count} bytes before it could read them: does its firmware fit its chip?",
            count=panel.rx_lost,
        )
    if quality.p50_ms > _SLOW_MS:
        yield Phrase(
            "answers take {p50_ms:.0f} ms: set the latency timer of the USB chip to 1 ms"
            " (Linux: /sys/bus/usb-serial/devices/*/latency_timer)",
            p50_ms=quality.p50_ms,
        )
    if panel.edges_lost:
        yield Phrase(
            "{count} changes of switches were lost while no program read them: harmless if no game was on",
            count=panel.edges_lost,
        )
    if panel.scan_max_us > hello.scan_period_us:
        yield Phrase(
            "a scan took {scan_us} µs and should take less than {period_us}:"
            " this panel needs a faster chip, or a longer scan period in its file",
            scan_us=panel.scan_max_us,
            period_us=hello.scan_period_us,
        )


def _fault_findings(hello: HelloReply, health: Health) -> Iterator[Phrase]:
    """Return what the panel found wrong with itself."""
    faults, panel = faults_of(hello), panel_name(hello)
    if faults is None:
        faults = Fault.COLUMN_SHORTED if Health.SELF_TEST in health else Fault(0)
    if faults & (Fault.COLUMN_SHORTED | Fault.ALL_CLOSED):
        yield Phrase(
            "its self-test failed at boot: a column reads closed with no row driven, or every switch does:"
            " look for a short between columns, and for a chip in the wrong way round"
        )
    if Fault.OTHER_PANEL in faults:
        yield Phrase(
            "this board had the program of another panel, and has that of {panel} now:"
            " write the one that its switches are wired for with `companion tools flash`",
            panel=panel,
        )
    if Fault.WIRING in faults:
        yield Phrase(
            "the wiring is not that of the panel {panel}: flash the program of this board, look for a chip"
            " that is missing, and put SER of the last 74HC165 to ground",
            panel=panel,
        )


def column_summary(columns: Sequence[Column], settle_us: int) -> Iterator[Phrase]:
    """Return the sentence about the slowest column; none if no column was measured."""
    if columns:
        yield Phrase(
            "Columns measured: {count}. The slowest rises in {slowest_us} µs; the panel waits {settle_us} µs.",
            count=len(columns),
            slowest_us=max(column.rise_us for column in columns),
            settle_us=settle_us,
        )


def column_findings(
    columns: Sequence[Column], settle_us: int, name_of: Callable[[Cell], str]
) -> Iterator[Phrase]:
    """Return the columns that rise too slowly for the panel, or nearly."""
    for column in columns:
        cells = " ".join(map(name_of, column.cells))
        if column.rise_us > settle_us:
            yield Phrase(
                "the wire of {cells} takes {rise_us} µs to rise, and the panel waits {settle_us} µs: a piece"
                " there shows on the next rank, too. Put 4.7 kΩ in the place of 10 kΩ, or shorten the wire",
                cells=cells,
                rise_us=column.rise_us,
                settle_us=settle_us,
            )
        elif 2 * column.rise_us > settle_us:
            yield Phrase(
                "the wire of {cells} takes {rise_us} µs to rise, more than half of the {settle_us} µs that the"
                " panel waits: put 4.7 kΩ in the place of 10 kΩ, or shorten the wire",
                cells=cells,
                rise_us=column.rise_us,
                settle_us=settle_us,
            )


def _cell_findings(panel: StatsReply, cells: int, name_of: Callable[[Cell], str]) -> Iterator[Phrase]:
    """Return the switch that the panel has found restless, if any."""
    if panel.chatter and panel.chatter_input < cells:
        yield Phrase(
            "{cell} did not come to rest {count} times since the start",
            cell=name_of(panel.chatter_input),
            count=panel.chatter,
        )

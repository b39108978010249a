# SPDX-License-Identifier: Apache-2.0
"""Panel diagnosis: lost packets, late answers, and stuck, dead or chattering switches.

Its rule: it measures and counts; `findings` judges and names remedies.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from companion.host.clock import Clock
from companion.host.devices.panel_session import PanelSession
from companion.link.connection import LinkCounters
from companion.link.handshake import faults_of, panel_name
from companion.link.panel import load_panel, panel_names
from companion.link.protocol_gen import (
    Colour,
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
from companion.model.phrase import Phrase
from companion.sensing.survey import Survey

PINGS: Final = 300
_SLOW_MS: Final = 10.0
"""A higher median means that a USB chip waits to fill its buffer.

A busy computer delays some answers, not most.
"""
_AMBER: Final = Colour(70, 30, 0, 0, 0, 0, 0, 0)
_DARK: Final = Colour(0, 0, 0, 0, 0, 0, 0, 0)


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
    counts: tuple[int, ...] = ()
    """Edges per cell; empty without a survey."""
    stuck: tuple[Cell, ...] = ()
    dead: tuple[Cell, ...] = ()
    """Dead, or not visited by the magnet."""
    chattering: tuple[Cell, ...] = ()
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


async def survey(session: PanelSession, clock: Clock, seconds: int, tell: Callable[[Survey], None]) -> Survey:
    """Count the edges of all switches while a person moves a magnet over the cells.

    Cells that have not closed yet are lit. Ends after *seconds*, or when every cell has closed and
    opened. *tell* gets the survey on every change. *session* has to be greeted. Raises
    `PortUnavailable`.
    """
    hello = session.connection.hello
    assert hello is not None
    found = Survey(hello.cells, session.connection.closed)
    until_ms = clock() + seconds * 1000
    session.connection.colour((_DARK, _AMBER))
    while clock() < until_ms:
        untouched = set(found.untouched)
        session.connection.show(tuple(int(cell in untouched) for cell in range(hello.cells)))
        session.connection.write(0, "Magnet over all")
        session.connection.write(1, f"{len(untouched)} to go")
        for event in await session.listen(until_ms):
            found.note(event)
        tell(found)
        if not found.untouched and not found.stuck and sum(found.counts) >= 2 * hello.cells:
            break
    session.connection.show(())
    session.connection.write(0, "")
    session.connection.write(1, "")
    await session.flush()
    return found


def diagnosis(
    hello: HelloReply,
    quality: LinkQuality,
    found: Survey | None,
    columns: tuple[Column, ...] = (),
    settle_us: int = 0,
) -> Diagnosis:
    """Combine the measurements; *found* is None without a survey."""
    result = Diagnosis(hello, quality, columns=columns, settle_us=settle_us)
    if found is None:
        return result
    return replace(
        result,
        counts=tuple(found.counts),
        stuck=found.stuck,
        dead=found.untouched,
        chattering=found.chattering,
    )


def findings(result: Diagnosis, name_of: Callable[[Cell], str]) -> tuple[Phrase, ...]:
    """Return the faults with their remedies, a sentence each."""
    return (
        *_link_findings(result.quality, result.hello),
        *_fault_findings(result.hello, result.quality.health),
        *column_findings(result.columns, result.settle_us, name_of),
        *_cell_findings(result, name_of),
    )


def _link_findings(quality: LinkQuality, hello: HelloReply) -> list[Phrase]:
    """Return the faults of link and chip."""
    host, panel = quality.host, quality.panel
    said = [Phrase("the panel reports: {text}", text=text) for text in dict.fromkeys(quality.logged)]
    if host.bad_packets or panel.bad_packets:
        said.append(
            Phrase(
                "{here} packets from the panel were damaged and {there} to the panel:"
                " use a shorter or better shielded cable, and keep it away from the LEDs' supply",
                here=host.bad_packets,
                there=panel.bad_packets,
            )
        )
    if host.repeats:
        said.append(
            Phrase(
                "{repeats} of {pings} commands had to be repeated", repeats=host.repeats, pings=quality.pings
            )
        )
    if panel.rx_lost:
        said.append(
            Phrase(
                "the panel lost {count} bytes before it could read them: does its firmware fit its chip?",
                count=panel.rx_lost,
            )
        )
    if quality.p50_ms > _SLOW_MS:
        said.append(
            Phrase(
                "answers take {p50_ms:.0f} ms: set the latency timer of the USB chip to 1 ms"
                " (Linux: /sys/bus/usb-serial/devices/*/latency_timer)",
                p50_ms=quality.p50_ms,
            )
        )
    if panel.edges_lost:
        said.append(
            Phrase(
                "{count} changes of switches were lost while no program read them: harmless if no game was on",
                count=panel.edges_lost,
            )
        )
    if panel.scan_max_us > hello.scan_period_us:
        said.append(
            Phrase(
                "a scan took {scan_us} µs and should take less than {period_us}:"
                " this panel needs a faster chip, or a longer scan period in its file",
                scan_us=panel.scan_max_us,
                period_us=hello.scan_period_us,
            )
        )
    return said


def _fault_findings(hello: HelloReply, health: Health) -> list[Phrase]:
    """Return what the panel found wrong with itself."""
    faults, panel = faults_of(hello), panel_name(hello)
    said = []
    if faults is None:
        faults = Fault.COLUMN_SHORTED if Health.SELF_TEST in health else Fault(0)
    if faults & (Fault.COLUMN_SHORTED | Fault.ALL_CLOSED):
        said.append(
            Phrase(
                "its self-test failed at boot: a column reads closed with no row driven, or every switch does:"
                " look for a short between columns, and for a chip in the wrong way round"
            )
        )
    if Fault.OTHER_PANEL in faults:
        said.append(
            Phrase(
                "this board had the program of another panel, and has that of {panel} now:"
                " write the one that its switches are wired for with `companion tools flash`",
                panel=panel,
            )
        )
    if Fault.WIRING in faults:
        said.append(
            Phrase(
                "the wiring is not that of the panel {panel}: flash the program of this board, look for a chip"
                " that is missing, and put SER of the last 74HC165 to ground",
                panel=panel,
            )
        )
    return said


def column_findings(
    columns: Sequence[Column], settle_us: int, name_of: Callable[[Cell], str]
) -> tuple[Phrase, ...]:
    """Return the columns that rise too slowly for the panel, or nearly."""
    said = []
    for column in columns:
        cells = " ".join(map(name_of, column.cells))
        if column.rise_us > settle_us:
            said.append(
                Phrase(
                    "the wire of {cells} takes {rise_us} µs to rise, and the panel waits {settle_us} µs: a piece"
                    " there shows on the next rank, too. Put 4.7 kΩ in the place of 10 kΩ, or shorten the wire",
                    cells=cells,
                    rise_us=column.rise_us,
                    settle_us=settle_us,
                )
            )
        elif 2 * column.rise_us > settle_us:
            said.append(
                Phrase(
                    "the wire of {cells} takes {rise_us} µs to rise, more than half of the {settle_us} µs that the"
                    " panel waits: put 4.7 kΩ in the place of 10 kΩ, or shorten the wire",
                    cells=cells,
                    rise_us=column.rise_us,
                    settle_us=settle_us,
                )
            )
    return tuple(said)


def _cell_findings(result: Diagnosis, name_of: Callable[[Cell], str]) -> list[Phrase]:
    """Return the faults of the switches."""
    panel = result.quality.panel

    def names(cells: Sequence[Cell]) -> str:
        return " ".join(map(name_of, cells))

    said = []
    if panel.chatter and panel.chatter_input < result.hello.cells:
        said.append(
            Phrase(
                "{cell} did not come to rest {count} times since the start",
                cell=name_of(panel.chatter_input),
                count=panel.chatter,
            )
        )
    if result.stuck:
        said.append(
            Phrase(
                "closed all the time: {cells} – a magnet left there, a short, or a reed that sticks:"
                " tap it, else replace it; until then: companion play --broken CELL",
                cells=names(result.stuck),
            )
        )
    if result.dead:
        said.append(
            Phrase(
                "never closed: {cells} – left out, or a broken reed, diode or joint;"
                " a whole row or column is a wire",
                cells=names(result.dead),
            )
        )
    if result.chattering:
        said.append(
            Phrase(
                "did not come to rest: {cells} – a loose joint, or a magnet at the reed's edge",
                cells=names(result.chattering),
            )
        )
    return said

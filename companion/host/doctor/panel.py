# SPDX-License-Identifier: Apache-2.0
"""What is wrong with a panel and its line: packets lost, answers late, switches stuck, dead or chattering.

Its rule: it measures and counts; what a finding means and what to do stands in `findings`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from companion.host.clock import Clock
from companion.host.devices.panel_session import Line
from companion.link.connection import LinkCounters
from companion.link.protocol_gen import Colour, Health, HelloReply, Ping, Stats, StatsReply
from companion.model.errors import PanelSilent
from companion.model.grid import Cell
from companion.sensing.survey import Survey

PINGS: Final = 300
_SLOW_MS: Final = 10.0
"""If most answers are later than this, a USB chip waits to fill its buffer; a busy computer makes some late, not most."""
_AMBER: Final = Colour(70, 30, 0, 0, 0, 0, 0, 0)
_DARK: Final = Colour(0, 0, 0, 0, 0, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class LinkQuality:
    """How good the line is."""

    pings: int
    p50_ms: float
    p99_ms: float
    worst_ms: float
    host: LinkCounters
    """Counted on this side, during the pings."""
    panel: StatsReply
    """Counted by the panel since it started."""
    health: Health
    """What the panel complains of."""
    logged: tuple[str, ...] = ()
    """What it has said for people."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """All that was found."""

    hello: HelloReply
    quality: LinkQuality
    counts: tuple[int, ...] = ()
    """Edges of each cell; empty if nobody went over them."""
    stuck: tuple[Cell, ...] = ()
    dead: tuple[Cell, ...] = ()
    """Dead, or left out."""
    chattering: tuple[Cell, ...] = ()


async def measure(line: Line, pings: int = PINGS) -> LinkQuality:
    """The quality of a greeted *line*. Raises `PanelSilent`, `PortUnavailable`."""
    took_ms = []
    for number in range(pings):
        begun_ns = time.perf_counter_ns()
        await line.ask(Ping(number))
        took_ms.append((time.perf_counter_ns() - begun_ns) / 1e6)
    took_ms.sort()
    stats = await line.ask(Stats())
    if not isinstance(stats, StatsReply):
        raise PanelSilent(f"the panel on {line.port.name} does not tell its counters")
    p50_ms, p99_ms = took_ms[len(took_ms) // 2], took_ms[len(took_ms) * 99 // 100]
    return LinkQuality(
        pings,
        p50_ms,
        p99_ms,
        took_ms[-1],
        line.connection.counters,
        stats,
        line.connection.health,
        tuple(line.logged),
    )


async def survey(line: Line, clock: Clock, seconds: int, tell: Callable[[Survey], None]) -> Survey:
    """What the switches did while somebody went over all cells; cells not yet seen to close are lit.

    Ends after *seconds*, or when every cell has closed and opened. *tell* gets the survey whenever it has changed.
    The panel must have been greeted on *line*. Raises `PortUnavailable`.
    """
    hello = line.connection.hello
    assert hello is not None
    found = Survey(hello.cells, line.connection.closed)
    until_ms = clock() + seconds * 1000
    line.connection.colour((_DARK, _AMBER))
    while clock() < until_ms:
        untouched = set(found.untouched)
        line.connection.show(tuple(int(cell in untouched) for cell in range(hello.cells)))
        line.connection.write(0, "Magnet over all")
        line.connection.write(1, f"{len(untouched)} to go")
        for event in await line.listen(until_ms):
            found.note(event)
        tell(found)
        if not found.untouched and not found.stuck and sum(found.counts) >= 2 * hello.cells:
            break
    line.connection.show(())
    line.connection.write(0, "")
    line.connection.write(1, "")
    await line.flush()
    return found


def diagnosis(hello: HelloReply, quality: LinkQuality, found: Survey | None) -> Diagnosis:
    """All findings together; *found* is None if nobody went over the cells."""
    if found is None:
        return Diagnosis(hello, quality)
    return Diagnosis(hello, quality, tuple(found.counts), found.stuck, found.untouched, found.chattering)


def findings(result: Diagnosis, name_of: Callable[[Cell], str]) -> tuple[str, ...]:
    """What is wrong and what to do about it, a sentence each; none if all is well."""
    return (*_link_findings(result.quality, result.hello), *_cell_findings(result, name_of))


def _link_findings(quality: LinkQuality, hello: HelloReply) -> list[str]:
    """What is wrong with the line or the chip."""
    host, panel = quality.host, quality.panel
    said = [f"the panel reports: {text}" for text in dict.fromkeys(quality.logged)]
    if host.bad_packets or panel.bad_packets:
        said.append(
            f"{host.bad_packets} packets were damaged on the way here and {panel.bad_packets} on the way there:"
            " use a shorter or better shielded cable, and keep it away from the LEDs' supply"
        )
    if host.repeats:
        said.append(f"{host.repeats} of {quality.pings} commands had to be said again")
    if panel.rx_lost:
        said.append(
            f"the panel lost {panel.rx_lost} bytes before it could read them: does its firmware fit its chip?"
        )
    if quality.p50_ms > _SLOW_MS:
        said.append(
            f"answers take {quality.p50_ms:.0f} ms: set the latency timer of the USB chip to 1 ms"
            " (Linux: /sys/bus/usb-serial/devices/*/latency_timer)"
        )
    if panel.edges_lost:
        said.append(
            f"{panel.edges_lost} edges were lost while nobody fetched them: harmless if no game was on"
        )
    if panel.scan_max_us > hello.scan_period_us:
        said.append(
            f"a scan took {panel.scan_max_us} µs and should take less than {hello.scan_period_us}:"
            " this panel wants a faster chip, or a longer scan period in its file"
        )
    return said


def _cell_findings(result: Diagnosis, name_of: Callable[[Cell], str]) -> list[str]:
    """What is wrong with the switches."""
    panel = result.quality.panel

    def names(cells: Sequence[Cell]) -> str:
        return " ".join(map(name_of, cells))

    said = []
    if Health.SELF_TEST in result.quality.health:
        said.append(
            "its self-test failed at boot: a column reads closed with no row driven, or every switch does:"
            " look for a short between columns, and for a chip in the wrong way round"
        )
    if panel.chatter and panel.chatter_input < result.hello.cells:
        said.append(
            f"{name_of(panel.chatter_input)} would not come to rest, {panel.chatter} times since the start"
        )
    if result.stuck:
        said.append(
            f"closed all the time: {names(result.stuck)} – a magnet left there, a short, or a reed that sticks:"
            " tap it, else replace it; until then: companion play --broken CELL"
        )
    if result.dead:
        said.append(
            f"never closed: {names(result.dead)} – left out, or a broken reed, diode or joint;"
            " a whole row or column is a wire"
        )
    if result.chattering:
        said.append(
            f"would not come to rest: {names(result.chattering)} – a loose joint, or a magnet at the reed's edge"
        )
    return said

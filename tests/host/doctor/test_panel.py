# SPDX-License-Identifier: Apache-2.0
"""Panels are identified by their hello; the doctor finds their faults."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TypeVar

import pytest

from companion.host.clock import monotonic
from companion.host.devices.panel_session import PanelSession, open_session
from companion.host.devices.panels import describe, find_panels
from companion.host.devices.ports import OnChunk, OnEnd, OpenPort, Port, VirtualPort
from companion.host.doctor.panel import (
    Column,
    Diagnosis,
    LinkQuality,
    findings,
    measure,
    measure_columns,
)
from companion.host.retry import USUAL
from companion.link.connection import LinkCounters
from companion.link.panel import load_panel
from companion.link.port import PortEnded
from companion.link.protocol_gen import Fault, Health, StatsReply, Status, Text, TextReply
from companion.model.errors import ForeignFirmware, PanelSilent, PortUnavailable
from companion.model.grid import rectangle
from companion.virtual.panel import VirtualPanel

T = TypeVar("T")
CLOCK = monotonic(10_000)
GRID = rectangle(4, 8)


def virtual(panel: VirtualPanel) -> OpenPort:
    """The port factory of *panel*."""

    async def opening(on_chunk: OnChunk, _on_end: OnEnd) -> Port:
        port = VirtualPort(panel, CLOCK, on_chunk)
        port.fetch()
        return port

    return opening


def made(name: str = "4x8", number: int = 1) -> VirtualPanel:
    return VirtualPanel(load_panel(name), unique_id=bytes((number,) * 8), session=1, now_ms=CLOCK())


def talk(
    panel: VirtualPanel, doing: Callable[[PanelSession], Awaitable[T]], boot_ms: int = USUAL.boot_ms
) -> T:
    """The result of *doing* with a connection to *panel*."""

    async def run() -> T:
        async with open_session(virtual(panel), CLOCK, boot_ms) as session:
            return await doing(session)

    return asyncio.run(run())


async def unplugged(_on_chunk: OnChunk, _on_end: OnEnd) -> Port:
    raise PortUnavailable("there is no port /dev/ttyUSB7", port="/dev/ttyUSB7")


def test_several_panels_are_distinguished_by_their_hello() -> None:
    small, large = made("4x8", 1), made("8x8", 2)

    async def run() -> None:
        found = await find_panels([("A", virtual(large)), ("B", unplugged), ("C", virtual(small))], CLOCK)
        assert [each.port for each in found] == ["A", "B", "C"]
        described = [each.hello and describe(each.hello) for each in found]
        assert described == [
            ("8x8", "64 cells, 8×8", "virtual", "1.1.0", "02" * 8),
            None,
            ("4x8", "32 cells, 4×8", "virtual", "1.1.0", "01" * 8),
        ]
        assert "ttyUSB7" in found[1].fault

    asyncio.run(run())


def test_foreign_firmware_is_named_with_its_remedy() -> None:
    panel = made()
    panel.device.fingerprint = 5
    with pytest.raises(ForeignFirmware, match=r"fingerprint 00000005.*flash the program"):
        talk(panel, PanelSession.greet)


def test_a_silent_port_has_no_panel() -> None:
    panel = made()
    panel.is_mute = True
    with pytest.raises(PanelSilent, match="no panel answers on virtual"):
        talk(panel, PanelSession.greet, boot_ms=0)


def test_the_end_of_the_port_ends_the_check() -> None:
    async def opening(_on_chunk: OnChunk, on_end: OnEnd) -> Port:
        on_end(PortEnded("/dev/ttyUSB0", "unplugged"))
        return VirtualPort(made(), CLOCK, lambda _chunk: None)

    async def run() -> None:
        async with open_session(opening, CLOCK) as session:
            await session.greet()

    with pytest.raises(PortUnavailable, match="ttyUSB0 is gone: unplugged"):
        asyncio.run(run())


def test_a_question_is_answered() -> None:
    async def asking(session: PanelSession) -> object:
        await session.greet()
        return await session.ask(Text(0, "hello"))

    assert talk(made(), asking) == TextReply(Status.OK)


def test_the_connection_is_measured() -> None:
    async def measuring(session: PanelSession) -> Diagnosis:
        return Diagnosis(await session.greet(), await measure(session, pings=20))

    result = talk(made(), measuring)
    assert result.quality.pings == 20
    assert 0 < result.quality.p50_ms <= result.quality.p99_ms <= result.quality.worst_ms
    assert result.quality.panel.packets >= 20
    quick = replace(result.quality, p50_ms=1.0, host=LinkCounters())  # whatever the load of the machine
    assert findings(replace(result, quality=quick), GRID.name) == ()


def test_the_doctor_reads_which_columns_the_panel_has_measured() -> None:
    panel = made()
    panel.device.rise_us[2] = 7

    async def asking(session: PanelSession) -> object:
        await session.greet()
        return await measure_columns(session)

    assert talk(panel, asking) == ((Column(tuple(range(2, 32, 4)), 7),), 10)


def test_firmware_that_does_not_report_faults_has_its_self_test_in_the_heartbeat() -> None:
    hello = replace(made().device.describe(0), minor=0, extra=())
    quality = LinkQuality(300, 1.0, 60.0, 200.0, LinkCounters(), STATS, Health.SELF_TEST)
    (said,) = findings(Diagnosis(hello, quality), GRID.name)
    assert "its self-test failed at boot" in said


STATS = StatsReply(Status.OK, *(0,) * 15)


def found(
    counters: LinkCounters,
    stats: StatsReply,
    p50_ms: float = 1.0,
    health: int = 0,
    faults: int = 0,
    rise_us: int = 1,
) -> tuple[str, ...]:
    """The findings on a panel with these figures."""
    quality = LinkQuality(300, p50_ms, 60.0, 200.0, counters, stats, Health(health))
    device = made().device
    device.faults = Fault(faults)
    columns = (Column((0, 4, 8), rise_us),)
    return findings(Diagnosis(device.describe(0), quality, columns=columns, settle_us=10), GRID.name)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (found(LinkCounters(bad_packets=3), STATS), "3 packets from the panel were damaged"),
        (found(LinkCounters(), replace(STATS, bad_packets=4)), "4 to the panel: use a shorter"),
        (found(LinkCounters(repeats=2), STATS), "2 of 300 commands had to be repeated"),
        (found(LinkCounters(), replace(STATS, rx_lost=9)), "lost 9 bytes"),
        (found(LinkCounters(), STATS, p50_ms=17.0), "answers take 17 ms: set the latency timer"),
        (
            found(LinkCounters(), replace(STATS, scan_max_us=1500)),
            "a scan took 1500 µs and should take less than 1000",
        ),
        (found(LinkCounters(), STATS, faults=Fault.COLUMN_SHORTED), "its self-test failed at boot"),
        (found(LinkCounters(), STATS, faults=Fault.OTHER_PANEL), "another panel, and has that of 4x8 now"),
        (found(LinkCounters(), STATS, faults=Fault.WIRING), "the wiring is not that of the panel 4x8"),
        (
            found(LinkCounters(), STATS, rise_us=12),
            "and the panel waits 10 µs: a piece there shows on the next rank, too",
        ),
        (found(LinkCounters(), STATS, rise_us=6), "a1 a2 a3 takes 6 µs to rise, more than half of the 10 µs"),
        (
            found(LinkCounters(), replace(STATS, chatter=3, chatter_input=4)),
            "a2 did not come to rest 3 times",
        ),
    ],
)
def test_each_fault_is_named_with_its_remedy(said: tuple[str, ...], expected: str) -> None:
    (sentence,) = said
    assert expected in sentence

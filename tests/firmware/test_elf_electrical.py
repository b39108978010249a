# SPDX-License-Identifier: Apache-2.0
"""Electrical faults of a panel that its real firmware recognises.

Slow columns, and programs flashed on the wiring of another board.
"""

from collections.abc import Callable
from dataclasses import replace

import pytest

from companion.link.protocol_gen import (
    Columns,
    ColumnsReply,
    ConfigSave,
    Fault,
    Health,
    Heartbeat,
    HelloReply,
    Log,
    Refusal,
    Status,
    Tag,
)
from tests.firmware.boards import board
from tests.firmware.simulator import Simulator
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
START_MS = 120
BEAT_MS = 1100
SPCR, SPSR = 0x4C, 0x4D
"""The SPI's control and status register, on both chips."""
DIRECT_ROWS = ("PD4", "PD5", "PD6", "PD7", "PB0", "PB3", "PB4", "PB5")

Report = Callable[[str, object], None]


def started(sim: Simulator) -> tuple[Talk, Fault]:
    """A panel after its start, and what it found wrong with itself."""
    talk = Talk(sim)
    talk.listen(START_MS)
    return talk, faults(talk.hello())


def faults(hello: HelloReply) -> Fault:
    (found,) = [each.data[0] for each in hello.extra if each.tag == Tag.FAULTS]
    return Fault(found)


def rises(talk: Talk) -> ColumnsReply:
    reply = talk.ask(Columns())
    assert isinstance(reply, ColumnsReply)
    return reply


def touch(talk: Talk, cell: int) -> None:
    for is_closed in (True, False):
        talk.board.cell(cell, is_closed)
        talk.listen(12)


@pytest.mark.parametrize("name", ["4x8", "8x8", pytest.param("20x20", marks=pytest.mark.long)])
def test_the_rise_time_of_each_column_is_measured_when_a_switch_closes(name: str) -> None:
    tested = board(name)
    column = tested.topology.column
    with tested.powered() as sim:
        talk, found = started(sim)
        assert (found, set(rises(talk).rise_us)) == (Fault(0), {0})
        sim.lengthen(2, extra_pf=round(column.rising_in(6).wire_pf) - column.wire_pf)
        for cell in range(tested.panel.files):
            touch(talk, cell)
        measured = rises(talk)
        assert measured.settle_us == tested.panel.settle_us
        for index, rise_us in enumerate(measured.rise_us):
            assert rise_us == pytest.approx(6 if index == 2 else column.rise_us(), abs=1.1)
        assert faults(talk.hello()) == Fault(0)


def test_a_column_that_shows_its_pieces_on_the_next_rank_too_is_reported() -> None:
    tested = board("8x8")
    column = tested.topology.column
    with tested.powered() as sim:
        talk, _ = started(sim)
        sim.lengthen(3, extra_pf=column.rising_in(15).wire_pf - column.wire_pf)
        touch(talk, 3)
        assert sorted({edge.input for edge in talk.edges()}) == [3, 11], "the shadow"
        assert rises(talk).rise_us[3] == pytest.approx(15, abs=1.1)
        assert faults(talk.hello()) == Fault.SLOW_COLUMN
        talk.listen(BEAT_MS)
        beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
        assert beats[-1].health & Health.SELF_TEST
        assert [log.text for log in talk.notices if isinstance(log, Log)] == ["a column rises too slowly"]


def test_a_column_that_never_rises_does_not_stop_the_panel() -> None:
    with board("8x8").powered() as sim:
        talk, _ = started(sim)
        sim.lengthen(0, extra_pf=1_000_000)
        touch(talk, 0)
        assert rises(talk).rise_us[0] == 40
        sim.records()
        touch(talk, 7)
        assert [(edge.input, edge.is_closed) for edge in talk.edges()[-2:]] == [(7, True), (7, False)]


def test_a_chain_has_no_columns_to_measure() -> None:
    with board("5x5").powered() as sim:
        talk, _ = started(sim)
        assert talk.ask(Columns()) == Refusal(ColumnsReply.TYPE, Status.UNSUPPORTED)


@pytest.mark.parametrize(
    ("program", "wiring"),
    [
        ("8x8", "16x16"),
        ("16x16", "8x8"),
        ("8x8", "5x5"),
        ("5x5", "8x8"),
        ("8x8", "4x8"),
        ("16x16", "4x8"),
        ("8x8", "wedges-3"),
        ("20x20-chain", "20x20"),
    ],
)
def test_a_program_on_the_wiring_of_another_board_reports_it(program: str, wiring: str) -> None:
    wrong = replace(board(wiring), elf=board(program).elf)
    with wrong.powered() as sim:
        _, found = started(sim)
        assert found & (Fault.WIRING | Fault.COLUMN_SHORTED)


@pytest.mark.parametrize(("name", "divider"), [("5x5", 8), ("20x20-chain", 8), ("8x8", 2), ("20x20", 2)])
def test_a_chain_is_clocked_at_two_megahertz(name: str, divider: int) -> None:
    with board(name).powered() as sim:
        started(sim)
        rate = sim.peek(SPCR)[0] & 3 | (sim.peek(SPSR)[0] & 1) << 2
        assert {4: 2, 5: 8}[rate] == divider, "of the clock: data sheet, table 19-5"


@pytest.mark.parametrize("name", ["4x8", "5x5", "8x8", "16x16", "20x20", "20x20-chain", "wedges-3"])
def test_a_program_on_its_own_wiring_finds_nothing_wrong(name: str) -> None:
    with board(name).powered() as sim:
        assert started(sim)[1] == Fault(0)


def test_a_program_with_rows_on_pins_drives_nothing_on_a_board_with_shift_registers() -> None:
    wrong = replace(board("8x8"), elf=board("4x8").elf)
    with wrong.powered() as sim:
        sim.pin("PB4", 0)  # QH of a 74HC165 that is clocked with its SER at ground
        _, found = started(sim)
        assert found == Fault.WIRING
        assert [sim.output(pin) for pin in DIRECT_ROWS] == [None] * 8


def test_a_program_that_was_flashed_for_another_board_reports_it_until_it_is_accepted() -> None:
    first, second = board("8x8"), board("wedges-3")
    with first.powered() as sim:
        started(sim)
        stored = sim.eeprom()[:48]
    with replace(first, elf=second.elf).powered() as sim:
        sim.write_eeprom(0, stored)
        talk, found = started(sim)
        assert found & Fault.OTHER_PANEL
        talk.ask(ConfigSave(), timeout_ms=500)
        assert not faults(talk.hello()) & Fault.OTHER_PANEL
        sim.power_cycle()
        assert not started(sim)[1] & Fault.OTHER_PANEL

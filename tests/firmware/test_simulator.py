# SPDX-License-Identifier: Apache-2.0
"""The simulator, measured with small programs of known behaviour.

Only then may it judge the firmware.
"""

import itertools
import os
import random
import select
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import serial

from tests.firmware.simulator import (
    BORF,
    EXTRF,
    IDEAL,
    PORF,
    WDRF,
    Faults,
    Kind,
    Simulator,
    Topology,
    pin_number,
    symbols,
)
from tests.firmware.simulator_library import require_tools, selftest_elf

pytestmark = pytest.mark.firmware
MCUS = ("atmega328p", "atmega2560")
BYTE_CYCLES = 640
"""Ten bits at 250 kBd and 16 MHz."""


def topology(mcu: str, **wiring: Any) -> Topology:
    return replace(Topology(mcu, range(64), columns=64, column_load="PC0"), **wiring)


def board(program: str, mcu: str = "atmega328p", **wiring: Any) -> Simulator:
    require_tools()
    return Simulator(selftest_elf(program, mcu), topology(mcu, **wiring))


@pytest.fixture(params=MCUS)
def mcu(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def ask(sim: Simulator, order: bytes, ms: float = 2) -> bytes:
    sim.take()
    sim.feed(order)
    sim.run_ms(ms)
    return sim.take()


def test_every_byte_fed_comes_back_in_order(mcu: str) -> None:
    data = bytes(random.Random(1).choices(range(3, 256), k=500))
    with board("echo", mcu) as sim:
        sim.run_ms(1)
        assert ask(sim, data, 25) == data
        assert sim.counts().rx_overruns == 0
        assert sim.counts().line_in == sim.counts().line_out == 500


def test_bytes_follow_each_other_at_ten_bits_of_the_true_rate() -> None:
    with board("echo") as sim:
        sim.run_ms(1)
        sim.feed(b"0123456789")
        sim.run_ms(2)
        stamps = [record.cycle for record in sim.records() if record.kind is Kind.LINE_OUT]
        gaps = {later - earlier for earlier, later in itertools.pairwise(stamps)}
        assert len(stamps) == 10
        assert all(abs(gap - BYTE_CYCLES) <= 4 for gap in gaps)


def test_the_receiver_keeps_three_bytes_and_loses_the_rest() -> None:
    # One millisecond without interrupts at 250 kBd is 25 bytes: two in the FIFO and the newest one survive.
    with board("echo") as sim:
        sim.run_ms(1)
        sim.feed(b"\x01")
        sim.run_ms(0.1)
        sim.feed(bytes(range(0x40, 0x54)))
        sim.run_ms(3)
        answer = sim.take()
        assert answer == b"\x01" + bytes((0x40, 0x41, 0x53))
        assert sim.counts().rx_overruns == 17
        assert ask(sim, b"\x02") == b"\x01", "DOR comes with the first byte after the gap"


def test_a_host_at_another_rate_is_not_understood() -> None:
    with board("echo", line_baud=115_200) as sim:
        sim.run_ms(1)
        assert b"hello" not in ask(sim, b"hello", 3)
        assert sim.counts().garbled > 0


def test_interrupt_figures_count_entry_and_return(mcu: str) -> None:
    with board("echo", mcu) as sim:
        sim.run_ms(1)
        ask(sim, b"abc")
        receiver = sim.vector(18 if mcu == "atmega328p" else 25)
        assert receiver.count == 3
        assert 30 < receiver.longest_cycles < 200
        assert receiver.latency_cycles < 40


def test_every_cell_of_a_chain_is_read_alone(mcu: str) -> None:
    with board("scan", mcu) as sim:
        sim.run_ms(1)
        for cell in range(64):
            sim.cell(cell, True)
            bits = int.from_bytes(ask(sim, b"C", 1), "little")
            assert bits == ~(1 << cell) & (1 << 64) - 1
            sim.cell(cell, False)
        assert sim.counts().spi_floating_ss == 0


def test_eight_bytes_over_spi_at_half_the_clock_take_their_true_time() -> None:
    with board("scan") as sim:
        sim.run_ms(1)
        ask(sim, b"C")
        probes = [record for record in sim.records() if record.kind is Kind.PROBE]
        scan = probes[1].cycle - probes[0].cycle
        assert 8 * 16 < scan < 8 * 16 + 8 * 20, "16 cycles a byte and a short loop, not 1600"


MATRIX: dict[str, Any] = {"rows": 8, "columns": 8, "row_latch": "PC1", "closed_level": 0}


def test_every_cell_of_a_595_and_165_matrix_is_read_alone(mcu: str) -> None:
    with board("scan", mcu, **MATRIX) as sim:
        sim.run_ms(1)
        for cell in range(64):
            sim.cell(cell, True)
            assert int.from_bytes(ask(sim, b"S", 1), "little") == ~(1 << cell) & (1 << 64) - 1
            sim.cell(cell, False)


def test_a_scan_that_does_not_wait_sees_a_closed_switch_on_the_next_row_too() -> None:
    closed = 0xFF & ~(1 << 5)
    with board("scan", **MATRIX, column=IDEAL.rising_in(2)) as sim:
        sim.run_ms(1)
        sim.cell(8 * 3 + 5, True)
        assert list(ask(sim, b"S")[3:5]) == [closed, 0xFF]
        assert list(ask(sim, b"F")[3:5]) == [closed, closed]


def test_a_matrix_on_pins_sees_all_sixteen_cells(mcu: str) -> None:
    pins: dict[str, Any] = {
        "row_pins": ("PD4", "PD5", "PD6", "PD7"),
        "column_pins": ("PC2", "PC3", "PC4", "PC5"),
        "row_active": 0,
    }
    with board("scan", mcu, positions=range(16), rows=4, columns=4, column_load="", **pins) as sim:
        sim.run_ms(1)
        for cell in range(16):
            sim.cell(cell, True)
            expected = bytearray([0x0F] * 4)
            expected[cell // 4] ^= 1 << cell % 4
            assert ask(sim, b"M") == bytes(expected)
            sim.cell(cell, False)


def test_hall_sensors_of_either_pole_are_read_through_a_multiplexer(mcu: str) -> None:
    mux: dict[str, Any] = {"mux_select": ("PD4", "PD5", "PD6", "PD7"), "column_load": ""}
    with board("scan", mcu, positions=range(16), columns=16, **mux) as sim:
        sim.run_ms(1)
        for cell in range(16):
            sim.cell(cell, True)
            assert int.from_bytes(ask(sim, b"H"), "little") == 1 << cell
            sim.cell(cell, False)


def test_led_images_are_decoded_with_their_waveform(mcu: str) -> None:
    picture = bytes(random.Random(2).choices(range(256), k=48))
    with board("show", mcu, led="PC2") as sim:
        sim.run_ms(1)
        assert ask(sim, b"L\x30" + picture, 5) == b"k"
        assert ask(sim, b"L\x03\xff\x00\x80", 5) == b"k"
        first, second = sim.images()
        assert first.data == picture
        assert second.data == b"\xff\x00\x80"
        assert first.begin_cycle < first.end_cycle < second.begin_cycle
        waveform = sim.waveform()
        assert waveform.bits == 8 * 51
        assert waveform.zero_high_max <= 8 < waveform.one_high_min
        assert waveform.low_max < 250 * 16


def test_the_tone_is_measured_and_its_end_noticed() -> None:
    with board("show", tone="PC3") as sim:
        sim.run_ms(1)
        sim.feed(b"T")
        sim.run_ms(30)
        assert sim.tone_hz() == pytest.approx(1000, rel=0.01)
        sim.feed(b"x")
        sim.run_ms(60)
        assert sim.tone_hz() == 0


def test_the_text_display_shows_what_was_sent_over_twi(mcu: str) -> None:
    with board("show", mcu, display_address=0x27) as sim:
        sim.run_ms(1)
        ask(sim, b"D", 300)
        assert sim.display() == ("CHECK!", "White to move")
        assert sim.counts().display_too_fast == 0


def test_a_byte_over_twi_takes_nine_bits_at_100_khz() -> None:
    # Waiting by itself is 117 ms; 100 writes of two bytes, start and stop at 10 us a bit add 20 ms.
    with board("show", display_address=0x27) as sim:
        sim.run_ms(1)
        assert ask(sim, b"D", 130) == b""
        sim.run_ms(10)
        assert sim.take() == b"k"


def test_the_watchdog_resets_and_the_cause_is_reported(mcu: str) -> None:
    with board("survive", mcu) as sim:
        sim.run_ms(1)
        first = sim.take()
        assert first[:2] == bytes((ord("B"), PORF))
        again = ask(sim, b"W", 100)
        assert again == bytes((ord("B"), WDRF, (first[2] + 1) & 0xFF)), "SRAM outlives a watchdog reset"
        causes = [record.value for record in sim.records() if record.kind is Kind.RESET]
        assert causes == [PORF, WDRF]


def test_a_running_watchdog_takes_a_shorter_time_at_once(mcu: str) -> None:
    with board("survive", mcu) as sim:
        sim.run_ms(1)
        assert ask(sim, b"V", 14) == b""
        sim.run_ms(4)
        assert sim.take()[:2] == bytes((ord("B"), WDRF))


@pytest.mark.parametrize("cause", [EXTRF, BORF])
def test_an_external_reset_keeps_sram_and_reports_its_cause(cause: int) -> None:
    with board("survive") as sim:
        sim.run_ms(1)
        lives = sim.take()[2]
        sim.reset(cause)
        sim.run_ms(1)
        assert sim.take() == bytes((ord("B"), cause, (lives + 1) & 0xFF))


def test_a_power_loss_randomises_sram_and_keeps_the_eeprom() -> None:
    with board("survive") as sim:
        sim.run_ms(1)
        assert ask(sim, b"E", 10) == b"\x00"
        assert ask(sim, b"E", 10) == b"\x01"
        sim.power_cycle(seed=7)
        sim.run_ms(1)
        assert sim.take()[:2] == bytes((ord("B"), PORF))
        assert ask(sim, b"E", 10) == b"\x02"
        assert sim.eeprom_wear(5) == 3
        assert sim.counts().eeprom_writes == 3


def test_power_lost_while_writing_spoils_that_eeprom_byte() -> None:
    with board("survive") as sim:
        sim.run_ms(1)
        ask(sim, b"E", 1)
        sim.power_cycle()
        assert sim.eeprom()[5] != 0
        assert sim.eeprom()[6] == 0xFF


def test_an_eeprom_byte_takes_3_4_ms_to_write() -> None:
    with board("survive") as sim:
        sim.run_ms(1)
        assert ask(sim, b"E", 3) == b""
        sim.run_ms(1)
        assert sim.take() == b"\x00"


def test_the_line_s_faults_are_seeded_and_leave_order_alone() -> None:
    data = bytes(range(3, 203))

    def spoilt(seed: int) -> bytes:
        with board("echo") as sim:
            sim.run_ms(1)
            sim.set_faults(
                towards_chip=True, faults=Faults(drop_ppm=100_000, delay_ppm=50_000, delay_us=300, seed=seed)
            )
            return ask(sim, data, 30)

    once = spoilt(5)
    assert 150 < len(once) < 200
    assert list(once) == sorted(once)
    assert once == spoilt(5)
    assert once != spoilt(6)


def test_bytes_to_the_host_are_flipped_and_doubled() -> None:
    with board("echo") as sim:
        sim.run_ms(1)
        sim.set_faults(towards_chip=False, faults=Faults(flip_ppm=100_000, twice_ppm=100_000, seed=3))
        answer = ask(sim, b"\x55" * 200, 20)
        assert 205 < len(answer) < 240
        assert {(byte ^ 0x55).bit_count() for byte in answer} == {0, 1}


def test_memory_is_seen_and_painted() -> None:
    with board("survive") as sim:
        sim.run_ms(1)
        first_free = symbols(sim.elf)["_end"]
        sim.poke(first_free, b"\xa5" * 100)
        sim.run_ms(1)
        assert sim.peek(first_free, 100) == b"\xa5" * 100
        assert first_free + 100 < sim.stack_pointer <= sim.ram_end == 0x8FF


class Parrot:
    """A host that says one byte a millisecond and writes down what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[int, bytes]] = []

    def receive(self, data: bytes, now_ms: int) -> None:
        if data:
            self.heard.append((now_ms, data))

    def bytes_to_send(self, now_ms: int) -> bytes:
        return bytes((0x20 + now_ms % 64,))


def test_a_host_steps_with_the_board_in_virtual_time() -> None:
    with board("echo") as sim:
        host = Parrot()
        sim.step(20, host)
        assert sim.now_ms == 20
        assert len(host.heard) == 20
        assert b"".join(data for _, data in host.heard) == bytes(0x20 + ms for ms in range(20))


def test_a_real_serial_port_talks_to_the_board_on_a_pty(mcu: str) -> None:
    with (
        board("echo", mcu) as sim,
        sim.realtime() as name,
        serial.serial_for_url(name, 250_000, timeout=60) as port,
    ):
        for size in (1, 40):
            port.write(b"x" * size)
            assert port.read(size) == b"x" * size
        kinds = [record for record in sim.records() if record.ns]
        out = next(record for record in kinds if record.kind is Kind.HOST_OUT)
        back = next(record for record in kinds if record.kind is Kind.HOST_IN)
        assert back.ns > out.ns
        assert back.cycle - out.cycle >= 2 * BYTE_CYCLES


def test_real_time_keeps_step_with_the_wall_clock() -> None:
    with board("echo") as sim, sim.realtime() as name:
        fd = os.open(name, os.O_RDWR | os.O_NOCTTY)
        for _ in range(50):
            os.write(fd, b"x")
            assert select.select([fd], [], [], 60)[0]
            assert os.read(fd, 1) == b"x"
        os.close(fd)
        told = [record for record in sim.records() if record.kind is Kind.HOST_IN]
        passed_ms = (told[-1].ns - told[0].ns) / 1e6
        simulated_ms = (told[-1].cycle - told[0].cycle) / 16_000
        assert len(told) == 50
        assert simulated_ms == pytest.approx(passed_ms, abs=1 + 2 * sim.worst_lag_ms())


def test_a_file_that_is_no_program_is_refused(tmp_path: Path) -> None:
    require_tools()
    with (
        pytest.raises(ValueError, match="no AVR program"),
        Simulator(tmp_path / "none.elf", topology("atmega328p")),
    ):
        pass


def test_a_pin_the_chip_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="lacks a module"), board("echo", led="PL3"):
        pass


def test_pins_are_numbered_by_port_and_bit() -> None:
    assert [pin_number(name) for name in ("PA0", "PB5", "PL7", "")] == [0, 13, 95, -1]


def test_without_the_tools_tests_are_skipped_with_the_remedy_and_fail_in_ci(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=r"avr-gcc.*apt-get install"):
        require_tools()
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="avr-gcc"):
        require_tools()

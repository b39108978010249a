# SPDX-License-Identifier: Apache-2.0
"""A Pico's own USB: what a host finds, and the line over it.

Where they apply, the tests of the line are those of the AVR.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from companion.link.framing import Packet, encode_packet
from companion.link.protocol_gen import Ping, PingReply, ResetCause
from tests.firmware import test_elf_line as same
from tests.firmware.boards import Board, board
from tests.firmware.pico import RP2040JS, PicoOverUsb, require_simulator
from tests.firmware.simulator import EXTRF, Simulator
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
TO_INTERFACE, FROM_INTERFACE = 0x21, 0xA1
SET_LINE_CODING, GET_LINE_CODING, SEND_BREAK = 0x20, 0x21, 0x23
PLUGGED_MS = 60


@pytest.fixture
def panel() -> Board:
    return board("8x8-pico")


@pytest.fixture
def sim(panel: Board) -> Iterator[PicoOverUsb]:
    """The board at a host; after the test, the host has nothing to complain of."""
    with PicoOverUsb(panel.elf, panel.topology) as sim:
        yield sim
        assert sim.violations() == []
        assert sim.unmodelled() == []


@pytest.fixture
def talk(sim: PicoOverUsb) -> Talk:
    return same.greeted(cast("Simulator", sim))


test_flipped_bit = same.test_a_flipped_bit_anywhere_in_a_command_leaves_it_unanswered_and_counted
test_garbage = same.test_the_first_good_packet_after_garbage_is_answered
test_repeat = same.test_a_repeated_command_is_answered_again_and_executed_once
test_oversized = same.test_an_oversized_packet_is_counted_and_harmless
test_edges_during_leds = same.test_edges_during_led_output_are_reported_in_order
test_edges_again = same.test_edges_are_sent_again_on_demand
test_reset_command = same.test_the_reset_command_is_answered_first_and_then_obeyed
test_dark = same.test_leds_go_dark_three_seconds_after_the_last_packet_and_light_at_the_next
test_numbers = same.test_numbers_of_edges_run_over_without_a_gap


def test_a_host_finds_a_serial_port_with_the_panels_name_and_the_chips_number(sim: PicoOverUsb) -> None:
    sim.run_ms(PLUGGED_MS)
    found = sim.device()
    assert found is not None
    assert found["strings"] == ["Companion", "8x8-pico", "E661385A0C2B7729"]
    device, configuration = bytes(found["device"]), bytes(found["configuration"])
    assert (device[8:10], device[10:12]) == (b"\x8a\x2e", b"\x0a\x00")
    assert int.from_bytes(configuration[2:4], "little") == len(configuration)
    parts = []
    while configuration:
        parts.append(configuration[: configuration[0]])
        configuration = configuration[configuration[0] :]
    assert [part[5] for part in parts if part[1] == 4] == [2, 10], "control, and data"
    assert [part[2] for part in parts if part[1] == 5] == [0x81, 0x02, 0x82]


def test_the_host_that_comes_with_the_simulator_finds_it_too(panel: Board) -> None:
    require_simulator()
    program = Path(__file__).parent / "rp2040" / "own_host.mjs"
    image = panel.elf.with_suffix(".bin")
    said = subprocess.run(["node", program, RP2040JS, image], check=True, capture_output=True)
    found = json.loads(said.stdout)
    assert found["isConnected"]
    assert b"8x8-pico" in bytes(found["heard"]), "the greeting after a start"


def test_the_line_coding_is_kept_and_other_requests_are_refused(sim: PicoOverUsb) -> None:
    sim.run_ms(PLUGGED_MS)
    coding = bytes((0x90, 0xD0, 0x03, 0x00, 0, 0, 8))  # 250 000 baud
    assert sim.request(TO_INTERFACE, SET_LINE_CODING, 0, 7, coding) == b""
    assert sim.request(FROM_INTERFACE, GET_LINE_CODING, 0, 7) == coding
    assert sim.request(TO_INTERFACE, SEND_BREAK, 0, 0) is None
    assert sim.request(0x80, 6, 6 << 8, 10) is None, "there is no other speed"
    assert sim.request(FROM_INTERFACE, GET_LINE_CODING, 0, 7) == coding


def test_ten_thousand_bytes_go_each_way_without_a_loss(talk: Talk) -> None:
    sent = heard = number = 0
    while min(sent, heard) < 10_000:
        batch = []
        for _ in range(8):
            number += 1
            sent += len(talk.send(Ping(number)))
            batch.append((talk.sequence, number))
        for sequence, expected in batch:
            reply = talk.reply(sequence)
            assert isinstance(reply, PingReply)
            assert reply.echo == expected
            heard += len(encode_packet(Packet(reply.TYPE, sequence, reply.encode())))
    counted = same.stats(talk)
    assert (counted.bad_packets, counted.repeats, counted.oversized) == (0, 0, 0)
    assert talk.damaged == []


def test_nothing_is_lost_while_the_host_does_not_read(talk: Talk, sim: PicoOverUsb) -> None:
    sim.read(is_reading=False)
    for cell in range(12):
        sim.cell(cell, True)
        talk.listen(20)
    sim.read(is_reading=True)
    talk.listen(50)
    assert [edge.input for edge in talk.edges()] == list(range(12))


def speak_at_the_pins(sim: PicoOverUsb) -> int:
    """Greet the board over its UART; return its session."""
    sim.take()
    talk = Talk(cast("Simulator", sim))
    sim.feed = super(PicoOverUsb, sim).feed  # type: ignore[method-assign]
    try:
        return talk.hello().session
    finally:
        del sim.feed


def test_a_cable_is_pulled_out_and_plugged_in_again(talk: Talk, sim: PicoOverUsb) -> None:
    session = talk.hello().session
    sim.unplug()
    talk.listen(200)
    assert speak_at_the_pins(sim) == session
    sim.plug()
    talk.listen(PLUGGED_MS)
    assert talk.hello().session == session, "the board has run on"


def test_a_port_that_is_closed_leaves_the_line_to_the_pins(talk: Talk, sim: PicoOverUsb) -> None:
    sim.open(is_open=False)
    talk.listen(20)
    session = speak_at_the_pins(sim)
    sim.open(is_open=True)
    talk.listen(20)
    assert talk.hello().session == session


def test_a_reset_greets_again(talk: Talk, sim: PicoOverUsb) -> None:
    sim.reset(EXTRF)
    talk.listen(same.START_MS + 1200)
    assert talk.boots()[-1].reset_cause is ResetCause.EXTERNAL
    talk.hello()

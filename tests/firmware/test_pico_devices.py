# SPDX-License-Identifier: Apache-2.0
"""Outputs and budgets of a Pico's program: strip, display, buzzer, latency, stack."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from typing import cast

import pytest

from companion.link.protocol_gen import Lamp, LedFill, LedPalette, Run
from tests.firmware import test_elf_budgets as budgets
from tests.firmware import test_elf_devices as same
from tests.firmware.boards import PICO_PANELS, Board, board
from tests.firmware.pico import PicoSimulator
from tests.firmware.simulator import Kind
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
Report = budgets.Report


@pytest.fixture(params=PICO_PANELS)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(same.START_MS)
        talk.hello()
        yield talk


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    return lambda name, value: request.node.user_properties.append((name, value))


@pytest.fixture
def showing() -> Iterator[Talk]:
    """A board whose display shows TEXT."""
    with board("8x8-pico").powered() as sim:
        talk = Talk(sim)
        talk.listen(same.START_MS)
        same.show(talk)
        assert sim.display() == same.TEXT
        yield talk


def pico(talk: Talk) -> PicoSimulator:
    """The simulator behind *talk*, with what only a Pico has."""
    return cast("PicoSimulator", talk.board)


test_both_lines = same.test_both_lines_of_text_are_drawn_and_replaced
test_display_later = same.test_a_display_that_is_plugged_in_later_shows_the_text
test_lost_nibble = same.test_a_display_that_lost_half_a_byte_shows_the_text_again
test_note = same.test_a_note_has_its_pitch_and_ends
test_blinking = same.test_a_blinking_colour_takes_turns_on_the_board_itself
test_each_led = budgets.test_each_led_shows_its_cell
test_white = budgets.test_full_white_is_scaled_to_the_limit_and_reported
test_modest_picture = budgets.test_a_modest_picture_is_not_dimmed
test_sixteen_edges = budgets.test_edges_travel_sixteen_to_a_packet_when_they_come_at_once


def test_the_board_is_scanned_a_thousand_times_a_second(talk: Talk, report: Report) -> None:
    talk.board.records()
    talk.listen(1000)
    marks = [record for record in talk.board.records() if record.kind is Kind.PROBE]
    begins = [talk.board.ms_at(record.cycle) for record in marks if record.value == budgets.SCAN_BEGIN]
    ends = [talk.board.ms_at(record.cycle) for record in marks if record.value == budgets.SCAN_END]
    ends = [end for end in ends if end > begins[0]]
    scan_ms = max(end - begin for begin, end in zip(begins, ends, strict=False))
    gaps_ms = [later - earlier for earlier, later in itertools.pairwise(begins)]
    report("scan_us", scan_ms * 1000)
    report("longest_gap_us", max(gaps_ms) * 1000)
    assert len(begins) >= 990
    assert max(gaps_ms) < 1.5
    assert 0 < scan_ms < 0.5
    counted = budgets.stats(talk)
    report("scan_and_debounce_us", counted.scan_max_us)
    assert counted.scan_max_us < 1000
    assert counted.scans_late == 0


def test_a_lone_edge_is_on_the_line_within_eight_milliseconds(talk: Talk, report: Report) -> None:
    sim = talk.board
    waits_ms = []
    for turn in range(20):
        talk.listen(41.3)  # sooner it would be chatter
        sim.records()
        begun = sim.cycle
        sim.cell(7, turn % 2 == 0)
        talk.listen(14)
        sent = [record.cycle for record in sim.records() if record.kind is Kind.LINE_OUT]
        waits_ms.append(sim.ms_at(sent[0] - begun))
    report("edge_to_first_byte_ms", max(waits_ms))
    assert min(waits_ms) >= 4
    assert max(waits_ms) < 8


def test_led_pulses_keep_the_data_sheet(talk: Talk, panel: Board, report: Report) -> None:
    chance = random.Random(3)
    talk.ask(LedPalette(1, tuple(budgets.steady(*chance.randbytes(3)) for _ in range(6))))
    for _ in range(4):
        runs = tuple(Run(led, 1, 1 + led % 6) for led in chance.sample(range(panel.panel.leds), 8))
        talk.ask(LedFill(Lamp.SHOW, runs))
        talk.listen(30)
    pulses = pico(talk).pulses_ns()
    report("longest_low_us", pulses["low"][1] / 1000)
    assert 250 <= pulses["zero"][0] <= pulses["zero"][1] <= 500
    assert 600 <= pulses["one"][0] <= pulses["one"][1] <= 950
    assert pulses["low"][1] < 6000, "early LEDs latch after 6 us"


def test_memory_is_left_under_the_deepest_stack(talk: Talk, panel: Board, report: Report) -> None:
    budgets.exercise(talk, panel)
    free = pico(talk).stack_free()
    report("stack_free_bytes", free)
    assert 4096 < free < 8192
    assert budgets.stats(talk).stack_free == pytest.approx(free, abs=4), "the program measures the same"
    assert pico(talk).flash_use()["violations"] == []


def test_rp2040js_models_every_register_that_is_used(talk: Talk, panel: Board) -> None:
    budgets.exercise(talk, panel)
    assert pico(talk).unmodelled() == []

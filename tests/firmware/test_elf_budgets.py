# SPDX-License-Identifier: Apache-2.0
"""Budgets of the real firmware: flash, memory, scan time, LEDs, deafness, current.

Limits are what the design promises, not measurements; the figures go to the test report.
"""

import itertools
import random
import subprocess
from collections.abc import Callable, Iterator

import pytest

from companion.link.protocol_gen import (
    ClearStats,
    Colour,
    ConfigKey,
    ConfigSave,
    ConfigSet,
    Edges,
    Health,
    Heartbeat,
    Lamp,
    LedFill,
    LedFillReply,
    LedPalette,
    LedShow,
    LedShowReply,
    Note,
    Ping,
    Run,
    Stats,
    StatsReply,
    Status,
    Text,
    Tone,
)
from tests.firmware.boards import PANELS, Board, board
from tests.firmware.simulator import Kind, Simulator, symbols
from tests.firmware.talk import Talk

pytestmark = pytest.mark.firmware
MHZ = 16
START_MS = 120
SCAN_BEGIN, SCAN_END, LEDS_BEGIN, LEDS_END = 1, 2, 8, 9
"""Codes of chip_probe in hal.h."""
FLASH = {"atmega328p": 32 * 1024 - 512, "atmega2560": 256 * 1024 - 8 * 1024}
"""Without the boot loader (Optiboot; the Mega's)."""
LINE_VECTORS = {"atmega328p": (18, 19), "atmega2560": (25, 26)}
"""Byte received, room to send: the firmware has no other interrupts."""
PAINT = 0xC5
MIN_FREE_BYTES = {"atmega328p": 128, "atmega2560": 2048}

Report = Callable[[str, object], None]


@pytest.fixture
def report(request: pytest.FixtureRequest) -> Report:
    """Put a measured figure into the report that --junitxml writes."""
    return lambda name, value: request.node.user_properties.append((name, value))


SMALLER = {"5x5", "8x8"}
"""Panels whose chip and wiring a larger one has, too."""


@pytest.fixture(
    params=[
        pytest.param(name, marks=pytest.mark.long) if name in SMALLER else pytest.param(name)
        for name in PANELS
    ]
)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        talk.ask(ClearStats())
        sim.records()
        sim.clear_figures()
        yield talk


def probes(sim: Simulator, code: int) -> list[int]:
    """Cycles at which the firmware passed a mark, since the last look."""
    return [record.cycle for record in sim.records() if record.kind is Kind.PROBE and record.value == code]


def stats(talk: Talk) -> StatsReply:
    reply = talk.ask(Stats())
    assert isinstance(reply, StatsReply)
    return reply


def steady(red: int, green: int, blue: int) -> Colour:
    return Colour(red, green, blue, 0, 0, 0, period=0, phase=0)


def exercise(talk: Talk, panel: Board) -> None:
    """Make the firmware do everything it can, some of it at once."""
    chance = random.Random(1)
    talk.ask(LedPalette(0, tuple(Colour(level, 9, 30, 3, 2, 1, 20, 0) for level in range(6))))
    for turn in range(12):
        for cell in range(panel.panel.cells):
            talk.board.cell(cell, chance.random() < 0.5)
        talk.ask(Text(turn % 2, "Çapture äuf é4 – vielleicht…"))
        talk.ask(Tone((Note(440, 30), Note(0, 10), Note(880, 30))))
        talk.ask(LedFill(Lamp.SHOW, tuple(Run(chance.randrange(panel.panel.leds), 1, 3) for _ in range(10))))
        talk.ask(ConfigSet(ConfigKey.BRIGHTNESS, 100 + turn))
        talk.ask(ConfigSave(), timeout_ms=500)
        talk.listen(40)


def test_the_program_fits_beside_the_boot_loader(panel: Board, report: Report) -> None:
    sections = subprocess.run(["avr-size", str(panel.elf)], capture_output=True, text=True, check=True).stdout
    text, data = (int(number) for number in sections.splitlines()[1].split()[:2])
    report("flash_bytes", text + data)
    assert text + data <= FLASH[panel.panel.chip]


def test_memory_is_left_under_the_deepest_stack(panel: Board, report: Report) -> None:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        exercise(talk, panel)
        first = symbols(panel.elf)["__heap_start"]
        free = 0
        for byte in sim.peek(first, sim.ram_end - first):
            if byte != PAINT:
                break
            free += 1
        report("free_bytes", free)
        assert free >= MIN_FREE_BYTES[panel.panel.chip]
        assert stats(talk).stack_free == pytest.approx(free, abs=8), "the firmware measures the same"


def test_the_board_is_scanned_a_thousand_times_a_second(talk: Talk, panel: Board, report: Report) -> None:
    sim = talk.board
    talk.listen(1000)
    records = [record for record in sim.records() if record.kind is Kind.PROBE]
    begins = [record.cycle for record in records if record.value == SCAN_BEGIN]
    ends = [record.cycle for record in records if record.value == SCAN_END and record.cycle > begins[0]]
    scan_us = max(end - begin for begin, end in zip(begins, ends, strict=False)) / MHZ
    gaps_us = [(later - earlier) / MHZ for earlier, later in itertools.pairwise(begins)]
    report("scan_us", scan_us)
    report("longest_gap_us", max(gaps_us))
    assert len(begins) >= 990
    assert max(gaps_us) < 1500
    assert 0 < scan_us < 500
    counted = stats(talk)
    report("scan_and_debounce_us", counted.scan_max_us)
    assert counted.scan_max_us < 1000
    assert counted.scans_late == 0


def test_a_board_without_its_display_is_as_quick() -> None:
    with board("8x8").powered(display_address=0) as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        for line in range(2):
            talk.ask(Text(line, "nobody reads this"))
        sim.records()
        talk.listen(500)
        gaps_us = [(later - earlier) / MHZ for earlier, later in itertools.pairwise(probes(sim, SCAN_BEGIN))]
        assert len(gaps_us) > 490
        assert max(gaps_us) < 1500


def test_edges_do_not_slow_the_scan_down(talk: Talk, panel: Board, report: Report) -> None:
    sim = talk.board
    chance = random.Random(2)
    sim.records()
    for _ in range(200):
        sim.cell(chance.randrange(panel.panel.cells), chance.random() < 0.5)
        talk.listen(5)
    gaps_us = [(later - earlier) / MHZ for earlier, later in itertools.pairwise(probes(sim, SCAN_BEGIN))]
    report("longest_gap_us", max(gaps_us))
    assert len(gaps_us) > 980
    assert max(gaps_us) < 3000


def test_a_lone_edge_is_on_the_line_within_eight_milliseconds(talk: Talk, report: Report) -> None:
    sim = talk.board
    waits_ms = []
    for turn in range(40):
        talk.listen(41.3)  # sooner it would be chatter
        sim.records()
        begun = sim.cycle
        sim.cell(7, turn % 2 == 0)
        talk.listen(14)
        sent = [record.cycle for record in sim.records() if record.kind is Kind.LINE_OUT]
        waits_ms.append((sent[0] - begun) / MHZ / 1000)
    report("edge_to_first_byte_ms", max(waits_ms))
    assert min(waits_ms) >= 4
    assert max(waits_ms) < 8, "4 ms of debouncing, a scan period, a byte, and a turn of the loop"


def test_led_pulses_keep_the_data_sheet(talk: Talk, panel: Board, report: Report) -> None:
    chance = random.Random(3)
    talk.ask(LedPalette(1, tuple(steady(*chance.randbytes(3)) for _ in range(6))))
    talk.board.clear_figures()
    for _ in range(6):
        runs = tuple(Run(led, 1, 1 + led % 6) for led in chance.sample(range(panel.panel.leds), 8))
        talk.send(LedFill(Lamp.SHOW, runs))
        for _ in range(12):
            talk.send(Ping(1))
        talk.listen(30)
    wave = talk.board.waveform()
    report("longest_low_us", wave.low_max / MHZ)
    assert wave.bits > 1000
    assert 250 <= wave.zero_high_min / MHZ * 1000 <= wave.zero_high_max / MHZ * 1000 <= 500
    assert 600 <= wave.one_high_min / MHZ * 1000 <= wave.one_high_max / MHZ * 1000 <= 950
    assert wave.low_max / MHZ < 5, "early LEDs latch after 6 us"


def test_each_led_shows_its_cell(talk: Talk, panel: Board) -> None:
    talk.ask(LedPalette(1, (steady(8, 4, 2), steady(1, 9, 5))))
    for led in range(0, panel.panel.leds, 5):
        talk.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(led, 1, 1), Run((led + 3) % panel.panel.leds, 1, 2))))
        talk.listen(15)
        colours = panel.colours(talk.board.images())
        assert {place: colour for place, colour in enumerate(colours) if any(colour)} == {
            led: (8, 4, 2),
            (led + 3) % panel.panel.leds: (1, 9, 5),
        }


def test_an_image_that_a_switch_interrupts_is_shown_in_the_end(talk: Talk, panel: Board) -> None:
    talk.ask(LedPalette(1, (steady(8, 4, 2), steady(1, 9, 5))))
    last = panel.panel.leds - 1
    for turn in range(8):
        shade = 1 + turn % 2
        talk.send(LedFill(Lamp.SHOW, (Run(0, 1, shade), Run(last, 1, shade))))
        talk.listen(1 + 1.7 * turn)
        talk.board.cell(3 * turn, True)
        talk.listen(50)
        colours = panel.colours(talk.board.images())
        assert [colours[0], colours[last]] == [((8, 4, 2), (1, 9, 5))[turn % 2]] * 2
        assert [edge.input for edge in talk.edges()] == [3 * turn]
        talk.notices.clear()


def test_the_longest_deafness_is_one_strip_long_and_costs_no_byte(
    talk: Talk, panel: Board, report: Report
) -> None:
    talk.ask(LedPalette(1, (steady(5, 5, 5),)))
    for turn in range(6):
        talk.send(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(panel.panel.leds - 1 - turn % 2, 1, 1),)))
        talk.send(Ping(turn))
        talk.listen(40)
    records = [record for record in talk.board.records() if record.kind is Kind.PROBE]
    begins = [record.cycle for record in records if record.value == LEDS_BEGIN]
    ends = [record.cycle for record in records if record.value == LEDS_END]
    longest_ms = max(end - begin for begin, end in zip(begins, ends, strict=True)) / MHZ / 1000
    report("blackout_ms", longest_ms)
    assert longest_ms < 0.036 * panel.panel.leds + 0.6, "36 us an LED, and 300 us to latch the image before"
    assert talk.board.counts().rx_overruns == 0
    assert stats(talk).rx_lost == 0


def test_interrupts_are_short_and_only_those_of_the_line(talk: Talk, panel: Board, report: Report) -> None:
    for number in range(50):
        talk.ask(Ping(number))
    talk.ask(Tone((Note(440, 30),)))
    talk.ask(Text(0, "short"))
    talk.listen(60)
    line = LINE_VECTORS[panel.panel.chip]
    for name, number in zip(("rx", "tx"), line, strict=True):
        vector = talk.board.vector(number)
        report(f"{name}_isr_us", vector.longest_cycles / MHZ)
        assert vector.count >= 50 * 10
        assert vector.longest_cycles / MHZ < 10, "a quarter of the 40 us that a byte takes"
    assert not [number for number in range(1, 57) if number not in line and talk.board.vector(number).count]


def test_no_transfer_on_the_board_collides(talk: Talk, panel: Board) -> None:
    exercise(talk, panel)
    counts = talk.board.counts()
    assert counts.spi_collisions == counts.spi_floating_ss == 0
    assert counts.display_too_fast == counts.eeprom_collisions == counts.tx_overwrites == 0


def test_full_white_is_scaled_to_the_limit_and_reported(talk: Talk, panel: Board) -> None:
    talk.ask(LedPalette(1, (steady(255, 255, 255),)))
    leds = panel.panel.leds
    talk.ask(LedFill(Lamp(0), tuple(Run(first, min(200, leds - first), 1) for first in range(0, leds, 200))))
    reply = talk.ask(LedShow())
    assert isinstance(reply, LedShowReply)
    assert reply.status is Status.POWER_LIMITED
    assert reply.current_ma <= panel.panel.current_limit_ma
    talk.listen(30)
    steps = sum(itertools.chain.from_iterable(panel.colours(talk.board.images())))
    assert 0 < 20 * steps / 255 + 0.6 * leds <= panel.panel.current_limit_ma, (
        "20 mA a channel, 0.6 mA at rest"
    )
    talk.listen(1100)
    beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
    assert beats[-1].health & Health.POWER_LIMITED


def test_a_modest_picture_is_not_dimmed(talk: Talk) -> None:
    talk.ask(LedPalette(1, (steady(60, 60, 60),)))
    reply = talk.ask(LedFill(Lamp.SHOW, (Run(3, 2, 1),)))
    assert isinstance(reply, LedFillReply)
    assert reply.status is Status.OK


def test_the_eeprom_is_written_on_save_only_and_only_if_something_changed(talk: Talk, panel: Board) -> None:
    sim = talk.board
    talk.ask(ConfigSet(ConfigKey.BRIGHTNESS, 77))
    talk.listen(500)
    assert sim.counts().eeprom_writes == 0
    talk.ask(ConfigSave(), timeout_ms=500)
    written = sim.counts().eeprom_writes
    assert 0 < written < 40
    talk.ask(ConfigSave(), timeout_ms=500)
    assert sim.counts().eeprom_writes == written


def test_saves_wear_two_slots_in_turn(talk: Talk) -> None:
    sim = talk.board
    for turn in range(10):
        talk.ask(ConfigSet(ConfigKey.BRIGHTNESS, 50 + turn))
        talk.ask(ConfigSave(), timeout_ms=500)
    wear = [sim.eeprom_wear(address) for address in range(256)]
    assert max(wear) <= 7, "ten saves and the first start, in two slots"


def test_saved_settings_survive_a_power_cut_during_the_next_save(panel: Board) -> None:
    with panel.powered() as sim:
        talk = Talk(sim)
        talk.listen(START_MS)
        talk.hello()
        for value in (11, 12, 13):
            talk.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, value))
            talk.ask(ConfigSave(), timeout_ms=500)
        for cut_ms in (2, 9, 17, 23, 31):
            talk.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, 20))
            talk.send(ConfigSave())
            talk.listen(cut_ms)
            sim.power_cycle(seed=cut_ms)
            talk.listen(START_MS)
            kept = talk.hello().debounce_on_ms
            assert kept in (13, 20)
            if kept == 20:
                break


def test_edges_travel_sixteen_to_a_packet_when_they_come_at_once(talk: Talk, panel: Board) -> None:
    talk.notices.clear()
    while not probes(talk.board, SCAN_END):
        talk.listen(0.02)
    for cell in range(16):
        talk.board.cell(cell, True)
    talk.listen(30)
    packets = [notice for notice in talk.notices if isinstance(notice, Edges)]
    assert [len(packet.edges) for packet in packets] == [16]

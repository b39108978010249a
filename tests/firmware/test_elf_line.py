# SPDX-License-Identifier: Apache-2.0
"""A faulty line to the real firmware: damaged, flooded, busy with LEDs, reset."""

import random
from collections.abc import Iterator

import pytest

from companion.link.framing import Packet, encode_packet
from companion.link.protocol_gen import (
    RESET_MAGIC,
    BoardKind,
    ClearStats,
    Colour,
    ConfigKey,
    ConfigSave,
    ConfigSet,
    Edges,
    EdgesSince,
    EdgesSinceReply,
    Health,
    Heartbeat,
    Lamp,
    LedFill,
    LedFillReply,
    LedPalette,
    Ping,
    PingReply,
    Reset,
    ResetCause,
    Run,
    Stats,
    StatsReply,
    Status,
)
from tests.firmware.boards import Board, board
from tests.firmware.simulator import BORF, EXTRF, PORF, Kind, Simulator
from tests.firmware.talk import NoReply, Talk, edges_of

pytestmark = pytest.mark.firmware
BIGGEST = ("16x16", "20x20")
"""One panel for each chip, with the longest LED output it has."""
START_MS = 120
SPCR = 0x4C
"""The SPI's control register, on both chips."""


@pytest.fixture(params=BIGGEST)
def panel(request: pytest.FixtureRequest) -> Board:
    return board(str(request.param))


@pytest.fixture
def talk(panel: Board) -> Iterator[Talk]:
    with panel.powered() as sim:
        yield greeted(sim)


def greeted(sim: Simulator) -> Talk:
    talk = Talk(sim)
    talk.listen(START_MS)
    talk.hello()
    assert talk.ask(ClearStats())
    return talk


def stats(talk: Talk) -> StatsReply:
    reply = talk.ask(Stats())
    assert isinstance(reply, StatsReply)
    return reply


def test_a_flipped_bit_anywhere_in_a_command_leaves_it_unanswered_and_counted(talk: Talk) -> None:
    good = encode_packet(Packet(Ping.TYPE, 7, Ping(0x01020304).encode()))
    for place in range(len(good) - 1):
        spoilt = bytearray(good)
        spoilt[place] ^= 1 << place % 8
        talk.board.feed(bytes(spoilt) + b"\x00")
    talk.listen(20)
    with pytest.raises(NoReply):
        talk.reply(7, timeout_ms=1)
    counted = stats(talk)
    assert counted.bad_packets >= len(good) - 1
    assert counted.packets == 1, "only the question about the counters was good"


def test_the_first_good_packet_after_garbage_is_answered(talk: Talk) -> None:
    garbage = random.Random(6).randbytes(700)
    talk.board.feed(garbage + b"\x00")
    reply = talk.ask(Ping(5))
    assert isinstance(reply, PingReply)
    assert reply.echo == 5


def test_a_repeated_command_is_answered_again_and_executed_once(talk: Talk) -> None:
    images = talk.board.image_count()
    data = talk.send(LedFill(Lamp.SHOW, (Run(0, 1, 1),)))
    first = talk.reply(talk.sequence)
    talk.board.feed(data)
    assert talk.reply(talk.sequence) == first
    talk.listen(20)
    assert talk.board.image_count() == images + 1
    assert stats(talk).repeats == 1


def test_an_oversized_packet_is_counted_and_harmless(talk: Talk) -> None:
    talk.board.feed(b"\x01" * 400 + b"\x00")
    assert isinstance(talk.ask(Ping(1)), PingReply)
    assert stats(talk).oversized == 1


def test_an_unknown_command_is_refused_by_name(talk: Talk) -> None:
    talk.board.feed(encode_packet(Packet(0x5E, 9, b"hello")))
    reply = talk.reply(9)
    assert getattr(reply, "status", None) is Status.UNSUPPORTED


def test_no_byte_is_lost_while_the_whole_strip_is_sent(talk: Talk) -> None:
    # The host should be silent meanwhile; it talks all the same, as after a lost reply.
    talk.send(LedFill(Lamp.SHOW, (Run(0, 200, 1),)))
    show = talk.sequence
    pings = []
    for number in range(4):
        talk.send(Ping(number))
        pings.append(talk.sequence)
    assert isinstance(talk.reply(show), LedFillReply)
    assert [getattr(talk.reply(ping), "echo", None) for ping in pings] == [0, 1, 2, 3]
    assert talk.board.counts().rx_overruns == 0
    assert stats(talk).rx_lost == 0


def test_a_flood_during_led_output_is_lost_in_the_open_and_survived(talk: Talk) -> None:
    pings = b"".join(encode_packet(Packet(Ping.TYPE, 200, Ping(number).encode())) for number in range(80))
    for _ in range(3):
        talk.send(LedFill(Lamp.SHOW, (Run(0, 200, 1),)))
        talk.board.feed(pings)
    talk.listen(400)
    talk.board.feed(b"\x00")  # the last packet of the flood may have lost its end
    lost = stats(talk).rx_lost
    talk.listen(1100)
    assert isinstance(talk.ask(Ping(77)), PingReply)
    beats = [notice for notice in talk.notices if isinstance(notice, Heartbeat)]
    assert lost > 0
    assert any(beat.health & Health.RX_LOST for beat in beats)


def test_error_flags_of_the_receiver_are_never_written(panel: Board) -> None:
    # A host at another rate: each byte that comes has a framing error, while the chip sends edges.
    chance = random.Random(4)
    with panel.powered(line_baud=300_000) as sim:
        sim.run_ms(START_MS)
        for turn in range(150):
            sim.feed(chance.randbytes(120))
            for cell in range(8):
                sim.cell(cell + 8 * (turn % 4), turn // 4 % 2 == 0)
            sim.run_ms(5)
        assert sim.counts().garbled > 10_000
        assert sim.counts().error_flag_writes == 0, "the data sheet wants zeros"


def test_edges_during_led_output_are_reported_in_order(talk: Talk, panel: Board) -> None:
    sim = talk.board
    cells = random.Random(3).sample(range(panel.panel.cells), 60)
    for cell in cells:
        talk.send(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(cell, 1, 2),)))
        sim.cell(cell, True)
        assert isinstance(talk.reply(talk.sequence), LedFillReply)
        talk.listen(9)
    talk.listen(40)
    assert [edge.input for edge in talk.edges()] == cells


def test_edges_are_sent_again_on_demand(talk: Talk) -> None:
    for cell in range(10):
        talk.board.cell(cell, True)
        talk.listen(7)
    talk.listen(20)
    before = talk.edges()
    talk.notices.clear()
    reply = talk.ask(EdgesSince(4))
    assert isinstance(reply, EdgesSinceReply)
    assert reply.newest == 10
    talk.listen(20)
    assert talk.edges() == before[4:]


@pytest.mark.parametrize(
    ("mcusr", "cause"),
    [(EXTRF, ResetCause.EXTERNAL), (BORF, ResetCause.BROWN_OUT), (PORF, ResetCause.POWER_ON)],
)
def test_a_reset_in_mid_stream_sends_boot_with_its_cause_and_a_new_session(
    talk: Talk, mcusr: int, cause: ResetCause
) -> None:
    before = talk.hello()
    talk.board.cell(3, True)
    talk.listen(5.2)  # the packet about the cell is on its way
    talk.board.reset(mcusr)
    talk.listen(START_MS)
    (boot,) = talk.boots()[-1:]
    assert boot.reset_cause is cause
    assert boot.session != before.session
    assert boot.unique_id == before.unique_id
    after = talk.hello()
    assert after.session == boot.session


def test_a_hanging_chip_is_restarted_by_its_watchdog_and_reports_it(panel: Board) -> None:
    # A disturbance switches the SPI off: the scan then waits for a byte that never comes.
    with panel.powered() as sim:
        talk = greeted(sim)
        boots = len(talk.boots())
        sim.poke(SPCR, b"\x00")
        hung = sim.now_ms
        talk.listen(250 + START_MS + 50)
        assert talk.boots()[boots].reset_cause is ResetCause.WATCHDOG
        restarted = [record.cycle // 16_000 for record in sim.records() if record.kind is Kind.RESET][-1]
        assert 200 < restarted - hung < 300
        sim.cell(9, True)
        talk.notices.clear()
        talk.listen(20)
        assert [edge.input for edge in talk.edges()] == [9]


def test_the_reset_command_is_answered_first_and_then_obeyed(talk: Talk) -> None:
    before = talk.hello()
    boots = len(talk.boots())
    assert getattr(talk.ask(Reset(RESET_MAGIC)), "status", None) is Status.OK
    talk.listen(START_MS + 40)
    assert len(talk.boots()) == boots + 1
    assert talk.boots()[-1].reset_cause is ResetCause.COMMAND
    assert talk.boots()[-1].session != before.session


def test_a_damaged_reset_command_is_not_obeyed(talk: Talk) -> None:
    boots = len(talk.boots())
    assert getattr(talk.ask(Reset(0x1234)), "status", None) is Status.BAD_ARGUMENT
    talk.listen(200)
    assert len(talk.boots()) == boots


def test_sessions_differ_after_every_start(panel: Board) -> None:
    with panel.powered() as sim:
        talk = Talk(sim)
        for seed in range(12):
            sim.power_cycle(seed)
            talk.listen(START_MS)
            sim.reset()
            talk.listen(START_MS)
        sessions = [boot.session for boot in talk.boots()]
        assert len(sessions) == 24
        assert len(set(sessions)) == 24


def test_each_new_panel_makes_its_own_unique_id() -> None:
    def new_panel(seed: int) -> bytes:
        with board("8x8").powered() as sim:
            sim.power_cycle(seed)
            talk = Talk(sim)
            talk.listen(START_MS)
            hello = talk.hello()
            assert hello.board is BoardKind.ATMEGA328P
            return hello.unique_id

    assert len({new_panel(seed) for seed in range(1, 9)}) == 8


def test_a_corrupted_eeprom_means_defaults_and_a_word_about_it(panel: Board) -> None:
    with panel.powered() as sim:
        talk = greeted(sim)
        for saved_ms in (11, 12):  # one for each slot
            talk.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, saved_ms))
            talk.ask(ConfigSave(), timeout_ms=500)
        sim.reset()
        talk.listen(START_MS)
        assert talk.hello().debounce_on_ms == 12
        for address, byte in enumerate(sim.eeprom()[:256]):
            sim.write_eeprom(address, bytes((byte ^ 0x10,)))
        sim.reset()
        talk.listen(START_MS + 1100)
        assert talk.hello().debounce_on_ms == panel.panel.debounce_on_ms
        assert any("settings damaged" in getattr(notice, "text", "") for notice in talk.notices)


def test_leds_go_dark_three_seconds_after_the_last_packet_and_light_at_the_next(
    talk: Talk, panel: Board
) -> None:
    talk.ask(LedPalette(1, (Colour(0, 90, 0, 0, 0, 0, 0, 0),)))
    talk.ask(LedFill(Lamp.SHOW | Lamp.CLEAR, (Run(5, 1, 1),)))
    sim = talk.board
    talk.listen(30)
    assert panel.colours(sim.images())[5][1] > 0
    spoken = sim.now_ms
    talk.listen(3300)
    dark = sim.images()[-1]
    assert not any(dark.data)
    assert 2900 < sim.ms_at(dark.begin_cycle) - spoken < 3100
    talk.ask(Ping(0))
    talk.listen(60)
    assert panel.colours(sim.images())[5][1] > 0


def test_numbers_of_edges_run_over_without_a_gap(talk: Talk) -> None:
    for step in range(300):
        talk.board.cell(step % 7, step // 7 % 2 == 0)
        talk.listen(2)
    talk.listen(30)
    packets = [notice for notice in talk.notices if isinstance(notice, Edges)]
    numbers = [edge.number for packet in packets for edge in edges_of(packet)]
    assert numbers == list(range(1, len(numbers) + 1))

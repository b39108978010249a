# SPDX-License-Identifier: Apache-2.0
"""The software panel follows the protocol's tables."""

from __future__ import annotations

from dataclasses import replace

import pytest

from companion.link.framing import Decoder, Packet, encode_packet
from companion.link.panel import load_panel
from companion.link.protocol_gen import (
    RESET_MAGIC,
    Boot,
    ClearStats,
    ClearStatsReply,
    Colour,
    ConfigGet,
    ConfigGetReply,
    ConfigKey,
    ConfigSave,
    ConfigSaveReply,
    ConfigSet,
    ConfigSetReply,
    Edges,
    EdgesSince,
    EdgesSinceReply,
    GetSnapshot,
    Heartbeat,
    Hello,
    HelloReply,
    Lamp,
    LedFill,
    LedFillReply,
    LedPalette,
    LedSet,
    LedShow,
    LedShowReply,
    Message,
    Note,
    Ping,
    PingReply,
    Refusal,
    Reset,
    Run,
    Stats,
    StatsReply,
    Status,
    Text,
    Tone,
    Whole,
    decode_message,
)
from companion.virtual.panel import VirtualPanel
from tests.wires import PANEL_ID


class Host:
    """Sends single commands to a panel and reads its replies."""

    def __init__(self, name: str = "8x8", **changes: object) -> None:
        panel = replace(load_panel(name), **changes)  # type: ignore[arg-type]
        self.now_ms = 100
        self.panel = VirtualPanel(panel, unique_id=PANEL_ID, session=1, now_ms=100)
        self.decoder = Decoder()
        self.seq = 0
        self.hear()

    def hear(self) -> list[Message]:
        """The packets that the panel sends now."""
        packets = self.decoder.feed(self.panel.bytes_to_send(self.now_ms))
        return [
            decode_message(packet.type, packet.payload) for packet in packets if isinstance(packet, Packet)
        ]

    def ask(self, command: Whole) -> Message:
        """The reply to *command*."""
        self.seq += 1
        self.panel.feed(encode_packet(Packet(command.TYPE, self.seq, command.encode())), self.now_ms)
        reply, *_rest = self.hear()
        return reply

    def status(self, command: Whole) -> Status:
        reply = self.ask(command)
        status = getattr(reply, "status", None)
        assert isinstance(status, Status)
        return status

    def wait(self, ms: int) -> list[Message]:
        """The packets that the panel sends in the next *ms*."""
        end_ms = self.now_ms + ms
        heard: list[Message] = []
        while (due_ms := self.panel.next_deadline_ms()) <= end_ms:
            self.now_ms = due_ms
            heard += self.hear()
        self.now_ms = end_ms
        return heard + self.hear()


def edges_in(heard: list[Message]) -> list[tuple[int, int]]:
    """The timestamp and input of each edge."""
    return [
        (packet.t_ms + edge.dt_ms, edge.input)
        for packet in heard
        if isinstance(packet, Edges)
        for edge in packet.edges
    ]


class TestDebounce:
    """The firmware's rule; the firmware's tests prove it for the C code."""

    @pytest.mark.parametrize(
        ("changes", "expected"),
        [
            ([(0, 1)], [(0, 0x8005)]),
            ([(0, 1), (1, 0), (2, 1)], [(0, 0x8005)]),
            ([(0, 1), (3, 0)], []),
            ([(0, 1), (10, 0)], [(0, 0x8005), (10, 0x0005)]),
            ([(0, 1), (3, 0), (5, 1), (8, 0), (11, 1)], [(0, 0x8005)]),
        ],
    )
    def test_a_change_counts_once_the_switch_has_settled(
        self, changes: list[tuple[int, int]], expected: list[tuple[int, int]]
    ) -> None:
        host = Host()
        heard: list[Message] = []
        for at_ms, level in changes:
            heard += host.wait(100 + at_ms - host.now_ms)
            (host.panel.close if level else host.panel.open)(5, host.now_ms)
        heard += host.wait(100)
        assert edges_in(heard) == expected

    def test_edges_come_in_the_order_of_their_first_change(self) -> None:
        """Cell 1 bounces longer than cell 2, but changed first."""
        host = Host()
        host.panel.close(1, 100)
        host.panel.close(2, 101)
        for at_ms, level in ((102, False), (103, True)):
            host.wait(at_ms - host.now_ms)
            host.panel.set_input(1, level, at_ms)
        assert edges_in(host.wait(50)) == [(0, 0x8001), (1, 0x8002)]

    def test_an_edge_queued_behind_an_open_burst_is_kept(self) -> None:
        host = Host(debounce_on_ms=40, debounce_off_ms=4)
        host.panel.close(3, 100)
        host.wait(60)
        host.panel.close(1, host.now_ms)
        host.panel.open(3, host.now_ms + 1)
        heard = host.wait(20)
        host.panel.close(3, host.now_ms)
        heard += host.wait(100)
        assert [wire for _, wire in edges_in(heard)] == [0x8001, 0x0003, 0x8003]


class TestCommands:
    def test_boot_is_the_first_notice(self) -> None:
        panel = VirtualPanel(load_panel("4x8"), unique_id=PANEL_ID, session=1, now_ms=0)
        (packet,) = Decoder().feed(panel.bytes_to_send(0))
        assert isinstance(packet, Packet)
        assert (packet.type, packet.seq) == (Boot.TYPE, 0)

    def test_hello_returns_the_panel_and_the_nonce(self) -> None:
        reply = Host("wedges-3").ask(Hello(1, 0, 0xBEEF, 0))
        assert isinstance(reply, HelloReply)
        assert (reply.nonce, reply.cells, reply.rows, reply.unique_id) == (0xBEEF, 48, 0, PANEL_ID)
        assert reply.extra[0].data == b"wedges-3"

    def test_a_repeated_command_is_executed_once(self) -> None:
        host = Host()
        wire = encode_packet(Packet(Tone.TYPE, 9, Tone((Note(440, 10),)).encode()))
        host.panel.feed(wire + wire, host.now_ms)
        assert len(host.hear()) == 2
        assert len(host.panel.device.tones) == 1
        stats = host.ask(Stats())
        assert isinstance(stats, StatsReply)
        assert stats.repeats == 1

    def test_damaged_packets_and_notices_are_counted_and_not_answered(self) -> None:
        """The reply to 0x7E would have the type of a notice."""
        host = Host()
        no_commands = Packet(Boot.TYPE, 0), Packet(0x7E, 1)
        host.panel.feed(b"\x03\x01\x02\x00" + b"".join(map(encode_packet, no_commands)), host.now_ms)
        assert host.hear() == []
        stats = host.ask(Stats())
        assert isinstance(stats, StatsReply)
        assert stats.bad_packets == 3

    def test_a_heartbeat_comes_every_second(self) -> None:
        assert len([each for each in Host().wait(10_500) if isinstance(each, Heartbeat)]) == 10

    def test_a_reset_command_starts_a_new_session(self) -> None:
        host = Host()
        wire = encode_packet(Packet(Reset.TYPE, 1, Reset(RESET_MAGIC).encode()))
        host.panel.feed(wire, host.now_ms)
        host.hear()
        (boot,) = host.hear()
        assert isinstance(boot, Boot)
        assert (boot.session, boot.reset_cause.name) == (2, "COMMAND")

    @pytest.mark.parametrize(
        ("command", "status"),
        [
            (GetSnapshot(99), Status.BAD_ARGUMENT),
            (LedPalette(10, (Colour(0, 0, 0, 0, 0, 0, 0, 0),) * 7), Status.BAD_ARGUMENT),
            (LedSet(Lamp(0), 60, 8, bytes(4)), Status.BAD_ARGUMENT),
            (LedSet(Lamp(0), 0, 8, bytes(3)), Status.BAD_LENGTH),
            (LedFill(Lamp(0), (Run(0, 65, 1),)), Status.BAD_ARGUMENT),
            (LedFill(Lamp(0), (Run(0, 1, 16),)), Status.BAD_ARGUMENT),
            (Text(2, "no such line"), Status.BAD_ARGUMENT),
            (Tone((Note(20, 100),)), Status.BAD_ARGUMENT),
            (Tone((Note(440, 100),) * 9), Status.BAD_ARGUMENT),
            (ConfigGet(ConfigKey(77)), Status.BAD_ARGUMENT),
            (ConfigSet(ConfigKey.CURRENT_LIMIT_MA, 19), Status.BAD_ARGUMENT),
            (Reset(1), Status.BAD_ARGUMENT),
        ],
    )
    def test_invalid_arguments_are_refused(self, command: Whole, status: Status) -> None:
        reply = Host().ask(command)
        assert isinstance(reply, Refusal)
        assert reply.status is status

    def test_missing_hardware_is_unsupported(self) -> None:
        host = Host(leds=0, led_order="natural", text_lines=0, tone=False)
        for command in (LedShow(), LedFill(Lamp(0), ()), Text(0, "x"), Tone(())):
            assert host.status(command) is Status.UNSUPPORTED

    def test_unknown_and_short_commands_get_different_errors(self) -> None:
        host = Host()
        host.panel.feed(encode_packet(Packet(0x50, 1)) + encode_packet(Packet(Ping.TYPE, 2)), host.now_ms)
        assert [getattr(each, "status", None) for each in host.hear()] == [
            Status.UNSUPPORTED,
            Status.BAD_LENGTH,
        ]

    def test_the_clock_counts_from_the_start(self) -> None:
        host = Host()
        host.wait(250)
        assert host.ask(Ping(5)) == PingReply(Status.OK, 5, 250)

    def test_settings_are_kept_and_used(self) -> None:
        host = Host()
        assert host.ask(ConfigSet(ConfigKey.DEBOUNCE_ON_MS, 20)) == ConfigSetReply(Status.OK)
        assert host.ask(ConfigGet(ConfigKey.DEBOUNCE_ON_MS)) == ConfigGetReply(
            Status.OK, ConfigKey.DEBOUNCE_ON_MS, 20
        )
        assert host.ask(ConfigSave()) == ConfigSaveReply(Status.OK)
        host.panel.close(0, host.now_ms)
        assert edges_in(host.wait(15)) == []
        assert edges_in(host.wait(10)) == [(0, 0x8000)]

    def test_counters_can_be_cleared(self) -> None:
        host = Host()
        host.ask(Ping(1))
        assert host.ask(ClearStats()) == ClearStatsReply(Status.OK)
        stats = host.ask(Stats())
        assert isinstance(stats, StatsReply)
        assert stats.packets == 1


class TestRing:
    def test_edges_are_resent_from_any_number_in_the_ring(self) -> None:
        host = Host()
        for cell in range(40):
            host.panel.close(cell, host.now_ms)
        first = edges_in(host.wait(10))
        assert len(first) == 40
        host.seq += 1
        host.panel.feed(
            encode_packet(Packet(EdgesSince.TYPE, host.seq, EdgesSince(10).encode())), host.now_ms
        )
        reply, *packets = host.hear()
        assert reply == EdgesSinceReply(Status.OK, 40)
        assert edges_in(packets) == first[10:]
        assert {len(packet.edges) for packet in packets if isinstance(packet, Edges)} == {16, 14}

    def test_more_edges_than_the_ring_holds_are_all_reported(self) -> None:
        """For example, a whole board is set up before the host connects."""
        host = Host("20x20")
        for cell in range(400):
            host.panel.close(cell, host.now_ms)
        assert [wire & 0x7FFF for _, wire in edges_in(host.wait(10))] == list(range(400))

    def test_numbers_from_before_the_ring_are_too_old(self) -> None:
        host = Host()
        for _ in range(70):
            for change in (host.panel.close, host.panel.open):
                change(0, host.now_ms)
                host.wait(50)
        assert host.status(EdgesSince(5)) is Status.TOO_OLD
        assert host.status(EdgesSince(20)) is Status.OK


WHITE = Colour(255, 255, 255, 0, 0, 0, 0, 0)


class TestLamps:
    def test_nothing_is_lit_before_it_is_shown(self) -> None:
        host = Host("4x8")
        host.ask(LedPalette(1, (replace(WHITE, green=0, blue=0),)))
        host.ask(LedFill(Lamp(0), (Run(0, 1, 1),)))
        assert set(host.panel.leds(host.now_ms)) == {(0, 0, 0)}
        host.ask(LedShow())
        assert host.panel.leds(host.now_ms)[0] == (255, 0, 0)

    def test_two_colours_take_turns(self) -> None:
        host = Host("4x8")
        host.ask(LedPalette(1, (Colour(9, 0, 0, 0, 0, 7, 50, 0), Colour(9, 0, 0, 0, 0, 7, 50, 25))))
        host.ask(LedFill(Lamp.SHOW, (Run(0, 1, 1), Run(1, 1, 2))))
        booted_ms = 100
        lit = [host.panel.leds(booted_ms + at_ms)[:2] for at_ms in (0, 249, 250, 499, 500)]
        red, blue = (9, 0, 0), (0, 0, 7)
        assert lit == [(red, blue), (red, blue), (blue, red), (blue, red), (red, blue)]

    def test_full_white_is_dimmed_to_the_limit_and_reported(self) -> None:
        host = Host("8x8")
        host.ask(LedPalette(1, (WHITE,)))
        reply = host.ask(LedFill(Lamp.SHOW, (Run(0, 64, 1),)))
        assert reply == LedFillReply(Status.POWER_LIMITED, 200)
        drawn_ma = sum(sum(rgb) for rgb in host.panel.leds(host.now_ms)) * 20 / 255 + 38
        assert 100 < drawn_ma <= 200

    def test_a_few_lamps_are_not_dimmed(self) -> None:
        host = Host("8x8")
        host.ask(LedPalette(1, (WHITE,)))
        host.ask(LedFill(Lamp.CLEAR, (Run(0, 2, 1),)))
        assert host.ask(LedShow()) == LedShowReply(Status.OK, 38 + 121)
        assert host.panel.leds(host.now_ms)[1] == (255, 255, 255)

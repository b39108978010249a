# SPDX-License-Identifier: Apache-2.0
"""The core's end of the link.

Each command is executed once, errors are answered as in PROTOCOL.md, and no edge is lost silently.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link.framing import Packet, cobs_encode, crc16, encode_packet
from companion.link.protocol_gen import (
    FINGERPRINT,
    INPUT_BUTTON,
    INPUT_LEVEL,
    INPUT_LEVER,
    RESET_MAGIC,
    Boot,
    ClearStats,
    Edges,
    EdgesSince,
    EdgesSinceReply,
    GetSnapshot,
    Health,
    Heartbeat,
    Hello,
    HelloReply,
    Ping,
    PingReply,
    Refusal,
    Reset,
    ResetCause,
    ResetReply,
    Stats,
    StatsReply,
    Status,
    Tone,
    decode_message,
)
from tests.firmware.native import NativePanel, numbered

pytestmark = pytest.mark.native


@pytest.fixture
def panel() -> NativePanel:
    panel = NativePanel()
    panel.listen(20)
    return panel


def stats(panel: NativePanel) -> StatsReply:
    reply = panel.ask(Stats())
    assert isinstance(reply, StatsReply)
    return reply


def replies_after(panel: NativePanel, wire: bytes, ms: int = 5) -> list[Packet]:
    panel.feed(wire)
    panel.run_ms(ms)
    return panel.packets()


# --- handshake ---


def test_a_panel_sends_boot_once_and_the_same_data_in_hello() -> None:
    panel = NativePanel()
    panel.listen(900)
    (boot,) = panel.notices_of(Boot)
    about = panel.hello()
    assert about.nonce == 0x55AA
    assert boot == Boot.decode(HelloReply.encode(about).replace(b"\xaa\x55", b"\0\0", 1))
    assert (about.status, about.fingerprint) == (Status.OK, FINGERPRINT)


def test_a_restarted_host_gets_a_fresh_hello_even_with_the_same_number(panel: NativePanel) -> None:
    first = panel.ask(Hello(1, 0, 1, FINGERPRINT), seq=1)
    second = panel.ask(Hello(1, 0, 2, FINGERPRINT), seq=1)
    assert isinstance(first, HelloReply)
    assert isinstance(second, HelloReply)
    assert (first.nonce, second.nonce) == (1, 2)


def test_a_host_of_another_version_gets_our_version(panel: NativePanel) -> None:
    reply = panel.ask(Hello(9, 7, 1, 0))
    assert isinstance(reply, HelloReply)
    assert (reply.major, reply.minor, reply.fingerprint) == (1, 1, FINGERPRINT)


def test_a_reset_command_is_answered_first_and_boots_a_new_session(panel: NativePanel) -> None:
    session = panel.hello().session
    assert panel.ask(Reset(RESET_MAGIC)) == ResetReply(Status.OK)
    panel.listen(20)
    boot = panel.notices_of(Boot)[-1]
    assert boot.reset_cause is ResetCause.COMMAND
    assert boot.session != session


def test_a_reset_without_the_magic_word_does_nothing(panel: NativePanel) -> None:
    session = panel.hello().session
    reply = panel.ask(Reset(RESET_MAGIC ^ 1))
    assert reply == Refusal(ResetReply.TYPE, Status.BAD_ARGUMENT)
    panel.listen(20)
    assert panel.hello().session == session


# --- one command, one reply ---


def test_a_repeated_command_is_not_carried_out_twice(panel: NativePanel) -> None:
    first = panel.ask(Ping(7), seq=9)
    panel.run_ms(30)
    again = panel.ask(Ping(7), seq=9)
    later = panel.ask(Ping(7), seq=10)
    assert isinstance(later, PingReply)
    assert again == first
    assert later != first
    assert stats(panel).repeats == 1


def test_the_same_number_with_another_type_is_another_command(panel: NativePanel) -> None:
    panel.ask(Ping(7), seq=9)
    assert isinstance(panel.ask(Stats(), seq=9), StatsReply)


@given(st.integers(1, 0x5F), st.integers(1, 255), st.binary(max_size=60))
def test_every_command_whatever_it_holds_has_exactly_one_reply(kind: int, seq: int, payload: bytes) -> None:
    panel = NativePanel()
    panel.listen(20)
    (reply,) = replies_after(panel, encode_packet(Packet(kind, seq, payload)), 40)
    assert (reply.type, reply.seq) == (kind | 0x80, seq)
    decode_message(reply.type, reply.payload)
    assert isinstance(panel.ask(Ping(1), seq=seq % 255 + 1), PingReply)


@pytest.mark.parametrize("kind", [0x09, 0x2F, 0x5F])
def test_an_unknown_command_is_refused_as_unsupported(panel: NativePanel, kind: int) -> None:
    (reply,) = replies_after(panel, encode_packet(Packet(kind, 3, b"abc")))
    assert decode_message(reply.type, reply.payload) == Refusal(kind | 0x80, Status.UNSUPPORTED)


@pytest.mark.parametrize("kind", [Ping, Hello, GetSnapshot, EdgesSince, Reset])
def test_a_command_cut_short_is_refused_for_its_length(panel: NativePanel, kind: type) -> None:
    (reply,) = replies_after(panel, encode_packet(Packet(kind.TYPE, 3, b"")))  # type: ignore[attr-defined]
    assert reply.payload == bytes((Status.BAD_LENGTH,))


def test_surplus_bytes_of_a_newer_host_are_ignored(panel: NativePanel) -> None:
    (reply,) = replies_after(panel, encode_packet(Packet(Ping.TYPE, 3, Ping(5).encode() + b"new")))
    assert PingReply.decode(reply.payload).echo == 5


@pytest.mark.parametrize(("kind", "seq"), [(0x00, 5), (0x60, 5), (0x81, 5), (0xF2, 0), (Ping.TYPE, 0)])
def test_an_invalid_packet_is_counted_and_not_answered(panel: NativePanel, kind: int, seq: int) -> None:
    assert replies_after(panel, encode_packet(Packet(kind, seq, bytes(8)))) == []
    assert stats(panel).bad_packets == 1


# --- noise ---


def test_a_packet_with_a_changed_byte_is_ignored(panel: NativePanel) -> None:
    wire = encode_packet(Packet(Ping.TYPE, 3, Ping(5).encode()))
    for at in range(len(wire) - 1):
        for bit in (0x01, 0x80):
            damaged = bytearray(wire)
            damaged[at] ^= bit
            assert replies_after(panel, bytes(damaged) + b"\0", 2) == []
    assert isinstance(panel.ask(Ping(6)), PingReply)


def test_an_oversized_packet_is_dropped_and_counted(panel: NativePanel) -> None:
    body = bytes((Ping.TYPE, 3)) + b"\x55" * 400
    assert replies_after(panel, cobs_encode(body + crc16(body).to_bytes(2, "little")) + b"\0", 20) == []
    assert isinstance(panel.ask(Ping(6)), PingReply)
    assert stats(panel).oversized == 1


def test_the_largest_packet_is_taken(panel: NativePanel) -> None:
    room = panel.hello().max_packet - 4
    (reply,) = replies_after(panel, encode_packet(Packet(Ping.TYPE, 9, bytes(room))), 20)
    assert PingReply.decode(reply.payload).status is Status.OK


@given(st.binary(max_size=300))
def test_after_any_garbage_the_next_good_packet_is_answered(garbage: bytes) -> None:
    panel = NativePanel()
    panel.listen(5)
    panel.feed(garbage)
    panel.run_ms(60)
    panel.packets()
    panel.feed(b"\0")
    panel.run_ms(60)
    panel.packets()
    assert isinstance(panel.ask(Ping(1), seq=200), PingReply)


@given(st.lists(st.integers(1, 20), max_size=12))
def test_a_packet_may_arrive_in_any_pieces(sizes: list[int]) -> None:
    panel = NativePanel()
    panel.listen(5)
    wire = encode_packet(Packet(Ping.TYPE, 3, Ping(0x12003400).encode()))
    for size in sizes:
        panel.feed(wire[:size])
        wire = wire[size:]
        panel.run_ms(1)
    panel.feed(wire)
    panel.run_ms(2)
    (reply,) = panel.packets()
    assert PingReply.decode(reply.payload).echo == 0x12003400


# --- edges ---


def test_cells_buttons_and_lever_share_one_sequence(panel: NativePanel) -> None:
    panel.buttons(0x8000)
    panel.run_ms(2)
    panel.switch(12, True)
    found = panel.edges(10)
    panel.buttons(0x8002)
    found += panel.edges(10)
    assert [(number, edge) for number, _, edge in found] == [
        (1, INPUT_LEVER | INPUT_LEVEL),
        (2, 12 | INPUT_LEVEL),
        (3, (INPUT_BUTTON + 1) | INPUT_LEVEL),
    ]
    _, _, state = panel.state()
    assert state == bytes((0, 0x10, 0, 0, 0, 0, 0, 0)) + (0x8002).to_bytes(2, "little")


def move_at_random(panel: NativePanel, moves: list[tuple[int, int]]) -> list[tuple[int, int, int]]:
    """Toggle cells, some ms after one another; return every edge told."""
    found, closed = [], set[int]()
    for pause_ms, cell in moves:
        closed ^= {cell}
        panel.switch(cell, cell in closed)
        found += panel.edges(pause_ms)
    return found + panel.edges(20)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 63)), min_size=1, max_size=60))
def test_every_packet_carries_the_crc_of_the_state_after_it(moves: list[tuple[int, int]]) -> None:
    panel = NativePanel()
    panel.listen(5)
    move_at_random(panel, moves)
    state = 0
    for packet in panel.notices_of(Edges):
        for edge in packet.edges:
            bit = 1 << (edge.input & 0x3FF)
            assert bool(state & bit) is not bool(edge.input & INPUT_LEVEL)
            state ^= bit
        assert packet.state_crc == crc16(state.to_bytes(10, "little"))
    sequence, crc, whole = panel.state()
    assert (crc, whole) == (crc16(state.to_bytes(10, "little")), state.to_bytes(10, "little"))
    panel.listen(1100)
    beat = panel.notices_of(Heartbeat)[-1]
    assert (beat.sequence, beat.state_crc) == (sequence, crc)


def test_edges_asked_for_again_come_again_with_the_same_numbers_and_stamps(panel: NativePanel) -> None:
    told = move_at_random(panel, [(9, cell) for cell in range(30)])
    assert len(told) == 30
    for after in (29, 17, 0, 30):
        panel.send(EdgesSince(after))
        panel.run_ms(20)
        (reply,) = panel.packets()
        assert EdgesSinceReply.decode(reply.payload) == EdgesSinceReply(Status.OK, 30)
        again = numbered(panel.notices)[-(30 - after) :] if after < 30 else []
        assert again == told[after:]


def test_edges_that_left_the_ring_are_refused_as_too_old(panel: NativePanel) -> None:
    move_at_random(panel, [(9, cell % 60) for cell in range(70)])
    refused = panel.ask(EdgesSince(5))
    assert refused == Refusal(EdgesSinceReply.TYPE, Status.TOO_OLD)
    assert panel.ask(EdgesSince(6)) == EdgesSinceReply(Status.OK, 70)
    sequence, _, _ = panel.state()
    assert sequence == 70


def test_numbers_pass_their_sixteen_bits_without_a_gap() -> None:
    panel = NativePanel("20x20")
    panel.listen(5)
    numbers: list[int] = []
    for wave in range(166):
        for cell in range(400):
            panel.switch(cell, wave % 2 == 0)
        for _ in range(80):
            panel.run_ms(1, 500)
            numbers += [number for number, _, _ in numbered(panel.listen(0))]
        panel.notices.clear()
    assert len(numbers) == 166 * 400
    assert numbers == [n % 65536 for n in range(1, len(numbers) + 1)]
    newest = numbers[-1]
    assert panel.ask(EdgesSince((newest - 3) % 65536)) == EdgesSinceReply(Status.OK, newest)


def test_unread_edges_wait_and_lost_ones_are_counted() -> None:
    panel = NativePanel()
    panel.listen(5)
    truth = [(cell % 64, cell // 64 % 2 == 0) for cell in range(400)]
    for cell, is_closed in truth:  # first the line's buffer fills, then the ring, then the list of bursts
        panel.switch(cell, is_closed)
        panel.run_ms(6)
    found = panel.edges(300)
    assert [number for number, _, _ in found] == list(range(1, len(found) + 1))
    assert [edge for _, _, edge in found[:100]] == [
        cell | (INPUT_LEVEL if is_closed else 0) for cell, is_closed in truth[:100]
    ]
    levels = {edge & 0x3FF: bool(edge & INPUT_LEVEL) for _, _, edge in found}
    assert levels == dict(truth), "what is left of it is the truth"
    assert stats(panel).edges_lost > 0
    assert any(beat.health & Health.EDGES_LOST for beat in panel.notices_of(Heartbeat))


# --- statistics ---


def test_cleared_statistics_start_from_zero(panel: NativePanel) -> None:
    replies_after(panel, b"\x05noise\0")
    assert stats(panel).bad_packets == 1
    panel.ask(ClearStats())
    after = stats(panel)
    assert (after.bad_packets, after.packets) == (0, 1)


def test_commands_with_a_tail_that_does_not_divide_are_refused(panel: NativePanel) -> None:
    (reply,) = replies_after(panel, encode_packet(Packet(Tone.TYPE, 3, b"\1\2\3")))
    assert reply.payload == bytes((Status.BAD_LENGTH,))

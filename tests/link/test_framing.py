# SPDX-License-Identifier: Apache-2.0
"""Framing: packets survive, noise never raises, one good packet resynchronises."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link.framing import (
    OVERHEAD,
    BadPacket,
    Decoder,
    Framed,
    Packet,
    cobs_decode,
    cobs_encode,
    crc16,
    encode_packet,
)
from companion.link.protocol_gen import MAX_PACKET_LARGE

MAX_PAYLOAD = MAX_PACKET_LARGE - OVERHEAD

SAMPLES = (
    Packet(0x01, 1),
    Packet(0x02, 255, bytes(4)),
    Packet(0xF2, 0, b"\x00\x01\x00\xff"),
    Packet(0x10, 7, bytes(range(256))[:MAX_PAYLOAD]),
    Packet(0x20, 9, b"\x01" * MAX_PAYLOAD),
    Packet(0x20, 9, b"\x00" * MAX_PAYLOAD),
)

PACKETS = st.builds(Packet, st.integers(0, 255), st.integers(0, 255), st.binary(max_size=MAX_PAYLOAD))


def read(*chunks: bytes) -> list[Framed]:
    decoder = Decoder()
    return [framed for chunk in chunks for framed in decoder.feed(chunk)]


def test_the_crc_has_the_published_check_value() -> None:
    assert crc16(b"123456789") == 0x6F91
    assert crc16(b"") == 0xFFFF


@pytest.mark.parametrize(
    ("plain", "encoded"),
    [
        ("", "01"),
        ("00", "0101"),
        ("0000", "010101"),
        ("11220033", "0311220233"),
        ("11223344", "0511223344"),
        ("11000000", "0211010101"),
    ],
)
def test_cobs_encodes_the_published_examples(plain: str, encoded: str) -> None:
    """The published examples.

    Source: Cheshire and Baker, Consistent Overhead Byte Stuffing; the table of its encyclopaedia
    page.
    """
    assert cobs_encode(bytes.fromhex(plain)).hex() == encoded
    assert cobs_decode(bytes.fromhex(encoded)) == bytes.fromhex(plain)


@given(st.binary(max_size=600))
def test_cobs_decodes_to_its_input_and_contains_no_boundary(data: bytes) -> None:
    encoded = cobs_encode(data)
    assert 0 not in encoded
    assert cobs_decode(encoded) == data


@pytest.mark.parametrize("length", [253, 254, 255, 508, 509])
def test_cobs_survives_runs_longer_than_a_block(length: int) -> None:
    data = b"\x07" * length + b"\x00" + b"\x07" * length
    assert cobs_decode(cobs_encode(data)) == data


@pytest.mark.parametrize("packet", SAMPLES)
def test_a_packet_arrives_in_one_chunk(packet: Packet) -> None:
    assert read(encode_packet(packet)) == [packet]


@pytest.mark.parametrize("packet", SAMPLES)
def test_a_packet_arrives_byte_by_byte_and_not_before_its_last(packet: Packet) -> None:
    wire = encode_packet(packet)
    decoder = Decoder()
    for byte in wire[:-1]:
        assert decoder.feed(bytes((byte,))) == []
    assert decoder.feed(wire[-1:]) == [packet]


@pytest.mark.parametrize("packet", SAMPLES)
def test_bytes_after_a_packet_wait_for_their_own_boundary(packet: Packet) -> None:
    wire = encode_packet(packet)
    assert read(wire + wire[:3], wire[3:]) == [packet, packet]


@given(st.lists(PACKETS, max_size=6), st.data())
def test_packets_survive_any_splitting(packets: list[Packet], data: st.DataObject) -> None:
    wire = b"".join(encode_packet(packet) for packet in packets)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(wire)), max_size=8)))
    chunks = [wire[a:b] for a, b in zip([0, *cuts], [*cuts, len(wire)], strict=True)]
    assert read(*chunks) == packets


@given(st.binary(max_size=2000))
def test_noise_never_raises(noise: bytes) -> None:
    for framed in read(noise):
        assert isinstance(framed, Packet | BadPacket)


@given(st.binary(max_size=2000), PACKETS, PACKETS)
def test_one_packet_resynchronises_after_any_noise(noise: bytes, first: Packet, second: Packet) -> None:
    """The noise may swallow the first packet; the second always arrives."""
    assert read(noise, encode_packet(first), encode_packet(second))[-1] == second


@given(st.binary(max_size=2000), PACKETS)
def test_a_boundary_in_front_saves_even_the_first_packet(noise: bytes, packet: Packet) -> None:
    assert read(noise, b"\x00" + encode_packet(packet))[-1] == packet


@given(PACKETS, st.data())
def test_a_flipped_bit_is_never_taken_for_a_packet(packet: Packet, data: st.DataObject) -> None:
    """A CRC of 16 bits detects every single flipped bit.

    A flip may also create or remove a boundary.
    """
    wire = bytearray(encode_packet(packet))
    at = data.draw(st.integers(0, len(wire) - 1))
    wire[at] ^= 1 << data.draw(st.integers(0, 7))
    assert packet not in read(bytes(wire))


def test_consecutive_boundaries_are_no_packets() -> None:
    assert read(b"\x00\x00\x00") == []


@pytest.mark.parametrize(
    ("wire", "reason"),
    [
        (b"\x05\x01\x00", "cut off"),
        (b"\x02\x01\x00", "too few"),
        (b"\x06\x01\x02\x03\x04\x05\x00", "CRC"),
        (b"\x01" * 252 + b"\x00", "longer than 250"),
    ],
)
def test_a_damaged_packet_is_reported_with_its_defect(wire: bytes, reason: str) -> None:
    (bad,) = read(wire)
    assert isinstance(bad, BadPacket)
    assert reason in bad.reason


def test_an_endless_packet_takes_no_memory() -> None:
    decoder = Decoder()
    for _ in range(1000):
        assert decoder.feed(b"\x01" * 1000) == []
    (bad,) = decoder.feed(b"\x00")
    assert isinstance(bad, BadPacket)
    assert len(bad.raw) <= MAX_PACKET_LARGE + 2


def test_sending_an_overlong_packet_is_a_programming_error() -> None:
    with pytest.raises(ValueError, match="0x20 has 251 bytes"):
        encode_packet(Packet(0x20, 1, bytes(MAX_PAYLOAD + 1)))

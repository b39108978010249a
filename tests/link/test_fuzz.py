# SPDX-License-Identifier: Apache-2.0
"""Fuzzing: no received bytes make either end raise or loop for ever."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from companion.link.connection import Connection
from companion.link.framing import OVERHEAD, Decoder, Packet, crc16, encode_packet
from companion.link.protocol_gen import (
    MAX_PACKET_LARGE,
    MESSAGES,
    REPLY_BIT,
    Capability,
    Colour,
    GetSnapshot,
    GetSnapshotReply,
    Hello,
    Status,
)
from tests.wires import ConnectionPair

PAYLOADS = st.binary(max_size=MAX_PACKET_LARGE - OVERHEAD)
PACKETS = st.builds(
    Packet, st.sampled_from(sorted(MESSAGES)) | st.integers(0, 255), st.integers(0, 4), PAYLOADS
)

RED = (Colour(40, 0, 0, 0, 0, 0, 0, 0),) * 16
GREEN = (Colour(0, 40, 0, 0, 0, 0, 0, 0),) * 16


@given(st.lists(PACKETS, max_size=30))
@settings(max_examples=150)
def test_the_host_survives_valid_packets_of_any_content(packets: list[Packet]) -> None:
    pair = ConnectionPair()
    pair.run(5)
    pair.host.colour(RED)
    pair.host.show((3,) * 64)
    for packet in packets:
        pair.now_ms += 50
        pair.host.feed(encode_packet(packet), pair.now_ms)
        pair.host.tick(pair.now_ms)
        pair.host.bytes_to_send(pair.now_ms)
    pair.host.colour(GREEN)  # a packet may have claimed that the panel has taken the red ones
    pair.host.show((4,) * 64)
    pair.run(20_000)
    assert pair.host.is_up, "no connection to the panel afterwards"
    lit = set(pair.panel.leds(pair.now_ms))
    assert len(lit) == 1
    assert lit != {(0, 0, 0)}, "the lamps are not as wanted"


SIZES = st.fixed_dictionaries(
    {
        "cells": st.sampled_from([0, 1, 64, 1023, 0xFFFF]),
        "rows": st.integers(0, 255),
        "cols": st.integers(0, 255),
        "leds": st.sampled_from([0, 1, 64, 400, 0xFFFF]),
        "palette": st.integers(0, 255),
        "text_lines": st.integers(0, 255),
        "buttons": st.integers(0, 255),
        "max_packet": st.sampled_from([0, 1, 4, 5, 9, 63, 64, 250, 255]),
        "capabilities": st.integers(0, 0xFFFF).map(Capability),
    }
)


@given(SIZES, st.lists(PAYLOADS, max_size=12))
@settings(max_examples=150)
def test_the_host_survives_any_description_of_a_panel(sizes: dict[str, Any], answers: list[bytes]) -> None:
    """Hello and snapshot are valid except for the description.

    Every other command is answered with arbitrary bytes.
    """
    host = Connection(nonce=7)
    host.show((1,) * 70)
    host.colour((Colour(1, 2, 3, 4, 5, 6, 7, 8),))
    host.write(0, "text")
    hello = replace(ConnectionPair().panel.device.describe(8), **sizes)
    state = bytes((hello.cells + 7) // 8 + 2)
    listener = Decoder()
    for turn, answer in enumerate([b""] * 12 + answers):
        now_ms = 20 * turn
        host.tick(now_ms)
        for packet in listener.feed(host.bytes_to_send(now_ms)):
            assert isinstance(packet, Packet)
            payload = answer
            if packet.type == Hello.TYPE:
                payload = replace(hello, nonce=int.from_bytes(packet.payload[2:4], "little")).encode()
            elif packet.type == GetSnapshot.TYPE:
                at = packet.payload[0]
                part = state[at : at + 200]
                payload = GetSnapshotReply(
                    Status.OK, 0, 0, crc16(state), len(state) & 0xFF, at, part
                ).encode()
            host.feed(encode_packet(Packet(packet.type | REPLY_BIT, packet.seq, payload)), now_ms)


@given(st.lists(PACKETS | PAYLOADS, max_size=30))
@settings(max_examples=150)
def test_the_software_panel_survives_any_bytes(chunks: list[Packet | bytes]) -> None:
    pair = ConnectionPair("4x8")
    for chunk in chunks:
        pair.now_ms += 50
        pair.panel.feed(encode_packet(chunk) if isinstance(chunk, Packet) else chunk, pair.now_ms)
        pair.panel.bytes_to_send(pair.now_ms)
        assert len(pair.panel.leds(pair.now_ms)) == 32

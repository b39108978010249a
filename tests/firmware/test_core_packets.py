# SPDX-License-Identifier: Apache-2.0
"""C and Python agree on the wire format: CRC, stuffing, messages, golden vectors."""

from __future__ import annotations

import ctypes
import json
import typing
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companion.link import protocol_gen as protocol
from companion.link.framing import Packet, cobs_encode, crc16, decode_packet, encode_packet
from companion.link.protocol_gen import MESSAGES, Whole, decode_message
from firmware.generate import ROOT, SOURCE
from firmware.generator.schema import Layout, read_schema
from tests.firmware.messages import messages
from tests.firmware.native import library

pytestmark = pytest.mark.native

C_TYPES: dict[str, typing.Any] = {
    "u8": ctypes.c_uint8,
    "u16": ctypes.c_uint16,
    "u32": ctypes.c_uint32,
    "bytes8": ctypes.c_uint8 * 8,
}
SCHEMA = read_schema(SOURCE.read_text(encoding="utf-8"))
LAYOUTS = {layout.number: layout for layout in SCHEMA.messages}
VECTORS = json.loads((ROOT / "firmware" / "vectors.json").read_text(encoding="utf-8"))
WITH_HEAD = [kind for number, kind in sorted(MESSAGES.items()) if LAYOUTS[number].fields]


def c_struct(layout: Layout) -> type[ctypes.Structure]:
    """Return the struct of a head as the C compiler lays it out."""
    members = [(field.name, C_TYPES[field.wire]) for field in layout.fields]
    return type(layout.c, (ctypes.Structure,), {"_fields_": members})


def c_head(message: Whole) -> tuple[ctypes.Structure, Layout]:
    layout = LAYOUTS[message.TYPE]
    head = c_struct(layout)()
    for field in layout.fields:
        value = getattr(message, field.name)
        setattr(head, field.name, C_TYPES["bytes8"](*value) if field.wire == "bytes8" else int(value))
    return head, layout


@given(st.sampled_from(WITH_HEAD).flatmap(messages))
def test_c_writes_and_reads_every_head_as_python_does(message: Whole) -> None:
    head, layout = c_head(message)
    room = ctypes.create_string_buffer(64)
    assert getattr(library("8x8"), f"put_{layout.c}")(ctypes.byref(head), room) == layout.size
    assert room.raw[: layout.size] == message.encode()[: layout.size]
    read = c_struct(layout)()
    get = getattr(library("8x8"), f"get_{layout.c}")
    get.restype = ctypes.c_bool
    assert get(message.encode(), layout.size, ctypes.byref(read))
    assert bytes(read) == bytes(head) or _values(read) == _values(head)
    assert not get(message.encode(), layout.size - 1, ctypes.byref(read))


def _values(head: ctypes.Structure) -> list[typing.Any]:
    values = [getattr(head, name) for name, *_ in head._fields_]
    return [list(value) if isinstance(value, ctypes.Array) else value for value in values]


@given(st.binary(max_size=300))
def test_both_ends_have_the_same_crc(data: bytes) -> None:
    assert library("8x8").native_crc(data, len(data)) == crc16(data)


@given(st.binary(min_size=1, max_size=250) | st.lists(st.sampled_from((0, 1, 255)), min_size=1).map(bytes))
def test_c_stuffs_and_unstuffs_as_python_does(data: bytes) -> None:
    data = data[:250]
    core = library("8x8")
    core.cobs_decode.restype = ctypes.c_int16
    room = (ctypes.c_uint8 * (len(data) + 1))(0, *data)
    core.cobs_encode(room, len(data))
    assert bytes(room) == cobs_encode(data)
    assert core.cobs_decode(room, len(room)) == len(data)
    assert bytes(room)[1:] == data


@given(st.binary(min_size=1, max_size=251))
def test_c_unstuffs_anything_without_leaving_its_buffer(data: bytes) -> None:
    core = library("8x8")
    core.cobs_decode.restype = ctypes.c_int16
    room = (ctypes.c_uint8 * 300)(*data, *([0xA5] * (300 - len(data))))
    length = core.cobs_decode(room, len(data))
    assert -1 <= length < len(data)
    assert bytes(room)[len(data) :] == b"\xa5" * (300 - len(data))


@pytest.mark.parametrize("vector", VECTORS["crc"], ids=lambda vector: vector["bytes"])
def test_crc_vector(vector: dict[str, typing.Any]) -> None:
    data = bytes.fromhex(vector["bytes"])
    assert crc16(data) == vector["crc"]
    assert library("8x8").native_crc(data, len(data)) == vector["crc"]


@pytest.mark.parametrize("vector", VECTORS["packets"], ids=lambda vector: vector["name"])
def test_packet_vector(vector: dict[str, typing.Any]) -> None:
    wire = bytes.fromhex(vector["wire"])
    packet = decode_packet(wire[:-1])
    assert packet == Packet(vector["type"], vector["seq"], bytes.fromhex(vector["payload"]))
    assert encode_packet(packet).lstrip(b"\0") == wire
    message = decode_message(packet.type, packet.payload)
    assert isinstance(message, MESSAGES[vector["type"]])
    assert {name: _plain(getattr(message, name)) for name in vector["fields"]} == vector["fields"]
    assert message.encode() == packet.payload
    head, layout = c_head(message)
    if layout.fields:
        room = ctypes.create_string_buffer(64)
        getattr(library("8x8"), f"put_{layout.c}")(ctypes.byref(head), room)
        assert room.raw[: layout.size] == packet.payload[: layout.size]


def test_every_message_has_a_vector() -> None:
    assert {vector["type"] for vector in VECTORS["packets"]} == set(MESSAGES)


def _plain(value: typing.Any) -> typing.Any:
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [
            {field.name: _plain(getattr(entry, field.name)) for field in fields(entry)} for entry in value
        ]
    return int(value) if isinstance(value, int) else value


def test_the_vectors_belong_to_this_protocol() -> None:
    assert VECTORS["fingerprint"] == protocol.FINGERPRINT

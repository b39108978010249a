# SPDX-License-Identifier: Apache-2.0
"""Packets on the wire: encoding and decoding.

Pure: independent of messages and time.
A packet is sent as `COBS(type, seq, payload, crc16 low, crc16 high)` and a closing 0x00.
COBS leaves no 0x00 inside, so after any noise the next 0x00 is a true boundary.
A damaged packet is data: `BadPacket`, never an exception.
"""

from __future__ import annotations

import binascii
from typing import Final, NamedTuple, TypeAlias

from companion.link.protocol_gen import MAX_PACKET_LARGE

OVERHEAD: Final = 4
"""Bytes of a packet besides the payload: type, sequence and CRC."""

_MAX_ENCODED: Final = MAX_PACKET_LARGE + 1
"""COBS adds one byte to anything below 255 bytes."""

_LENGTHS: Final = tuple(bytes((length,)) for length in range(1, 256))
"""What precedes a run of that many bytes."""

_MIRRORED_BYTES: Final = bytes(int(f"{byte:08b}"[::-1], 2) for byte in range(256))


class Packet(NamedTuple):
    """A packet with a correct CRC."""

    type: int
    seq: int
    """1 to 255 for a command and its reply, 0 for a notice."""
    payload: bytes = b""


class BadPacket(NamedTuple):
    """Bytes between two boundaries that are not a packet."""

    reason: str
    raw: bytes
    """The received bytes without the closing 0x00; only the beginning if it was too long."""


Framed: TypeAlias = Packet | BadPacket


def crc16(data: bytes) -> int:
    """The CRC-16/MCRF4XX of *data*: polynomial 0x1021 reflected, start 0xFFFF.

    >>> hex(crc16(b"123456789"))
    '0x6f91'
    """
    # crc_hqx is the unreflected form of this polynomial, in C: mirror the input bytes and the sum.
    plain = binascii.crc_hqx(data.translate(_MIRRORED_BYTES), 0xFFFF)
    return _MIRRORED_BYTES[plain & 0xFF] << 8 | _MIRRORED_BYTES[plain >> 8]


def cobs_encode(data: bytes) -> bytes:
    """*data* without any 0x00: at most one byte in 254 longer, plus one.

    >>> cobs_encode(b"ab").hex(), cobs_encode(bytes((0, 1))).hex()
    ('036162', '010201')
    """
    runs = data.split(b"\x00")
    if len(data) < 254:
        return b"".join([_LENGTHS[len(run)] + run for run in runs])
    encoded = bytearray()
    for run in runs:
        while len(run) >= 254:
            encoded += b"\xff" + run[:254]
            run = run[254:]
        encoded.append(len(run) + 1)
        encoded += run
    return bytes(encoded)


def cobs_decode(encoded: bytes) -> bytes | None:
    """The inverse of `cobs_encode`; None if *encoded* holds a 0x00 or ends within a run."""
    if 0 in encoded:
        return None
    decoded, at, joints = bytearray(encoded), 0, []
    while at < len(encoded):
        length, decoded[at] = decoded[at], 0
        if length == 255:
            joints.append(at + length)
        at += length
    if at != len(encoded):
        return None
    for joint in reversed(joints):  # no 0x00 was left out there
        del decoded[joint : joint + 1]
    return bytes(decoded[1:])


def encode_packet(packet: Packet) -> bytes:
    """The bytes of *packet* on the wire, with closing 0x00.

    Raises `ValueError` if it is too long.
    """
    body = bytes((packet.type, packet.seq)) + packet.payload
    if len(body) + 2 > MAX_PACKET_LARGE:
        raise ValueError(
            f"packet {packet.type:#04x} has {len(body) + 2} bytes; the limit is {MAX_PACKET_LARGE}"
        )
    return cobs_encode(body + crc16(body).to_bytes(2, "little")) + b"\x00"


def decode_packet(encoded: bytes) -> Framed:
    """The packet in *encoded*, the bytes between two boundaries."""
    body = cobs_decode(encoded)
    if body is None:
        return BadPacket("a run of COBS is cut off", encoded)
    if len(body) < OVERHEAD:
        return BadPacket(f"{len(body)} bytes are too few for a packet", encoded)
    if crc16(body[:-2]) != int.from_bytes(body[-2:], "little"):
        return BadPacket("the CRC does not fit", encoded)
    return Packet(body[0], body[1], body[2:-2])


class Decoder:
    """Collects bytes into packets; holds at most one incomplete packet."""

    def __init__(self) -> None:
        self._collected = bytearray()

    def feed(self, data: bytes) -> list[Framed]:
        """The packets, good and damaged, that *data* completes, in order."""
        *closed, rest = data.split(b"\x00")
        completed = []
        for part in closed:
            if not self._collected and len(part) <= _MAX_ENCODED:
                if part:
                    completed.append(decode_packet(part))  # most arrive whole
                continue
            self._collect(part)
            completed.append(self._take())
        if rest:
            self._collect(rest)
        return completed

    def _collect(self, part: bytes) -> None:
        """Store *part*, limited to the length at which a packet counts as too long."""
        self._collected += part[: _MAX_ENCODED + 1 - len(self._collected)]

    def _take(self) -> Framed:
        """Return and clear the collected bytes."""
        encoded = bytes(self._collected)
        self._collected.clear()
        if len(encoded) > _MAX_ENCODED:
            return BadPacket(f"longer than {MAX_PACKET_LARGE} bytes", encoded)
        return decode_packet(encoded)

# SPDX-License-Identifier: Apache-2.0
# Generated from firmware/protocol.toml by firmware/generate.py. Do not edit.
"""The words of the board link: every message as a frozen value that encodes and decodes its payload.

Pure: bytes in, values out. An unknown enum value or flag survives reading; a payload that is too short raises
`PayloadError`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, IntFlag
from typing import Any, ClassVar, Final, Self, TypeAlias

PROTOCOL_MAJOR: Final = 1
PROTOCOL_MINOR: Final = 1
FINGERPRINT: Final = 0xA7228779
"""CRC-32 of all names, numbers and types: equal on both ends, or the ends were built from different tables."""

MAX_PACKET_SMALL: Final = 64
MAX_PACKET_LARGE: Final = 250
MAX_CELLS: Final = 1023
INPUT_BUTTON: Final = 0x4000
INPUT_LEVER: Final = 0x4100
INPUT_LEVEL: Final = 0x8000
MAX_BUTTONS: Final = 15
EDGES_PER_PACKET: Final = 16
PALETTE_SIZE: Final = 16
TONE_NOTES: Final = 8
TEXT_BYTES: Final = 40
HEARTBEAT_MS: Final = 1000
HOST_SILENCE_MS: Final = 3000
REPLY_TIMEOUT_MS: Final = 250
COMMAND_TRIES: Final = 3
BAUD: Final = 250000
RESET_MAGIC: Final = 0xB007

class PayloadError(ValueError):
    """A payload does not fit its message; the text names the message."""


class _OpenEnum(IntEnum):
    """An enum in which a newer peer's unknown value becomes a member called UNKNOWN_<value>."""

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, int):
            return None
        member = int.__new__(cls, value)
        member._name_ = f"UNKNOWN_{value}"
        member._value_ = value
        return member


@dataclass(frozen=True, slots=True)
class Tlv:
    """A tagged value; readers skip tags they do not know."""

    tag: int
    data: bytes


def _pack(head: struct.Struct, name: str, *values: Any) -> bytes:
    try:
        return head.pack(*values)
    except struct.error as error:
        raise ValueError(f"{name}: {error}") from None


def _split(head: struct.Struct, name: str, payload: bytes) -> tuple[tuple[Any, ...], bytes]:
    if len(payload) < head.size:
        raise PayloadError(f"{name}: {len(payload)} bytes where at least {head.size} were expected")
    return head.unpack_from(payload), payload[head.size :]


def _entries(size: int, name: str, tail: bytes) -> list[bytes]:
    if len(tail) % size:
        raise PayloadError(f"{name}: {len(tail)} bytes do not divide into entries of {size}")
    return [tail[at : at + size] for at in range(0, len(tail), size)]


def _pack_tlvs(tlvs: tuple[Tlv, ...]) -> bytes:
    return b"".join(bytes((tlv.tag, len(tlv.data))) + tlv.data for tlv in tlvs)


def _split_tlvs(name: str, tail: bytes) -> tuple[Tlv, ...]:
    found: list[Tlv] = []
    while tail:
        if len(tail) < 2 or len(tail) < 2 + tail[1]:
            raise PayloadError(f"{name}: a tagged value is cut off")
        found.append(Tlv(tail[0], tail[2 : 2 + tail[1]]))
        tail = tail[2 + tail[1] :]
    return tuple(found)


class Status(_OpenEnum):
    """The first byte of every reply. Below 0x10 the command was carried out; from there on it was not, and
    the reply has no other fields.
    """

    OK = 0x00
    POWER_LIMITED = 0x01
    UNSUPPORTED = 0x10
    BAD_LENGTH = 0x11
    BAD_ARGUMENT = 0x12
    TOO_OLD = 0x13
    STORAGE_FAILED = 0x14


class BoardKind(_OpenEnum):
    """The chip, or its replacement."""

    NATIVE = 0x00
    ATMEGA328P = 0x01
    ATMEGA2560 = 0x02
    ARDUINO = 0x03
    RP2040 = 0x04
    VIRTUAL = 0x05


class ResetCause(_OpenEnum):
    """The cause of the panel's start."""

    UNKNOWN = 0x00
    POWER_ON = 0x01
    EXTERNAL = 0x02
    BROWN_OUT = 0x03
    WATCHDOG = 0x04
    COMMAND = 0x05


class ConfigKey(_OpenEnum):
    """Keys of CONFIG_GET and CONFIG_SET."""

    DEBOUNCE_ON_MS = 0x01
    DEBOUNCE_OFF_MS = 0x02
    CURRENT_LIMIT_MA = 0x03
    BRIGHTNESS = 0x04


class Tag(_OpenEnum):
    """Tags of the TLVs in HELLO and BOOT; readers skip unknown ones."""

    PANEL = 0x01
    FAULTS = 0x02


class LogLevel(_OpenEnum):
    """Severity of a LOG line."""

    DEBUG = 0x00
    INFO = 0x01
    WARNING = 0x02
    ERROR = 0x03


class Capability(IntFlag):
    """Features of a panel."""

    LEDS = 0x01
    TEXT = 0x02
    TONE = 0x04
    CONFIG = 0x08
    LEVER = 0x10


class Health(IntFlag):
    """Problems in a heartbeat; the first two are present states, the others events since the last
    heartbeat.
    """

    DARK = 0x01
    POWER_LIMITED = 0x02
    RX_LOST = 0x04
    BAD_PACKET = 0x08
    SCAN_LATE = 0x10
    EDGES_LOST = 0x20
    CHATTER = 0x40
    SELF_TEST = 0x80


class Fault(IntFlag):
    """What the panel found wrong with itself since its start."""

    SETTINGS = 0x01
    COLUMN_SHORTED = 0x02
    ALL_CLOSED = 0x04
    OTHER_PANEL = 0x08
    WIRING = 0x10
    SLOW_COLUMN = 0x20


class Lamp(IntFlag):
    """Modifiers of LED_SET and LED_FILL."""

    SHOW = 0x01
    CLEAR = 0x02


_EDGE: Final = struct.Struct("<HB")


@dataclass(frozen=True, slots=True)
class Edge:
    """One debounced change of one input."""

    input: int
    """cell, button or lever; bit 15 is the level after the edge"""
    dt_ms: int
    """ms from the packet's t_ms to the first raw change of this edge"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGE, "Edge", self.input, self.dt_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGE, "Edge", payload)
        return cls(
            head[0],
            head[1],
        )


_COLOUR: Final = struct.Struct("<BBBBBBBB")


@dataclass(frozen=True, slots=True)
class Colour:
    """One palette entry: two alternating colours, or one when the period is 0."""

    red: int
    green: int
    blue: int
    red2: int
    green2: int
    blue2: int
    period: int
    """in units of 10 ms; the second half of each period shows the second colour; 0 = no blinking"""
    phase: int
    """phase lead of this entry in units of 10 ms"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLOUR, "Colour", self.red, self.green, self.blue, self.red2, self.green2, self.blue2, self.period, self.phase)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_COLOUR, "Colour", payload)
        return cls(
            head[0],
            head[1],
            head[2],
            head[3],
            head[4],
            head[5],
            head[6],
            head[7],
        )


_RUN: Final = struct.Struct("<HBB")


@dataclass(frozen=True, slots=True)
class Run:
    """Neighbouring LEDs of one colour."""

    first: int
    """LED; LED n belongs to cell n, extra LEDs follow"""
    count: int
    """1 .. 255"""
    colour: int
    """palette index"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RUN, "Run", self.first, self.count, self.colour)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RUN, "Run", payload)
        return cls(
            head[0],
            head[1],
            head[2],
        )


_NOTE: Final = struct.Struct("<HH")


@dataclass(frozen=True, slots=True)
class Note:
    """One note, or a rest when the pitch is 0."""

    pitch_hz: int
    """0, or 40 .. 10000"""
    length_ms: int

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_NOTE, "Note", self.pitch_hz, self.length_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_NOTE, "Note", payload)
        return cls(
            head[0],
            head[1],
        )


_HELLO: Final = struct.Struct("<BBHI")


@dataclass(frozen=True, slots=True)
class Hello:
    """Begins a conversation; always carried out again, and clears the cached reply."""

    TYPE: ClassVar[int] = 0x01
    major: int
    minor: int
    nonce: int
    """repeated in the reply, to distinguish it from old ones"""
    fingerprint: int
    """of this file, as the host knows it"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HELLO, "HELLO", self.major, self.minor, self.nonce, self.fingerprint)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_HELLO, "HELLO", payload)
        return cls(
            head[0],
            head[1],
            head[2],
            head[3],
        )


_HELLO_REPLY: Final = struct.Struct("<BBBHIHBBBB8sBHBBHBBBBBHBBH")


@dataclass(frozen=True, slots=True)
class HelloReply:
    """Identity and features of the panel."""

    TYPE: ClassVar[int] = 0x81
    status: Status
    major: int
    minor: int
    nonce: int
    """the host's; 0 in BOOT"""
    fingerprint: int
    """of this file, as the panel knows it"""
    session: int
    """differs after every start of the panel"""
    firmware_major: int
    firmware_minor: int
    firmware_patch: int
    board: BoardKind
    unique_id: bytes
    """permanent id of this panel"""
    reset_cause: ResetCause
    cells: int
    rows: int
    """of a rectangular grid, else 0"""
    cols: int
    leds: int
    palette: int
    """palette entries"""
    text_lines: int
    text_columns: int
    buttons: int
    max_packet: int
    """longest packet the panel takes, from type to CRC, before COBS"""
    scan_period_us: int
    debounce_on_ms: int
    debounce_off_ms: int
    capabilities: Capability
    extra: tuple[Tlv, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HELLO_REPLY, "HELLO.reply", self.status, self.major, self.minor, self.nonce, self.fingerprint, self.session, self.firmware_major, self.firmware_minor, self.firmware_patch, self.board, self.unique_id, self.reset_cause, self.cells, self.rows, self.cols, self.leds, self.palette, self.text_lines, self.text_columns, self.buttons, self.max_packet, self.scan_period_us, self.debounce_on_ms, self.debounce_off_ms, self.capabilities) + _pack_tlvs(self.extra)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_HELLO_REPLY, "HELLO.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
            head[2],
            head[3],
            head[4],
            head[5],
            head[6],
            head[7],
            head[8],
            BoardKind(head[9]),
            head[10],
            ResetCause(head[11]),
            head[12],
            head[13],
            head[14],
            head[15],
            head[16],
            head[17],
            head[18],
            head[19],
            head[20],
            head[21],
            head[22],
            head[23],
            Capability(head[24]),
            _split_tlvs("HELLO.reply", tail),
        )


_PING: Final = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Ping:
    """Requests the panel's clock; keeps the LEDs lit."""

    TYPE: ClassVar[int] = 0x02
    echo: int

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_PING, "PING", self.echo)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_PING, "PING", payload)
        return cls(
            head[0],
        )


_PING_REPLY: Final = struct.Struct("<BII")


@dataclass(frozen=True, slots=True)
class PingReply:
    """The same number, and the panel's time."""

    TYPE: ClassVar[int] = 0x82
    status: Status
    echo: int
    t_ms: int
    """ms since the panel started; wraps after 49.7 days"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_PING_REPLY, "PING.reply", self.status, self.echo, self.t_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_PING_REPLY, "PING.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
            head[2],
        )


_GET_SNAPSHOT: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class GetSnapshot:
    """Requests the debounced state of all inputs from a byte offset: cells (bit n % 8 of byte n / 8,
    padded to a byte), then the auxiliary word.
    """

    TYPE: ClassVar[int] = 0x03
    offset: int
    """first byte wanted"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_GET_SNAPSHOT, "GET_SNAPSHOT", self.offset)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_GET_SNAPSHOT, "GET_SNAPSHOT", payload)
        return cls(
            head[0],
        )


_GET_SNAPSHOT_REPLY: Final = struct.Struct("<BHIHBB")


@dataclass(frozen=True, slots=True)
class GetSnapshotReply:
    """As many bytes as fit; request the rest from offset + len(state) until `total` is reached. If
    `sequence` has changed in between, restart.
    """

    TYPE: ClassVar[int] = 0x83
    status: Status
    sequence: int
    """number of the newest edge contained"""
    t_ms: int
    state_crc: int
    """CRC-16 of the whole state"""
    total: int
    """bytes of the whole state"""
    offset: int
    state: bytes = b""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_GET_SNAPSHOT_REPLY, "GET_SNAPSHOT.reply", self.status, self.sequence, self.t_ms, self.state_crc, self.total, self.offset) + self.state

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_GET_SNAPSHOT_REPLY, "GET_SNAPSHOT.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
            head[2],
            head[3],
            head[4],
            head[5],
            tail,
        )


_EDGES_SINCE: Final = struct.Struct("<H")


@dataclass(frozen=True, slots=True)
class EdgesSince:
    """Requests the edges after a number again, as ordinary EDGES packets."""

    TYPE: ClassVar[int] = 0x04
    sequence: int
    """the last edge the host has"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_SINCE, "EDGES_SINCE", self.sequence)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_SINCE, "EDGES_SINCE", payload)
        return cls(
            head[0],
        )


_EDGES_SINCE_REPLY: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class EdgesSinceReply:
    """OK: the EDGES packets follow. TOO_OLD: they have left the ring."""

    TYPE: ClassVar[int] = 0x84
    status: Status
    newest: int
    """number of the newest edge"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_SINCE_REPLY, "EDGES_SINCE.reply", self.status, self.newest)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_SINCE_REPLY, "EDGES_SINCE.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
        )


_STATS: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class Stats:
    """Requests the counters; all but `uptime_s` and `stack_free` count from the last CLEAR_STATS and
    saturate.
    """

    TYPE: ClassVar[int] = 0x05

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_STATS, "STATS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_STATS, "STATS", payload)
        return cls(
        )


_STATS_REPLY: Final = struct.Struct("<BIIHHHHIHHHHHHHH")


@dataclass(frozen=True, slots=True)
class StatsReply:
    """The counters."""

    TYPE: ClassVar[int] = 0x85
    status: Status
    uptime_s: int
    packets: int
    """good packets received"""
    bad_packets: int
    """CRC or COBS wrong, or too short"""
    oversized: int
    """longer than max_packet"""
    rx_lost: int
    """bytes lost by the UART or its buffer"""
    repeats: int
    """commands answered from the cache"""
    edges: int
    edges_lost: int
    """edges lost while too many inputs were in motion, or too many edges were unsent"""
    chatter: int
    """number of times that an input did not settle"""
    chatter_input: int
    """the last such input"""
    scans_late: int
    scan_max_us: int
    """longest scan with debouncing"""
    turn_max_us: int
    """longest turn of the main loop without LED output"""
    blackout_max_us: int
    """longest LED output"""
    stack_free: int
    """bytes of memory unused since start; 0 = unknown"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_STATS_REPLY, "STATS.reply", self.status, self.uptime_s, self.packets, self.bad_packets, self.oversized, self.rx_lost, self.repeats, self.edges, self.edges_lost, self.chatter, self.chatter_input, self.scans_late, self.scan_max_us, self.turn_max_us, self.blackout_max_us, self.stack_free)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_STATS_REPLY, "STATS.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
            head[2],
            head[3],
            head[4],
            head[5],
            head[6],
            head[7],
            head[8],
            head[9],
            head[10],
            head[11],
            head[12],
            head[13],
            head[14],
            head[15],
        )


_CLEAR_STATS: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class ClearStats:
    """Sets the counters to 0."""

    TYPE: ClassVar[int] = 0x06

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CLEAR_STATS, "CLEAR_STATS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_CLEAR_STATS, "CLEAR_STATS", payload)
        return cls(
        )


_CLEAR_STATS_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ClearStatsReply:
    """Done."""

    TYPE: ClassVar[int] = 0x86
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CLEAR_STATS_REPLY, "CLEAR_STATS.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CLEAR_STATS_REPLY, "CLEAR_STATS.reply", payload)
        return cls(
            Status(head[0]),
        )


_COLUMNS: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class Columns:
    """Since 1.1: requests how long each column of a matrix takes to rise; measured whenever a switch
    closes.
    """

    TYPE: ClassVar[int] = 0x07

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLUMNS, "COLUMNS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_COLUMNS, "COLUMNS", payload)
        return cls(
        )


_COLUMNS_REPLY: Final = struct.Struct("<BB")


@dataclass(frozen=True, slots=True)
class ColumnsReply:
    """The rise times. UNSUPPORTED without a matrix."""

    TYPE: ClassVar[int] = 0x87
    status: Status
    settle_us: int
    """how long a scan waits for a column"""
    rise_us: bytes = b""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLUMNS_REPLY, "COLUMNS.reply", self.status, self.settle_us) + self.rise_us

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_COLUMNS_REPLY, "COLUMNS.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
            tail,
        )


_EDGES_AGAIN: Final = struct.Struct("<HB")


@dataclass(frozen=True, slots=True)
class EdgesAgain:
    """Since 1.1: requests lost edges again, as ordinary EDGES packets; edges after them are not repeated."""

    TYPE: ClassVar[int] = 0x08
    first: int
    """number of the first edge wanted"""
    count: int
    """1 .. 255"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_AGAIN, "EDGES_AGAIN", self.first, self.count)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_AGAIN, "EDGES_AGAIN", payload)
        return cls(
            head[0],
            head[1],
        )


_EDGES_AGAIN_REPLY: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class EdgesAgainReply:
    """OK: the EDGES packets follow. TOO_OLD: they have left the ring."""

    TYPE: ClassVar[int] = 0x88
    status: Status
    newest: int
    """number of the newest edge"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_AGAIN_REPLY, "EDGES_AGAIN.reply", self.status, self.newest)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_AGAIN_REPLY, "EDGES_AGAIN.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
        )


_LED_PALETTE: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class LedPalette:
    """Sets palette entries; shows with the next LED output."""

    TYPE: ClassVar[int] = 0x10
    first: int
    """index of the first entry in the tail"""
    colours: tuple[Colour, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_PALETTE, "LED_PALETTE", self.first) + b"".join(entry.encode() for entry in self.colours)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_PALETTE, "LED_PALETTE", payload)
        return cls(
            head[0],
            tuple(Colour.decode(entry) for entry in _entries(8, "LED_PALETTE", tail)),
        )


_LED_PALETTE_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class LedPaletteReply:
    """Done."""

    TYPE: ClassVar[int] = 0x90
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_PALETTE_REPLY, "LED_PALETTE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_PALETTE_REPLY, "LED_PALETTE.reply", payload)
        return cls(
            Status(head[0]),
        )


_LED_SET: Final = struct.Struct("<BHB")


@dataclass(frozen=True, slots=True)
class LedSet:
    """Sets neighbouring LEDs to colours, two to a byte, the first in the low half; a last half left over
    is 0xF or beyond `count`.
    """

    TYPE: ClassVar[int] = 0x11
    flags: Lamp
    first: int
    count: int
    colours: bytes = b""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SET, "LED_SET", self.flags, self.first, self.count) + self.colours

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_SET, "LED_SET", payload)
        return cls(
            Lamp(head[0]),
            head[1],
            head[2],
            tail,
        )


_LED_SET_REPLY: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class LedSetReply:
    """Done; with SHOW once the strip is out."""

    TYPE: ClassVar[int] = 0x91
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SET_REPLY, "LED_SET.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_SET_REPLY, "LED_SET.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
        )


_LED_FILL: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class LedFill:
    """Sets runs of LEDs to one colour each; with CLEAR and SHOW one packet repaints a board with a few lit
    cells.
    """

    TYPE: ClassVar[int] = 0x12
    flags: Lamp
    runs: tuple[Run, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_FILL, "LED_FILL", self.flags) + b"".join(entry.encode() for entry in self.runs)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_FILL, "LED_FILL", payload)
        return cls(
            Lamp(head[0]),
            tuple(Run.decode(entry) for entry in _entries(4, "LED_FILL", tail)),
        )


_LED_FILL_REPLY: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class LedFillReply:
    """Done; with SHOW once the strip is out."""

    TYPE: ClassVar[int] = 0x92
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_FILL_REPLY, "LED_FILL.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_FILL_REPLY, "LED_FILL.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
        )


_LED_SHOW: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class LedShow:
    """Sends the strip out."""

    TYPE: ClassVar[int] = 0x13

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SHOW, "LED_SHOW")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_LED_SHOW, "LED_SHOW", payload)
        return cls(
        )


_LED_SHOW_REPLY: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class LedShowReply:
    """The strip is out."""

    TYPE: ClassVar[int] = 0x93
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SHOW_REPLY, "LED_SHOW.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_SHOW_REPLY, "LED_SHOW.reply", payload)
        return cls(
            Status(head[0]),
            head[1],
        )


_TEXT: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class Text:
    """Replaces one line of the display; the panel cuts it to its columns and shows `?` for unknown
    characters.
    """

    TYPE: ClassVar[int] = 0x20
    line: int
    text: str = ""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TEXT, "TEXT", self.line) + self.text.encode()

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_TEXT, "TEXT", payload)
        return cls(
            head[0],
            tail.decode("utf-8", "replace"),
        )


_TEXT_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class TextReply:
    """Accepted; drawn within the next milliseconds."""

    TYPE: ClassVar[int] = 0xa0
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TEXT_REPLY, "TEXT.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_TEXT_REPLY, "TEXT.reply", payload)
        return cls(
            Status(head[0]),
        )


_TONE: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class Tone:
    """Plays notes one after another, replacing those that sound; no notes: silence."""

    TYPE: ClassVar[int] = 0x21
    notes: tuple[Note, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TONE, "TONE") + b"".join(entry.encode() for entry in self.notes)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, tail = _split(_TONE, "TONE", payload)
        return cls(
            tuple(Note.decode(entry) for entry in _entries(4, "TONE", tail)),
        )


_TONE_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ToneReply:
    """Playing."""

    TYPE: ClassVar[int] = 0xa1
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TONE_REPLY, "TONE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_TONE_REPLY, "TONE.reply", payload)
        return cls(
            Status(head[0]),
        )


_CONFIG_GET: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ConfigGet:
    """Requests one configuration value."""

    TYPE: ClassVar[int] = 0x30
    key: ConfigKey

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_GET, "CONFIG_GET", self.key)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_GET, "CONFIG_GET", payload)
        return cls(
            ConfigKey(head[0]),
        )


_CONFIG_GET_REPLY: Final = struct.Struct("<BBH")


@dataclass(frozen=True, slots=True)
class ConfigGetReply:
    """The value in force."""

    TYPE: ClassVar[int] = 0xb0
    status: Status
    key: ConfigKey
    value: int

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_GET_REPLY, "CONFIG_GET.reply", self.status, self.key, self.value)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_GET_REPLY, "CONFIG_GET.reply", payload)
        return cls(
            Status(head[0]),
            ConfigKey(head[1]),
            head[2],
        )


_CONFIG_SET: Final = struct.Struct("<BH")


@dataclass(frozen=True, slots=True)
class ConfigSet:
    """Sets one configuration value, effective at once, lost at power-off unless saved."""

    TYPE: ClassVar[int] = 0x31
    key: ConfigKey
    value: int

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SET, "CONFIG_SET", self.key, self.value)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SET, "CONFIG_SET", payload)
        return cls(
            ConfigKey(head[0]),
            head[1],
        )


_CONFIG_SET_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ConfigSetReply:
    """In force."""

    TYPE: ClassVar[int] = 0xb1
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SET_REPLY, "CONFIG_SET.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SET_REPLY, "CONFIG_SET.reply", payload)
        return cls(
            Status(head[0]),
        )


_CONFIG_SAVE: Final = struct.Struct("<")


@dataclass(frozen=True, slots=True)
class ConfigSave:
    """Writes the configuration to the EEPROM: the only command that does."""

    TYPE: ClassVar[int] = 0x32

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SAVE, "CONFIG_SAVE")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_CONFIG_SAVE, "CONFIG_SAVE", payload)
        return cls(
        )


_CONFIG_SAVE_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ConfigSaveReply:
    """Written and read back; or unchanged and not written."""

    TYPE: ClassVar[int] = 0xb2
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SAVE_REPLY, "CONFIG_SAVE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SAVE_REPLY, "CONFIG_SAVE.reply", payload)
        return cls(
            Status(head[0]),
        )


_RESET: Final = struct.Struct("<H")


@dataclass(frozen=True, slots=True)
class Reset:
    """Restarts the panel after the reply."""

    TYPE: ClassVar[int] = 0x3f
    magic: int
    """RESET_MAGIC"""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RESET, "RESET", self.magic)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RESET, "RESET", payload)
        return cls(
            head[0],
        )


_RESET_REPLY: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class ResetReply:
    """Accepted; BOOT follows."""

    TYPE: ClassVar[int] = 0xbf
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RESET_REPLY, "RESET.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RESET_REPLY, "RESET.reply", payload)
        return cls(
            Status(head[0]),
        )


_BOOT: Final = struct.Struct("<BBBHIHBBBB8sBHBBHBBBBBHBBH")


@dataclass(frozen=True, slots=True)
class Boot:
    """The panel has started: say HELLO. Same payload as HELLO's reply, nonce 0."""

    TYPE: ClassVar[int] = 0xf0
    status: Status
    major: int
    minor: int
    nonce: int
    """the host's; 0 in BOOT"""
    fingerprint: int
    """of this file, as the panel knows it"""
    session: int
    """differs after every start of the panel"""
    firmware_major: int
    firmware_minor: int
    firmware_patch: int
    board: BoardKind
    unique_id: bytes
    """permanent id of this panel"""
    reset_cause: ResetCause
    cells: int
    rows: int
    """of a rectangular grid, else 0"""
    cols: int
    leds: int
    palette: int
    """palette entries"""
    text_lines: int
    text_columns: int
    buttons: int
    max_packet: int
    """longest packet the panel takes, from type to CRC, before COBS"""
    scan_period_us: int
    debounce_on_ms: int
    debounce_off_ms: int
    capabilities: Capability
    extra: tuple[Tlv, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_BOOT, "BOOT", self.status, self.major, self.minor, self.nonce, self.fingerprint, self.session, self.firmware_major, self.firmware_minor, self.firmware_patch, self.board, self.unique_id, self.reset_cause, self.cells, self.rows, self.cols, self.leds, self.palette, self.text_lines, self.text_columns, self.buttons, self.max_packet, self.scan_period_us, self.debounce_on_ms, self.debounce_off_ms, self.capabilities) + _pack_tlvs(self.extra)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_BOOT, "BOOT", payload)
        return cls(
            Status(head[0]),
            head[1],
            head[2],
            head[3],
            head[4],
            head[5],
            head[6],
            head[7],
            head[8],
            BoardKind(head[9]),
            head[10],
            ResetCause(head[11]),
            head[12],
            head[13],
            head[14],
            head[15],
            head[16],
            head[17],
            head[18],
            head[19],
            head[20],
            head[21],
            head[22],
            head[23],
            Capability(head[24]),
            _split_tlvs("BOOT", tail),
        )


_HEARTBEAT: Final = struct.Struct("<IHHHB")


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """Once a second: detects a lost last edge, a restarted panel, and different states."""

    TYPE: ClassVar[int] = 0xf1
    t_ms: int
    session: int
    sequence: int
    """number of the newest edge"""
    state_crc: int
    """CRC-16 of the state after it"""
    health: Health

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HEARTBEAT, "HEARTBEAT", self.t_ms, self.session, self.sequence, self.state_crc, self.health)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_HEARTBEAT, "HEARTBEAT", payload)
        return cls(
            head[0],
            head[1],
            head[2],
            head[3],
            Health(head[4]),
        )


_EDGES: Final = struct.Struct("<HIH")


@dataclass(frozen=True, slots=True)
class Edges:
    """Edges in the order of their stamps, numbered without gaps. Numbers have 16 bits, because 8 bits
    would hide a stall of 256 edges: 1.3 s at 200 edges/s.
    """

    TYPE: ClassVar[int] = 0xf2
    first: int
    """number of the first edge; the first after a start is 1, 0 follows 65535"""
    t_ms: int
    """stamp of the first edge: ms since the panel started, wraps after 49.7 days"""
    state_crc: int
    """CRC-16 of the state after the last edge given"""
    edges: tuple[Edge, ...] = ()

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES, "EDGES", self.first, self.t_ms, self.state_crc) + b"".join(entry.encode() for entry in self.edges)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_EDGES, "EDGES", payload)
        return cls(
            head[0],
            head[1],
            head[2],
            tuple(Edge.decode(entry) for entry in _entries(3, "EDGES", tail)),
        )


_LOG: Final = struct.Struct("<B")


@dataclass(frozen=True, slots=True)
class Log:
    """A line for people; may be ignored."""

    TYPE: ClassVar[int] = 0xff
    level: LogLevel
    text: str = ""

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LOG, "LOG", self.level) + self.text.encode()

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LOG, "LOG", payload)
        return cls(
            LogLevel(head[0]),
            tail.decode("utf-8", "replace"),
        )

@dataclass(frozen=True, slots=True)
class Refusal:
    """A reply that says only why the command was not carried out."""

    TYPE: int
    """Type of the reply."""
    status: Status

    def encode(self) -> bytes:
        """Return the payload."""
        return bytes((self.status,))


Whole: TypeAlias = (
    Hello
    | HelloReply
    | Ping
    | PingReply
    | GetSnapshot
    | GetSnapshotReply
    | EdgesSince
    | EdgesSinceReply
    | Stats
    | StatsReply
    | ClearStats
    | ClearStatsReply
    | Columns
    | ColumnsReply
    | EdgesAgain
    | EdgesAgainReply
    | LedPalette
    | LedPaletteReply
    | LedSet
    | LedSetReply
    | LedFill
    | LedFillReply
    | LedShow
    | LedShowReply
    | Text
    | TextReply
    | Tone
    | ToneReply
    | ConfigGet
    | ConfigGetReply
    | ConfigSet
    | ConfigSetReply
    | ConfigSave
    | ConfigSaveReply
    | Reset
    | ResetReply
    | Boot
    | Heartbeat
    | Edges
    | Log
)
"""A message with all its fields."""

Message: TypeAlias = Whole | Refusal

REPLY_BIT: Final = 0x80
"""A command's type with this bit is its reply's type."""
NOTICES_FROM: Final = 0xe0
"""Types from here on are notices: unasked, seq 0."""
FIRST_FAILURE: Final = 0x10
"""A status from here on says that the command was not carried out."""

MESSAGES: Final[Mapping[int, type[Whole]]] = {
    0x01: Hello,
    0x81: HelloReply,
    0x02: Ping,
    0x82: PingReply,
    0x03: GetSnapshot,
    0x83: GetSnapshotReply,
    0x04: EdgesSince,
    0x84: EdgesSinceReply,
    0x05: Stats,
    0x85: StatsReply,
    0x06: ClearStats,
    0x86: ClearStatsReply,
    0x07: Columns,
    0x87: ColumnsReply,
    0x08: EdgesAgain,
    0x88: EdgesAgainReply,
    0x10: LedPalette,
    0x90: LedPaletteReply,
    0x11: LedSet,
    0x91: LedSetReply,
    0x12: LedFill,
    0x92: LedFillReply,
    0x13: LedShow,
    0x93: LedShowReply,
    0x20: Text,
    0xa0: TextReply,
    0x21: Tone,
    0xa1: ToneReply,
    0x30: ConfigGet,
    0xb0: ConfigGetReply,
    0x31: ConfigSet,
    0xb1: ConfigSetReply,
    0x32: ConfigSave,
    0xb2: ConfigSaveReply,
    0x3f: Reset,
    0xbf: ResetReply,
    0xf0: Boot,
    0xf1: Heartbeat,
    0xf2: Edges,
    0xff: Log,
}
"""Every message class by its type byte."""


def decode_message(number: int, payload: bytes) -> Message:
    """Return the message of type *number*; for a reply that reports a failure, a `Refusal`.

    Raises `PayloadError` for an unknown type and for a payload that does not fit.
    """
    if REPLY_BIT <= number < NOTICES_FROM and payload and payload[0] >= FIRST_FAILURE:
        return Refusal(number, Status(payload[0]))
    if number not in MESSAGES:
        raise PayloadError(f"unknown message type {number:#04x}")
    return MESSAGES[number].decode(payload)

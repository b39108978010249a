# SPDX-License-Identifier: Apache-2.0
# Generated from firmware/protocol.toml by firmware/generate.py. Do not edit.
"""The words of the board link: every message as a frozen value that encodes and decodes its payload.

Pure: bytes in, values out. An unknown enum value or flag survives reading; a payload that is too short raises
`PayloadError`.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, dataclass
from enum import IntEnum, IntFlag
from itertools import repeat
from typing import Any, ClassVar, Final, NoReturn, Self, TypeAlias

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


_set: Final = object.__setattr__


class _Values:
    """What all frozen dataclasses below have in common.

    Made by `dataclass` for each of them, the same would take longer than the rest of this module.
    """

    __slots__: tuple[str, ...] = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _Values) or type(self) is not type(other):
            return NotImplemented
        names = self.__slots__
        return [*map(getattr, repeat(self), names)] == [*map(getattr, repeat(other), names)]

    def __hash__(self) -> int:
        return hash((*map(getattr, repeat(self), self.__slots__),))

    def __repr__(self) -> str:
        said = (f"{name}={getattr(self, name)!r}" for name in self.__slots__)
        return f"{type(self).__qualname__}({', '.join(said)})"

    def __reduce__(self) -> tuple[type[Self], tuple[object, ...]]:
        return type(self), (*map(getattr, repeat(self), self.__slots__),)


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


@dataclass(init=False, repr=False, eq=False)
class Edge(_Values):
    """One debounced change of one input."""

    __slots__ = ("input", "dt_ms")
    input: int
    """cell, button or lever; bit 15 is the level after the edge"""
    dt_ms: int
    """ms from the packet's t_ms to the first raw change of this edge"""

    def __init__(self, input: int, dt_ms: int) -> None:
        _set(self, "input", input); _set(self, "dt_ms", dt_ms)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGE, "Edge", self.input, self.dt_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGE, "Edge", payload)
        return cls(head[0], head[1])


_COLOUR: Final = struct.Struct("<BBBBBBBB")


@dataclass(init=False, repr=False, eq=False)
class Colour(_Values):
    """One palette entry: two alternating colours, or one when the period is 0."""

    __slots__ = ("red", "green", "blue", "red2", "green2", "blue2", "period", "phase")
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

    def __init__(self, red: int, green: int, blue: int, red2: int, green2: int, blue2: int, period: int, phase: int) -> None:
        _set(self, "red", red); _set(self, "green", green); _set(self, "blue", blue); _set(self, "red2", red2); _set(self, "green2", green2); _set(self, "blue2", blue2); _set(self, "period", period); _set(self, "phase", phase)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLOUR, "Colour", self.red, self.green, self.blue, self.red2, self.green2, self.blue2, self.period, self.phase)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_COLOUR, "Colour", payload)
        return cls(head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7])


_RUN: Final = struct.Struct("<HBB")


@dataclass(init=False, repr=False, eq=False)
class Run(_Values):
    """Neighbouring LEDs of one colour."""

    __slots__ = ("first", "count", "colour")
    first: int
    """LED; LED n belongs to cell n, extra LEDs follow"""
    count: int
    """1 .. 255"""
    colour: int
    """palette index"""

    def __init__(self, first: int, count: int, colour: int) -> None:
        _set(self, "first", first); _set(self, "count", count); _set(self, "colour", colour)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RUN, "Run", self.first, self.count, self.colour)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RUN, "Run", payload)
        return cls(head[0], head[1], head[2])


_NOTE: Final = struct.Struct("<HH")


@dataclass(init=False, repr=False, eq=False)
class Note(_Values):
    """One note, or a rest when the pitch is 0."""

    __slots__ = ("pitch_hz", "length_ms")
    pitch_hz: int
    """0, or 40 .. 10000"""
    length_ms: int

    def __init__(self, pitch_hz: int, length_ms: int) -> None:
        _set(self, "pitch_hz", pitch_hz); _set(self, "length_ms", length_ms)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_NOTE, "Note", self.pitch_hz, self.length_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_NOTE, "Note", payload)
        return cls(head[0], head[1])


_HELLO: Final = struct.Struct("<BBHI")


@dataclass(init=False, repr=False, eq=False)
class Hello(_Values):
    """Begins a conversation; always carried out again, and clears the cached reply."""

    __slots__ = ("major", "minor", "nonce", "fingerprint")
    TYPE: ClassVar[int] = 0x01
    major: int
    minor: int
    nonce: int
    """repeated in the reply, to distinguish it from old ones"""
    fingerprint: int
    """of this file, as the host knows it"""

    def __init__(self, major: int, minor: int, nonce: int, fingerprint: int) -> None:
        _set(self, "major", major); _set(self, "minor", minor); _set(self, "nonce", nonce); _set(self, "fingerprint", fingerprint)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HELLO, "HELLO", self.major, self.minor, self.nonce, self.fingerprint)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_HELLO, "HELLO", payload)
        return cls(head[0], head[1], head[2], head[3])


_HELLO_REPLY: Final = struct.Struct("<BBBHIHBBBB8sBHBBHBBBBBHBBH")


@dataclass(init=False, repr=False, eq=False)
class HelloReply(_Values):
    """Identity and features of the panel."""

    __slots__ = ("status", "major", "minor", "nonce", "fingerprint", "session", "firmware_major", "firmware_minor", "firmware_patch", "board", "unique_id", "reset_cause", "cells", "rows", "cols", "leds", "palette", "text_lines", "text_columns", "buttons", "max_packet", "scan_period_us", "debounce_on_ms", "debounce_off_ms", "capabilities", "extra")
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
    extra: tuple[Tlv, ...]

    def __init__(self, status: Status, major: int, minor: int, nonce: int, fingerprint: int, session: int, firmware_major: int, firmware_minor: int, firmware_patch: int, board: BoardKind, unique_id: bytes, reset_cause: ResetCause, cells: int, rows: int, cols: int, leds: int, palette: int, text_lines: int, text_columns: int, buttons: int, max_packet: int, scan_period_us: int, debounce_on_ms: int, debounce_off_ms: int, capabilities: Capability, extra: tuple[Tlv, ...] = ()) -> None:
        _set(self, "status", status); _set(self, "major", major); _set(self, "minor", minor); _set(self, "nonce", nonce); _set(self, "fingerprint", fingerprint); _set(self, "session", session); _set(self, "firmware_major", firmware_major); _set(self, "firmware_minor", firmware_minor); _set(self, "firmware_patch", firmware_patch); _set(self, "board", board); _set(self, "unique_id", unique_id); _set(self, "reset_cause", reset_cause); _set(self, "cells", cells); _set(self, "rows", rows); _set(self, "cols", cols); _set(self, "leds", leds); _set(self, "palette", palette); _set(self, "text_lines", text_lines); _set(self, "text_columns", text_columns); _set(self, "buttons", buttons); _set(self, "max_packet", max_packet); _set(self, "scan_period_us", scan_period_us); _set(self, "debounce_on_ms", debounce_on_ms); _set(self, "debounce_off_ms", debounce_off_ms); _set(self, "capabilities", capabilities); _set(self, "extra", extra)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HELLO_REPLY, "HELLO.reply", self.status, self.major, self.minor, self.nonce, self.fingerprint, self.session, self.firmware_major, self.firmware_minor, self.firmware_patch, self.board, self.unique_id, self.reset_cause, self.cells, self.rows, self.cols, self.leds, self.palette, self.text_lines, self.text_columns, self.buttons, self.max_packet, self.scan_period_us, self.debounce_on_ms, self.debounce_off_ms, self.capabilities) + _pack_tlvs(self.extra)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_HELLO_REPLY, "HELLO.reply", payload)
        return cls(Status(head[0]), head[1], head[2], head[3], head[4], head[5], head[6], head[7], head[8], BoardKind(head[9]), head[10], ResetCause(head[11]), head[12], head[13], head[14], head[15], head[16], head[17], head[18], head[19], head[20], head[21], head[22], head[23], Capability(head[24]), _split_tlvs("HELLO.reply", tail))


_PING: Final = struct.Struct("<I")


@dataclass(init=False, repr=False, eq=False)
class Ping(_Values):
    """Requests the panel's clock; keeps the LEDs lit."""

    __slots__ = ("echo",)
    TYPE: ClassVar[int] = 0x02
    echo: int

    def __init__(self, echo: int) -> None:
        _set(self, "echo", echo)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_PING, "PING", self.echo)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_PING, "PING", payload)
        return cls(head[0])


_PING_REPLY: Final = struct.Struct("<BII")


@dataclass(init=False, repr=False, eq=False)
class PingReply(_Values):
    """The same number, and the panel's time."""

    __slots__ = ("status", "echo", "t_ms")
    TYPE: ClassVar[int] = 0x82
    status: Status
    echo: int
    t_ms: int
    """ms since the panel started; wraps after 49.7 days"""

    def __init__(self, status: Status, echo: int, t_ms: int) -> None:
        _set(self, "status", status); _set(self, "echo", echo); _set(self, "t_ms", t_ms)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_PING_REPLY, "PING.reply", self.status, self.echo, self.t_ms)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_PING_REPLY, "PING.reply", payload)
        return cls(Status(head[0]), head[1], head[2])


_GET_SNAPSHOT: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class GetSnapshot(_Values):
    """Requests the debounced state of all inputs from a byte offset: cells (bit n % 8 of byte n / 8,
    padded to a byte), then the auxiliary word.
    """

    __slots__ = ("offset",)
    TYPE: ClassVar[int] = 0x03
    offset: int
    """first byte wanted"""

    def __init__(self, offset: int) -> None:
        _set(self, "offset", offset)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_GET_SNAPSHOT, "GET_SNAPSHOT", self.offset)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_GET_SNAPSHOT, "GET_SNAPSHOT", payload)
        return cls(head[0])


_GET_SNAPSHOT_REPLY: Final = struct.Struct("<BHIHBB")


@dataclass(init=False, repr=False, eq=False)
class GetSnapshotReply(_Values):
    """As many bytes as fit; request the rest from offset + len(state) until `total` is reached. If
    `sequence` has changed in between, restart.
    """

    __slots__ = ("status", "sequence", "t_ms", "state_crc", "total", "offset", "state")
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
    state: bytes

    def __init__(self, status: Status, sequence: int, t_ms: int, state_crc: int, total: int, offset: int, state: bytes = b"") -> None:
        _set(self, "status", status); _set(self, "sequence", sequence); _set(self, "t_ms", t_ms); _set(self, "state_crc", state_crc); _set(self, "total", total); _set(self, "offset", offset); _set(self, "state", state)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_GET_SNAPSHOT_REPLY, "GET_SNAPSHOT.reply", self.status, self.sequence, self.t_ms, self.state_crc, self.total, self.offset) + self.state

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_GET_SNAPSHOT_REPLY, "GET_SNAPSHOT.reply", payload)
        return cls(Status(head[0]), head[1], head[2], head[3], head[4], head[5], tail)


_EDGES_SINCE: Final = struct.Struct("<H")


@dataclass(init=False, repr=False, eq=False)
class EdgesSince(_Values):
    """Requests the edges after a number again, as ordinary EDGES packets."""

    __slots__ = ("sequence",)
    TYPE: ClassVar[int] = 0x04
    sequence: int
    """the last edge the host has"""

    def __init__(self, sequence: int) -> None:
        _set(self, "sequence", sequence)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_SINCE, "EDGES_SINCE", self.sequence)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_SINCE, "EDGES_SINCE", payload)
        return cls(head[0])


_EDGES_SINCE_REPLY: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class EdgesSinceReply(_Values):
    """OK: the EDGES packets follow. TOO_OLD: they have left the ring."""

    __slots__ = ("status", "newest")
    TYPE: ClassVar[int] = 0x84
    status: Status
    newest: int
    """number of the newest edge"""

    def __init__(self, status: Status, newest: int) -> None:
        _set(self, "status", status); _set(self, "newest", newest)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_SINCE_REPLY, "EDGES_SINCE.reply", self.status, self.newest)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_SINCE_REPLY, "EDGES_SINCE.reply", payload)
        return cls(Status(head[0]), head[1])


_STATS: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class Stats(_Values):
    """Requests the counters; all but `uptime_s` and `stack_free` count from the last CLEAR_STATS and
    saturate.
    """

    __slots__ = ()
    TYPE: ClassVar[int] = 0x05

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_STATS, "STATS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_STATS, "STATS", payload)
        return cls()


_STATS_REPLY: Final = struct.Struct("<BIIHHHHIHHHHHHHH")


@dataclass(init=False, repr=False, eq=False)
class StatsReply(_Values):
    """The counters."""

    __slots__ = ("status", "uptime_s", "packets", "bad_packets", "oversized", "rx_lost", "repeats", "edges", "edges_lost", "chatter", "chatter_input", "scans_late", "scan_max_us", "turn_max_us", "blackout_max_us", "stack_free")
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

    def __init__(self, status: Status, uptime_s: int, packets: int, bad_packets: int, oversized: int, rx_lost: int, repeats: int, edges: int, edges_lost: int, chatter: int, chatter_input: int, scans_late: int, scan_max_us: int, turn_max_us: int, blackout_max_us: int, stack_free: int) -> None:
        _set(self, "status", status); _set(self, "uptime_s", uptime_s); _set(self, "packets", packets); _set(self, "bad_packets", bad_packets); _set(self, "oversized", oversized); _set(self, "rx_lost", rx_lost); _set(self, "repeats", repeats); _set(self, "edges", edges); _set(self, "edges_lost", edges_lost); _set(self, "chatter", chatter); _set(self, "chatter_input", chatter_input); _set(self, "scans_late", scans_late); _set(self, "scan_max_us", scan_max_us); _set(self, "turn_max_us", turn_max_us); _set(self, "blackout_max_us", blackout_max_us); _set(self, "stack_free", stack_free)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_STATS_REPLY, "STATS.reply", self.status, self.uptime_s, self.packets, self.bad_packets, self.oversized, self.rx_lost, self.repeats, self.edges, self.edges_lost, self.chatter, self.chatter_input, self.scans_late, self.scan_max_us, self.turn_max_us, self.blackout_max_us, self.stack_free)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_STATS_REPLY, "STATS.reply", payload)
        return cls(Status(head[0]), head[1], head[2], head[3], head[4], head[5], head[6], head[7], head[8], head[9], head[10], head[11], head[12], head[13], head[14], head[15])


_CLEAR_STATS: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class ClearStats(_Values):
    """Sets the counters to 0."""

    __slots__ = ()
    TYPE: ClassVar[int] = 0x06

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CLEAR_STATS, "CLEAR_STATS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_CLEAR_STATS, "CLEAR_STATS", payload)
        return cls()


_CLEAR_STATS_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ClearStatsReply(_Values):
    """Done."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0x86
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CLEAR_STATS_REPLY, "CLEAR_STATS.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CLEAR_STATS_REPLY, "CLEAR_STATS.reply", payload)
        return cls(Status(head[0]))


_COLUMNS: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class Columns(_Values):
    """Since 1.1: requests how long each column of a matrix takes to rise; measured whenever a switch
    closes.
    """

    __slots__ = ()
    TYPE: ClassVar[int] = 0x07

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLUMNS, "COLUMNS")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_COLUMNS, "COLUMNS", payload)
        return cls()


_COLUMNS_REPLY: Final = struct.Struct("<BB")


@dataclass(init=False, repr=False, eq=False)
class ColumnsReply(_Values):
    """The rise times. UNSUPPORTED without a matrix."""

    __slots__ = ("status", "settle_us", "rise_us")
    TYPE: ClassVar[int] = 0x87
    status: Status
    settle_us: int
    """how long a scan waits for a column"""
    rise_us: bytes

    def __init__(self, status: Status, settle_us: int, rise_us: bytes = b"") -> None:
        _set(self, "status", status); _set(self, "settle_us", settle_us); _set(self, "rise_us", rise_us)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_COLUMNS_REPLY, "COLUMNS.reply", self.status, self.settle_us) + self.rise_us

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_COLUMNS_REPLY, "COLUMNS.reply", payload)
        return cls(Status(head[0]), head[1], tail)


_EDGES_AGAIN: Final = struct.Struct("<HB")


@dataclass(init=False, repr=False, eq=False)
class EdgesAgain(_Values):
    """Since 1.1: requests lost edges again, as ordinary EDGES packets; edges after them are not repeated."""

    __slots__ = ("first", "count")
    TYPE: ClassVar[int] = 0x08
    first: int
    """number of the first edge wanted"""
    count: int
    """1 .. 255"""

    def __init__(self, first: int, count: int) -> None:
        _set(self, "first", first); _set(self, "count", count)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_AGAIN, "EDGES_AGAIN", self.first, self.count)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_AGAIN, "EDGES_AGAIN", payload)
        return cls(head[0], head[1])


_EDGES_AGAIN_REPLY: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class EdgesAgainReply(_Values):
    """OK: the EDGES packets follow. TOO_OLD: they have left the ring."""

    __slots__ = ("status", "newest")
    TYPE: ClassVar[int] = 0x88
    status: Status
    newest: int
    """number of the newest edge"""

    def __init__(self, status: Status, newest: int) -> None:
        _set(self, "status", status); _set(self, "newest", newest)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES_AGAIN_REPLY, "EDGES_AGAIN.reply", self.status, self.newest)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_EDGES_AGAIN_REPLY, "EDGES_AGAIN.reply", payload)
        return cls(Status(head[0]), head[1])


_LED_PALETTE: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class LedPalette(_Values):
    """Sets palette entries; shows with the next LED output."""

    __slots__ = ("first", "colours")
    TYPE: ClassVar[int] = 0x10
    first: int
    """index of the first entry in the tail"""
    colours: tuple[Colour, ...]

    def __init__(self, first: int, colours: tuple[Colour, ...] = ()) -> None:
        _set(self, "first", first); _set(self, "colours", colours)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_PALETTE, "LED_PALETTE", self.first) + b"".join(map(Colour.encode, self.colours))

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_PALETTE, "LED_PALETTE", payload)
        return cls(head[0], tuple(map(Colour.decode, _entries(8, "LED_PALETTE", tail))))


_LED_PALETTE_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class LedPaletteReply(_Values):
    """Done."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0x90
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_PALETTE_REPLY, "LED_PALETTE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_PALETTE_REPLY, "LED_PALETTE.reply", payload)
        return cls(Status(head[0]))


_LED_SET: Final = struct.Struct("<BHB")


@dataclass(init=False, repr=False, eq=False)
class LedSet(_Values):
    """Sets neighbouring LEDs to colours, two to a byte, the first in the low half; a last half left over
    is 0xF or beyond `count`.
    """

    __slots__ = ("flags", "first", "count", "colours")
    TYPE: ClassVar[int] = 0x11
    flags: Lamp
    first: int
    count: int
    colours: bytes

    def __init__(self, flags: Lamp, first: int, count: int, colours: bytes = b"") -> None:
        _set(self, "flags", flags); _set(self, "first", first); _set(self, "count", count); _set(self, "colours", colours)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SET, "LED_SET", self.flags, self.first, self.count) + self.colours

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_SET, "LED_SET", payload)
        return cls(Lamp(head[0]), head[1], head[2], tail)


_LED_SET_REPLY: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class LedSetReply(_Values):
    """Done; with SHOW once the strip is out."""

    __slots__ = ("status", "current_ma")
    TYPE: ClassVar[int] = 0x91
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def __init__(self, status: Status, current_ma: int) -> None:
        _set(self, "status", status); _set(self, "current_ma", current_ma)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SET_REPLY, "LED_SET.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_SET_REPLY, "LED_SET.reply", payload)
        return cls(Status(head[0]), head[1])


_LED_FILL: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class LedFill(_Values):
    """Sets runs of LEDs to one colour each; with CLEAR and SHOW one packet repaints a board with a few lit
    cells.
    """

    __slots__ = ("flags", "runs")
    TYPE: ClassVar[int] = 0x12
    flags: Lamp
    runs: tuple[Run, ...]

    def __init__(self, flags: Lamp, runs: tuple[Run, ...] = ()) -> None:
        _set(self, "flags", flags); _set(self, "runs", runs)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_FILL, "LED_FILL", self.flags) + b"".join(map(Run.encode, self.runs))

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LED_FILL, "LED_FILL", payload)
        return cls(Lamp(head[0]), tuple(map(Run.decode, _entries(4, "LED_FILL", tail))))


_LED_FILL_REPLY: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class LedFillReply(_Values):
    """Done; with SHOW once the strip is out."""

    __slots__ = ("status", "current_ma")
    TYPE: ClassVar[int] = 0x92
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def __init__(self, status: Status, current_ma: int) -> None:
        _set(self, "status", status); _set(self, "current_ma", current_ma)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_FILL_REPLY, "LED_FILL.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_FILL_REPLY, "LED_FILL.reply", payload)
        return cls(Status(head[0]), head[1])


_LED_SHOW: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class LedShow(_Values):
    """Sends the strip out."""

    __slots__ = ()
    TYPE: ClassVar[int] = 0x13

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SHOW, "LED_SHOW")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_LED_SHOW, "LED_SHOW", payload)
        return cls()


_LED_SHOW_REPLY: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class LedShowReply(_Values):
    """The strip is out."""

    __slots__ = ("status", "current_ma")
    TYPE: ClassVar[int] = 0x93
    status: Status
    current_ma: int
    """estimate of what the LEDs draw now"""

    def __init__(self, status: Status, current_ma: int) -> None:
        _set(self, "status", status); _set(self, "current_ma", current_ma)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LED_SHOW_REPLY, "LED_SHOW.reply", self.status, self.current_ma)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_LED_SHOW_REPLY, "LED_SHOW.reply", payload)
        return cls(Status(head[0]), head[1])


_TEXT: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class Text(_Values):
    """Replaces one line of the display; the panel cuts it to its columns and shows `?` for unknown
    characters.
    """

    __slots__ = ("line", "text")
    TYPE: ClassVar[int] = 0x20
    line: int
    text: str

    def __init__(self, line: int, text: str = "") -> None:
        _set(self, "line", line); _set(self, "text", text)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TEXT, "TEXT", self.line) + self.text.encode()

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_TEXT, "TEXT", payload)
        return cls(head[0], tail.decode("utf-8", "replace"))


_TEXT_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class TextReply(_Values):
    """Accepted; drawn within the next milliseconds."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0xa0
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TEXT_REPLY, "TEXT.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_TEXT_REPLY, "TEXT.reply", payload)
        return cls(Status(head[0]))


_TONE: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class Tone(_Values):
    """Plays notes one after another, replacing those that sound; no notes: silence."""

    __slots__ = ("notes",)
    TYPE: ClassVar[int] = 0x21
    notes: tuple[Note, ...]

    def __init__(self, notes: tuple[Note, ...] = ()) -> None:
        _set(self, "notes", notes)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TONE, "TONE") + b"".join(map(Note.encode, self.notes))

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, tail = _split(_TONE, "TONE", payload)
        return cls(tuple(map(Note.decode, _entries(4, "TONE", tail))))


_TONE_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ToneReply(_Values):
    """Playing."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0xa1
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_TONE_REPLY, "TONE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_TONE_REPLY, "TONE.reply", payload)
        return cls(Status(head[0]))


_CONFIG_GET: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ConfigGet(_Values):
    """Requests one configuration value."""

    __slots__ = ("key",)
    TYPE: ClassVar[int] = 0x30
    key: ConfigKey

    def __init__(self, key: ConfigKey) -> None:
        _set(self, "key", key)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_GET, "CONFIG_GET", self.key)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_GET, "CONFIG_GET", payload)
        return cls(ConfigKey(head[0]))


_CONFIG_GET_REPLY: Final = struct.Struct("<BBH")


@dataclass(init=False, repr=False, eq=False)
class ConfigGetReply(_Values):
    """The value in force."""

    __slots__ = ("status", "key", "value")
    TYPE: ClassVar[int] = 0xb0
    status: Status
    key: ConfigKey
    value: int

    def __init__(self, status: Status, key: ConfigKey, value: int) -> None:
        _set(self, "status", status); _set(self, "key", key); _set(self, "value", value)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_GET_REPLY, "CONFIG_GET.reply", self.status, self.key, self.value)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_GET_REPLY, "CONFIG_GET.reply", payload)
        return cls(Status(head[0]), ConfigKey(head[1]), head[2])


_CONFIG_SET: Final = struct.Struct("<BH")


@dataclass(init=False, repr=False, eq=False)
class ConfigSet(_Values):
    """Sets one configuration value, effective at once, lost at power-off unless saved."""

    __slots__ = ("key", "value")
    TYPE: ClassVar[int] = 0x31
    key: ConfigKey
    value: int

    def __init__(self, key: ConfigKey, value: int) -> None:
        _set(self, "key", key); _set(self, "value", value)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SET, "CONFIG_SET", self.key, self.value)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SET, "CONFIG_SET", payload)
        return cls(ConfigKey(head[0]), head[1])


_CONFIG_SET_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ConfigSetReply(_Values):
    """In force."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0xb1
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SET_REPLY, "CONFIG_SET.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SET_REPLY, "CONFIG_SET.reply", payload)
        return cls(Status(head[0]))


_CONFIG_SAVE: Final = struct.Struct("<")


@dataclass(init=False, repr=False, eq=False)
class ConfigSave(_Values):
    """Writes the configuration to the EEPROM: the only command that does."""

    __slots__ = ()
    TYPE: ClassVar[int] = 0x32

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SAVE, "CONFIG_SAVE")

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        _head, _ = _split(_CONFIG_SAVE, "CONFIG_SAVE", payload)
        return cls()


_CONFIG_SAVE_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ConfigSaveReply(_Values):
    """Written and read back; or unchanged and not written."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0xb2
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_CONFIG_SAVE_REPLY, "CONFIG_SAVE.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_CONFIG_SAVE_REPLY, "CONFIG_SAVE.reply", payload)
        return cls(Status(head[0]))


_RESET: Final = struct.Struct("<H")


@dataclass(init=False, repr=False, eq=False)
class Reset(_Values):
    """Restarts the panel after the reply."""

    __slots__ = ("magic",)
    TYPE: ClassVar[int] = 0x3f
    magic: int
    """RESET_MAGIC"""

    def __init__(self, magic: int) -> None:
        _set(self, "magic", magic)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RESET, "RESET", self.magic)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RESET, "RESET", payload)
        return cls(head[0])


_RESET_REPLY: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class ResetReply(_Values):
    """Accepted; BOOT follows."""

    __slots__ = ("status",)
    TYPE: ClassVar[int] = 0xbf
    status: Status

    def __init__(self, status: Status) -> None:
        _set(self, "status", status)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_RESET_REPLY, "RESET.reply", self.status)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_RESET_REPLY, "RESET.reply", payload)
        return cls(Status(head[0]))


_BOOT: Final = struct.Struct("<BBBHIHBBBB8sBHBBHBBBBBHBBH")


@dataclass(init=False, repr=False, eq=False)
class Boot(_Values):
    """The panel has started: say HELLO. Same payload as HELLO's reply, nonce 0."""

    __slots__ = ("status", "major", "minor", "nonce", "fingerprint", "session", "firmware_major", "firmware_minor", "firmware_patch", "board", "unique_id", "reset_cause", "cells", "rows", "cols", "leds", "palette", "text_lines", "text_columns", "buttons", "max_packet", "scan_period_us", "debounce_on_ms", "debounce_off_ms", "capabilities", "extra")
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
    extra: tuple[Tlv, ...]

    def __init__(self, status: Status, major: int, minor: int, nonce: int, fingerprint: int, session: int, firmware_major: int, firmware_minor: int, firmware_patch: int, board: BoardKind, unique_id: bytes, reset_cause: ResetCause, cells: int, rows: int, cols: int, leds: int, palette: int, text_lines: int, text_columns: int, buttons: int, max_packet: int, scan_period_us: int, debounce_on_ms: int, debounce_off_ms: int, capabilities: Capability, extra: tuple[Tlv, ...] = ()) -> None:
        _set(self, "status", status); _set(self, "major", major); _set(self, "minor", minor); _set(self, "nonce", nonce); _set(self, "fingerprint", fingerprint); _set(self, "session", session); _set(self, "firmware_major", firmware_major); _set(self, "firmware_minor", firmware_minor); _set(self, "firmware_patch", firmware_patch); _set(self, "board", board); _set(self, "unique_id", unique_id); _set(self, "reset_cause", reset_cause); _set(self, "cells", cells); _set(self, "rows", rows); _set(self, "cols", cols); _set(self, "leds", leds); _set(self, "palette", palette); _set(self, "text_lines", text_lines); _set(self, "text_columns", text_columns); _set(self, "buttons", buttons); _set(self, "max_packet", max_packet); _set(self, "scan_period_us", scan_period_us); _set(self, "debounce_on_ms", debounce_on_ms); _set(self, "debounce_off_ms", debounce_off_ms); _set(self, "capabilities", capabilities); _set(self, "extra", extra)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_BOOT, "BOOT", self.status, self.major, self.minor, self.nonce, self.fingerprint, self.session, self.firmware_major, self.firmware_minor, self.firmware_patch, self.board, self.unique_id, self.reset_cause, self.cells, self.rows, self.cols, self.leds, self.palette, self.text_lines, self.text_columns, self.buttons, self.max_packet, self.scan_period_us, self.debounce_on_ms, self.debounce_off_ms, self.capabilities) + _pack_tlvs(self.extra)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_BOOT, "BOOT", payload)
        return cls(Status(head[0]), head[1], head[2], head[3], head[4], head[5], head[6], head[7], head[8], BoardKind(head[9]), head[10], ResetCause(head[11]), head[12], head[13], head[14], head[15], head[16], head[17], head[18], head[19], head[20], head[21], head[22], head[23], Capability(head[24]), _split_tlvs("BOOT", tail))


_HEARTBEAT: Final = struct.Struct("<IHHHB")


@dataclass(init=False, repr=False, eq=False)
class Heartbeat(_Values):
    """Once a second: detects a lost last edge, a restarted panel, and different states."""

    __slots__ = ("t_ms", "session", "sequence", "state_crc", "health")
    TYPE: ClassVar[int] = 0xf1
    t_ms: int
    session: int
    sequence: int
    """number of the newest edge"""
    state_crc: int
    """CRC-16 of the state after it"""
    health: Health

    def __init__(self, t_ms: int, session: int, sequence: int, state_crc: int, health: Health) -> None:
        _set(self, "t_ms", t_ms); _set(self, "session", session); _set(self, "sequence", sequence); _set(self, "state_crc", state_crc); _set(self, "health", health)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_HEARTBEAT, "HEARTBEAT", self.t_ms, self.session, self.sequence, self.state_crc, self.health)

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, _ = _split(_HEARTBEAT, "HEARTBEAT", payload)
        return cls(head[0], head[1], head[2], head[3], Health(head[4]))


_EDGES: Final = struct.Struct("<HIH")


@dataclass(init=False, repr=False, eq=False)
class Edges(_Values):
    """Edges in the order of their stamps, numbered without gaps. Numbers have 16 bits, because 8 bits
    would hide a stall of 256 edges: 1.3 s at 200 edges/s.
    """

    __slots__ = ("first", "t_ms", "state_crc", "edges")
    TYPE: ClassVar[int] = 0xf2
    first: int
    """number of the first edge; the first after a start is 1, 0 follows 65535"""
    t_ms: int
    """stamp of the first edge: ms since the panel started, wraps after 49.7 days"""
    state_crc: int
    """CRC-16 of the state after the last edge given"""
    edges: tuple[Edge, ...]

    def __init__(self, first: int, t_ms: int, state_crc: int, edges: tuple[Edge, ...] = ()) -> None:
        _set(self, "first", first); _set(self, "t_ms", t_ms); _set(self, "state_crc", state_crc); _set(self, "edges", edges)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_EDGES, "EDGES", self.first, self.t_ms, self.state_crc) + b"".join(map(Edge.encode, self.edges))

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_EDGES, "EDGES", payload)
        return cls(head[0], head[1], head[2], tuple(map(Edge.decode, _entries(3, "EDGES", tail))))


_LOG: Final = struct.Struct("<B")


@dataclass(init=False, repr=False, eq=False)
class Log(_Values):
    """A line for people; may be ignored."""

    __slots__ = ("level", "text")
    TYPE: ClassVar[int] = 0xff
    level: LogLevel
    text: str

    def __init__(self, level: LogLevel, text: str = "") -> None:
        _set(self, "level", level); _set(self, "text", text)

    def encode(self) -> bytes:
        """Return the payload."""
        return _pack(_LOG, "LOG", self.level) + self.text.encode()

    @classmethod
    def decode(cls, payload: bytes) -> Self:
        """Return the message in *payload*. Raises `PayloadError` when it does not fit."""
        head, tail = _split(_LOG, "LOG", payload)
        return cls(LogLevel(head[0]), tail.decode("utf-8", "replace"))

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

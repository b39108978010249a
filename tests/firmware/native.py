# SPDX-License-Identifier: Apache-2.0
"""The firmware's core on this machine: the shared library by ctypes, driven in virtual time.

Its rule: time passes only by `run_ms`; commands go out once and nothing is retried.
"""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
from pathlib import Path
from typing import TypeVar

import pytest

from companion.link.framing import BadPacket, Decoder, Packet, encode_packet
from companion.link.protocol_gen import (
    FINGERPRINT,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    Edges,
    GetSnapshot,
    GetSnapshotReply,
    Hello,
    HelloReply,
    Message,
    ResetCause,
    decode_message,
)
from tests.firmware.simulator_library import BUILD, make

M = TypeVar("M")
PATIENCE_MS = 200
TURN_US = 250
MEMORY_BYTES = 64


def built(name: str) -> Path:
    """Build a file of firmware/build and return its path.

    Without a compiler it skips the test, or fails in CI.
    """
    missing = [tool for tool in ("gcc", "make") if shutil.which(tool) is None]
    if missing and os.environ.get("CI") == "true":
        pytest.fail(f"{', '.join(missing)} missing: apt-get install -y gcc make")
    if missing:
        pytest.skip(f"{', '.join(missing)} missing")
    make("Makefile", str(BUILD / name))
    return BUILD / name


@functools.cache
def library(panel: str) -> ctypes.CDLL:
    """Return the core built for a panel of companion/panels."""
    return loaded(built(f"libcompanion_core-{panel}.so"))


def loaded(path: Path) -> ctypes.CDLL:
    """Return a core built elsewhere."""
    core = ctypes.CDLL(str(path))
    for name in ("native_strip", "native_memory"):
        getattr(core, name).restype = ctypes.POINTER(ctypes.c_uint8)
    for name in ("native_leds", "native_feed", "native_take"):
        getattr(core, name).restype = ctypes.c_size_t
    for name in ("native_last_show", "native_pitch", "native_crc"):
        getattr(core, name).restype = ctypes.c_uint16
    for name in ("native_shows", "native_memory_writes"):
        getattr(core, name).restype = ctypes.c_uint32
    return core


class NativePanel:
    """One panel, unpacked and started; there is one at a time for each name."""

    def __init__(self, name: str = "8x8", core: ctypes.CDLL | None = None) -> None:
        self.core = core or library(name)
        self.core.native_unpack()
        self._decoder = Decoder()
        self.seq = 0
        self.notices: list[Message] = []
        self.bad: list[BadPacket] = []
        self.start(ResetCause.POWER_ON)

    def start(self, cause: ResetCause) -> None:
        """Reset the panel; its memory and switches stay as they are."""
        self.core.native_start(int(cause))

    # --- the world round it ---

    def run_ms(self, ms: float, turn_us: int = TURN_US) -> None:
        self.core.native_turns(round(ms * 1000 / turn_us), turn_us)

    def switch(self, cell: int, is_closed: bool) -> None:
        self.core.native_switch(cell, is_closed)

    def buttons(self, pressed: int) -> None:
        self.core.native_buttons(pressed)

    def strip(self) -> list[tuple[int, int, int]]:
        """Return red, green and blue of each place of the strip."""
        count = self.core.native_leds()
        data = self.core.native_strip()[: 3 * count]
        return [(data[at], data[at + 1], data[at + 2]) for at in range(0, 3 * count, 3)]

    def text(self, line: int) -> bytes:
        room = ctypes.create_string_buffer(64)
        self.core.native_text(line, room, ctypes.c_size_t(64))
        return room.value.rstrip()

    def memory(self) -> bytearray:
        return bytearray(self.core.native_memory()[:MEMORY_BYTES])

    def set_memory(self, data: bytes | bytearray) -> None:
        for at, byte in enumerate(data):
            self.core.native_memory()[at] = byte

    # --- the line ---

    def feed(self, data: bytes) -> None:
        assert self.core.native_feed(data, ctypes.c_size_t(len(data))) == len(data), (
            "the line's buffer is full"
        )

    def take(self) -> bytes:
        room = ctypes.create_string_buffer(4096)
        count = self.core.native_take(room, ctypes.c_size_t(4096))
        return room.raw[:count]

    def packets(self) -> list[Packet]:
        """Return the replies that have come; notices go to `notices`, damaged packets to `bad`."""
        replies = []
        for found in self._decoder.feed(self.take()):
            if isinstance(found, BadPacket):
                self.bad.append(found)
            elif found.seq == 0:
                self.notices.append(decode_message(found.type, found.payload))
            else:
                replies.append(found)
        return replies

    def listen(self, ms: int) -> list[Message]:
        """Let time pass; return the notices. Fails on a reply."""
        before = len(self.notices)
        assert self.packets() == []
        for _ in range(ms):
            self.run_ms(1)
            assert self.packets() == []
        return self.notices[before:]

    def send(self, command: Message, seq: int | None = None) -> None:
        """Put a command on the line and let no time pass."""
        self.seq = seq if seq is not None else self.seq % 255 + 1
        self.feed(encode_packet(Packet(command.TYPE, self.seq, command.encode())))

    def ask(self, command: Message, seq: int | None = None) -> Message:
        """Return the reply to a command.

        There must be exactly one, of the right type and number.
        """
        self.send(command, seq)
        for _ in range(PATIENCE_MS):
            self.run_ms(1)
            replies = self.packets()
            if replies:
                assert [(reply.type, reply.seq) for reply in replies] == [(command.TYPE | 0x80, self.seq)]
                return decode_message(replies[0].type, replies[0].payload)
        raise AssertionError(f"no reply to {command}")

    def hello(self) -> HelloReply:
        reply = self.ask(Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, 0x55AA, FINGERPRINT))
        assert isinstance(reply, HelloReply)
        return reply

    def state(self) -> tuple[int, int, bytes]:
        """Read the whole snapshot: the number of its newest edge, its CRC and bytes."""
        state = b""
        while True:
            part = self.ask(GetSnapshot(len(state)))
            assert isinstance(part, GetSnapshotReply)
            assert part.offset == len(state)
            state += part.state
            if len(state) == part.total:
                return part.sequence, part.state_crc, state

    def edges(self, ms: int) -> list[tuple[int, int, int]]:
        """Let time pass; return (number, t_ms, input) of every edge that came meanwhile."""
        return numbered(self.listen(ms))

    def notices_of(self, kind: type[M]) -> list[M]:
        return [notice for notice in self.notices if isinstance(notice, kind)]


def numbered(notices: list[Message]) -> list[tuple[int, int, int]]:
    """Return (number, t_ms, input) of every edge in these notices."""
    return [
        ((packet.first + index) & 0xFFFF, packet.t_ms + edge.dt_ms, edge.input)
        for packet in notices
        if isinstance(packet, Edges)
        for index, edge in enumerate(packet.edges)
    ]

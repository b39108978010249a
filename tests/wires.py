# SPDX-License-Identifier: Apache-2.0
"""Fakes for links: ports that follow a script, and wires with faults.

They keep the contract of what they replace. Time is an int: nothing waits.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from companion.link.connection import Connection
from companion.link.events import LinkEvent
from companion.link.framing import Decoder, Packet, encode_packet
from companion.link.panel import load_panel
from companion.link.protocol_gen import REPLY_BIT, Message, PayloadError, Whole, decode_message
from companion.virtual.panel import VirtualPanel

PANEL_ID = b"\x01\x02\x03\x04\x05\x06\x07\x08"


@dataclass
class ScriptedPanel:
    """The far end of a connection, which sends only what the test scripted."""

    host: Connection
    now_ms: int = 1_000
    events: list[LinkEvent] = field(default_factory=list)
    _script: deque[tuple[type[Whole], tuple[Whole, ...]]] = field(default_factory=deque)
    _decoder: Decoder = field(default_factory=Decoder)
    seen: list[Whole] = field(default_factory=list)

    def expect(self, command: type[Whole], *replies: Whole) -> None:
        """Expect *command* from the host; *replies* are its replies and notices."""
        self._script.append((command, replies))

    def send(self, notice: Whole) -> None:
        """Send an unsolicited packet to the host."""
        self.feed(encode_packet(Packet(notice.TYPE, 0, notice.encode())))

    def feed(self, data: bytes) -> None:
        """Feed *data* to the host."""
        self.events += self.host.feed(data, self.now_ms)

    def run(self, for_ms: int = 0) -> None:
        """Exchange packets and advance the time by *for_ms*."""
        end_ms = self.now_ms + for_ms
        while True:
            self.events += self.host.tick(self.now_ms)
            while data := self.host.bytes_to_send(self.now_ms):
                for packet in self._decoder.feed(data):
                    assert isinstance(packet, Packet)
                    self._answer(packet)
            due_ms = self.host.next_deadline_ms()
            if due_ms is None or due_ms > end_ms:
                self.now_ms = end_ms
                return
            self.now_ms = max(due_ms, self.now_ms)

    def assert_done(self) -> None:
        """Fail if an expected command was not sent."""
        assert not self._script, f"not sent: {[command.__name__ for command, _ in self._script]}"

    def _answer(self, packet: Packet) -> None:
        command = decode_message(packet.type, packet.payload)
        assert self._script, f"not expected: {command}"
        expected, replies = self._script.popleft()
        assert type(command) is expected, f"expected {expected.__name__}, not {command}"
        self.seen.append(command)
        for reply in replies:
            seq = packet.seq if packet.type | REPLY_BIT == reply.TYPE else 0
            self.feed(encode_packet(Packet(reply.TYPE, seq, reply.encode())))


Fault = Callable[[bytes], list[tuple[int, bytes]]]
"""A fault model: maps a chunk to the chunks that arrive, with delays in ms."""


def clean(chunk: bytes) -> list[tuple[int, bytes]]:
    """A wire without faults."""
    return [(0, chunk)]


def drop(_chunk: bytes) -> list[tuple[int, bytes]]:
    """A wire that is cut."""
    return []


@dataclass
class NoisyWire:
    """Splits, delays, doubles, flips and drops chunks by *random*.

    *badness* is the fraction of chunks with a fault.
    """

    random: Random
    badness: float

    def __call__(self, chunk: bytes) -> list[tuple[int, bytes]]:
        delay_ms = self.random.choice((0, 0, 0, 1, 3, 12))
        cut = self.random.randint(0, len(chunk))
        parts = [(delay_ms, chunk[:cut]), (delay_ms + self.random.choice((0, 1, 5)), chunk[cut:])]
        if self.random.random() >= self.badness:
            return parts
        match self.random.choice(("drop", "double", "flip", "lose a byte")):
            case "drop":
                return parts[:1]
            case "double":
                return [*parts, (delay_ms + 20, chunk)]
            case "flip":
                at = self.random.randrange(len(chunk))
                flipped = chunk[at] ^ 1 << self.random.randrange(8)
                return [(delay_ms, chunk[:at] + bytes((flipped,)) + chunk[at + 1 :])]
        at = self.random.randrange(len(chunk))
        return [(delay_ms, chunk[:at] + chunk[at + 1 :])]


@dataclass
class _Direction:
    """One direction of a wire: first in, first out, at any delay."""

    fault: Fault
    arrivals: deque[tuple[int, bytes]] = field(default_factory=deque)

    def send(self, chunk: bytes, now_ms: int) -> None:
        if chunk:
            for late_ms, part in self.fault(chunk):
                last_ms = self.arrivals[-1][0] if self.arrivals else now_ms
                self.arrivals.append((max(last_ms, now_ms + late_ms), part))

    def due(self, now_ms: int) -> bytes:
        data = b""
        while self.arrivals and self.arrivals[0][0] <= now_ms:
            data += self.arrivals.popleft()[1]
        return data

    def next_ms(self) -> float:
        return self.arrivals[0][0] if self.arrivals else float("inf")


class ConnectionPair:
    """A host's connection and a virtual panel with a simulated wire between them."""

    def __init__(
        self,
        panel: str = "8x8",
        *,
        up: Fault = clean,
        down: Fault = clean,
        patience_ms: int = 0,
        now_ms: int = 5_000,
    ) -> None:
        """*up* is the way from the panel to the host, *down* the other."""
        self.now_ms = now_ms
        self.panel = VirtualPanel(load_panel(panel), unique_id=PANEL_ID, session=7, now_ms=now_ms)
        self.host = Connection(nonce=41, patience_ms=patience_ms)
        self.events: list[LinkEvent] = []
        self.said: list[Message] = []
        """Every command that reached the panel's end of the wire, with duplicates."""
        self._up = _Direction(up)
        self._down = _Direction(down)
        self._listener = Decoder()

    def set_faults(self, up: Fault, down: Fault) -> None:
        self._up.fault, self._down.fault = up, down

    def run(self, for_ms: int = 0) -> None:
        """Let *for_ms* pass, event by event."""
        end_ms = self.now_ms + for_ms
        while True:
            self._settle()
            next_ms = min(
                float(self.panel.next_deadline_ms()),
                float("inf") if (due_ms := self.host.next_deadline_ms()) is None else float(due_ms),
                self._up.next_ms(),
                self._down.next_ms(),
            )
            if next_ms > end_ms:
                self.now_ms = end_ms
                return
            self.now_ms = max(int(next_ms), self.now_ms)

    def take_events(self) -> list[LinkEvent]:
        """The events since the last call."""
        events, self.events = self.events, []
        return events

    def _settle(self) -> None:
        """Move bytes until neither end has more to send."""
        while True:
            down = self._down.due(self.now_ms)
            if down:
                for packet in self._listener.feed(down):
                    with suppress(PayloadError):  # one damaged packet in 65 536 has a valid CRC
                        if isinstance(packet, Packet):
                            self.said.append(decode_message(packet.type, packet.payload))
                self.panel.feed(down, self.now_ms)
            self._up.send(self.panel.bytes_to_send(self.now_ms), self.now_ms)
            up = self._up.due(self.now_ms)
            if up:
                self.events += self.host.feed(up, self.now_ms)
            self.events += self.host.tick(self.now_ms)
            said = self.host.bytes_to_send(self.now_ms)
            self._down.send(said, self.now_ms)
            if not (said or up or down):
                return


def up(panel: str = "8x8") -> ConnectionPair:
    """A pair that has completed its greeting."""
    pair = ConnectionPair(panel)
    pair.run()
    pair.take_events()
    return pair

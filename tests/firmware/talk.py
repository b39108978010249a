# SPDX-License-Identifier: Apache-2.0
"""A test host that sends single commands to a simulated board, in virtual time.

It has no error recovery: a test sees each reply, notice and damaged packet as it arrived.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from companion.link.framing import BadPacket, Decoder, Packet, encode_packet
from companion.link.protocol_gen import (
    FINGERPRINT,
    INPUT_LEVEL,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    REPLY_BIT,
    REPLY_TIMEOUT_MS,
    Boot,
    Edges,
    Hello,
    HelloReply,
    Message,
    Whole,
    decode_message,
)
from tests.firmware.simulator import Simulator


@dataclass(frozen=True, slots=True)
class HeardEdge:
    """One edge as the board told it; *number* is its place in the board's count."""

    number: int
    input: int
    is_closed: bool
    t_ms: int


class NoReply(AssertionError):
    """The board did not answer a command in time."""


@dataclass
class Talk:
    """The line to one board, with everything heard on it."""

    board: Simulator
    notices: list[Message] = field(default_factory=list)
    damaged: list[BadPacket] = field(default_factory=list)
    sequence: int = 0
    _decoder: Decoder = field(default_factory=Decoder)
    _replies: dict[int, Message] = field(default_factory=dict)

    def listen(self, ms: float) -> None:
        """Let time pass and take in what the board says."""
        self.board.run_ms(ms)
        for framed in self._decoder.feed(self.board.take()):
            if isinstance(framed, BadPacket):
                self.damaged.append(framed)
                continue
            message = decode_message(framed.type, framed.payload)
            if framed.seq:
                self._replies[framed.seq] = message
            else:
                self.notices.append(message)

    def send(self, message: Whole) -> bytes:
        """Put a command on the line under a new number and return its bytes."""
        self.sequence = self.sequence % 255 + 1
        self._replies.pop(self.sequence, None)
        data = encode_packet(Packet(message.TYPE, self.sequence, message.encode()))
        self.board.feed(data)
        return data

    def reply(self, number: int, timeout_ms: int = REPLY_TIMEOUT_MS) -> Message:
        """Return the reply to command *number*. Raises `NoReply`."""
        for _ in range(timeout_ms):
            if number in self._replies:
                return self._replies.pop(number)
            self.listen(1)
        raise NoReply(f"command {number} has no reply after {timeout_ms} ms")

    def ask(self, message: Whole, timeout_ms: int = REPLY_TIMEOUT_MS) -> Message:
        """Send a command and return its reply. Raises `NoReply`."""
        self.send(message)
        reply = self.reply(self.sequence, timeout_ms)
        assert reply.TYPE == message.TYPE | REPLY_BIT
        return reply

    def hello(self) -> HelloReply:
        reply = self.ask(Hello(PROTOCOL_MAJOR, PROTOCOL_MINOR, 0x1234, FINGERPRINT))
        assert isinstance(reply, HelloReply)
        return reply

    def boots(self) -> list[Boot]:
        return [notice for notice in self.notices if isinstance(notice, Boot)]

    def edges(self) -> list[HeardEdge]:
        """Return all edges heard, in the order in which they came."""
        packets = [notice for notice in self.notices if isinstance(notice, Edges)]
        return [edge for packet in packets for edge in edges_of(packet)]


def edges_of(packet: Edges) -> Sequence[HeardEdge]:
    """Return the edges of one packet with their numbers and stamps."""
    return [
        HeardEdge(
            (packet.first + place) & 0xFFFF,
            edge.input & ~INPUT_LEVEL,
            bool(edge.input & INPUT_LEVEL),
            packet.t_ms + edge.dt_ms,
        )
        for place, edge in enumerate(packet.edges)
    ]

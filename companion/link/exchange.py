# SPDX-License-Identifier: Apache-2.0
"""Stop and wait: one pending command, repeated until it is answered or given up.

Pure. A reply is recognised by its type and sequence number,
so a duplicate or late one is never taken for another.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from companion.link.framing import Packet, encode_packet
from companion.link.protocol_gen import (
    COMMAND_TRIES,
    REPLY_BIT,
    REPLY_TIMEOUT_MS,
    Hello,
    Whole,
)

_NOISY_TIMEOUT_MS: Final = 40
"""Wait on a damaged line: longer than an image takes on the longest strip."""
_DAMAGED_MS: Final = 10_000
"""How long a line counts as damaged after a damaged packet."""


class _Pending(NamedTuple):
    """The command that waits for its reply."""

    command: Whole
    seq: int
    wire: bytes
    give_up_ms: int


class Exchange:
    """The pending command, and the bytes to be written for it."""

    def __init__(self) -> None:
        self._seq = 0
        self._pending: _Pending | None = None
        self._out = b""
        self._damaged_until_ms = 0
        self.deadline_ms: int | None = None
        """Time at which the reply is overdue; None if no command is pending."""
        self.sent_ms = 0
        """Time of the last transmission."""

    def send(self, command: Whole, now_ms: int) -> None:
        """Send *command*; none may be pending."""
        assert self._pending is None
        self._seq = self._seq % 255 + 1
        # The boundary in front ends any noise that the panel has received.
        wire = b"\x00" + encode_packet(Packet(command.TYPE, self._seq, command.encode()))
        give_up_ms = now_ms + COMMAND_TRIES * REPLY_TIMEOUT_MS
        self._pending = _Pending(command, self._seq, wire, give_up_ms)
        self.deadline_ms = now_ms + self._wait_ms(command, now_ms)
        self._out = wire
        self.sent_ms = now_ms

    def repeat(self, now_ms: int) -> Whole | None:
        """Repeat the pending command; after the last attempt, give it up and return it."""
        late = self._pending
        assert late is not None
        if now_ms >= late.give_up_ms:
            self.abandon()
            return late.command
        self.deadline_ms = min(now_ms + self._wait_ms(late.command, now_ms), late.give_up_ms)
        self._out = late.wire
        self.sent_ms = now_ms
        return None

    def note_damage(self, now_ms: int) -> None:
        """A packet was damaged: for a while, commands are repeated sooner."""
        self._damaged_until_ms = now_ms + _DAMAGED_MS
        late = self._pending
        if late is not None and self.deadline_ms is not None:
            self.deadline_ms = min(self.deadline_ms, self.sent_ms + self._wait_ms(late.command, now_ms))

    def _wait_ms(self, command: Whole, now_ms: int) -> int:
        """How long to wait for the reply, after which *command* is repeated."""
        # A boot loader may be listening to a greeting.
        is_damaged = now_ms < self._damaged_until_ms and not isinstance(command, Hello)
        return _NOISY_TIMEOUT_MS if is_damaged else REPLY_TIMEOUT_MS

    def answer(self, packet: Packet) -> Whole | None:
        """The command that *packet* answers, no longer pending;
        None if there is no such command.
        """
        waiting = self._pending
        if waiting is None or (packet.type, packet.seq) != (waiting.command.TYPE | REPLY_BIT, waiting.seq):
            return None
        self._pending = self.deadline_ms = None
        return waiting.command

    def abandon(self) -> None:
        """Give up the pending command."""
        self._pending = self.deadline_ms = None
        self._out = b""

    def take_bytes(self) -> bytes:
        """The bytes to be written now; each byte is returned once."""
        out, self._out = self._out, b""
        return out

# SPDX-License-Identifier: Apache-2.0
"""A simulated panel with the real link protocol: the host sees no difference.

Pure: bytes and time in, bytes out; the owner transports them.
Actions of people (`close`, `open`, `press`, …) and faults (`reset`, `is_mute`) are methods.
After each of them, and at `next_deadline_ms`, the owner fetches `bytes_to_send`.
"""

from __future__ import annotations

from typing import Final

from companion.link.framing import BadPacket, Decoder, Packet, encode_packet
from companion.link.panel import Panel
from companion.link.protocol_gen import (
    HEARTBEAT_MS,
    HOST_SILENCE_MS,
    INPUT_BUTTON,
    INPUT_LEVER,
    MESSAGES,
    NOTICES_FROM,
    REPLY_BIT,
    Boot,
    Health,
    Heartbeat,
    Hello,
    PayloadError,
    Refusal,
    ResetCause,
    Status,
    Whole,
    decode_message,
)
from companion.model.pieces import Side
from companion.virtual.device import Device
from companion.virtual.lamps import Rgb

_COMMANDS: Final = range(1, NOTICES_FROM - REPLY_BIT)
"""Message types that can be commands, known or unknown.

Higher types would have a notice as their reply.
"""


class VirtualPanel:
    """One panel, switched on at *now_ms*, host time."""

    def __init__(self, panel: Panel, *, unique_id: bytes, session: int, now_ms: int) -> None:
        """*unique_id* is eight bytes; *session* is a number that differs between starts."""
        self.device = Device(panel, unique_id, session)
        self.is_mute = False
        """A fault: while True the line is cut, but the panel runs on."""
        self._booted_ms = self._received_ms = self._beat_ms = now_ms
        self._decoder = Decoder()
        self._out = bytearray()
        self._reply: tuple[int, int, bytes] | None = None
        self._begin(now_ms)

    # --- people ---

    def close(self, cell: int, now_ms: int) -> None:
        """Put a piece on *cell*."""
        self.set_input(cell, True, now_ms)

    def open(self, cell: int, now_ms: int) -> None:
        """Empty *cell*."""
        self.set_input(cell, False, now_ms)

    def press(self, button: int, now_ms: int) -> None:
        """Press *button*."""
        self.set_input(INPUT_BUTTON + button, True, now_ms)

    def release(self, button: int, now_ms: int) -> None:
        """Release *button*."""
        self.set_input(INPUT_BUTTON + button, False, now_ms)

    def turn_lever(self, side: Side, now_ms: int) -> None:
        """*side*, 0 or 1, has pressed its end of the clock's lever down."""
        self.set_input(INPUT_LEVER, bool(side), now_ms)

    def leds(self, now_ms: int) -> tuple[Rgb, ...]:
        """The colour of each LED."""
        self._fall_dark_if_alone(now_ms)
        return self.device.lamps.lit(self.clock_ms(now_ms))

    @property
    def lines(self) -> tuple[str, ...]:
        """The text of the display."""
        return tuple(self.device.lines)

    # --- faults ---

    def reset(self, now_ms: int, cause: ResetCause = ResetCause.EXTERNAL) -> None:
        """Restart, as after a brown-out or a reset button; the inputs stay."""
        self.device.restart((self.device.session + 1) & 0xFFFF, cause)
        self._begin(now_ms)

    # --- the wire ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive the host's bytes."""
        if self.is_mute:
            return
        for framed in self._decoder.feed(data):
            if isinstance(framed, BadPacket) or framed.type not in _COMMANDS or not framed.seq:
                self.device.bad_packets += 1
            else:
                self._obey(framed, now_ms)

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The panel's output up to *now_ms*; each byte is returned once."""
        inputs = self.device.inputs
        t_ms = self.clock_ms(now_ms)
        inputs.advance(t_ms)
        while inputs.has_unsent:
            self._send(inputs.take_packet())
            inputs.advance(t_ms)  # some may have waited for space
        if now_ms - self._beat_ms >= HEARTBEAT_MS:
            self._beat_ms = now_ms
            self._fall_dark_if_alone(now_ms)
            self._send(self._heartbeat(t_ms))
        out = bytes(self._out)
        self._out.clear()
        if self.device.is_reset_due:
            self.reset(now_ms, ResetCause.COMMAND)
        return b"" if self.is_mute else out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        due_ms = self.device.inputs.next_deadline_ms()
        beat_ms = self._beat_ms + HEARTBEAT_MS
        return beat_ms if due_ms is None else min(beat_ms, self._booted_ms + due_ms)

    def clock_ms(self, now_ms: int) -> int:
        """The panel's own time at *now_ms*."""
        return now_ms - self._booted_ms

    # --- inside ---

    def _begin(self, now_ms: int) -> None:
        """Start the clock and send BOOT."""
        self._booted_ms = self._received_ms = self._beat_ms = now_ms
        self._decoder = Decoder()
        self._out = bytearray(1)  # ends the packet that a reset has cut off
        self._reply = None
        self._send(Boot.decode(self.device.describe(0).encode()))

    def set_input(self, number: int, level: bool, now_ms: int) -> None:
        """Set input *number* to *level* from now on."""
        t_ms = self.clock_ms(now_ms)
        self.device.inputs.advance(t_ms - 1)  # a scan sees changes of its own millisecond
        self.device.inputs.set(number, level, t_ms)

    def _fall_dark_if_alone(self, now_ms: int) -> None:
        """Turn the lamps off without a host, since they would be outdated."""
        if now_ms - self._received_ms >= HOST_SILENCE_MS:
            self.device.lamps.is_dark = True

    def _heartbeat(self, t_ms: int) -> Heartbeat:
        """The present heartbeat."""
        device = self.device
        health = Health.POWER_LIMITED if device.lamps.is_limited else Health(0)
        if device.lamps.is_dark:
            health |= Health.DARK
        return Heartbeat(
            t_ms & 0xFFFFFFFF, device.session, device.inputs.newest, device.inputs.state_crc(), health
        )

    def _send(self, notice: Whole) -> None:
        """Send a notice."""
        self._out += encode_packet(Packet(notice.TYPE, 0, notice.encode()))

    def _obey(self, packet: Packet, now_ms: int) -> None:
        """Carry out a command once, and repeat the reply for each repetition."""
        self._received_ms = now_ms
        self.device.packets += 1
        self.device.lamps.is_dark = False
        is_again = self._reply is not None and self._reply[:2] == (packet.type, packet.seq)
        if is_again and packet.type != Hello.TYPE:
            self.device.repeats += 1
        else:
            payload = self._carry_out(packet, now_ms)
            wire = encode_packet(Packet(packet.type | REPLY_BIT, packet.seq, payload))
            self._reply = packet.type, packet.seq, wire
        assert self._reply is not None
        self._out += self._reply[2]

    def _carry_out(self, packet: Packet, now_ms: int) -> bytes:
        """The payload of the reply to *packet*."""
        t_ms = self.clock_ms(now_ms)
        self.device.inputs.advance(t_ms)
        if packet.type not in MESSAGES:
            return bytes((Status.UNSUPPORTED,))
        try:
            command = decode_message(packet.type, packet.payload)
        except PayloadError:
            return bytes((Status.BAD_LENGTH,))
        assert not isinstance(command, Refusal)
        reply = self.device.answer(command, t_ms)
        return bytes((reply,)) if isinstance(reply, Status) else reply.encode()

# SPDX-License-Identifier: Apache-2.0
# Longer than 400 lines: one state machine, to be read with its rules and its diagram.
"""Host side of the link to one panel: bytes and time in, events out.

Rules of the file:
it cannot wait and cannot read a clock;
at most one command is pending, and anything lost is requested again here;
`_next_command` decides which command is sent next, `_accept` handles replies.

The owner calls `feed` with received bytes and `tick` at `next_deadline_ms`,
then writes the result of `bytes_to_send`.

    waiting ──(any packet, or patience is over)──> greeting ──(HELLO answered)──> reading
    reading ──(snapshot)──> up
    greeting ──(no answer)──> resting ──(a second, or any packet)──> greeting
    greeting ──(not our protocol)──> foreign
    reading, up ──(BOOT, new session, no answer, silence)──> greeting
    up ──(gap too old, CRC differs)──> reading
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from companion.link import handshake
from companion.link.boardclock import BoardClock
from companion.link.events import (
    CommandAnswered,
    CommandLost,
    FeedbackRefused,
    HealthReported,
    InputEdge,
    InputsChanged,
    InputsRead,
    LinkEvent,
    LinkLost,
    PanelGreeted,
    PanelLogged,
)
from companion.link.exchange import Exchange
from companion.link.framing import BadPacket, Decoder, Packet
from companion.link.input_state import InputState, Missing
from companion.link.outbox import Outbox, Palette, is_refused, reply_status
from companion.link.paint import Image
from companion.link.protocol_gen import (
    BAUD,
    HEARTBEAT_MS,
    HOST_SILENCE_MS,
    INPUT_LEVEL,
    NOTICES_FROM,
    Boot,
    Capability,
    Edges,
    EdgesAgain,
    EdgesSince,
    GetSnapshot,
    GetSnapshotReply,
    Health,
    Heartbeat,
    Hello,
    HelloReply,
    Log,
    Message,
    Note,
    PayloadError,
    Ping,
    PingReply,
    Tone,
    Whole,
    decode_message,
)
from companion.model.phrase import Phrase

LOOK_FOR_PANEL: Final = Phrase(
    "is this the panel's port, and is Companion's firmware on it ({baud} baud)? `companion "
    "tools panels` lists what answers",
    baud=BAUD,
)
"""Advice for a port that has never answered."""
STOPPED: Final = Phrase("the panel has stopped answering: check its cable and its power")
PATIENCE_MS: Final = 2000
"""Time that a board needs to send BOOT after a reset by opening its port.

The bootloader listens first.
"""
_REST_MS: Final = 1000
"""Interval between greetings of a panel that does not answer."""
_REPEATS_PARTS: Final = 1
"""The minor version from which a panel repeats single edges."""
_SPOILT_SNAPSHOTS: Final = 50
"""Consecutive inconsistent snapshots that count as a fault."""


class _Phase(Enum):
    """States of the conversation; see the diagram at the top of the file."""

    WAITING = auto()
    GREETING = auto()
    RESTING = auto()
    FOREIGN = auto()
    READING = auto()
    UP = auto()


@dataclass(slots=True)
class LinkCounters:
    """Quality of the line since the connection was made; the connection updates it."""

    packets: int = 0
    bad_packets: int = 0
    answers: int = 0
    repeats: int = 0
    """Commands repeated because no reply came."""
    gaps: int = 0
    """Requests for missing edges."""
    losses: int = 0
    """Restarts and silences of the panel."""


class Connection:
    """A conversation with one panel; it recovers by itself while the port is open."""

    advice: Final = LOOK_FOR_PANEL

    def __init__(self, nonce: int, *, patience_ms: int = 0) -> None:
        """*nonce* (16 bits) should differ between starts.

        *patience_ms* is the time to wait for a packet from the panel before the first greeting:
        `PATIENCE_MS` if opening the port resets the board, otherwise 0.
        """
        self.counters = LinkCounters()
        self.hello: HelloReply | None = None
        """The panel's description of itself, while the link is up."""
        self._patience_ms = patience_ms
        self._nonce = nonce
        self._phase = _Phase.WAITING
        self._until_ms: int | None = None
        self._decoder = Decoder()
        self._outbox = Outbox()
        self._clock = BoardClock()
        self._inputs = InputState(0)
        self._identity: tuple[bytes, int, int] | None = None
        self._exchange = Exchange()
        self._wants_edges = False
        self._wanted_to = 0
        """Number of the last edge that was requested."""
        self._has_reported = False
        self._has_complained = False
        self._spoilt = 0
        self.health = Health(0)
        """Health flags of the last heartbeat."""
        self._received_ms = 0

    @property
    def is_up(self) -> bool:
        """True while the panel is greeted and its inputs are known."""
        return self._phase is _Phase.UP

    @property
    def is_greeted(self) -> bool:
        """True while the panel has identified itself."""
        return self.hello is not None

    @property
    def closed(self) -> int:
        """The closed cells as far as known, bit *i* for cell *i*."""
        return self._inputs.closed

    @property
    def is_idle(self) -> bool:
        """True while the link is up and no command is queued or pending."""
        is_quiet = self._exchange.deadline_ms is None and not self._wants_edges
        return self.is_up and is_quiet and self._outbox.next() is None

    # --- orders of the owner ---

    def send(self, command: Whole) -> None:
        """Queue *command*, any but a hello.
        `CommandAnswered` or `CommandLost` reports its outcome.
        """
        self._outbox.send(command)

    def show(self, image: Image) -> None:
        """Set the LEDs: a palette index for each; replaces an unsent image."""
        self._outbox.show(image)

    def colour(self, palette: Palette) -> None:
        """Use *palette* for the images, from index 0."""
        self._outbox.colour(palette)

    def write(self, line: int, text: str) -> None:
        """Put *text* on *line* of the display; replaces a text that is not sent yet."""
        self._outbox.write(line, text)

    def play(self, notes: Sequence[Note]) -> None:
        """Play *notes*, if the panel is there and can."""
        if self.hello is not None and Capability.TONE in self.hello.capabilities:
            self.send(Tone(tuple(notes)))

    # --- the wire ---

    def reopen(self, now_ms: int) -> list[LinkEvent]:
        """Handle a reopened port: pending commands are lost, and the panel is greeted again."""
        self._decoder = Decoder()
        events = self._lose(Phrase("the port was opened again"), now_ms)
        self._phase, self._until_ms = _Phase.WAITING, now_ms + self._patience_ms
        return events

    def feed(self, data: bytes, now_ms: int) -> list[LinkEvent]:
        """The events in *data*, received until *now_ms*."""
        events: list[LinkEvent] = []
        for framed in self._decoder.feed(data):
            if isinstance(framed, BadPacket):
                self.counters.bad_packets += 1
                self._exchange.note_damage(now_ms)
            else:
                self._received_ms = now_ms
                self.counters.packets += 1
                events += self._receive(framed, now_ms)
        return events

    def tick(self, now_ms: int) -> list[LinkEvent]:
        """The events due to time alone; call it at `next_deadline_ms`, harmless earlier."""
        if self._until_ms is None:
            self._until_ms = now_ms + self._patience_ms
        if self._phase in (_Phase.WAITING, _Phase.RESTING) and now_ms >= self._until_ms:
            self._phase = _Phase.GREETING
        if self._phase in (_Phase.READING, _Phase.UP) and now_ms - self._received_ms >= HOST_SILENCE_MS:
            return self._lose(STOPPED, now_ms)
        deadline_ms = self._exchange.deadline_ms
        return self._repeat(now_ms) if deadline_ms is not None and now_ms >= deadline_ms else []

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes to be written to the port now; may be empty."""
        if self._exchange.deadline_ms is None:
            command = self._next_command(now_ms)
            if command is not None:
                self._exchange.send(command, now_ms)
        return self._exchange.take_bytes()

    def next_deadline_ms(self) -> int | None:
        """Latest time for the next call of `tick`; None if only bytes can change anything."""
        if self._phase in (_Phase.WAITING, _Phase.RESTING):
            return self._until_ms if self._until_ms is not None else 0
        if self._phase not in (_Phase.READING, _Phase.UP):
            return self._exchange.deadline_ms
        ping_ms = self._exchange.sent_ms + HEARTBEAT_MS
        return min(self._exchange.deadline_ms or ping_ms, self._received_ms + HOST_SILENCE_MS)

    # --- sending ---

    def _next_command(self, now_ms: int) -> Whole | None:
        """The command to be sent next, or None."""
        match self._phase:
            case _Phase.GREETING:
                self._nonce = (self._nonce + 1) & 0xFFFF
                return handshake.hello(self._nonce)
            case _Phase.READING:
                return GetSnapshot(self._inputs.wanted_offset)
            case _Phase.UP if self._wants_edges:
                return self._edges_request()
            case _Phase.UP:
                waiting = self._outbox.next()
                is_due = waiting is None and now_ms - self._exchange.sent_ms >= HEARTBEAT_MS
                return Ping(now_ms & 0xFFFFFFFF) if is_due else waiting
        return None

    def _edges_request(self) -> Whole:
        """The request for the missing edges, or for all later ones from an older panel."""
        first, count = self._inputs.gap
        if self.hello is None or self.hello.minor < _REPEATS_PARTS:
            return EdgesSince(self._inputs.sequence)
        count = max(1, min(count, 255))
        self._wanted_to = (first + count - 1) & 0xFFFF
        return EdgesAgain(first, count)

    def _repeat(self, now_ms: int) -> list[LinkEvent]:
        """Repeat the unanswered command, or give up."""
        given_up = self._exchange.repeat(now_ms)
        if given_up is None:
            self.counters.repeats += 1
            return []
        reason = STOPPED if self._identity else LOOK_FOR_PANEL
        events = self._lose(reason, now_ms)
        if isinstance(given_up, Hello):
            self._phase, self._until_ms = _Phase.RESTING, now_ms + _REST_MS
            events += self._complain(reason, now_ms)
        return events

    # --- receiving ---

    def _receive(self, packet: Packet, now_ms: int) -> list[LinkEvent]:
        """The events of one good packet."""
        if self._phase in (_Phase.WAITING, _Phase.RESTING):
            self._phase = _Phase.GREETING
        try:
            message = decode_message(packet.type, packet.payload)
        except PayloadError:
            message = None
        if packet.type >= NOTICES_FROM:
            return self._notice(message, now_ms)
        if isinstance(message, HelloReply) and message.nonce != self._nonce:
            command = None
        else:
            command = self._exchange.answer(packet)
        if command is None:
            return []
        self.counters.answers += 1
        return list(self._accept(command, message, now_ms))

    def _notice(self, message: Message | None, now_ms: int) -> list[LinkEvent]:
        """The events of a notice, which the panel sends unasked."""
        match message:
            case Boot():
                return self._lose(
                    Phrase("the panel restarted ({reset_cause})", reset_cause=message.reset_cause.name),
                    now_ms,
                )
            case Heartbeat():
                return self._check(message, now_ms)
            case Edges() if self._phase is _Phase.UP:
                return self._apply(message, now_ms)
            case Log():
                return [PanelLogged(now_ms, message.level, message.text)]
        return []

    def _check(self, heartbeat: Heartbeat, now_ms: int) -> list[LinkEvent]:
        """Compare the host's copy of the inputs with *heartbeat*."""
        if self._phase not in (_Phase.READING, _Phase.UP) or self._identity is None:
            return []
        if heartbeat.session != self._identity[1]:
            return self._lose(Phrase("the panel restarted unnoticed"), now_ms)
        self._clock.compare(heartbeat.t_ms, now_ms)
        if Health.BAD_PACKET in heartbeat.health:
            self._exchange.note_damage(now_ms)
        if self._phase is _Phase.UP:
            self._ask(self._inputs.check(heartbeat))
        if heartbeat.health == self.health:
            return []
        self.health = heartbeat.health
        return [HealthReported(now_ms, heartbeat.health)]

    def _apply(self, packet: Edges, now_ms: int) -> list[LinkEvent]:
        """Apply *packet* and those kept after it, or request the missing edges."""
        events: list[LinkEvent] = []
        following: Edges | None = packet
        while following is not None and self._phase is _Phase.UP:
            events += self._apply_one(following, now_ms)
            following = self._inputs.next_kept()
        if self._phase is _Phase.UP and self._inputs.is_behind(self._wanted_to):
            self._ask(Missing.EDGES)
        return events

    def _apply_one(self, packet: Edges, now_ms: int) -> list[LinkEvent]:
        """Apply the edges of *packet*, or request the missing ones."""
        applied = self._inputs.apply(packet)
        self._ask(applied.missing)
        if not applied.edges:
            return []
        stamped = tuple(
            InputEdge(
                self._clock.to_host((packet.t_ms + edge.dt_ms) & 0xFFFFFFFF, now_ms),
                edge.input & ~INPUT_LEVEL,
                bool(edge.input & INPUT_LEVEL),
            )
            for edge in applied.edges
        )
        return [InputsChanged(now_ms, stamped, self._inputs.closed, self._inputs.aux)]

    def _ask(self, missing: Missing) -> None:
        """Request *missing* with the next command."""
        if missing is Missing.EDGES:
            if not self._wants_edges:
                self.counters.gaps += 1
            self._wants_edges = True
        elif missing is Missing.SNAPSHOT:
            self._inputs.forget()
            self._wants_edges = False
            self._phase = _Phase.READING

    def _accept(self, command: Whole, reply: Message | None, now_ms: int) -> Iterator[LinkEvent]:
        """The events of the *reply* to *command*; None is a reply that cannot be decoded."""
        if isinstance(command, Hello):
            yield from self._greet(reply, now_ms)
        elif reply is None:
            yield from self._lose(
                Phrase("the panel's answers make no sense: flash its firmware again"), now_ms
            )
        elif self._outbox.done(command):
            yield CommandAnswered(now_ms, command, reply)
        elif isinstance(command, GetSnapshot):
            yield from self._read(reply, now_ms)
        elif isinstance(command, EdgesSince | EdgesAgain):
            self._wants_edges = False
            self._ask(Missing.SNAPSHOT if is_refused(reply) else Missing.NOTHING)
        elif isinstance(reply, PingReply):
            self._clock.compare(reply.t_ms, now_ms)
        elif is_refused(reply):
            yield FeedbackRefused(now_ms, command, reply_status(reply))

    def _greet(self, reply: Message | None, now_ms: int) -> Iterator[LinkEvent]:
        """Handle the reply to the greeting."""
        foreign = handshake.objection(reply, now_ms)
        if foreign is not None:
            self._phase = _Phase.FOREIGN
            yield foreign
            return
        assert isinstance(reply, HelloReply)
        identity = (reply.unique_id, reply.session, reply.cells)
        if identity != self._identity or not self._inputs.is_known:
            self._inputs = InputState(reply.cells)
            self._clock.restart()
            self._phase = _Phase.READING
        else:  # the panel went on counting while the link was down: no edge need be lost
            self._phase = _Phase.UP
            self._wants_edges = True
        self._identity = identity
        self.hello = reply
        self.health = Health(0)  # health flags that are still set are reported again
        self._has_complained = False
        self._outbox.restart(reply)
        yield PanelGreeted(now_ms, reply)

    def _read(self, reply: Message, now_ms: int) -> Iterator[LinkEvent]:
        """Handle a part of the snapshot."""
        if self._phase is not _Phase.READING:
            return
        if isinstance(reply, GetSnapshotReply) and self._inputs.read(reply):
            self._clock.compare(reply.t_ms, now_ms)
            self._phase = _Phase.UP
            self._spoilt = 0
            has_gap, self._has_reported = self._has_reported, True
            yield InputsRead(now_ms, self._inputs.closed, self._inputs.aux, has_gap)
        elif self._inputs.wanted_offset == 0:
            self._spoilt += 1
            if self._spoilt >= _SPOILT_SNAPSHOTS:
                self._spoilt = 0
                yield from self._lose(
                    Phrase("the panel's answers make no sense: flash its firmware again"), now_ms
                )

    def _lose(self, reason: str, now_ms: int) -> list[LinkEvent]:
        """Restart with a greeting; report the loss if the link was up."""
        was_greeted, self.hello = self.hello is not None, None
        self._exchange.abandon()
        self._wants_edges = False
        self._phase = _Phase.GREETING
        lost: list[LinkEvent] = [CommandLost(now_ms, command) for command in self._outbox.restart(None)]
        return lost + (self._complain(reason, now_ms) if was_greeted else [])

    def _complain(self, reason: str, now_ms: int) -> list[LinkEvent]:
        """Report once that the link is down, until the panel is greeted again."""
        if self._has_complained:
            return []
        self._has_complained = True
        self.counters.losses += 1
        return [LinkLost(now_ms, reason)]

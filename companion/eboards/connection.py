# SPDX-License-Identifier: Apache-2.0
"""The conversation with one eboard.

Pure: bytes and time in, events and bytes out; it has the interface of `companion.link.connection`.
The eboard is greeted until it answers, asked for all cells after changes and now and then, and lost
when it is silent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

from companion.eboards.codec import (
    CLOCK_BUTTONS,
    Battery,
    ClockAnswered,
    ClockButton,
    ClockRead,
    Codec,
    Field,
    Garbled,
    Named,
    Report,
    Whole,
)
from companion.eboards.dgt_clock import ClockDisplay, ClockTimes
from companion.eboards.reconciler import Reconciler
from companion.link.events import ClockSeen, EboardGreeted, EboardSeen, LinkEvent, LinkLost
from companion.link.panel import Shape
from companion.link.protocol_gen import Colour, Note
from companion.model.grid import Cell
from companion.model.observation import Change, Input, LeverTurned, Observation, Press, Sightings
from companion.model.occupancy import occupancy_of
from companion.model.phrase import Phrase
from companion.model.pieces import Side

LOOK_FOR_EBOARD: Final = Phrase("is the board switched on, and is this its port?")
"""Advice for a port on which no eboard has answered."""
STOPPED: Final = Phrase("the board has stopped answering: check its cable, its battery and its power")
_ANSWER_MS: Final = 250
"""Longest time in which an eboard answers."""
_DRIFT_MS: Final = 1500
"""Difference from which a clock's time has changed otherwise than by passing."""
_BUTTONS: Final = (0, 0, 2, 1, 1)
"""For each button of a clock that of a panel; 2 is the spare one."""
assert len(_BUTTONS) == CLOCK_BUTTONS
_LIT: Final = 64
"""Brightness from which a colour lights a lamp that is only on or off."""


class EboardConnection:
    """A conversation with one eboard; it recovers by itself while the port is open."""

    advice: Final = LOOK_FOR_EBOARD

    def __init__(self, codec: Codec, shape: Shape, *, tells_times: bool = False) -> None:
        """Nothing is sent before `reopen`. *tells_times*: report the times of a connected clock."""
        self.tells_times = tells_times
        """True if the times of a connected clock are reported."""
        self._codec = codec
        self._shape = shape
        self._timing = codec.timing
        self._reconciler = Reconciler(codec.timing.confirmations, codec.timing.hold_ms)
        self._name = codec.title
        self._out: deque[bytes] = deque()
        """Messages to the eboard; only the newest picture of the lamps."""
        self._lamps = b""
        self._written_ms = -codec.timing.write_gap_ms
        self.is_greeted = False
        """True while the eboard answers and its pieces are known."""
        self._has_reported = False
        self._received_ms = 0
        self._rest_since_ms = 0
        self._greet_at_ms: int | None = None
        self._ask_at_ms: int | None = None
        self._unanswered_ms: int | None = None
        """When all cells were requested, until they arrive."""
        self._palette: Sequence[Colour] = ()
        self._image: Sequence[int] = ()
        self._lit: frozenset[Cell] | None = None
        """The lamps that the eboard was told to light; None if unknown."""
        self.battery: Battery | None = None
        """The last report of the battery."""
        self._clock_display = ClockDisplay()
        self._clock: tuple[ClockRead, int] | None = None
        """The last report of the clock that was news, with its time."""
        self._clock_events: list[LinkEvent] = []
        """News of the clock that were not returned yet."""

    # --- orders of the owner ---

    def show(self, image: Sequence[int]) -> None:
        """Light the lamps: a palette index for each cell."""
        self._image = image
        self._light()

    def colour(self, palette: Sequence[Colour]) -> None:
        """Use *palette* for the images."""
        self._palette = palette
        self._light()

    def write(self, line: int, text: str) -> None:
        """Show *text* on *line* of a clock's display, if one is connected."""
        self._clock_display.show(line, text)

    def set_clock(self, left_ms: tuple[int, int], running: Side | None, at_ms: int) -> None:
        """Set a connected clock to the times of its left and right end.

        *running* is the end whose time runs since *at_ms*, 0 for the left.
        """
        if not self.tells_times:
            self._clock_display.set(ClockTimes(left_ms, running, at_ms))

    @property
    def has_clock(self) -> bool:
        """True while a clock is connected to the eboard."""
        return self._clock_display.is_present

    def press(self, end: Side, now_ms: int) -> list[LinkEvent]:
        """The event of a press for the player at *end*, as from a clock's lever."""
        return self._seen([LeverTurned(now_ms, end)], now_ms)

    def play(self, notes: Sequence[Note]) -> None:
        """Play *notes*, if the eboard can; a connected clock beeps as long as they last."""
        if self.is_greeted:
            self._send(self._codec.tones(notes))
            self._clock_display.sound(sum(note.length_ms for note in notes))

    # --- the wire ---

    def reopen(self, now_ms: int) -> list[LinkEvent]:
        """Handle an opened port: the eboard is greeted."""
        events = self._lose(Phrase("the port was opened again"), now_ms)
        self._codec.restart()
        self._out.clear()
        self._lamps = b""
        self._received_ms = now_ms
        self._greet(now_ms)
        return events

    def feed(self, data: bytes, now_ms: int) -> list[LinkEvent]:
        """The events in *data*, received until *now_ms*."""
        changes: list[Input] = []
        events: list[LinkEvent] = []
        for report in self._codec.feed(data):
            changes += self._receive(report, now_ms)
            if not self.is_greeted and self._reconciler.pieces is not None:
                events += self._welcome(now_ms)
        told, self._clock_events = self._clock_events, []
        return events + self._seen(changes, now_ms) + told

    def tick(self, now_ms: int) -> list[LinkEvent]:
        """The events due to time alone; call it at `next_deadline_ms`, harmless earlier."""
        events = self._seen(self._reconciler.expire(now_ms), now_ms)
        if self._greet_at_ms is None:
            return events
        if self.is_greeted and now_ms >= self._received_ms + self._timing.silence_ms:
            events += self._lose(STOPPED, now_ms)
        if not self.is_greeted and now_ms >= self._greet_at_ms:
            self._greet(now_ms)
        if self._ask_at_ms is not None and now_ms >= self._ask_at_ms:
            self._ask(now_ms)
        if self.is_greeted:
            self._send(self._clock_display.take(now_ms))
        return events

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes to be written to the port now; may be empty."""
        if not self._has_output or now_ms < self._written_ms + self._timing.write_gap_ms:
            return b""
        self._written_ms = now_ms
        if self._timing.write_gap_ms and self._out:
            out, self._lamps = self._lamps or self._out.popleft(), b""
            return out
        out = b"".join((*self._out, self._lamps))
        self._out.clear()
        self._lamps = b""
        return out

    def next_deadline_ms(self) -> int | None:
        """Latest time for the next call of `tick`; None if only bytes can change anything."""
        if self._greet_at_ms is None:
            return None
        alive_ms = self._received_ms + self._timing.silence_ms if self.is_greeted else self._greet_at_ms
        write_ms = self._written_ms + self._timing.write_gap_ms if self._has_output else None
        text_ms = self._clock_display.due_ms() if self.is_greeted else None
        due = (alive_ms, self._ask_at_ms, self._reconciler.deadline_ms, write_ms, text_ms)
        return min(each for each in due if each is not None)

    # --- inside ---

    @property
    def _has_output(self) -> bool:
        """True if a message waits to be sent."""
        return bool(self._out or self._lamps)

    def _send(self, message: bytes) -> None:
        """Send *message*, unless it is empty."""
        if message:
            self._out.append(message)

    def _receive(self, report: Report, now_ms: int) -> Sequence[Input]:
        """The changes that follow from *report*; more is asked if it cannot be believed yet."""
        timing = self._timing
        if isinstance(report, Garbled):
            self._ask_soon(now_ms + timing.settle_ms)
            return []
        self._received_ms = now_ms
        match report:
            case Named(text):
                self._name = f"{self._codec.title} {text}"
            case Battery():
                self.battery = report
            case ClockRead() | ClockAnswered() | ClockButton():
                return self._take_clock(report, now_ms)
            case Field(cell, piece):
                self._ask_at_ms = now_ms + timing.settle_ms if timing.settle_ms else self._ask_at_ms
                return self._reconciler.field(cell, piece, now_ms)
            case Whole(pieces):
                self._unanswered_ms = None
                changes = self._reconciler.whole(pieces, now_ms)
                if not self._reconciler.is_settled:
                    self._ask_soon(now_ms)
                return changes
        return []

    def _take_clock(self, report: ClockRead | ClockAnswered | ClockButton, now_ms: int) -> list[Input]:
        """The presses that follow from *report*."""
        if isinstance(report, ClockRead):
            return self._read_clock(report, now_ms)
        if isinstance(report, ClockButton):
            return [Press(now_ms, _BUTTONS[report.number])]
        self._clock_display.answered(now_ms)
        return []

    def _read_clock(self, read: ClockRead, now_ms: int) -> list[Input]:
        """The press of the lever since the last report, if there was one."""
        if read.left_s is not None and not self._clock_display.is_present:
            self._clock_display.connected()
        if read.left_s is None:
            self._clock_display.is_present, self._clock = False, None
            return []
        before = self._clock
        if before is None or not _is_continued(*before, read, now_ms):
            self._clock = read, now_ms
            left_ms = tuple(1000 * seconds for seconds in read.left_s)
            if self.tells_times:
                self._clock_events.append(ClockSeen(now_ms, left_ms, read.running))
        is_pressed = before is not None and before[0].pressed != read.pressed
        return [LeverTurned(now_ms, read.pressed)] if is_pressed else []

    def _welcome(self, now_ms: int) -> list[LinkEvent]:
        """Report the eboard, which has answered, with its pieces."""
        has_gap, self._has_reported, self.is_greeted = self._has_reported, True, True
        self._rest_since_ms = now_ms
        self._ask_soon(now_ms + self._timing.poll_ms)
        self._lit = None
        self._light()
        return [
            EboardGreeted(now_ms, self._name, self._shape),
            EboardSeen(now_ms, self._observation((), now_ms, has_gap=has_gap)),
        ]

    def _seen(self, changes: Sequence[Input], now_ms: int) -> list[LinkEvent]:
        """The event for *changes* and presses of the lever, if there are any."""
        if not changes or not self.is_greeted:
            return []
        moved = [each.t_ms for each in changes if isinstance(each, Change)]
        self._rest_since_ms = moved[-1] if moved else self._rest_since_ms
        return [EboardSeen(now_ms, self._observation(tuple(changes), now_ms))]

    def _observation(self, changes: tuple[Input, ...], now_ms: int, *, has_gap: bool = False) -> Observation:
        """*changes* and all present pieces."""
        pieces = self._reconciler.pieces or ()
        seen = tuple((cell, piece) for cell, piece in enumerate(pieces) if piece.occupied)
        sightings = Sightings(occupancy_of(cell for cell, _ in seen), seen=seen)
        return Observation(now_ms, changes, sightings, self._rest_since_ms, has_gap)

    def _greet(self, now_ms: int) -> None:
        """Ask the eboard to report."""
        self._send(self._codec.greeting())
        self._greet_at_ms = now_ms + self._timing.greet_ms

    def _ask(self, now_ms: int) -> None:
        """Request all cells."""
        self._send(self._codec.request())
        self._unanswered_ms = now_ms
        self._ask_at_ms = now_ms + self._timing.poll_ms if self._timing.poll_ms else None

    def _ask_soon(self, at_ms: int) -> None:
        """Request all cells at *at_ms*, unless that is due earlier.

        An unanswered request is not repeated at once: a noisy line would be flooded.
        """
        if self._timing.poll_ms:
            if self._unanswered_ms is not None:
                at_ms = max(at_ms, self._unanswered_ms + min(self._timing.poll_ms, _ANSWER_MS))
            self._ask_at_ms = at_ms if self._ask_at_ms is None else min(self._ask_at_ms, at_ms)

    def _lose(self, reason: str, now_ms: int) -> list[LinkEvent]:
        """Forget the eboard; report that if it was there."""
        was_greeted, self.is_greeted = self.is_greeted, False
        self._reconciler.forget()
        self._ask_at_ms = None
        self._greet_at_ms = now_ms
        return [LinkLost(now_ms, reason)] if was_greeted else []

    def _light(self) -> None:
        """Light the lamps of the wanted image, if the eboard is there."""
        if not self.is_greeted:
            return
        lit = frozenset(cell for cell, index in enumerate(self._image) if self._is_bright(index))
        if lit != self._lit:
            self._lit = lit
            self._lamps = self._codec.lamps(lit)

    def _is_bright(self, index: int) -> bool:
        """True if a lamp that is only on or off shows palette entry *index*."""
        if index >= len(self._palette):
            return False
        colour = self._palette[index]
        return max(colour.red, colour.green, colour.blue) >= _LIT


def _is_continued(before: ClockRead, at_ms: int, now: ClockRead, now_ms: int) -> bool:
    """True if *now* follows from *before*, read at *at_ms*, by the time that has passed."""
    if before.left_s is None or now.left_s is None or before.pressed != now.pressed:
        return False
    passed_ms = [now_ms - at_ms if side == before.running else 0 for side in (0, 1)]
    drifts = (
        abs(1000 * (was - seconds) - passed)
        for was, seconds, passed in zip(before.left_s, now.left_s, passed_ms, strict=True)
    )
    return before.running == now.running and max(drifts) < _DRIFT_MS

# SPDX-License-Identifier: Apache-2.0
"""DGT clocks at a board: their times, lever and buttons, and short texts.

A clock shows eight letters and takes one message at a time, which it acknowledges. Longer texts
are shown in parts, one after another. A clock that was set to times shows them again after a text.
It beeps on one pitch, so a tune is a beep of the same length.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companion.eboards.codec import (
    CLOCK_BUTTONS,
    ClockAnswered,
    ClockButton,
    ClockRead,
    Garbled,
    Report,
)
from companion.model.pieces import Side

TIMES: Final = 0x8D
"""The message of a clock."""
TIMES_SIZE: Final = 7

_LETTERS: Final = 8
_PART_MS: Final = 1500
"""Time for which a part of a text is shown."""
_BRIEF_MS: Final = 1000
"""The same where the times wait to be shown again."""
_DRIFT_MS: Final = 1000
"""Difference from which the clock is set again."""
_ANSWER_MS: Final = 2000
"""Longest time in which a clock acknowledges."""

_CLOCK: Final = 0x2B
_BEGIN: Final = 0x03
_TEXT: Final = 0x0C
_SET: Final = 0x0A
_SHOW_TIMES: Final = 0x03
_BEEP: Final = 0x0B
_BEEP_MS: Final = 64
"""Unit of a beep's length."""
_LONGEST_BEEP: Final = 15
"""In that unit: about a second."""
_END: Final = 0x00
_MODES: Final = {0: 1, 1: 2, None: 4}
"""What runs once the times are set: the left end, the right one, none."""
_BUTTON: Final = 0x88
_FIRST_BUTTON: Final = 0x31
_ANSWER: Final = 0x0A
"""Low half of the first or fourth byte, where times have hours."""
_GOOD: Final = 0x10

_RUNS: Final = 0x01
_RIGHT_IS_UP: Final = 0x02
_RIGHT_TURN: Final = 0x08
_LEFT_TURN: Final = 0x10
_ABSENT: Final = 0x20


def encoded(part: str) -> bytes:
    """The message that shows *part*, without a beep.

    >>> encoded("Nf3").hex(" ")
    '2b 0c 03 0c 4e 66 33 20 20 20 20 20 00 00'
    """
    letters = part[:_LETTERS].ljust(_LETTERS).encode("ascii", "replace")
    return _message(_TEXT, letters + b"\0")


def beep(length_ms: int) -> bytes:
    """The message for a beep of *length_ms*, in steps of 64 ms.

    At most 960 ms; other lengths are rounded up.

    >>> beep(550).hex(" ")
    '2b 04 03 0b 09 00'
    """
    return _message(_BEEP, bytes((min(-(-length_ms // _BEEP_MS), _LONGEST_BEEP),)))


def times(left_s: Sequence[int], running: Side | None) -> bytes:
    """The message that sets the clock to *left_s* at both ends, of which *running* runs.

    >>> times((3725, 59), 1).hex(" ")
    '2b 0a 03 0a 01 02 05 00 00 3b 02 00'
    """
    digits = (part for left in left_s for part in (left // 3600, left // 60 % 60, left % 60))
    return _message(_SET, bytes((*digits, _MODES[running])))


def _message(command: int, data: bytes = b"") -> bytes:
    """The message of *command* for a clock."""
    body = bytes((_BEGIN, command)) + data + bytes((_END,))
    return bytes((_CLOCK, len(body))) + body


def report_of(data: bytes) -> Report:
    """The report of a clock's message with *data*."""
    if _ANSWER in (data[0] & 0x0F, data[3] & 0x0F):
        if data[2] & 0x7F | data[3] << 2 & 0x80 == _BUTTON:
            number = (data[5] & 0x7F | data[0] << 2 & 0x80) - _FIRST_BUTTON
            return ClockButton(number) if 0 <= number < CLOCK_BUTTONS else Garbled()
        return ClockAnswered(is_good=data[1] & 0x7F | data[3] << 3 & 0x80 == _GOOD)
    status = data[6]
    if status & _ABSENT:
        return ClockRead(None)
    right, left = (_seconds(data[at : at + 3]) for at in (0, 3))
    if left is None or right is None:
        return Garbled()
    turns = {_LEFT_TURN: 0, _RIGHT_TURN: 1}
    running = next((side for bit, side in turns.items() if status & bit), None)
    pressed = 0 if status & _RIGHT_IS_UP else 1
    return ClockRead((left, right), running if status & _RUNS else None, pressed)


def _seconds(data: bytes) -> int | None:
    """Hours, minutes and seconds in decimal digits as seconds; None if they are damaged."""
    digits = (data[0] & 0x0F, *(half for byte in data[1:] for half in (byte >> 4, byte & 0x0F)))
    if max(digits) > 9:
        return None
    hours, ten_minutes, minutes, tens, ones = digits
    return hours * 3600 + (ten_minutes * 10 + minutes) * 60 + tens * 10 + ones


@dataclass(frozen=True, slots=True)
class ClockTimes:
    """What a clock is to show."""

    left_ms: tuple[int, int]
    """Time left at the left and the right end."""
    running: Side | None
    """The end whose time runs, 0 for the left."""
    at_ms: int
    """When that was so."""

    def after(self, now_ms: int) -> tuple[int, int]:
        """The times at *now_ms*."""
        left = [
            max(0, left - (now_ms - self.at_ms) * (end == self.running))
            for end, left in enumerate(self.left_ms)
        ]
        return left[0], left[1]


class ClockDisplay:
    """What one clock shows: a text in parts, and times."""

    def __init__(self) -> None:
        self.is_present = False
        """True if there is a clock."""
        self._lines: dict[int, str] = {}
        self._parts: tuple[str, ...] = ()
        self._waiting: list[bytes] = []
        """Messages that are still to be sent, besides the times."""
        self._times: ClockTimes | None = None
        self._is_set = True
        """False while the times are still to be sent."""
        self._beep = b""
        """The message for a beep that is still to be sent; empty without one."""
        self._is_beeping = False
        """True while the message that waits for its acknowledgement is a beep."""
        self._free_ms = 0
        self._answer_by_ms: int | None = None

    def show(self, line: int, text: str) -> None:
        """Show *text* on *line*."""
        self._lines[line] = text
        parts = parts_of(self._lines)
        if parts != self._parts:
            self._parts = parts
            self.repeat()

    def set(self, wanted: ClockTimes) -> None:
        """Set the clock to *wanted*, unless it shows that already."""
        known = self._times
        if known is not None and known.running == wanted.running:
            drifts = zip(known.after(wanted.at_ms), wanted.left_ms, strict=True)
            if all(abs(shown - left) < _DRIFT_MS for shown, left in drifts):
                return
        self._times, self._is_set = wanted, False
        if known is None:
            self.repeat()

    def sound(self, length_ms: int) -> None:
        """Beep for *length_ms*, before anything else is sent; nothing without a clock."""
        if self.is_present and length_ms > 0:
            self._beep = beep(length_ms)

    def connected(self) -> None:
        """Show everything at a clock that was not there before."""
        self.is_present, self._is_set = True, self._times is None
        self.repeat()

    def repeat(self) -> None:
        """Show the text from its first part, and then its beginning or the times."""
        texts = [encoded(part) for part in self._parts]
        if self._times is not None:
            self._waiting = [*texts, _message(_SHOW_TIMES)]
        else:
            self._waiting = [*texts, *texts[:1]] if len(texts) > 1 else texts

    def answered(self, now_ms: int) -> None:
        """Note that the clock has acknowledged the last message."""
        if self._answer_by_ms is not None:
            self._answer_by_ms = None
            if self._is_beeping:
                return  # what is shown has not changed
            part_ms = _PART_MS if self._times is None else _BRIEF_MS
            self._free_ms = now_ms + part_ms if self._waiting else now_ms

    def due_ms(self) -> int | None:
        """When the next message may be sent; None without one."""
        if not self.is_present or not (self._beep or self._waiting or not self._is_set):
            return None
        if self._answer_by_ms is not None:
            return self._answer_by_ms
        return self._free_ms if self._is_set and not self._beep else 0

    def take(self, now_ms: int) -> bytes:
        """The message to be sent now; may be empty."""
        due_ms = self.due_ms()
        if due_ms is None or now_ms < due_ms:
            return b""
        self._answer_by_ms = now_ms + _ANSWER_MS
        out, self._beep = self._beep, b""
        self._is_beeping = bool(out)
        if out:
            return out
        if self._times is not None and not self._is_set:
            self._is_set = True
            left_s = [-(-left // 1000) for left in self._times.after(now_ms)]
            return times(left_s, self._times.running)
        return self._waiting.pop(0)


def parts_of(lines: Mapping[int, str]) -> tuple[str, ...]:
    """The text of *lines* in parts that a clock can show.

    >>> parts_of({0: "White moves", 1: "Échec"})
    ('White', 'moves', 'Echec')
    """
    plain = unicodedata.normalize("NFKD", " ".join(lines[line] for line in sorted(lines)))
    text = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(textwrap.wrap(text, _LETTERS))

# SPDX-License-Identifier: Apache-2.0
"""DGT clocks that are connected to a board: their times, their lever, and short texts.

A clock shows eight letters and takes one message at a time, which it acknowledges. Longer texts
are shown in parts, one after another.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping
from typing import Final

from companion.boards.codec import ClockAnswered, ClockRead, Garbled, Report

TIMES: Final = 0x8D
"""The message of a clock."""
TIMES_SIZE: Final = 7

_LETTERS: Final = 8
_PART_MS: Final = 1500
"""Time for which a part of a text is shown."""
_ANSWER_MS: Final = 2000
"""Longest time in which a clock acknowledges."""

_CLOCK: Final = 0x2B
_BEGIN: Final = 0x03
_TEXT: Final = 0x0C
_END: Final = 0x00
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
    body = bytes((_BEGIN, _TEXT)) + letters + bytes((0, _END))
    return bytes((_CLOCK, len(body))) + body


def report_of(data: bytes) -> Report:
    """The report of a clock's message with *data*."""
    if _ANSWER in (data[0] & 0x0F, data[3] & 0x0F):
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


class ClockText:
    """The parts of a text of several lines, shown one after another at a clock."""

    def __init__(self) -> None:
        self.is_present = False
        """True if there is a clock."""
        self._lines: dict[int, str] = {}
        self._parts: tuple[str, ...] = ()
        self._waiting: list[str] = []
        """Parts that are still to be shown."""
        self._free_ms = 0
        self._answer_by_ms: int | None = None

    def show(self, line: int, text: str) -> None:
        """Show *text* on *line*."""
        self._lines[line] = text
        parts = parts_of(self._lines)
        if parts != self._parts:
            self._parts = parts
            self.repeat()

    def repeat(self) -> None:
        """Show the text from its first part, at the end again."""
        self._waiting = [*self._parts, *self._parts[:1]] if len(self._parts) > 1 else [*self._parts]

    def answered(self, now_ms: int) -> None:
        """Note that the clock has acknowledged the last message."""
        if self._answer_by_ms is not None:
            self._answer_by_ms = None
            self._free_ms = now_ms + _PART_MS if len(self._parts) > 1 else now_ms

    def due_ms(self) -> int | None:
        """When the next message may be sent; None without one."""
        if not self.is_present or not self._waiting:
            return None
        return self._free_ms if self._answer_by_ms is None else self._answer_by_ms

    def take(self, now_ms: int) -> bytes:
        """The message to be sent now; may be empty."""
        due_ms = self.due_ms()
        if due_ms is None or now_ms < due_ms:
            return b""
        self._answer_by_ms = now_ms + _ANSWER_MS
        return encoded(self._waiting.pop(0))


def parts_of(lines: Mapping[int, str]) -> tuple[str, ...]:
    """The text of *lines* in parts that a clock can show.

    >>> parts_of({0: "White moves", 1: "Échec"})
    ('White', 'moves', 'Echec')
    """
    plain = unicodedata.normalize("NFKD", " ".join(lines[line] for line in sorted(lines)))
    text = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return tuple(textwrap.wrap(text, _LETTERS))

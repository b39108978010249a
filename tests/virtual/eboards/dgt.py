# SPDX-License-Identifier: Apache-2.0
"""A simulated DGT e-Board at the speed of its serial line.

It scans its squares one after another. So a piece may be reported on its new square first, and a
square that is empty for a moment only may not be reported at all, as on the real eboard.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.virtual.eboards.wire import Spoil, Wire

_CODES: Final = {
    "P": 1,
    "R": 2,
    "N": 3,
    "B": 4,
    "K": 5,
    "Q": 6,
    "p": 7,
    "r": 8,
    "n": 9,
    "b": 10,
    "k": 11,
    "q": 12,
}
_SQUARES: Final = 64
_BYTE_MS: Final = 10 / 9.6
"""A start bit, eight bits and a stop bit at 9600 baud."""


class VirtualDgtEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(
        self,
        pieces: Mapping[str, str],
        now_ms: int,
        *,
        scan_ms: int = 224,
        is_turned: bool = False,
        spoil: Spoil = bytes,
        clock_s: tuple[int, int] | None = None,
    ) -> None:
        """*pieces* has the FEN letter of the piece on each occupied square.

        *is_turned*: the eboard lies turned by half under its players. *spoil* damages messages.
        *clock_s*: seconds of the left and the right player at a connected clock.
        """
        self._left_s = list(clock_s) if clock_s else []
        self._runs: int | None = None
        self._right_is_up = False
        self._ticked_ms = now_ms
        self._heard_by_clock = bytearray()
        self.shown: list[str] = []
        """The texts that the clock has shown."""
        self.beeps: list[int] = []
        """The lengths of the beeps that the clock has made, in ms."""
        self.sets = 0
        """How often the host has set the clock's times."""
        self.is_showing_times = True
        """False while the clock shows a text."""
        self._is_set = False
        """True once the host has set its times: then the lever switches nothing."""
        self.is_clock_deaf = False
        """A fault: the clock acknowledges nothing while True."""
        self._is_turned = is_turned
        self._scan_ms = scan_ms
        self._standing = [0] * _SQUARES
        for square, letter in pieces.items():
            self._standing[self._number(square)] = _CODES[letter]
        self._scanned = list(self._standing)
        self._next_scan = 0
        """Number of squares scanned since the eboard was switched on."""
        self._began_ms = now_ms
        self._sends_changes = False
        self._wire = Wire(_BYTE_MS, spoil)
        self.is_mute = False
        """A fault: the cable is cut while True."""
        self.commands: list[int] = []
        """Every byte that the host has sent."""

    # --- people ---

    def put(self, square: str, letter: str, now_ms: int) -> None:
        """Put a piece on *square*; what stands there is taken away."""
        self._scan(now_ms)
        self._standing[self._number(square)] = _CODES[letter]

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*."""
        self._scan(now_ms)
        self._standing[self._number(square)] = 0

    def press(self, side: int, now_ms: int) -> None:
        """Press the lever down at *side*, 0 for the left: the other player's time runs."""
        self._scan(now_ms)
        self._right_is_up = side == 0
        if not self._is_set:
            self._runs = 1 - side
        self._send_times(now_ms)

    def connect_clock(self, now_ms: int) -> None:
        """Plug a clock into the eboard."""
        self._scan(now_ms)
        self._left_s = [0, 0]
        self._send_times(now_ms)

    def push(self, button: int, now_ms: int) -> None:
        """Push one of the clock's five *buttons*, 0 at the left end."""
        self._scan(now_ms)
        self._send(0x0D, bytes((0x0A, 0x10, 0x08, 0x20, 0, 0x31 + button, 0)), now_ms)

    @property
    def clock(self) -> tuple[tuple[int, ...], int | None]:
        """The seconds that the clock has left at both ends, and the end that runs."""
        return tuple(self._left_s), self._runs

    # --- the wire ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive the host's bytes."""
        if self.is_mute:
            return
        self._scan(now_ms)
        for byte in data:
            if byte == 0x2B or self._heard_by_clock:
                self._pass_to_clock(byte, now_ms)
            else:
                self.commands.append(byte)
                self._obey(byte, now_ms)

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes that have arrived at the host until *now_ms*."""
        self._scan(now_ms)
        out = self._wire.arrived(now_ms)
        return b"" if self.is_mute else out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        ahead = [
            self._scan_time_ms(self._next_scan + (square - self._next_scan) % _SQUARES)
            for square in range(_SQUARES)
            if self._standing[square] != self._scanned[square]
        ]
        idle_ms: float = (
            self._ticked_ms + 1000
            if self._runs is not None
            else self._scan_time_ms(self._next_scan + 10 * _SQUARES)
        )
        return int(min(self._wire.arrival_ms, *ahead, idle_ms)) + 1

    # --- inside ---

    def _obey(self, command: int, now_ms: int) -> None:
        """Carry out a command of one byte."""
        match command:
            case 0x40:
                self._sends_changes = False
            case 0x41:
                self._send_times(now_ms)
            case 0x42:
                self._send(0x06, bytes(self._scanned), now_ms)
            case 0x43 | 0x44 | 0x4B:
                self._sends_changes = True
            case 0x45:
                self._send(0x11, b"12345", now_ms)

    def _pass_to_clock(self, byte: int, now_ms: int) -> None:
        """Pass a byte of a message on to the clock, which acknowledges the whole one."""
        heard = self._heard_by_clock
        heard.append(byte)
        if len(heard) < 2 or len(heard) < heard[1] + 2:
            return
        if self._left_s and not self.is_clock_deaf:
            self._carry_out(heard[3], bytes(heard[4:-1]), now_ms)
            self._send(0x0D, bytes((0x0A, 0x10, heard[3], 0, 0, 0, 0)), now_ms)
        heard.clear()

    def _carry_out(self, command: int, data: bytes, now_ms: int) -> None:
        """Do what a message tells the clock."""
        match command:
            case 0x0C:
                self.shown.append(data[:8].decode("ascii").rstrip())
                self.is_showing_times = False
            case 0x0B:
                self.beeps.append(data[0] * 64)
            case 0x03:
                self.is_showing_times = True
            case 0x0A:
                self._left_s = [data[at] * 3600 + data[at + 1] * 60 + data[at + 2] for at in (0, 3)]
                self._runs, self._is_set, self._ticked_ms = {1: 0, 2: 1}.get(data[6]), True, now_ms
                self.sets += 1

    def _tick(self, now_ms: int) -> None:
        """Let the seconds of the running side pass."""
        while self._runs is not None and now_ms >= self._ticked_ms + 1000:
            self._ticked_ms += 1000
            self._left_s[self._runs] = max(self._left_s[self._runs] - 1, 0)
            if self._sends_changes:
                self._send_times(self._ticked_ms)
        if self._runs is None:
            self._ticked_ms = now_ms

    def _send_times(self, at_ms: float) -> None:
        """Send what the clock shows; the right player's time comes first."""
        if not self._left_s:
            self._send(0x0D, bytes((0, 0, 0, 0, 0, 0, 0x20)), at_ms)
            return
        digits = bytearray()
        for seconds in reversed(self._left_s):
            hours, minutes, rest = seconds // 3600, seconds // 60 % 60, seconds % 60
            digits += bytes((hours, minutes // 10 * 16 + minutes % 10, rest // 10 * 16 + rest % 10))
        status = 0 if self._runs is None else (0x11, 0x09)[self._runs]
        self._send(0x0D, bytes(digits) + bytes((status + 2 * self._right_is_up,)), at_ms)

    def _scan(self, now_ms: int) -> None:
        """Scan the squares that are due until *now_ms*."""
        self._tick(now_ms)
        last = int((now_ms - self._began_ms) * _SQUARES / self._scan_ms)
        for number in range(max(self._next_scan, last - _SQUARES), last):
            square = number % _SQUARES
            if self._standing[square] != self._scanned[square]:
                self._scanned[square] = self._standing[square]
                if self._sends_changes:
                    self._send(0x0E, bytes((square, self._scanned[square])), self._scan_time_ms(number))
        self._next_scan = max(self._next_scan, last)

    def _scan_time_ms(self, number: int) -> float:
        """The time of the scan *number*."""
        return self._began_ms + number * self._scan_ms / _SQUARES

    def _send(self, kind: int, data: bytes, at_ms: float) -> None:
        """Send a message with its header."""
        size = len(data) + 3
        self._wire.send(bytes((0x80 + kind, size >> 7, size & 0x7F)) + data, at_ms)

    def _number(self, square: str) -> int:
        """The eboard's number of *square*: a8 is 0, h1 is 63."""
        number = (8 - int(square[1])) * 8 + "abcdefgh".index(square[0])
        return _SQUARES - 1 - number if self._is_turned else number

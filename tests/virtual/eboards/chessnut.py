# SPDX-License-Identifier: Apache-2.0
"""A simulated Chessnut eboard: reports of a HID device."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Final

_NIBBLES: Final = {
    "q": 1,
    "k": 2,
    "b": 3,
    "p": 4,
    "n": 5,
    "R": 6,
    "P": 7,
    "r": 8,
    "B": 9,
    "N": 10,
    "Q": 11,
    "K": 12,
}
_REPORT_MS: Final = 50
_GAP_MS: Final = 200
"""The eboard ignores what comes earlier than this after the message before."""


class VirtualChessnutEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(self, pieces: Mapping[str, str], now_ms: int, *, is_move: bool = False) -> None:
        """*pieces* has the FEN letter of the piece on each occupied square.

        *is_move*: the model with coloured lamps and pieces that move by themselves.
        """
        self._is_move = is_move
        self._standing = dict(pieces)
        self._began_ms = now_ms
        self._next_ms = now_ms + _REPORT_MS
        self._is_reporting = False
        self._reported: bytes = b""
        self._out: deque[bytes] = deque()
        self._heard_ms = now_ms - _GAP_MS
        self.battery = 77
        self.lit: set[str] = set()
        """The squares whose lamps are lit."""
        self.beeps: list[tuple[int, int]] = []
        """Pitch and length of the tones that were played."""
        self.ignored = 0
        """Messages that came too early."""

    # --- people ---

    def put(self, square: str, letter: str, _now_ms: int) -> None:
        """Put a piece on *square*."""
        self._standing[square] = letter

    def take(self, square: str, _now_ms: int) -> None:
        """Take the piece from *square*."""
        del self._standing[square]

    # --- the wire ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive one message of the host."""
        if not data:
            return
        if now_ms - self._heard_ms < _GAP_MS:
            self.ignored += 1
            return
        self._heard_ms = now_ms
        self._obey_move(data) if self._is_move else self._obey(data)

    def _obey_move(self, data: bytes) -> None:
        """Carry out one message to the model that moves its pieces."""
        match list(data):
            case [0x21, 1, 0]:
                self._is_reporting, self._reported = True, b""
            case [0x41, 1, 0x0C]:
                self._out.append(bytes((0x41, 3, 0x0C, 1, self.battery)))
            case [0x43, 0x20, *pairs] if len(pairs) == 32:
                colours = [half for pair in pairs for half in (pair % 16, pair // 16)]
                squares = [file + rank for rank in "87654321" for file in "hgfedcba"]
                self.lit = {square for square, colour in zip(squares, colours, strict=True) if colour}

    def _obey(self, data: bytes) -> None:
        """Carry out one message to the other models."""
        match list(data):
            case [0x21, 1, 0]:
                self._is_reporting, self._reported = True, b""
            case [0x29, 1, 0]:
                self._out.append(bytes((0x2A, 2, self.battery, 0)))
            case [0x0A, 8, *rows] if len(rows) == 8:
                self.lit = {
                    file + str(8 - number)
                    for number, row in enumerate(rows)
                    for place, file in enumerate("hgfedcba")
                    if row >> place & 1
                }
            case [0x0B, 4, high, low, long, short]:
                self.beeps.append((high * 256 + low, long * 256 + short))

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The next report of the eboard until *now_ms*, or nothing."""
        if now_ms >= self._next_ms:
            self._next_ms = now_ms + _REPORT_MS
            packed = self._packed()
            if self._is_reporting and packed != self._reported:
                self._reported = packed
                age = (now_ms - self._began_ms).to_bytes(4, "little")
                self._out.append(bytes((1, 0x24)) + packed + age)
        return self._out.popleft() if self._out else b""

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        return self._next_ms

    def _packed(self) -> bytes:
        """Two squares in a byte from h8 to a1, the first in the lower half."""
        squares = [file + rank for rank in "87654321" for file in "hgfedcba"]
        halves = [_NIBBLES.get(self._standing.get(square, ""), 0) for square in squares]
        return bytes(low + 16 * high for low, high in zip(halves[::2], halves[1::2], strict=True))

# SPDX-License-Identifier: Apache-2.0
"""A simulated DGT Pegasus: occupied squares over Bluetooth LE, and lamps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SCAN_MS: Final = 30
_SQUARES: Final = [file + rank for rank in "87654321" for file in "abcdefgh"]


class VirtualPegasusEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(self, pieces: Mapping[str, str], now_ms: int, *, key: bytes = b"") -> None:
        """*pieces* are those on the occupied squares; without *key* first, it stays silent."""
        self._standing = set(pieces)
        self._scanned = set(pieces)
        self._next_scan_ms = now_ms + _SCAN_MS
        self._key = key
        self._is_open = not key
        self._sends_changes = False
        self._received = bytearray()
        self._out = bytearray()
        self.lit: set[str] = set()
        """The squares whose lamps are lit."""

    # --- people ---

    def put(self, square: str, _letter: str, now_ms: int) -> None:
        """Put a piece on *square*."""
        self._scan(now_ms)
        self._standing.add(square)

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*."""
        self._scan(now_ms)
        self._standing.remove(square)

    # --- the air ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive bytes of the host."""
        self._scan(now_ms)
        self._received += data
        while self._received:
            kind = self._received[0]
            is_long = kind in (0x60, 0x63)
            if is_long and len(self._received) < 2:
                return
            size = 2 + self._received[1] if is_long else 1
            if len(self._received) < size:
                return
            message = bytes(self._received[:size])
            del self._received[:size]
            if kind == 0x63:
                self._is_open = message[2:-1] == self._key
            self._obey(message)

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes of the eboard until *now_ms*."""
        self._scan(now_ms)
        out = bytes(self._out)
        self._out.clear()
        return out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        return self._next_scan_ms

    # --- inside ---

    def _obey(self, message: bytes) -> None:
        """Carry out one message of the host."""
        match message[0] if self._is_open else 0:
            case 0x40:
                self._sends_changes = False
            case 0x42:
                self._send(0x86, bytes(square in self._scanned for square in _SQUARES))
            case 0x44:
                self._sends_changes = True
            case 0x45:
                self._send(0x91, b"P0042")
            case 0x60 if message == b"\x60\x02\x00\x00":
                self.lit = set()
            case 0x60 if message[2] == 5 and message[-1] == 0:
                self.lit = {_SQUARES[number] for number in message[6:-1]}

    def _scan(self, now_ms: int) -> None:
        """Scan all squares, if that is due."""
        if now_ms < self._next_scan_ms:
            return
        self._next_scan_ms = now_ms + _SCAN_MS
        for number, square in enumerate(_SQUARES):
            is_there = square in self._standing
            if is_there != (square in self._scanned) and self._sends_changes and self._is_open:
                self._send(0x8E, bytes((number, is_there)))
        self._scanned = set(self._standing)

    def _send(self, kind: int, data: bytes) -> None:
        """Send a message with its header."""
        size = len(data) + 3
        self._out += bytes((kind, size >> 7, size & 0x7F)) + data

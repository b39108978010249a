# SPDX-License-Identifier: Apache-2.0
"""A simulated iChessOne: packed pieces over Bluetooth LE, and lamps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SCAN_MS: Final = 60
_CODES: Final = {letter: code for code, letter in enumerate("PNBRQKpnbrqk", start=1)}
_SQUARES: Final = [file + rank for rank in "87654321" for file in "abcdefgh"]
_COMMANDS: Final = (b"CPIRQ", b"CPOFF", b"RB", b"RP")
_LAMPS_SIZE: Final = 16


class VirtualIChessOneEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(self, pieces: Mapping[str, str], now_ms: int, *, percent: int = 80) -> None:
        """*pieces* has the FEN letter of the piece on each occupied square."""
        self._standing = dict(pieces)
        self._scanned = dict(pieces)
        self._next_scan_ms = now_ms + _SCAN_MS
        self.battery = percent
        self._sends_changes = False
        self._received = bytearray()
        self._out = bytearray()
        self.lit: set[str] = set()
        """The squares whose lamps are lit."""

    # --- people ---

    def put(self, square: str, letter: str, now_ms: int) -> None:
        """Put a piece on *square*."""
        self._scan(now_ms)
        self._standing[square] = letter

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*."""
        self._scan(now_ms)
        del self._standing[square]

    # --- the air ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive bytes of the host."""
        self._scan(now_ms)
        self._received += data
        while self._received:
            is_lamps = self._received.startswith(b"EL")
            command = next((each for each in _COMMANDS if self._received.startswith(each)), b"")
            size = _LAMPS_SIZE if is_lamps else len(command)
            if not size or len(self._received) < size:
                return
            message = bytes(self._received[:size])
            del self._received[:size]
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
        match message:
            case b"CPIRQ":
                self._sends_changes = True
            case b"CPOFF":
                self._sends_changes = False
            case b"RB":
                self._out += bytes((0x3D, 0x62, 0, self.battery))
            case b"RP":
                self._send_pieces()
            case _:
                ranks = message[5:13]
                self.lit = {
                    square
                    for number, square in enumerate(_SQUARES)
                    if ranks[number // 8] >> number % 8 & 1 and message[2]
                }

    def _send_pieces(self) -> None:
        codes = [_CODES.get(self._scanned.get(square, ""), 0) for square in _SQUARES]
        pairs = zip(codes[::2], codes[1::2], strict=True)
        self._out += b"=p" + bytes(high << 4 | low for high, low in pairs)

    def _scan(self, now_ms: int) -> None:
        """Scan all squares, if that is due."""
        if now_ms < self._next_scan_ms:
            return
        self._next_scan_ms = now_ms + _SCAN_MS
        if self._standing != self._scanned:
            self._scanned = dict(self._standing)
            if self._sends_changes:
                self._send_pieces()

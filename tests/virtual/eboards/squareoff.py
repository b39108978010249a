# SPDX-License-Identifier: Apache-2.0
"""A simulated Square Off Pro: occupied squares as text over Bluetooth LE, and lamps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_SCAN_MS: Final = 50
_SQUARES: Final = [file + rank for file in "abcdefgh" for rank in "12345678"]


class VirtualSquareOffEboard:
    """An eboard with pieces on it, silent before a game begins."""

    def __init__(self, pieces: Mapping[str, str], now_ms: int) -> None:
        """*pieces* are those on the occupied squares."""
        self._standing = set(pieces)
        self._scanned = set(pieces)
        self._next_scan_ms = now_ms + _SCAN_MS
        self._has_begun = False
        self._received = ""
        self._out = ""
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
        self._received += data.decode("ascii")
        *messages, self._received = self._received.split("*")
        for message in messages:
            self._obey(message.strip())

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes of the eboard until *now_ms*."""
        self._scan(now_ms)
        out, self._out = self._out.encode("ascii"), ""
        return out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        return self._next_scan_ms

    # --- inside ---

    def _obey(self, message: str) -> None:
        """Carry out one message of the host."""
        number, _, contents = message.partition("#")
        match number:
            case "14":
                self._has_begun = True
                self._send("14#GO")
            case "30" if self._has_begun:
                bits = "".join("01"[square in self._scanned] for square in _SQUARES)
                self._send(f"30#{bits}")
            case "25":
                self.lit = {contents[at : at + 2] for at in range(0, len(contents), 2)}

    def _scan(self, now_ms: int) -> None:
        """Scan all squares, if that is due."""
        if now_ms < self._next_scan_ms:
            return
        self._next_scan_ms = now_ms + _SCAN_MS
        for square in _SQUARES:
            is_there = square in self._standing
            if is_there != (square in self._scanned) and self._has_begun:
                self._send(f"0#{square}{'d' if is_there else 'u'}")
        self._scanned = set(self._standing)

    def _send(self, message: str) -> None:
        self._out += f"{message}*\r\n"

# SPDX-License-Identifier: Apache-2.0
"""A simulated Millennium ChessLink eboard: letters with check sums, seven bits and odd parity."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.virtual.eboards.wire import Spoil, Wire

_BYTE_MS: Final = 10 / 38.4
_SCAN_MS: Final = 41
_LAMPS: Final = 81
_HEX: Final = "0123456789ABCDEF"


class VirtualMillenniumEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(
        self, pieces: Mapping[str, str], now_ms: int, *, is_mirrored: bool = False, spoil: Spoil = bytes
    ) -> None:
        """*pieces* has the FEN letter of the piece on each occupied square.

        *is_mirrored*: the eboard reports each rank from h to a. *spoil* damages messages.
        """
        self._standing = dict(pieces)
        self._scanned = dict(pieces)
        self._next_scan_ms = now_ms + _SCAN_MS
        self._files = "hgfedcba" if is_mirrored else "abcdefgh"
        self._wire = Wire(_BYTE_MS, spoil)
        self._received = ""
        self.is_mute = False
        """A fault: the cable is cut while True."""
        self.lamps = [0] * _LAMPS
        """The pattern of each lamp, from the corner beside a8 down the files."""
        self.refused = 0
        """Bytes of the host with a wrong parity or check sum."""

    # --- people ---

    def put(self, square: str, letter: str, now_ms: int) -> None:
        """Put a piece on *square*."""
        self._scan(now_ms)
        self._standing[square] = letter

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*."""
        self._scan(now_ms)
        del self._standing[square]

    # --- the wire ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive the host's bytes."""
        if self.is_mute:
            return
        self._scan(now_ms)
        for byte in data:
            if sum(byte >> bit & 1 for bit in range(8)) % 2 == 0:
                self.refused += 1
                continue
            self._received += chr(byte % 128)
            self._obey(now_ms)

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes that have arrived at the host until *now_ms*."""
        self._scan(now_ms)
        out = self._wire.arrived(now_ms)
        return b"" if self.is_mute else out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        return int(min(self._wire.arrival_ms, self._next_scan_ms)) + 1

    # --- inside ---

    def _scan(self, now_ms: int) -> None:
        """Scan all squares, if that is due."""
        if now_ms >= self._next_scan_ms:
            self._scanned = dict(self._standing)
            self._next_scan_ms = now_ms + _SCAN_MS

    def _obey(self, now_ms: int) -> None:
        """Carry out the received message, if it is complete."""
        kind = self._received[0]
        size = {"S": 3, "V": 3, "X": 3, "L": 3 + 2 * _LAMPS + 2}.get(kind)
        if size is None:
            self._received = ""
            self.refused += 1
        elif len(self._received) >= size:
            message, self._received = self._received[:size], ""
            if message[-2:] != _check(message[:-2]):
                self.refused += size
                return
            self._answer(kind, message[1:-2], now_ms)

    def _answer(self, kind: str, text: str, now_ms: int) -> None:
        if kind == "S":
            squares = (file + rank for rank in "87654321" for file in self._files)
            self._send("s" + "".join(self._scanned.get(square, ".") for square in squares), now_ms)
        elif kind == "V":
            self._send("v0107", now_ms)
        elif kind == "X":
            self.lamps = [0] * _LAMPS
            self._send("x", now_ms)
        else:
            self.lamps = [int(text[at : at + 2], 16) for at in range(2, len(text), 2)]
            self._send("l", now_ms)

    def _send(self, message: str, now_ms: int) -> None:
        """Send *message* with its check sum and parity bits."""
        out = bytearray()
        for letter in message + _check(message):
            ones = bin(ord(letter)).count("1")
            out.append(ord(letter) + (0 if ones % 2 else 128))
        self._wire.send(bytes(out), now_ms)


def _check(message: str) -> str:
    """The check sum of *message*: its letters, combined by exclusive or."""
    value = 0
    for letter in message:
        value ^= ord(letter)
    return _HEX[value // 16] + _HEX[value % 16]

# SPDX-License-Identifier: Apache-2.0
"""iChessOne over Bluetooth LE: packed pieces, and a lamp in each square.

Commands are letters. A report begins with a byte that no packed piece has, so a damaged one is
left at the next.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from companion.eboards.codec import (
    FILES,
    Battery,
    Codec,
    Garbled,
    Report,
    Timing,
    Whole,
    chess_piece,
    from_rank_8,
)
from companion.link.gatt import Gatt
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import EMPTY

LE: Final = Gatt(
    names=("iChessOne",),
    notify=("6e400003-b5a3-f393-e0a9-e50e24dcca9e",),
    write="6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    is_stream=True,
)

_SEND_CHANGES: Final = b"CPIRQ"
_SEND_BATTERY: Final = b"RB"
_SEND_BOARD: Final = b"RP"
_LAMPS: Final = b"EL\x80\x0f\0"
"""Half brightness, green; no lamps above the eighth rank."""
_STEADY: Final = b"\0\x01\xff"
"""No lamps below the first rank; without flashing; for good."""
_MARK: Final = 0x3D
_SIZES: Final = {b"p": 34, b"b": 4}
"""Sizes of the reports by their second byte."""
_LETTERS: Final = " PNBRQKpnbrqk"
_PIECES: Final = tuple(EMPTY if letter == " " else chess_piece(letter) for letter in _LETTERS)
_CHARGES: Final = 1


class IChessOneCodec:
    """Reads and writes the protocol of one board."""

    title = "iChessOne"
    timing = Timing(poll_ms=1000, write_gap_ms=50, greet_ms=300)

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._greetings = 0

    def restart(self) -> None:
        """Forget bytes that were received."""
        self._buffer.clear()
        self._greetings = 0

    def greeting(self) -> bytes:
        """One command at a time: to report changes, the battery, and all squares."""
        self._greetings += 1
        return (_SEND_CHANGES, _SEND_BATTERY, _SEND_BOARD)[(self._greetings - 1) % 3]

    def request(self) -> bytes:
        """The request for all squares."""
        return _SEND_BOARD

    def lamps(self, lit: Set[Cell]) -> bytes:
        """A byte for each rank from the eighth, the first file in the lowest bit."""
        ranks = (
            sum(1 << file for file in range(FILES) if rank * FILES + file in lit) for rank in range(7, -1, -1)
        )
        return _LAMPS + bytes(ranks) + _STEADY

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: no command for a buzzer is known."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        self._buffer += data
        reports: list[Report] = []
        while self._buffer:
            begin = self._buffer.find(_MARK)
            if begin:
                del self._buffer[: begin if begin > 0 else len(self._buffer)]
                reports.append(Garbled())
                continue
            size = _SIZES.get(bytes(self._buffer[1:2]), 1 if len(self._buffer) > 1 else 2)
            again = self._buffer.find(_MARK, 1, size)
            if len(self._buffer) < size and again < 0:
                break
            message = bytes(self._buffer[: size if again < 0 else again])
            del self._buffer[: len(message)]
            reports.append(_report(message) if len(message) == size else Garbled())
        return reports


def _report(message: bytes) -> Report:
    """The report of one whole *message*."""
    if message[1:2] == b"b":
        status, percent = message[2:]
        return Battery(min(percent, 100), is_charging=status == _CHARGES)
    codes = [code for byte in message[2:] for code in (byte >> 4, byte & 0x0F)]  # a8, b8, ... h1
    if not codes or max(codes) >= len(_PIECES):
        return Garbled()
    return Whole(from_rank_8([_PIECES[code] for code in codes]))


def make() -> Codec:
    """A codec for a new connection."""
    return IChessOneCodec()

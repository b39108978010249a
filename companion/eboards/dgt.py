# SPDX-License-Identifier: Apache-2.0
"""DGT e-Boards with a serial line, USB or Bluetooth serial port.

The board reports each changed square, and all squares on request. It scans its squares one after
another in 200 to 250 ms: a piece may be reported on its new square before the old one is empty, and
squares that were empty between two scans are never reported.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from companion.eboards.codec import (
    Codec,
    Field,
    Garbled,
    Named,
    Report,
    Timing,
    Whole,
    chess_piece,
    from_rank_8,
)
from companion.eboards.dgt_clock import TIMES, TIMES_SIZE, report_of
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import EMPTY, Sighting

BAUD: Final = 9600

_RESET: Final = 0x40
_SEND_BOARD: Final = 0x42
_SEND_CLOCK: Final = 0x41
_SEND_CHANGES: Final = 0x4B
"""Of squares, and of the clock."""
_SEND_SERIAL: Final = 0x45

_MARK: Final = 0x80
"""Set in the first byte of a message, and in no other."""
_BOARD: Final = 0x86
_FIELD: Final = 0x8E
_SERIAL: Final = 0x91
_HEADER: Final = 3
_SIZES: Final = {_BOARD: _HEADER + 64, _FIELD: _HEADER + 2, _SERIAL: _HEADER + 5, TIMES: _HEADER + TIMES_SIZE}
"""Sizes of the messages that are read, with their headers."""
_LONGEST: Final = 0x2100
"""Above the longest message, a dump of the board's memory."""

_LETTERS: Final = " PRNBKQprnbkq"
"""The piece of each code; higher codes are tokens for results."""
_PIECES: Final = tuple(EMPTY if letter == " " else chess_piece(letter) for letter in _LETTERS)


class DgtCodec:
    """Reads and writes the protocol of one board, in the mode for a single board."""

    title = "DGT e-Board"
    timing = Timing(confirmations=2, poll_ms=1000, settle_ms=250, hold_ms=300)

    def __init__(self) -> None:
        self._buffer = bytearray()

    def restart(self) -> None:
        """Forget bytes that were received."""
        self._buffer.clear()

    def greeting(self) -> bytes:
        """Stop earlier reports, then request serial number, changes, all squares and the clock."""
        return bytes((_RESET, _SEND_SERIAL, _SEND_CHANGES, _SEND_BOARD, _SEND_CLOCK))

    def request(self) -> bytes:
        """The request for all squares."""
        return bytes((_SEND_BOARD,))

    def lamps(self, _lit: Set[Cell]) -> bytes:
        """Nothing: the board has no lamps."""
        return b""

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: the board has no buzzer, but its clock may beep."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        self._buffer += data
        reports: list[Report] = []
        while (size := self._next_size()) != 0:
            if size < 0:
                del self._buffer[:-size]
                reports.append(Garbled())
                continue
            message = bytes(self._buffer[:size])
            del self._buffer[:size]
            report = _report(message)
            if report is not None:
                reports.append(report)
        return reports

    def _next_size(self) -> int:
        """The size of the message that begins the buffer; 0 if incomplete.

        The negative number of bytes to drop if they are no message: only a first byte is marked.
        """
        buffer = self._buffer
        stray = next((at for at, byte in enumerate(buffer) if byte & _MARK), len(buffer))
        if stray:
            return -stray
        if len(buffer) < _HEADER:
            return 0
        size = buffer[1] << 7 | buffer[2]
        again = next((at for at, byte in enumerate(buffer[1:size], 1) if byte & _MARK), 0)
        if again:
            return -again
        if _SIZES.get(buffer[0], size) != size or not _HEADER <= size <= _LONGEST:
            return -1
        return size if len(buffer) >= size else 0


def is_partial(received: bytes) -> bool:
    """True if *received* is the beginning of a message without its end."""
    if not received[0] & _MARK or any(byte & _MARK for byte in received[1:]):
        return False
    return len(received) < _HEADER or len(received) < received[1] << 7 | received[2]


def _report(message: bytes) -> Report | None:
    """The report of one whole *message*; None for those that are not used."""
    kind, data = message[0], message[_HEADER:]
    if kind == _SERIAL:
        return Named(data.decode("ascii", "replace"))
    if kind == _BOARD:
        return Whole(from_rank_8([_piece(code) for code in data]))
    if kind == _FIELD:
        square, code = data
        return Field(_cell(square), _piece(code)) if square < 64 and code < 16 else Garbled()
    if kind == TIMES:
        return report_of(data)
    return None


def _piece(code: int) -> Sighting:
    """The piece with the number *code*; tokens for results are no pieces."""
    return _PIECES[code] if code < len(_PIECES) else EMPTY


def _cell(square: int) -> Cell:
    """The cell of a square's number, which counts from a8 to h1."""
    return (7 - square // 8) * 8 + square % 8


def make() -> Codec:
    """A codec for a new connection."""
    return DgtCodec()

# SPDX-License-Identifier: Apache-2.0
"""Millennium ChessLink boards: letters with check sums, and lamps at corners of squares.

The line has seven data bits and odd parity. Both are made here, since not every adapter can.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import reduce
from operator import xor
from typing import Final

from companion.eboards.codec import (
    CHESS_SHAPE,
    Codec,
    Garbled,
    Named,
    Report,
    Timing,
    Whole,
    chess_piece,
    from_rank_8,
)
from companion.link.gatt import Gatt
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import EMPTY, Sighting

BAUD: Final = 38_400
LE: Final = Gatt(
    names=("MILLENNIUM CHESS",),
    notify=("49535343-1e4d-4bd9-ba61-23c647249616",),
    write="49535343-8841-43f4-a8d4-ecbe34729bb3",
    is_stream=True,
)

_SEVEN_BITS: Final = 0x7F
_LENGTHS: Final = {"s": 64, "v": 4, "l": 0, "x": 0}
"""Letters after the first one of each answer, without the check sum."""
_CHECK: Final = 2
_CORNERS: Final = 9
"""Lamps along an edge of the board."""
_SLOT: Final = 0x32
"""Length of the eighth part of a lamp's period, in units of 4.096 ms."""
_ON: Final = 0xFF
"""A lamp's pattern: lit in all eight parts of its period."""
_EMPTY: Final = "."
_PIECES: Final = {letter: chess_piece(letter) for letter in "PNBRQKpnbrqk"} | {_EMPTY: EMPTY}
_BACK_RANKS: Final = "rnbqkbnr", "RNBQKBNR"
"""The ranks 8 and 1 of the start."""


class MillenniumCodec:
    """Reads and writes the protocol of one board, which is asked for its squares."""

    title = "Millennium ChessLink"
    timing = Timing(poll_ms=80)

    def __init__(self) -> None:
        self._buffer = ""
        self._is_mirrored = False
        """True if files are reported from h to a; only the start shows that."""

    def restart(self) -> None:
        """Forget bytes that were received."""
        self._buffer = ""

    def greeting(self) -> bytes:
        """The requests for version and squares."""
        return encoded("V") + encoded("S")

    def request(self) -> bytes:
        """The request for all squares."""
        return encoded("S")

    def lamps(self, lit: Set[Cell]) -> bytes:
        """The four lamps at the corners of each lit square."""
        if not lit:
            return encoded("X")
        corners = {corner for cell in lit for corner in self._corners(cell)}
        patterns = (_ON if corner in corners else 0 for corner in range(_CORNERS * _CORNERS))
        return encoded(f"L{_SLOT:02X}" + "".join(f"{pattern:02X}" for pattern in patterns))

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: the board has no buzzer."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        reports: list[Report] = []
        for byte in data:
            if byte.bit_count() % 2 == 0:  # the parity is odd
                self._buffer = ""
                reports.append(Garbled())
                continue
            self._buffer += chr(byte & _SEVEN_BITS)
            reports += self._complete()
        return reports

    def _complete(self) -> list[Report]:
        """The reports of whole messages at the begin of the buffer."""
        reports: list[Report] = []
        while self._buffer:
            kind = self._buffer[0]
            size = 1 + _LENGTHS.get(kind, -1) + _CHECK
            if kind in _LENGTHS and len(self._buffer) < size:
                break
            message, check = self._buffer[: size - _CHECK], self._buffer[size - _CHECK : size]
            if kind not in _LENGTHS or check.upper() != _check_sum(message):
                starts = [at for at in range(1, len(self._buffer)) if self._buffer[at] in _LENGTHS]
                self._buffer = self._buffer[starts[0] :] if starts else ""
                reports.append(Garbled())
                continue
            self._buffer = self._buffer[size:]
            report = self._report(message)
            if report is not None:
                reports.append(report)
        return reports

    def _report(self, message: str) -> Report | None:
        """The report of one whole *message*; None for acknowledgements."""
        kind, text = message[0], message[1:]
        if kind == "v":
            return Named(text)
        if kind != "s":
            return None
        if any(letter not in _PIECES for letter in text):
            return Garbled()
        if (text[:8], text[-8:]) in (_BACK_RANKS, _turned(_BACK_RANKS)):
            self._is_mirrored = False
        elif (text[7::-1], text[:-9:-1]) in (_BACK_RANKS, _turned(_BACK_RANKS)):
            self._is_mirrored = True
        pieces: Sequence[Sighting] = from_rank_8([_PIECES[letter] for letter in text])
        return Whole(tuple(pieces[self._place(cell)] for cell in range(CHESS_SHAPE.cells)))

    def _place(self, cell: Cell) -> Cell:
        """The cell of the board's own report for *cell*: itself, or mirrored in its rank."""
        return cell // 8 * 8 + 7 - cell % 8 if self._is_mirrored else cell

    def _corners(self, cell: Cell) -> tuple[int, ...]:
        """The four lamps around *cell*; they count down the files, from the corner beside a8."""
        file, rank = self._place(cell) % 8, cell // 8
        return tuple(
            x * _CORNERS + y for x in (file, file + 1) for y in (_CORNERS - 2 - rank, _CORNERS - 1 - rank)
        )


def is_partial(received: bytes) -> bool:
    """True if *received* is the beginning of a message without its end."""
    letters = _LENGTHS.get(chr(received[0] & _SEVEN_BITS), -1)
    return len(received) < 1 + letters + _CHECK and letters >= 0


def encoded(message: str) -> bytes:
    """*message* with its check sum, each letter with its parity bit.

    >>> encoded("V").hex()
    'd6b5b6'
    """
    return bytes(_with_parity(ord(letter)) for letter in message + _check_sum(message))


def _with_parity(letter: int) -> int:
    return letter | 0x80 if letter.bit_count() % 2 == 0 else letter


def _check_sum(message: str) -> str:
    """Two hexadecimal digits: all letters, combined by exclusive or."""
    return f"{reduce(xor, message.encode('ascii', 'replace')):02X}"


def _turned(ranks: tuple[str, str]) -> tuple[str, str]:
    """The first and the last rank of a board that lies turned by half."""
    first, last = ranks
    return last[::-1], first[::-1]


def make() -> Codec:
    """A codec for a new connection."""
    return MillenniumCodec()

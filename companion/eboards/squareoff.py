# SPDX-License-Identifier: Apache-2.0
"""Square Off Pro over Bluetooth LE: occupied squares, and a lamp in each.

Messages are text: a number, `#`, contents, `*`. Boards that move their pieces by themselves speak
so, too; they are left still.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from typing import Final

from companion.eboards.codec import CHESS_SHAPE, FILES, Codec, Field, Garbled, Report, Timing, Whole
from companion.link.gatt import Gatt
from companion.link.protocol_gen import Note
from companion.model.grid import Cell, rectangle
from companion.model.observation import EMPTY, OCCUPIED

LE: Final = Gatt(
    names=("Squareoff", "Square Off"),
    notify=("6e400003-b5a3-f393-e0a9-e50e24dcca9e",),
    write="6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    is_stream=True,
)

_BEGIN: Final = b"14#1*"
"""Begins a game, from when on the board reports."""
_SEND_BOARD: Final = b"30#R*"
_NAMES: Final = rectangle(FILES, FILES).names
_CHANGE: Final = re.compile(rb"0#([a-hA-H])([1-8])([ud])")
_WHOLE: Final = re.compile(rb"30#([01]{64})")
_OTHER: Final = re.compile(rb"\d+#[^#*]*")
_LONGEST: Final = 200
"""Above the longest message."""


class SquareOffCodec:
    """Reads and writes the protocol of one board."""

    title = "Square Off Pro"
    timing = Timing(poll_ms=1000)

    def __init__(self) -> None:
        self._buffer = bytearray()

    def restart(self) -> None:
        """Forget bytes that were received."""
        self._buffer.clear()

    def greeting(self) -> bytes:
        """The order to report, and the request for all squares."""
        return _BEGIN + _SEND_BOARD

    def request(self) -> bytes:
        """The request for all squares."""
        return _SEND_BOARD

    def lamps(self, lit: Set[Cell]) -> bytes:
        """The names of the squares to be lit; none puts all lamps out."""
        return f"25#{''.join(_NAMES[cell] for cell in sorted(lit) if cell < CHESS_SHAPE.cells)}*".encode()

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: no command for tones is known."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        self._buffer += data
        *whole, rest = bytes(self._buffer).split(b"*")
        self._buffer = bytearray(rest[-_LONGEST:])
        return [report for message in whole if (report := _report(message.strip())) is not None]


def _report(message: bytes) -> Report | None:
    """The report of one *message* without its end; None for those that are not used."""
    if found := _CHANGE.fullmatch(message):
        file, rank, change = found[1].lower()[0] - ord("a"), int(found[2]) - 1, found[3]
        return Field(rank * FILES + file, EMPTY if change == b"u" else OCCUPIED)
    if found := _WHOLE.fullmatch(message):
        bits = found[1]  # a1, a2, ... h8
        return Whole(
            tuple(
                OCCUPIED if bits[cell % FILES * FILES + cell // FILES] == ord("1") else EMPTY
                for cell in range(CHESS_SHAPE.cells)
            )
        )
    is_known = _OTHER.fullmatch(message) and not message.startswith((b"0#", b"30#"))
    return None if is_known else Garbled()


def make() -> Codec:
    """A codec for a new connection."""
    return SquareOffCodec()

# SPDX-License-Identifier: Apache-2.0
"""DGT Pegasus over Bluetooth LE: occupied squares, and a lamp in each.

It speaks as other DGT boards do, with other contents. Some programs of the board expect a key of
its maker first, which owners enter themselves.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from companion.eboards.codec import CHESS_SHAPE, Field, Report, Timing, Whole
from companion.eboards.dgt import DgtCodec
from companion.link.gatt import Gatt
from companion.model.grid import Cell
from companion.model.observation import OCCUPIED, Sighting

LE: Final = Gatt(
    names=("DGT_PEGASUS", "DGT Pegasus", "PCS-REVII"),
    notify=("6e400003-b5a3-f393-e0a9-e50e24dcca9e",),
    write="6e400002-b5a3-f393-e0a9-e50e24dcca9e",
    is_stream=True,
)

_LAMPS: Final = 0x60
_LIT: Final = 0x05
_LOOK: Final = bytes((3, 0, 5))
"""Speed, mode and intensity of lit lamps."""
_KEY: Final = 0x63


class PegasusCodec(DgtCodec):
    """Reads and writes the protocol of one board."""

    title = "DGT Pegasus"
    timing = Timing(poll_ms=1000)

    def __init__(self, key: bytes = b"") -> None:
        """*key* is sent first, unless it is empty."""
        super().__init__()
        self._key = key

    def greeting(self) -> bytes:
        """The key, then the requests for serial number, changes and all squares."""
        return self._keyed() + bytes((0x40, 0x45, 0x44, 0x42))

    def lamps(self, lit: Set[Cell]) -> bytes:
        """The squares to be lit, or the order to put all lamps out."""
        squares = bytes(sorted((7 - cell // 8) * 8 + cell % 8 for cell in lit if cell < CHESS_SHAPE.cells))
        body = bytes((_LIT,)) + _LOOK + squares if squares else b"\0"
        return bytes((_LAMPS, len(body) + 1)) + body + b"\0"

    def feed(self, data: bytes) -> list[Report]:
        """The reports that are complete with *data*."""
        return [_occupied(report) for report in super().feed(data)]

    def _keyed(self) -> bytes:
        return bytes((_KEY, len(self._key) + 1)) + self._key + b"\0" if self._key else b""


def _occupied(report: Report) -> Report:
    """*report* without pieces: 1 stands for any."""
    match report:
        case Whole(pieces):
            return Whole(tuple(_any(piece) for piece in pieces))
        case Field(cell, piece):
            return Field(cell, _any(piece))
    return report


def _any(piece: Sighting) -> Sighting:
    return OCCUPIED if piece.occupied else piece

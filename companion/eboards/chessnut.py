# SPDX-License-Identifier: Apache-2.0
"""Chessnut Air, Pro, Go, EVO and Move: packed pieces, lamps in squares, and a buzzer.

The board speaks over USB as a HID device, or over Bluetooth LE; each message is one report.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from companion.eboards.codec import FILES, Battery, Codec, Garbled, Report, Timing, Whole, chess_piece
from companion.link.gatt import Gatt
from companion.link.protocol_gen import Note
from companion.model.grid import Cell
from companion.model.observation import EMPTY

_NOTIFY: Final = ("1b7e8262-2877-41c3-b46e-cf057c562023", "1b7e8273-2877-41c3-b46e-cf057c562023")
_WRITE: Final = "1b7e8272-2877-41c3-b46e-cf057c562023"
MOVE_LE: Final = Gatt(("Chessnut Move",), _NOTIFY, _WRITE)
LE: Final = Gatt(("Chessnut",), _NOTIFY, _WRITE)
"""The name of a Move begins so, too: it is looked for first."""

_SEND_BOARD: Final = bytes((0x21, 0x01, 0x00))
_SEND_BATTERY: Final = bytes((0x29, 0x01, 0x00))
_LAMPS: Final = bytes((0x0A, 0x08))
_BEEP: Final = bytes((0x0B, 0x04))
_BOARD: Final = bytes((0x01, 0x24))
_BATTERY: Final = bytes((0x2A, 0x02))
_CHARGING: Final = 0x80
_SEND_MOVE_BATTERY: Final = bytes((0x41, 0x01, 0x0C))
_MOVE_BATTERY: Final = bytes((0x41, 0x03, 0x0C))
_MOVE_LAMPS: Final = bytes((0x43, 0x20))
_GREEN: Final = 2
_BOARD_BYTES: Final = 32
_LETTERS: Final = " qkbpnRPrBNQK"
_PIECES: Final = tuple(EMPTY if letter == " " else chess_piece(letter) for letter in _LETTERS)
_MOST: Final = 0xFFFF


class ChessnutCodec:
    """Reads and writes the reports of one board."""

    title = "Chessnut"
    timing = Timing(poll_ms=1000, write_gap_ms=200)

    def restart(self) -> None:
        """Nothing is kept between reports."""

    def greeting(self) -> bytes:
        """The command to report the pieces whenever they change."""
        return _SEND_BOARD

    def request(self) -> bytes:
        """The request for the battery's level, whose answer shows that the board is there."""
        return _SEND_BATTERY

    def lamps(self, lit: Set[Cell]) -> bytes:
        """A byte for each rank from the eighth, the first file in the highest bit."""
        ranks = (
            sum(0x80 >> file for file in range(FILES) if rank * FILES + file in lit)
            for rank in range(7, -1, -1)
        )
        return _LAMPS + bytes(ranks)

    def tones(self, notes: Sequence[Note]) -> bytes:
        """The first of *notes*: the board plays one at a time."""
        if not notes:
            return b""
        pitch, length = (min(value, _MOST) for value in (notes[0].pitch_hz, notes[0].length_ms))
        return _BEEP + pitch.to_bytes(2, "big") + length.to_bytes(2, "big")

    def feed(self, data: bytes) -> list[Report]:
        """The report in *data*, one HID report."""
        if data.startswith(_BATTERY) and len(data) > len(_BATTERY):
            level = data[len(_BATTERY)]
            return [Battery(min(level & ~_CHARGING, 100), bool(level & _CHARGING))]
        if not data.startswith(_BOARD):
            return []
        packed = data[len(_BOARD) : len(_BOARD) + _BOARD_BYTES]
        codes = [code for byte in packed for code in (byte & 0x0F, byte >> 4)]  # h8, g8, ... a1
        if len(packed) < _BOARD_BYTES or max(codes) >= len(_PIECES):
            return [Garbled()]
        return [Whole(tuple(_PIECES[codes[_place(cell)]] for cell in range(len(codes))))]


def _place(cell: Cell) -> int:
    """The place of *cell* in the order from h8 to a1, and the reverse."""
    return (7 - cell // FILES) * FILES + 7 - cell % FILES


class ChessnutMoveCodec(ChessnutCodec):
    """Reads and writes the reports of a Move, whose lamps are coloured.

    Its pieces can move by themselves; they are left to the players.
    """

    title = "Chessnut Move"

    def request(self) -> bytes:
        """The request for the battery's level; its answer shows a working board."""
        return _SEND_MOVE_BATTERY

    def lamps(self, lit: Set[Cell]) -> bytes:
        """Two squares in a byte, in the order of the reported pieces."""
        places = [_GREEN if _place(cell) in lit else 0 for cell in range(_BOARD_BYTES * 2)]
        pairs = zip(places[::2], places[1::2], strict=True)
        return _MOVE_LAMPS + bytes(low | high << 4 for low, high in pairs)

    def tones(self, _notes: Sequence[Note]) -> bytes:
        """Nothing: no command for a buzzer is known."""
        return b""

    def feed(self, data: bytes) -> list[Report]:
        """The report in *data*."""
        if data.startswith(_MOVE_BATTERY) and len(data) > len(_MOVE_BATTERY) + 1:
            charging, level = data[len(_MOVE_BATTERY) :][:2]
            return [Battery(min(level, 100), is_charging=charging == 1)]
        return super().feed(data)


def make_move() -> Codec:
    """A codec for a new connection to a Move."""
    return ChessnutMoveCodec()


def make() -> Codec:
    """A codec for a new connection."""
    return ChessnutCodec()

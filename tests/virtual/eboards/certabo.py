# SPDX-License-Identifier: Apache-2.0
"""Simulated eboards: Certabo with radio tags, and Sentio, which sees occupied squares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tests.virtual.eboards.wire import Spoil, Wire

_BYTE_MS: Final = 10 / 38.4
_SENTIO_MS: Final = 100
"""Interval of the frames of an eboard without tags; those with tags fill the line."""

Misread = Callable[[str, int], bool]
"""True if the tag on a square is not read in a frame."""


class VirtualCertaboEboard:
    """An eboard with pieces on it, switched on at *now_ms*."""

    def __init__(
        self,
        pieces: Mapping[str, str],
        now_ms: int,
        *,
        has_tags: bool = True,
        misread: Misread = lambda _square, _frame: False,
        spoil: Spoil = bytes,
    ) -> None:
        """*pieces* has the FEN letter of the piece on each occupied square.

        A square for which *misread* is true is reported empty. *spoil* damages messages.
        """
        self._has_tags = has_tags
        self._misread = misread
        self._wire = Wire(_BYTE_MS, spoil)
        self._made = 0
        self._standing: dict[str, tuple[str, tuple[int, ...]]] = {}
        self._in_hand: dict[str, list[tuple[int, ...]]] = {}
        """Tags of the pieces beside the eboard, by letter."""
        for square, letter in pieces.items():
            self._standing[square] = letter, self._new_tag()
        self._frame_ms = now_ms
        self._frames = 0
        self.lit: set[str] = set()
        """The squares whose lamps are lit."""
        self.is_mute = False
        """A fault: the cable is cut while True."""

    # --- people ---

    def put(self, square: str, letter: str, now_ms: int) -> None:
        """Put a piece on *square*: the one last taken, or a further one."""
        self._stream(now_ms)
        spare = self._in_hand.get(letter)
        self._standing[square] = letter, spare.pop() if spare else self._new_tag()

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*."""
        self._stream(now_ms)
        letter, tag = self._standing.pop(square)
        self._in_hand.setdefault(letter, []).append(tag)

    # --- the wire ---

    def feed(self, data: bytes, _now_ms: int) -> None:
        """Receive the host's bytes: eight for the lamps."""
        for at in range(0, len(data) - 7, 8):
            rows = zip("87654321", data[at : at + 8], strict=True)
            self.lit = {
                file + rank for rank, row in rows for number, file in enumerate("abcdefgh") if row & 2**number
            }

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The bytes that have arrived at the host until *now_ms*."""
        self._stream(now_ms)
        out = self._wire.arrived(now_ms)
        return b"" if self.is_mute else out

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        return int(min(self._wire.arrival_ms, self._frame_ms)) + 1

    # --- inside ---

    def _stream(self, now_ms: int) -> None:
        """Send a frame, if that is due."""
        if now_ms < self._frame_ms or not self._wire.is_free:
            return
        self._wire.send(self._frame(), now_ms)
        self._frames += 1
        self._frame_ms = now_ms + (1 if self._has_tags else _SENTIO_MS)

    def _frame(self) -> bytes:
        """The letters of one frame."""
        seen = {
            square: tag
            for square, (_, tag) in self._standing.items()
            if not self._misread(square, self._frames)
        }
        if self._has_tags:
            squares = (file + rank for rank in "87654321" for file in "abcdefgh")
            numbers = [number for square in squares for number in seen.get(square, (0, 0, 0, 0, 0))]
        else:
            rows = ([file + rank in seen for file in "abcdefgh"] for rank in "87654321")
            numbers = [sum(128 // 2**place for place, is_there in enumerate(row) if is_there) for row in rows]
        return (":" + " ".join(map(str, numbers)) + "\r\n").encode()

    def _new_tag(self) -> tuple[int, ...]:
        """The tag of a new piece."""
        self._made += 1
        return 40, 0, self._made * 7 % 256, 13, self._made

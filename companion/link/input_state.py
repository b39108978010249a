# SPDX-License-Identifier: Apache-2.0
"""The host's copy of a panel's inputs.

Pure. Rule of the file: the copy changes only by an edge with the next number and a correct CRC,
or by a whole snapshot. So a lost, duplicate or stale packet never corrupts it.
Packets after a gap are kept until the missing edges have come.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from companion.link.framing import crc16
from companion.link.protocol_gen import (
    INPUT_BUTTON,
    INPUT_LEVEL,
    INPUT_LEVER,
    Edge,
    Edges,
    GetSnapshotReply,
    Heartbeat,
)

_NUMBERS: Final = 1 << 16
_LEVER_BIT: Final = 15
_KEPT: Final = 64
"""Packets kept after a gap; the panel's ring is shorter."""


class Missing(Enum):
    """The data to be requested from the panel."""

    NOTHING = auto()
    EDGES = auto()
    """The edges after `InputState.sequence`."""
    SNAPSHOT = auto()


@dataclass(frozen=True, slots=True)
class Applied:
    """The new edges, and the data missing after them."""

    edges: tuple[Edge, ...] = ()
    missing: Missing = Missing.NOTHING


def input_bit(number: int, cells: int) -> int | None:
    """The bit of the state for input *number* on a panel of *cells*, or None.

    The state holds the cells, padded to a byte, then buttons 0 to 14 and the lever.
    """
    padded = (cells + 7) // 8 * 8
    if number < cells:
        return number
    if number == INPUT_LEVER:
        return padded + _LEVER_BIT
    if 0 <= number - INPUT_BUTTON < _LEVER_BIT:
        return padded + number - INPUT_BUTTON
    return None


def _ahead(number: int, other: int) -> int:
    """How far *number* is ahead of *other*; half of the numbers and more is behind."""
    return (number - other) % _NUMBERS


class InputState:
    """State and sequence of one panel of *cells* cells, unknown until a snapshot is complete."""

    def __init__(self, cells: int) -> None:
        self._cells = cells
        self._size = (cells + 7) // 8 + 2
        self._state = 0
        self._parts = b""
        self._parts_sequence = -1
        self._kept: dict[int, Edges] = {}
        """Packets after a gap, by the number of their first edge."""
        self._newest = 0
        """Highest number that the panel has named."""
        self.sequence = 0
        """Number of the last applied edge."""
        self.is_known = False

    @property
    def closed(self) -> int:
        """Closed cells, bit *i* for cell *i*."""
        return self._state & ((1 << self._cells) - 1)

    @property
    def aux(self) -> int:
        """Pressed buttons and, in bit 15, the lever."""
        return self._state >> (self._size - 2) * 8

    @property
    def wanted_offset(self) -> int:
        """Offset of the byte from which the snapshot is requested next."""
        return len(self._parts)

    @property
    def gap(self) -> tuple[int, int]:
        """The first missing edge, and how many are missing before one that is here."""
        first = (self.sequence + 1) % _NUMBERS
        ends = [_ahead(number, first) for number in self._kept]
        return first, min(ends, default=_ahead(self._newest, self.sequence))

    def is_behind(self, number: int) -> bool:
        """True if edges after *number* are missing, and none before it."""
        is_there = not 0 < _ahead(number, self.sequence) < _NUMBERS // 2
        return is_there and (bool(self._kept) or 0 < _ahead(self._newest, self.sequence) < _NUMBERS // 2)

    def forget(self) -> None:
        """Invalidate the state: a snapshot has to be read."""
        self.is_known = False
        self._kept.clear()
        self._parts = b""

    def apply(self, packet: Edges) -> Applied:
        """Apply the new edges of *packet*.

        None is applied if there is a gap before them, or if the CRC of the result differs.
        """
        known = (self.sequence + 1 - packet.first) % _NUMBERS
        if known >= _NUMBERS // 2:
            if len(self._kept) < _KEPT:
                self._kept[packet.first] = packet
            return Applied(missing=Missing.EDGES)
        fresh = packet.edges[known:]
        if not fresh:
            return Applied()
        state = self._state
        for edge in fresh:
            bit = input_bit(edge.input & ~INPUT_LEVEL, self._cells)
            if bit is None:
                return Applied(missing=Missing.SNAPSHOT)
            state = state | 1 << bit if edge.input & INPUT_LEVEL else state & ~(1 << bit)
        if self._crc(state) != packet.state_crc:
            return Applied(missing=Missing.SNAPSHOT)
        self._state = state
        self.sequence = (self.sequence + len(fresh)) % _NUMBERS
        return Applied(fresh)

    def next_kept(self) -> Edges | None:
        """The kept packet that can be applied now, no longer kept; or None."""
        for first in sorted(self._kept, key=lambda number: _ahead(number, self.sequence)):
            if 0 < _ahead(first, (self.sequence + 1) % _NUMBERS) < _NUMBERS // 2:
                continue
            packet = self._kept.pop(first)
            last = (first + len(packet.edges) - 1) % _NUMBERS
            if 0 < _ahead(last, self.sequence) < _NUMBERS // 2:
                return packet
        return None

    def check(self, heartbeat: Heartbeat) -> Missing:
        """Data of the panel that is missing here."""
        ahead = _ahead(heartbeat.sequence, self.sequence)
        self._newest = heartbeat.sequence
        if ahead == 0:
            return Missing.NOTHING if heartbeat.state_crc == self._crc(self._state) else Missing.SNAPSHOT
        # Behind us: a heartbeat cannot overtake edges, so the panel has restarted its count.
        return Missing.EDGES if ahead < _NUMBERS // 2 else Missing.SNAPSHOT

    def read(self, part: GetSnapshotReply) -> bool:
        """Add a part of the snapshot; True once snapshot and state are complete."""
        if part.sequence != self._parts_sequence or part.offset != len(self._parts):
            self._parts = b""
        if part.offset != len(self._parts):
            return False
        self._parts_sequence = part.sequence
        self._parts += part.state
        if len(self._parts) < part.total:
            return False
        whole, self._parts = self._parts, b""
        if len(whole) != self._size or crc16(whole) != part.state_crc:
            return False
        self._state = int.from_bytes(whole, "little")
        self.sequence = part.sequence
        self.is_known = True
        return True

    def _crc(self, state: int) -> int:
        """The CRC of *state* as the panel computes it."""
        return crc16(state.to_bytes(self._size, "little"))

# SPDX-License-Identifier: Apache-2.0
"""Inputs of a simulated panel: debounced, numbered, kept in a ring.

Pure. Rule: as in the firmware, an edge counts once its input has been stable for the debounce time,
is stamped with the first raw change of its burst, and waits for older bursts that are still open.
An input that chatters, or reverses at once, has to be stable for longer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from companion.link.framing import crc16
from companion.link.input_state import input_bit
from companion.link.protocol_gen import EDGES_PER_PACKET, INPUT_LEVEL, Edge, Edges

_NUMBERS = 1 << 16
_LONGEST_SPAN_MS = 255
"""Largest offset of an edge's stamp within its packet."""
_NOISY_CHANGES = 3
_NOISY_EXTRA_MS = 12
_BOUNCE_MS = 4
_RECENT_MS = 20
"""An input chatters if it changes often and longer than contacts bounce, or again soon."""


@dataclass(slots=True)
class _Burst:
    """An input that has left its debounced level."""

    number: int
    goal: bool
    """The level after the burst, if it is an edge."""
    first_ms: int
    changed_ms: int
    changes: int = 0
    """Raw changes after the first."""
    is_soon: bool = False
    """True if it began soon after another burst of its input."""
    is_accepted: bool = False

    @property
    def is_noisy(self) -> bool:
        """True if the input chatters."""
        is_long = self.changed_ms - self.first_ms > _BOUNCE_MS
        return self.is_soon or (self.changes >= _NOISY_CHANGES and is_long)


@dataclass(frozen=True, slots=True)
class _Numbered:
    """An edge in the ring."""

    wire: int
    """The input, with the level after the edge in bit 15."""
    t_ms: int


class Inputs:
    """Switches, buttons and lever of a panel with *cells* cells, in panel milliseconds."""

    def __init__(self, cells: int, *, on_ms: int, off_ms: int, ring: int) -> None:
        self.on_ms = on_ms
        self.off_ms = off_ms
        self._cells = cells
        self._size = (cells + 7) // 8 + 2
        self._raw: dict[int, bool] = {}
        self._state = 0
        self._bursts: list[_Burst] = []
        self._ended_ms: dict[int, int] = {}
        """When the last burst of each input ended."""
        self._room = ring
        self._ring: deque[_Numbered] = deque(maxlen=ring)
        self.newest = 0
        """Number of the newest edge, 0 before the first."""
        self._sent = 0
        self._again: list[Edges] = []
        """Repeated packets, to be sent before new ones."""
        self.counted = 0
        """Edges since the start, without wrap."""

    def restart(self) -> None:
        """Restart with the present levels, like a board that is switched on."""
        self._bursts.clear()
        self._ended_ms.clear()
        self._ring.clear()
        self._again.clear()
        self.newest = self._sent = self.counted = 0
        self._state = sum(1 << self._bit(number) for number, level in self._raw.items() if level)

    def set(self, number: int, level: bool, t_ms: int) -> None:
        """Set input *number* to closed (*level*) or open from *t_ms* on.

        Raises `ValueError` if there is no such input.
        """
        level_before = bool(self._state >> self._bit(number) & 1)
        if self._raw.get(number, False) == level:
            return
        self._raw[number] = level
        for burst in self._bursts:
            if burst.number == number and not burst.is_accepted:
                burst.changed_ms = t_ms
                burst.changes += 1
                return
            if burst.number == number:
                level_before = burst.goal
        if level != level_before:
            ended_ms = self._ended_ms.get(number)
            is_soon = ended_ms is not None and t_ms - ended_ms < _RECENT_MS
            self._bursts.append(_Burst(number, level, t_ms, t_ms, is_soon=is_soon))

    def advance(self, now_ms: int) -> None:
        """Number the edges that are due by *now_ms*.

        While the ring is full of unsent edges, further ones wait.
        """
        if not self._bursts:
            return
        for burst in tuple(self._bursts):
            if burst.is_accepted or now_ms < self._due_ms(burst):
                continue
            self._ended_ms[burst.number] = self._due_ms(burst)
            if self._raw[burst.number] == burst.goal:
                burst.is_accepted = True
            else:
                self._bursts.remove(burst)  # back at its old level: no edge
        while self._bursts and self._bursts[0].is_accepted and self._unsent < self._room:
            self._number(self._bursts.pop(0))

    def next_deadline_ms(self) -> int | None:
        """Time at which `advance` has work; None if never."""
        return min((self._due_ms(burst) for burst in self._bursts if not burst.is_accepted), default=None)

    @property
    def has_unsent(self) -> bool:
        """True if edges wait for `take_packet`."""
        return bool(self._again) or self._unsent > 0

    @property
    def _unsent(self) -> int:
        """Number of unsent edges in the ring."""
        return (self.newest - self._sent) % _NUMBERS

    def take_packet(self) -> Edges:
        """The next EDGES packet; its edges count as sent. Only if `has_unsent`."""
        if self._again:
            return self._again.pop(0)
        packet = self._packet(self._sent, EDGES_PER_PACKET)
        self._sent = (self._sent + len(packet.edges)) % _NUMBERS
        return packet

    def _packet(self, before: int, most: int) -> Edges:
        """An EDGES packet of the kept edges after number *before*, at most so many."""
        ready = list(self._ring)[-((self.newest - before) % _NUMBERS) :]
        first = before + 1
        taken = [edge for edge in ready[:most] if edge.t_ms - ready[0].t_ms <= _LONGEST_SPAN_MS]
        state = self._state
        for edge in reversed(ready[len(taken) :]):
            bit = 1 << self._bit(edge.wire & ~INPUT_LEVEL)
            state = state & ~bit if edge.wire & INPUT_LEVEL else state | bit
        return Edges(
            first % _NUMBERS,
            ready[0].t_ms & 0xFFFFFFFF,
            crc16(state.to_bytes(self._size, "little")),
            tuple(Edge(edge.wire, edge.t_ms - ready[0].t_ms) for edge in taken),
        )

    def repeat(self, first: int, count: int) -> bool:
        """Send *count* edges from *first* on again, before any new ones.

        False if they have left the ring; those not sent yet come anyway.
        """
        before = (first - 1) % _NUMBERS
        if (self.newest - before) % _NUMBERS > len(self._ring):
            return False
        sent = (self._sent - before) % _NUMBERS
        left = min(count, sent) if sent < _NUMBERS // 2 else 0
        self._again.clear()
        while left:
            packet = self._packet(before, min(left, EDGES_PER_PACKET))
            self._again.append(packet)
            before, left = (before + len(packet.edges)) % _NUMBERS, left - len(packet.edges)
        return True

    def rewind(self, number: int) -> bool:
        """Go back so that the edges after *number* are sent again;
        False if they have left the ring.
        """
        if (self.newest - number) % _NUMBERS > len(self._ring):
            return False
        self._sent = number
        return True

    def state(self) -> bytes:
        """The debounced state: cells, padded to a byte, then buttons and lever."""
        return self._state.to_bytes(self._size, "little")

    def state_crc(self) -> int:
        """CRC of the state after the newest edge."""
        return crc16(self.state())

    def _bit(self, number: int) -> int:
        """The bit of the state for input *number*. Raises `ValueError`."""
        bit = input_bit(number, self._cells)
        if bit is None:
            raise ValueError(f"a panel with {self._cells} cells has no input {number:#x}")
        return bit

    def _due_ms(self, burst: _Burst) -> int:
        """Time at which *burst* will have been stable long enough."""
        calm_ms = self.on_ms if self._raw[burst.number] else self.off_ms
        return burst.changed_ms + calm_ms + (_NOISY_EXTRA_MS if burst.is_noisy else 0)

    def _number(self, burst: _Burst) -> None:
        """Put an accepted edge into the ring."""
        self._state ^= 1 << self._bit(burst.number)
        self.counted += 1
        self.newest = (self.newest + 1) % _NUMBERS
        self._ring.append(_Numbered(burst.number | (INPUT_LEVEL if burst.goal else 0), burst.first_ms))

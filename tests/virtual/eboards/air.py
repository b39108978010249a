# SPDX-License-Identifier: Apache-2.0
"""The way of packets from a simulated eboard to its host.

As over Bluetooth LE and USB HID, packets keep their order. Some are late, some are lost, and some
arrive twice.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

from tests.virtual.eboards.wire import NEVER_MS

_FILES: Final = "abcdefgh"


class Eboard(Protocol):
    """A simulated eboard without faults of its way."""

    def put(self, square: str, letter: str, now_ms: int, /) -> None:
        """Put a piece on *square*."""
        ...

    def take(self, square: str, now_ms: int, /) -> None:
        """Take the piece from *square*."""
        ...

    def feed(self, data: bytes, now_ms: int, /) -> None:
        """Receive the host's bytes."""
        ...

    def bytes_to_send(self, now_ms: int, /) -> bytes:
        """The bytes of the eboard until *now_ms*."""
        ...

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        ...


@dataclass(frozen=True, slots=True)
class Faults:
    """How packets travel; the shares are probabilities from 0 to 1."""

    latest_ms: int = 0
    """Longest delay of a packet."""
    lost: float = 0.0
    doubled: float = 0.0
    longest: int = 4096
    """Bytes of the longest packet; longer messages are cut."""
    is_turned: bool = False
    """The eboard lies turned by half under its players."""


class Air:
    """*eboard* at the end of a way with *faults*."""

    def __init__(self, eboard: Eboard, faults: Faults, chance: Random) -> None:
        """*chance* draws which packets are concerned."""
        self.eboard = eboard
        self._faults = faults
        self._chance = chance
        self._packets: deque[tuple[float, bytes]] = deque()
        """With the times of their arrival."""
        self.is_cut = False
        """True while nothing arrives, in both directions."""
        self.lost = 0
        """Packets that did not arrive."""

    # --- people ---

    def put(self, square: str, letter: str, now_ms: int) -> None:
        """Put a piece on *square*, as its players call it."""
        self.eboard.put(self.under(square), letter, now_ms)

    def take(self, square: str, now_ms: int) -> None:
        """Take the piece from *square*, as its players call it."""
        self.eboard.take(self.under(square), now_ms)

    def under(self, square: str) -> str:
        """The eboard's name of the players' *square*."""
        if not self._faults.is_turned:
            return square
        return f"{_FILES[7 - _FILES.index(square[0])]}{9 - int(square[1])}"

    # --- the air ---

    def feed(self, data: bytes, now_ms: int) -> None:
        """Receive a packet of the host."""
        if not self.is_cut:
            self.eboard.feed(data, now_ms)

    def bytes_to_send(self, now_ms: int) -> bytes:
        """The next packet that has arrived until *now_ms*, or nothing."""
        while said := self.eboard.bytes_to_send(now_ms):
            for at in range(0, len(said), self._faults.longest):
                self._send(said[at : at + self._faults.longest], now_ms)
        if self._packets and self._packets[0][0] <= now_ms:
            return self._packets.popleft()[1]
        return b""

    def next_deadline_ms(self) -> int:
        """Time at which `bytes_to_send` has output, if nothing happens before."""
        arrival_ms = self._packets[0][0] if self._packets else NEVER_MS
        return int(min(self.eboard.next_deadline_ms(), arrival_ms))

    def _send(self, packet: bytes, now_ms: int) -> None:
        """Send *packet*, as far as it arrives."""
        if self.is_cut or self._chance.random() < self._faults.lost:
            self.lost += 1
            return
        before_ms = self._packets[-1][0] if self._packets else now_ms
        arrival_ms = max(before_ms, now_ms + self._chance.randint(0, self._faults.latest_ms))
        self._packets += [(arrival_ms, packet)] * (2 if self._chance.random() < self._faults.doubled else 1)

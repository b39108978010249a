# SPDX-License-Identifier: Apache-2.0
"""The way from another maker's simulated eboard to its host: slow, and with faults.

These eboards share nothing with `companion.eboards`: each side has its own account of the protocol.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from typing import TypeAlias

Spoil: TypeAlias = Callable[[bytes], bytes]
"""Damages a message; `bytes` leaves it as it is."""

NEVER_MS = float("inf")


class Wire:
    """Bytes on their way, in order."""

    def __init__(self, byte_ms: float, spoil: Spoil) -> None:
        """A byte takes *byte_ms*; *spoil* damages messages."""
        self._byte_ms = byte_ms
        self._spoil = spoil
        self._bytes: deque[tuple[float, int]] = deque()
        """With the times of their arrival."""
        self._free_ms = 0.0

    @property
    def is_free(self) -> bool:
        """True if nothing is on its way."""
        return not self._bytes

    @property
    def arrival_ms(self) -> float:
        """When the next byte arrives."""
        return self._bytes[0][0] if self._bytes else NEVER_MS

    def send(self, message: bytes, at_ms: float) -> None:
        """Send *message* from *at_ms* on."""
        for byte in self._spoil(message):
            self._free_ms = max(self._free_ms, at_ms) + self._byte_ms
            self._bytes.append((self._free_ms, byte))

    def arrived(self, now_ms: float) -> bytes:
        """The bytes that have arrived until *now_ms*; each is returned once."""
        out = bytearray()
        while self._bytes and self._bytes[0][0] <= now_ms:
            out.append(self._bytes.popleft()[1])
        return bytes(out)


def pieces_of(fen: str) -> dict[str, str]:
    """The letters of the pieces in the first field of *fen*, by square.

    >>> pieces_of("4k3/8/8/8/8/8/8/R3K3")
    {'e8': 'k', 'a1': 'R', 'e1': 'K'}
    """
    return dict(_pieces(fen))


def _pieces(fen: str) -> Iterator[tuple[str, str]]:
    for rank, row in zip("87654321", fen.split()[0].split("/"), strict=True):
        cells = "".join(" " * int(letter) if letter.isdigit() else letter for letter in row)
        yield from ((file + rank, each) for file, each in zip("abcdefgh", cells, strict=True) if each != " ")

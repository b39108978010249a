# SPDX-License-Identifier: Apache-2.0
"""Intervals of retries and polls: low load, quick recovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from companion.link.connection import PATIENCE_MS


@dataclass(frozen=True, slots=True)
class Intervals:
    """Intervals of one program or test; handed in where they are used."""

    retry_s: float = 1.0
    """What failed is tried again, unless another interval says when."""
    boot_ms: int = PATIENCE_MS
    """A panel is not greeted before: opening its port may restart it."""
    port_s: float = 0.25
    """A lost port of a table is opened again."""
    greeting_ms: int = 6000
    """A port without a panel's answer is closed and opened again.

    A boot loader may take that long.
    """
    camera_s: float = 1.0
    """A lost or rejected camera is opened again."""
    poll_s: float = 1.0
    """Ports and cameras are polled for new devices."""
    rejected_port_ms: int = 30_000
    """A port that was silent or rejected is greeted again."""
    message_ms: int = 2000
    """A message between board and hall that was not answered is sent again."""
    halls_s: float = 10.0
    """A hall says at its broker that it is there; others of its name warn."""
    book_lock_s: float = 5.0
    """The lock of the hall's book is checked."""
    rate_limit_s: float = 61.0
    """Nothing is asked of a server that has said that it was asked too much."""
    server_silence_s: float = 30.0
    """A stream without a word, not even a keep-alive, is opened again."""
    broadcast_s: float = 1.0
    """A broadcast looks for news again, also after a failure."""


USUAL: Final = Intervals()
"""Those of the program."""

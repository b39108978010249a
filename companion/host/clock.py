# SPDX-License-Identifier: Apache-2.0
"""Clocks: monotonic milliseconds for tables, the time of a film, and wall time."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]
"""Returns the time in ms."""


def monotonic(start_ms: int = 0) -> Clock:
    """Return a monotonic clock that starts at *start_ms*."""
    now_ns = time.monotonic_ns
    offset_ns = now_ns() - start_ms * 1_000_000
    return lambda: (now_ns() - offset_ns) // 1_000_000


class RecordingClock:
    """The time of a recorded film: it stands still from one image to the next.

    So nothing depends on how fast the images are read. After the film it runs on.
    """

    def __init__(self, start_ms: int = 0) -> None:
        """The first image is taken at *start_ms*."""
        self._now_ms = start_ms
        self._after: Clock | None = None
        """The clock after the end of the film."""

    def __call__(self) -> int:
        """Return the time of the latest image, or the time since the end."""
        return self._now_ms if self._after is None else self._after()

    def reach(self, at_ms: int) -> None:
        """Set the time to that of an image."""
        self._now_ms = max(self._now_ms, at_ms)

    def end(self) -> None:
        """Run on: there are no more images."""
        if self._after is None:
            self._after = monotonic(self._now_ms)


def local_time() -> datetime:
    """Return the local time with its offset."""
    return datetime.now().astimezone()


def unix_ms() -> int:
    """Return Unix time in ms; it jumps when the machine's clock is set."""
    return time.time_ns() // 1_000_000


def wall() -> str:
    """Return UTC in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

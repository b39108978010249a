# SPDX-License-Identifier: Apache-2.0
"""Clocks: monotonic milliseconds for tables, and wall time."""

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


def local_time() -> datetime:
    """Return the local time with its offset."""
    return datetime.now().astimezone()


def wall() -> str:
    """Return UTC in ISO 8601 with milliseconds."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

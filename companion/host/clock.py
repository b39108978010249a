# SPDX-License-Identifier: Apache-2.0
"""The one clock that the tables know: whole milliseconds that only go forward."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]
"""Gives the time in ms."""


def monotonic(start_ms: int = 0) -> Clock:
    """A clock that shows *start_ms* now."""
    now_ns = time.monotonic_ns
    offset_ns = now_ns() - start_ms * 1_000_000
    return lambda: (now_ns() - offset_ns) // 1_000_000


def local_time() -> datetime:
    """The time on the wall, with its offset."""
    return datetime.now().astimezone()


def wall() -> str:
    """UTC as ISO 8601, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")

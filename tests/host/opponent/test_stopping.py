# SPDX-License-Identifier: Apache-2.0
"""The process that thinks is free soon after the position has changed."""

from __future__ import annotations

import asyncio
import sys

import pytest

from companion.games import slugs
from tests.bench.stopping import measure, share

CHANGES = 6
"""In each game."""
MOST_MS = 50


@pytest.mark.skipif(sys.platform != "linux", reason="the processor time of another process is read")
def test_thinking_stops_within_50_ms_of_processor_time() -> None:
    """On the clock it takes longer where other programs want the processor."""
    found = asyncio.run(measure(CHANGES, slugs()))
    assert {len(times.processor) for times in found.values()} == {CHANGES}
    spent = [each for times in found.values() for each in times.processor]
    assert share(spent, 0.99) <= MOST_MS
